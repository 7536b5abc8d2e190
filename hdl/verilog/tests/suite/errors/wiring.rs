//! Signals that are not driven, not always driven, or driven by themselves.

use super::{error, message};
use crate::blocks::{Job, Step};
use portico_verilog::Error;
use rust_hdl::prelude::*;

/// A child: combinational from `a` to `y`.
#[derive(LogicBlock, Default)]
struct Inverter {
    pub a: Signal<In, Bits<4>>,
    pub y: Signal<Out, Bits<4>>,
}

impl Logic for Inverter {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = !self.a.val();
    }
}

#[derive(LogicBlock, Default)]
struct OpenInput {
    pub y: Signal<Out, Bits<4>>,
    inverter: [Inverter; 2],
}

impl Logic for OpenInput {
    #[hdl_gen]
    fn update(&mut self) {
        self.inverter[0].a.next = bits::<4>(3);
        self.y.next = self.inverter[0].y.val() ^ self.inverter[1].y.val();
    }
}

#[derive(LogicBlock, Default)]
struct Deep {
    pub y: Signal<Out, Bits<4>>,
    lane: [OpenInput; 1],
}

impl Logic for Deep {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.lane[0].y.val();
    }
}

/// Leaves a field of a record open.
#[derive(LogicBlock, Default)]
struct OpenField {
    pub job: Signal<Out, Job>,
}

impl Logic for OpenField {
    #[hdl_gen]
    fn update(&mut self) {
        self.job.next.owner = bits::<4>(3);
        self.job.next.quiet = true;
    }
}

/// Gives a field of a record a value on one path.
#[derive(LogicBlock, Default)]
struct FieldOnOnePath {
    pub sends: Signal<In, Bit>,
    pub job: Signal<Out, Job>,
}

impl Logic for FieldOnOnePath {
    #[hdl_gen]
    fn update(&mut self) {
        self.job.next.owner = bits::<4>(3);
        self.job.next.quiet = true;
        if self.sends.val() {
            self.job.next.step = Step::Send;
        }
    }
}

#[test]
fn an_open_field_of_a_record() {
    let expected = "top: `job` keeps its old value on some path, which makes a latch; give it a default first";
    assert_eq!(message(&OpenField::default()), expected);
    assert_eq!(message(&FieldOnOnePath::default()), expected);
}

#[test]
fn an_open_input_of_a_child() {
    assert_eq!(message(&OpenInput::default()), "top: `inverter[1].a` is never driven");
    assert_eq!(
        message(&Deep::default()),
        "top.lane[0]: `inverter[1].a` is never driven"
    );
    let expected = Error::Undriven {
        block: "top".into(),
        signal: "inverter[1].a".into(),
    };
    assert_eq!(error(&OpenInput::default()), expected);
}

#[derive(LogicBlock, Default)]
struct UndrivenOutput {
    pub a: Signal<In, Bit>,
    pub y: Signal<Out, Bit>,
    pub z: Signal<Out, Bit>,
}

impl Logic for UndrivenOutput {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val();
    }
}

/// A block without a kernel.
#[derive(LogicBlock, Default)]
struct Hollow {
    pub y: Signal<Out, Bit>,
}

impl Logic for Hollow {
    fn update(&mut self) {}
}

#[test]
fn an_undriven_output() {
    assert_eq!(message(&UndrivenOutput::default()), "top: `z` is never driven");
    assert_eq!(message(&Hollow::default()), "top: `y` is never driven");
}

#[derive(LogicBlock, Default)]
struct NoSetup {
    pub clk: Signal<In, Clock>,
    pub y: Signal<Out, Bit>,
    held: DFF<Bit>,
}

impl Logic for NoSetup {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.held.q.val();
    }
}

#[derive(LogicBlock, Default)]
struct NoNextState {
    pub clk: Signal<In, Clock>,
    pub y: Signal<Out, Bit>,
    held: DFF<Bit>,
}

impl Logic for NoNextState {
    #[hdl_gen]
    fn update(&mut self) {
        self.held.clock.next = self.clk.val();
        self.y.next = self.held.q.val();
    }
}

#[test]
fn a_register_that_is_not_set_up() {
    assert_eq!(
        message(&NoSetup::default()),
        "top: clock of `held` must be one clock signal, connected once and unconditionally"
    );
    assert_eq!(message(&NoNextState::default()), "top: `held.d` is never driven");
}

#[derive(LogicBlock, Default)]
struct GatedClock {
    pub clk: Signal<In, Clock>,
    pub enable: Signal<In, Bit>,
    pub y: Signal<Out, Bit>,
    clock: DFF<Bit>,
}

impl Logic for GatedClock {
    #[hdl_gen]
    fn update(&mut self) {
        if self.enable.val() {
            self.clock.clock.next = self.clk.val();
        }
        self.clock.d.next = !self.clock.q.val();
        self.y.next = self.clock.q.val();
    }
}

#[derive(LogicBlock, Default)]
struct TwoClocks {
    pub clk: Signal<In, Clock>,
    pub other: Signal<In, Clock>,
    pub y: Signal<Out, Bit>,
    held: DFF<Bit>,
}

impl Logic for TwoClocks {
    #[hdl_gen]
    fn update(&mut self) {
        self.held.clock.next = self.clk.val();
        self.held.clock.next = self.other.val();
        self.held.d.next = !self.held.q.val();
        self.y.next = self.held.q.val();
    }
}

#[test]
fn a_clock_that_is_gated_or_chosen() {
    assert_eq!(
        message(&GatedClock::default()),
        "top: clock of `clock` must be one clock signal, connected once and unconditionally"
    );
    assert_eq!(
        message(&TwoClocks::default()),
        "top: clock of `held` must be one clock signal, connected once and unconditionally"
    );
}

