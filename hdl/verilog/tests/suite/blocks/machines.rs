//! State: registers with a reset, and a machine with named states.

use rust_hdl::prelude::*;

/// A counter with enable: a register with reset, and a default that a condition overrides.
#[derive(LogicBlock, Default)]
pub struct Counter {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub count: Signal<Out, Bits<8>>,
    pub wraps: Signal<Out, Bit>,
    value: DFF<Bits<8>>,
}

impl Logic for Counter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, value);
        self.count.next = self.value.q.val();
        self.wraps.next = self.enable.val() & self.value.q.val().all();
        if self.enable.val() {
            self.value.d.next = self.value.q.val() + 1;
        }
        if self.rst.val() {
            self.value.d.next = 0.into();
        }
    }
}

/// States of [`Lights`].
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Phase {
    Red,
    Green,
    Amber,
}

/// A state machine: an enumeration of three values in two bits, matched without a default.
#[derive(LogicBlock, Default)]
pub struct Lights {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub stop: Signal<Out, Bit>,
    phase: DFF<Phase>,
}

impl Logic for Lights {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, phase);
        self.stop.next = true;
        match self.phase.q.val() {
            Phase::Red => self.phase.d.next = Phase::Green,
            Phase::Green => {
                self.stop.next = false;
                self.phase.d.next = Phase::Amber;
            }
            Phase::Amber => self.phase.d.next = Phase::Red,
        }
        if self.rst.val() {
            self.phase.d.next = Phase::Red;
        }
    }
}
