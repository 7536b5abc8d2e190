//! The documentation of an interface's ports.

use crate::documentation::first_paragraph;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Field};

/// The named fields of a structure; rust-hdl's own derives refuse everything else.
pub fn fields(input: &DeriveInput) -> Vec<&Field> {
    match &input.data {
        Data::Struct(data) => data.fields.iter().filter(|field| field.ident.is_some()).collect(),
        _ => Vec::new(),
    }
}

pub fn derive(input: &DeriveInput) -> TokenStream {
    let name = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let fields = fields(input);
    let names = fields
        .iter()
        .filter_map(|field| field.ident.as_ref())
        .map(|name| name.to_string());
    let comments = fields.iter().map(|field| first_paragraph(&field.attrs));
    let inner = fields.iter().map(|field| &field.ty);
    quote! {
        impl #impl_generics ::portico_verilog::describe::Documented for #name #type_generics #where_clause {
            fn ports() -> ::std::vec::Vec<(::std::string::String, &'static str)> {
                #[allow(unused_imports)]
                use ::portico_verilog::describe::{ByDefault, ByInterface};
                let mut ports = ::std::vec::Vec::new();
                #(::portico_verilog::describe::add_ports(
                    &mut ports,
                    #names,
                    #comments,
                    (&::portico_verilog::describe::Type::<#inner>::new()).ports(),
                );)*
                ports
            }
        }
    }
}
