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
//! 0 in the upper half and ignore what is written there. A write to the COMMAND block is a beat of `m_axis_command`,
//! the last of its descriptor at place 15. SLVERR answers addresses without memory or register, writes of some bytes of a
//! register, and words of a descriptor that the queue drops. A write of no bytes has no effect and succeeds.

use super::{address_map::ADDRESS_WIDTH, AxiLiteReader, AxiLiteWriter};
use crate::{
    bus::{MemoryReadOut, MemoryWriteOut},
    prim::StreamOut,
};
use portico_spec::ni::registers::INDEX_WIDTH;
use portico_verilog::prelude::*;

/// The response of a slave that refuses.
pub(super) const SLAVE_ERROR: u64 = 2;

/// The slave side of AXI4-Lite, with 32 bits of data.
#[interface(mirror = AxiLiteOut)]
pub struct AxiLiteIn {
    pub awaddr: Signal<In, Bits<ADDRESS_WIDTH>>,
    pub awprot: Signal<In, Bits<3>>,
    pub awvalid: Signal<In, Bit>,
    pub awready: Signal<Out, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    pub wstrb: Signal<In, Bits<4>>,
    pub wvalid: Signal<In, Bit>,
    pub wready: Signal<Out, Bit>,
    pub bresp: Signal<Out, Bits<2>>,
    pub bvalid: Signal<Out, Bit>,
    pub bready: Signal<In, Bit>,
    pub araddr: Signal<In, Bits<ADDRESS_WIDTH>>,
    pub arprot: Signal<In, Bits<3>>,
    pub arvalid: Signal<In, Bit>,
    pub arready: Signal<Out, Bit>,
    pub rdata: Signal<Out, Bits<32>>,
    pub rresp: Signal<Out, Bits<2>>,
    pub rvalid: Signal<Out, Bit>,
    pub rready: Signal<In, Bit>,
}

/// The slave of a node with words of `W` bits, `B` bytes.
#[derive(LogicBlock, Default)]
pub struct AxiLiteSlave<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: drops the accesses under way.
    pub rst: Signal<In, Bit>,
    pub s_axil: AxiLiteIn,
    pub memory_write: MemoryWriteOut<W, B>,
    pub memory_read: MemoryReadOut<W>,
    pub register_write_valid: Signal<Out, Bit>,
    pub register_write_index: Signal<Out, Bits<INDEX_WIDTH>>,
    pub register_write_data: Signal<Out, Bits<32>>,
    pub register_write_ready: Signal<In, Bit>,
    pub register_read_valid: Signal<Out, Bit>,
    pub register_read_index: Signal<Out, Bits<INDEX_WIDTH>>,
    pub register_read_ready: Signal<In, Bit>,
    /// The value, in the one cycle in which `register_read_data_valid` is high.
    pub register_read_data: Signal<In, Bits<32>>,
    pub register_read_data_valid: Signal<In, Bit>,
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
        wire!(s_axil => writer: awaddr, awvalid);
        self.s_axil.awready.next = self.writer.awready.val();
        wire!(s_axil => writer: wdata, wstrb, wvalid);
        wire!(writer => s_axil: wready, bresp, bvalid);
        self.writer.bready.next = self.s_axil.bready.val();
        MemoryWriteOut::<W, B>::link(&mut self.memory_write, &mut self.writer.memory_write);
        wire!(writer => self: register_write_valid, register_write_index, register_write_data);
        self.writer.register_write_ready.next = self.register_write_ready.val();
        StreamOut::<32>::link(&mut self.m_axis_command, &mut self.writer.m_axis_command);
        self.writer.command_refused.next = self.command_refused.val();

        wire!(s_axil => reader: araddr, arvalid);
        wire!(reader => s_axil: arready, rdata, rresp, rvalid);
        self.reader.rready.next = self.s_axil.rready.val();
        MemoryReadOut::<W>::link(&mut self.memory_read, &mut self.reader.memory_read);
        wire!(reader => self: register_read_valid, register_read_index);
        wire!(self => reader: register_read_ready, register_read_data, register_read_data_valid);
    }
}
