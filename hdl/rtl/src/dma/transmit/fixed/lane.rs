use crate::dma::ports::Job;
use portico_verilog::prelude::*;

/// A job, and how far it is.
///
/// Keeps one job.
///
/// | | |
/// | --- | --- |
/// | latency | outputs follow the registers |
/// | throughput | one start, one step a cycle |
/// | state | the job, and five flags |
#[derive(LogicBlock, Default)]
pub struct Lane {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no job.
    pub rst: Signal<In, Bit>,
    /// The job `offered` begins.
    pub start: Signal<In, Bit>,
    /// The job that begins, valid with `start`.
    pub offered: Signal<In, Job>,
    /// With `start`: the job is one packet.
    pub start_at_once: Signal<In, Bit>,
    /// Its counters are set up.
    pub opens: Signal<In, Bit>,
    /// A chunk of a row goes.
    pub step: Signal<In, Bit>,
    /// With `step`: the chunk is the last of its row.
    pub finishes: Signal<In, Bit>,
    /// The job is done.
    pub stop: Signal<In, Bit>,
    /// There is a job.
    pub active: Signal<Out, Bit>,
    /// The job, valid with `active`.
    pub job: Signal<Out, Job>,
    /// The job is one packet.
    pub at_once: Signal<Out, Bit>,
    /// Rows have gaps between them at the remote side.
    pub gaps: Signal<Out, Bit>,
    /// Since `opens`.
    pub begun: Signal<Out, Bit>,
    /// A part of a row has gone.
    pub midway: Signal<Out, Bit>,
    kept: DFF<Job>,
    runs: DFF<Bit>,
    is_packet: DFF<Bit>,
    apart: DFF<Bit>,
    counts: DFF<Bit>,
    partly: DFF<Bit>,
}

#[kernel]
impl Logic for Lane {
    fn update(&mut self) {
        dff_setup!(self, clk, kept, runs, is_packet, apart, counts, partly);
        self.active.next = self.runs.q.val();
        self.job.next = self.kept.q.val();
        self.at_once.next = self.is_packet.q.val();
        self.gaps.next = self.apart.q.val();
        self.begun.next = self.counts.q.val();
        self.midway.next = self.partly.q.val();
        if self.opens.val() {
            self.counts.d.next = true;
        }
        if self.step.val() {
            self.partly.d.next = !self.finishes.val();
        }
        if self.stop.val() {
            self.runs.d.next = false;
        }
        if self.start.val() {
            self.kept.d.next = self.offered.val();
            self.runs.d.next = true;
            self.is_packet.d.next = self.start_at_once.val();
            self.apart.d.next = self.offered.val().stride != self.offered.val().row;
            self.counts.d.next = false;
            self.partly.d.next = false;
        }
        if self.rst.val() {
            self.runs.d.next = false;
        }
    }
}
