use super::{
    AppendEnd, CommandFields, CommandRules, CountOut, FinishOut, ListJobOut, NewEntry, PortalSwitch, ScanControl,
    ShownIn, TableCommand, TablesOut, UnlinkControl,
};
use crate::{
    bus::{EventOut, MemoryWriteOut},
    prim::StreamIn,
};
use portico_spec::{
    ni::{packet::ERROR_WIDTH, ErrorCode},
    portals::engine::{ControlCommand, COMMAND_WIDTH, NUMBER_WIDTH, PORTAL_WIDTH},
};
use portico_verilog::prelude::*;

/// Width of the place of a cycle in a step.
const WAIT_WIDTH: usize = 2;

/// State of the control of commands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum CommandStep {
    /// Takes the words of a descriptor.
    Take,
    /// Checks them.
    Judge,
    /// Headers are scanned, for an append or a search.
    Scan,
    /// An entry is unlinked.
    Unlink,
    /// An append ends: its handle is written, its event raised.
    Append,
    /// Changes a counter.
    Count,
    /// Waits for the messages of a portal index that is disabled.
    Linger,
    /// Ends the command.
    Report,
}

/// Carries out commands on entries, headers, counters and portal indices.
///
/// | | |
/// | --- | --- |
/// | latency | from the last word: an append 10 cycles and the writing of its event, more with headers ([`ScanControl`]), an unlink 10 and two operations of the lists, a disable 7 or more, others 3 |
/// | throughput | one command at a time, each in its turn |
/// | state | the step of the command in hand |
///
/// Errors of the descriptor ([`CommandFields`]) come before those that the lists tell.
#[derive(LogicBlock, Default)]
pub struct CommandControl {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Descriptors of commands, whole.
    pub commands: StreamIn<32>,
    /// A command waits for its turn.
    pub wants: Signal<Out, Bit>,
    /// The command has its turn.
    pub goes: Signal<In, Bit>,
    /// High for a cycle: the turn is over.
    pub ends: Signal<Out, Bit>,
    /// High for a cycle: the command has consumed a header, or disabled a portal index, and is not over.
    pub advances: Signal<Out, Bit>,
    /// High for a cycle: the command is over, but for its own event.
    pub finishes: Signal<Out, Bit>,
    /// Requests to the lists.
    pub list: ListJobOut,
    /// Accesses to the tables.
    pub tables: TablesOut,
    /// Rows that the tables show.
    pub shown: ShownIn,
    /// Something is being raised, or an event that was raised is not written.
    pub raising: Signal<In, Bit>,
    /// Events of appends and searches, and their counts.
    pub finish: FinishOut,
    /// Changes of counters.
    pub count: CountOut,
    /// The handle of a new entry.
    pub memory: MemoryWriteOut<32, 4>,
    /// Events of descriptors.
    pub event: EventOut,
    fields: CommandFields,
    scan: ScanControl,
    unlink: UnlinkControl,
    portal_switch: PortalSwitch,
    entry: NewEntry,
    append_end: AppendEnd,
    rules: CommandRules,
    step: DFF<CommandStep>,
    /// Portal index of the command, or of its entry.
    index: DFF<Bits<PORTAL_WIDTH>>,
    error: DFF<Bits<ERROR_WIDTH>>,
    cycle: DFF<Bits<WAIT_WIDTH>>,
    fault: Signal<Local, Bits<ERROR_WIDTH>>,
    reports: Signal<Local, Bit>,
    command: Signal<Local, TableCommand>,
}

