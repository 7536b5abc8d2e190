use super::{ListOperation, PortalCounts, ShownIn};
use portico_spec::ni::{packet::ERROR_WIDTH, ErrorCode};
use portico_verilog::prelude::*;

/// Width of the place of a cycle in a step.
const WAIT_WIDTH: usize = 2;

/// State of the control of unlinks.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum UnlinkStep {
    /// Waits for a command, or until the lists show the entry of its handle.
    Show,
    /// Reads the rows of that entry and of its portal index.
    Rows,
    /// The entry leaves its list.
    Delete,
}

/// Unlinks an entry (rule 5 of Portals 4), unless messages or headers of it are left.
///
/// | | |
/// | --- | --- |
/// | latency | from `starts` to `over`: 7 cycles beside the answers of the lists |
/// | throughput | one command at a time |
/// | state | the step, and what the lists have answered |
///
/// The handle is with the lists when it starts. The place of the entry is the one that the lists show.
#[derive(LogicBlock, Default)]
pub struct UnlinkControl {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// High for a cycle, in the turn of the command: the unlink begins in the next one.
    pub starts: Signal<In, Bit>,
    /// The lists are asked; stays until `done`.
    pub valid: Signal<Out, Bit>,
    /// The operation; valid with `valid`.
    pub operation: Signal<Out, ListOperation>,
    /// High for a cycle: the lists have answered.
    pub answered: Signal<In, Bit>,
    /// The handle is of no entry; valid with `answered`.
    pub failed: Signal<In, Bit>,
    /// High for a cycle: the operation is carried out.
    pub done: Signal<In, Bit>,
    /// High for a cycle: the lists have answered. They show the entry and its portal index, unless `over` is high.
    pub found: Signal<Out, Bit>,
    /// High for a cycle: the row and the counts of that portal index are read.
    pub portal_read: Signal<Out, Bit>,
    /// High for a cycle: the row of the entry is read.
    pub entry_read: Signal<Out, Bit>,
    /// Rows that the tables show.
    pub shown: ShownIn,
    /// High for a cycle: the portal index has an entry fewer.
    pub counts_write: Signal<Out, Bit>,
    /// Its counts; valid with `counts_write`.
    pub counts: Signal<Out, PortalCounts>,
    /// High for a cycle: the unlink is over.
    pub over: Signal<Out, Bit>,
    /// Its error, 0 for none; valid with `over`.
    pub fault: Signal<Out, Bits<ERROR_WIDTH>>,
    step: DFF<UnlinkStep>,
    asks: DFF<Bit>,
    shows: DFF<Bit>,
    lacks: DFF<Bit>,
    cycle: DFF<Bits<WAIT_WIDTH>>,
}

#[kernel]
impl Logic for UnlinkControl {
    fn update(&mut self) {
        dff_setup!(self, clk, step, asks, shows, lacks, cycle);
        self.valid.next = self.asks.q.val();
        self.operation.next = ListOperation::Show;
        self.found.next = false;
        self.portal_read.next = false;
        self.counts_write.next = false;
        self.counts.next = self.shown.counts.val();
        self.counts.next.entries = self.shown.counts.val().entries - 1;
        self.over.next = false;
        self.fault.next = 0.into();
        if self.asks.q.val() & self.answered.val() {
            self.shows.d.next = true;
            self.lacks.d.next = self.failed.val();
        }
        if self.asks.q.val() & self.done.val() {
            self.asks.d.next = false;
        }
        self.cycle.d.next = 0.into();
        match self.step.q.val() {
            UnlinkStep::Show => {
                if self.shows.q.val() & !self.asks.q.val() {
                    self.found.next = true;
                    self.step.d.next = UnlinkStep::Rows;
                    if self.lacks.q.val() {
                        self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownEntry as u64);
                        self.over.next = true;
                    }
                }
            }
            UnlinkStep::Rows => {
                self.cycle.d.next = self.cycle.q.val() + 1;
                self.portal_read.next = self.cycle.q.val() == 0;
                if self.cycle.q.val() == 2 {
                    if self.shown.entry.val().messages.any() | self.shown.entry.val().headers.any() {
                        self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::InUse as u64);
                        self.over.next = true;
                    } else {
                        self.counts_write.next = true;
                        self.asks.d.next = true;
                        self.step.d.next = UnlinkStep::Delete;
                    }
                }
            }
            UnlinkStep::Delete => {
                self.operation.next = ListOperation::Delete;
                self.over.next = !self.asks.q.val();
            }
        }
        self.entry_read.next = self.portal_read.val();
        if self.starts.val() {
            self.asks.d.next = true;
        }
        if self.over.val() | self.rst.val() {
            self.shows.d.next = false;
            self.step.d.next = UnlinkStep::Show;
        }
        if self.rst.val() {
            self.asks.d.next = false;
        }
    }
}
