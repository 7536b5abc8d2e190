use super::{RingPlace, ADDRESS_WIDTH, EVENT_INDEX_WIDTH};
use crate::{
    bus::{EventOut, MemoryWriteOut},
    prim::{Fifo, StreamIn},
};
use portico_spec::{
    ni::{event::EVENT_WIDTH, packet::OFFSET_WIDTH},
    portals::engine::EVENT_WORDS,
};
use portico_verilog::prelude::*;

/// Byte lanes of a word.
const LANES: usize = 4;
/// The way from the last word of an event to word 0, added to the address.
const BACK: usize = (1 << ADDRESS_WIDTH) + 1 - EVENT_WORDS;

/// Writes the words of events to their places in rings, one event after the other.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a word to the scratchpad |
/// | throughput | one word a cycle; 1 cycle between two events, 2 if an event of the tile counts |
/// | timing | outputs are flip-flops, or one gate behind them; the word that is written comes from LUT-RAM |
/// | state | 16 words in LUT-RAM, the place of the next word, an event of the tile |
#[derive(LogicBlock, Default)]
pub struct RingWriter {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nothing is in hand.
    pub rst: Signal<In, Bit>,
    /// Words of events, of each word 1 first and word 0 last; `tlast` with the last but one. The words of an event are offered only
    /// after `has_room` was high, and do not wait for `tready`.
    pub s_axis: StreamIn<32>,
    /// High for a cycle in which `free` is high: the place of the next event is known.
    pub load: Signal<In, Bit>,
    /// That place; valid with `load`.
    pub place: Signal<In, RingPlace>,
    /// All words of the events whose place was known are written, and their events of the tile have counted.
    pub free: Signal<Out, Bit>,
    /// At most one word of the events before is to be written.
    pub has_room: Signal<Out, Bit>,
    /// Writes to the scratchpad.
    pub memory: MemoryWriteOut<32, LANES>,
    /// Events of the tile.
    pub event: EventOut,
    words: Fifo<32, EVENT_INDEX_WIDTH>,
    writes: DFF<Bit>,
    /// The next word is word 0.
    ends: DFF<Bit>,
    address: DFF<Bits<ADDRESS_WIDTH>>,
    wants: DFF<Bit>,
    reports: DFF<Bit>,
    which: DFF<Bits<EVENT_WIDTH>>,
    passes: Signal<Local, Bit>,
    way: Signal<Local, Bits<ADDRESS_WIDTH>>,
}

#[kernel]
impl Logic for RingWriter {
    fn update(&mut self) {
        wire!(self => words: clk, rst);
        dff_setup!(self, clk, writes, ends, address, wants, reports, which);
        wire!(self.s_axis <=> words.s_axis);
        self.memory.valid.next = self.words.m_axis.tvalid.val() & self.writes.q.val();
        self.memory.address.next = bit_cast::<OFFSET_WIDTH, ADDRESS_WIDTH>(self.address.q.val());
        self.memory.data.next = self.words.m_axis.tdata.val();
        self.memory.lanes.next = !bits::<LANES>(0);
        self.words.m_axis.tready.next = self.memory.ready.val() & self.writes.q.val();
        self.passes.next = self.memory.valid.val() & self.memory.ready.val();
        self.way.next = bits::<ADDRESS_WIDTH>(1);
        if self.words.m_axis.tlast.val() {
            self.way.next = bits::<ADDRESS_WIDTH>(BACK as u64);
        }
        if self.event.ready.val() {
            self.reports.d.next = false;
        }
        if self.passes.val() {
            self.address.d.next = self.address.q.val() + self.way.val();
            self.ends.d.next = self.words.m_axis.tlast.val();
            if self.ends.q.val() {
                self.writes.d.next = false;
                self.reports.d.next = self.wants.q.val();
            }
        }
        if self.load.val() {
            self.writes.d.next = true;
            self.address.d.next = self.place.val().address;
            self.wants.d.next = self.place.val().tells;
            self.which.d.next = self.place.val().number;
        }
        self.event.valid.next = self.reports.q.val();
        self.event.event.next = self.which.q.val();
        self.event.error.next = 0.into();
        self.free.next = !self.writes.q.val() & !self.reports.q.val();
        self.has_room.next = !self.writes.q.val() | self.ends.q.val();
        if self.rst.val() {
            self.writes.d.next = false;
            self.ends.d.next = false;
            self.reports.d.next = false;
        }
    }
}
