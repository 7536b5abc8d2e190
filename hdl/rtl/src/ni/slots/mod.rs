//! Transaction slots of a node.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Slots`] | all of it |
//! | [`OpenSlots`] | which slots are open, and of which segment |
//! | [`FirstErrors`] | why packets of open slots were refused |
//! | [`CompletionQueue`] | slots that are complete, until their events are taken |
//! | [`GetCredits`] | get requests that each other node may still be sent |

mod completion_queue;
mod first_errors;
mod get_credits;
mod open_slots;

pub use completion_queue::CompletionQueue;
pub use first_errors::FirstErrors;
pub use get_credits::GetCredits;
pub use open_slots::OpenSlots;

use crate::{
    bus::{ClaimIn, CompletionArbiter, CompletionIn, EventOut, FenceIn, SweepIn},
    prim::Fifo,
};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        build::Build,
        event::EVENT_WIDTH,
        packet::{SLOTS, SLOT_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// Sources of completions: control plane, data plane, failures of the node's own.
pub const COMPLETION_SOURCES: usize = 3;

/// Transaction slots: what a node has under way at others, until it is complete.
///
/// All slots of a node.
///
/// | | |
/// | --- | --- |
/// | latency | a completion of cycle t is offered as an event in t + 1, so that the event's count is read by an index of t + 2 |
/// | latency | a slot can be claimed again in the cycle after its event is taken |
/// | throughput | one completion and one event a cycle, a claim in two |
/// | order | completions in the order of the sources, 0 first; events in the order of completions |
/// | state | up to 32 slots: those of [`OpenSlots`], [`FirstErrors`] and [`CompletionQueue`]; credits of gets |
///
/// The control plane's completions never wait, whatever the event output does: a slot is claimed again only after its event
/// has been taken, so the queue of completions has a place for every slot. A value goes to the inbox when its completion is
/// taken, and is there before the event shows. A completion of a slot that is not open changes nothing.
///
/// A refusal of a packet that is not the last of its put leaves the slot open. The slot keeps the first such error, and
/// completes with it whatever the last answer says. Only source 0 has such refusals; the others complete with their own
/// errors.
#[derive(LogicBlock, Default)]
pub struct Slots {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// Claims of transaction slots.
    pub claim: ClaimIn,
    /// Source 0 is always ready. What comes of the others is always the last.
    pub complete: [CompletionIn; COMPLETION_SOURCES],
    /// Events of completions, the oldest first.
    pub update: EventOut,
    /// The result of an atomic, for its event.
    pub value_valid: Signal<Out, Bit>,
    /// Event of the atomic; valid with `value_valid`.
    pub value_event: Signal<Out, Bits<EVENT_WIDTH>>,
    /// Result of the atomic; valid with `value_valid`.
    pub value_data: Signal<Out, Bits<64>>,
    /// Fences that wait for the open slots of their segments.
    pub fence: FenceIn,
    /// A slot is open; a cycle late.
    pub any_open: Signal<Out, Bit>,
    /// Slots that are open for gets.
    pub gets: Signal<Out, Bits<SLOTS>>,
    /// High for one cycle, the one after a completion of a slot that was not open.
    pub stray: Signal<Out, Bit>,
    arbiter: CompletionArbiter,
    open_slots: OpenSlots,
    errors: FirstErrors,
    credits: GetCredits,
    free: Fifo<SLOT_WIDTH, SLOT_WIDTH>,
    ended: CompletionQueue,
    strayed: DFF<Bit>,
    claimed: Signal<Local, Bit>,
    is_open: Signal<Local, Bit>,
    answered: Signal<Local, Bit>,
    completed: Signal<Local, Bit>,
    first_sweep: Signal<Local, Bit>,
    last: Constant<Bits<NODE_WIDTH>>,
}

impl Slots {
    /// The slots of `build`, for gets from nodes with numbers below `nodes`.
    pub fn new(build: &Build, nodes: usize) -> Self {
        Self {
            arbiter: CompletionArbiter::new(COMPLETION_SOURCES),
            open_slots: OpenSlots::new(build),
            errors: FirstErrors::new(build.slots),
            free: Fifo::new(build.slots),
            ended: CompletionQueue::new(build.slots),
            last: Constant::new(bits(build.slots as u64 - 1)),
            credits: GetCredits::new(nodes),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Slots {
    fn update(&mut self) {
        wire!(self => open_slots, free, ended, credits: clk, rst);
        wire!(self => errors: clk);
        dff_setup!(self, clk, strayed);
        wire!(self <=> credits, open_slots: sweep);

        // The slots themselves are the first of the addresses of the sweep.
        self.first_sweep.next = self.sweep.active.val() & (self.sweep.place.val() <= self.last.val());

        // A claim takes the slot that has been free for longest.
        self.credits.take_node.next = self.claim.node.val();
        self.claim.ready.next = self.free.m_axis.tvalid.val()
            & !self.sweep.active.val()
            & self.open_slots.may_open.val()
            & (!self.claim.is_get.val() | self.credits.available.val());
        self.claim.slot.next = self.free.m_axis.tdata.val();
        self.claimed.next = self.claim.valid.val() & self.claim.ready.val();
        self.free.m_axis.tready.next = self.claimed.val();
        self.credits.take.next = self.claimed.val() & self.claim.is_get.val();
        self.open_slots.open.next = self.claimed.val();
        self.open_slots.open_slot.next = self.free.m_axis.tdata.val();
        self.open_slots.open_segment.next = self.claim.segment.val();
        self.open_slots.open_is_get.next = self.claim.is_get.val();
        self.gets.next = self.open_slots.gets.val();
        self.ended.claim.next = self.claimed.val();
        self.ended.claim_slot.next = self.free.m_axis.tdata.val();
        self.ended.claim_event.next = self.claim.event.val();
        self.ended.claim_node.next = self.claim.node.val();
        self.ended.claim_is_get.next = self.claim.is_get.val();
        self.ended.claim_quiet.next = self.claim.quiet.val();

        // A completion joins the queue, which has a place for each slot.
        wire!(complete[0] => errors: error);
        self.errors.asked.next = self.complete[0].slot.val();
        wire!(complete[0] => arbiter.source[0]: valid, slot, last, has_value, value);
        self.arbiter.source[0].error.next = self.errors.first.val();
        self.complete[0].ready.next = self.arbiter.source[0].ready.val();
        for i in 1..COMPLETION_SOURCES {
            wire!(self.complete[i] <=> arbiter.source[i]);
        }
        self.arbiter.chosen.ready.next = true;
        self.open_slots.close_slot.next = self.arbiter.chosen.slot.val();
        // Every source's slot is looked up, so that nothing waits to know which goes first.
        self.is_open.next = self.open_slots.is_open[COMPLETION_SOURCES - 1].val();
        for i in 0..COMPLETION_SOURCES {
            self.open_slots.asked[i].next = self.complete[i].slot.val();
        }
        if self.complete[1].valid.val() {
            self.is_open.next = self.open_slots.is_open[1].val();
        }
        if self.complete[0].valid.val() {
            self.is_open.next = self.open_slots.is_open[0].val();
        }
        self.answered.next = self.arbiter.chosen.valid.val() & self.is_open.val();
        self.completed.next = self.answered.val() & self.arbiter.chosen.last.val();
        self.errors.write.next = self.answered.val() | self.first_sweep.val();
        self.errors.slot.next = self.arbiter.chosen.slot.val();
        self.errors.keep.next = !self.arbiter.chosen.last.val();
        if self.sweep.active.val() {
            self.errors.slot.next = bit_cast::<SLOT_WIDTH, NODE_WIDTH>(self.sweep.place.val());
            self.errors.keep.next = false;
        }
        self.open_slots.close.next = self.completed.val();
        self.strayed.d.next = self.arbiter.chosen.valid.val() & !self.is_open.val();
        self.stray.next = self.strayed.q.val();
        self.ended.done.next = self.completed.val();
        self.ended.done_slot.next = self.arbiter.chosen.slot.val();
        self.ended.done_error.next = self.arbiter.chosen.error.val();
        self.value_valid.next = self.completed.val() & self.arbiter.chosen.has_value.val();
        self.value_event.next = self.ended.done_event.val();
        self.value_data.next = self.arbiter.chosen.value.val();

        wire!(self <=> ended: update);
        self.credits.give_node.next = self.ended.get_node.val();
        self.credits.give.next = self.ended.gone_is_get.val();

        self.free.s_axis.tvalid.next = self.ended.gone.val() | self.first_sweep.val();
        self.free.s_axis.tlast.next = true;
        self.free.s_axis.tdata.next = self.ended.gone_slot.val();
        if self.sweep.active.val() {
            self.free.s_axis.tdata.next = bit_cast::<SLOT_WIDTH, NODE_WIDTH>(self.sweep.place.val());
        }

        wire!(self <=> open_slots: fence);
        wire!(open_slots => self: any_open);
        if self.rst.val() {
            self.strayed.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ni::testing::initialised,
        prim::testing::{clock, clocked, reset, rng, settle},
    };
    use portico_spec::ni::GET_CREDITS;
    use rand::Rng;
    use std::collections::{HashMap, VecDeque};

    clocked!([] Slots);

    #[derive(Clone, Copy, Debug)]
    struct Claim {
        event: u64,
        quiet: bool,
        segment: u64,
        node: u64,
        is_get: bool,
    }

    #[derive(Clone, Copy, Debug)]
    struct Done {
        slot: usize,
        error: u64,
        last: bool,
        value: Option<u64>,
    }

    #[test]
    fn every_claim_completes_once_with_its_event_and_its_credit() {
        let mut rng = rng(0x5107);
        let mut dut = initialised!(Slots::new(&Build::FULL, 1 << NODE_WIDTH));
        let mut open: [Option<Claim>; SLOTS] = [None; SLOTS];
        let mut queue: VecDeque<(Claim, Done)> = VecDeque::new();
        let mut gets: HashMap<u64, usize> = HashMap::new();
        let mut free = SLOTS;
        let mut wanted: Option<Claim> = None;
        let mut offers: [Option<Done>; COMPLETION_SOURCES] = [None; COMPLETION_SOURCES];
        let mut errors = [0; SLOTS];
        let (mut was_stray, mut counting, mut closing, mut giving) = (false, false, false, false);
        let (mut kept, mut told) = (0, 0);
        let (mut full, mut strays, mut waits, mut no_credit, mut events, mut silent) = (0, 0, 0, 0, 0, 0);
        let mut deepest = 0;
        for cycle in 0..40_000 {
            // Slots fill up, complete with no event taken, then drain.
            let phase = cycle / 400 % 4;
            if wanted.is_none() && rng.gen_bool([0.9, 0.1, 0.5, 0.9][phase]) {
                wanted = Some(Claim {
                    event: rng.gen_range(0..64),
                    quiet: rng.gen_bool(0.3),
                    segment: rng.gen_range(0..4),
                    node: rng.gen_range(0..5) * 100,
                    is_get: rng.gen_bool(0.3),
                });
            }
            for (source, offer) in offers.iter_mut().enumerate() {
                if offer.is_none() && rng.gen_bool([0.02, 0.4, 0.2, 0.6][phase]) {
                    let error = if rng.gen_bool(0.2) { rng.gen_range(1..16) } else { 0 };
                    let value = rng.gen_bool(0.3).then(|| rng.gen());
                    let last = source > 0 || rng.gen_bool(0.7);
                    *offer = Some(Done {
                        slot: rng.gen_range(0..SLOTS),
                        error,
                        last,
                        value: value.filter(|_| last),
                    });
                }
            }
            let (ready, fence) = (rng.gen_bool([0.9, 0.02, 0.6, 1.0][phase]), rng.gen_range(0..4));
            let claim = wanted.unwrap_or(Claim {
                event: 0,
                quiet: false,
                segment: 0,
                node: 0,
                is_get: true,
            });
            dut.claim.valid.next = wanted.is_some();
            dut.claim.event.next = claim.event.into();
            dut.claim.quiet.next = claim.quiet;
            dut.claim.segment.next = claim.segment.into();
            dut.claim.node.next = claim.node.into();
            dut.claim.is_get.next = claim.is_get;
            for (port, offer) in dut.complete.iter_mut().zip(offers) {
                let done = offer.unwrap_or(Done {
                    slot: 3,
                    error: 1,
                    last: false,
                    value: None,
                });
                port.valid.next = offer.is_some();
                port.slot.next = (done.slot as u64).into();
                port.error.next = done.error.into();
                port.last.next = done.last;
                port.has_value.next = done.value.is_some();
                port.value.next = done.value.unwrap_or_default().into();
            }
            dut.update.ready.next = ready;
            dut.fence.segment.next = fence.into();
            let own = open
                .iter()
                .position(|claim| claim.is_some_and(|claim| claim.segment == fence));
            let own = own.filter(|_| cycle % 2 == 0);
            dut.fence.owns.next = own.is_some();
            dut.fence.slot.next = (own.unwrap_or(3) as u64).into();
            settle(&mut dut);

            assert_eq!(dut.stray.val(), was_stray, "cycle {cycle}");
            let others = open.iter().enumerate().filter(|&(slot, _)| own != Some(slot));
            let fence_busy = others
                .filter_map(|(_, claim)| *claim)
                .any(|claim| claim.segment == fence);
            assert!(
                dut.fence.busy.val() || !fence_busy,
                "cycle {cycle}: the fence misses a slot"
            );

            // The oldest completion is offered, or goes without an event.
            let oldest = queue.front().copied();
            let loud = oldest.filter(|(claim, done)| !claim.quiet || done.error > 0);
            let offered = dut
                .update
                .valid
                .val()
                .then(|| (dut.update.event.val().to_u64(), dut.update.error.val().to_u64()));
            assert_eq!(
                offered,
                loud.map(|(claim, done)| (claim.event, done.error)),
                "cycle {cycle}"
            );
            let gone = oldest.is_some() && (ready || loud.is_none());

            // A claim wants a slot, room for it to be counted, and a get a credit that none is just coming back to.
            let taken = gets.get(&claim.node).copied().unwrap_or_default();
            let credit = taken < GET_CREDITS && !giving;
            assert_eq!(
                dut.claim.ready.val(),
                free > 0 && !counting && (!claim.is_get || credit),
                "cycle {cycle}"
            );
            let is_get = |slot: &Option<Claim>| slot.is_some_and(|claim| claim.is_get);
            let awaited = (0..SLOTS).filter(|&slot| is_get(&open[slot]));
            assert_eq!(
                dut.gets.val(),
                awaited.fold(0u64, |slots, slot| slots | 1 << slot),
                "cycle {cycle}"
            );
            let claimed = wanted.filter(|_| dut.claim.ready.val());
            let slot = dut.claim.slot.val().index();
            no_credit += u32::from(wanted.is_some() && claim.is_get && taken == GET_CREDITS);
            full += u32::from(open.iter().all(Option::is_some));

            let first = offers.iter().position(Option::is_some);
            for (i, port) in dut.complete.iter().enumerate() {
                assert_eq!(
                    port.ready.val(),
                    first.is_none_or(|first| i <= first),
                    "cycle {cycle}, source {i}"
                );
                waits += u32::from(offers[i].is_some() && !port.ready.val());
            }
            let done = first.and_then(|first| offers[first].take());
            let answered = done.filter(|done| open[done.slot].is_some());
            // An answer of the control plane keeps the first error of its slot, or ends with it.
            let answered = answered.map(|done| Done {
                error: match first {
                    Some(0) if errors[done.slot] > 0 => errors[done.slot],
                    _ => done.error,
                },
                ..done
            });
            if let Some(done) = answered {
                told += u32::from(done.last && errors[done.slot] > 0);
                kept += u32::from(!done.last && done.error > 0);
                errors[done.slot] = if done.last { 0 } else { done.error };
            }
            let closed = answered.filter(|done| done.last);
            let closed = closed.and_then(|done| open[done.slot].take().map(|claim| (claim, done)));
            // A closing is counted a cycle late, and goes before an opening.
            counting = claimed.is_some() || (counting && closing);
            closing = closed.is_some();
            let value = closed.and_then(|(claim, done)| done.value.map(|value| (claim.event, value)));
            let seen = dut
                .value_valid
                .val()
                .then(|| (dut.value_event.val().to_u64(), dut.value_data.val().to_u64()));
            assert_eq!(seen, value, "cycle {cycle}");
            was_stray = done.is_some() && answered.is_none();
            strays += u32::from(was_stray);

            clock(&mut dut);
            giving = oldest.is_some_and(|(claim, _)| gone && claim.is_get);
            if gone {
                let (claim, _) = queue.pop_front().unwrap();
                free += 1;
                if claim.is_get {
                    *gets.get_mut(&claim.node).unwrap() -= 1;
                }
                events += u32::from(loud.is_some());
                silent += u32::from(loud.is_none());
            }
            queue.extend(closed);
            deepest = deepest.max(queue.len());
            if let Some(claim) = claimed {
                assert!(open[slot].replace(claim).is_none(), "slot {slot} is claimed twice");
                free -= 1;
                *gets.entry(claim.node).or_default() += usize::from(claim.is_get);
                wanted = None;
            }
        }
        assert!(
            full > 100 && strays > 100 && waits > 500 && no_credit > 100,
            "{full} {strays} {waits} {no_credit}"
        );
        assert!(
            kept > 100 && told > 100,
            "{kept} errors kept, {told} slots closed with one"
        );
        assert!(
            events > 1_000 && silent > 200 && deepest == SLOTS,
            "{events} {silent} {deepest}"
        );
    }

    #[test]
    fn an_event_follows_its_completion_by_a_cycle_and_reset_forgets_what_was_open() {
        let mut dut = initialised!(Slots::new(&Build::FULL, 1 << NODE_WIDTH));
        let claim_all = |dut: &mut Slots| {
            dut.claim.valid.next = true;
            dut.claim.event.next = 11u64.into();
            for slot in 0..SLOTS as u64 {
                settle(dut);
                assert!(dut.claim.ready.val());
                assert_eq!(dut.claim.slot.val(), slot);
                clock(dut);
                assert!(!dut.claim.ready.val(), "it is counted");
                clock(dut);
            }
            assert!(!dut.claim.ready.val(), "all slots are claimed");
            dut.claim.valid.next = false;
        };
        claim_all(&mut dut);
        dut.complete[1].valid.next = true;
        dut.complete[1].last.next = true;
        dut.complete[1].slot.next = 7u64.into();
        settle(&mut dut);
        assert!(!dut.update.valid.val());
        clock(&mut dut);
        assert!(dut.update.valid.val());
        assert_eq!(dut.update.event.val(), 11u64);
        // The same completion again is a stray, though its event has not been taken.
        clock(&mut dut);
        assert!(dut.stray.val());
        dut.complete[1].valid.next = false;
        let mut dut = initialised!(dut, |dut: &Slots| assert!(
            !dut.claim.ready.val() && !dut.update.valid.val()
        ));
        claim_all(&mut dut);
    }
}
