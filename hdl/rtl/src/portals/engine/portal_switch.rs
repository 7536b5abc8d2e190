use super::{PortalRow, ShownIn, TableCommand};
use portico_spec::portals::engine::{ControlCommand, COMMAND_WIDTH};
use portico_verilog::prelude::*;

/// Width of the place of a cycle in a look.
const WAIT_WIDTH: usize = 2;

/// Enables, disables and frees a portal index (rule 1 of Portals 4).
///
/// | | |
/// | --- | --- |
/// | latency | the row is written in the cycle of `starts`; a disable is over in the third cycle of its first turn after the last message in progress |
/// | throughput | one command at a time |
/// | state | whether a disabled index waits for its messages |
///
/// A disabled index takes no message from `starts` on. The command is over when the messages in progress are.
#[derive(LogicBlock, Default)]
pub struct PortalSwitch {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// High for a cycle, in the turn of the command: it begins.
    pub starts: Signal<In, Bit>,
    /// The command has its turn.
    pub goes: Signal<In, Bit>,
    /// The command.
    pub command: Signal<In, TableCommand>,
    /// Rows that the tables show.
    pub shown: ShownIn,
    /// High for a cycle: the row of the portal index is written.
    pub row_write: Signal<Out, Bit>,
    /// That row; valid with `row_write`.
    pub row: Signal<Out, PortalRow>,
    /// High for a cycle: the counts of the portal index are read.
    pub portal_read: Signal<Out, Bit>,
    /// Waits for a turn of its own.
    pub wants: Signal<Out, Bit>,
    /// High for a cycle: the turn is over, the command is not.
    pub yields: Signal<Out, Bit>,
    /// High for a cycle: the portal index is disabled, and the command is not over.
    pub stops: Signal<Out, Bit>,
    /// High for a cycle: the command is over.
    pub over: Signal<Out, Bit>,
    lingers: DFF<Bit>,
    cycle: DFF<Bits<WAIT_WIDTH>>,
}

#[kernel]
impl Logic for PortalSwitch {
    fn update(&mut self) {
        dff_setup!(self, clk, lingers, cycle);
        self.row_write.next = self.starts.val();
        self.row.next = self.shown.row.val();
        self.row.next.enabled = self.command.val().command == bits::<COMMAND_WIDTH>(ControlCommand::Enable as u64);
        self.row.next.allocated = self.command.val().command != bits::<COMMAND_WIDTH>(ControlCommand::Free as u64);
        self.stops.next =
            self.starts.val() & (self.command.val().command == bits::<COMMAND_WIDTH>(ControlCommand::Disable as u64));
        self.over.next = self.starts.val() & !self.stops.val();
        self.yields.next = self.stops.val();
        self.wants.next = self.lingers.q.val();
        self.portal_read.next = false;
        self.cycle.d.next = 0.into();
        if self.stops.val() {
            self.lingers.d.next = true;
        }
        // Messages that are in progress take their turns between two looks.
        if self.lingers.q.val() & self.goes.val() {
            self.cycle.d.next = self.cycle.q.val() + 1;
            self.portal_read.next = self.cycle.q.val() == 0;
            if self.cycle.q.val() == 2 {
                self.cycle.d.next = 0.into();
                self.yields.next = self.shown.counts.val().messages.any();
                self.over.next = !self.shown.counts.val().messages.any();
            }
        }
        if self.over.val() | self.rst.val() {
            self.lingers.d.next = false;
        }
    }
}
