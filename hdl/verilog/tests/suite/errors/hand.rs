//! Kernels written as AST by hand: what rust-hdl's macros do not let through, but other front ends may.

use super::message;
use rust_hdl::core::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogCase, VerilogConditional, VerilogExpression as Ast, VerilogLink,
    VerilogLinkDetails, VerilogMatch, VerilogOp, VerilogOpUnary, VerilogStatement,
};
use rust_hdl::prelude::*;

/// A block whose kernel is given.
#[derive(LogicBlock)]
struct Hand {
    pub clk: Signal<In, Clock>,
    pub a: Signal<In, Bits<8>>,
    pub at: Signal<In, Bits<3>>,
    pub y: Signal<Out, Bits<8>>,
    held: DFF<Bits<8>>,
    limit: Constant<Bits<8>>,
    _code: VerilogBlock,
}

impl Logic for Hand {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        Verilog::Combinatorial(self._code.clone())
    }
}

fn signal(name: &str) -> Ast {
    Ast::Signal(name.into())
}

fn number(value: u64) -> Ast {
    Ast::Literal(value.into())
}

fn binary(left: Ast, op: VerilogOp, right: Ast) -> Ast {
    Ast::Binary(Box::new(left), op, Box::new(right))
}

fn assign(target: &str, value: Ast) -> VerilogStatement {
    VerilogStatement::Assignment(signal(target), value)
}

fn part_of_y(offset: Ast, width: usize) -> VerilogStatement {
    VerilogStatement::SliceAssignment {
        base: signal("y"),
        width,
        offset,
        replacement: number(1),
    }
}

/// The message for a kernel that sets up the register and `y`, and goes on with `code`.
fn after_setup(code: VerilogBlock) -> String {
    let setup = [
        assign("held$clock$next", signal("clk")),
        assign("held$d$next", signal("held$q")),
        assign("y$next", signal("a")),
    ];
    message(&Hand {
        clk: Default::default(),
        a: Default::default(),
        at: Default::default(),
        y: Default::default(),
        held: Default::default(),
        limit: Constant::new(bits(9)),
        _code: setup.into_iter().chain(code).collect(),
    })
}

fn sets_y(value: Ast) -> String {
    after_setup(vec![assign("y$next", value)])
}

#[test]
fn a_mistyped_name_is_answered_with_the_nearest() {
    assert_eq!(
        sets_y(signal("helt$q")),
        "top: `helt.q` is not a signal, constant or loop variable (did you mean `held.q`?)"
    );
    assert_eq!(
        sets_y(signal("elsewhere")),
        "top: `elsewhere` is not a signal, constant or loop variable"
    );
    assert_eq!(
        after_setup(vec![assign("z$next", signal("a"))]),
        "top: `z` is not a signal, constant or loop variable"
    );
}

#[test]
fn constants_and_the_state_of_registers_cannot_be_written() {
    assert_eq!(
        after_setup(vec![assign("held$q$next", signal("a"))]),
        "top: `held.q` cannot be written here"
    );
    assert_eq!(
        after_setup(vec![assign("limit$next", signal("a"))]),
        "top: `limit` cannot be written here"
    );
}

#[test]
fn indices_that_make_no_sense_say_why() {
    for (index, reason) in [
        ("1+", "`` is not a loop variable or Constant"),
        ("i", "`i` is not a loop variable or Constant"),
        ("0x1", "`0x1` is not a number"),
        ("3/(limit-9)", "it divides by zero"),
        ("3%(9-limit)", "it divides by zero"),
        ("9223372036854775807+1", "it is too large"),
        ("9223372036854775807*2", "it is too large"),
        ("1-2", "it is -1"),
        ("(1", "a parenthesis is missing"),
        ("1<<2", "`<<2` is left over"),
    ] {
        assert_eq!(
            sets_y(signal(&format!("held[{index}]$q"))),
            format!("top: bad index `{index}`: {reason}")
        );
    }
    assert_eq!(
        sets_y(signal("held[1")),
        "top: bad index `held[1`: a bracket is missing"
    );
}

#[test]
fn parts_that_are_written_must_be_inside() {
    assert_eq!(
        after_setup(vec![part_of_y(number(6), 4)]),
        "top: bad index `6 of `y``: it has 8 bits"
    );
    assert_eq!(
        after_setup(vec![part_of_y(number(8), 1)]),
        "top: bad index `8`: only 8 bits are there"
    );
}

