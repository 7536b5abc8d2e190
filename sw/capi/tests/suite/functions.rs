//! The functions of C, parsed from the sources.

use std::{fs, path::Path};

use syn::{parse_file, FnArg, Item, Pat, Type};

use crate::bench::ROOT;

/// A parameter.
pub struct Parameter {
    pub name: String,
    pub is_pointer: bool,
    /// Whether what a pointer points to is only read.
    pub is_const: bool,
    /// Its type, or that to which a pointer points, by its last name; a pointer to a pointer is `*` and the name behind both.
    pub target: String,
}

/// A function of the header.
pub struct Function {
    pub name: String,
    pub parameters: Vec<Parameter>,
    pub returns_status: bool,
}

fn named(of: &Type) -> String {
    match of {
        Type::Ptr(pointer) => format!("*{}", named(&pointer.elem)),
        Type::Path(path) => path.path.segments.last().unwrap().ident.to_string(),
        _ => panic!("a type of C"),
    }
}

fn parameter(argument: &FnArg) -> Parameter {
    let FnArg::Typed(typed) = argument else {
        panic!("a function of C has no self");
    };
    let Pat::Ident(name) = &*typed.pat else {
        panic!("a parameter has a name");
    };
    let (is_pointer, is_const, target) = match &*typed.ty {
        Type::Ptr(pointer) => (true, pointer.const_token.is_some(), named(&pointer.elem)),
        other => (false, false, named(other)),
    };
    Parameter {
        name: name.ident.to_string(),
        is_pointer,
        is_const,
        target,
    }
}

/// All functions that the library exports.
pub fn functions() -> Vec<Function> {
    let mut found = vec![];
    for entry in fs::read_dir(Path::new(ROOT).join("src")).unwrap() {
        let source = fs::read_to_string(entry.unwrap().path()).unwrap();
        for item in parse_file(&source).unwrap().items {
            let Item::Fn(function) = item else { continue };
            if !function
                .attrs
                .iter()
                .any(|attribute| attribute.path().is_ident("no_mangle"))
            {
                continue;
            }
            let returns_status = match &function.sig.output {
                syn::ReturnType::Type(_, of) => matches!(&**of, Type::Path(_)) && named(of) == "portico_status",
                syn::ReturnType::Default => false,
            };
            found.push(Function {
                name: function.sig.ident.to_string(),
                parameters: function.sig.inputs.iter().map(parameter).collect(),
                returns_status,
            });
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

#[test]
fn every_function_returns_a_status_but_the_version() {
    let functions = functions();
    assert!(functions.len() > 120, "{}", functions.len());
    for function in functions {
        let is_version = function.name == "portico_version";
        assert!(function.name.starts_with("portico_"), "{}", function.name);
        assert_eq!(function.returns_status, !is_version, "{}", function.name);
    }
}
