//! Joins the two reporters of events of the dispatcher.
//!
//! | | |
//! | --- | --- |
//! | latency | 1 cycle |
//! | throughput | one event a cycle |
//! | fairness | stops go first: there are no more of them than contexts that were started |
//! | state | 11 flip-flops |

use crate::ni::ports::{EventIn, EventOut};
use portico_spec::ni::{event::EVENT_WIDTH, packet::ERROR_WIDTH};
use rust_hdl::prelude::*;

/// Events of commands that were not started, and of those that failed later.
#[derive(LogicBlock, Default)]
pub struct EventArbiter {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub stopped: EventIn,
    pub refused: EventIn,
    pub event: EventOut,
    pending: DFF<Bit>,
    number: DFF<Bits<EVENT_WIDTH>>,
    code: DFF<Bits<ERROR_WIDTH>>,
    room: Signal<Local, Bit>,
}

impl Logic for EventArbiter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, pending, number, code);
        self.event.valid.next = self.pending.q.val();
        self.event.event.next = self.number.q.val();
        self.event.error.next = self.code.q.val();
        self.room.next = !self.pending.q.val() | self.event.ready.val();
        self.stopped.ready.next = self.room.val();
        self.refused.ready.next = self.room.val() & !self.stopped.valid.val();
        if self.room.val() {
            self.pending.d.next = self.stopped.valid.val() | self.refused.valid.val();
            self.number.d.next = self.refused.event.val();
            self.code.d.next = self.refused.error.val();
            if self.stopped.valid.val() {
                self.number.d.next = self.stopped.event.val();
                self.code.d.next = self.stopped.error.val();
            }
        }
        if self.rst.val() {
            self.pending.d.next = false;
        }
    }
}
