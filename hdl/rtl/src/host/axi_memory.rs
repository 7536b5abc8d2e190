//! A node's memory that is external: AXI4 in bursts.
//!
//! | | |
//! | --- | --- |
//! | latency | a lone read: 3 cycles to the address channel, and 1 from the data channel; a lone write: 6 cycles to the address channel, or 3 if a read waits |
//! | throughput | one word written and one read a cycle; bursts of up to 16 words |
//! | under way | up to 16 bursts of writes and 16 of reads |
//! | order | a read sees every write taken before it; reads answer in order |
//! | state | [`AxiWrites`], [`AxiReads`], [`Turns`] |
//!
//! Reads wait while a write is not answered, and let the open burst of writes go at once. There are no identifiers: all
//! is in order anyway. A reset must reset the memory too, if something is under way.

use super::{AxiOut, AxiReads, AxiWrites, Turns};
use crate::ni::ports::{MemoryReadIn, MemoryWriteIn, RegisterWriteIn};
use portico_spec::flit::NODE_WIDTH;
use rust_hdl::prelude::*;

/// Burst type of ascending addresses.
const INCREMENTING: u64 = 1;
/// Normal memory, not cached, and free to be merged and buffered: its writes are seen by reads once they are answered.
const NORMAL_BUFFERABLE: u64 = 3;

/// External memory in words of `W` bits, `B` bytes.
#[derive(LogicBlock)]
pub struct AxiMemory<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: what is under way is forgotten, see above.
    pub rst: Signal<In, Bit>,
    /// Page bases, see [`PageTable`](super::PageTable).
    pub registers: RegisterWriteIn,
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    pub memory_write: MemoryWriteIn<W, B>,
    /// 0 has the first turn.
    pub memory_read: [MemoryReadIn<W>; 2],
    /// High for a cycle for each response of a write, and each beat of a read, with an error.
    pub fault: Signal<Out, Bit>,
    pub m_axi: AxiOut<W, B>,
    writes: AxiWrites<W, B>,
    reads: AxiReads<W>,
    turns: Turns,
    read_fault: Signal<Local, Bit>,
    answered: Signal<Local, Bit>,
    size: Constant<Bits<3>>,
    incrementing: Constant<Bits<2>>,
    normal_bufferable: Constant<Bits<4>>,
}

impl<const W: usize, const B: usize> Default for AxiMemory<W, B> {
    /// Panics unless W is 32 or 64, and 8 B.
    fn default() -> Self {
        assert!(
            matches!(W, 32 | 64) && W == 8 * B,
            "AXI4 memory: words of {W} bits in {B} bytes, allowed: 32 in 4 or 64 in 8"
        );
        Self {
            clk: Default::default(),
            rst: Default::default(),
            registers: Default::default(),
            initialising: Default::default(),
            sweep: Default::default(),
            memory_write: Default::default(),
            memory_read: Default::default(),
            fault: Default::default(),
            m_axi: Default::default(),
            writes: Default::default(),
            reads: Default::default(),
            turns: Default::default(),
            read_fault: Default::default(),
            answered: Default::default(),
            size: Constant::new(bits(u64::from(B.ilog2()))),
            incrementing: Constant::new(bits(INCREMENTING)),
            normal_bufferable: Constant::new(bits(NORMAL_BUFFERABLE)),
        }
    }
}

impl<const W: usize, const B: usize> Logic for AxiMemory<W, B> {
    #[hdl_gen]
    fn update(&mut self) {
        // The upper half of the responses are errors. One pulse cannot tell two: a response of a write waits.
        self.read_fault.next = self.m_axi.rvalid.val() & self.m_axi.rresp.val().get_bit(1);
        self.answered.next = self.m_axi.bvalid.val() & !self.read_fault.val();
        self.fault.next = self.read_fault.val() | (self.answered.val() & self.m_axi.bresp.val().get_bit(1));
        self.m_axi.bready.next = !self.read_fault.val();
        self.m_axi.rready.next = true;

        self.turns.clk.next = self.clk.val();
        self.turns.rst.next = self.rst.val();
        self.turns.is_quiet.next = self.writes.is_quiet.val();
        self.turns.asked.next = self.reads.asked.val();
        self.turns.taken.next = self.reads.taken.val();

        self.writes.clk.next = self.clk.val();
        self.writes.rst.next = self.rst.val();
        RegisterWriteIn::link(&mut self.registers, &mut self.writes.registers);
        self.writes.initialising.next = self.initialising.val();
        self.writes.sweep.next = self.sweep.val();
        MemoryWriteIn::<W, B>::link(&mut self.memory_write, &mut self.writes.memory_write);
        self.writes.hold.next = self.turns.hold.val();
        self.writes.flush.next = self.reads.asked.val();
        self.writes.answered.next = self.answered.val();
        self.m_axi.awid.next = 0.into();
        self.m_axi.awaddr.next = self.writes.awaddr.val();
        self.m_axi.awlen.next = self.writes.awlen.val();
        self.m_axi.awsize.next = self.size.val();
        self.m_axi.awburst.next = self.incrementing.val();
        self.m_axi.awlock.next = false;
        self.m_axi.awcache.next = self.normal_bufferable.val();
        self.m_axi.awprot.next = 0.into();
        self.m_axi.awqos.next = 0.into();
        self.m_axi.awvalid.next = self.writes.awvalid.val();
        self.writes.awready.next = self.m_axi.awready.val();
        self.m_axi.wdata.next = self.writes.wdata.val();
        self.m_axi.wstrb.next = self.writes.wstrb.val();
        self.m_axi.wlast.next = self.writes.wlast.val();
        self.m_axi.wvalid.next = self.writes.wvalid.val();
        self.writes.wready.next = self.m_axi.wready.val();

        self.reads.clk.next = self.clk.val();
        self.reads.rst.next = self.rst.val();
        RegisterWriteIn::link(&mut self.registers, &mut self.reads.registers);
        self.reads.initialising.next = self.initialising.val();
        self.reads.sweep.next = self.sweep.val();
        MemoryReadIn::<W>::link(&mut self.memory_read[0], &mut self.reads.memory_read[0]);
        MemoryReadIn::<W>::link(&mut self.memory_read[1], &mut self.reads.memory_read[1]);
        self.reads.enable.next = self.writes.is_quiet.val();
        self.m_axi.arid.next = 0.into();
        self.m_axi.araddr.next = self.reads.araddr.val();
        self.m_axi.arlen.next = self.reads.arlen.val();
        self.m_axi.arsize.next = self.size.val();
        self.m_axi.arburst.next = self.incrementing.val();
        self.m_axi.arlock.next = false;
        self.m_axi.arcache.next = self.normal_bufferable.val();
        self.m_axi.arprot.next = 0.into();
        self.m_axi.arqos.next = 0.into();
        self.m_axi.arvalid.next = self.reads.arvalid.val();
        self.reads.arready.next = self.m_axi.arready.val();
        self.reads.rdata.next = self.m_axi.rdata.val();
        self.reads.rlast.next = self.m_axi.rlast.val();
        self.reads.rvalid.next = self.m_axi.rvalid.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::emitted;

    #[test]
    fn emission() {
        emitted("axi-memory", &AxiMemory::<32, 4>::default());
        emitted("axi-memory", &AxiMemory::<64, 8>::default());
    }
}
