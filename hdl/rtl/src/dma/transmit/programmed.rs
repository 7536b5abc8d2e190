use super::{cores::MicroCoreSequencer, Bypass, CreditTurn, StartArbiter};
use crate::{
    bus::{CreditTakeOut, EventOut, FenceOut, RegisterWriteIn},
    dma::ports::{ArgumentIn, ChunkOut, HeaderOut, ParkOut, StartIn, StopOut},
};
use portico_spec::ni::{
    build::Build,
    command::{SHAPERS, SHAPER_WIDTH},
    event::EVENTS,
    instruction::COUNT_WIDTH,
};
use portico_verilog::prelude::*;

/// Runs the programs of all contexts: the micro-cores, and the bypass in front of them.
///
/// All contexts.
///
/// | | |
/// | --- | --- |
/// | latency | that of the bypass for one packet, else of the sequencer |
/// | throughput | that of its parts |
/// | fairness | eight packets of the bypass to one of the sequencer |
/// | state | that of its parts |
#[derive(LogicBlock, Default)]
pub struct Programmed {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no context is active.
    pub rst: Signal<In, Bit>,
    /// No start is taken.
    pub initialising: Signal<In, Bit>,
    /// Writes of registers; those to the block PROGRAM write the user's instructions.
    pub register_write: RegisterWriteIn,
    /// A command.
    pub start: StartIn,
    /// A get of another node.
    pub serve: StartIn,
    /// Words of descriptors and of requests, for the registers of their contexts.
    pub argument: ArgumentIn,
    /// Reports of contexts that have stopped.
    pub stop: StopOut,
    /// Commands that are parked; whether one more may be; and the contexts that are held behind them.
    pub park: ParkOut,
    /// Chunks of payload, in the order of their packets.
    pub chunk: ChunkOut,
    /// Headers of closed packets, each in the cycle of the last chunk of its packet or later.
    pub header: HeaderOut,
    /// Meant to come after the packets before it.
    pub notice: EventOut,
    /// Events that have fired.
    pub fired: Signal<In, Bits<EVENTS>>,
    /// Fences that wait for the open transactions of their segments.
    pub fence: FenceOut,
    /// Requests of credits of peers' queues, for messages.
    pub credit_take: CreditTakeOut,
    /// Shaper of the context that runs.
    pub shaper: Signal<Out, Bits<SHAPER_WIDTH>>,
    /// Most words of payload, 1 to 64, of a packet of `shaper`, in the same cycle.
    pub maximum: Signal<In, Bits<COUNT_WIDTH>>,
    /// Shaper of the job that starts.
    pub start_shaper: Signal<Out, Bits<SHAPER_WIDTH>>,
    /// Most words of payload, 1 to 64, of a packet of `start_shaper`, in the same cycle.
    pub start_maximum: Signal<In, Bits<COUNT_WIDTH>>,
    /// Shapers that let a packet begin, one bit each.
    pub may_send: Signal<In, Bits<SHAPERS>>,
    /// Shaper of the packet of `header`.
    pub payer: Signal<Out, Bits<SHAPER_WIDTH>>,
    /// Flits of the packet of `header`.
    pub flits: Signal<Out, Bits<COUNT_WIDTH>>,
    /// A context is active, or the bypass has a start in hand.
    pub running: Signal<Out, Bit>,
    /// Every active context waits.
    pub waiting: Signal<Out, Bit>,
    starts: StartArbiter,
    bypass: Bypass,
    sequencer: MicroCoreSequencer,
    credits: CreditTurn,
}

