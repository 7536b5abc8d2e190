use super::{FrontDecoder, QueuePlace};
use crate::{
    bus::{AddressMatch, HeadEncoder, MemoryReadOut, RegisterWriteIn},
    ni::receive::{ports::ReleasePortOut, PLACE_WIDTH},
    prim::{Fifo, StreamOut},
};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::{
        packet::{ControlKind, OFFSET_WIDTH},
        registers::Block as Registers,
        segment::HANDLE_WIDTH,
        window::{Mode, MESSAGES_WIDTH, MODE_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// Requests that wait.
const DEPTH: usize = 8;
const ADDRESS_WIDTH: usize = DEPTH.trailing_zeros() as usize;
/// A tag, and how many messages of it.
const REQUEST_WIDTH: usize = MESSAGES_WIDTH + TAG_WIDTH;

/// What comes next.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Turn {
    Idle,
    /// The tables answer.
    Load,
    /// Where is the oldest message?
    Find,
    /// Reads the word in front of it.
    Ask,
    Await,
    Send,
    /// The tables are busy: counts the message later.
    Count,
}

/// Gives the places of taken messages back: a credit to the sender of each, then the place is free.
///
/// Releases messages.
///
/// | | |
/// | --- | --- |
/// | latency | 5 cycles from a request to its first credit, with a memory that gives data after a cycle |
/// | throughput | 4 cycles a message of one request, 5 from request to request |
/// | state | 8 requests in LUT-RAM, the message in hand |
///
/// No more messages are released than have been written before the request.
#[derive(LogicBlock, Default)]
pub struct Release<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    pub register_write: RegisterWriteIn,
    /// A request is taken only while this is high.
    pub ready: Signal<Out, Bit>,
    /// The tables are busy.
    pub busy: Signal<In, Bit>,
    pub tables: ReleasePortOut,
    pub memory_read: MemoryReadOut<W>,
    pub m_axis: StreamOut<32>,
    requests: Fifo<REQUEST_WIDTH, ADDRESS_WIDTH>,
    write_match: AddressMatch<{ Registers::Release as usize }, TAG_WIDTH>,
    locator: QueuePlace,
    decoder: FrontDecoder,
    head: HeadEncoder,
    turn: DFF<Turn>,
    tag: DFF<Bits<TAG_WIDTH>>,
    left: DFF<Bits<MESSAGES_WIDTH>>,
    released: DFF<Bits<MESSAGES_WIDTH>>,
    written: DFF<Bits<MESSAGES_WIDTH>>,
    address: DFF<Bits<OFFSET_WIDTH>>,
    source: DFF<Bits<NODE_WIDTH>>,
    handle: DFF<Bits<HANDLE_WIDTH>>,
    start: Signal<Local, Bits<PLACE_WIDTH>>,
    counts: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize> Logic for Release<W> {
    fn update(&mut self) {
        wire!(self => requests: clk, rst);
        dff_setup!(self, clk, turn, tag, left, released, written, address, source, handle);
        self.write_match.index.next = self.register_write.index.val();
        self.requests.s_axis.tvalid.next = self.register_write.enable.val() & self.write_match.hit.val();
        self.requests.s_axis.tdata.next =
            bit_cast::<REQUEST_WIDTH, MESSAGES_WIDTH>(self.register_write.data.val().get_bits::<MESSAGES_WIDTH>(0))
                | (bit_cast::<REQUEST_WIDTH, TAG_WIDTH>(self.register_write.index.val().get_bits::<TAG_WIDTH>(0))
                    << bits::<5>(MESSAGES_WIDTH));
        self.requests.s_axis.tlast.next = true;
        self.ready.next = self.requests.s_axis.tready.val();

        self.locator.number.next = self.released.q.val();
        wire!(tables => locator: slots, slot_words);
        self.start.next = self.tables.base.val() + self.locator.place.val();
        self.memory_read.valid.next = false;
        self.memory_read.address.next = self.address.q.val();
        self.decoder.word.next = bit_cast::<32, W>(self.memory_read.data.val());
        self.head.destination.next = self.source.q.val();
        self.head.source.next = self.node.val();
        self.head.tag.next = self.handle.q.val();
        self.head.kind.next = bits::<KIND_WIDTH>(ControlKind::Credit as u64);
        self.head.last.next = false;
        self.m_axis.tdata.next = self.head.word.val();
        self.m_axis.tlast.next = true;
        self.m_axis.tvalid.next = false;

        self.counts.next = false;
        self.ends.next = false;
        match self.turn.q.val() {
            Turn::Idle => self.ends.next = true,
            Turn::Load => {
                self.released.d.next = self.tables.released.val();
                self.written.d.next = self.tables.written.val();
                self.turn.d.next = Turn::Find;
            }
            Turn::Find => {
                self.address.d.next = bit_cast::<OFFSET_WIDTH, PLACE_WIDTH>(self.start.val());
                self.turn.d.next = Turn::Ask;
                self.ends.next = !self.left.q.val().any()
                    | (self.released.q.val() == self.written.q.val())
                    | (self.tables.mode.val() != bits::<MODE_WIDTH>(Mode::Queue as u64));
            }
            Turn::Ask => {
                self.memory_read.valid.next = true;
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
                self.m_axis.tvalid.next = true;
                self.counts.next = self.m_axis.tready.val() & !self.busy.val();
                if self.m_axis.tready.val() {
                    self.turn.d.next = Turn::Count;
                }
            }
            Turn::Count => self.counts.next = !self.busy.val(),
        }
        self.tables.write.next = self.counts.val();
        self.tables.write_tag.next = self.tag.q.val();
        self.tables.next_released.next = self.released.q.val() + 1;
        if self.counts.val() {
            self.released.d.next = self.released.q.val() + 1;
            self.left.d.next = self.left.q.val() - 1;
            self.turn.d.next = Turn::Find;
            if self.left.q.val() == 1 {
                self.ends.next = true;
            }
        }

        self.begins.next = self.ends.val() & self.requests.m_axis.tvalid.val() & !self.busy.val();
        self.requests.m_axis.tready.next = self.begins.val();
        self.tables.read.next = self.begins.val();
        self.tables.read_tag.next = self.requests.m_axis.tdata.val().get_bits::<TAG_WIDTH>(MESSAGES_WIDTH);
        if self.ends.val() {
            self.turn.d.next = Turn::Idle;
        }
        if self.begins.val() {
            self.turn.d.next = Turn::Load;
            self.tag.d.next = self.requests.m_axis.tdata.val().get_bits::<TAG_WIDTH>(MESSAGES_WIDTH);
            self.left.d.next = self.requests.m_axis.tdata.val().get_bits::<MESSAGES_WIDTH>(0);
        }
        if self.rst.val() {
            self.turn.d.next = Turn::Idle;
        }
    }
}
