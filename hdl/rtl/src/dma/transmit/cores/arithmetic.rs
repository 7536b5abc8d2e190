//! The arithmetic of the micro-cores: operand b, sums, swapped halves.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | state | none |

use super::Instruction;
use portico_spec::ni::instruction::{Mode, MODE_WIDTH};
use rust_hdl::prelude::*;

/// Works on the registers a and b of an instruction.
#[derive(LogicBlock)]
pub struct Arithmetic {
    pub instruction: Signal<In, Instruction>,
    pub a: Signal<In, Bits<32>>,
    pub b: Signal<In, Bits<32>>,
    /// Operand b.
    pub operand: Signal<Out, Bits<32>>,
    /// What goes back into register a: operand b for SET, the sum otherwise.
    pub result: Signal<Out, Bits<32>>,
    /// Register a as payload.
    pub literal: Signal<Out, Bits<32>>,
    chosen: Signal<Local, Bits<32>>,
    low: Constant<Bits<MODE_WIDTH>>,
    high: Constant<Bits<MODE_WIDTH>>,
    immediate: Constant<Bits<MODE_WIDTH>>,
    half: Constant<Bits<6>>,
}

impl Default for Arithmetic {
    fn default() -> Self {
        Self {
            instruction: Default::default(),
            a: Default::default(),
            b: Default::default(),
            operand: Default::default(),
            result: Default::default(),
            literal: Default::default(),
            chosen: Default::default(),
            low: Constant::new(bits(Mode::Low as u64)),
            high: Constant::new(bits(Mode::High as u64)),
            immediate: Constant::new(bits(Mode::Immediate as u64)),
            half: Constant::new(bits(16)),
        }
    }
}

impl Logic for Arithmetic {
    #[hdl_gen]
    fn update(&mut self) {
        self.chosen.next = self.b.val();
        if self.instruction.val().mode == self.low.val() {
            self.chosen.next = bit_cast::<32, 16>(self.b.val().get_bits::<16>(0));
        }
        if self.instruction.val().mode == self.high.val() {
            self.chosen.next = self.b.val() >> self.half.val();
        }
        if self.instruction.val().mode == self.immediate.val() {
            self.chosen.next = self.instruction.val().immediate;
        }
        self.operand.next = self.chosen.val();
        self.result.next = self.a.val() + self.chosen.val();
        if self.instruction.val().set {
            self.result.next = self.chosen.val();
        }
        self.literal.next = self.a.val();
        if self.instruction.val().swap {
            self.literal.next = (self.a.val() << self.half.val()) | (self.a.val() >> self.half.val());
        }
    }
}
