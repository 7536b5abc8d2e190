use super::{FrontDecoder, QueuePlace};
use crate::{
    bus::{AddressMatch, HeadEncoder, MemoryReadOut, RegisterWriteIn},
    ni::receive::{ports::ReleasePortOut, PLACE_WIDTH},
    prim::{Queue, StreamOut},
};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::{
        packet::{ControlKind, OFFSET_WIDTH},
        registers::Block as Registers,
        segment::HANDLE_WIDTH,
        window::{Mode, MESSAGES_WIDTH, MODE_WIDTH, SLOTS_WIDTH, SLOT_WORDS_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// Requests that wait.
const DEPTH: usize = 8;
const ADDRESS_WIDTH: usize = DEPTH.trailing_zeros() as usize;

/// A request to release messages of a tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Request {
    /// How many.
    pub messages: Bits<MESSAGES_WIDTH>,
    pub tag: Bits<TAG_WIDTH>,
}

/// What comes next.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Turn {
    Idle,
    /// The row of the tag is there, unless a packet wrote as it was read.
    Load,
    /// Where is the oldest message?
    Find,
    /// Reads the word in front of it.
    Ask,
    Await,
    /// The credit goes; then the message counts as released, while the next one is looked for.
    Send,
}

/// Gives the places of taken messages back: a credit to the sender of each, then the place is free.
///
/// Releases messages.
///
/// | | |
/// | --- | --- |
/// | latency | 6 cycles from the write of its register to the first credit, with a memory that gives data after a cycle |
/// | throughput | 4 cycles a message of one request, 7 from request to request |
/// | state | 8 requests in LUT-RAM, the message in hand |
///
/// No more messages are released than have been written before the request.
#[derive(LogicBlock, Default)]
pub struct Release<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// This node, as the source of the packets.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Writes to registers; one to the block RELEASE requests the release of so many messages of its tag.
    pub register_write: RegisterWriteIn,
    /// A request is taken only while this is high.
    pub ready: Signal<Out, Bit>,
    /// Reads and writes of the queue's row.
    pub tables: ReleasePortOut,
    /// Reads of the words in front of messages.
    pub memory_read: MemoryReadOut<W>,
    /// CREDIT packets.
    pub m_axis: StreamOut<32>,
    requests: Queue<Request, ADDRESS_WIDTH>,
    write_match: AddressMatch<{ Registers::Release as usize }, TAG_WIDTH>,
    locator: QueuePlace,
    decoder: FrontDecoder,
    head: HeadEncoder,
    turn: DFF<Turn>,
    tag: DFF<Bits<TAG_WIDTH>>,
    left: DFF<Bits<MESSAGES_WIDTH>>,
    released: DFF<Bits<MESSAGES_WIDTH>>,
    written: DFF<Bits<MESSAGES_WIDTH>>,
    base: DFF<Bits<PLACE_WIDTH>>,
    slots: DFF<Bits<SLOTS_WIDTH>>,
    slot_words: DFF<Bits<SLOT_WORDS_WIDTH>>,
    is_queue: DFF<Bit>,
    address: DFF<Bits<OFFSET_WIDTH>>,
    source: DFF<Bits<NODE_WIDTH>>,
    handle: DFF<Bits<HANDLE_WIDTH>>,
    /// The credit has gone, and its message does not yet count as released.
    counts: DFF<Bit>,
    next_tag: Signal<Local, Bits<TAG_WIDTH>>,
    begins: Signal<Local, Bit>,
    /// The row in hand is good: the request is taken.
    takes: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize> Logic for Release<W> {
    fn update(&mut self) {
        wire!(self => requests: clk, rst);
        dff_setup!(self, clk, turn, tag, left, released, written, base, slots, slot_words, is_queue, address);
        dff_setup!(self, clk, source, handle, counts);
        self.write_match.index.next = self.register_write.index.val();
        self.requests.write.next = self.register_write.enable.val() & self.write_match.hit.val();
        self.requests.write_data.next.messages = self.register_write.data.val().get_bits::<MESSAGES_WIDTH>(0);
        self.requests.write_data.next.tag = self.register_write.index.val().get_bits::<TAG_WIDTH>(0);
        self.ready.next = !self.requests.full.val();

        self.locator.number.next = self.released.q.val();
        self.locator.slots.next = self.slots.q.val();
        self.locator.slot_words.next = self.slot_words.q.val();
        self.address.d.next = bit_cast::<OFFSET_WIDTH, PLACE_WIDTH>(self.base.q.val() + self.locator.place.val());
        self.memory_read.valid.next = self.turn.q.val() == Turn::Ask;
        self.memory_read.address.next = self.address.q.val();
        self.decoder.word.next = bit_cast::<32, W>(self.memory_read.data.val());
        self.head.destination.next = self.source.q.val();
        self.head.source.next = self.node.val();
        self.head.tag.next = self.handle.q.val();
        self.head.kind.next = bits::<KIND_WIDTH>(ControlKind::Credit as u64);
        self.head.last.next = false;
        self.m_axis.tdata.next = self.head.word.val();
        self.m_axis.tlast.next = true;
        // Who reads the count may rely on the credit being on its way; and the count is there before the credit arrives.
        self.m_axis.tvalid.next = (self.turn.q.val() == Turn::Send) & !self.counts.q.val();
        self.tables.write.next = self.counts.q.val();
        self.tables.next_released.next = self.released.q.val();
        if self.tables.writes.val() {
            self.counts.d.next = false;
        }

        self.next_tag.next = self.requests.read_data.val().tag;
        self.tables.tag.next = self.tag.q.val();
        self.tables.read.next = false;
        self.begins.next = false;
        self.takes.next = false;
        match self.turn.q.val() {
            Turn::Idle => {
                if !self.counts.q.val() {
                    self.tables.read.next = !self.requests.empty.val();
                    self.tables.tag.next = self.next_tag.val();
                    self.begins.next = self.tables.reads.val();
                }
            }
            Turn::Load => {
                self.takes.next = !self.tables.torn.val();
                self.tables.read.next = self.tables.torn.val();
                self.tables.tag.next = self.next_tag.val();
                self.begins.next = self.tables.torn.val() & self.tables.reads.val();
                self.tag.d.next = self.next_tag.val();
                self.left.d.next = self.requests.read_data.val().messages;
                self.released.d.next = self.tables.released.val();
                self.written.d.next = self.tables.written.val();
                self.base.d.next = self.tables.base.val();
                self.slots.d.next = self.tables.slots.val();
                self.slot_words.d.next = self.tables.slot_words.val();
                self.is_queue.d.next = self.tables.mode.val() == bits::<MODE_WIDTH>(Mode::Queue as u64);
                self.turn.d.next = Turn::Idle;
                if self.takes.val() {
                    self.turn.d.next = Turn::Find;
                }
            }
            Turn::Find => {
                self.turn.d.next = Turn::Ask;
                if !self.left.q.val().any() | (self.released.q.val() == self.written.q.val()) | !self.is_queue.q.val() {
                    self.turn.d.next = Turn::Idle;
                }
            }
            Turn::Ask => {
                if self.memory_read.ready.val() {
                    self.turn.d.next = Turn::Await;
                }
            }
            Turn::Await => {
                self.source.d.next = self.decoder.source.val();
                self.handle.d.next = self.decoder.handle.val();
                if self.memory_read.data_valid.val() {
                    self.turn.d.next = Turn::Send;
                }
            }
            Turn::Send => {
                if self.m_axis.tvalid.val() & self.m_axis.tready.val() {
                    self.counts.d.next = true;
                    self.released.d.next = self.released.q.val() + 1;
                    self.left.d.next = self.left.q.val() - 1;
                    self.turn.d.next = Turn::Find;
                    if self.left.q.val() == 1 {
                        self.turn.d.next = Turn::Idle;
                    }
                }
            }
        }
        if self.begins.val() {
            self.turn.d.next = Turn::Load;
        }
        self.requests.read.next = self.takes.val();
        if self.rst.val() {
            self.turn.d.next = Turn::Idle;
            self.counts.d.next = false;
        }
    }
}
