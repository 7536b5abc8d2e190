//! The kernel: connections and fields written out, constants named, and the rest left to rust-hdl.

use crate::{constants::Constants, field::Fields, wire::Connections};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    visit_mut::{visit_block_mut, VisitMut},
    Block, Error, ImplItem, ItemImpl, Result, Stmt,
};

/// Puts connections in place of `wire!`.
#[derive(Default)]
struct Wires {
    connections: Connections,
    fault: Option<Error>,
}

impl VisitMut for Wires {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut written = Vec::new();
        for statement in std::mem::take(&mut block.stmts) {
            match &statement {
                Stmt::Macro(invocation) if invocation.mac.path.is_ident("wire") => {
                    match self.connections.statements(&invocation.mac) {
                        Ok(statements) => written.extend(statements),
                        Err(fault) => self.fault = Some(fault),
                    }
                }
                _ => written.push(statement),
            }
        }
        block.stmts = written;
        visit_block_mut(self, block);
    }
}

pub fn expand(mut item: ItemImpl) -> Result<TokenStream> {
    let update = item.items.iter_mut().find_map(|item| match item {
        ImplItem::Fn(function) if function.sig.ident == "update" => Some(function),
        _ => None,
    });
    let Some(update) = update else {
        return Err(Error::new_spanned(&item.self_ty, "a kernel is `fn update(&mut self)`"));
    };
    let mut wires = Wires::default();
    wires.visit_block_mut(&mut update.block);
    if let Some(fault) = wires.fault {
        return Err(fault);
    }
    Fields.visit_block_mut(&mut update.block);
    let mut constants = Constants::default();
    constants.visit_block_mut(&mut update.block);
    update
        .attrs
        .push(syn::parse_quote!(#[::portico_verilog::describe::hdl_gen]));

    let wired = wires.connections.wired(&item);
    let Constants { named, lifted, .. } = constants;
    let (impl_generics, _, where_clause) = item.generics.split_for_impl();
    let block = &item.self_ty;
    let keys = named.iter().map(|named| &named.key);
    let names = named.iter().map(|named| &named.name);
    let values = named.iter().map(|named| &named.value);
    let inherent = match lifted.is_empty() {
        true => TokenStream::new(),
        false => quote! {
            #[automatically_derived]
            impl #impl_generics #block #where_clause {
                #(#lifted)*
            }
        },
    };
    Ok(quote! {
        #item

        #inherent

        #wired

        #[automatically_derived]
        impl #impl_generics ::portico_verilog::describe::Kernel for #block #where_clause {
            const CONSTANTS: &'static [::portico_verilog::describe::Constant] = &[
                #(::portico_verilog::describe::Constant {
                    key: #keys,
                    name: #names,
                    value: #values as u128,
                }),*
            ];
        }
    })
}
