use crate::{
    bus::MemoryReadOut,
    dma::ports::{ChunkIn, ChunkOut},
    prim::{FifoControl, LutRam},
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
/// | latency | 0 cycles from a chunk to its first request, or to its literal |
/// | throughput | one word a cycle; a literal waits until the words before it have come |
/// | state | the place in the chunk, the room left, the requests open |
///
/// A request goes out only if there is room for its word behind those that are on their way.
#[derive(LogicBlock, Default)]
pub struct Reader<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high. Words still on their way from the memory must not come after it.
    pub rst: Signal<In, Bit>,
    pub chunk: ChunkIn,
    pub memory_read: MemoryReadOut<W>,
    /// A word for the payload FIFO, which has room for it.
    pub push: Signal<Out, Bit>,
    pub data: Signal<Out, Bits<W>>,
    /// A word leaves that FIFO.
    pub popped: Signal<In, Bit>,
    at: DFF<Bits<COUNT_WIDTH>>,
    room: DFF<Bits<ROOM_WIDTH>>,
    on_their_way: DFF<Bits<ROOM_WIDTH>>,
    asks: Signal<Local, Bit>,
    asked: Signal<Local, Bit>,
    copies: Signal<Local, Bit>,
    after: Signal<Local, Bits<COUNT_WIDTH>>,
    depth: Constant<Bits<ROOM_WIDTH>>,
}

impl<const W: usize> Reader<W> {
    /// In front of a payload FIFO of `depth` words.
    pub fn new(depth: usize) -> Self {
        Self {
            depth: Constant::new(bits(depth as u64)),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Reader<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, at, room, on_their_way);
        self.asks.next = self.chunk.valid.val() & !self.chunk.literal.val() & self.room.q.val().any();
        self.asked.next = self.asks.val() & self.memory_read.ready.val();
        self.copies.next = self.chunk.valid.val()
            & self.chunk.literal.val()
            & self.room.q.val().any()
            & !self.on_their_way.q.val().any();
        self.memory_read.valid.next = self.asks.val();
        self.memory_read.address.next = bit_cast::<OFFSET_WIDTH, 32>(self.chunk.value.val())
            + bit_cast::<OFFSET_WIDTH, COUNT_WIDTH>(self.at.q.val());

        self.after.next = self.at.q.val() + 1;
        self.chunk.ready.next = self.copies.val() | (self.asked.val() & (self.after.val() == self.chunk.words.val()));
        if self.asked.val() {
            self.at.d.next = self.after.val();
            if self.after.val() == self.chunk.words.val() {
                self.at.d.next = 0.into();
            }
        }

        self.push.next = self.copies.val() | self.memory_read.data_valid.val();
        self.data.next = self.memory_read.data.val();
        if self.copies.val() {
            self.data.next = bit_cast::<W, 32>(self.chunk.value.val());
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
            self.at.d.next = 0.into();
            self.room.d.next = self.depth.val();
            self.on_their_way.d.next = 0.into();
        }
    }
}

const DEPTH_BITS: usize = 2;

/// Chunks on their way to the reader.
///
/// A FIFO of chunks.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one chunk a cycle |
/// | state | 4 chunks in LUT-RAM |
#[derive(LogicBlock, Default)]
pub struct ChunkQueue {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: empty afterwards.
    pub rst: Signal<In, Bit>,
    pub chunk_in: ChunkIn,
    pub chunk_out: ChunkOut,
    control: FifoControl<DEPTH_BITS>,
    literals: LutRam<1, DEPTH_BITS>,
    values: LutRam<32, DEPTH_BITS>,
    words: LutRam<COUNT_WIDTH, DEPTH_BITS>,
}

#[kernel]
impl Logic for ChunkQueue {
    fn update(&mut self) {
        wire!(self => control: clk, rst);
        wire!(self => literals, values, words: clk);
        self.control.write.next = self.chunk_in.valid.val();
        self.chunk_in.ready.next = !self.control.full.val();
        self.control.read.next = self.chunk_out.ready.val();
        self.chunk_out.valid.next = !self.control.empty.val();

        wire!(control => literals: write_enable, write_address);
        self.literals.write_data.next = self.chunk_in.literal.val().into();
        self.literals.read_address.next = self.control.read_address.val();
        self.chunk_out.literal.next = self.literals.read_data.val().any();
        wire!(control => values: write_enable, write_address);
        self.values.write_data.next = self.chunk_in.value.val();
        self.values.read_address.next = self.control.read_address.val();
        self.chunk_out.value.next = self.values.read_data.val();
        wire!(control => words: write_enable, write_address);
        self.words.write_data.next = self.chunk_in.words.val();
        self.words.read_address.next = self.control.read_address.val();
        self.chunk_out.words.next = self.words.read_data.val();
    }
}