#[derive(LogicBlock, Default)]
struct LatchInIf {
    pub a: Signal<In, Bit>,
    pub y: Signal<Out, Bit>,
}

impl Logic for LatchInIf {
    #[hdl_gen]
    fn update(&mut self) {
        if self.a.val() {
            self.y.next = true;
        }
    }
}

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Turn {
    Left,
    Right,
}

#[derive(LogicBlock, Default)]
struct LatchInMatch {
    pub turn: Signal<In, Turn>,
    pub turned: Signal<Out, Turn>,
    pub y: Signal<Out, Bit>,
    inverter: Inverter,
}

impl Logic for LatchInMatch {
    #[hdl_gen]
    fn update(&mut self) {
        self.turned.next = Turn::Right;
        self.y.next = self.inverter.y.val().any();
        match self.turn.val() {
            Turn::Left => self.inverter.a.next = bits::<4>(1),
            Turn::Right => self.y.next = false,
        }
    }
}

#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
struct Pair {
    low: Bits<4>,
    high: Bits<4>,
}

#[derive(LogicBlock, Default)]
struct LatchInPart {
    pub a: Signal<In, Bits<4>>,
    pub y: Signal<Out, Pair>,
}

impl Logic for LatchInPart {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next.low = self.a.val();
    }
}

#[test]
fn a_latch() {
    let latch = |signal: &str| {
        format!("top: `{signal}` keeps its old value on some path, which makes a latch; give it a default first")
    };
    assert_eq!(message(&LatchInIf::default()), latch("y"));
    assert_eq!(message(&LatchInMatch::default()), latch("inverter.a"));
    assert_eq!(message(&LatchInPart::default()), latch("y"));
}

#[derive(LogicBlock, Default)]
struct EarlyRead {
    pub a: Signal<In, Bits<4>>,
    pub y: Signal<Out, Bits<4>>,
    sum: Signal<Local, Bits<4>>,
}

impl Logic for EarlyRead {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.sum.val();
        self.sum.next = self.a.val() + 1;
    }
}

#[derive(LogicBlock, Default)]
struct HalfWrittenRead {
    pub a: Signal<In, Bits<4>>,
    pub y: Signal<Out, Bit>,
    pair: Signal<Local, Pair>,
}

impl Logic for HalfWrittenRead {
    #[hdl_gen]
    fn update(&mut self) {
        self.pair.next.low = self.a.val();
        self.y.next = self.pair.val().high.any();
        self.pair.next.high = self.a.val();
    }
}

#[test]
fn a_read_before_the_write() {
    assert_eq!(
        message(&EarlyRead::default()),
        "top: `sum` is read before it is written"
    );
    assert_eq!(
        message(&HalfWrittenRead::default()),
        "top: `pair` is read before it is written"
    );
}

#[derive(LogicBlock, Default)]
struct ReadsSink {
    pub y: Signal<Out, Bits<4>>,
    inverter: Inverter,
}

impl Logic for ReadsSink {
    #[hdl_gen]
    fn update(&mut self) {
        self.inverter.a.next = bits::<4>(1);
        self.y.next = self.inverter.a.val();
    }
}

#[derive(LogicBlock, Default)]
struct ReadsNextState {
    pub clk: Signal<In, Clock>,
    pub y: Signal<Out, Bit>,
    held: DFF<Bit>,
}

impl Logic for ReadsNextState {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, held);
        if self.held.q.val() {
            self.held.d.next = !self.held.d.val();
        }
        self.y.next = self.held.q.val();
    }
}

#[test]
fn a_read_of_what_is_driven_here() {
    assert_eq!(
        message(&ReadsSink::default()),
        "top: `inverter.a` is an input of a child or of a register, and cannot be read; read what drives it"
    );
    assert_eq!(
        message(&ReadsNextState::default()),
        "top: combinational loop: held.d -> held.d"
    );
}

#[derive(LogicBlock, Default)]
struct WritesInput {
    pub a: Signal<In, Bits<4>>,
}

impl Logic for WritesInput {
    #[hdl_gen]
    fn update(&mut self) {
        self.a.next = bits::<4>(1);
    }
}

#[derive(LogicBlock, Default)]
struct WritesSource {
    pub a: Signal<In, Bits<4>>,
    inverter: Inverter,
}

impl Logic for WritesSource {
    #[hdl_gen]
    fn update(&mut self) {
        self.inverter.a.next = self.a.val();
        self.inverter.y.next = self.a.val();
    }
}

#[test]
fn a_write_to_what_others_drive() {
    assert_eq!(message(&WritesInput::default()), "top: `a` cannot be written here");
    assert_eq!(
        message(&WritesSource::default()),
        "top: `inverter.y` cannot be written here"
    );
}

#[derive(LogicBlock, Default)]
struct Ring {
    pub a: Signal<In, Bits<4>>,
    pub y: Signal<Out, Bits<4>>,
    first: Inverter,
    second: Inverter,
    mixed: Signal<Local, Bits<4>>,
}

impl Logic for Ring {
    #[hdl_gen]
    fn update(&mut self) {
        self.mixed.next = self.second.y.val() & self.a.val();
        self.first.a.next = self.mixed.val();
        self.second.a.next = self.first.y.val();
        self.y.next = self.first.y.val();
    }
}

#[test]
fn a_combinational_loop_through_two_children() {
    assert_eq!(
        message(&Ring::default()),
        "top: combinational loop: first.a -> first.y -> second.a -> second.y -> first.a"
    );
}
