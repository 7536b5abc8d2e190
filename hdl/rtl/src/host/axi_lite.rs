//! A host's way into a node: AXI4-Lite (ARM IHI 0022) to its memory, registers and command stream.
//!
//! | | |
//! | --- | --- |
//! | latency | write 2 cycles, read 3 cycles, if the target takes it at once |
//! | throughput | one write every 2 cycles and one read every 4 cycles, both at once |
//! | order | one write and one read under way; no order between the two |
//! | state | [`AxiLiteWriter`] and [`AxiLiteReader`] |
//!
//! The address space is a node's: memory from byte 0, one register a word from byte 0x80000, where words of 64 bits show
//! 0 in the upper half and ignore what a whole write has there. A write to the COMMAND block is a beat of `m_axis_command`,
//! the last of its descriptor at place 15. SLVERR answers addresses without memory or register, writes of some bytes of a
//! register, and words of a descriptor that the queue drops. A write of no bytes to a place that exists has no effect and
//! succeeds.

use super::{address_map::ADDRESS_WIDTH, AxiLiteReader, AxiLiteWriter};
use crate::{
    bus::{MemoryReadOut, MemoryWriteOut, RegisterFetchOut, RegisterRequestOut},
    prim::StreamOut,
};
use portico_verilog::prelude::*;

/// The response of a slave that refuses.
pub(super) const SLAVE_ERROR: u64 = 2;

/// The slave side of AXI4-Lite, with 32 bits of data. The halves are no part of the ports' names.
#[interface(mirror = AxiLiteOut)]
pub struct AxiLiteIn {
    /// Writes.
    pub write_: AxiLiteWriteIn,
    /// Reads.
    pub read_: AxiLiteReadIn,
}

/// The three channels of writes, with 32 bits of data.
#[interface(mirror = AxiLiteWriteOut)]
pub struct AxiLiteWriteIn {
    /// Byte address of the word to write; bits 1:0 are ignored.
    pub awaddr: Signal<In, Bits<ADDRESS_WIDTH>>,
    /// Protection of the write; ignored.
    pub awprot: Signal<In, Bits<3>>,
    /// The address of a write is offered, and stays until it is taken.
    pub awvalid: Signal<In, Bit>,
    /// The address of the write is taken.
    pub awready: Signal<Out, Bit>,
    /// Value to write.
    pub wdata: Signal<In, Bits<32>>,
    /// Bytes to write: one bit a byte, bit 0 for bits 7 to 0. A register takes all or none.
    pub wstrb: Signal<In, Bits<4>>,
    /// The value to write is offered, before or after its address, and stays until it is taken.
    pub wvalid: Signal<In, Bit>,
    /// The value to write is taken.
    pub wready: Signal<Out, Bit>,
    /// Response to the write: 0 if it is done, 2 (SLVERR) if it is refused.
    pub bresp: Signal<Out, Bits<2>>,
    /// The response to the write is offered, and stays until it is taken.
    pub bvalid: Signal<Out, Bit>,
    /// The response to the write is taken.
    pub bready: Signal<In, Bit>,
}

/// The two channels of reads, with 32 bits of data.
#[interface(mirror = AxiLiteReadOut)]
pub struct AxiLiteReadIn {
    /// Byte address of the word to read; bits 1:0 are ignored.
    pub araddr: Signal<In, Bits<ADDRESS_WIDTH>>,
    /// Protection of the read; ignored.
    pub arprot: Signal<In, Bits<3>>,
    /// The address of a read is offered, and stays until it is taken.
    pub arvalid: Signal<In, Bit>,
    /// The address of the read is taken.
    pub arready: Signal<Out, Bit>,
    /// The value read; 0 if the read is refused.
    pub rdata: Signal<Out, Bits<32>>,
    /// Response to the read: 0 if it is done, 2 (SLVERR) if it is refused.
    pub rresp: Signal<Out, Bits<2>>,
    /// Value and response of the read are offered, and stay until they are taken.
    pub rvalid: Signal<Out, Bit>,
    /// Value and response of the read are taken.
    pub rready: Signal<In, Bit>,
}

/// The slave of a node with words of `W` bits, `B` bytes.
#[derive(LogicBlock, Default)]
pub struct AxiLiteSlave<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: drops the accesses under way.
    pub rst: Signal<In, Bit>,
    /// Reads and writes of the host.
    pub s_axil: AxiLiteIn,
    /// Writes of the host to the memory of the node, 4 bytes at most.
    pub memory_write: MemoryWriteOut<W, B>,
    /// Reads of the memory of the node for the host, one at a time.
    pub memory_read: MemoryReadOut<W>,
    /// Writes of registers outside of block COMMAND.
    pub register_write: RegisterRequestOut,
    /// Reads of registers, one at a time.
    pub register_read: RegisterFetchOut,
    /// Words of descriptors: the writes to block COMMAND. The word at place 15 is the last of its descriptor.
    pub m_axis_command: StreamOut<32>,
    /// The queue drops the word of `m_axis_command` that it takes in this cycle.
    pub command_refused: Signal<In, Bit>,
    writer: AxiLiteWriter<W, B>,
    reader: AxiLiteReader<W>,
}

impl<const W: usize, const B: usize> AxiLiteSlave<W, B> {
    /// For a node with `memory_bytes` of memory; panics unless that is 1 to 0x80000, a whole number of words, and W is
    /// 32 or 64 and 8 B.
    pub fn new(memory_bytes: usize) -> Self {
        assert_eq!(W, 8 * B, "AXI4-Lite slave: {B} bytes in a word of {W} bits");
        Self {
            writer: AxiLiteWriter::new(memory_bytes),
            reader: AxiLiteReader::new(memory_bytes),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for AxiLiteSlave<W, B> {
    fn update(&mut self) {
        wire!(self => writer, reader: clk, rst);
        wire!(self.s_axil.write_ <=> writer.s_axil);
        wire!(self <=> writer: memory_write, register_write, m_axis_command);
        self.writer.command_refused.next = self.command_refused.val();

        wire!(self.s_axil.read_ <=> reader.s_axil);
        wire!(self <=> reader: memory_read, register_read);
    }
}
