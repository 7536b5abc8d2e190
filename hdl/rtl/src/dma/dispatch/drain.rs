use crate::bus::LookOut;
use portico_spec::ni::{event::EVENT_WIDTH, packet::ERROR_WIDTH};
use portico_verilog::prelude::*;

/// Width of a count of cycles in which nothing goes on, in bits.
const STILL_WIDTH: usize = 2;

/// Holds a command with the bit `drained` until all before it has ended, and tells the error of its event.
///
/// One command.
///
/// | | |
/// | --- | --- |
/// | latency | from `wanted` to `done` 6 cycles, if nothing goes on |
/// | state | 3 flip-flops |
///
/// A command that has started shows as a running core or as an open slot within two cycles. So nothing goes on once `busy` is low
/// for three cycles in a row. The look at the event goes behind all updates, so it finds the errors of all that has ended.
#[derive(LogicBlock, Default)]
pub struct Drain {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// A command waits; stays until `done`.
    pub wanted: Signal<In, Bit>,
    /// A command before it has not ended, or a transaction of the node is open.
    pub busy: Signal<In, Bit>,
    /// The event of the command.
    pub event_number: Signal<In, Bits<EVENT_WIDTH>>,
    /// Asks for the error of the event, once nothing before the command goes on.
    pub look: LookOut,
    /// A pulse: the command may go, unless there is an `error`.
    pub done: Signal<Out, Bit>,
    /// The first error of the event, 0 for none.
    pub error: Signal<Out, Bits<ERROR_WIDTH>>,
    still: DFF<Bits<STILL_WIDTH>>,
    asked: DFF<Bit>,
}

#[kernel]
impl Logic for Drain {
    fn update(&mut self) {
        dff_setup!(self, clk, still, asked);
        if !self.still.q.val().all() {
            self.still.d.next = self.still.q.val() + 1;
        }
        self.look.valid.next = self.wanted.val() & self.still.q.val().all() & !self.asked.q.val();
        self.look.event.next = self.event_number.val();
        if self.look.valid.val() & self.look.ready.val() {
            self.asked.d.next = true;
        }
        self.done.next = self.asked.q.val() & self.look.told.val();
        self.error.next = self.look.error.val();
        if !self.wanted.val() | self.busy.val() | self.rst.val() {
            self.still.d.next = 0.into();
        }
        if !self.wanted.val() | self.rst.val() {
            self.asked.d.next = false;
        }
    }
}
