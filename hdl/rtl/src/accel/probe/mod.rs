//! The source/sink core (`gao-mpe-2013`, 4.1.5; formats in `portico_spec::probe`).
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Probe`] | all of it, in a seat of the socket |
//! | [`ProbeSource`] | descriptors become packets |
//! | [`ProbeSink`] | packets are checked, counted and timed |
//! | [`ProbeRegisters`] | the counts as registers |
//! | [`ContentSeed`], [`Xorshift`] | the words of content |

mod content;
mod registers;
mod sink;
mod source;
#[cfg(test)]
mod tests;

pub use content::{ContentSeed, Xorshift};
pub use registers::ProbeRegisters;
pub use sink::ProbeSink;
pub use source::ProbeSource;

use crate::bus::SocketIn;
use portico_spec::Config;
use portico_verilog::prelude::*;

/// The source/sink core of a tile.
///
/// Packets of `W`-bit flits with `B` bytes.
///
/// | | |
/// | --- | --- |
/// | latency | from a descriptor's last word to the head at the data plane: 6 cycles to one node, 7 to a random one; from the last tail to the event 1 |
/// | throughput | one flit a cycle out, one in; a packet of 3 flits every 3 cycles to one node, every 5 to random ones |
/// | state | two tables of 512 words in block RAM, and those of its parts |
#[derive(LogicBlock, Default)]
pub struct Probe<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the initialisation has to follow.
    pub rst: Signal<In, Bit>,
    /// The seat of the engine in a node.
    pub socket: SocketIn<W, B>,
    source: ProbeSource<W>,
    sink: ProbeSink<W>,
    registers: ProbeRegisters,
    /// Cycles since reset: the same at all nodes.
    now: DFF<Bits<32>>,
}

impl<const W: usize, const B: usize> Probe<W, B> {
    /// For a tile of the fabric that `config` describes; `config.width` is `W`.
    pub fn new(config: &Config) -> Self {
        Self {
            source: ProbeSource::new(config),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for Probe<W, B> {
    fn update(&mut self) {
        wire!(self => source, sink, registers: clk, rst);
        dff_setup!(self, clk, now);
        self.now.d.next = self.now.q.val() + 1;
        wire!(socket => source: node);
        wire!(self.socket <=> source: sweep);
        self.source.now.next = self.now.q.val();
        wire!(self.socket <=> source: commands);
        wire!(self.socket.data_out <=> source.m_axis);
        wire!(self.socket <=> source: event);
        self.socket.running.next = self.source.running.val();
        self.socket.waiting.next = self.source.waiting.val();

        wire!(self.socket <=> sink: sweep);
        self.sink.now.next = self.now.q.val();
        wire!(self.socket.data_in <=> sink.flits);
        self.sink.clear.next = self.registers.clear.val();
        self.socket.refused.next = false;

        wire!(self.socket <=> registers: register);
        self.registers.running.next = self.source.running.val();
        self.registers.sent.next = self.source.sent.val();
        wire!(sink => registers: received, words, errors, least, greatest, sum, first, last);

        // It says nothing on the control plane, and needs no memory.
        self.socket.control_out.tvalid.next = false;
        self.socket.control_out.tdata.next = 0.into();
        self.socket.control_out.tlast.next = false;
        self.socket.memory_read.valid.next = false;
        self.socket.memory_read.address.next = 0.into();
        self.socket.memory_write.valid.next = false;
        self.socket.memory_write.address.next = 0.into();
        self.socket.memory_write.data.next = 0.into();
        self.socket.memory_write.lanes.next = 0.into();
        if self.rst.val() {
            self.now.d.next = 0.into();
        }
    }
}
