use crate::ni::receive::{
    ports::{WindowIn, WindowOut},
    PLACE_WIDTH,
};
use portico_spec::{
    flit::TAG_WIDTH,
    ni::{
        event::EVENT_WIDTH,
        packet::ERROR_WIDTH,
        window::{ENDS_WIDTH, MESSAGES_WIDTH, MODE_WIDTH, SLOTS_WIDTH, SLOT_WORDS_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// What is known of the tag of the packet in hand.
///
/// Keeps window, ends and messages from the head of a packet to the next.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one head a cycle |
/// | timing | outputs but for `is_same` come from flip-flops |
/// | state | a row, and whose |
///
/// A packet that follows another of its tag finds here what that one has made of the counts: the row in the table may be
/// older, as it is read before the packet in front ends. After a write of software the table counts again.
#[derive(LogicBlock, Default)]
pub struct PacketTag {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// A head goes on: its tag and row count from the next cycle on.
    pub take: Signal<In, Bit>,
    /// Tag of the head in hand, as the number of its row.
    pub next_tag: Signal<In, Bits<TAG_WIDTH>>,
    /// Window of the head in hand, from its row.
    pub row: WindowIn,
    /// Ends of transfers, from the row of the head in hand.
    pub row_ends: Signal<In, Bits<ENDS_WIDTH>>,
    /// Fault of a stream, from the row of the head in hand; 0 for none.
    pub row_fault: Signal<In, Bits<ERROR_WIDTH>>,
    /// Messages ever written, from the row of the head in hand; meant for a queue only.
    pub row_written: Signal<In, Bits<MESSAGES_WIDTH>>,
    /// Messages ever released, from the row of the head in hand.
    pub row_released: Signal<In, Bits<MESSAGES_WIDTH>>,
    /// Software writes a row.
    pub touched: Signal<In, Bit>,
    /// The head is of the tag in hand, and what is kept here is newer than its row.
    pub is_same: Signal<Out, Bit>,
    /// What is kept here is as new as the row, or newer.
    pub valid: Signal<Out, Bit>,
    /// Tag of the packet in hand, as the number of its row.
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    /// Window of the packet in hand, as its row had it when the head went on.
    pub window: WindowOut,
    /// The packet in hand closes: `next_ends` and `next_fault` count from the next cycle on.
    pub write_ends: Signal<In, Bit>,
    /// Ends of transfers with this packet.
    pub next_ends: Signal<In, Bits<ENDS_WIDTH>>,
    /// Fault of the tag after this packet, 0 for none.
    pub next_fault: Signal<In, Bits<ERROR_WIDTH>>,
    /// Ends of transfers of the tag.
    pub ends: Signal<Out, Bits<ENDS_WIDTH>>,
    /// Why a word of a stream was refused since its last end of transfer; 0 if none was.
    pub fault: Signal<Out, Bits<ERROR_WIDTH>>,
    /// A message counts.
    pub count_message: Signal<In, Bit>,
    /// Messages ever written to the queue.
    pub written: Signal<Out, Bits<MESSAGES_WIDTH>>,
    /// Messages ever written, with one more: the count after `count_message`.
    pub next_written: Signal<Out, Bits<MESSAGES_WIDTH>>,
    /// Messages ever released, as the row had it when the head went on.
    pub released: Signal<Out, Bits<MESSAGES_WIDTH>>,
    held: DFF<Bit>,
    held_tag: DFF<Bits<TAG_WIDTH>>,
    base: DFF<Bits<PLACE_WIDTH>>,
    size: DFF<Bits<PLACE_WIDTH>>,
    mode: DFF<Bits<MODE_WIDTH>>,
    event_enable: DFF<Bit>,
    event_number: DFF<Bits<EVENT_WIDTH>>,
    slot_words: DFF<Bits<SLOT_WORDS_WIDTH>>,
    slots: DFF<Bits<SLOTS_WIDTH>>,
    held_ends: DFF<Bits<ENDS_WIDTH>>,
    held_fault: DFF<Bits<ERROR_WIDTH>>,
    held_written: DFF<Bits<MESSAGES_WIDTH>>,
    held_released: DFF<Bits<MESSAGES_WIDTH>>,
}

#[kernel]
impl Logic for PacketTag {
    fn update(&mut self) {
        dff_setup!(self, clk, held, held_tag, base, size, mode, event_enable);
        dff_setup!(self, clk, event_number, slot_words, slots);
        dff_setup!(self, clk, held_ends, held_fault, held_written, held_released);
        self.is_same.next = self.held.q.val() & (self.next_tag.val() == self.held_tag.q.val());
        self.next_written.next = self.held_written.q.val() + 1;
        if self.write_ends.val() {
            self.held_ends.d.next = self.next_ends.val();
            self.held_fault.d.next = self.next_fault.val();
        }
        if self.count_message.val() {
            self.held_written.d.next = self.next_written.val();
        }
        if self.take.val() {
            self.held.d.next = true;
            self.held_tag.d.next = self.next_tag.val();
            self.base.d.next = self.row.base.val();
            self.size.d.next = self.row.size.val();
            self.mode.d.next = self.row.mode.val();
            self.event_enable.d.next = self.row.event_enable.val();
            self.event_number.d.next = self.row.event_number.val();
            self.slot_words.d.next = self.row.slot_words.val();
            self.slots.d.next = self.row.slots.val();
            self.held_released.d.next = self.row_released.val();
            if !self.is_same.val() {
                self.held_ends.d.next = self.row_ends.val();
                self.held_fault.d.next = self.row_fault.val();
                self.held_written.d.next = self.row_written.val();
            }
        }
        if self.touched.val() | self.rst.val() {
            self.held.d.next = false;
        }
        self.valid.next = self.held.q.val();
        self.tag.next = self.held_tag.q.val();
        self.window.base.next = self.base.q.val();
        self.window.size.next = self.size.q.val();
        self.window.mode.next = self.mode.q.val();
        self.window.event_enable.next = self.event_enable.q.val();
        self.window.event_number.next = self.event_number.q.val();
        self.window.slot_words.next = self.slot_words.q.val();
        self.window.slots.next = self.slots.q.val();
        self.ends.next = self.held_ends.q.val();
        self.fault.next = self.held_fault.q.val();
        self.written.next = self.held_written.q.val();
        self.released.next = self.held_released.q.val();
    }
}
