//! Kernels: each is at once a rust-hdl AST, which the backend reads, and a program over rust-hdl's values, which its
//! simulator runs.

use super::value::{Op, Order, Reduction, Value};
use rust_hdl::core::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogCase, VerilogConditional, VerilogExpression as Ast, VerilogLoop,
    VerilogMatch, VerilogOp, VerilogOpUnary, VerilogStatement,
};

/// What a signal is to the block whose kernel names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Input,
    Output,
    Local,
    /// Next and present state of a register.
    Next,
    State,
    /// Input and output of a child.
    Sink(usize),
    Source(usize),
}

/// A signal: one of a bank of equally wide ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub kind: Kind,
    pub width: usize,
    pub index: usize,
}

impl Place {
    /// Name in the Verilog, below that of its bank.
    pub fn name(self, bank: &str) -> String {
        format!("{bank}_w{}_{}", self.width, self.index)
    }

    fn text(self) -> String {
        let Place { kind, width, index } = self;
        match kind {
            Kind::Input => format!("inputs$w{width}[{index}]"),
            Kind::Output => format!("outputs$w{width}[{index}]"),
            Kind::Local => format!("locals$w{width}[{index}]"),
            Kind::Next => format!("held$w{width}[{index}]$d"),
            Kind::State => format!("held$w{width}[{index}]$q"),
            Kind::Sink(child) => format!("child[{child}]$inputs$w{width}[{index}]"),
            Kind::Source(child) => format!("child[{child}]$outputs$w{width}[{index}]"),
        }
    }

    fn read(self) -> Ast {
        Ast::Signal(self.text())
    }

    fn target(self) -> Ast {
        Ast::Signal(self.text() + "$next")
    }
}

/// An index: arithmetic of `usize`.
#[derive(Clone, Debug)]
pub enum Offset {
    Number(usize),
    /// Variable of the enclosing loop of this depth.
    Variable(usize),
    Signal(Place),
    Add(Box<Offset>, Box<Offset>),
    Times(Box<Offset>, usize),
}

/// Where a literal stands: `5.into()` takes the width of its place, `bits::<8>(5)` has its own.
#[derive(Clone, Copy, Debug)]
pub enum Style {
    Bare,
    Sized,
}

#[derive(Clone, Debug)]
pub enum Node {
    Read(Place),
    Literal(Value, Style),
    /// `i.to_bits()` of the enclosing loop of this depth.
    Variable(usize, usize),
    Not(Box<Node>),
    Binary(Op, Box<Node>, Box<Node>),
    Compare(Order, Box<Node>, Box<Node>),
    Reduce(Reduction, Box<Node>),
    PlusBit(Box<Node>, Box<Node>),
    Shift(bool, Box<Node>, Box<Node>),
    ShiftBy(bool, Box<Node>, u64),
    OneShifted(Box<Node>, usize),
    Cast(Box<Node>, usize),
    Bit(Box<Node>, Offset),
    Slice(Box<Node>, Offset, usize),
    WithBit(Box<Node>, Offset, Box<Node>),
}

#[derive(Clone, Debug)]
pub enum Statement {
    Assign(Place, Node),
    Part(Place, usize, Node),
    If(Node, Vec<Statement>, Vec<Statement>),
    Match(Node, Vec<(u64, Vec<Statement>)>, Vec<Statement>),
    Loop(usize, Vec<Statement>),
}

/// Names of loop variables, outer first.
pub const VARIABLES: [&str; 2] = ["i", "j"];

fn literal(value: u64) -> Ast {
    Ast::Literal(value.into())
}

fn boxed(node: &Node) -> Box<Ast> {
    Box::new(node.ast())
}

/// Parentheses as Rust needs them around an operand that is itself an operator.
fn operand(node: &Node) -> Box<Ast> {
    match node {
        Node::Binary(..) | Node::Compare(..) | Node::PlusBit(..) | Node::Shift(..) | Node::ShiftBy(..) => {
            Box::new(Ast::Paren(boxed(node)))
        }
        _ => boxed(node),
    }
}

impl Offset {
    fn ast(&self) -> Ast {
        let factor = |offset: &Offset| match offset {
            Offset::Add(..) => Ast::Paren(Box::new(offset.ast())),
            _ => offset.ast(),
        };
        match self {
            Offset::Number(number) => literal(*number as u64),
            Offset::Variable(depth) => Ast::Signal(VARIABLES[*depth].into()),
            Offset::Signal(place) => place.read(),
            Offset::Add(left, right) => Ast::Binary(Box::new(left.ast()), VerilogOp::Add, Box::new(right.ast())),
            Offset::Times(left, right) => {
                Ast::Binary(Box::new(factor(left)), VerilogOp::Mul, Box::new(literal(*right as u64)))
            }
        }
    }
}

