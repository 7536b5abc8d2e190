//! The streams of a tile (formats in `portico_spec::streams`).
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Streams`] | all of it, in a seat of the socket |
//! | [`StreamIntake`] | checks descriptors, and keeps those that wait |
//! | [`StreamFields`] | the fields of a descriptor, and where it ends |
//! | [`StreamSender`] | rows of the scratchpad onto `m_axis_stream` |
//! | [`StreamReceiver`] | `s_axis_stream` into the scratchpad |
//! | [`StreamRegisters`] | what both directions do, as registers |

mod fields;
mod intake;
mod job;
mod receiver;
mod registers;
mod sender;
#[cfg(test)]
mod tests;

pub use fields::StreamFields;
pub use intake::StreamIntake;
pub use job::{MoveIn, MoveOut};
pub use receiver::StreamReceiver;
pub use registers::StreamRegisters;
pub use sender::StreamSender;

use crate::{
    bus::{EventArbiter, SocketIn},
    prim::{StreamIn, StreamOut},
};
use portico_spec::Config;
use portico_verilog::prelude::*;

/// Width of an address in the scratchpad, in words: the largest has 256 KiB.
pub const ADDRESS_WIDTH: usize = 16;
/// Width of a number of words of the scratchpad: it may be all.
pub const LENGTH_WIDTH: usize = ADDRESS_WIDTH + 1;

/// Directions: out of the tile, into the tile. The low bit of an opcode is its direction.
const DIRECTIONS: usize = 2;
/// Bits of the place of a word in its descriptor.
const PLACE_WIDTH: usize = 2;
/// Width of the end of what is moved: an end beyond all memories does not wrap in one addition.
const END_WIDTH: usize = LENGTH_WIDTH + 1;

/// Those that count in events: the sender, the receiver, the intake.
const EVENT_SOURCES: usize = 3;

/// The engine that moves streams of words out of and into the scratchpad of a tile.
///
/// Words of `W` bits with `B` bytes.
///
/// | | |
/// | --- | --- |
/// | latency | from a descriptor's last word to the first word on `m_axis_stream`: 7 cycles for one row; from the last word of a stream to the event 1, and 2 more into the scratchpad |
/// | throughput | one word a cycle each way, while no other engine uses the ports of the scratchpad; about 12 idle cycles between two descriptors of a direction |
/// | state | 16 words of the scratchpad and 4 descriptors in LUT-RAM |
///
/// A stream that waits holds up its own direction alone. The sender asks for no word without a place for it; the receiver asks for
/// a write only with a word; neither holds a place that the other uses.
#[derive(LogicBlock, Default)]
pub struct Streams<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the initialisation has to follow.
    pub rst: Signal<In, Bit>,
    /// The seat of the engine in a node.
    pub socket: SocketIn<W, B>,
    /// Words for an accelerator.
    pub m_axis_stream: StreamOut<W>,
    /// Words of an accelerator.
    pub s_axis_stream: StreamIn<W>,
    intake: StreamIntake,
    sender: StreamSender<W>,
    receiver: StreamReceiver<W, B>,
    registers: StreamRegisters,
    /// No source starves another: the sender and the receiver, which come first, count at most once in 6 cycles each, because the
    /// intake needs as many for the next descriptor.
    events: EventArbiter,
    /// No word moved in the cycle before.
    stands: DFF<Bit>,
    runs: Signal<Local, Bit>,
}

impl<const W: usize, const B: usize> Streams<W, B> {
    /// For a tile of the fabric that `config` describes; `config.width` is `W`.
    pub fn new(config: &Config) -> Self {
        Self {
            intake: StreamIntake::new((config.scratchpad << 10) / B, B),
            events: EventArbiter::new(EVENT_SOURCES),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for Streams<W, B> {
    fn update(&mut self) {
        wire!(self => intake, sender, receiver, registers: clk, rst);
        dff_setup!(self, clk, stands);
        self.intake.initialising.next = self.socket.sweep.active.val();
        wire!(self.socket <=> intake: commands);
        wire!(intake.send <=> sender.job);
        wire!(intake.receive <=> receiver.job);
        wire!(self.socket.memory_read <=> sender.memory);
        wire!(self.m_axis_stream <=> sender.m_axis);
        wire!(self.socket.memory_write <=> receiver.memory);
        wire!(self.s_axis_stream <=> receiver.s_axis);
        wire!(sender.event <=> events.source[0]);
        wire!(receiver.event <=> events.source[1]);
        wire!(intake.event <=> events.source[2]);
        wire!(self.socket.event <=> events.chosen);

        wire!(self.socket <=> registers: register);
        wire!(intake => registers: send_waiting, receive_waiting);
        self.registers.sending.next = self.sender.running.val();
        self.registers.sent.next = self.sender.words.val();
        self.registers.receiving.next = self.receiver.running.val();
        self.registers.received.next = self.receiver.words.val();

        self.runs.next = self.sender.running.val() | self.receiver.running.val();
        self.stands.d.next = !self.sender.moves.val() & !self.receiver.moves.val();
        self.socket.running.next = self.runs.val();
        self.socket.waiting.next = self.runs.val() & self.stands.q.val();

        // It has no packets.
        self.socket.refused.next = false;
        self.socket.data_out.tvalid.next = false;
        self.socket.data_out.tdata.next = 0.into();
        self.socket.data_out.tlast.next = false;
        self.socket.control_out.tvalid.next = false;
        self.socket.control_out.tdata.next = 0.into();
        self.socket.control_out.tlast.next = false;
        if self.rst.val() {
            self.stands.d.next = false;
        }
    }
}
