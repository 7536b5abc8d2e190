//! Names that mean nothing in a kernel, or too much in Verilog.

use super::message;
use portico_verilog::{emit, Options};
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct ConstGeneric<const N: usize> {
    pub y: Signal<Out, Bits<N>>,
}

impl<const N: usize> Logic for ConstGeneric<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = N.to_bits();
    }
}

#[derive(LogicBlock, Default)]
struct Associated {
    pub y: Signal<Out, Bits<8>>,
}

impl Associated {
    const LIMIT: u8 = 9;
}

impl Logic for Associated {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = Self::LIMIT.to_bits();
    }
}

#[derive(LogicBlock, Default)]
struct BeyondTheEnd {
    pub y: Signal<Out, Bit>,
    held: Vec<DFF<Bit>>,
}

impl Logic for BeyondTheEnd {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.held[2].q.val();
    }
}

#[test]
fn a_name_that_only_rust_knows() {
    assert_eq!(
        message(&ConstGeneric::<8>::default()),
        "top: `N` is not a signal, constant or loop variable"
    );
    assert_eq!(
        message(&Associated::default()),
        "top: `Self.LIMIT` is not a signal, constant or loop variable"
    );
    assert_eq!(
        message(&BeyondTheEnd::default()),
        "top: `held[2].q` is not a signal, constant or loop variable"
    );
}

#[derive(LogicBlock, Default)]
struct IndexByGeneric<const N: usize> {
    pub clk: Signal<In, Clock>,
    pub y: Signal<Out, Bit>,
    held: [DFF<Bit>; 4],
}

impl<const N: usize> Logic for IndexByGeneric<N> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..4 {
            self.held[i].clock.next = self.clk.val();
            self.held[i].d.next = !self.held[i].q.val();
        }
        self.y.next = self.held[N].q.val();
    }
}

#[test]
fn an_index_that_only_rust_knows() {
    assert_eq!(
        message(&IndexByGeneric::<2>::default()),
        "top: bad index `N`: `N` is not a loop variable or Constant"
    );
}

/// A block with one input of the given name.
macro_rules! named {
    ($block:ident, $name:ident) => {
        #[derive(LogicBlock, Default)]
        struct $block {
            pub $name: Signal<In, Bit>,
        }

        impl Logic for $block {
            fn update(&mut self) {}
        }
    };
}

named!(Logic_, logic);
named!(Do, r#do);
named!(Bind, bind);
named!(Register, register);
named!(Typed, r#type);
named!(Matched, r#match);
named!(Letters, größe);

#[test]
fn a_reserved_word() {
    let reserved = |name: &str| format!("top: `{name}` is a reserved word of Verilog, SystemVerilog or C++; rename it");
    assert_eq!(message(&Logic_::default()), reserved("logic"));
    assert_eq!(message(&Do::default()), reserved("do"));
    assert_eq!(message(&Bind::default()), reserved("bind"));
    assert_eq!(message(&Register::default()), reserved("register"));
    assert_eq!(message(&Typed::default()), reserved("type"));
    assert_eq!(message(&AlwaysFf::default()), reserved("always_ff"));
    assert_eq!(message(&Instance::default()), reserved("program"));
}

#[test]
fn raw_identifiers_are_words_like_others() {
    let design = super::emitted(&Matched::default());
    assert!(design.unwrap().text().contains("    input  wire match\n"));
}

#[test]
fn a_name_beyond_ascii() {
    assert_eq!(
        message(&Letters::default()),
        "top: name `größe`, which Verilog does not take, is not supported"
    );
}

#[test]
fn a_module_name_that_is_none() {
    let options = Options {
        prefix: "9 lives".into(),
        ..super::options()
    };
    assert_eq!(
        emit(&Matched::default(), &options).unwrap_err().to_string(),
        "top: module name `9 lives_top`, which Verilog does not take, is not supported"
    );
}

#[derive(LogicInterface, Default)]
struct Always {
    pub ff: Signal<In, Bit>,
}

/// An interface and its field, each with a harmless name.
#[derive(LogicBlock, Default)]
struct AlwaysFf {
    pub always: Always,
}

impl Logic for AlwaysFf {
    fn update(&mut self) {}
}

/// A child with the name of a keyword.
#[derive(LogicBlock, Default)]
struct Instance {
    program: Matched,
}

impl Logic for Instance {
    #[hdl_gen]
    fn update(&mut self) {
        self.program.r#match.next = true;
    }
}

#[derive(LogicInterface, Default)]
struct Bus {
    pub b: Signal<In, Bit>,
}

#[derive(LogicBlock, Default)]
struct Flattened {
    pub a: Bus,
    pub a_b: Signal<In, Bit>,
}

impl Logic for Flattened {
    fn update(&mut self) {}
}

#[derive(LogicBlock, Default)]
struct NextState {
    pub clk: Signal<In, Clock>,
    pub held_next: Signal<In, Bit>,
    held: DFF<Bit>,
}

impl Logic for NextState {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, held);
    }
}

named!(Unused, unused);

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Phase {
    OnHold,
    On,
}

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum PhaseOn {
    First,
    Hold,
}

/// Two values that would both be `PHASE_ON_HOLD`.
#[derive(LogicBlock, Default)]
struct Enumerations {
    pub one: Signal<Out, Phase>,
    pub other: Signal<Out, PhaseOn>,
}

impl Logic for Enumerations {
    #[hdl_gen]
    fn update(&mut self) {
        self.one.next = Phase::On;
        self.other.next = PhaseOn::Hold;
    }
}

mod elsewhere {
    use rust_hdl::prelude::*;

    #[derive(Copy, Clone, PartialEq, Debug, LogicState)]
    pub enum Phase {
        On,
        OnHold,
    }
}

/// A kernel would say `Phase::On` of either.
#[derive(LogicBlock, Default)]
struct SameName {
    pub one: Signal<Out, Phase>,
    pub other: Signal<Out, elsewhere::Phase>,
}

impl Logic for SameName {
    #[hdl_gen]
    fn update(&mut self) {
        self.one.next = Phase::On;
        self.other.next = elsewhere::Phase::OnHold;
    }
}

#[test]
fn two_things_of_one_name() {
    let collision = |name: &str| format!("top: two things would both be named `{name}` in Verilog; rename one");
    assert_eq!(message(&Flattened::default()), collision("a_b"));
    assert_eq!(message(&NextState::default()), collision("held_next"));
    assert_eq!(message(&Unused::default()), collision("unused"));
    assert_eq!(message(&Enumerations::default()), collision("PHASE_ON_HOLD"));
    assert_eq!(message(&SameName::default()), collision("Phase::OnHold"));
}

#[derive(LogicBlock, Default)]
struct LoopVariable {
    pub count: Signal<In, Bits<4>>,
    pub y: Signal<Out, Bits<4>>,
}

impl Logic for LoopVariable {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = bits::<4>(0);
        for count in 0..4 {
            if self.count.val().get_bit(count) {
                self.y.next = self.count.val();
            }
        }
    }
}

#[test]
fn a_loop_variable_that_hides_a_signal() {
    assert_eq!(
        message(&LoopVariable::default()),
        "top: loop variable `count` beside a signal `count` is not supported"
    );
}
