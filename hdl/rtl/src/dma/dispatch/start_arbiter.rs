//! Joins the starts of commands and of requests.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | throughput | one start a cycle |
//! | fairness | a request goes first: the next cannot follow before the server has stopped |
//! | state | 1 flip-flop |

use crate::ni::ports::{StartIn, StartOut};
use rust_hdl::prelude::*;

/// One start at a time; what has been offered stays.
#[derive(LogicBlock, Default)]
pub struct StartArbiter {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub command: StartIn,
    pub request: StartIn,
    pub start: StartOut,
    /// A command has been offered, and waits.
    waits: DFF<Bit>,
    serves: Signal<Local, Bit>,
}

impl Logic for StartArbiter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, waits);
        self.serves.next = self.request.valid.val() & !self.waits.q.val();
        self.start.valid.next = self.command.valid.val() | self.request.valid.val();
        self.command.ready.next = self.start.ready.val() & !self.serves.val();
        self.request.ready.next = self.start.ready.val() & self.serves.val();
        self.waits.d.next = self.command.valid.val() & !self.serves.val() & !self.start.ready.val();
        self.start.context.next = self.command.context.val();
        self.start.pc.next = self.command.pc.val();
        self.start.control.next = self.command.control.val();
        self.start.bare.next = self.command.bare.val();
        self.start.destination.next = self.command.destination.val();
        self.start.tag.next = self.command.tag.val();
        self.start.kind.next = self.command.kind.val();
        self.start.offset.next = self.command.offset.val();
        self.start.size.next = self.command.size.val();
        self.start.row.next = self.command.row.val();
        self.start.stride.next = self.command.stride.val();
        self.start.has_slot.next = self.command.has_slot.val();
        self.start.slot.next = self.command.slot.val();
        self.start.operation.next = self.command.operation.val();
        self.start.wide.next = self.command.wide.val();
        self.start.half.next = self.command.half.val();
        self.start.shaper.next = self.command.shaper.val();
        self.start.segment.next = self.command.segment.val();
        self.start.event.next = self.command.event.val();
        self.start.quiet.next = self.command.quiet.val();
        self.start.base.next = self.command.base.val();
        self.start.limit.next = self.command.limit.val();
        if self.serves.val() {
            self.start.context.next = self.request.context.val();
            self.start.pc.next = self.request.pc.val();
            self.start.control.next = self.request.control.val();
            self.start.bare.next = self.request.bare.val();
            self.start.destination.next = self.request.destination.val();
            self.start.tag.next = self.request.tag.val();
            self.start.kind.next = self.request.kind.val();
            self.start.offset.next = self.request.offset.val();
            self.start.size.next = self.request.size.val();
            self.start.row.next = self.request.row.val();
            self.start.stride.next = self.request.stride.val();
            self.start.has_slot.next = self.request.has_slot.val();
            self.start.slot.next = self.request.slot.val();
            self.start.operation.next = self.request.operation.val();
            self.start.wide.next = self.request.wide.val();
            self.start.half.next = self.request.half.val();
            self.start.shaper.next = self.request.shaper.val();
            self.start.segment.next = self.request.segment.val();
            self.start.event.next = self.request.event.val();
            self.start.quiet.next = self.request.quiet.val();
            self.start.base.next = self.request.base.val();
            self.start.limit.next = self.request.limit.val();
        }
        if self.rst.val() {
            self.waits.d.next = false;
        }
    }
}
