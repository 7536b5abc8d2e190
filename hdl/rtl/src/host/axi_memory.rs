use super::{AxiOut, AxiReads, AxiWrites, Turns};
use crate::bus::{MemoryReadIn, MemoryWriteIn, RegisterWriteIn, SweepIn};
use portico_verilog::prelude::*;

/// A node's memory that is external: AXI4 in bursts.
///
/// External memory in words of `W` bits, `B` bytes, with byte addresses of `A` bits, 32 or 64.
///
/// | | |
/// | --- | --- |
/// | latency | a lone read: 3 cycles to the address channel, and 1 from the data channel; a lone write: 6 cycles to the address channel, or 3 if a read waits |
/// | throughput | one word written and one read a cycle; bursts of up to 16 words |
/// | under way | up to 16 bursts of writes and 16 of reads |
/// | order | a read sees every write taken before it; reads answer in order |
/// | state | [`AxiWrites`], [`AxiReads`], [`Turns`] |
///
/// Reads wait until all writes are answered; a waiting read sends the open burst of writes at once. All bursts have one
/// identifier, so they stay in order. If something is under way, a reset must reset the memory too: otherwise late answers count
/// for new bursts, and reads get wrong words. A memory that breaks the protocol is reported and hangs nothing: see [`AxiReads`].
/// A response without a waiting write is dropped.
#[derive(LogicBlock, Default)]
pub struct AxiMemory<const W: usize, const B: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: drops the bursts under way, see above.
    pub rst: Signal<In, Bit>,
    /// Page bases, see [`PageTable`](super::PageTable).
    pub registers: RegisterWriteIn,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// Writes of the node, gathered into bursts.
    pub memory_write: MemoryWriteIn<W, B>,
    /// Reads of two clients; 0 has the first turn.
    pub memory_read: [MemoryReadIn<W>; 2],
    /// High for a cycle for each response of a write, and each beat of a read, with an error or out of place.
    pub fault: Signal<Out, Bit>,
    /// Bursts of writes and reads of external memory.
    pub m_axi: AxiOut<W, B, A>,
    writes: AxiWrites<W, B, A>,
    reads: AxiReads<W, A>,
    turns: Turns,
}

impl<const W: usize, const B: usize, const A: usize> AxiMemory<W, B, A> {
    /// The memory of a node whose words have `W` bits.
    pub fn new() -> Self {
        Self {
            writes: AxiWrites::new(),
            reads: AxiReads::new(),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize, const A: usize> Logic for AxiMemory<W, B, A> {
    fn update(&mut self) {
        wire!(self => turns, writes, reads: clk, rst);
        // One pulse reports one fault, so the response of a write waits.
        self.fault.next = self.reads.fault.val() | self.writes.fault.val();
        self.writes.hold_response.next = self.reads.fault.val();
        self.turns.is_quiet.next = self.writes.is_quiet.val();
        wire!(reads => turns: asked, taken);

        wire!(self <=> writes: registers, sweep, memory_write);
        wire!(turns => writes: hold);
        self.writes.flush.next = self.reads.asked.val();
        wire!(self.m_axi.write_ <=> writes.m_axi);

        wire!(self <=> reads: registers, sweep);
        wire!(self.memory_read[0] <=> reads.memory_read[0]);
        wire!(self.memory_read[1] <=> reads.memory_read[1]);
        self.reads.enable.next = self.writes.is_quiet.val();
        wire!(self.m_axi.read_ <=> reads.m_axi);
    }
}
