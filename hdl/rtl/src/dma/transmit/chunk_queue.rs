use crate::{
    dma::ports::{ChunkIn, ChunkOut},
    prim::{FifoControl, LutRam},
};
use portico_spec::ni::instruction::COUNT_WIDTH;
use portico_verilog::prelude::*;

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
