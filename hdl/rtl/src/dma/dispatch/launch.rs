use crate::{
    bus::ClaimOut,
    dma::ports::{Job, StartOut},
};
use portico_spec::ni::{packet::SLOT_WIDTH, CONTEXT_WIDTH};
use portico_verilog::prelude::*;

/// Starts a command that is right, as soon as it may.
///
/// Claims and starts.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | 6 flip-flops |
///
/// First no running command may have the same segment, so that what goes to a segment stays in order; then a slot is
/// claimed, if the command takes one; then it starts, all in one cycle if nobody waits. A slot that was claimed is kept
/// until the start has passed.
#[derive(LogicBlock, Default)]
pub struct Launch {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The command described below is to start; stays until `started`.
    pub offer: Signal<In, Bit>,
    pub core: Signal<In, Bits<CONTEXT_WIDTH>>,
    pub is_get: Signal<In, Bit>,
    /// Without its slot.
    pub job: Signal<In, Job>,
    /// A running command has the same segment.
    pub conflict: Signal<In, Bit>,
    pub started: Signal<Out, Bit>,
    pub claim: ClaimOut,
    pub start: StartOut,
    claimed: DFF<Bit>,
    slot: DFF<Bits<SLOT_WIDTH>>,
    clear: Signal<Local, Bit>,
    wants: Signal<Local, Bit>,
    may_start: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Launch {
    fn update(&mut self) {
        dff_setup!(self, clk, claimed, slot);
        self.clear.next = self.offer.val() & !self.conflict.val();
        self.wants.next = self.clear.val() & self.job.val().has_slot & !self.claimed.q.val();
        self.claim.valid.next = self.wants.val();
        self.claim.event.next = self.job.val().event;
        self.claim.quiet.next = self.job.val().quiet;
        self.claim.segment.next = self.job.val().segment;
        self.claim.node.next = self.job.val().destination;
        self.claim.is_get.next = self.is_get.val();
        self.may_start.next = self.clear.val() & (!self.wants.val() | self.claim.ready.val());
        self.started.next = self.may_start.val() & self.start.ready.val();
        self.start.job.next = self.job.val();
        self.start.job.next.slot = self.slot.q.val();
        if self.wants.val() {
            self.start.job.next.slot = self.claim.slot.val();
            self.slot.d.next = self.claim.slot.val();
            self.claimed.d.next = self.claim.ready.val() & !self.start.ready.val();
        } else if self.start.ready.val() {
            self.claimed.d.next = false;
        }
        if self.rst.val() {
            self.claimed.d.next = false;
        }

        self.start.valid.next = self.may_start.val();
        self.start.context.next = self.core.val();
    }
}
