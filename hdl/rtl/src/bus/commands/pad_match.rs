use portico_spec::ni::command::{OPCODE_OFFSET, OPCODE_WIDTH, PAD};
use portico_verilog::prelude::*;

/// Recognises a pad: a first word with the opcode [`PAD`] that is not the last one. The word behind it is a first word again.
///
/// Words of descriptors.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct PadMatch {
    /// The word.
    pub word: Signal<In, Bits<32>>,
    /// It is the first of a descriptor.
    pub first: Signal<In, Bit>,
    /// It is the last of a descriptor.
    pub last: Signal<In, Bit>,
    /// It is a pad.
    pub is_pad: Signal<Out, Bit>,
}

#[kernel]
impl Logic for PadMatch {
    fn update(&mut self) {
        self.is_pad.next = self.first.val()
            & !self.last.val()
            & (self.word.val().get_bits::<OPCODE_WIDTH>(OPCODE_OFFSET) == bits::<OPCODE_WIDTH>(PAD as u64));
    }
}
