use super::{EventJobIn, EventJobOut};
use portico_verilog::prelude::*;

/// Blocks that raise events.
const RAISERS: usize = 2;

/// One event writer for the blocks that raise events: one event after the other.
///
/// Two blocks.
///
/// | | |
/// | --- | --- |
/// | latency | combinational for an event that finds the writer free |
/// | throughput | that of the writer |
/// | fairness | the block that had its turn last comes last |
/// | state | 2 flip-flops |
#[derive(LogicBlock, Default)]
pub struct EventShare {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Events of the blocks.
    pub raiser: [EventJobIn; RAISERS],
    /// The event for the writer.
    pub job: EventJobOut,
    /// The second block has its turn, or had it last.
    second: DFF<Bit>,
    /// The turn has begun.
    held: DFF<Bit>,
    chosen: Signal<Local, Bit>,
}

#[kernel]
impl Logic for EventShare {
    fn update(&mut self) {
        dff_setup!(self, clk, second, held);
        self.chosen.next = self.second.q.val();
        if !self.held.q.val() {
            self.chosen.next = self.raiser[1].valid.val() & (!self.raiser[0].valid.val() | !self.second.q.val());
        }
        self.second.d.next = self.chosen.val();
        self.job.valid.next = self.raiser[0].valid.val();
        self.job.queue.next = self.raiser[0].queue.val();
        self.job.word.next = self.raiser[0].word.val();
        if self.chosen.val() {
            self.job.valid.next = self.raiser[1].valid.val();
            self.job.queue.next = self.raiser[1].queue.val();
            self.job.word.next = self.raiser[1].word.val();
        }
        self.held.d.next = self.job.valid.val() & !self.job.done.val();
        self.raiser[0].done.next = self.job.done.val() & !self.chosen.val();
        self.raiser[1].done.next = self.job.done.val() & self.chosen.val();
        for i in 0..RAISERS {
            self.raiser[i].index.next = self.job.index.val();
            self.raiser[i].settled.next = self.job.settled.val();
        }
        if self.rst.val() {
            self.held.d.next = false;
        }
    }
}
