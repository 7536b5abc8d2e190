//! Random programs: every construct of a kernel, such that rust-hdl itself has no objection.

use super::{
    circuit::{places, Circuit},
    program::{Kind, Node, Offset, Place, Statement, Style},
    value::{Op, Order, Reduction, Value, SIGNAL_WIDTHS, WIDTHS},
};
use rand::{rngs::SmallRng, seq::SliceRandom, Rng};
use std::collections::HashSet;

/// Amounts of shifts are at most this wide; rust-hdl shifts by building the whole number.
const WIDEST_AMOUNT: usize = 13;

/// Statements after the defaults.
const STATEMENTS: usize = 8;

/// Iterations of a loop: few, as bodies are copied.
const ITERATIONS: usize = 3;

struct Generator<'a> {
    rng: &'a mut SmallRng,
    readable: Vec<Place>,
    writable: Vec<Place>,
    loops: usize,
    shifts: &'a mut Shifts,
}

/// A random value; corners are likelier than chance would have them.
pub fn constant(rng: &mut SmallRng, width: usize) -> Value {
    let ones = u64::MAX >> (64 - width);
    let value = match rng.gen_range(0..5) {
        0 => 0,
        1 => ones,
        2 => 1 << rng.gen_range(0..width),
        _ => rng.gen::<u64>() & ones,
    };
    Value::new(value, width)
}

/// Shifts to the left and right by signals that a circuit has already, by the width of the amount.
///
/// Verilator 5.048 to 5.050 turns `(a >> b) >> c` into `a >> (b + c)` with a sum that wraps, if `b` and `c` are equally wide
/// (its issue 7955). So no two shifts in a circuit and its children are alike in this.
pub type Shifts = HashSet<(bool, usize)>;

/// A random circuit with `levels` of children below it.
pub fn circuit(rng: &mut SmallRng, levels: usize, shifts: &mut Shifts) -> Circuit {
    let children = if levels == 0 { 0 } else { rng.gen_range(1..3) };
    let children: Vec<Circuit> = (0..children).map(|_| circuit(rng, levels - 1, shifts)).collect();
    let mut generator = Generator {
        rng,
        readable: [Kind::Input, Kind::State].into_iter().flat_map(places).collect(),
        writable: Vec::new(),
        loops: 0,
        shifts,
    };
    let program = generator.program(children.len());
    let registers: Vec<Place> = places(Kind::Next).filter(|_| generator.chance(0.9)).collect();
    let reset = registers
        .into_iter()
        .map(|place| (place, generator.constant(place.width)));
    Circuit::new(program, reset.collect(), children)
}

/// Mixes a signal into the output beside it, so that what goes wrong anywhere is seen.
fn show(place: Place) -> Statement {
    let output = Place {
        kind: Kind::Output,
        ..place
    };
    let [output_value, value] = [output, place].map(|place| Box::new(Node::Read(place)));
    Statement::Assign(output, Node::Binary(Op::Xor, output_value, value))
}

