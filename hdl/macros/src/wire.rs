//! `wire!(from => to, to: signal, signal)`: connections of signals of one name, and of whole interfaces:
//! `wire!(one <=> other: interface)`.

use proc_macro2::{TokenStream, TokenTree};
use quote::{quote, ToTokens};
use syn::{
    parse::{Parse, ParseStream},
    parse_quote,
    punctuated::Punctuated,
    visit_mut::{visit_expr_mut, VisitMut},
    Error, Expr, Ident, ItemImpl, Macro, Result, Stmt, Token,
};

struct Wires {
    from: Expr,
    to: Vec<Expr>,
    /// The names are of interfaces, whose signals go both ways.
    whole: bool,
    names: Punctuated<Ident, Token![,]>,
}

impl Parse for Wires {
    fn parse(input: ParseStream) -> Result<Self> {
        let from = place(input)?;
        let whole = input.peek(Token![<=]);
        if whole {
            input.parse::<Token![<=]>()?;
            input.parse::<Token![>]>()?;
        } else {
            input.parse::<Token![=>]>()?;
        }
        let mut to = vec![place(input)?];
        while input.parse::<Option<Token![,]>>()?.is_some() {
            to.push(place(input)?);
        }
        let mut names = Punctuated::new();
        if !whole || !input.is_empty() {
            input.parse::<Token![:]>()?;
            names = Punctuated::parse_terminated(input)?;
        }
        Ok(Wires { from, to, whole, names })
    }
}

/// A block or an interface: the expression before the next arrow, comma or colon. Rust would read `a <= > b` for
/// `a <=> b`.
fn place(input: ParseStream) -> Result<Expr> {
    let mut tokens = TokenStream::new();
    while !(input.is_empty()
        || input.peek(Token![<=])
        || input.peek(Token![=>])
        || input.peek(Token![,])
        || input.peek(Token![:]))
    {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    syn::parse2(tokens)
}

/// Whether `place` is `self`, or is written as something inside it.
fn is_own(place: &Expr) -> bool {
    match place {
        Expr::Path(path) => path.path.is_ident("self"),
        Expr::Field(field) => is_own(&field.base),
        Expr::Index(index) => is_own(&index.expr),
        _ => false,
    }
}

/// `place`, from `self` on.
fn inside(place: &Expr) -> Expr {
    if is_own(place) {
        return place.clone();
    }
    let place = place.to_token_stream();
    parse_quote!(self.#place)
}

/// A whole interface that a kernel connects.
struct Whole {
    /// `link`, from the block's own port to one inside, or `join`, from block to block.
    how: Ident,
    from: Expr,
}

/// The connections of a kernel.
#[derive(Default)]
pub struct Connections {
    whole: Vec<Whole>,
}

impl Connections {
    /// The statements that the macro stands for.
    pub fn statements(&mut self, invocation: &Macro) -> Result<Vec<Stmt>> {
        let Wires { from, to, whole, names } = invocation.parse_body()?;
        let mut statements = Vec::new();
        for to in &to {
            if whole && names.is_empty() {
                statements.push(self.whole(&from, to, None)?);
            }
            for name in &names {
                statements.push(match whole {
                    true => self.whole(&from, to, Some(name))?,
                    false => {
                        let (from, to) = (inside(&from), inside(to));
                        parse_quote!(#to.#name.next = #from.#name.val();)
                    }
                });
            }
        }
        Ok(statements)
    }

    fn whole(&mut self, from: &Expr, to: &Expr, name: Option<&Ident>) -> Result<Stmt> {
        let (how, outer, inner) = match (is_own(from), is_own(to)) {
            (true, false) => ("link", from, to),
            (false, true) => ("link", to, from),
            (false, false) => ("join", from, to),
            (true, true) => return Err(Error::new_spanned(to, "one side is a block inside")),
        };
        let how = Ident::new(how, proc_macro2::Span::call_site());
        let name = name.map(|name| quote!(.#name));
        let (outer, inner) = (inside(outer), inside(inner));
        let number = self.whole.len();
        let statement = parse_quote! {
            ::portico_verilog::wire::Wire::<Self, #number>::#how(&mut #outer #name, &mut #inner #name);
        };
        self.whole.push(Whole {
            how,
            from: parse_quote!(#outer #name),
        });
        Ok(statement)
    }

    /// What tells the types of the interfaces, which the kernel does not name.
    pub fn wired(&self, item: &ItemImpl) -> TokenStream {
        if self.whole.is_empty() {
            return TokenStream::new();
        }
        let (impl_generics, _, where_clause) = item.generics.split_for_impl();
        let block = &item.self_ty;
        let numbers = 0..self.whole.len();
        let links = self.whole.iter().map(|Whole { how, from }| {
            let mut from = from.clone();
            Shown.visit_expr_mut(&mut from);
            quote!(::portico_verilog::wire::#how(|block: &mut Self| &mut #from, this, that))
        });
        quote! {
            #[automatically_derived]
            impl #impl_generics ::portico_verilog::wire::Wired for #block #where_clause {
                fn links(wire: usize, this: &str, that: &str) -> ::portico_verilog::wire::Links {
                    match wire {
                        #(#numbers => #links,)*
                        _ => ::portico_verilog::wire::Links::new(),
                    }
                }
            }
        }
    }
}

/// Turns a place of the kernel into one of the same type outside: of `block`, the first of each array.
struct Shown;

impl VisitMut for Shown {
    fn visit_expr_mut(&mut self, place: &mut Expr) {
        match place {
            Expr::Index(index) => {
                *index.index = parse_quote!(0);
                self.visit_expr_mut(&mut index.expr);
            }
            Expr::Path(path) if path.path.is_ident("self") => *place = parse_quote!(block),
            _ => visit_expr_mut(self, place),
        }
    }
}
