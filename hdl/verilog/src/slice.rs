//! Bits of expressions: slices and concatenations, pushed inwards until only signals are sliced.
//!
//! Verilog slices names alone. A slice of an operator is the operator on slices where its bits are independent of those
//! outside; where they are not, the value needs a name.

use crate::expr::{mask, BinaryOp, Constant, Expr, UnaryOp};

impl Expr {
    /// Most significant first; neighbours merge that are constants, or adjoining bits of one signal.
    pub fn concat(parts: Vec<Expr>) -> Expr {
        let mut merged: Vec<Expr> = Vec::new();
        for part in parts.into_iter().filter(|part| part.width() > 0) {
            match part {
                Expr::Concat(inner) => inner.into_iter().for_each(|part| append(&mut merged, part)),
                part => append(&mut merged, part),
            }
        }
        match merged.len() {
            1 => merged.remove(0),
            _ => Expr::Concat(merged),
        }
    }

    pub fn zero_extended(self, width: usize) -> Expr {
        let missing = width - self.width();
        Expr::concat(vec![Expr::constant(0u8, missing), self])
    }

    /// Widened to `width` with copies of its highest bit.
    pub fn sign_extended(self, width: usize) -> Expr {
        let own = self.width();
        match self {
            _ if own == width => self,
            Expr::Const(constant) => {
                let high = if constant.value.bit(own as u64 - 1) {
                    mask(own, width - own)
                } else {
                    0u8.into()
                };
                Expr::constant(constant.value | high, width)
            }
            Expr::SignExtend(inner, _) => Expr::SignExtend(inner, width),
            _ => Expr::SignExtend(Box::new(self), width),
        }
    }

    /// Bits `offset .. offset + width`, or `None` where Verilog has no expression for them (the intermediate value needs a
    /// name of its own). Bits above the operand are zero.
    pub fn part(self, offset: usize, width: usize) -> Option<Expr> {
        let own = self.width();
        if offset == 0 && width == own {
            return Some(self);
        }
        if offset >= own || width == 0 {
            return Some(Expr::constant(0u8, width));
        }
        if offset + width > own {
            let inside = own - offset;
            return Some(self.part(offset, inside)?.zero_extended(width));
        }
        match self {
            Expr::Const(constant) => Some(Expr::constant(constant.value >> offset, width)),
            Expr::Part {
                signal,
                of,
                offset: base,
                ..
            } => Some(Expr::Part {
                signal,
                of,
                offset: base + offset,
                width,
            }),
            Expr::DynamicPart { signal, offset: at, .. } if offset == 0 => Some(Expr::DynamicPart {
                signal,
                offset: at,
                width,
            }),
            Expr::Unary(UnaryOp::Not, operand) => Some(Expr::unary(UnaryOp::Not, operand.part(offset, width)?)),
            Expr::Unary(UnaryOp::Negate, operand) if offset == 0 => {
                Some(Expr::unary(UnaryOp::Negate, operand.part(0, width)?))
            }
            Expr::Binary(op, left, right) if op.is_bitwise() || (op.is_modular() && offset == 0) => {
                Some(Expr::binary(op, left.part(offset, width)?, right.part(offset, width)?))
            }
            Expr::Binary(BinaryOp::Shl, left, right) if offset == 0 => {
                Some(Expr::binary(BinaryOp::Shl, left.part(0, width)?, *right))
            }
            Expr::Binary(BinaryOp::Shl, left, right) => {
                let shift = usize::try_from(right.as_constant()?).ok()?;
                Expr::concat(vec![left.part(0, own - shift)?, Expr::constant(0u8, shift)]).part(offset, width)
            }
            Expr::Binary(BinaryOp::Shr, left, right) => {
                let shift = usize::try_from(right.as_constant()?).ok()?;
                left.part(offset + shift, width)
            }
            Expr::Concat(parts) => {
                let (mut low, mut taken) = (0, Vec::new());
                for part in parts.into_iter().rev() {
                    let high = low + part.width();
                    let (from, to) = (offset.max(low), (offset + width).min(high));
                    if from < to {
                        taken.push(part.part(from - low, to - from)?);
                    }
                    low = high;
                }
                taken.reverse();
                Some(Expr::concat(taken))
            }
            Expr::SignExtend(operand, _) => {
                let inner = operand.width();
                // Copies of the highest bit start at that bit.
                let (from, inside) = (offset.min(inner - 1), (inner - offset.min(inner - 1)).min(width));
                Some(operand.part(from, inside)?.sign_extended(width))
            }
            Expr::DynamicPart { .. } | Expr::Unary(..) | Expr::Binary(..) => None,
        }
    }
}

