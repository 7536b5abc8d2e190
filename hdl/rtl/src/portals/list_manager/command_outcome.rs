use super::ports::{FindingIn, PlanIn, ResultOut, LIST_BITS};
use portico_spec::portals::list::{Status, CODE_WIDTH, LIST_WIDTH};
use portico_verilog::prelude::*;

/// The contents of a command's results.
///
/// Gives the result for the event of a cycle.
///
/// | | |
/// | --- | --- |
/// | latency | 0: logic alone |
///
/// At most one cause is high in a cycle. Each gives a result.
#[derive(LogicBlock, Default)]
pub struct CommandOutcome {
    /// The result for the cause of this cycle.
    pub result: ResultOut,
    /// The decoded command.
    pub plan: PlanIn,
    /// The list that the command names.
    pub list: Signal<In, Bits<LIST_WIDTH>>,
    /// Cause: a wrong command, or one for the counters.
    pub at_once: Signal<In, Bit>,
    /// Cause: an entry is found, or missed unless an append follows.
    pub finding: FindingIn,
    /// Cause: a new entry comes to `new_list`.
    pub insert: Signal<In, Bit>,
    /// Cause: a new entry would come to `new_list` if there was a free place.
    pub no_room: Signal<In, Bit>,
    /// List that the entry or header of the command is appended to.
    pub new_list: Signal<In, Bits<LIST_BITS>>,
    /// The new entry is the first of its place, with generation 0.
    pub fresh: Signal<In, Bit>,
    /// Cause: the hit that is held is resolved.
    pub resolve: Signal<In, Bit>,
    /// Cause: it is not, for want of a place for the header.
    pub unresolved: Signal<In, Bit>,
    /// Cause: a handle is checked.
    pub check: Signal<In, Bit>,
    /// With `check`: the handle is that of an entry in the list.
    pub right: Signal<In, Bit>,
    /// With `check` and `resolve`: list of the entry that the table shows.
    pub stored_list: Signal<In, Bits<LIST_BITS>>,
    misses: Signal<Local, Bit>,
}

#[kernel]
impl Logic for CommandOutcome {
    fn update(&mut self) {
        self.misses.next = self.finding.missed.val() & !self.plan.then_appends.val();
        self.result.start.next = self.at_once.val()
            | self.finding.found.val()
            | self.misses.val()
            | self.insert.val()
            | self.no_room.val()
            | self.check.val()
            | self.resolve.val()
            | self.unresolved.val();
        self.result.status.next = bits::<CODE_WIDTH>(Status::Done as u64);
        self.result.list.next = self.list.val();
        self.result.counters.next = self.at_once.val() & !self.plan.refused.val();
        self.result.entry.next = self.finding.found.val();
        self.result.handle.next = self.finding.found.val() | self.insert.val() | self.resolve.val();
        self.result.fresh.next = self.insert.val() & self.fresh.val();
        self.result.more.next = (self.finding.found.val() & self.plan.all_matches.val())
            | (self.resolve.val() & self.plan.leaves_header.val());
        self.result.leaves_header.next =
            self.finding.found.val() & self.plan.delivers.val() & self.finding.in_overflow.val();
        if self.at_once.val() & self.plan.refused.val() {
            self.result.status.next = self.plan.refusal.val();
        }
        if self.finding.found.val() {
            self.result.status.next = bits::<CODE_WIDTH>(Status::Found as u64);
        }
        if self.misses.val() {
            self.result.status.next = bits::<CODE_WIDTH>(Status::NoMatch as u64);
        }
        if self.insert.val() | self.no_room.val() {
            self.result.list.next = bit_cast::<LIST_WIDTH, LIST_BITS>(self.new_list.val());
        }
        if self.resolve.val() {
            self.result.list.next = bit_cast::<LIST_WIDTH, LIST_BITS>(self.stored_list.val());
        }
        if self.no_room.val() | self.unresolved.val() {
            self.result.status.next = bits::<CODE_WIDTH>(Status::Full as u64);
        }
        if self.check.val() & !self.right.val() {
            self.result.status.next = bits::<CODE_WIDTH>(Status::BadHandle as u64);
        }
        if self.check.val() & self.right.val() {
            self.result.list.next = bit_cast::<LIST_WIDTH, LIST_BITS>(self.stored_list.val());
            self.result.handle.next = true;
            if !self.plan.removes.val() & !self.plan.sets_offset.val() {
                self.result.status.next = bits::<CODE_WIDTH>(Status::Found as u64);
                self.result.entry.next = true;
            }
        }
    }
}
