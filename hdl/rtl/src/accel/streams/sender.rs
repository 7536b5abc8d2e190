use super::{MoveIn, ADDRESS_WIDTH};
use crate::{
    bus::{EventOut, MemoryReadOut},
    prim::{Fifo, StreamOut},
};
use portico_spec::ni::{
    event::EVENT_WIDTH,
    packet::{OFFSET_WIDTH, ROW_WIDTH, STRIDE_WIDTH},
};
use portico_verilog::prelude::*;

/// Width of the address of a queue of words, each of 16.
const QUEUE_WIDTH: usize = 4;

/// State of the sender.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Sending {
    /// No descriptor runs.
    Idle,
    /// Asks for words.
    Ask,
    /// Has asked for all words; some have not left.
    Drain,
    /// Counts in the event.
    Report,
}

/// Reads rows of words from the scratchpad onto a stream.
///
/// Words of `W` bits.
///
/// | | |
/// | --- | --- |
/// | latency | from a descriptor at `job` to the first word on `m_axis`: 5 cycles, if the scratchpad is free; from the last word to the event 1 |
/// | throughput | one word a cycle |
/// | timing | `m_axis` comes from LUT-RAM; a word of the scratchpad ends in a flip-flop |
/// | state | 16 words and their marks in LUT-RAM, the descriptor that runs |
///
/// The sender asks for a word only if there is a place for its mark, and with it for the word: so the scratchpad never waits for
/// the stream. The mark of a word goes into its queue when the word is asked for, and leaves it with the word.
#[derive(LogicBlock, Default)]
pub struct StreamSender<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Sends that begin.
    pub job: MoveIn,
    /// Reads of the words from the scratchpad.
    pub memory: MemoryReadOut<W>,
    /// Words for an accelerator.
    pub m_axis: StreamOut<W>,
    /// Events of sends that are over, unless they are quiet.
    pub event: EventOut,
    /// A descriptor runs.
    pub running: Signal<Out, Bit>,
    /// A word leaves in this cycle.
    pub moves: Signal<Out, Bit>,
    /// Words of the last descriptor that ended.
    pub words: Signal<Out, Bits<32>>,
    /// Of each word that is asked for and has not left: whether it is the descriptor's last, and its `tlast`.
    marks: Fifo<1, QUEUE_WIDTH>,
    buffer: Fifo<W, QUEUE_WIDTH>,
    course: DFF<Sending>,
    number: DFF<Bits<EVENT_WIDTH>>,
    quiet: DFF<Bit>,
    length: DFF<Bits<ROW_WIDTH>>,
    rows: DFF<Bits<ROW_WIDTH>>,
    stride: DFF<Bits<STRIDE_WIDTH>>,
    each_row: DFF<Bit>,
    /// Where the row begins; the number of the row, from 1; the next word in it.
    base: DFF<Bits<ADDRESS_WIDTH>>,
    row: DFF<Bits<ROW_WIDTH>>,
    column: DFF<Bits<ROW_WIDTH>>,
    /// Words that were asked for; those of the descriptor before.
    asked: DFF<Bits<32>>,
    total: DFF<Bits<32>>,
    asks: DFF<Bit>,
    address: DFF<Bits<ADDRESS_WIDTH>>,
    arrives: DFF<Bit>,
    arrived: DFF<Bits<W>>,
    is_free: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    after: Signal<Local, Bits<ROW_WIDTH>>,
    ends_row: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize> Logic for StreamSender<W> {
    fn update(&mut self) {
        wire!(self => marks, buffer: clk, rst);
        dff_setup!(self, clk, course, number, quiet, length, rows, stride, each_row, base, row, column);
        dff_setup!(self, clk, asked, total, asks, address, arrives, arrived);
        self.job.ready.next = self.course.q.val() == Sending::Idle;
        self.running.next = self.course.q.val() != Sending::Idle;
        self.words.next = self.total.q.val();

        // The next word, row by row.
        self.after.next = self.column.q.val() + 1;
        self.ends_row.next = self.after.val() == self.length.q.val();
        self.ends.next = self.ends_row.val() & (self.row.q.val() == self.rows.q.val());
        self.is_free.next = !self.asks.q.val() | self.memory.ready.val();
        self.goes.next = (self.course.q.val() == Sending::Ask) & self.is_free.val() & self.marks.s_axis.tready.val();
        if self.is_free.val() {
            self.asks.d.next = self.goes.val();
            self.address.d.next = self.base.q.val() + bit_cast::<ADDRESS_WIDTH, ROW_WIDTH>(self.column.q.val());
        }
        if self.goes.val() {
            self.asked.d.next = self.asked.q.val() + 1;
            self.column.d.next = self.after.val();
            if self.ends_row.val() {
                self.column.d.next = 0.into();
                self.row.d.next = self.row.q.val() + 1;
                self.base.d.next = self.base.q.val() + bit_cast::<ADDRESS_WIDTH, STRIDE_WIDTH>(self.stride.q.val());
            }
        }
        self.memory.valid.next = self.asks.q.val();
        self.memory.address.next = bit_cast::<OFFSET_WIDTH, ADDRESS_WIDTH>(self.address.q.val());
        self.marks.s_axis.tvalid.next = self.goes.val();
        self.marks.s_axis.tdata.next = self.ends.val().into();
        self.marks.s_axis.tlast.next = self.ends.val() | (self.ends_row.val() & self.each_row.q.val());

        // Words that come, and leave.
        self.arrives.d.next = self.memory.data_valid.val();
        self.arrived.d.next = self.memory.data.val();
        self.buffer.s_axis.tvalid.next = self.arrives.q.val();
        self.buffer.s_axis.tdata.next = self.arrived.q.val();
        self.buffer.s_axis.tlast.next = false;
        self.m_axis.tvalid.next = self.buffer.m_axis.tvalid.val();
        self.m_axis.tdata.next = self.buffer.m_axis.tdata.val();
        self.m_axis.tlast.next = self.marks.m_axis.tlast.val();
        self.buffer.m_axis.tready.next = self.m_axis.tready.val();
        self.taken.next = self.buffer.m_axis.tvalid.val() & self.m_axis.tready.val();
        self.marks.m_axis.tready.next = self.taken.val();
        self.moves.next = self.taken.val();

        self.event.valid.next = self.course.q.val() == Sending::Report;
        self.event.event.next = self.number.q.val();
        self.event.error.next = 0.into();
        match self.course.q.val() {
            Sending::Idle => {
                self.number.d.next = self.job.event.val();
                self.quiet.d.next = self.job.quiet.val();
                self.length.d.next = self.job.length.val().get_bits::<ROW_WIDTH>(0);
                self.rows.d.next = self.job.rows.val();
                self.stride.d.next = self.job.stride.val();
                self.each_row.d.next = self.job.each_row.val();
                self.base.d.next = self.job.address.val();
                self.row.d.next = 1.into();
                self.column.d.next = 0.into();
                self.asked.d.next = 0.into();
                if self.job.valid.val() {
                    self.course.d.next = Sending::Ask;
                }
            }
            Sending::Ask => {
                if self.goes.val() & self.ends.val() {
                    self.course.d.next = Sending::Drain;
                }
            }
            Sending::Drain => {
                if self.taken.val() & self.marks.m_axis.tdata.val().any() {
                    self.total.d.next = self.asked.q.val();
                    self.course.d.next = Sending::Report;
                    if self.quiet.q.val() {
                        self.course.d.next = Sending::Idle;
                    }
                }
            }
            Sending::Report => {
                if self.event.ready.val() {
                    self.course.d.next = Sending::Idle;
                }
            }
        }
        if self.rst.val() {
            self.course.d.next = Sending::Idle;
            self.total.d.next = 0.into();
            self.asks.d.next = false;
            self.arrives.d.next = false;
        }
    }
}
