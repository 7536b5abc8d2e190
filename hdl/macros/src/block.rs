//! `Block` for a structure, and its description.

use crate::{
    documentation::lines,
    interface::{described, fields},
};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Field, GenericParam, Type, TypeParam, TypeParamBound, Visibility};

pub fn derive(input: &DeriveInput) -> TokenStream {
    let name = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let all = fields(input);
    let is_hardware = |field: &&&Field| !named(field).starts_with('_');
    let hardware: Vec<&Field> = all.iter().filter(is_hardware).copied().collect();
    let idents: Vec<_> = hardware.iter().map(|field| &field.ident).collect();
    let names: Vec<String> = hardware.iter().map(|field| named(field)).collect();
    let description = description(input, &all);
    quote! {
        impl #impl_generics block::Block for #name #type_generics #where_clause {
            fn connect_all(&mut self) {
                self.connect();
                #(self.#idents.connect_all();)*
            }

            fn update_all(&mut self) {
                self.update();
                #(self.#idents.update_all();)*
            }

            fn has_changed(&self) -> bool {
                false #(|| self.#idents.has_changed())*
            }

            fn accept(&self, name: &str, probe: &mut dyn probe::Probe) {
                #description
                probe.visit_start_scope(name, self);
                #(self.#idents.accept(#names, probe);)*
                probe.visit_end_scope(name, self);
            }
        }
    }
}

fn named(field: &Field) -> String {
    field.ident.as_ref().map(|ident| ident.to_string()).unwrap_or_default()
}

/// Whether a type parameter stands for the type of a signal: `D: Synth`.
fn is_synth(parameter: &TypeParam) -> bool {
    let is_it = |bound: &TypeParamBound| matches!(bound, TypeParamBound::Trait(of) if of.path.is_ident("Synth"));
    parameter.bounds.iter().any(is_it)
}

/// Statements that show the probe who the block is.
fn description(input: &DeriveInput, all: &[&Field]) -> TokenStream {
    let name = input.ident.to_string();
    let documentation = lines(&input.attrs);
    let generics = input.generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Const(constant) => {
            let ident = &constant.ident;
            Some((ident.to_string(), quote!(#ident)))
        }
        // Its width tells one type of signals from another.
        GenericParam::Type(ty) if is_synth(ty) => {
            let ident = &ty.ident;
            Some((ident.to_string(), quote!(<#ident as Synth>::BITS)))
        }
        _ => None,
    });
    let (generic_names, generics): (Vec<_>, Vec<_>) = generics.unzip();
    let is_size = |field: &&&Field| {
        let is_usize = matches!(&field.ty, Type::Path(path) if path.path.is_ident("usize"));
        named(field).starts_with('_') && is_usize
    };
    let sizes = all.iter().filter(is_size);
    let (size_names, sizes): (Vec<_>, Vec<_>) = sizes.map(|field| (named(field), &field.ident)).unzip();
    let is_port = |field: &&&Field| matches!(field.vis, Visibility::Public(_));
    let ports: Vec<&Field> = all.iter().filter(is_port).copied().collect();
    let ports = described(&ports);
    let is_inside = |field: &&&Field| !named(field).starts_with('_') && !is_port(field);
    let inside: Vec<_> = all.iter().filter(is_inside).collect();
    let inside_names = inside.iter().map(|field| named(field));
    let inside_types = inside.iter().map(|field| &field.ty);
    quote! {
        #[allow(unused_imports)]
        use ::portico_verilog::describe::{self, ByDefault, ByInterface, ByKernel, NoKernel};
        describe::tell(
            const {
                &describe::Description {
                    name: #name,
                    file: file!(),
                    documentation: &[#(#documentation),*],
                    ports: #ports,
                    inside: &[#((#inside_names, ::std::any::type_name::<#inside_types>),)*],
                    constants: || (&describe::OfBlock::<Self>::new()).constants(),
                }
            },
            &[
                #((#generic_names, #generics as u128),)*
                #((#size_names, self.#sizes as u128),)*
            ],
        );
    }
}
