//! What a command's results say.
//!
//! | | |
//! | --- | --- |
//! | latency | 0: logic alone |
//!
//! At most one of its causes happens in a cycle, each of which gives a result.

use super::ports::{FindingIn, PlanIn, ResultOut, LIST_BITS};
use portico_spec::portals::list::{Status, CODE_WIDTH, LIST_WIDTH};
use rust_hdl::prelude::*;

/// From what happens in a cycle to a result.
#[derive(LogicBlock)]
pub struct Outcome {
    pub result: ResultOut,
    pub plan: PlanIn,
    /// The list that the command names.
    pub list: Signal<In, Bits<LIST_WIDTH>>,
    /// Cause: a wrong command, or one for the counters.
    pub at_once: Signal<In, Bit>,
    /// Cause: an entry is found, or missed unless an append follows.
    pub finding: FindingIn,
    /// Cause: a new entry comes to `new_list`, or would if there was a free place.
    pub insert: Signal<In, Bit>,
    pub no_room: Signal<In, Bit>,
    pub new_list: Signal<In, Bits<LIST_BITS>>,
    pub fresh: Signal<In, Bit>,
    /// Cause: a handle is checked, and right or not; the entry is in `stored_list`.
    pub check: Signal<In, Bit>,
    pub right: Signal<In, Bit>,
    pub stored_list: Signal<In, Bits<LIST_BITS>>,
    misses: Signal<Local, Bit>,
    done_status: Constant<Bits<CODE_WIDTH>>,
    found_status: Constant<Bits<CODE_WIDTH>>,
    miss_status: Constant<Bits<CODE_WIDTH>>,
    full_status: Constant<Bits<CODE_WIDTH>>,
    handle_status: Constant<Bits<CODE_WIDTH>>,
}

impl Default for Outcome {
    fn default() -> Self {
        let status = |status: Status| Constant::new(bits(status as u64));
        Self {
            result: Default::default(),
            plan: Default::default(),
            list: Default::default(),
            at_once: Default::default(),
            finding: Default::default(),
            insert: Default::default(),
            no_room: Default::default(),
            new_list: Default::default(),
            fresh: Default::default(),
            check: Default::default(),
            right: Default::default(),
            stored_list: Default::default(),
            misses: Default::default(),
            done_status: status(Status::Done),
            found_status: status(Status::Found),
            miss_status: status(Status::NoMatch),
            full_status: status(Status::Full),
            handle_status: status(Status::BadHandle),
        }
    }
}

impl Logic for Outcome {
    #[hdl_gen]
    fn update(&mut self) {
        self.misses.next = self.finding.missed.val() & !self.plan.then_appends.val();
        self.result.start.next = self.at_once.val()
            | self.finding.found.val()
            | self.misses.val()
            | self.insert.val()
            | self.no_room.val()
            | self.check.val();
        self.result.status.next = self.done_status.val();
        self.result.list.next = self.list.val();
        self.result.counters.next = self.at_once.val() & !self.plan.refused.val();
        self.result.entry.next = self.finding.found.val();
        self.result.handle.next = self.finding.found.val() | self.insert.val();
        self.result.fresh.next = self.insert.val() & self.fresh.val();
        self.result.more.next = self.finding.found.val() & self.plan.all_matches.val();
        self.result.leaves_header.next =
            self.finding.found.val() & self.plan.delivers.val() & self.finding.in_overflow.val();
        if self.at_once.val() & self.plan.refused.val() {
            self.result.status.next = self.plan.refusal.val();
        }
        if self.finding.found.val() {
            self.result.status.next = self.found_status.val();
        }
        if self.misses.val() {
            self.result.status.next = self.miss_status.val();
        }
        if self.insert.val() | self.no_room.val() {
            self.result.list.next = bit_cast::<LIST_WIDTH, LIST_BITS>(self.new_list.val());
        }
        if self.no_room.val() {
            self.result.status.next = self.full_status.val();
        }
        if self.check.val() & !self.right.val() {
            self.result.status.next = self.handle_status.val();
        }
        if self.check.val() & self.right.val() {
            self.result.list.next = bit_cast::<LIST_WIDTH, LIST_BITS>(self.stored_list.val());
            self.result.handle.next = true;
            if !self.plan.removes.val() & !self.plan.sets_offset.val() {
                self.result.status.next = self.found_status.val();
                self.result.entry.next = true;
            }
        }
    }
}
