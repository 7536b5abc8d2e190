use super::{CommandRaise, HeaderResolver, ListJobOut, ListOperation, ShownIn, TableCommand, TablesOut, PLACE_WIDTH};
use portico_spec::portals::{engine::PORTAL_WIDTH, list::USE_ONCE};
use portico_verilog::prelude::*;

/// Width of the place of a cycle in a step.
const WAIT_WIDTH: usize = 2;

/// State of the control of scans.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ScanStep {
    /// Waits for a command, or for the answer of the lists.
    Ask,
    /// Reads the row of the header that is found.
    Look,
    /// Hands over what the header raises.
    Raise,
    /// Waits until that is written: the lists show its words so long.
    Written,
    /// The header leaves, or stays because its data are still coming.
    Resolve,
    /// Hands over AUTO_FREE of its entry.
    Free,
    /// Waits in turns with messages for the data of a header.
    Linger,
    /// Hands over that no header matches.
    Miss,
}

/// Appends entries and searches headers (rules 7 and 8 of Portals 4): takes header after header, and raises an event for each.
///
/// | | |
/// | --- | --- |
/// | latency | from `starts` to `over` without a header: an append 4 cycles; each header its search, 9 cycles and the writing of its event |
/// | throughput | one command at a time |
/// | state | the step, the answer of the lists, the place of a header whose data are still coming |
///
/// An append whose scan finds no header puts the entry into its list in the same step. A header whose data are still coming is
/// let go with nothing changed; the scan begins anew when they are there.
#[derive(LogicBlock, Default)]
pub struct ScanControl {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// High for a cycle, in the turn of the command: the scan begins in the next one.
    pub starts: Signal<In, Bit>,
    /// The command has its turn.
    pub goes: Signal<In, Bit>,
    /// The command; from the cycle before `starts` on.
    pub command: Signal<In, TableCommand>,
    /// It appends an entry; else it searches.
    pub appends: Signal<In, Bit>,
    /// Headers that it finds leave.
    pub takes: Signal<In, Bit>,
    /// Portal index of the command.
    pub portal: Signal<In, Bits<PORTAL_WIDTH>>,
    /// Requests to the lists.
    pub list: ListJobOut,
    /// Accesses to the tables.
    pub tables: TablesOut,
    /// Rows that the tables show.
    pub shown: ShownIn,
    /// Something is being raised, or an event that was raised is not written.
    pub raising: Signal<In, Bit>,
    /// There is something to raise.
    pub raises: Signal<Out, Bit>,
    /// Its cause; valid with `raises`.
    pub raise: Signal<Out, CommandRaise>,
    /// It is taken in this cycle if `raises` is high.
    pub raised: Signal<In, Bit>,
    /// Waits for a turn of its own.
    pub wants: Signal<Out, Bit>,
    /// High for a cycle: the turn is over, the command is not.
    pub yields: Signal<Out, Bit>,
    /// High for a cycle: a header has left, and all that it raises is handed over.
    pub consumes: Signal<Out, Bit>,
    /// High for a cycle: the scan is over.
    pub over: Signal<Out, Bit>,
    /// The entry is in its list, at the place that the lists show; valid with `over`.
    pub appended: Signal<Out, Bit>,
    /// There is no place for the entry; valid with `over`.
    pub full: Signal<Out, Bit>,
    resolver: HeaderResolver,
    step: DFF<ScanStep>,
    /// The operation that the command asks of the lists: known before `starts`.
    operation: DFF<ListOperation>,
    asks: DFF<Bit>,
    answered: DFF<Bit>,
    hit: DFF<Bit>,
    failed: DFF<Bit>,
    /// A header was found before.
    met: DFF<Bit>,
    /// Place of the header in hand.
    place: DFF<Bits<PLACE_WIDTH>>,
    cycle: DFF<Bits<WAIT_WIDTH>>,
    once: Signal<Local, Bit>,
    walks: Signal<Local, Bit>,
    resumes: Signal<Local, Bit>,
    again: Signal<Local, Bit>,
}