impl Generator<'_> {
    /// Inputs of a child follow from outputs of those before it alone, so that no loop closes through children.
    fn program(&mut self, children: usize) -> Vec<Statement> {
        let mut program = Vec::new();
        for child in 0..children {
            self.writable = places(Kind::Sink(child)).collect();
            self.defaults(&mut program);
            program.extend((0..2).map(|_| self.statement(2)));
            self.readable.extend(places(Kind::Source(child)));
        }
        self.writable = [Kind::Output, Kind::Next, Kind::Local]
            .into_iter()
            .flat_map(places)
            .collect();
        self.defaults(&mut program);
        program.extend((0..STATEMENTS).map(|_| self.statement(3)));
        let seen = [Kind::Local, Kind::State]
            .into_iter()
            .chain((0..children).map(Kind::Source));
        program.extend(seen.flat_map(places).map(show));
        program
    }

    /// A first value for everything that is written; locals and outputs may be read after that.
    fn defaults(&mut self, program: &mut Vec<Statement>) {
        let mut places = self.writable.clone();
        places.shuffle(self.rng);
        for place in places {
            let state = Place {
                kind: Kind::State,
                ..place
            };
            let value = match place.kind {
                Kind::Next if self.chance(0.5) => Node::Read(state),
                _ => self.node(place.width, 2),
            };
            program.push(Statement::Assign(place, value));
            if matches!(place.kind, Kind::Local | Kind::Output) {
                self.readable.push(place);
            }
        }
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.rng.gen_bool(probability)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.rng.gen_range(0..limit)
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    fn constant(&mut self, width: usize) -> Value {
        constant(self.rng, width)
    }

    fn statement(&mut self, depth: usize) -> Statement {
        match self.below(if depth == 0 { 2 } else { 7 }) {
            0 => {
                let place = self.target(|width| width > 4);
                let width = self.one_of(&[1, 3, 4]);
                let offset = self.below(place.width - width + 1);
                Statement::Part(place, offset, self.node(width, 2))
            }
            1 | 2 => {
                let place = self.target(|_| true);
                Statement::Assign(place, self.node(place.width, 3))
            }
            3 | 4 => {
                let test = self.node(1, 2);
                let then = self.body(depth);
                let otherwise = if self.chance(0.6) { self.body(depth) } else { Vec::new() };
                Statement::If(test, then, otherwise)
            }
            5 => {
                let width = self.one_of(&[3, 4]);
                let test = self.node(width, 1);
                let limit = 1 << test.width();
                let mut labels: Vec<u64> = (0..limit).collect();
                labels.shuffle(self.rng);
                labels.truncate(self.rng.gen_range(1..=limit as usize));
                let arms = labels
                    .into_iter()
                    .map(|label| (label, self.body(depth.min(1))))
                    .collect();
                Statement::Match(test, arms, self.body(depth))
            }
            _ if self.loops < 2 => {
                let count = self.rng.gen_range(1..=ITERATIONS);
                self.loops += 1;
                let body = self.body(depth);
                self.loops -= 1;
                Statement::Loop(count, body)
            }
            _ => self.statement(0),
        }
    }

    fn body(&mut self, depth: usize) -> Vec<Statement> {
        (0..self.rng.gen_range(0..3))
            .map(|_| self.statement(depth.saturating_sub(1)))
            .collect()
    }

    fn target(&mut self, fits: impl Fn(usize) -> bool) -> Place {
        let fitting: Vec<Place> = self
            .writable
            .iter()
            .copied()
            .filter(|place| fits(place.width))
            .collect();
        self.one_of(&fitting)
    }

    /// A signal of this width; there are always inputs.
    fn signal(&mut self, width: usize) -> Place {
        let fitting: Vec<Place> = self
            .readable
            .iter()
            .copied()
            .filter(|place| place.width == width)
            .collect();
        self.one_of(&fitting)
    }

    fn boxed(&mut self, width: usize, depth: usize) -> Box<Node> {
        Box::new(self.node(width, depth.saturating_sub(1)))
    }

    /// A right operand: there a literal takes its width from the left one.
    fn right(&mut self, width: usize, depth: usize) -> Box<Node> {
        match self.below(6) {
            0 if width > 1 => Box::new(Node::Literal(self.constant(width), Style::Bare)),
            1 if self.loops > 0 && width > 1 => Box::new(Node::Variable(self.below(self.loops), width)),
            _ => self.boxed(width, depth),
        }
    }

    /// A value of this width.
    fn node(&mut self, width: usize, depth: usize) -> Node {
        if depth == 0 {
            return match self.below(4) {
                0 => Node::Literal(self.constant(width), Style::Sized),
                _ if SIGNAL_WIDTHS.contains(&width) => Node::Read(self.signal(width)),
                _ => self.cut(width),
            };
        }
        match (self.below(9), width) {
            (0, _) => Node::Not(self.boxed(width, depth)),
            (1..=3, 1) => self.bit(depth),
            (1, _) => Node::PlusBit(self.boxed(width, depth), self.boxed(1, depth)),
            (2, _) => {
                let (left, amount) = (self.chance(0.5), self.one_of(&[3, 4, 8, WIDEST_AMOUNT]));
                match self.shifts.insert((left, amount)) {
                    true => Node::Shift(left, self.boxed(width, depth), self.boxed(amount, 1)),
                    false => self.node(width, depth),
                }
            }
            (3, _) => {
                let amount = self.below(width + 3) as u64;
                Node::ShiftBy(self.chance(0.5), self.boxed(width, depth), amount)
            }
            (4, 1) | (5, 1) => {
                let op = self.one_of(&[Op::And, Op::Or, Op::Xor]);
                Node::Binary(op, self.boxed(1, depth), self.boxed(1, depth))
            }
            (4 | 5, _) => {
                let op = self.one_of(&[Op::And, Op::Or, Op::Xor, Op::Add, Op::Sub]);
                Node::Binary(op, self.boxed(width, depth), self.right(width, depth))
            }
            (6, 3..) => self.cut(width),
            (7, 3..) if self.chance(0.5) => {
                let index = self.offset(width - 1);
                let base = match index {
                    Offset::Number(_) | Offset::Variable(_) => Box::new(self.bitwise(width)),
                    _ => self.boxed(width, depth),
                };
                Node::WithBit(base, index, self.boxed(1, depth))
            }
            (7, 3..) if self.chance(0.3) => {
                let amount = self.one_of(&[3, 4, 8]);
                match self.shifts.insert((true, amount)) {
                    true => Node::OneShifted(self.boxed(amount, 1), width),
                    false => self.node(width, depth),
                }
            }
            _ => self.node(width, 0),
        }
    }

    /// One bit made from wider values.
    fn bit(&mut self, depth: usize) -> Node {
        let width = self.one_of(&WIDTHS[1..]);
        match self.below(4) {
            0 => Node::Reduce(
                self.one_of(&[Reduction::All, Reduction::Any, Reduction::Xor]),
                self.boxed(width, depth),
            ),
            1 => {
                let width = self.one_of(&SIGNAL_WIDTHS[1..]);
                let index = self.offset(width - 1);
                Node::Bit(Box::new(Node::Read(self.signal(width))), index)
            }
            _ => {
                let order = self.one_of(&[Order::Eq, Order::Ne, Order::Lt, Order::Le, Order::Gt, Order::Ge]);
                Node::Compare(order, self.boxed(width, depth), self.right(width, depth))
            }
        }
    }

    /// A value whose every bit depends on one bit of each signal: any part of it is an expression of its own.
    fn bitwise(&mut self, width: usize) -> Node {
        let read = |generator: &mut Self| match SIGNAL_WIDTHS.contains(&width) {
            true => Node::Read(generator.signal(width)),
            false => Node::Literal(generator.constant(width), Style::Sized),
        };
        match self.below(8) {
            0 => Node::Not(Box::new(read(self))),
            1 | 2 => {
                let op = self.one_of(&[Op::And, Op::Or, Op::Xor]);
                Node::Binary(op, Box::new(read(self)), Box::new(read(self)))
            }
            3 => Node::ShiftBy(self.chance(0.5), Box::new(read(self)), self.below(width) as u64),
            _ => read(self),
        }
    }

    /// A slice or a cast of something that Verilog lets be cut.
    fn cut(&mut self, width: usize) -> Node {
        let from = self.one_of(&SIGNAL_WIDTHS[1..]);
        match self.below(5) {
            0 | 1 if width >= from => Node::Cast(self.boxed(from, 2), width),
            0 => Node::Cast(Box::new(self.bitwise(from)), width),
            1 => {
                let op = self.one_of(&[Op::Add, Op::Sub]);
                let sum = Node::Binary(op, Box::new(self.bitwise(from)), Box::new(self.bitwise(from)));
                Node::Cast(Box::new(sum), width)
            }
            2 if width <= from => Node::Slice(
                Box::new(Node::Read(self.signal(from))),
                self.offset(from - width),
                width,
            ),
            _ => {
                let offset = Offset::Number(self.below(from));
                Node::Slice(Box::new(self.bitwise(from)), offset, width)
            }
        }
    }

    /// An offset that is at most `greatest`, whatever the signals in it hold.
    fn offset(&mut self, greatest: usize) -> Offset {
        let signal = |generator: &mut Self| Offset::Signal(generator.signal(4));
        match self.below(6) {
            0 if greatest >= 15 => signal(self),
            1 if greatest >= 30 => {
                let sum = Offset::Add(Box::new(signal(self)), Box::new(signal(self)));
                match self.chance(0.3) && greatest >= 38 {
                    true => Offset::Add(Box::new(sum), Box::new(Offset::Number(self.below(greatest - 30 + 1)))),
                    false => sum,
                }
            }
            2 if greatest >= 30 => {
                let times = greatest / 15;
                let rest = self.below(greatest - 15 * times + 1);
                let product = Offset::Times(Box::new(signal(self)), times);
                Offset::Add(Box::new(product), Box::new(Offset::Number(rest)))
            }
            3 if self.loops > 0 && greatest >= ITERATIONS => Offset::Variable(self.below(self.loops)),
            _ => Offset::Number(self.below(greatest + 1)),
        }
    }
}