impl CommandControl {
    /// For a memory of `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            fields: CommandFields::new(bytes),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CommandControl {
    fn update(&mut self) {
        wire!(self => fields, scan, unlink, portal_switch, append_end: clk, rst);
        wire!(self.commands <=> fields.words);
        dff_setup!(self, clk, step, index, error, cycle);
        self.command.next = self.fields.command.val();
        wire!(self => scan, portal_switch, entry, append_end, rules: command);
        wire!(self => scan, portal_switch: goes);
        self.fields.reads.next = (self.step.q.val() == CommandStep::Take) & self.goes.val();
        wire!(shown => fields: row, counts);
        self.fields.clears.next = false;

        self.wants.next = ((self.step.q.val() == CommandStep::Take) & self.commands.tvalid.val())
            | self.portal_switch.wants.val()
            | self.scan.wants.val();
        self.ends.next = self.scan.yields.val() | self.portal_switch.yields.val();
        self.advances.next = self.scan.consumes.val() | self.portal_switch.stops.val();
        self.reports.next = false;
        self.fault.next = 0.into();

        // Lists and tables: for a scan, unless another step needs them.
        self.scan.starts.next = false;
        wire!(fields => scan, rules: appends, takes);
        self.scan.portal.next = self.index.q.val();
        wire!(self => scan: raising);
        wire!(self <=> scan: list, tables, shown);
        if self.step.q.val() == CommandStep::Take {
            wire!(fields => list: write, field, word);
            wire!(fields => tables: portal_read, portal);
        }
        self.unlink.starts.next = false;
        wire!(list => unlink: answered, failed, done);
        wire!(self <=> unlink, portal_switch: shown);
        self.portal_switch.starts.next = false;
        self.entry.generation.next = self.list.shown.val().generation;
        self.append_end.generation.next = self.list.shown.val().generation;
        self.append_end.starts.next = false;
        wire!(scan => append_end: appended);
        self.append_end.place.next = self.list.shown.val().place;
        wire!(rules => append_end: taken);
        wire!(self <=> append_end: memory);
        self.count.valid.next = self.step.q.val() == CommandStep::Count;
        self.event.valid.next = false;
        self.cycle.d.next = 0.into();

        match self.step.q.val() {
            CommandStep::Take => {
                self.error.d.next = 0.into();
                if self.fields.ends.val() {
                    self.step.d.next = CommandStep::Judge;
                }
            }
            CommandStep::Judge => {
                // The checks settle, and the row of the portal index shows.
                self.cycle.d.next = self.cycle.q.val() + 1;
                self.index.d.next = self.command.val().index;
                if self.cycle.q.val() == 2 {
                    self.fault.next = self.fields.fault.val();
                    if self.fault.val().any() {
                        self.reports.next = true;
                    } else if self.fields.appends.val() | self.fields.searches.val() {
                        self.scan.starts.next = true;
                        self.step.d.next = CommandStep::Scan;
                    } else if self.fields.unlinks.val() {
                        self.unlink.starts.next = true;
                        self.step.d.next = CommandStep::Unlink;
                    } else if self.fields.changes.val() {
                        self.step.d.next = CommandStep::Count;
                    } else {
                        self.portal_switch.starts.next = true;
                        wire!(portal_switch => tables: row_write, row);
                        self.reports.next = self.portal_switch.over.val();
                        self.step.d.next = CommandStep::Linger;
                    }
                }
            }
            CommandStep::Scan => {
                if self.scan.over.val() {
                    self.step.d.next = CommandStep::Append;
                    self.reports.next = !self.fields.appends.val();
                    if self.scan.full.val() {
                        self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::NoPlace as u64);
                        self.reports.next = true;
                    }
                    self.append_end.starts.next = !self.reports.val();
                    if self.scan.appended.val() {
                        self.tables.place.next = self.list.shown.val().place;
                        self.tables.entry_write.next = true;
                        self.tables.entry.next = self.entry.row.val();
                        self.tables.counts_write.next = true;
                        self.tables.counts.next.entries = self.shown.counts.val().entries + 1;
                    }
                }
            }
            CommandStep::Unlink => {
                wire!(unlink => list: valid, operation);
                wire!(unlink => tables: portal_read, entry_read, counts_write, counts);
                self.tables.place.next = self.list.shown.val().place;
                if self.unlink.found.val() {
                    self.index.d.next = self.list.shown.val().portal;
                }
                self.fault.next = self.unlink.fault.val();
                self.reports.next = self.unlink.over.val();
            }
            CommandStep::Append => {
                self.reports.next = self.append_end.over.val();
            }
            CommandStep::Count => {
                self.reports.next = self.count.ready.val();
            }
            CommandStep::Linger => {
                wire!(portal_switch => tables: portal_read);
                self.reports.next = self.portal_switch.over.val();
            }
            CommandStep::Report => {
                // The events of a command are written before its own event counts.
                self.event.valid.next = !self.raising.val() & (self.error.q.val().any() | !self.command.val().quiet);
                if !self.raising.val() & (!self.event.valid.val() | self.event.ready.val()) {
                    self.ends.next = true;
                    self.fields.clears.next = true;
                    self.step.d.next = CommandStep::Take;
                }
            }
        }
        self.finishes.next = self.reports.val();
        if self.reports.val() {
            self.error.d.next = self.fault.val();
            self.step.d.next = CommandStep::Report;
        }
        self.count.counter.next = self.index.q.val().get_bits::<NUMBER_WIDTH>(0);
        self.count.sets.next = self.command.val().command == bits::<COMMAND_WIDTH>(ControlCommand::Set as u64);
        self.count.success.next = self.command.val().pointer;
        self.count.failure.next = self.command.val().value;
        self.event.event.next = self.command.val().event;
        self.event.error.next = self.error.q.val();
        self.rules.valid.next = self.scan.raises.val() | self.append_end.raises.val();
        wire!(scan => rules: raise);
        if self.append_end.raises.val() {
            wire!(append_end => rules: raise);
        }
        wire!(shown => rules: row, header, entry);
        wire!(self <=> rules: finish);
        self.scan.raised.next = self.rules.taken.val();
        if self.rst.val() {
            self.step.d.next = CommandStep::Take;
        }
    }
}
