use crate::dma::ports::{StartIn, StartOut};
use portico_verilog::prelude::*;

/// Joins the starts of commands and of requests.
///
/// One start at a time; what has been offered stays.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | throughput | one start a cycle |
/// | fairness | a request goes first: the next cannot follow before the server has stopped |
/// | state | 1 flip-flop |
#[derive(LogicBlock, Default)]
pub struct StartArbiter {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Starts of commands.
    pub command: StartIn,
    /// Starts of requests, the gets of other nodes.
    pub request: StartIn,
    /// The start that is offered on; it stays until it is taken.
    pub start: StartOut,
    /// A command has been offered, and waits.
    waits: DFF<Bit>,
    serves: Signal<Local, Bit>,
}

#[kernel]
impl Logic for StartArbiter {
    fn update(&mut self) {
        dff_setup!(self, clk, waits);
        self.serves.next = self.request.valid.val() & !self.waits.q.val();
        self.start.valid.next = self.command.valid.val() | self.request.valid.val();
        self.command.ready.next = self.start.ready.val() & !self.serves.val();
        self.request.ready.next = self.start.ready.val() & self.serves.val();
        self.waits.d.next = self.command.valid.val() & !self.serves.val() & !self.start.ready.val();
        wire!(command => start: context, job);
        if self.serves.val() {
            wire!(request => start: context, job);
        }
        if self.rst.val() {
            self.waits.d.next = false;
        }
    }
}
