//! Constants that a kernel names.

use quote::{format_ident, quote, ToTokens};
use syn::{
    visit_mut::{visit_expr_mut, visit_pat_mut, VisitMut},
    Expr, ExprCall, ExprForLoop, ExprPath, GenericArgument, ImplItemConst, Pat, Path, PathArguments, Type,
};

/// A constant of the kernel.
pub struct Named {
    /// As rust-hdl's AST spells it: `op$PEEK`.
    pub key: String,
    /// What Verilog is to call it; nothing where it is arithmetic without a name.
    pub name: String,
    pub value: Expr,
}

/// Finds the constants of a kernel. What rust-hdl's macro refuses (casts, and arithmetic inside `bits`) becomes an
/// associated constant of the block.
#[derive(Default)]
pub struct Constants {
    pub named: Vec<Named>,
    pub lifted: Vec<ImplItemConst>,
    /// Variables of the loops around.
    variables: Vec<String>,
}

impl Constants {
    fn name(&mut self, path: &Path) {
        let key = path.to_token_stream().to_string().replace(' ', "").replace("::", "$");
        if !self.named.iter().any(|named| named.key == key) {
            self.named.push(Named {
                key,
                name: spelled(path),
                value: syn::parse_quote!(#path),
            });
        }
    }

    /// The path to an associated constant of type `ty` that is `value`.
    fn lift(&mut self, value: &Expr, ty: &Type) -> Expr {
        let number = self.lifted.len();
        let text = |value: &Expr, ty: &Type| quote!(#value, #ty).to_string();
        let wanted = text(value, ty);
        let known = self.lifted.iter().find(|known| text(&known.expr, &known.ty) == wanted);
        if let Some(ImplItemConst { ident, .. }) = known {
            return syn::parse_quote!(Self::#ident);
        }
        let ident = format_ident!("KERNEL_{number}");
        let path: Expr = syn::parse_quote!(Self::#ident);
        self.lifted.push(syn::parse_quote!(const #ident: #ty = #value;));
        self.named.push(Named {
            key: format!("Self${ident}"),
            name: stem(value).map_or(String::new(), spelled),
            value: path.clone(),
        });
        path
    }

    /// Whether the compiler knows the value: nothing of it is the block's or a loop's.
    fn is_static(&self, value: &Expr) -> bool {
        struct Finder<'a>(&'a [String], bool);
        impl<'ast> syn::visit::Visit<'ast> for Finder<'_> {
            fn visit_path(&mut self, path: &'ast Path) {
                let ident = path.get_ident().map(ToString::to_string);
                self.1 &= !ident.is_some_and(|ident| ident == "self" || self.0.contains(&ident));
            }
        }
        let mut finder = Finder(&self.variables, true);
        syn::visit::Visit::visit_expr(&mut finder, value);
        finder.1
    }

    /// `bits::<N>(i)` of a loop's variable: rust-hdl's macro would evaluate it outside the loop.
    fn counted(&self, call: &ExprCall) -> Option<Expr> {
        let path = stem(&call.args[0])?;
        let is_variable = self.variables.contains(&path.get_ident()?.to_string());
        let width = width_of_bits(call)?;
        is_variable.then(|| syn::parse_quote!(#path.to_bits::<#width>()))
    }

    /// `bits::<N>(path)` takes a constant of any unsigned type.
    fn bits(&mut self, call: &mut ExprCall) {
        let argument = &mut call.args[0];
        if self.is_static(argument) && !matches!(argument, Expr::Lit(_)) {
            // A path may be of any type; arithmetic is a literal's, as for rust-hdl.
            let value = match stem(argument) {
                Some(path) if !matches!(argument, Expr::Cast(_)) => syn::parse_quote!(#path as u64),
                _ => argument.clone(),
            };
            *argument = self.lift(&value, &syn::parse_quote!(u64));
        } else {
            self.visit_expr_mut(argument);
        }
    }
}

/// The path that `value` is, but for casts and parentheses.
fn stem(value: &Expr) -> Option<&Path> {
    match value {
        Expr::Path(path) => Some(&path.path),
        Expr::Cast(cast) => stem(&cast.expr),
        Expr::Paren(inner) => stem(&inner.expr),
        _ => None,
    }
}

/// `super::op::PEEK` as Verilog calls it: `op::PEEK`.
fn spelled(path: &Path) -> String {
    let segments = path.segments.iter().map(|segment| segment.ident.to_string());
    let telling = segments.filter(|segment| !["Self", "self", "super", "crate"].contains(&segment.as_str()));
    telling.collect::<Vec<_>>().join("::")
}

/// Whether a path is spelled as constants are: `PORTS`, `op::PEEK`, `Self::DEPTH`.
fn is_constant(path: &Path) -> bool {
    let last = path
        .segments
        .last()
        .map(|last| last.ident.to_string())
        .unwrap_or_default();
    last.starts_with(|first: char| first.is_ascii_uppercase()) && !last.contains(|c: char| c.is_ascii_lowercase())
}

/// `N` of `bits::<N>(value)`.
fn width_of_bits(call: &ExprCall) -> Option<&GenericArgument> {
    let last = stem(&call.func)?.segments.last()?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) if last.ident == "bits" && call.args.len() == 1 => {
            arguments.args.first()
        }
        _ => None,
    }
}

impl VisitMut for Constants {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Call(call) if width_of_bits(call).is_some() => match self.counted(call) {
                Some(number) => *expression = number,
                None => self.bits(call),
            },
            Expr::Cast(cast) if self.is_static(&cast.expr) => {
                let ty = cast.ty.clone();
                *expression = self.lift(&expression.clone(), &ty);
            }
            Expr::Path(ExprPath { path, .. }) if is_constant(path) => self.name(path),
            _ => visit_expr_mut(self, expression),
        }
    }

    fn visit_expr_for_loop_mut(&mut self, repeat: &mut ExprForLoop) {
        self.visit_expr_mut(&mut repeat.expr);
        let variable = match &*repeat.pat {
            Pat::Ident(ident) => ident.ident.to_string(),
            _ => String::new(),
        };
        self.variables.push(variable);
        self.visit_block_mut(&mut repeat.body);
        self.variables.pop();
    }

    fn visit_pat_mut(&mut self, pattern: &mut Pat) {
        match pattern {
            Pat::Path(path) if is_constant(&path.path) => self.name(&path.path),
            Pat::Ident(ident) if is_constant(&ident.ident.clone().into()) => self.name(&ident.ident.clone().into()),
            _ => visit_pat_mut(self, pattern),
        }
    }

    /// The width in `bits::<WIDTH>` is a type's: the compiler evaluates it.
    fn visit_generic_argument_mut(&mut self, _argument: &mut GenericArgument) {}
}
