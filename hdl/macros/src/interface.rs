//! Interfaces: both sides from one definition, and the documentation of their ports.

use crate::documentation::first_paragraph;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    parse::{Parse, ParseStream},
    parse_quote, Data, DeriveInput, Error, Field, Fields, GenericArgument, Ident, ItemStruct, PathArguments, Result,
    Token, Type,
};

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
        let inside = match is_signal(ty) {
            true => quote!(::std::option::Option::None),
            false => quote!(::std::option::Option::Some(|| (&::portico_verilog::describe::Type::<#ty>::new()).ports())),
        };
        quote!(::portico_verilog::describe::Field { name: #name, comment: #comment, inside: #inside })
    });
    quote!(&[#(#fields),*])
}

fn is_signal(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Signal"))
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

/// `mirror = Name`, or nothing.
pub struct Arguments {
    mirror: Option<Ident>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream) -> Result<Self> {
        if input.is_empty() {
            return Ok(Arguments { mirror: None });
        }
        let key: Ident = input.parse()?;
        if key != "mirror" {
            return Err(Error::new(key.span(), format!("{key}: allowed is `mirror`")));
        }
        input.parse::<Token![=]>()?;
        Ok(Arguments {
            mirror: Some(input.parse()?),
        })
    }
}

/// The interface with its derives and, if it has one, its mirror.
///
/// # Errors
/// Its fields have no names, or a mirrored signal has no direction.
pub fn expand(arguments: &Arguments, item: &ItemStruct) -> Result<TokenStream> {
    if !matches!(item.fields, Fields::Named(_)) {
        return Err(Error::new_spanned(item, "an interface has named fields"));
    }
    let Some(name) = &arguments.mirror else {
        return Ok(side(item, None));
    };
    let mut mirror = item.clone();
    mirror.ident = name.clone();
    let text = format!(" [`{}`], from the other side.", item.ident);
    mirror.attrs = vec![parse_quote!(#[doc = #text])];
    for field in &mut mirror.fields {
        turn(&mut field.ty)?;
    }
    let (impl_generics, type_generics, where_clause) = item.generics.split_for_impl();
    let turned = |from: &Ident, to: &Ident| {
        quote! {
            impl #impl_generics ::portico_verilog::mirror::Mirrored for #from #type_generics #where_clause {
                type Mirror = #to #type_generics;

                fn meet(&mut self, other: &mut #to #type_generics) {
                    self.join(other);
                }
            }
        }
    };
    let (forth, back) = (turned(&item.ident, name), turned(name, &item.ident));
    let (item, mirror) = (side(item, Some(name)), side(&mirror, Some(&item.ident)));
    Ok(quote!(#item #mirror #forth #back))
}

/// One side, which joins the other.
fn side(item: &ItemStruct, other: Option<&Ident>) -> TokenStream {
    let join = other.map(|other| {
        let other = other.to_string();
        quote!(#[join = #other])
    });
    quote! {
        #[derive(Clone, Debug, Default, ::portico_verilog::prelude::Documented, ::portico_verilog::prelude::LogicInterface)]
        #join
        #item
    }
}

/// Turns the direction of a field: of a signal in its type, so that documentation shows it, and of another interface by its mirror.
fn turn(ty: &mut Type) -> Result<()> {
    if !is_signal(ty) {
        let inner = ty.clone();
        *ty = parse_quote!(<#inner as ::portico_verilog::mirror::Mirrored>::Mirror);
        return Ok(());
    }
    let Type::Path(path) = ty else { return Ok(()) };
    let last = path.path.segments.last_mut();
    if let Some(PathArguments::AngleBracketed(arguments)) = last.map(|last| &mut last.arguments) {
        if let Some(GenericArgument::Type(Type::Path(direction))) = arguments.args.first_mut() {
            let turned = match direction.path.get_ident() {
                Some(direction) if direction == "In" => "Out",
                Some(direction) if direction == "Out" => "In",
                _ => return Err(Error::new_spanned(direction, "a mirrored signal is `In` or `Out`")),
            };
            direction.path = format_ident!("{turned}").into();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_structure_without_names_is_refused_with_and_without_a_mirror() {
        let mirrored = || syn::parse_str::<Arguments>("mirror = Taker").unwrap();
        for arguments in [Arguments { mirror: None }, mirrored()] {
            let tuple: ItemStruct = parse_quote!(
                struct Giver(Signal<Out, Bit>);
            );
            let empty: ItemStruct = parse_quote!(
                struct Giver;
            );
            for item in [tuple, empty] {
                let refused = expand(&arguments, &item).unwrap_err();
                assert_eq!(refused.to_string(), "an interface has named fields");
            }
            let named: ItemStruct = parse_quote!(
                struct Giver {
                    word: Signal<Out, Bit>,
                }
            );
            assert!(expand(&arguments, &named).is_ok());
        }
    }
}
