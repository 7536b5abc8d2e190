use super::cursor::ORIGIN_WIDTH;
use portico_spec::ni::{
    instruction::COUNT_WIDTH,
    packet::{OFFSET_WIDTH, ROW_WIDTH, STRIDE_WIDTH},
};
use portico_verilog::prelude::*;

/// Wide enough for an end of a chunk on either side, without wrapping.
const END_WIDTH: usize = OFFSET_WIDTH + 2;
/// Bits of a local pointer that are added up; those above must be zero.
const POINTER_WIDTH: usize = OFFSET_WIDTH + 1;

/// Cuts rows into chunks: how much of a row goes into the packet, whether it may, and whether it stays inside.
///
/// The next chunk of the instruction.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle to the room, the begin of the chunk and `whole`; 2 to its words; 3 to the errors |
/// | throughput | one chunk in 3 cycles, in which the inputs must not change |
/// | state | registers after each of the three |
///
/// Rows that follow each other at the remote side fill packets up. Rows with gaps go whole, several a packet, if one fits
/// into a packet; a longer one goes in packets of its own. So a packet is either linear, or made of whole rows; what does
/// not join the open packet closes it first.
#[derive(LogicBlock, Default)]
pub struct Cutter {
    pub clk: Signal<In, Clock>,
    /// A chunk is to be cut. What bounds it may change afterwards, for the next one.
    pub cuts: Signal<In, Bit>,
    /// One word that is no row's.
    pub literal: Signal<In, Bit>,
    /// Local pointer to the row.
    pub pointer: Signal<In, Bits<32>>,
    /// Added to local pointers after the check against `limit`, in words.
    pub base: Signal<In, Bits<OFFSET_WIDTH>>,
    /// End of the local words that the context may read: no chunk ends beyond it.
    pub limit: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Remote offset of the row in words, or one beyond every segment.
    pub origin: Signal<In, Bits<ORIGIN_WIDTH>>,
    /// Words of the row that have gone.
    pub position: Signal<In, Bits<ROW_WIDTH>>,
    /// Words of the row.
    pub row: Signal<In, Bits<ROW_WIDTH>>,
    /// Words from row to row at the remote side.
    pub stride: Signal<In, Bits<STRIDE_WIDTH>>,
    /// Words of the remote segment, all ones for no bound.
    pub size: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Payload takes up room at the remote side.
    pub placed: Signal<In, Bit>,
    /// Most words of payload of a packet.
    pub maximum: Signal<In, Bits<COUNT_WIDTH>>,
    /// A packet is open.
    pub is_open: Signal<In, Bit>,
    /// Words in the open packet.
    pub filled: Signal<In, Bits<COUNT_WIDTH>>,
    /// The open packet takes no more but whole rows.
    pub rows: Signal<In, Bit>,
    /// Words of the chunk, valid if it joins or no packet is open.
    pub words: Signal<Out, Bits<COUNT_WIDTH>>,
    /// It is the last of the row.
    pub finishes: Signal<Out, Bit>,
    /// It may go into the open packet.
    pub joins: Signal<Out, Bit>,
    /// It is a whole row of several with gaps.
    pub whole: Signal<Out, Bit>,
    /// The remote offset jumps after it.
    pub jumps: Signal<Out, Bit>,
    /// Address of the first word of the chunk in the local memory.
    pub address: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// Remote offset of the first word of the chunk.
    pub remote: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// The chunk ends beyond `limit`; 3 cycles after `cuts`, and never for a literal.
    pub out_of_memory: Signal<Out, Bit>,
    /// The chunk ends beyond the remote segment of `size` words; 3 cycles after `cuts`.
    pub out_of_segment: Signal<Out, Bit>,
    room: DFF<Bits<COUNT_WIDTH>>,
    left: DFF<Bits<ROW_WIDTH>>,
    gaps: DFF<Bit>,
    is_whole: DFF<Bit>,
    remote_begin: DFF<Bits<END_WIDTH>>,
    local_begin: DFF<Bits<END_WIDTH>>,
    taken: DFF<Bits<COUNT_WIDTH>>,
    ending: DFF<Bit>,
    joining: DFF<Bit>,
    local_address: DFF<Bits<OFFSET_WIDTH>>,
    beyond_memory: DFF<Bit>,
    beyond_segment: DFF<Bit>,
    fits: Signal<Local, Bit>,
    remote_end: Signal<Local, Bits<END_WIDTH>>,
    bound: Signal<Local, Bits<END_WIDTH>>,
    local_end: Signal<Local, Bits<END_WIDTH>>,
}