#[kernel]
impl Logic for ScanControl {
    fn update(&mut self) {
        wire!(self => resolver: clk, rst);
        dff_setup!(self, clk, step, operation, asks, answered, hit, failed, met, place, cycle);
        self.once.next = self.command.val().options.get_bit(USE_ONCE);
        // The lists walk from header to header and keep all of them.
        self.walks.next = !self.takes.val() & !self.once.val();
        wire!(resolver => list: write, field, word, removes);
        self.list.valid.next = self.asks.q.val() | self.resolver.valid.val();
        self.list.operation.next = self.operation.q.val();
        self.operation.d.next = ListOperation::AppendPriority;
        if self.appends.val() & self.command.val().overflow {
            self.operation.d.next = ListOperation::AppendOverflow;
        } else if !self.appends.val() & self.takes.val() {
            self.operation.d.next = ListOperation::Consume;
        } else if !self.appends.val() {
            self.operation.d.next = ListOperation::Probe;
        }
        self.list.advances.next = false;
        self.list.detaches.next = false;
        self.list.leaves_header.next = false;
        wire!(self => tables: portal);
        wire!(shown => tables: row, header);
        wire!(resolver => tables: counts_write, counts, entry_write, entry);
        // The counts have changed when the place of an entry is free.
        self.tables.portal_read.next = self.resolver.freed.val();
        self.tables.row_write.next = false;
        self.tables.entry_read.next = false;
        self.tables.place.next = self.shown.header.val().owner;
        self.tables.header_read.next = false;
        self.tables.header_write.next = false;
        wire!(list => resolver: done);
        wire!(self <=> resolver: shown);
        self.resolver.starts.next = false;
        self.raises.next = false;
        self.raise.next = CommandRaise::Met;
        self.wants.next = self.step.q.val() == ScanStep::Linger;
        self.yields.next = self.resolver.kept.val();
        self.over.next = false;
        self.appended.next = false;
        self.full.next = false;
        self.resumes.next = false;
        self.again.next = self.starts.val();
        self.consumes.next = self.resolver.left.val();
        self.met.d.next = (self.met.q.val() & !self.starts.val()) | (self.step.q.val() == ScanStep::Look);
        self.cycle.d.next = 0.into();
        match self.step.q.val() {
            ScanStep::Ask => {
                self.place.d.next = self.list.shown.val().place;
                if self.answered.q.val() & (!self.asks.q.val() | self.walks.val()) {
                    self.answered.d.next = self.hit.q.val();
                    if self.hit.q.val() {
                        self.step.d.next = ScanStep::Look;
                    } else if self.appends.val() | self.met.q.val() {
                        self.over.next = true;
                        self.appended.next = self.appends.val() & !self.failed.q.val();
                        self.full.next = self.appends.val() & self.failed.q.val();
                    } else {
                        self.step.d.next = ScanStep::Miss;
                    }
                }
            }
            ScanStep::Look => {
                self.cycle.d.next = self.cycle.q.val() + 1;
                if self.cycle.q.val() == 0 {
                    self.tables.header_read.next = true;
                    self.tables.place.next = self.place.q.val();
                }
                if self.cycle.q.val() == 2 {
                    self.tables.entry_read.next = true;
                    self.step.d.next = ScanStep::Raise;
                    if self.takes.val() & !self.shown.header.val().here {
                        self.resolver.starts.next = true;
                        self.step.d.next = ScanStep::Resolve;
                    }
                }
            }
            ScanStep::Raise => {
                self.raises.next = true;
                if self.raised.val() {
                    self.step.d.next = ScanStep::Written;
                }
            }
            ScanStep::Written => {
                if !self.raising.val() & self.takes.val() {
                    self.resolver.starts.next = true;
                    self.step.d.next = ScanStep::Resolve;
                } else if !self.raising.val() {
                    self.resumes.next = !self.once.val();
                    self.over.next = self.once.val();
                }
            }
            ScanStep::Resolve => {
                wire!(resolver => list: operation);
                if self.resolver.freed.val() {
                    self.step.d.next = ScanStep::Free;
                }
                if self.resolver.kept.val() {
                    self.step.d.next = ScanStep::Linger;
                }
            }
            ScanStep::Free => {
                self.raises.next = true;
                self.raise.next = CommandRaise::Freed;
                self.consumes.next = self.raised.val();
            }
            ScanStep::Linger => {
                // The messages take their turns between two looks.
                self.tables.place.next = self.place.q.val();
                if self.goes.val() {
                    self.cycle.d.next = self.cycle.q.val() + 1;
                    self.tables.header_read.next = self.cycle.q.val() == 0;
                    self.tables.portal_read.next = self.cycle.q.val() == 0;
                    if self.cycle.q.val() == 2 {
                        self.cycle.d.next = 0.into();
                        self.again.next = self.shown.header.val().here;
                        self.yields.next = !self.shown.header.val().here;
                    }
                }
            }
            ScanStep::Miss => {
                self.raises.next = true;
                self.raise.next = CommandRaise::Missed;
                self.over.next = self.raised.val();
            }
        }
        if self.consumes.val() {
            self.again.next = !self.once.val();
            self.over.next = self.once.val();
        }
        self.asks.d.next = self.again.val() | (self.asks.q.val() & !self.list.done.val());
        // The scan is over, or goes on with the next answer of the lists.
        if self.over.val() | self.again.val() | self.resumes.val() {
            self.answered.d.next = false;
            self.step.d.next = ScanStep::Ask;
        }
        if self.asks.q.val() & self.list.answered.val() {
            self.answered.d.next = true;
            self.hit.d.next = self.list.hit.val();
            self.failed.d.next = self.list.failed.val();
        }
        self.list.pauses.next = self.walks.val() & self.answered.q.val() & !self.resumes.val();
        if self.rst.val() {
            self.step.d.next = ScanStep::Ask;
            self.asks.d.next = false;
            self.answered.d.next = false;
        }
    }
}
