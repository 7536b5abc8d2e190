use super::{
    edge_reader::{BUFFER_WIDTH, ROOM_WIDTH},
    packet_watch::Note,
    EjectionOut, Row, RowWriteIn, EDGES, EDGE_WIDTH, INDEX_WIDTH, WORDS_WIDTH,
};
use crate::{
    bus::{FlitsIn, HeadDecoder},
    prim::{LutRam, Ram},
};
use portico_spec::mpe::call::{
    CONTEXTS, CONTEXT_WIDTH, DOWN_OFFSET, HEAD_NUMBER_WIDTH, NEIGHBOURS, OPENS_OFFSET, PACKETS, PACKET_WORDS,
    PLACE_WIDTH, TAG_PLACE_OFFSET, TAG_PLACE_WIDTH,
};
use portico_verilog::prelude::*;

/// Bits of a tag above the places that there are.
const ABOVE_OFFSET: usize = TAG_PLACE_OFFSET + PLACE_WIDTH;
const ABOVE_WIDTH: usize = TAG_PLACE_WIDTH - PLACE_WIDTH;
/// The first word of a packet, and what its head says.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct FirstWord {
    pub word: Bits<32>,
    /// The packet goes away from the root.
    pub down: Bit,
    /// The word is a call word.
    pub opens: Bit,
}

/// Longer than any packet.
const TOO_LONG: usize = PACKET_WORDS + 1;

/// Takes packets of words from the data plane into the edge buffer.
///
/// Flits of 32 bits; two packets of 32 words for each edge.
///
/// | | |
/// | --- | --- |
/// | latency | a word can be read 1 cycle after its flit is shown; a packet is told with its first word |
/// | throughput | one flit a cycle |
/// | state | the edge buffer in block RAM; lists, first words with the marks of their heads, and lengths in LUT-RAM; the packet in hand |
///
/// The receiver drops a packet whole if its sender is not the neighbour in its place, if there is no room for it, or if it has no
/// word. If a packet is too long, the receiver drops the extra words, and the length of the packet is wrong.
#[derive(LogicBlock, Default)]
pub struct WordReceiver {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Flits of the data plane with the engine's kind.
    pub flits: FlitsIn<32>,
    /// Rows of the lists as they are written, for this block's copy.
    pub row_write: RowWriteIn,
    /// Edges with a neighbour.
    pub present: Signal<In, Bits<EDGES>>,
    /// The packet that is being ejected into the edge buffer.
    pub ejection: EjectionOut,
    /// High for a cycle: the edge has one packet more.
    pub arrives: Signal<Out, Bit>,
    /// Edge that has one packet more: context above place; valid with `arrives`.
    pub arrived_edge: Signal<Out, Bits<EDGE_WIDTH>>,
    /// Room of that packet: edge, and which of its two; valid with `arrives`.
    pub arrived_room: Signal<Out, Bits<ROOM_WIDTH>>,
    /// Note of that packet for `PacketWatch`; valid with `arrives`.
    pub note: Signal<Out, Note>,
    /// Room of the packet whose first word is asked for: edge, and which of its two.
    pub first_room: Signal<In, Bits<ROOM_WIDTH>>,
    /// First word of the packet in that room, in the same cycle, even while it is written.
    pub first_word: Signal<Out, Bits<32>>,
    /// That packet goes away from the root; valid as `first_word` is.
    pub first_down: Signal<Out, Bit>,
    /// That word is a call word; valid as `first_word` is.
    pub first_opens: Signal<Out, Bit>,
    /// Room of the packet whose length is asked for: edge, and which of its two.
    pub length_room: Signal<In, Bits<ROOM_WIDTH>>,
    /// Words of the packet in that room, the call word included, in the same cycle; 33 for one that is too long.
    pub length: Signal<Out, Bits<WORDS_WIDTH>>,
    /// Reads the word of the edge buffer at `read_address`.
    pub read_enable: Signal<In, Bit>,
    /// Word of the edge buffer to read: edge, room, place in the packet.
    pub read_address: Signal<In, Bits<BUFFER_WIDTH>>,
    /// That word of the edge buffer, a cycle after its address.
    pub read_data: Signal<Out, Bits<32>>,
    /// High for a cycle: the room `freed` becomes free.
    pub frees: Signal<In, Bit>,
    /// Room that becomes free: edge, and which of its two; valid with `frees`.
    pub freed: Signal<In, Bits<ROOM_WIDTH>>,
    /// One bit an edge: the next packet goes into its first room.
    pub restarts: Signal<In, Bits<EDGES>>,
    /// One bit an edge: a packet is in its first room.
    pub first_taken: Signal<Out, Bits<EDGES>>,
    /// One bit an edge: a packet is in its second room.
    pub second_taken: Signal<Out, Bits<EDGES>>,
    /// One bit an edge: its next packet comes into its second room.
    pub next_slots: Signal<Out, Bits<EDGES>>,
    /// One bit a context: packets lie here.
    pub holds: Signal<Out, Bits<CONTEXTS>>,
    /// High for a cycle: a packet was refused.
    pub refused: Signal<Out, Bit>,
    rows: LutRam<Row, EDGE_WIDTH>,
    buffer: Ram<Bits<32>, BUFFER_WIDTH>,
    first_words: LutRam<FirstWord, ROOM_WIDTH>,
    lengths: LutRam<Bits<WORDS_WIDTH>, ROOM_WIDTH>,
    head: HeadDecoder,
    /// The packet is taken.
    open: DFF<Bit>,
    neighbour: DFF<Bits<EDGE_WIDTH>>,
    slot: DFF<Bit>,
    down: DFF<Bit>,
    opens: DFF<Bit>,
    count: DFF<Bits<WORDS_WIDTH>>,
    /// It is told, and its tail has not come.
    ejects: DFF<Bit>,
    /// Rooms that are taken, and the one into which the next packet of each edge goes.
    first_full: DFF<Bits<EDGES>>,
    second_full: DFF<Bits<EDGES>>,
    next_slot: DFF<Bits<EDGES>>,
    head_edge: Signal<Local, Bits<EDGE_WIDTH>>,
    head_slot: Signal<Local, Bit>,
    named: Signal<Local, Bits<CONTEXT_WIDTH>>,
    owner: Signal<Local, Bits<CONTEXT_WIDTH>>,
    last_context: Constant<Bits<CONTEXT_WIDTH>>,
    is_known: Signal<Local, Bit>,
    has_room: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<EDGES>>,
    free: Signal<Local, Bits<EDGES>>,
    first_chosen: Signal<Local, Bits<EDGES>>,
    second_chosen: Signal<Local, Bits<EDGES>>,
    first_freed: Signal<Local, Bits<EDGES>>,
    second_freed: Signal<Local, Bits<EDGES>>,
    slot_bit: Signal<Local, Bits<1>>,
    own_room: Signal<Local, Bits<ROOM_WIDTH>>,
    full: Signal<Local, Bits<EDGES>>,
    built: Constant<Bits<EDGES>>,
}

