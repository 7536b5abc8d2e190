use crate::bus::{EventArbiter, EventIn, EventOut};
use portico_spec::ni::{event::EVENT_WIDTH, packet::ERROR_WIDTH};
use portico_verilog::prelude::*;

/// Joins the two reporters of events of the dispatcher, and parts them from the events by a register.
///
/// Events of commands that were not started, and of those that failed later.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one event a cycle |
/// | fairness | stops go first: there are no more of them than contexts that were started |
/// | state | 11 flip-flops |
#[derive(LogicBlock, Default)]
pub struct EventStage {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub stopped: EventIn,
    pub refused: EventIn,
    pub event: EventOut,
    choice: EventArbiter<2>,
    pending: DFF<Bit>,
    number: DFF<Bits<EVENT_WIDTH>>,
    code: DFF<Bits<ERROR_WIDTH>>,
    room: Signal<Local, Bit>,
}

#[kernel]
impl Logic for EventStage {
    fn update(&mut self) {
        dff_setup!(self, clk, pending, number, code);
        EventIn::link(&mut self.stopped, &mut self.choice.source[0]);
        EventIn::link(&mut self.refused, &mut self.choice.source[1]);
        self.event.valid.next = self.pending.q.val();
        self.event.event.next = self.number.q.val();
        self.event.error.next = self.code.q.val();
        self.room.next = !self.pending.q.val() | self.event.ready.val();
        self.choice.chosen.ready.next = self.room.val();
        if self.room.val() {
            self.pending.d.next = self.choice.chosen.valid.val();
            self.number.d.next = self.choice.chosen.event.val();
            self.code.d.next = self.choice.chosen.error.val();
        }
        if self.rst.val() {
            self.pending.d.next = false;
        }
    }
}
