use super::{FrontEncoder, QueuePlace};
use crate::ni::receive::PLACE_WIDTH;
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        command::SEGMENT_OFFSET,
        instruction::COUNT_WIDTH,
        packet::{ERROR_WIDTH, MAX_MESSAGE_WORDS},
        segment::HANDLE_WIDTH,
        window::{Mode, MESSAGES_WIDTH, MESSAGE_WORDS_WIDTH, MODE_WIDTH, SLOTS_WIDTH, SLOT_WORDS_WIDTH},
        ErrorCode,
    },
};
use portico_verilog::prelude::*;

/// A message on its way into a queue.
///
/// Watches over one message.
///
/// | | |
/// | --- | --- |
/// | latency | `place` and `place_after` are combinational; whether the queue is full is known 2 cycles after `written` and `released`, when the first word of payload is due |
/// | throughput | one word a cycle |
/// | state | the message: its words, its place, what speaks against it |
///
/// The payload is written as it comes, behind the place of the word in front; a message counts only once that word is
/// written. So a message that turns out not to fit leaves nothing behind but words in a free slot.
#[derive(LogicBlock, Default)]
pub struct Message {
    pub clk: Signal<In, Clock>,
    /// What the window of the packet in hand takes.
    pub mode: Signal<In, Bits<MODE_WIDTH>>,
    /// Slots of the queue, as the power of two.
    pub slots: Signal<In, Bits<SLOTS_WIDTH>>,
    /// Words of the queue's slot, as the power of two; one of them is in front of the message.
    pub slot_words: Signal<In, Bits<SLOT_WORDS_WIDTH>>,
    /// Messages ever written to the queue.
    pub written: Signal<In, Bits<MESSAGES_WIDTH>>,
    /// Messages ever released.
    pub released: Signal<In, Bits<MESSAGES_WIDTH>>,
    /// The low 32 bits of the flit.
    pub word: Signal<In, Bits<32>>,
    /// Node that sent the packet in hand.
    pub source: Signal<In, Bits<NODE_WIDTH>>,
    /// Word 0 is taken.
    pub begin_message: Signal<In, Bit>,
    /// A word of payload goes.
    pub advance: Signal<In, Bit>,
    /// There is memory for it in the window.
    pub in_memory: Signal<In, Bit>,
    /// Place of the first word of payload, while word 0 is there.
    pub place_after: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Place of the word in front of the message that begins, while word 0 is there.
    pub place: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Place of the word in front of the message in hand.
    pub place_in_hand: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Nothing speaks against the message so far.
    pub fits: Signal<Out, Bit>,
    /// Nothing speaks against the message so far, nor against one more word, as far as its length goes.
    pub has_room: Signal<Out, Bit>,
    /// The tag is a queue; a cycle after `mode`, when no word of the message is there yet.
    pub is_queue: Signal<Out, Bit>,
    /// Why a message to a queue is refused, if it is, once all of it has been there.
    pub reason: Signal<Out, Bits<ERROR_WIDTH>>,
    /// The word in front of the message, right once all of its payload has gone.
    pub front: Signal<Out, Bits<32>>,
    queue_place: QueuePlace,
    encoder: FrontEncoder,
    good: DFF<Bit>,
    words: DFF<Bits<COUNT_WIDTH>>,
    handle: DFF<Bits<HANDLE_WIDTH>>,
    place_held: DFF<Bits<PLACE_WIDTH>>,
    most_held: DFF<Bits<COUNT_WIDTH>>,
    /// One more word is not too long.
    room: DFF<Bit>,
    most: Signal<Local, Bits<COUNT_WIDTH>>,
    waiting: DFF<Bits<MESSAGES_WIDTH>>,
    is_full: DFF<Bit>,
    queues: DFF<Bit>,
}

#[kernel]
impl Logic for Message {
    fn update(&mut self) {
        dff_setup!(self, clk, good, words, handle, place_held, most_held, room, waiting, is_full, queues);
        self.queue_place.number.next = self.written.val();
        wire!(self => queue_place: slots, slot_words);
        self.place.next = self.queue_place.place.val();
        // Slots are aligned to their size.
        self.place_after.next = self.queue_place.place.val() | 1;
        self.place_in_hand.next = self.place_held.q.val();
        self.waiting.d.next = self.written.val() - self.released.val();
        // A queue has a power of two of slots.
        self.is_full.d.next = (self.waiting.q.val() >> self.slots.val()).any();
        self.queues.d.next = self.mode.val() == bits::<MODE_WIDTH>(Mode::Queue as u64);
        self.is_queue.next = self.queues.q.val();

        self.most.next = (bits::<COUNT_WIDTH>(1) << self.slot_words.val()) - 1;
        if self.slot_words.val() >= bits::<SLOT_WORDS_WIDTH>((MAX_MESSAGE_WORDS + 1).next_power_of_two().ilog2() as u64)
        {
            self.most.next = bits::<COUNT_WIDTH>(MAX_MESSAGE_WORDS);
        }
        self.fits.next = self.good.q.val() & self.queues.q.val() & !self.is_full.q.val();
        self.has_room.next = self.fits.val() & self.room.q.val();

        if self.advance.val() {
            self.words.d.next = self.words.q.val() + 1;
            self.room.d.next = self.words.q.val() + 1 < self.most_held.q.val();
            self.good.d.next = self.has_room.val() & self.in_memory.val();
        }
        if self.begin_message.val() {
            self.words.d.next = 0.into();
            self.handle.d.next = self.word.val().get_bits::<HANDLE_WIDTH>(SEGMENT_OFFSET);
            self.place_held.d.next = self.queue_place.place.val();
            self.most_held.d.next = self.most.val();
            self.room.d.next = self.most.val().any();
            self.good.d.next = true;
        }
        self.reason.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfWindow as u64);
        if self.words.q.val() > self.most_held.q.val() {
            self.reason.next = bits::<ERROR_WIDTH>(ErrorCode::TooLong as u64);
        }
        if self.is_full.q.val() {
            self.reason.next = bits::<ERROR_WIDTH>(ErrorCode::QueueFull as u64);
        }
        self.encoder.words.next = bit_cast::<MESSAGE_WORDS_WIDTH, COUNT_WIDTH>(self.words.q.val());
        self.encoder.source.next = self.source.val();
        self.encoder.handle.next = self.handle.q.val();
        self.front.next = self.encoder.word.val();
    }
}
