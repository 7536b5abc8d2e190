use portico_spec::ni::{instruction::COUNT_WIDTH, packet::OFFSET_WIDTH};
use portico_verilog::prelude::*;

/// The packet under construction.
///
/// There is one at most, of the context that runs.
///
/// | | |
/// | --- | --- |
/// | latency | combinational to the header of the packet with this cycle's chunk in it |
/// | throughput | one chunk a cycle, one header a cycle |
/// | state | one packet: offset, words, and how its rows lie |
#[derive(LogicBlock, Default)]
pub struct Packet {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no packet is open.
    pub rst: Signal<In, Bit>,
    /// A chunk of `words` words is to go into the packet, whether or not it can in this cycle.
    pub wanted: Signal<In, Bit>,
    /// The chunk goes into the packet in this cycle.
    pub push: Signal<In, Bit>,
    /// Words of the chunk.
    pub words: Signal<In, Bits<COUNT_WIDTH>>,
    /// Its remote offset.
    pub remote: Signal<In, Bits<OFFSET_WIDTH>>,
    /// It is a whole row.
    pub whole: Signal<In, Bit>,
    /// What follows it lies elsewhere.
    pub jumps: Signal<In, Bit>,
    /// The packet closes, with this cycle's chunk if there is one.
    pub close: Signal<In, Bit>,
    /// A packet is open.
    pub is_open: Signal<Out, Bit>,
    /// Words in the open packet before this cycle.
    pub filled: Signal<Out, Bits<COUNT_WIDTH>>,
    /// The open packet is one of whole rows, or takes no more.
    pub rows: Signal<Out, Bit>,
    /// For the header: remote offset of the packet; without an open one that of this cycle's chunk.
    pub offset: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// For the header: words of payload, with what this cycle wants to add.
    pub total: Signal<Out, Bits<COUNT_WIDTH>>,
    /// It has more than one row.
    pub strided: Signal<Out, Bit>,
    open: DFF<Bit>,
    begin_offset: DFF<Bits<OFFSET_WIDTH>>,
    count: DFF<Bits<COUNT_WIDTH>>,
    several: DFF<Bit>,
    gaps: DFF<Bit>,
    at: Signal<Local, Bits<OFFSET_WIDTH>>,
    so_far: Signal<Local, Bits<COUNT_WIDTH>>,
    sum: Signal<Local, Bits<COUNT_WIDTH>>,
    is_strided: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Packet {
    fn update(&mut self) {
        dff_setup!(self, clk, open, begin_offset, count, several, gaps);
        self.is_open.next = self.open.q.val();
        self.filled.next = self.count.q.val();
        self.rows.next = self.gaps.q.val();

        self.at.next = self.remote.val();
        self.so_far.next = 0.into();
        if self.open.q.val() {
            self.at.next = self.begin_offset.q.val();
            self.so_far.next = self.count.q.val();
        }
        self.sum.next = self.so_far.val();
        if self.wanted.val() {
            self.sum.next = self.so_far.val() + self.words.val();
        }
        self.is_strided.next = self.open.q.val() & (self.several.q.val() | (self.wanted.val() & self.whole.val()));
        self.offset.next = self.at.val();
        self.total.next = self.sum.val();
        self.strided.next = self.is_strided.val();

        if self.push.val() {
            self.open.d.next = true;
            self.begin_offset.d.next = self.at.val();
            self.count.d.next = self.sum.val();
            self.several.d.next = self.is_strided.val();
            self.gaps.d.next = self.whole.val() | self.jumps.val();
        }
        if self.close.val() {
            self.open.d.next = false;
        }
        if self.rst.val() {
            self.open.d.next = false;
        }
    }
}
