use super::{EjectionIn, JobIn, EDGE_WIDTH, INDEX_WIDTH, QUEUE_WIDTH, RESERVED_WIDTH, WORDS_WIDTH};
use crate::prim::{Fifo, Queue, StreamOut};
use portico_spec::mpe::call::{CONTEXTS, CONTEXT_WIDTH, PLACE_WIDTH};
use portico_verilog::prelude::*;

/// Address of a word in the edge buffer: edge, room, place in the packet.
pub const BUFFER_WIDTH: usize = ROOM_WIDTH + INDEX_WIDTH;
/// Number of a room: edge, and which of its two.
pub const ROOM_WIDTH: usize = EDGE_WIDTH + 1;

/// What is kept of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct EdgePass {
    /// Room of the packet.
    pub room: Bits<ROOM_WIDTH>,
    /// The call word is in front of the words.
    pub first: Bit,
    /// Words without the call word.
    pub words: Bits<WORDS_WIDTH>,
    /// It is the last pass that reads the packet.
    pub frees: Bit,
}

/// Reads the words of passes from the edge buffer, ahead of their use, and gives the room of packets back.
///
/// Words of 32 bits.
///
/// | | |
/// | --- | --- |
/// | latency | 3 cycles from a pass to its first word |
/// | throughput | one word a cycle, also across passes |
/// | state | 4 passes and 16 words in LUT-RAM, and the place in the edge buffer |
///
/// While a packet is being ejected, each word is read when it has come. The last word of a pass is read when the whole packet has
/// come, because its length is compared. If a packet is shorter than its call says, zeros fill the pass, so that every pass ends and
/// has no word of another call. A packet of a wrong length, shorter or longer, makes its context fail.
#[derive(LogicBlock, Default)]
pub struct EdgeReader {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Passes; those with `from_edge` are kept here, up to 4.
    pub job: JobIn,
    /// The packet that is being ejected into the edge buffer.
    pub ejection: EjectionIn,
    /// Reads the word of the edge buffer at `read_address`.
    pub read_enable: Signal<Out, Bit>,
    /// Word of the edge buffer to read: edge, room, place in the packet.
    pub read_address: Signal<Out, Bits<BUFFER_WIDTH>>,
    /// That word of the edge buffer, a cycle after its address.
    pub read_data: Signal<In, Bits<32>>,
    /// Room of the packet whose length is asked for: edge, and which of its two.
    pub room: Signal<Out, Bits<ROOM_WIDTH>>,
    /// Words of the packet in that room, the call word included, in the same cycle; 33 for one that is too long.
    pub length: Signal<In, Bits<WORDS_WIDTH>>,
    /// Words of the passes, without call words; `tlast` is always low.
    pub m_axis: StreamOut<32>,
    /// One bit a context.
    pub closed: Signal<In, Bits<CONTEXTS>>,
    /// High for a cycle: the packet in a room is read for the last time, and its credit is owed.
    pub frees: Signal<Out, Bit>,
    /// Room that becomes free: edge, and which of its two; valid with `frees`.
    pub freed: Signal<Out, Bits<ROOM_WIDTH>>,
    /// One bit a context, for a cycle: a packet had a wrong length.
    pub wrong: Signal<Out, Bits<CONTEXTS>>,
    /// One bit a context, for a cycle: a pass has read its last word.
    pub leaves: Signal<Out, Bits<CONTEXTS>>,
    jobs: Queue<EdgePass, 2>,
    words: Fifo<32, QUEUE_WIDTH>,
    count: DFF<Bits<WORDS_WIDTH>>,
    reserved: DFF<Bits<RESERVED_WIDTH>>,
    comes: DFF<Bit>,
    /// The word that comes is behind the end of its packet.
    pads: DFF<Bit>,
    gives: DFF<Bit>,
    given: DFF<Bits<ROOM_WIDTH>>,
    fails: DFF<Bits<CONTEXTS>>,
    own_room: Signal<Local, Bits<ROOM_WIDTH>>,
    owner: Signal<Local, Bits<CONTEXT_WIDTH>>,
    total: Signal<Local, Bits<WORDS_WIDTH>>,
    index: Signal<Local, Bits<WORDS_WIDTH>>,
    is_whole: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    is_empty: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
}

