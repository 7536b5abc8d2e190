use super::{AxiOut, AxiReads, AxiWrites, Turns};
use crate::bus::{MemoryReadIn, MemoryWriteIn, RegisterWriteIn, SweepIn};
use portico_verilog::prelude::*;

/// Burst type of ascending addresses.
const INCREMENTING: u64 = 1;
/// Normal memory that is not cached and may be merged and buffered: reads see a write once the write is answered.
const NORMAL_BUFFERABLE: u64 = 3;

/// A node's memory that is external: AXI4 in bursts.
///
/// External memory in words of `W` bits, `B` bytes.
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
pub struct AxiMemory<const W: usize, const B: usize> {
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
    pub m_axi: AxiOut<W, B>,
    writes: AxiWrites<W, B>,
    reads: AxiReads<W>,
    turns: Turns,
    read_fault: Signal<Local, Bit>,
    answered: Signal<Local, Bit>,
}

impl<const W: usize, const B: usize> AxiMemory<W, B> {
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
impl<const W: usize, const B: usize> Logic for AxiMemory<W, B> {
    fn update(&mut self) {
        wire!(self => turns, writes, reads: clk, rst);
        // The upper half of the responses are errors. One pulse reports one fault, so the response of a write waits.
        self.read_fault.next = (self.m_axi.rvalid.val() & self.reads.rready.val() & self.m_axi.rresp.val().get_bit(1))
            | self.reads.broken.val();
        self.answered.next = self.m_axi.bvalid.val() & !self.read_fault.val();
        self.fault.next = self.read_fault.val()
            | (self.answered.val() & (self.m_axi.bresp.val().get_bit(1) | self.writes.is_answered.val()));
        self.m_axi.bready.next = !self.read_fault.val();
        self.m_axi.rready.next = self.reads.rready.val();

        self.turns.is_quiet.next = self.writes.is_quiet.val();
        wire!(reads => turns: asked, taken);

        RegisterWriteIn::link(&mut self.registers, &mut self.writes.registers);
        SweepIn::link(&mut self.sweep, &mut self.writes.sweep);
        MemoryWriteIn::<W, B>::link(&mut self.memory_write, &mut self.writes.memory_write);
        self.writes.hold.next = self.turns.hold.val();
        self.writes.flush.next = self.reads.asked.val();
        self.writes.answered.next = self.answered.val();
        self.m_axi.awid.next = 0.into();
        wire!(writes => m_axi: awaddr, awlen);
        self.m_axi.awsize.next = bits::<3>((B.ilog2()) as u64);
        self.m_axi.awburst.next = bits::<2>(INCREMENTING);
        self.m_axi.awlock.next = false;
        self.m_axi.awcache.next = bits::<4>(NORMAL_BUFFERABLE);
        self.m_axi.awprot.next = 0.into();
        self.m_axi.awqos.next = 0.into();
        self.m_axi.awvalid.next = self.writes.awvalid.val();
        self.writes.awready.next = self.m_axi.awready.val();
        wire!(writes => m_axi: wdata, wstrb, wlast, wvalid);
        self.writes.wready.next = self.m_axi.wready.val();

        RegisterWriteIn::link(&mut self.registers, &mut self.reads.registers);
        SweepIn::link(&mut self.sweep, &mut self.reads.sweep);
        MemoryReadIn::<W>::link(&mut self.memory_read[0], &mut self.reads.memory_read[0]);
        MemoryReadIn::<W>::link(&mut self.memory_read[1], &mut self.reads.memory_read[1]);
        self.reads.enable.next = self.writes.is_quiet.val();
        self.m_axi.arid.next = 0.into();
        wire!(reads => m_axi: araddr, arlen);
        self.m_axi.arsize.next = bits::<3>((B.ilog2()) as u64);
        self.m_axi.arburst.next = bits::<2>(INCREMENTING);
        self.m_axi.arlock.next = false;
        self.m_axi.arcache.next = bits::<4>(NORMAL_BUFFERABLE);
        self.m_axi.arprot.next = 0.into();
        self.m_axi.arqos.next = 0.into();
        self.m_axi.arvalid.next = self.reads.arvalid.val();
        wire!(m_axi => reads: arready, rdata, rlast, rvalid);
    }
}
