use super::{
    ports::{EndingOut, ParsedIn, PlacedOut, RowIn, RowWriteOut},
    queue::Message,
    tags::PacketTag,
    target::Target,
    walk::Walk,
    PLACE_WIDTH,
};
use portico_spec::ni::{
    packet::{OFFSET_WIDTH, SLOTS},
    window::{Mode, MESSAGES_WIDTH, MODE_WIDTH},
};
use portico_verilog::prelude::*;

/// The third stage: where a flit goes, and whether it may.
///
/// Places flits of `W` bits.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one flit a cycle; a cycle more after an atomic |
/// | state | a flit, what it is and where it goes; what is known of its tag; the place of the next word; a message |
///
/// The words in front of the payload say where the first word goes, each word of payload where the next one does. So
/// the place of a flit is there with the flit, and turns into an address as the flit comes into this stage.
///
/// What its packet writes to the row of its tag goes back from here: the place of the next word, and what comes of an
/// end.
#[derive(LogicBlock, Default)]
pub struct Placement<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The flit in hand, and what it is.
    pub parsed: ParsedIn<W>,
    /// The row of its tag, if it is a head.
    pub row: RowIn,
    /// What its packet writes to that row.
    pub row_write: RowWriteOut,
    /// Slots that are open for gets; a reply for another is refused.
    pub gets: Signal<In, Bits<SLOTS>>,
    /// The flit in front, with its place.
    pub placed: PlacedOut<W>,
    /// The packet of that flit, and what its end leaves behind.
    pub ending: EndingOut,
    packet: PacketTag,
    walk: Walk,
    target: Target,
    message: Message,
    held_word: DFF<Bits<W>>,
    held_last: DFF<Bit>,
    has_payload: DFF<Bit>,
    has_end: DFF<Bit>,
    has_front: DFF<Bit>,
    has_atomic: DFF<Bit>,
    has_lower: DFF<Bit>,
    has_fault: DFF<Bit>,
    /// The window takes the packet; no payload is there sooner than two cycles after its head.
    taking: DFF<Bit>,
    is_atomic: Signal<Local, Bit>,
    occupied: Signal<Local, Bit>,
    /// A head goes on.
    starts: Signal<Local, Bit>,
    /// A word of payload leaves.
    advance: Signal<Local, Bit>,
    message_counts: Signal<Local, Bit>,
    place: Signal<Local, Bits<PLACE_WIDTH>>,
    awaited: Signal<Local, Bit>,
}

