//! Programs run: values of nodes and effects of statements, as Rust would compute them in a kernel.

use super::{
    program::{Node, Offset, Place, Statement},
    value::Value,
};

/// What a program reads and writes.
pub trait Signals {
    fn get(&self, place: Place) -> Value;
    fn set(&mut self, place: Place, value: Value);
}

impl Offset {
    fn number(&self, signals: &dyn Signals, loops: &[usize]) -> usize {
        match self {
            Offset::Number(number) => *number,
            Offset::Variable(depth) => loops[*depth],
            Offset::Signal(place) => signals.get(*place).index(),
            Offset::Add(left, right) => left.number(signals, loops) + right.number(signals, loops),
            Offset::Times(left, right) => left.number(signals, loops) * right,
        }
    }
}

impl Node {
    pub fn width(&self) -> usize {
        match self {
            Node::Read(place) => place.width,
            Node::Literal(value, _) => value.width(),
            Node::Variable(_, width) | Node::OneShifted(_, width) | Node::Cast(_, width) | Node::Slice(.., width) => {
                *width
            }
            Node::Not(inner)
            | Node::Binary(_, inner, _)
            | Node::PlusBit(inner, _)
            | Node::Shift(_, inner, _)
            | Node::ShiftBy(_, inner, _)
            | Node::WithBit(inner, ..) => inner.width(),
            Node::Compare(..) | Node::Reduce(..) | Node::Bit(..) => 1,
        }
    }

    pub fn value(&self, signals: &dyn Signals, loops: &[usize]) -> Value {
        let of = |node: &Node| node.value(signals, loops);
        let at = |offset: &Offset| offset.number(signals, loops);
        match self {
            Node::Read(place) => signals.get(*place),
            Node::Literal(value, _) => *value,
            Node::Variable(depth, width) => Value::new(loops[*depth] as u64, *width),
            Node::Not(inner) => of(inner).not(),
            Node::Binary(op, left, right) => of(left).binary(*op, of(right)),
            Node::Compare(order, left, right) => of(left).compare(*order, of(right)).into(),
            Node::Reduce(reduction, inner) => of(inner).reduce(*reduction).into(),
            Node::PlusBit(left, bit) => of(left).plus_bit(of(bit).into()),
            Node::Shift(left, value, amount) => of(value).shift(*left, of(amount)),
            Node::ShiftBy(left, value, amount) => of(value).shift_by(*left, *amount),
            Node::OneShifted(amount, width) => Value::one_shifted(of(amount), *width),
            Node::Cast(inner, width) => of(inner).cast(*width),
            Node::Bit(inner, index) => of(inner).bit(at(index)).into(),
            Node::Slice(inner, offset, width) => of(inner).slice(at(offset), *width),
            Node::WithBit(inner, index, bit) => of(inner).with_bit(at(index), of(bit).into()),
        }
    }
}

/// Runs the statements once; `loops` holds the variables of the loops around them.
pub fn run(program: &[Statement], signals: &mut dyn Signals, loops: &mut Vec<usize>) {
    for statement in program {
        match statement {
            Statement::Assign(place, value) => {
                let value = value.value(signals, loops);
                signals.set(*place, value);
            }
            Statement::Part(place, offset, value) => {
                let value = value.value(signals, loops);
                let whole = signals.get(*place);
                signals.set(*place, whole.with_part(*offset, value));
            }
            Statement::If(test, then, otherwise) => match test.value(signals, loops).into() {
                true => run(then, signals, loops),
                false => run(otherwise, signals, loops),
            },
            Statement::Match(test, arms, default) => {
                let value = test.value(signals, loops).number();
                let arm = arms.iter().find(|(label, _)| *label == value).map(|(_, arm)| arm);
                run(arm.unwrap_or(default), signals, loops);
            }
            Statement::Loop(count, body) => {
                for variable in 0..*count {
                    loops.push(variable);
                    run(body, signals, loops);
                    loops.pop();
                }
            }
        }
    }
}
