//! `wire!(from => to, to: port, port)`: connections of ports of one name.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    Expr, Ident, Macro, Result, Token,
};

struct Wires {
    from: Expr,
    to: Vec<Expr>,
    ports: Punctuated<Ident, Token![,]>,
}

impl Parse for Wires {
    fn parse(input: ParseStream) -> Result<Self> {
        let from = input.parse()?;
        input.parse::<Token![=>]>()?;
        let mut to = vec![input.parse()?];
        while input.parse::<Option<Token![,]>>()?.is_some() {
            to.push(input.parse()?);
        }
        input.parse::<Token![:]>()?;
        let ports = Punctuated::parse_terminated(input)?;
        Ok(Wires { from, to, ports })
    }
}

/// `block` as a place: `self`, or something inside it.
fn inside(block: &Expr) -> TokenStream {
    match block {
        Expr::Path(path) if path.path.is_ident("self") => quote!(self),
        _ => quote!(self.#block),
    }
}

/// The statements that the macro stands for.
pub fn statements(invocation: &Macro) -> Result<Vec<syn::Stmt>> {
    let Wires { from, to, ports } = invocation.parse_body()?;
    let from = inside(&from);
    let mut statements = Vec::new();
    for to in to.iter().map(inside) {
        for port in &ports {
            statements.push(syn::parse_quote!(#to.#port.next = #from.#port.val();));
        }
    }
    Ok(statements)
}
