//! Chunks on their way to the reader.
//!
//! | | |
//! | --- | --- |
//! | latency | 1 cycle |
//! | throughput | one chunk a cycle |
//! | state | 4 chunks in LUT-RAM |

use crate::{
    ni::ports::{ChunkIn, ChunkOut},
    prim::{FifoControl, LutRam},
};
use portico_spec::ni::instruction::COUNT_WIDTH;
use rust_hdl::prelude::*;

const DEPTH_BITS: usize = 2;
const DEPTH: usize = 1 << DEPTH_BITS;

/// A FIFO of chunks.
#[derive(LogicBlock)]
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

impl Default for ChunkQueue {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            chunk_in: Default::default(),
            chunk_out: Default::default(),
            control: FifoControl::new(DEPTH),
            literals: LutRam::new(DEPTH),
            values: LutRam::new(DEPTH),
            words: LutRam::new(DEPTH),
        }
    }
}

impl Logic for ChunkQueue {
    #[hdl_gen]
    fn update(&mut self) {
        self.control.clk.next = self.clk.val();
        self.control.rst.next = self.rst.val();
        self.control.write.next = self.chunk_in.valid.val();
        self.chunk_in.ready.next = !self.control.full.val();
        self.control.read.next = self.chunk_out.ready.val();
        self.chunk_out.valid.next = !self.control.empty.val();

        self.literals.clk.next = self.clk.val();
        self.literals.write_enable.next = self.control.write_enable.val();
        self.literals.write_address.next = self.control.write_address.val();
        self.literals.write_data.next = self.chunk_in.literal.val().into();
        self.literals.read_address.next = self.control.read_address.val();
        self.chunk_out.literal.next = self.literals.read_data.val().any();
        self.values.clk.next = self.clk.val();
        self.values.write_enable.next = self.control.write_enable.val();
        self.values.write_address.next = self.control.write_address.val();
        self.values.write_data.next = self.chunk_in.value.val();
        self.values.read_address.next = self.control.read_address.val();
        self.chunk_out.value.next = self.values.read_data.val();
        self.words.clk.next = self.clk.val();
        self.words.write_enable.next = self.control.write_enable.val();
        self.words.write_address.next = self.control.write_address.val();
        self.words.write_data.next = self.chunk_in.words.val();
        self.words.read_address.next = self.control.read_address.val();
        self.chunk_out.words.next = self.words.read_data.val();
    }
}
