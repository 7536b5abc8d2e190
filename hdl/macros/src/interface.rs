//! The documentation of an interface's ports.

use crate::documentation::first_paragraph;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Field, Type};

/// The named fields of a structure; rust-hdl's own derives refuse everything else.
pub fn fields(input: &DeriveInput) -> Vec<&Field> {
    match &input.data {
        Data::Struct(data) => data.fields.iter().filter(|field| field.ident.is_some()).collect(),
        _ => Vec::new(),
    }
}

/// `describe::Field`s of these fields. A plain signal has nothing inside, and nobody needs to ask.
pub fn described(fields: &[&Field]) -> TokenStream {
    let fields = fields.iter().map(|field| {
        let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        let (comment, ty) = (first_paragraph(&field.attrs), &field.ty);
        let is_signal =
            matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Signal"));
        let inside = match is_signal {
            true => quote!(::std::option::Option::None),
            false => quote!(::std::option::Option::Some(|| (&::portico_verilog::describe::Type::<#ty>::new()).ports())),
        };
        quote!(::portico_verilog::describe::Field { name: #name, comment: #comment, inside: #inside })
    });
    quote!(&[#(#fields),*])
}

pub fn derive(input: &DeriveInput) -> TokenStream {
    let name = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let fields = described(&fields(input));
    quote! {
        impl #impl_generics ::portico_verilog::describe::Documented for #name #type_generics #where_clause {
            fn ports() -> ::portico_verilog::describe::Ports {
                #[allow(unused_imports)]
                use ::portico_verilog::describe::{ByDefault, ByInterface};
                ::portico_verilog::describe::documented(#fields)
            }
        }
    }
}
