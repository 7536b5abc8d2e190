//! The master side of AXI4 (ARM IHI 0022), with addresses of 32 or 64 bits and one identifier.

use portico_verilog::prelude::*;

/// Burst type of ascending addresses.
pub(super) const INCREMENTING: u64 = 1;
/// Normal memory that is not cached and may be merged and buffered: reads see a write once the write is answered.
pub(super) const NORMAL_BUFFERABLE: u64 = 3;

/// The five channels, with `W` bits of data in `B` bytes, and addresses of `A` bits. The halves are no part of the ports' names.
#[interface]
pub struct AxiOut<const W: usize, const B: usize, const A: usize> {
    /// Bursts of writes.
    pub write_: AxiWriteOut<W, B, A>,
    /// Bursts of reads.
    pub read_: AxiReadOut<W, A>,
}

/// The three channels of writes, with `W` bits of data in `B` bytes, and addresses of `A` bits.
#[interface]
pub struct AxiWriteOut<const W: usize, const B: usize, const A: usize> {
    /// Identifier of a burst of writes: 0, so that the bursts stay in order.
    pub awid: Signal<Out, Bits<1>>,
    /// Byte address of the first word of a burst of writes, in external memory.
    pub awaddr: Signal<Out, Bits<A>>,
    /// Words of the burst of writes less one.
    pub awlen: Signal<Out, Bits<8>>,
    /// log2 of the bytes in a word of the burst of writes.
    pub awsize: Signal<Out, Bits<3>>,
    /// Type of the burst of writes: 1, ascending addresses.
    pub awburst: Signal<Out, Bits<2>>,
    /// Exclusive access of the burst of writes: always low.
    pub awlock: Signal<Out, Bit>,
    /// Memory type of the burst of writes: 3, normal memory that is not cached and may be buffered.
    pub awcache: Signal<Out, Bits<4>>,
    /// Protection of the burst of writes: 0, an unprivileged secure access to data.
    pub awprot: Signal<Out, Bits<3>>,
    /// Quality of service of the burst of writes: 0, none.
    pub awqos: Signal<Out, Bits<4>>,
    /// The address of a burst of writes is offered, and stays until it is taken.
    pub awvalid: Signal<Out, Bit>,
    /// The address of a burst of writes is taken.
    pub awready: Signal<In, Bit>,
    /// A word to write, in the order of the addresses of the bursts.
    pub wdata: Signal<Out, Bits<W>>,
    /// Bytes of the word to write: one bit a byte, bit 0 for bits 7 to 0.
    pub wstrb: Signal<Out, Bits<B>>,
    /// The word to write is the last of its burst.
    pub wlast: Signal<Out, Bit>,
    /// A word to write is offered, and stays until it is taken.
    pub wvalid: Signal<Out, Bit>,
    /// The word to write is taken.
    pub wready: Signal<In, Bit>,
    /// Identifier of the burst of writes that is answered; ignored.
    pub bid: Signal<In, Bits<1>>,
    /// Response to a burst of writes: bit 1 is high for an error.
    pub bresp: Signal<In, Bits<2>>,
    /// The response to the oldest burst of writes without one is offered.
    pub bvalid: Signal<In, Bit>,
    /// The response to a burst of writes is taken.
    pub bready: Signal<Out, Bit>,
}

/// The two channels of reads, with `W` bits of data, and addresses of `A` bits.
#[interface]
pub struct AxiReadOut<const W: usize, const A: usize> {
    /// Identifier of a burst of reads: 0, so that the bursts stay in order.
    pub arid: Signal<Out, Bits<1>>,
    /// Byte address of the first word of a burst of reads, in external memory.
    pub araddr: Signal<Out, Bits<A>>,
    /// Words of the burst of reads less one.
    pub arlen: Signal<Out, Bits<8>>,
    /// log2 of the bytes in a word of the burst of reads.
    pub arsize: Signal<Out, Bits<3>>,
    /// Type of the burst of reads: 1, ascending addresses.
    pub arburst: Signal<Out, Bits<2>>,
    /// Exclusive access of the burst of reads: always low.
    pub arlock: Signal<Out, Bit>,
    /// Memory type of the burst of reads: 3, normal memory that is not cached and may be buffered.
    pub arcache: Signal<Out, Bits<4>>,
    /// Protection of the burst of reads: 0, an unprivileged secure access to data.
    pub arprot: Signal<Out, Bits<3>>,
    /// Quality of service of the burst of reads: 0, none.
    pub arqos: Signal<Out, Bits<4>>,
    /// The address of a burst of reads is offered, and stays until it is taken.
    pub arvalid: Signal<Out, Bit>,
    /// The address of a burst of reads is taken.
    pub arready: Signal<In, Bit>,
    /// Identifier of the burst of reads that the word belongs to; ignored.
    pub rid: Signal<In, Bits<1>>,
    /// A word read, in the order of the addresses of the bursts.
    pub rdata: Signal<In, Bits<W>>,
    /// Response to the word read: bit 1 is high for an error.
    pub rresp: Signal<In, Bits<2>>,
    /// The word read is the last of its burst.
    pub rlast: Signal<In, Bit>,
    /// A word read is offered.
    pub rvalid: Signal<In, Bit>,
    /// The word read is taken.
    pub rready: Signal<Out, Bit>,
}
