use crate::{
    bus::MemoryReadOut,
    dma::ports::{ChunkIn, ChunkOut},
    prim::Queue,
};
use portico_spec::ni::{instruction::COUNT_WIDTH, packet::OFFSET_WIDTH};
use portico_verilog::prelude::*;

/// Wide enough for the words of the payload FIFO.
const ROOM_WIDTH: usize = 8;

/// Reads the words of chunks, and puts them and literals in order.
///
/// From chunks to words.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a chunk to its first request, or to its literal |
/// | throughput | one word a cycle; a literal waits until the words before it have come |
/// | state | the chunk in hand, the room left, the requests open |
///
/// A request goes out only if there is room for its word behind those that are on their way.
#[derive(LogicBlock, Default)]
pub struct Reader<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high. Words still on their way from the memory must not come after it.
    pub rst: Signal<In, Bit>,
    /// Chunks of payload, in the order of their packets.
    pub chunk: ChunkIn,
    /// Reads of the payload of packets.
    pub memory_read: MemoryReadOut<W>,
    /// A word for the payload FIFO, which has room for it.
    pub push: Signal<Out, Bit>,
    /// Word for the payload FIFO, valid with `push`.
    pub data: Signal<Out, Bits<W>>,
    /// A word leaves that FIFO.
    pub popped: Signal<In, Bit>,
    /// There is no chunk in hand.
    pub idle: Signal<Out, Bit>,
    /// There is a chunk in hand: a literal, or words from the address `value` on.
    busy: DFF<Bit>,
    literal: DFF<Bit>,
    value: DFF<Bits<32>>,
    /// Words after the next one.
    left: DFF<Bits<COUNT_WIDTH>>,
    /// One less than the words that there is room for, so that the sign says that there is none.
    room: DFF<Bits<ROOM_WIDTH>>,
    /// One less than the requests open.
    on_their_way: DFF<Bits<ROOM_WIDTH>>,
    has_room: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    asked: Signal<Local, Bit>,
    copies: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    most_room: Constant<Bits<ROOM_WIDTH>>,
}

impl<const W: usize> Reader<W> {
    /// In front of a payload FIFO of `depth` words.
    pub fn new(depth: usize) -> Self {
        Self {
            most_room: Constant::new(bits(depth as u64 - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Reader<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, busy, literal, value, left, room, on_their_way);
        self.has_room.next = !self.room.q.val().get_bit(ROOM_WIDTH - 1);
        self.asks.next = self.busy.q.val() & !self.literal.q.val() & self.has_room.val();
        self.asked.next = self.asks.val() & self.memory_read.ready.val();
        self.copies.next = self.busy.q.val()
            & self.literal.q.val()
            & self.has_room.val()
            & self.on_their_way.q.val().get_bit(ROOM_WIDTH - 1);
        self.memory_read.valid.next = self.asks.val();
        self.memory_read.address.next = bit_cast::<OFFSET_WIDTH, 32>(self.value.q.val());

        self.idle.next = !self.busy.q.val();
        self.takes.next = !self.busy.q.val() | self.copies.val() | (self.asked.val() & !self.left.q.val().any());
        self.chunk.ready.next = self.takes.val();
        if self.asked.val() {
            self.value.d.next = bit_cast::<32, OFFSET_WIDTH>(bit_cast::<OFFSET_WIDTH, 32>(self.value.q.val()) + 1);
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.takes.val() {
            self.busy.d.next = self.chunk.valid.val();
            self.literal.d.next = self.chunk.literal.val();
            self.value.d.next = self.chunk.value.val();
            self.left.d.next = self.chunk.words.val() - 1;
        }

        self.push.next = self.copies.val() | self.memory_read.data_valid.val();
        self.data.next = self.memory_read.data.val();
        if self.copies.val() {
            self.data.next = bit_cast::<W, 32>(self.value.q.val());
        }
        if (self.asked.val() | self.copies.val()) & !self.popped.val() {
            self.room.d.next = self.room.q.val() - 1;
        }
        if !self.asked.val() & !self.copies.val() & self.popped.val() {
            self.room.d.next = self.room.q.val() + 1;
        }
        if self.asked.val() & !self.memory_read.data_valid.val() {
            self.on_their_way.d.next = self.on_their_way.q.val() + 1;
        }
        if !self.asked.val() & self.memory_read.data_valid.val() {
            self.on_their_way.d.next = self.on_their_way.q.val() - 1;
        }
        if self.rst.val() {
            self.busy.d.next = false;
            self.room.d.next = self.most_room.val();
            self.on_their_way.d.next = !bits::<ROOM_WIDTH>(0);
        }
    }
}

const DEPTH_BITS: usize = 2;

/// A chunk that waits; the fields are those of [`ChunkIn`].
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Chunk {
    pub literal: Bit,
    pub value: Bits<32>,
    pub words: Bits<COUNT_WIDTH>,
}

/// Chunks on their way to the reader.
///
/// A FIFO of chunks.
///
/// | | |
/// | --- | --- |
/// | latency | none to a reader that is idle, while the queue is empty; 1 cycle otherwise |
/// | throughput | one chunk a cycle |
/// | state | 4 chunks in LUT-RAM |
#[derive(LogicBlock, Default)]
pub struct ChunkQueue {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: empty afterwards.
    pub rst: Signal<In, Bit>,
    /// Chunks of payload, in the order of their packets.
    pub chunk_in: ChunkIn,
    /// The chunks for the reader, in the same order.
    pub chunk_out: ChunkOut,
    /// The reader has nothing to do.
    pub idle: Signal<In, Bit>,
    chunks: Queue<Chunk, DEPTH_BITS>,
    passes: Signal<Local, Bit>,
}

#[kernel]
impl Logic for ChunkQueue {
    fn update(&mut self) {
        wire!(self => chunks: clk, rst);
        self.passes.next = self.chunks.empty.val() & self.idle.val();
        self.chunks.write.next = self.chunk_in.valid.val() & !self.passes.val();
        self.chunks.write_data.next.literal = self.chunk_in.literal.val();
        self.chunks.write_data.next.value = self.chunk_in.value.val();
        self.chunks.write_data.next.words = self.chunk_in.words.val();
        self.chunk_in.ready.next = !self.chunks.full.val();
        self.chunks.read.next = self.chunk_out.ready.val();
        self.chunk_out.valid.next = !self.chunks.empty.val() | (self.chunk_in.valid.val() & self.idle.val());
        self.chunk_out.literal.next = self.chunks.read_data.val().literal;
        self.chunk_out.value.next = self.chunks.read_data.val().value;
        self.chunk_out.words.next = self.chunks.read_data.val().words;
        if self.chunks.empty.val() {
            wire!(chunk_in => chunk_out: literal, value, words);
        }
    }
}
