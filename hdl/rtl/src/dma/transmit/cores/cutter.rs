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
/// | latency | combinational |
/// | state | none |
///
/// Rows that follow each other at the remote side fill packets up. Rows with gaps go whole, several a packet, if one fits
/// into a packet; a longer one goes in packets of its own. So a packet is either linear, or made of whole rows; what does
/// not join the open packet closes it first.
#[derive(LogicBlock, Default)]
pub struct Cutter {
    /// One word that is no row's.
    pub literal: Signal<In, Bit>,
    /// Local pointer to the row.
    pub pointer: Signal<In, Bits<32>>,
    pub base: Signal<In, Bits<OFFSET_WIDTH>>,
    pub limit: Signal<In, Bits<OFFSET_WIDTH>>,
    pub origin: Signal<In, Bits<ORIGIN_WIDTH>>,
    pub position: Signal<In, Bits<ROW_WIDTH>>,
    pub row: Signal<In, Bits<ROW_WIDTH>>,
    pub stride: Signal<In, Bits<STRIDE_WIDTH>>,
    pub size: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Payload takes up room at the remote side.
    pub placed: Signal<In, Bit>,
    /// Most words of payload of a packet.
    pub maximum: Signal<In, Bits<COUNT_WIDTH>>,
    /// Of the open packet: there is one, its words, and that it takes no more but whole rows.
    pub is_open: Signal<In, Bit>,
    pub filled: Signal<In, Bits<COUNT_WIDTH>>,
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
    /// Its first word, here and there.
    pub address: Signal<Out, Bits<OFFSET_WIDTH>>,
    pub remote: Signal<Out, Bits<OFFSET_WIDTH>>,
    pub out_of_memory: Signal<Out, Bit>,
    pub out_of_segment: Signal<Out, Bit>,
    room: Signal<Local, Bits<COUNT_WIDTH>>,
    left: Signal<Local, Bits<ROW_WIDTH>>,
    taken: Signal<Local, Bits<COUNT_WIDTH>>,
    ending: Signal<Local, Bit>,
    gaps: Signal<Local, Bit>,
    is_whole: Signal<Local, Bit>,
    remote_begin: Signal<Local, Bits<END_WIDTH>>,
    remote_end: Signal<Local, Bits<END_WIDTH>>,
    bound: Signal<Local, Bits<END_WIDTH>>,
    local_begin: Signal<Local, Bits<END_WIDTH>>,
    local_end: Signal<Local, Bits<END_WIDTH>>,
}

#[kernel]
impl Logic for Cutter {
    fn update(&mut self) {
        self.room.next = self.maximum.val();
        if self.is_open.val() {
            self.room.next = self.maximum.val() - self.filled.val();
            if self.filled.val() > self.maximum.val() {
                self.room.next = 0.into();
            }
        }
        self.left.next = self.row.val() - self.position.val();
        self.ending.next = self.left.val() <= bit_cast::<ROW_WIDTH, COUNT_WIDTH>(self.room.val());
        self.taken.next = self.room.val();
        if self.ending.val() {
            self.taken.next = bit_cast::<COUNT_WIDTH, ROW_WIDTH>(self.left.val());
        }
        self.gaps.next = self.placed.val() & (self.stride.val() != self.row.val());
        self.is_whole.next = self.gaps.val()
            & !self.position.val().any()
            & (self.row.val() <= bit_cast::<ROW_WIDTH, COUNT_WIDTH>(self.maximum.val()));
        self.joins.next = !self.rows.val() & self.room.val().any();
        if self.gaps.val() {
            self.joins.next = self.position.val().any() & self.room.val().any();
        }
        if self.is_whole.val() {
            self.joins.next = self.rows.val() & self.ending.val();
        }
        if self.literal.val() {
            self.joins.next = !self.rows.val() & self.room.val().any();
            self.ending.next = true;
            self.taken.next = 1.into();
        }
        self.words.next = self.taken.val();
        self.finishes.next = self.ending.val();
        self.whole.next = self.is_whole.val() & !self.literal.val();
        self.jumps.next = self.gaps.val() & self.ending.val() & !self.literal.val();

        self.remote_begin.next = bit_cast::<END_WIDTH, ORIGIN_WIDTH>(self.origin.val())
            + bit_cast::<END_WIDTH, ROW_WIDTH>(self.position.val());
        self.remote_end.next = self.remote_begin.val() + bit_cast::<END_WIDTH, COUNT_WIDTH>(self.taken.val());
        self.bound.next = bit_cast::<END_WIDTH, OFFSET_WIDTH>(self.size.val());
        if self.size.val().all() {
            self.bound.next = bits::<END_WIDTH>(1 << OFFSET_WIDTH);
        }
        self.out_of_segment.next = self.placed.val() & (self.remote_end.val() > self.bound.val());
        self.remote.next = bit_cast::<OFFSET_WIDTH, END_WIDTH>(self.remote_begin.val());

        self.local_begin.next = bit_cast::<END_WIDTH, POINTER_WIDTH>(bit_cast::<POINTER_WIDTH, 32>(self.pointer.val()))
            + bit_cast::<END_WIDTH, ROW_WIDTH>(self.position.val());
        self.local_end.next = self.local_begin.val() + bit_cast::<END_WIDTH, COUNT_WIDTH>(self.taken.val());
        self.out_of_memory.next = !self.literal.val()
            & ((self.pointer.val() >> bits::<6>(POINTER_WIDTH)).any()
                | (self.local_end.val() > bit_cast::<END_WIDTH, OFFSET_WIDTH>(self.limit.val())));
        self.address.next = self.base.val() + bit_cast::<OFFSET_WIDTH, END_WIDTH>(self.local_begin.val());
    }
}