#[test]
fn a_part_from_an_unknown_place_needs_the_rest_first() {
    let kernel = vec![
        assign("held$clock$next", signal("clk")),
        assign("held$d$next", signal("held$q")),
        part_of_y(signal("at"), 1),
    ];
    let block = Hand {
        clk: Default::default(),
        a: Default::default(),
        at: Default::default(),
        y: Default::default(),
        held: Default::default(),
        limit: Constant::new(bits(9)),
        _code: kernel,
    };
    assert_eq!(
        message(&block),
        "top: `y` keeps its old value on some path, which makes a latch; give it a default first"
    );
}

#[test]
fn widths_that_rust_would_have_checked_are_checked() {
    let sum = binary(signal("a"), VerilogOp::Add, signal("at"));
    assert_eq!(
        sets_y(sum),
        "top: right operand of `+` is 3 bits wide where 8 are needed"
    );
    assert_eq!(
        sets_y(signal("at")),
        "top: value for `y` is 3 bits wide where 8 are needed"
    );
    let condition = VerilogConditional {
        test: signal("a"),
        then: vec![assign("y$next", number(1))],
        otherwise: VerilogBlockOrConditional::None,
    };
    assert_eq!(
        after_setup(vec![VerilogStatement::If(condition)]),
        "top: a condition is 8 bits wide where 1 are needed"
    );
    let replaced = Ast::IndexReplace(Box::new(signal("a")), Box::new(number(0)), Box::new(signal("at")));
    assert_eq!(
        sets_y(replaced),
        "top: a bit that is put in place is 3 bits wide where 1 are needed"
    );
}

#[test]
fn a_literal_that_nothing_sizes_asks_for_a_width() {
    let any = Ast::Unary(VerilogOpUnary::Any, Box::new(number(3)));
    let selected = VerilogMatch {
        test: number(3),
        cases: vec![],
    };
    let expected = "top: the width of literal 3 is unknown; write bits::<N>(3)";
    assert_eq!(sets_y(any), expected);
    assert_eq!(after_setup(vec![VerilogStatement::Match(selected)]), expected);
}

fn matched(label: &str) -> String {
    let arm = |condition: &str| VerilogCase {
        condition: condition.into(),
        block: vec![],
    };
    let selected = VerilogMatch {
        test: signal("at"),
        cases: vec![arm(label), arm("default")],
    };
    after_setup(vec![VerilogStatement::Match(selected)])
}

#[test]
fn patterns_must_be_values_that_fit() {
    assert_eq!(
        matched("0x0e"),
        "top: case label 0x0e is 4 bits wide where 3 are needed"
    );
    // In Rust a lower-case name in a pattern is a new variable, whatever it is called.
    for name in ["LIMIT", "limit"] {
        assert_eq!(
            matched(name),
            format!("top: pattern `{name}`, which is neither a number nor a value of an enumeration, is not supported")
        );
    }
}

#[test]
fn a_signed_cast_takes_its_width_from_beside_it() {
    let number = || Ast::Signed(Box::new(signal("a")));
    let cast = || Ast::Signed(Box::new(number()));
    let expected = "top: a signed_bit_cast whose context gives no width needs a name: assign it to a Signal<Local, _> \
                    first";
    assert_eq!(
        sets_y(Ast::Cast(Box::new(Ast::Unsigned(Box::new(cast()))), 4)),
        expected
    );
    assert_eq!(sets_y(binary(cast(), VerilogOp::Lt, cast())), expected);
}

#[test]
fn computed_targets_are_not_supported() {
    let computed = VerilogStatement::Assignment(binary(signal("y"), VerilogOp::Add, signal("y")), signal("a"));
    assert_eq!(
        after_setup(vec![computed]),
        "top: a target that is not a signal is not supported"
    );
}

#[test]
fn links_of_two_directions_are_not_supported() {
    let details = VerilogLinkDetails {
        my_name: "".into(),
        owner_name: "a".into(),
        other_name: "y".into(),
    };
    let link = VerilogStatement::Link(vec![VerilogLink::Bidirectional(details)]);
    assert_eq!(after_setup(vec![link]), "top: a bidirectional link is not supported");
}

#[test]
fn a_clock_that_is_computed_is_refused() {
    let inverted = Ast::Unary(VerilogOpUnary::Not, Box::new(signal("clk")));
    assert_eq!(
        after_setup(vec![assign("held$clock$next", inverted)]),
        "top: clock of `held` must be one clock signal, connected once and unconditionally"
    );
}
