//! Reads and writes of a memory. Addresses count words of `W` bits.

use portico_spec::ni::packet::OFFSET_WIDTH;
use portico_verilog::prelude::*;

/// Writes of words with byte lanes, as the block that writes sees it.
#[interface(mirror = MemoryWriteIn)]
pub struct MemoryWriteOut<const W: usize, const B: usize> {
    pub valid: Signal<Out, Bit>,
    pub address: Signal<Out, Bits<OFFSET_WIDTH>>,
    pub data: Signal<Out, Bits<W>>,
    /// One bit a byte, bit 0 for bits 7 to 0.
    pub lanes: Signal<Out, Bits<B>>,
    pub ready: Signal<In, Bit>,
}

/// Reads of words, as the block that reads sees it. Data come in the order of the requests, one `data_valid` each, one
/// cycle after the request at the earliest; the reader always takes them.
#[interface(mirror = MemoryReadIn)]
pub struct MemoryReadOut<const W: usize> {
    pub valid: Signal<Out, Bit>,
    pub address: Signal<Out, Bits<OFFSET_WIDTH>>,
    pub ready: Signal<In, Bit>,
    pub data: Signal<In, Bits<W>>,
    pub data_valid: Signal<In, Bit>,
}