#[kernel]
impl Logic for Cutter {
    fn update(&mut self) {
        dff_setup!(self, clk, room, left, gaps, is_whole, remote_begin, local_begin);
        dff_setup!(self, clk, taken, ending, joining);
        dff_setup!(self, clk, local_address, beyond_memory, beyond_segment);
        if self.cuts.val() {
            self.room.d.next = self.maximum.val();
            if self.is_open.val() {
                self.room.d.next = self.maximum.val() - self.filled.val();
                if self.filled.val() > self.maximum.val() {
                    self.room.d.next = 0.into();
                }
            }
            self.left.d.next = self.row.val() - self.position.val();
            self.gaps.d.next = self.placed.val() & (self.stride.val() != self.row.val());
            self.is_whole.d.next = self.placed.val()
                & (self.stride.val() != self.row.val())
                & !self.position.val().any()
                & (self.row.val() <= bit_cast::<ROW_WIDTH, COUNT_WIDTH>(self.maximum.val()));
            self.remote_begin.d.next = bit_cast::<END_WIDTH, ORIGIN_WIDTH>(self.origin.val())
                + bit_cast::<END_WIDTH, ROW_WIDTH>(self.position.val());
            self.local_begin.d.next =
                bit_cast::<END_WIDTH, POINTER_WIDTH>(bit_cast::<POINTER_WIDTH, 32>(self.pointer.val()))
                    + bit_cast::<END_WIDTH, ROW_WIDTH>(self.position.val());
        }

        self.fits.next = self.left.q.val() <= bit_cast::<ROW_WIDTH, COUNT_WIDTH>(self.room.q.val());
        self.taken.d.next = self.room.q.val();
        if self.fits.val() {
            self.taken.d.next = bit_cast::<COUNT_WIDTH, ROW_WIDTH>(self.left.q.val());
        }
        self.ending.d.next = self.fits.val();
        self.joining.d.next = !self.rows.val() & self.room.q.val().any();
        if self.gaps.q.val() {
            self.joining.d.next = self.position.val().any() & self.room.q.val().any();
        }
        if self.is_whole.q.val() {
            self.joining.d.next = self.rows.val() & self.fits.val();
        }
        if self.literal.val() {
            self.joining.d.next = !self.rows.val() & self.room.q.val().any();
            self.ending.d.next = true;
            self.taken.d.next = 1.into();
        }
        self.local_address.d.next = self.base.val() + bit_cast::<OFFSET_WIDTH, END_WIDTH>(self.local_begin.q.val());

        self.remote_end.next = self.remote_begin.q.val() + bit_cast::<END_WIDTH, COUNT_WIDTH>(self.taken.q.val());
        self.bound.next = bit_cast::<END_WIDTH, OFFSET_WIDTH>(self.size.val());
        if self.size.val().all() {
            self.bound.next = bits::<END_WIDTH>(1 << OFFSET_WIDTH);
        }
        self.beyond_segment.d.next = self.placed.val() & (self.remote_end.val() > self.bound.val());
        self.local_end.next = self.local_begin.q.val() + bit_cast::<END_WIDTH, COUNT_WIDTH>(self.taken.q.val());
        self.beyond_memory.d.next = !self.literal.val()
            & ((self.pointer.val() >> bits::<6>(POINTER_WIDTH)).any()
                | (self.local_end.val() > bit_cast::<END_WIDTH, OFFSET_WIDTH>(self.limit.val())));

        self.words.next = self.taken.q.val();
        self.finishes.next = self.ending.q.val();
        self.joins.next = self.joining.q.val();
        self.whole.next = self.is_whole.q.val() & !self.literal.val();
        self.jumps.next = self.gaps.q.val() & self.ending.q.val() & !self.literal.val();
        self.remote.next = bit_cast::<OFFSET_WIDTH, END_WIDTH>(self.remote_begin.q.val());
        self.address.next = self.local_address.q.val();
        self.out_of_segment.next = self.beyond_segment.q.val();
        self.out_of_memory.next = self.beyond_memory.q.val();
    }
}
