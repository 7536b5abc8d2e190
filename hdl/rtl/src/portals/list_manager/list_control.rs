use super::ports::{FindingIn, PlanIn};
use portico_spec::portals::list::{OPTIONS_WIDTH, UNEXPECTED_HDR_DISABLE};
use portico_verilog::prelude::*;

/// The stage of a command.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ListStage {
    Idle,
    /// The entry of the handle is read.
    Read,
    /// It is known whether the handle is right.
    Check,
    Search,
    /// The entry found is read.
    Found,
    /// Waits until the entry found is sent. Then the search continues, or a header is left.
    Wait,
    /// An entry comes, or leaves.
    Edit,
}

/// Carries out commands, stage by stage.
///
/// Takes one command after the other.
///
/// | | |
/// | --- | --- |
/// | latency | from the cycle of the last beat to the first of the answer: refusals and counters 2, by handle 4, append 3, a search its entries, 4, and at most 3 for each further chain |
/// | throughput | one command at a time |
/// | state | the stage |
///
/// | stages after Idle | command |
/// | --- | --- |
/// | none | a wrong one, status |
/// | Read, Check | read, set_offset, a wrong handle |
/// | Read, Check, Edit | delete |
/// | Edit | append |
/// | Search, Found | search; deliver, if no header is left |
/// | Search, Found, Edit | search_delete |
/// | Search, Found, Wait, Edit | deliver that leaves one |
/// | Search, Found, Wait, Search, ... | probe |
/// | Search, Found, Edit, Wait, Search, ... | consume; append_search, which ends with Edit |
///
/// | Search, Found | search_hold, append_hold, consume_hold with a hit; then the hit is held |
/// | Edit, Wait, Edit | resolve; without the first Edit if the hit stays, without Wait and Edit if no header is left |
/// | Read, Check, Edit | release |
///
/// A search that finds nothing is over in Search or, if there was a match before, in Wait. A hit that is held stays in the
/// table's output: nothing is read until it is resolved.
#[derive(LogicBlock, Default)]
pub struct ListControl {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the command under way is dropped.
    pub rst: Signal<In, Bit>,
    /// There is a command; all of it stays until `done`.
    pub valid: Signal<In, Bit>,
    /// The decoded command.
    pub plan: PlanIn,
    /// High for one cycle: the command is over.
    pub done: Signal<Out, Bit>,
    /// The table may be read: no answer is being sent.
    pub responder_idle: Signal<In, Bit>,
    /// The answer is known from the command alone.
    pub at_once: Signal<Out, Bit>,
    /// The entry of the handle is read.
    pub fetch: Signal<Out, Bit>,
    /// High for one cycle: the handle is checked, and is right or not.
    pub check: Signal<Out, Bit>,
    /// With `check`: the handle is that of an entry in the list, or for a release that of a detached one.
    pub right: Signal<In, Bit>,
    /// The offset of the entry changes.
    pub set_offset: Signal<Out, Bit>,
    /// High for one cycle: a search begins.
    pub search: Signal<Out, Bit>,
    /// High for one cycle: the search goes on after the entry found.
    pub resume: Signal<Out, Bit>,
    /// How the search ends, or pauses.
    pub finding: FindingIn,
    /// Options of the entry in hand.
    pub stored_options: Signal<In, Bits<OPTIONS_WIDTH>>,
    /// No place is free.
    pub full: Signal<In, Bit>,
    /// High for one cycle: the hit that is held is resolved.
    pub resolve: Signal<Out, Bit>,
    /// High for one cycle: the hit is not resolved, for want of a place for the header.
    pub unresolved: Signal<Out, Bit>,
    /// A hit is held.
    pub held: Signal<Out, Bit>,
    /// The command's entry or header is to come.
    pub take: Signal<Out, Bit>,
    /// The entry or header of the command comes to its list.
    pub insert: Signal<In, Bit>,
    /// There is no free place for the entry or header of the command.
    pub no_room: Signal<In, Bit>,
    /// The entry in hand may leave: its chains are looked at, while it is not known whether it does.
    pub may_leave: Signal<Out, Bit>,
    /// The entry in hand is to leave.
    pub leave: Signal<Out, Bit>,
    /// It has left.
    pub left: Signal<In, Bit>,
    stage: DFF<ListStage>,
    holding: DFF<Bit>,
    /// The command in hand may look for a further match. Its first cycle tells, so that no late input decides it.
    walks: DFF<Bit>,
    leaves_header: Signal<Local, Bit>,
}

