use super::Instruction;
use portico_spec::ni::{packet::ERROR_WIDTH, ErrorCode};
use portico_verilog::prelude::*;

/// What is wrong with an instruction where it stands.
///
/// Says the error of the greatest weight.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
///
/// What fails with a packet open fails again once that is closed, which on the control plane is an end: so the error of an
/// ended transfer gives way to the others.
#[derive(LogicBlock, Default)]
pub struct InstructionFault {
    /// The current instruction, decoded.
    pub instruction: Signal<In, Instruction>,
    /// The place is beyond the program memory, or the loops are wrong.
    pub lost: Signal<In, Bit>,
    /// The context is the server's.
    pub server: Signal<In, Bit>,
    /// The transfer of the context has ended.
    pub ended: Signal<In, Bit>,
    /// The instruction would send payload.
    pub has_payload: Signal<In, Bit>,
    /// The instruction would end the transfer.
    pub ending: Signal<In, Bit>,
    /// As the cutter says: the chunk ends beyond the memory that the context may read.
    pub out_of_memory: Signal<In, Bit>,
    /// As the cutter says: the chunk ends beyond the remote segment.
    pub out_of_segment: Signal<In, Bit>,
    /// An error code, 0 for none.
    pub fault: Signal<Out, Bits<ERROR_WIDTH>>,
}

#[kernel]
impl Logic for InstructionFault {
    fn update(&mut self) {
        self.fault.next = 0.into();
        if self.ended.val() & (self.has_payload.val() | self.ending.val()) {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::Ended as u64);
        }
        if self.has_payload.val() & self.out_of_segment.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfSegment as u64);
        }
        if self.has_payload.val() & self.out_of_memory.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfMemory as u64);
            if self.server.val() {
                self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfWindow as u64);
            }
        }
        if self.instruction.val().unknown | self.lost.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownInstruction as u64);
        }
    }
}
