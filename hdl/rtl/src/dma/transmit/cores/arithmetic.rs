use super::Instruction;
use portico_spec::ni::instruction::{Mode, MODE_WIDTH};
use portico_verilog::prelude::*;

/// The arithmetic of the micro-cores: operand b, sums, swapped halves.
///
/// Works on the registers a and b of an instruction.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct Arithmetic {
    /// The current instruction, decoded.
    pub instruction: Signal<In, Instruction>,
    /// Register a of the instruction.
    pub a: Signal<In, Bits<32>>,
    /// Register b of the instruction.
    pub b: Signal<In, Bits<32>>,
    /// Operand b.
    pub operand: Signal<Out, Bits<32>>,
    /// What goes back into register a: operand b for SET, the sum otherwise.
    pub result: Signal<Out, Bits<32>>,
    /// Register a as payload.
    pub literal: Signal<Out, Bits<32>>,
    chosen: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for Arithmetic {
    fn update(&mut self) {
        self.chosen.next = self.b.val();
        if self.instruction.val().mode == bits::<MODE_WIDTH>(Mode::Low as u64) {
            self.chosen.next = bit_cast::<32, 16>(self.b.val().get_bits::<16>(0));
        }
        if self.instruction.val().mode == bits::<MODE_WIDTH>(Mode::High as u64) {
            self.chosen.next = self.b.val() >> bits::<6>(16);
        }
        if self.instruction.val().mode == bits::<MODE_WIDTH>(Mode::Immediate as u64) {
            self.chosen.next = self.instruction.val().immediate;
        }
        self.operand.next = self.chosen.val();
        self.result.next = self.a.val() + self.chosen.val();
        if self.instruction.val().set {
            self.result.next = self.chosen.val();
        }
        self.literal.next = self.a.val();
        if self.instruction.val().swap {
            self.literal.next = (self.a.val() << bits::<6>(16)) | (self.a.val() >> bits::<6>(16));
        }
    }
}