impl Node {
    fn ast(&self) -> Ast {
        match self {
            Node::Read(place) => place.read(),
            Node::Literal(Value::Bit(bit), _) => Ast::Literal((*bit).into()),
            Node::Literal(value, Style::Bare) => literal(value.number()),
            Node::Literal(value, Style::Sized) => Ast::Cast(Box::new(literal(value.number())), value.width()),
            Node::Variable(depth, _) => Ast::Signal(VARIABLES[*depth].into()),
            Node::Not(inner) => Ast::Unary(VerilogOpUnary::Not, operand(inner)),
            Node::Binary(op, left, right) => {
                let one_bit = matches!(right.as_ref(), Node::Compare(..));
                let op = match op {
                    Op::And if one_bit => VerilogOp::LogicalAnd,
                    Op::Or if one_bit => VerilogOp::LogicalOr,
                    Op::And => VerilogOp::BitAnd,
                    Op::Or => VerilogOp::BitOr,
                    Op::Xor => VerilogOp::BitXor,
                    Op::Add => VerilogOp::Add,
                    Op::Sub => VerilogOp::Sub,
                };
                Ast::Binary(operand(left), op, operand(right))
            }
            Node::Compare(order, left, right) => {
                let op = match order {
                    Order::Eq => VerilogOp::Eq,
                    Order::Ne => VerilogOp::Ne,
                    Order::Lt => VerilogOp::Lt,
                    Order::Le => VerilogOp::Le,
                    Order::Gt => VerilogOp::Gt,
                    Order::Ge => VerilogOp::Ge,
                };
                Ast::Binary(operand(left), op, operand(right))
            }
            Node::Reduce(reduction, inner) => {
                let op = match reduction {
                    Reduction::All => VerilogOpUnary::All,
                    Reduction::Any => VerilogOpUnary::Any,
                    Reduction::Xor => VerilogOpUnary::Xor,
                };
                Ast::Unary(op, operand(inner))
            }
            Node::PlusBit(left, bit) => Ast::Binary(operand(left), VerilogOp::Add, operand(bit)),
            Node::Shift(left, value, amount) => Ast::Binary(operand(value), shift(*left), operand(amount)),
            Node::ShiftBy(left, value, amount) => Ast::Binary(operand(value), shift(*left), Box::new(literal(*amount))),
            Node::OneShifted(amount, width) => {
                let shifted = Ast::Binary(Box::new(literal(1)), VerilogOp::Shl, operand(amount));
                Ast::Cast(Box::new(shifted), *width)
            }
            Node::Cast(inner, width) => Ast::Cast(boxed(inner), *width),
            Node::Bit(inner, index) => Ast::Index(operand(inner), Box::new(index.ast())),
            Node::Slice(inner, offset, width) => Ast::Slice(operand(inner), *width, Box::new(offset.ast())),
            Node::WithBit(inner, index, bit) => Ast::IndexReplace(operand(inner), Box::new(index.ast()), boxed(bit)),
        }
    }
}

fn shift(left: bool) -> VerilogOp {
    if left {
        VerilogOp::Shl
    } else {
        VerilogOp::Shr
    }
}

/// The statements as rust-hdl's macros would have made them.
pub fn block(program: &[Statement], depth: usize) -> VerilogBlock {
    let statement = |statement: &Statement| match statement {
        Statement::Assign(place, value) => VerilogStatement::Assignment(place.target(), value.ast()),
        Statement::Part(place, offset, value) => VerilogStatement::SliceAssignment {
            base: place.target(),
            width: value.width(),
            offset: literal(*offset as u64),
            replacement: value.ast(),
        },
        Statement::If(test, then, otherwise) => VerilogStatement::If(VerilogConditional {
            test: test.ast(),
            then: block(then, depth),
            otherwise: match block(otherwise, depth) {
                body if body.is_empty() => VerilogBlockOrConditional::None,
                mut body if body.len() == 1 && matches!(body[0], VerilogStatement::If(_)) => {
                    VerilogBlockOrConditional::Conditional(Box::new(body.remove(0)))
                }
                body => VerilogBlockOrConditional::Block(body),
            },
        }),
        Statement::Match(test, arms, default) => {
            let arm = |condition: String, body: &[Statement]| VerilogCase {
                condition,
                block: block(body, depth),
            };
            let arms = arms.iter().map(|(label, body)| arm(format!("{label:#x}"), body));
            VerilogStatement::Match(VerilogMatch {
                test: test.ast(),
                cases: arms.chain([arm("default".into(), default)]).collect(),
            })
        }
        Statement::Loop(count, body) => VerilogStatement::Loop(VerilogLoop {
            index: VARIABLES[depth].into(),
            from: 0usize.into(),
            to: (*count).into(),
            block: block(body, depth + 1),
        }),
    };
    program.iter().map(statement).collect()
}
