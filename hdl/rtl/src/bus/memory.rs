//! Reads and writes of a memory. Addresses count words of `W` bits.

use portico_spec::ni::packet::OFFSET_WIDTH;
use portico_verilog::prelude::*;

/// Writes of words with byte lanes, as the block that writes sees it.
#[interface(mirror = MemoryWriteIn)]
pub struct MemoryWriteOut<const W: usize, const B: usize> {
    /// A write is offered; the offer stays until it is taken.
    pub valid: Signal<Out, Bit>,
    /// Word of the memory to write.
    pub address: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// The word to write.
    pub data: Signal<Out, Bits<W>>,
    /// One bit a byte, bit 0 for bits 7 to 0.
    pub lanes: Signal<Out, Bits<B>>,
    /// The write is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
}

/// Reads of words, as the block that reads sees it. Data come in the order of the requests, one `data_valid` each, one
/// cycle after the request at the earliest; the reader always takes them.
#[interface(mirror = MemoryReadIn)]
pub struct MemoryReadOut<const W: usize> {
    /// A read is offered; the offer stays until it is taken.
    pub valid: Signal<Out, Bit>,
    /// Word of the memory to read.
    pub address: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// The read is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
    /// The word that was read; valid with `data_valid`.
    pub data: Signal<In, Bits<W>>,
    /// High for one cycle for each read, in their order, a cycle after the read or later; the word is always taken.
    pub data_valid: Signal<In, Bit>,
}