#[kernel]
impl Logic for EdgeReader {
    fn update(&mut self) {
        wire!(self => jobs, words: clk, rst);
        dff_setup!(self, clk, count, reserved, comes, pads, gives, given, fails);
        self.jobs.write.next = self.job.valid.val() & self.job.from_edge.val();
        self.jobs.write_data.next.room =
            field::<ROOM_WIDTH, EDGE_WIDTH>(self.job.neighbour.val(), 1).replace_bit(0, self.job.slot.val());
        self.jobs.write_data.next.first = self.job.first.val();
        self.jobs.write_data.next.words = self.job.words.val();
        self.jobs.write_data.next.frees = self.job.frees.val();
        self.job.ready.next = !self.jobs.full.val();

        self.own_room.next = self.jobs.read_data.val().room;
        self.owner.next = self.own_room.val().get_bits::<CONTEXT_WIDTH>(1 + PLACE_WIDTH);
        self.total.next = self.jobs.read_data.val().words + self.jobs.read_data.val().first;
        self.index.next = self.count.q.val() + self.jobs.read_data.val().first;
        self.is_whole.next = !self.ejection.valid.val()
            | (self.ejection.neighbour.val() != self.own_room.val().get_bits::<EDGE_WIDTH>(1))
            | (self.ejection.slot.val() != self.own_room.val().get_bit(0));
        self.is_last.next = self.index.val() + 1 == self.total.val();
        self.is_empty.next = !self.jobs.read_data.val().words.any();
        self.reads.next = !self.jobs.empty.val()
            & !self.is_empty.val()
            & !self.reserved.q.val().get_bit(QUEUE_WIDTH)
            & (self.is_whole.val() | (!self.is_last.val() & (self.index.val() < self.ejection.words.val())));
        self.ends.next = (self.reads.val() & self.is_last.val())
            | (!self.jobs.empty.val() & self.is_empty.val() & self.is_whole.val());
        self.jobs.read.next = self.ends.val();
        if self.reads.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if self.ends.val() {
            self.count.d.next = 0.into();
        }
        self.read_enable.next = self.reads.val();
        self.read_address.next = field::<BUFFER_WIDTH, ROOM_WIDTH>(self.own_room.val(), INDEX_WIDTH)
            | bit_cast::<BUFFER_WIDTH, INDEX_WIDTH>(self.index.val().get_bits::<INDEX_WIDTH>(0));
        self.room.next = self.own_room.val();
        self.fits.next = self.length.val() == self.total.val();
        self.frees.next = self.gives.q.val();
        self.freed.next = self.given.q.val();
        self.given.d.next = self.own_room.val();
        self.gives.d.next = self.ends.val()
            & self.fits.val()
            & self.jobs.read_data.val().frees
            & !self.closed.val().get_bit(self.owner.val().index());
        self.wrong.next = self.fails.q.val();
        self.fails.d.next = 0.into();
        self.leaves.next = 0.into();
        if self.ends.val() {
            self.leaves.next = bits::<CONTEXTS>(1) << self.owner.val();
            if !self.fits.val() {
                self.fails.d.next = bits::<CONTEXTS>(1) << self.owner.val();
            }
        }

        self.comes.d.next = self.reads.val();
        self.pads.d.next = self.is_whole.val() & (self.index.val() >= self.length.val());
        self.words.s_axis.tvalid.next = self.comes.q.val();
        self.words.s_axis.tdata.next = self.read_data.val();
        if self.pads.q.val() {
            self.words.s_axis.tdata.next = 0.into();
        }
        self.words.s_axis.tlast.next = false;
        wire!(self <=> words: m_axis);
        self.taken.next = self.m_axis.tready.val() & self.words.m_axis.tvalid.val();
        if self.reads.val() & !self.taken.val() {
            self.reserved.d.next = self.reserved.q.val() + 1;
        }
        if self.taken.val() & !self.reads.val() {
            self.reserved.d.next = self.reserved.q.val() - 1;
        }
        if self.rst.val() {
            self.count.d.next = 0.into();
            self.reserved.d.next = 0.into();
            self.comes.d.next = false;
            self.gives.d.next = false;
            self.fails.d.next = 0.into();
        }
    }
}
