use super::{
    gatherer::{BurstIn, BEATS_WIDTH},
    PageTable,
};
use crate::bus::SweepIn;
use crate::{bus::RegisterWriteIn, prim::Fifo};
use portico_spec::ni::{
    packet::OFFSET_WIDTH,
    page::{PAGE_OFFSET_WIDTH, PAGE_WIDTH},
};
use portico_verilog::prelude::*;

/// Bursts that wait.
pub const BURSTS: usize = 1 << BURSTS_WIDTH;
/// Bits of a place for a burst.
pub const BURSTS_WIDTH: usize = 4;
/// Width of a count up to [`BURSTS`].
pub const COUNT_WIDTH: usize = BURSTS_WIDTH + 1;
/// A burst's words above its address.
const ENTRY_WIDTH: usize = OFFSET_WIDTH + BEATS_WIDTH;

/// An address channel of AXI4: bursts wait their turn and get their addresses in external memory.
///
/// Either address channel, with addresses of `A` bits for words of `W`. At most 16 bursts may wait; the block that gives bursts
/// must keep to this limit.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from a burst to its address on the channel |
/// | throughput | one burst a cycle |
/// | timing | the channel comes straight from flip-flops |
/// | state | 16 bursts in LUT-RAM, one on the channel, a [`PageTable`] |
#[derive(LogicBlock, Default)]
pub struct AddressChannel<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no burst waits afterwards.
    pub rst: Signal<In, Bit>,
    /// Page bases, see [`PageTable`](super::PageTable).
    pub registers: RegisterWriteIn,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// Bursts that begin to wait, in word addresses of the node.
    pub burst: BurstIn,
    /// Byte address of the first word of a burst, in external memory.
    pub addr: Signal<Out, Bits<A>>,
    /// Words of the burst less one.
    pub len: Signal<Out, Bits<8>>,
    /// The address of a burst is offered, and stays until it is taken.
    pub valid: Signal<Out, Bit>,
    /// The address of a burst is taken.
    pub ready: Signal<In, Bit>,
    bursts: Fifo<ENTRY_WIDTH, BURSTS_WIDTH>,
    pages: PageTable<W, A>,
    offered: DFF<Bit>,
    address: DFF<Bits<A>>,
    beats: DFF<Bits<BEATS_WIDTH>>,
    free: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize, const A: usize> Logic for AddressChannel<W, A> {
    fn update(&mut self) {
        wire!(self => bursts: clk, rst);
        wire!(self => pages: clk);
        dff_setup!(self, clk, offered, address, beats);
        self.bursts.s_axis.tvalid.next = self.burst.valid.val();
        self.bursts.s_axis.tlast.next = true;
        self.bursts.s_axis.tdata.next = bit_cast::<ENTRY_WIDTH, OFFSET_WIDTH>(self.burst.address.val())
            | field::<ENTRY_WIDTH, BEATS_WIDTH>(self.burst.beats.val(), OFFSET_WIDTH);
        self.free.next = self.ready.val() | !self.offered.q.val();
        self.bursts.m_axis.tready.next = self.free.val();

        wire!(self <=> pages: registers, sweep);
        self.pages.page.next = self.bursts.m_axis.tdata.val().get_bits::<PAGE_WIDTH>(PAGE_OFFSET_WIDTH);

        if self.free.val() {
            self.offered.d.next = self.bursts.m_axis.tvalid.val();
            self.address.d.next = self.pages.base.val()
                + (bit_cast::<A, PAGE_OFFSET_WIDTH>(self.bursts.m_axis.tdata.val().get_bits::<PAGE_OFFSET_WIDTH>(0))
                    << bits::<2>(((W / 8).ilog2()) as u64));
            self.beats.d.next = self.bursts.m_axis.tdata.val().get_bits::<BEATS_WIDTH>(OFFSET_WIDTH);
        }
        self.valid.next = self.offered.q.val();
        self.addr.next = self.address.q.val();
        self.len.next = bit_cast::<8, BEATS_WIDTH>(self.beats.q.val());
        if self.rst.val() {
            self.offered.d.next = false;
        }
    }
}
