use super::{AxiMemory, AxiOut};
use crate::{
    bus::Planes,
    ni::{InterfaceParameters, ServerInterface},
};
use portico_spec::{
    ni::{
        page::{MEMORY_WIDTH, REGISTER_BIT},
        registers::INDEX_WIDTH,
    },
    parts::Station,
    Config,
};
use portico_verilog::prelude::*;

/// A memory node: external memory behind a network interface, for the same puts, gets and atomics as a tile's.
///
/// A memory node of `W`-bit flits with `B` bytes, whose memory has byte addresses of `A` bits, 32 or 64.
///
/// Its registers lie at word addresses with bit 21 set. Its memory is the 2^21 words below, in pages that
/// [`PageTable`](super::PageTable) places in external memory. It takes no commands: it is a receiver and a server
/// ([`ServerInterface`]). Its register `memory_errors` counts errors of the memory. No other node learns of them, because a
/// write is acknowledged long before the memory answers it.
///
/// | | |
/// | --- | --- |
/// | latency | that of [`AxiMemory`] beside a tile's |
/// | throughput | one word a cycle in and out |
/// | after reset | takes nothing for 512 cycles, while it clears its tables |
#[derive(LogicBlock, Default)]
pub struct MemoryNode<const W: usize, const B: usize, const A: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high, for the whole fabric and the memory at once.
    pub rst: Signal<In, Bit>,
    /// The node's number, and its streams from and to both planes.
    pub planes_: Planes<W>,
    /// AXI4 master in front of the memory (ARM IHI 0022).
    pub m_axi: AxiOut<W, B, A>,
    ni: ServerInterface<W, B>,
    memory: AxiMemory<W, B, A>,
}

impl<const W: usize, const B: usize, const A: usize> MemoryNode<W, B, A> {
    /// A memory node of the fabric that `config` describes; `config.width` is `W`, and `config.memory_address` is `A`.
    pub fn new(config: &Config) -> Self {
        let memory_words = 1 << MEMORY_WIDTH;
        Self {
            ni: ServerInterface::new(&InterfaceParameters {
                build: config.build_at(Station::Memory),
                memory_bytes: (memory_words << B.ilog2()) as u32,
                memory_words,
                space_words: (1 << REGISTER_BIT) + (1 << INDEX_WIDTH),
                register_bit: REGISTER_BIT,
                config: config.clone(),
                engines: vec![],
            }),
            memory: AxiMemory::new(),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize, const A: usize> Logic for MemoryNode<W, B, A> {
    fn update(&mut self) {
        wire!(self => ni, memory: clk, rst);
        wire!(self <=> ni: planes_);
        self.ni.memory_error.next = self.memory.fault.val();
        wire!(ni <=> memory: sweep);
        wire!(ni.register_write <=> memory.registers);
        wire!(ni.write <=> memory.memory_write);
        wire!(ni.atomic_read <=> memory.memory_read[0]);
        wire!(ni.server_read <=> memory.memory_read[1]);
        wire!(self <=> memory: m_axi);
    }
}