impl WordReceiver {
    /// For `contexts` contexts.
    pub fn new(contexts: usize) -> Self {
        let rooms = contexts * NEIGHBOURS * PACKETS;
        Self {
            rows: LutRam::new(contexts * NEIGHBOURS),
            last_context: Constant::new(bits(contexts as u64 - 1)),
            buffer: Ram::new(rooms * PACKET_WORDS),
            first_words: LutRam::new(rooms),
            lengths: LutRam::new(rooms),
            built: Constant::new(bits(super::built_edges(contexts))),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for WordReceiver {
    fn update(&mut self) {
        wire!(self => rows, buffer, first_words, lengths: clk);
        dff_setup!(self, clk, open, neighbour, slot, down, opens, count, ejects);
        dff_setup!(self, clk, first_full, second_full, next_slot);

        // The sender.
        self.rows.write_enable.next = self.row_write.enable.val();
        self.rows.write_address.next = self.row_write.neighbour.val();
        self.rows.write_data.next = self.row_write.row.val();
        self.head.word.next = self.flits.data.val();
        self.named.next = self.head.tag.val().get_bits::<CONTEXT_WIDTH>(0);
        self.owner.next = self.named.val() & self.last_context.val();
        self.head_edge.next =
            bit_cast::<EDGE_WIDTH, PLACE_WIDTH>(self.head.tag.val().get_bits::<PLACE_WIDTH>(TAG_PLACE_OFFSET))
                | field::<EDGE_WIDTH, CONTEXT_WIDTH>(self.owner.val(), PLACE_WIDTH);
        self.rows.read_address.next = self.head_edge.val();
        self.is_known.next = (self.named.val() == self.owner.val())
            & self.present.val().get_bit(self.head_edge.val().index())
            & !self.head.tag.val().get_bits::<ABOVE_WIDTH>(ABOVE_OFFSET).any()
            & (self.rows.read_data.val().node == self.head.source.val());
        self.head_slot.next = self.next_slot.q.val().get_bit(self.head_edge.val().index());
        self.has_room.next = !self.first_full.q.val().get_bit(self.head_edge.val().index());
        if self.head_slot.val() {
            self.has_room.next = !self.second_full.q.val().get_bit(self.head_edge.val().index());
        }
        self.refused.next = false;
        if self.flits.valid.val() & self.flits.first.val() {
            self.open.d.next = self.is_known.val() & self.has_room.val() & !self.flits.last.val();
            self.refused.next = !self.is_known.val() | !self.has_room.val() | self.flits.last.val();
            self.neighbour.d.next = self.head_edge.val();
            self.slot.d.next = self.head_slot.val();
            self.down.d.next = self.flits.data.val().get_bit(DOWN_OFFSET);
            self.opens.d.next = self.flits.data.val().get_bit(OPENS_OFFSET);
            self.count.d.next = 0.into();
        }

        // Its words.
        self.takes.next = self.flits.valid.val() & !self.flits.first.val() & self.open.q.val();
        self.begins.next = self.takes.val() & !self.count.q.val().any();
        if self.takes.val() {
            if self.count.q.val() != bits::<WORDS_WIDTH>(TOO_LONG as u64) {
                self.count.d.next = self.count.q.val() + 1;
            }
            self.ejects.d.next = !self.flits.last.val();
            if self.flits.last.val() {
                self.open.d.next = false;
            }
        }
        self.slot_bit.next = self.slot.q.val().into();
        self.own_room.next =
            field::<ROOM_WIDTH, EDGE_WIDTH>(self.neighbour.q.val(), 1) | bit_cast::<ROOM_WIDTH, 1>(self.slot_bit.val());
        self.buffer.write_enable.next =
            self.takes.val() & (self.count.q.val() < bits::<WORDS_WIDTH>(PACKET_WORDS as u64));
        self.buffer.write_address.next = field::<BUFFER_WIDTH, ROOM_WIDTH>(self.own_room.val(), INDEX_WIDTH)
            | bit_cast::<BUFFER_WIDTH, INDEX_WIDTH>(self.count.q.val().get_bits::<INDEX_WIDTH>(0));
        self.buffer.write_data.next = self.flits.data.val();
        self.buffer.read_enable.next = self.read_enable.val();
        self.buffer.read_address.next = self.read_address.val();
        self.read_data.next = self.buffer.read_data.val();
        self.first_words.write_enable.next = self.begins.val();
        self.first_words.write_address.next = self.own_room.val();
        self.first_words.write_data.next.word = self.flits.data.val();
        self.first_words.write_data.next.down = self.down.q.val();
        self.first_words.write_data.next.opens = self.opens.q.val();
        self.first_words.read_address.next = self.first_room.val();
        self.first_word.next = self.first_words.read_data.val().word;
        self.first_down.next = self.first_words.read_data.val().down;
        self.first_opens.next = self.first_words.read_data.val().opens;
        if self.begins.val() & (self.first_room.val() == self.own_room.val()) {
            self.first_word.next = self.flits.data.val();
            self.first_down.next = self.down.q.val();
            self.first_opens.next = self.opens.q.val();
        }
        self.lengths.write_enable.next = self.takes.val();
        self.lengths.write_address.next = self.own_room.val();
        self.lengths.write_data.next = self.count.q.val() + 1;
        if self.count.q.val() == bits::<WORDS_WIDTH>(TOO_LONG as u64) {
            self.lengths.write_data.next = self.count.q.val();
        }
        self.lengths.read_address.next = self.length_room.val();
        self.length.next = self.lengths.read_data.val();
        self.ejection.valid.next = self.ejects.q.val();
        self.ejection.neighbour.next = self.neighbour.q.val();
        self.ejection.slot.next = self.slot.q.val();
        self.ejection.words.next = self.count.q.val();
        self.arrives.next = self.begins.val();
        self.arrived_edge.next = self.neighbour.q.val();
        self.arrived_room.next = self.own_room.val();
        self.note.next.number = self.flits.data.val().get_bits::<HEAD_NUMBER_WIDTH>(0);
        self.note.next.down = self.down.q.val();
        self.note.next.opens = self.opens.q.val();

        // Rooms.
        self.chosen.next = 0.into();
        if self.begins.val() {
            self.chosen.next = (bits::<EDGES>(1) << self.neighbour.q.val()) & self.built.val();
        }
        self.free.next = 0.into();
        if self.frees.val() {
            self.free.next = bits::<EDGES>(1) << self.freed.val().get_bits::<EDGE_WIDTH>(1);
        }
        self.next_slot.d.next = (self.next_slot.q.val() ^ self.chosen.val()) & !self.restarts.val() & self.built.val();
        self.first_chosen.next = 0.into();
        self.second_chosen.next = 0.into();
        if self.slot.q.val() {
            self.second_chosen.next = self.chosen.val();
        } else {
            self.first_chosen.next = self.chosen.val();
        }
        self.first_freed.next = 0.into();
        self.second_freed.next = 0.into();
        if self.freed.val().get_bit(0) {
            self.second_freed.next = self.free.val();
        } else {
            self.first_freed.next = self.free.val();
        }
        self.first_full.d.next =
            (self.first_full.q.val() & !self.first_freed.val() & self.built.val()) | self.first_chosen.val();
        self.second_full.d.next =
            (self.second_full.q.val() & !self.second_freed.val() & self.built.val()) | self.second_chosen.val();
        self.first_taken.next = self.first_full.q.val();
        self.second_taken.next = self.second_full.q.val();
        self.next_slots.next = self.next_slot.q.val();
        self.full.next = self.first_full.q.val() | self.second_full.q.val();
        self.holds.next = 0.into();
        for i in 0..CONTEXTS {
            self.holds.next = self
                .holds
                .val()
                .replace_bit(i, self.full.val().get_bits::<NEIGHBOURS>(0).any());
            self.full.next = self.full.val() >> bits::<6>(NEIGHBOURS as u64);
        }
        if self.rst.val() {
            self.open.d.next = false;
            self.ejects.d.next = false;
            self.first_full.d.next = 0.into();
            self.second_full.d.next = 0.into();
            self.next_slot.d.next = 0.into();
        }
    }
}