#[kernel]
impl Logic for ListControl {
    fn update(&mut self) {
        dff_setup!(self, clk, stage, holding, walks);
        self.held.next = self.holding.q.val();
        self.resolve.next = false;
        self.unresolved.next = false;
        self.leaves_header.next = self.plan.delivers.val()
            & self.finding.in_overflow.val()
            & !self.stored_options.val().get_bit(UNEXPECTED_HDR_DISABLE);
        self.check.next = self.stage.q.val() == ListStage::Check;
        self.resume.next = (self.stage.q.val() == ListStage::Wait) & self.responder_idle.val() & self.walks.q.val();
        self.walks.d.next = !self.plan.delivers.val() & !self.plan.resolves.val();
        self.at_once.next = false;
        self.fetch.next = false;
        self.set_offset.next = false;
        self.search.next = false;
        self.take.next = false;
        self.may_leave.next = false;
        self.leave.next = false;
        self.done.next = false;
        match self.stage.q.val() {
            ListStage::Idle => {
                if self.valid.val() & self.responder_idle.val() {
                    if self.plan.refused.val() | self.plan.status.val() {
                        self.at_once.next = true;
                        self.done.next = true;
                    } else if self.plan.takes_handle.val() {
                        self.fetch.next = true;
                        self.stage.d.next = ListStage::Read;
                    } else if self.plan.resolves.val() & self.plan.leaves_header.val() & self.full.val() {
                        self.unresolved.next = true;
                        self.done.next = true;
                    } else if self.plan.resolves.val() {
                        self.resolve.next = true;
                        self.holding.d.next = false;
                        self.set_offset.next = self.plan.sets_offset.val();
                        self.may_leave.next = self.plan.removes.val();
                        self.leave.next = self.plan.removes.val();
                        self.stage.d.next = ListStage::Wait;
                        self.done.next = !self.plan.removes.val() & !self.plan.leaves_header.val();
                    } else if self.plan.appends.val() {
                        self.take.next = true;
                    } else {
                        self.search.next = true;
                        self.stage.d.next = ListStage::Search;
                    }
                }
            }
            ListStage::Read => {
                self.stage.d.next = ListStage::Check;
            }
            ListStage::Check => {
                self.set_offset.next = self.right.val() & self.plan.sets_offset.val();
                self.may_leave.next = self.plan.removes.val();
                self.leave.next = self.right.val() & self.plan.removes.val();
                self.done.next = !self.right.val() | !self.plan.removes.val();
            }
            ListStage::Search => {
                if self.finding.found.val() {
                    self.stage.d.next = ListStage::Found;
                }
            }
            ListStage::Found => {
                if self.plan.holds.val() {
                    self.holding.d.next = true;
                    self.done.next = true;
                } else if self.plan.removes.val() {
                    self.may_leave.next = true;
                    self.leave.next = true;
                } else if self.plan.all_matches.val() | self.leaves_header.val() {
                    self.stage.d.next = ListStage::Wait;
                } else {
                    self.done.next = true;
                }
            }
            ListStage::Wait => {
                if self.responder_idle.val() {
                    self.take.next = self.plan.delivers.val() | self.plan.resolves.val();
                    self.stage.d.next = ListStage::Search;
                }
            }
            ListStage::Edit => {
                if self.left.val() {
                    self.stage.d.next = ListStage::Wait;
                }
                self.done.next = self.insert.val()
                    | self.no_room.val()
                    | (self.left.val() & !self.plan.all_matches.val() & !self.plan.leaves_header.val());
            }
        }
        if self.finding.missed.val() {
            self.take.next = self.plan.then_appends.val();
            self.done.next = !self.plan.then_appends.val();
        }
        if self.take.val() | self.leave.val() {
            self.stage.d.next = ListStage::Edit;
        }
        if self.done.val() {
            self.stage.d.next = ListStage::Idle;
        }
        if self.rst.val() {
            self.stage.d.next = ListStage::Idle;
            self.holding.d.next = false;
        }
    }
}