impl<const W: usize> Placement<W> {
    /// For a memory of `memory_words` words; addresses with bit `register_bit` set are registers. Panics for what
    /// [`Target::new`] refuses.
    pub fn new(memory_words: u64, register_bit: usize) -> Self {
        Self {
            target: Target::new(memory_words, register_bit),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Placement<W> {
    fn update(&mut self) {
        wire!(self => packet: clk, rst);
        wire!(self => walk, target, message: clk);
        dff_setup!(
            self,
            clk,
            held_word,
            held_last,
            has_payload,
            has_end,
            has_front,
            has_atomic,
            has_lower
        );
        dff_setup!(self, clk, has_fault, taking);

        // A flit comes in when there is none, or the one that is there leaves.
        self.is_atomic.next = self.has_atomic.q.val() | self.has_lower.q.val();
        self.occupied.next = self.has_payload.q.val()
            | self.has_end.q.val()
            | self.has_front.q.val()
            | self.is_atomic.val()
            | self.has_fault.q.val();
        // Whether an atomic leaves is known late: nothing comes in its place in the same cycle.
        self.parsed.free.next = (self.placed.goes.val() & !self.is_atomic.val()) | !self.occupied.val();
        if self.parsed.free.val() {
            self.held_word.d.next = self.parsed.word.val();
            self.held_last.d.next = self.parsed.last.val();
            self.has_payload.d.next = self.parsed.goes.val() & self.parsed.payload.val();
            self.has_end.d.next = self.parsed.goes.val() & self.parsed.closes.val();
            self.has_front.d.next = self.parsed.goes.val() & self.parsed.front.val();
            self.has_atomic.d.next = self.parsed.goes.val() & self.parsed.atomic.val();
            self.has_lower.d.next = self.parsed.goes.val() & self.parsed.lower.val();
            self.has_fault.d.next = self.parsed.goes.val() & self.parsed.malformed.val();
        }
        if self.is_atomic.val() & self.placed.atomic_leaves.val() {
            self.has_atomic.d.next = false;
            self.has_lower.d.next = false;
        }
        self.starts.next = self.parsed.goes.val() & self.parsed.head.val();
        self.advance.next = self.has_payload.q.val() & self.placed.goes.val();

        // The tag of its packet, from here on the number of a row.
        self.packet.take.next = self.starts.val();
        self.packet.next_tag.next = self.row.tag.val();
        wire!(self.row.window <=> packet.row);
        self.packet.row_ends.next = self.row.state.ends.val();
        self.packet.row_fault.next = self.row.state.fault.val();
        self.packet.row_written.next = bit_cast::<MESSAGES_WIDTH, PLACE_WIDTH>(self.row.state.position.val());
        self.packet.row_released.next = self.row.state.released.val();
        wire!(row => packet: touched);
        wire!(ending => packet: write_ends, next_ends, next_fault);

        // Its place in the window: a stream goes on where the one before it on its tag has left.
        self.place.next = bit_cast::<PLACE_WIDTH, OFFSET_WIDTH>(self.parsed.offset.val());
        if self.parsed.header.message.val() {
            self.place.next = self.message.place_in_hand.val();
            if self.parsed.opening.val() {
                self.place.next = self.message.place_after.val();
                if self.parsed.last.val() {
                    self.place.next = self.message.place.val();
                }
            }
        }
        self.walk.resume.next = self.starts.val() & !(self.packet.is_same.val() & self.parsed.header.stream.val());
        self.walk.resumed_position.next = self.row.state.position.val();
        self.walk.resumed_done.next = self.row.state.done.val();
        self.walk.resumed_row_last.next = self.row.state.row_last.val();
        self.walk.resumed_gap.next = self.row.state.gap.val();
        self.walk.jump.next = self.parsed.goes.val()
            & (self.parsed.address.val()
                | self.parsed.opening.val()
                | (self.parsed.header.message.val() & self.parsed.payload.val() & self.parsed.last.val()));
        self.walk.place.next = self.place.val();
        self.walk.reshape.next = self.parsed.goes.val() & self.parsed.geometry.val();
        wire!(parsed => walk: row_last, gap);
        self.walk.advance.next = self.parsed.goes.val() & self.parsed.payload.val();

        // Its address.
        self.target.take.next = self.parsed.free.val();
        wire!(packet.window => target: base, size);
        self.target.position.next =
            self.walk.position.val() | bit_cast::<PLACE_WIDTH, 1>(self.parsed.upper.val().into());
        self.target.absolute.next = self.parsed.header.reply.val();
        wire!(target => placed: address, in_memory, is_device);

        // The message of which it is a part.
        self.message.begin_message.next = self.parsed.goes.val() & self.parsed.opening.val();
        self.message.word.next = bit_cast::<32, W>(self.parsed.word.val());
        self.message.source.next = self.parsed.header.source.val();
        wire!(packet.window => message: mode, slots, slot_words);
        wire!(packet => message: written, released);
        wire!(self => message: advance);
        self.message.in_memory.next = self.target.in_memory.val();
        self.placed.front_word.next = self.message.front.val();

        // Whether it may go there.
        self.awaited.next = self.gets.val().get_bit(self.parsed.header.get_slot.val().index());
        self.ending.allowed.next = (self.parsed.header.reply.val() & self.awaited.val())
            | (self.parsed.header.put.val()
                & (self.packet.window.mode.val() == bits::<MODE_WIDTH>(Mode::Window as u64)))
            | (self.parsed.header.stream.val()
                & (self.packet.window.mode.val() == bits::<MODE_WIDTH>(Mode::Pointer as u64)));
        self.taking.d.next = self.ending.allowed.val();
        self.placed.allowed.next = self.taking.q.val() & (self.target.in_memory.val() | self.target.is_device.val());
        if self.parsed.header.message.val() {
            self.placed.allowed.next = self.message.has_room.val() & self.target.in_memory.val();
        }
        self.placed.no_register.next = !self.taking.q.val() | self.parsed.header.message.val();
        self.placed.front_allowed.next = self.message.fits.val() & self.target.in_memory.val();

        // The flit, and its packet.
        self.placed.word.next = self.held_word.q.val();
        self.placed.payload.next = self.has_payload.q.val();
        self.placed.closes.next = self.has_end.q.val();
        self.placed.front.next = self.has_front.q.val();
        self.placed.atomic.next = self.has_atomic.q.val();
        self.placed.lower.next = self.has_lower.q.val();
        self.placed.malformed.next = self.has_fault.q.val();
        wire!(packet.window => placed: mode);
        self.ending.starts.next = self.starts.val();
        wire!(parsed.header => ending.header: put, reply, stream, message, get_slot, source, last, slot);
        wire!(packet.window => ending: mode, event_enable, event_number);
        wire!(packet => ending: ends, fault);
        wire!(message => ending: is_queue, reason);

        // What its packet writes to its row.
        self.message_counts.next = self.has_front.q.val() & self.placed.goes.val() & self.placed.front_allowed.val();
        self.packet.count_message.next = self.message_counts.val();
        self.row.may_write.next = self.has_payload.q.val() | self.has_end.q.val() | self.has_front.q.val();
        self.row.device.next = self.target.is_device.val() & (self.has_payload.q.val() | self.has_atomic.q.val());
        self.row.unkept.next = !self.packet.valid.val();
        wire!(packet => row_write: tag);
        self.row_write.write_pointer.next = self.message_counts.val()
            | (self.parsed.header.stream.val()
                & self.ending.allowed.val()
                & self.advance.val()
                & self.held_last.q.val());
        self.row_write.next_position.next = self.walk.position.val();
        self.row_write.next_done.next = self.walk.done.val();
        if self.parsed.header.message.val() {
            self.row_write.next_position.next = bit_cast::<PLACE_WIDTH, MESSAGES_WIDTH>(self.packet.next_written.val());
            self.row_write.next_done.next = 0.into();
        }
        wire!(ending => row_write: write_ends, next_ends, next_fault);

        if self.rst.val() {
            self.has_payload.d.next = false;
            self.has_end.d.next = false;
            self.has_front.d.next = false;
            self.has_atomic.d.next = false;
            self.has_lower.d.next = false;
            self.has_fault.d.next = false;
        }
    }
}
