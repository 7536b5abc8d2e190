use crate::{
    bus::ClaimOut,
    dma::ports::{Job, StartOut, CONTEXTS},
};
use portico_spec::ni::{packet::SLOT_WIDTH, segment::HANDLE_WIDTH, CONTEXT_WIDTH};
use portico_verilog::prelude::*;

/// Starts a command that is right, as soon as it may.
///
/// Keeps it, claims and starts.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a command admitted to its start offered |
/// | throughput | a command in 2 cycles |
/// | state | the job of one command |
///
/// First no other command may have the same segment, unless it is parked, so that what goes to a segment stays in order; then
/// a slot is claimed, if the command takes one; then it starts, behind those that are parked. A slot that was claimed is kept until the start has passed.
#[derive(LogicBlock, Default)]
pub struct Launch {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The command described below is to start; with `is_free` alone.
    pub admit: Signal<In, Bit>,
    /// No command is kept: one may be admitted in this cycle.
    pub is_free: Signal<Out, Bit>,
    /// Core of the command; valid with `admit`.
    pub core: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The command is a get, whose claim takes a get-request credit of the peer; valid with `admit`.
    pub is_get: Signal<In, Bit>,
    /// It must not pass another to its segment.
    pub ordered: Signal<In, Bit>,
    /// Without its slot.
    pub job: Signal<In, Job>,
    /// One bit a core that must not have `asked_segment`: all but that of the command; none if it has no segment.
    pub asks: Signal<Out, Bits<CONTEXTS>>,
    /// Segment of the command that is kept or, without one, of `job`.
    pub asked_segment: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// A core of `asks` has `asked_segment`; its command is parked or not.
    pub conflict: Signal<In, Bit>,
    /// A core of `asks` has `asked_segment`; its command is not parked.
    pub blocked: Signal<In, Bit>,
    /// Claims of slots, for commands that take one.
    pub claim: ClaimOut,
    /// Starts of commands.
    pub start: StartOut,
    held: DFF<Bit>,
    is_clear: DFF<Bit>,
    is_behind: DFF<Bit>,
    kept: DFF<Job>,
    own: DFF<Bits<CONTEXT_WIDTH>>,
    /// All contexts but that: worked out ahead, since synthesis would share the shift with one that is late.
    others: DFF<Bits<CONTEXTS>>,
    gets: DFF<Bit>,
    orders: DFF<Bit>,
    claimed: DFF<Bit>,
    slot: DFF<Bits<SLOT_WIDTH>>,
    subject: Signal<Local, Job>,
    wants: Signal<Local, Bit>,
    may_start: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Launch {
    fn update(&mut self) {
        dff_setup!(self, clk, held, is_clear, is_behind, kept, own, others, gets, orders, claimed, slot);
        self.subject.next = self.kept.q.val();
        self.is_free.next = !self.held.q.val();
        if self.admit.val() {
            self.held.d.next = true;
            self.kept.d.next = self.job.val();
            self.own.d.next = self.core.val();
            self.others.d.next = !(bits::<CONTEXTS>(1) << self.core.val());
            self.gets.d.next = self.is_get.val();
            self.orders.d.next = self.ordered.val();
        }

        // No command can come in between that has the segment: those behind wait until this one has started.
        self.asks.next = 0.into();
        if self.held.q.val() {
            self.asked_segment.next = self.subject.val().segment;
            if self.orders.q.val() {
                self.asks.next = self.others.q.val();
            }
        } else {
            self.asked_segment.next = self.job.val().segment;
            if self.ordered.val() {
                self.asks.next = !bits::<CONTEXTS>(0);
            }
        }
        self.is_clear.d.next = !self.blocked.val();
        self.is_behind.d.next = self.conflict.val();

        self.wants.next =
            self.held.q.val() & self.is_clear.q.val() & self.subject.val().has_slot & !self.claimed.q.val();
        self.claim.valid.next = self.wants.val();
        self.claim.event.next = self.subject.val().event;
        self.claim.quiet.next = self.subject.val().quiet;
        self.claim.segment.next = self.subject.val().segment;
        self.claim.node.next = self.subject.val().destination;
        self.claim.is_get.next = self.gets.q.val();
        self.may_start.next = self.held.q.val() & self.is_clear.q.val() & (!self.wants.val() | self.claim.ready.val());
        self.start.valid.next = self.may_start.val();
        self.start.context.next = self.own.q.val();
        self.start.job.next = self.subject.val();
        self.start.job.next.slot = self.slot.q.val();
        self.start.job.next.behind = self.is_behind.q.val();
        if self.wants.val() {
            self.start.job.next.slot = self.claim.slot.val();
            self.slot.d.next = self.claim.slot.val();
            self.claimed.d.next = self.claim.ready.val();
        }
        if self.may_start.val() & self.start.ready.val() {
            self.held.d.next = false;
            self.claimed.d.next = false;
        }
        if self.rst.val() {
            self.held.d.next = false;
            self.claimed.d.next = false;
        }
    }
}