fn append(merged: &mut Vec<Expr>, part: Expr) {
    match (merged.last_mut(), part) {
        (Some(Expr::Const(high)), Expr::Const(low)) => {
            *high = Constant::new((&high.value << low.width) | low.value, high.width + low.width);
        }
        (
            Some(Expr::Part {
                signal: high_signal,
                offset: high_offset,
                width: high_width,
                ..
            }),
            Expr::Part {
                signal, offset, width, ..
            },
        ) if *high_signal == signal && *high_offset == offset + width => {
            *high_offset = offset;
            *high_width += width;
        }
        (_, part) => merged.push(part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part_of(signal: usize, of: usize, offset: usize, width: usize) -> Expr {
        Expr::signal(signal, of).part(offset, width).unwrap()
    }

    #[test]
    fn parts_of_a_sum_exist_at_the_bottom_only() {
        let sum = Expr::binary(BinaryOp::Add, Expr::signal(0, 8), Expr::signal(1, 8));
        assert_eq!(sum.clone().part(4, 4), None);
        let low = sum.part(0, 4).expect("low bits of a sum are a sum of low bits");
        assert_eq!(low.width(), 4);
    }

    #[test]
    fn parts_reach_through_concatenations() {
        let joined = Expr::concat(vec![Expr::signal(0, 4), Expr::constant(0b10u8, 2), Expr::signal(1, 4)]);
        let middle = [part_of(0, 4, 0, 1), Expr::constant(0b10u8, 2), part_of(1, 4, 3, 1)];
        assert_eq!(joined.part(3, 4).unwrap(), Expr::Concat(middle.to_vec()));
    }

    #[test]
    fn parts_reach_through_shifts_by_a_constant() {
        let shifted = |op| Expr::binary(op, Expr::signal(0, 8), Expr::constant(3u8, 2));
        let up = Expr::Concat(vec![part_of(0, 8, 0, 3), Expr::constant(0u8, 1)]);
        assert_eq!(shifted(BinaryOp::Shl).part(2, 4).unwrap(), up);
        let down = Expr::Concat(vec![Expr::constant(0u8, 1), part_of(0, 8, 5, 3)]);
        assert_eq!(shifted(BinaryOp::Shr).part(2, 4).unwrap(), down);
        let unknown = Expr::binary(BinaryOp::Shr, Expr::signal(0, 8), Expr::signal(1, 2));
        assert_eq!(unknown.part(0, 4), None);
    }

    #[test]
    fn parts_of_a_widened_number_keep_its_sign() {
        let widened = |width| Expr::signal(0, 8).sign_extended(width);
        let sign = || part_of(0, 8, 7, 1);
        assert_eq!(widened(16).part(0, 8).unwrap(), Expr::signal(0, 8));
        assert_eq!(widened(16).part(0, 12).unwrap(), widened(12));
        assert_eq!(widened(16).part(2, 4).unwrap(), part_of(0, 8, 2, 4));
        assert_eq!(widened(16).part(6, 6).unwrap(), part_of(0, 8, 6, 2).sign_extended(6));
        assert_eq!(widened(16).part(9, 3).unwrap(), sign().sign_extended(3));
        assert_eq!(widened(16).part(9, 1).unwrap(), sign());
        assert_eq!(widened(16).sign_extended(24), widened(24));
        assert_eq!(
            Expr::constant(0x85u8, 8).sign_extended(12),
            Expr::constant(0xf85u16, 12)
        );
    }

    #[test]
    fn neighbours_merge() {
        assert_eq!(
            Expr::concat(vec![part_of(0, 8, 4, 4), part_of(0, 8, 0, 4)]),
            Expr::signal(0, 8)
        );
        let apart = vec![part_of(0, 8, 0, 4), part_of(0, 8, 4, 4)];
        assert_eq!(Expr::concat(apart.clone()), Expr::Concat(apart));
        let nested = Expr::concat(vec![Expr::signal(1, 2), Expr::constant(1u8, 1)]);
        let joined = Expr::concat(vec![nested, Expr::constant(0u8, 2)]);
        assert_eq!(joined, Expr::Concat(vec![Expr::signal(1, 2), Expr::constant(4u8, 3)]));
    }
}
