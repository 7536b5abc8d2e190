use super::{Command, Course};
use crate::{bus::ClaimOut, dma::ports::StartOut};
use portico_spec::ni::{
    packet::{OFFSET_WIDTH, SLOT_WIDTH},
    CONTEXT_WIDTH,
};
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
    pub command: Signal<In, Command>,
    pub course: Signal<In, Course>,
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
    memory_words: Constant<Bits<OFFSET_WIDTH>>,
}

impl Launch {
    /// For a memory of `memory_words` words.
    pub fn new(memory_words: u64) -> Self {
        Self {
            memory_words: Constant::new(bits(memory_words)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Launch {
    fn update(&mut self) {
        dff_setup!(self, clk, claimed, slot);
        self.clear.next = self.offer.val() & !self.conflict.val();
        self.wants.next = self.clear.val() & self.course.val().claims & !self.claimed.q.val();
        self.claim.valid.next = self.wants.val();
        self.claim.event.next = self.command.val().event;
        self.claim.quiet.next = self.command.val().quiet;
        self.claim.segment.next = self.command.val().segment;
        self.claim.node.next = self.course.val().destination;
        self.claim.is_get.next = self.command.val().is_get;
        self.may_start.next = self.clear.val() & (!self.wants.val() | self.claim.ready.val());
        self.started.next = self.may_start.val() & self.start.ready.val();
        self.start.slot.next = self.slot.q.val();
        if self.wants.val() {
            self.start.slot.next = self.claim.slot.val();
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
        self.start.pc.next = self.course.val().pc;
        self.start.control.next = self.course.val().control;
        self.start.bare.next = self.course.val().bare;
        self.start.destination.next = self.course.val().destination;
        self.start.tag.next = self.course.val().tag;
        self.start.kind.next = self.course.val().kind;
        self.start.offset.next = self.course.val().offset;
        self.start.size.next = self.course.val().size;
        self.start.row.next = self.course.val().row;
        self.start.stride.next = self.course.val().stride;
        self.start.has_slot.next = self.course.val().claims;
        self.start.operation.next = self.command.val().operation;
        self.start.wide.next = self.command.val().wide;
        self.start.half.next = self.course.val().half;
        self.start.shaper.next = self.command.val().shaper;
        self.start.segment.next = self.command.val().segment;
        self.start.event.next = self.command.val().event;
        self.start.quiet.next = self.command.val().quiet;
        self.start.base.next = 0.into();
        self.start.limit.next = self.memory_words.val();
    }
}
