use super::{MoveIn, ADDRESS_WIDTH, LENGTH_WIDTH};
use crate::{
    bus::{EventOut, MemoryWriteOut},
    prim::{SkidBuffer, StreamIn},
};
use portico_spec::ni::{event::EVENT_WIDTH, packet::OFFSET_WIDTH};
use portico_verilog::prelude::*;

/// State of the receiver.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Receiving {
    /// No descriptor runs: words of the stream wait.
    Idle,
    /// Takes words.
    Take,
    /// Has taken all words; the last is not written.
    Write,
    /// Counts in the event.
    Report,
}

/// Writes a stream into the scratchpad, until `tlast` or the length.
///
/// Words of `W` bits with `B` bytes.
///
/// | | |
/// | --- | --- |
/// | latency | from a word on `s_axis` to the scratchpad: 2 cycles, if the scratchpad is free; from the last word written to the event 1 |
/// | throughput | one word a cycle |
/// | timing | `s_axis_tready` and writes come from flip-flops |
/// | state | 3 words, the descriptor that runs |
///
/// Words behind the end of a descriptor wait for the next: two here, the others on the stream.
#[derive(LogicBlock, Default)]
pub struct StreamReceiver<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Receives that begin.
    pub job: MoveIn,
    /// Writes of the words to the scratchpad.
    pub memory: MemoryWriteOut<W, B>,
    /// Words of an accelerator.
    pub s_axis: StreamIn<W>,
    /// Events of receives that are over, unless they are quiet.
    pub event: EventOut,
    /// A descriptor runs.
    pub running: Signal<Out, Bit>,
    /// A word is taken in this cycle.
    pub moves: Signal<Out, Bit>,
    /// Words of the last descriptor that ended.
    pub words: Signal<Out, Bits<LENGTH_WIDTH>>,
    buffer: SkidBuffer<W>,
    course: DFF<Receiving>,
    number: DFF<Bits<EVENT_WIDTH>>,
    quiet: DFF<Bit>,
    base: DFF<Bits<ADDRESS_WIDTH>>,
    length: DFF<Bits<LENGTH_WIDTH>>,
    /// Words that were taken; those of the descriptor before.
    count: DFF<Bits<LENGTH_WIDTH>>,
    total: DFF<Bits<LENGTH_WIDTH>>,
    writes: DFF<Bit>,
    address: DFF<Bits<ADDRESS_WIDTH>>,
    data: DFF<Bits<W>>,
    is_free: Signal<Local, Bit>,
    accepts: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    after: Signal<Local, Bits<LENGTH_WIDTH>>,
    ends: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize, const B: usize> Logic for StreamReceiver<W, B> {
    fn update(&mut self) {
        wire!(self => buffer: clk, rst);
        dff_setup!(self, clk, course, number, quiet, base, length, count, total, writes, address, data);
        wire!(self <=> buffer: s_axis);
        self.job.ready.next = self.course.q.val() == Receiving::Idle;
        self.running.next = self.course.q.val() != Receiving::Idle;
        self.words.next = self.total.q.val();

        self.is_free.next = !self.writes.q.val() | self.memory.ready.val();
        self.accepts.next = (self.course.q.val() == Receiving::Take) & self.is_free.val();
        self.buffer.m_axis.tready.next = self.accepts.val();
        self.takes.next = self.accepts.val() & self.buffer.m_axis.tvalid.val();
        self.moves.next = self.takes.val();
        self.after.next = self.count.q.val() + 1;
        self.ends.next = self.buffer.m_axis.tlast.val() | (self.after.val() == self.length.q.val());
        if self.is_free.val() {
            self.writes.d.next = self.takes.val();
        }
        if self.takes.val() {
            self.count.d.next = self.after.val();
            self.address.d.next = self.base.q.val() + self.count.q.val().get_bits::<ADDRESS_WIDTH>(0);
            self.data.d.next = self.buffer.m_axis.tdata.val();
        }
        self.memory.valid.next = self.writes.q.val();
        self.memory.address.next = bit_cast::<OFFSET_WIDTH, ADDRESS_WIDTH>(self.address.q.val());
        self.memory.data.next = self.data.q.val();
        self.memory.lanes.next = !bits::<B>(0);

        self.event.valid.next = self.course.q.val() == Receiving::Report;
        self.event.event.next = self.number.q.val();
        self.event.error.next = 0.into();
        match self.course.q.val() {
            Receiving::Idle => {
                self.number.d.next = self.job.event.val();
                self.quiet.d.next = self.job.quiet.val();
                self.base.d.next = self.job.address.val();
                self.length.d.next = self.job.length.val();
                self.count.d.next = 0.into();
                if self.job.valid.val() {
                    self.course.d.next = Receiving::Take;
                }
            }
            Receiving::Take => {
                if self.takes.val() & self.ends.val() {
                    self.course.d.next = Receiving::Write;
                }
            }
            Receiving::Write => {
                if self.is_free.val() {
                    self.total.d.next = self.count.q.val();
                    self.course.d.next = Receiving::Report;
                    if self.quiet.q.val() {
                        self.course.d.next = Receiving::Idle;
                    }
                }
            }
            Receiving::Report => {
                if self.event.ready.val() {
                    self.course.d.next = Receiving::Idle;
                }
            }
        }
        if self.rst.val() {
            self.course.d.next = Receiving::Idle;
            self.total.d.next = 0.into();
            self.writes.d.next = false;
        }
    }
}