impl Programmed {
    /// With the micro-cores of `build`, and the built-in programs.
    pub fn new(build: &Build, firmware: &[u32]) -> Self {
        Self {
            sequencer: MicroCoreSequencer::new(build, firmware),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Programmed {
    fn update(&mut self) {
        wire!(self => starts, bypass, sequencer, credits: clk, rst);
        wire!(self => bypass: initialising, may_send);
        wire!(self.start <=> starts.command);
        wire!(self.serve <=> starts.request);
        wire!(starts <=> bypass: start);
        self.start_shaper.next = self.starts.start.job.val().shaper;
        wire!(self <=> bypass, sequencer: argument);
        wire!(bypass.forward <=> sequencer.start);
        self.park.parks.next = self.bypass.parks.val();
        self.park.context.next = self.bypass.forward.context.val();
        self.bypass.has_room.next = self.park.has_room.val();
        self.sequencer.held.next = self.park.held.val();
        wire!(sequencer => bypass: mid_packet);
        self.bypass.sequencer_wants.next = self.sequencer.sends.val();
        self.bypass.sequencer_closes.next = self.sequencer.header.valid.val();
        self.bypass.sequencer_notices.next = self.sequencer.notice.valid.val();
        wire!(self <=> sequencer: register_write);
        wire!(self => sequencer: initialising, fired, maximum, may_send);
        self.bypass.maximum.next = self.start_maximum.val();
        self.fence.segment.next = self.sequencer.segment.val();
        self.fence.owns.next = self.sequencer.owns_slot.val();
        self.fence.slot.next = self.sequencer.slot.val();
        self.sequencer.fence_busy.next = self.fence.busy.val();
        self.running.next = self.sequencer.running.val() | self.bypass.busy.val();
        self.waiting.next = self.sequencer.waiting.val() & !self.bypass.busy.val();

        // Nobody waits for a stop of the bypass: the sequencer's goes first.
        wire!(bypass.stop => stop: context, owns_slot, error);
        if self.sequencer.stop.valid.val() {
            wire!(sequencer.stop => stop: context, owns_slot, error);
        }
        self.stop.valid.next = self.sequencer.stop.valid.val() | self.bypass.stop.valid.val();
        self.sequencer.stop.ready.next = self.stop.ready.val();
        self.bypass.stop.ready.next = self.stop.ready.val() & !self.sequencer.stop.valid.val();

        wire!(self <=> credits: credit_take);
        self.credits.bypass_wants.next = self.bypass.wants_credit.val();
        self.credits.bypass_segment.next = self.bypass.segment.val();
        self.credits.sequencer_wants.next = self.sequencer.wants_credit.val();
        self.credits.sequencer_segment.next = self.sequencer.segment.val();
        self.bypass.credit_answered.next = self.credits.bypass_answered.val();
        self.sequencer.credit_answered.next = self.credits.sequencer_answered.val();
        self.bypass.credit_granted.next = self.credit_take.granted.val();
        self.sequencer.credit_granted.next = self.credit_take.granted.val();

        // One of the two sends at a time.
        self.chunk.valid.next = self.sequencer.chunk.valid.val() | self.bypass.chunk.valid.val();
        self.header.valid.next = self.sequencer.header.valid.val() | self.bypass.header.valid.val();
        self.notice.valid.next = self.sequencer.notice.valid.val() | self.bypass.notice.valid.val();
        self.bypass.chunk.ready.next = self.chunk.ready.val();
        self.bypass.header.ready.next = self.header.ready.val();
        self.bypass.notice.ready.next = self.notice.ready.val();
        self.sequencer.chunk.ready.next = self.chunk.ready.val() & self.bypass.grants.val();
        self.sequencer.header.ready.next = self.header.ready.val() & self.bypass.grants.val();
        self.sequencer.notice.ready.next = self.notice.ready.val() & self.bypass.grants.val();
        wire!(sequencer => self: shaper, flits);
        self.payer.next = self.sequencer.shaper.val();
        wire!(sequencer.chunk => chunk: literal, value, words);
        wire!(
            sequencer.header => header: control, bare, destination, tag, kind, last, offset, slot, strided,
                has_geometry, operation, wide, row, stride, words
        );
        wire!(sequencer.notice => notice: event, error);
        if !self.bypass.grants.val() {
            self.payer.next = self.bypass.shaper.val();
            self.flits.next = self.bypass.flits.val();
            wire!(bypass.chunk => chunk: literal, value, words);
            wire!(
                bypass.header => header: control, bare, destination, tag, kind, last, offset, slot, strided,
                    has_geometry, operation, wide, row, stride, words
            );
            wire!(bypass.notice => notice: event, error);
        }
    }
}
