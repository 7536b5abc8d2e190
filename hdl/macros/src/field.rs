//! `field::<N, M>(value, offset)`: a value at its place in a wider word.

use syn::{
    parse_quote,
    visit_mut::{visit_expr_mut, VisitMut},
    Expr, PathArguments,
};

/// Puts a cast and a shift in place of `field`, which rust-hdl does not know.
pub struct Fields;

impl VisitMut for Fields {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_expr_mut(self, expr);
        let Expr::Call(call) = &*expr else { return };
        let Expr::Path(path) = &*call.func else { return };
        let (Some(last), Some(value), Some(offset)) = (path.path.segments.last(), call.args.get(0), call.args.get(1))
        else {
            return;
        };
        if let (true, 2, PathArguments::AngleBracketed(widths)) =
            (last.ident == "field", call.args.len(), &last.arguments)
        {
            // Eight bits count the bits of the widest word.
            *expr = parse_quote!((bit_cast #widths (#value) << bits::<8>((#offset) as u64)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn rewritten(source: &str) -> String {
        let mut expr: Expr = syn::parse_str(source).unwrap();
        Fields.visit_expr_mut(&mut expr);
        expr.into_token_stream().to_string().replace(' ', "")
    }

    #[test]
    fn a_field_is_a_cast_and_a_shift() {
        assert_eq!(
            rewritten("self.low.val() | field::<32, KIND>(self.kind.val(), KIND_OFFSET + 1)"),
            "self.low.val()|(bit_cast::<32,KIND>(self.kind.val())<<bits::<8>((KIND_OFFSET+1)asu64))"
        );
        assert_eq!(
            rewritten("field::<8, 2>(field::<2, 1>(self.bit.val(), 1), 4)"),
            "(bit_cast::<8,2>((bit_cast::<2,1>(self.bit.val())<<bits::<8>((1)asu64)))<<bits::<8>((4)asu64))"
        );
    }

    #[test]
    fn other_calls_stay_as_they_are() {
        for other in ["bits::<8>(field)", "self.field(1,2)", "field(1,2)", "field::<1,2>(3)"] {
            assert_eq!(rewritten(other), other);
        }
    }
}
