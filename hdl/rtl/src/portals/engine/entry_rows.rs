use super::{EntryChange, EntryRow, HeaderRow, Message, PortalCounts};
use portico_verilog::prelude::*;

/// The rows that the begin of a message changes: of its entry, of the portal index, and of the header that it leaves.
///
/// Combinational, no state.
#[derive(LogicBlock, Default)]
pub struct EntryRows {
    /// The message.
    pub message: Signal<In, Message>,
    /// What the message changes at the entry.
    pub change: Signal<In, EntryChange>,
    /// Row of the entry.
    pub entry: Signal<In, EntryRow>,
    /// Counts of the portal index.
    pub counts: Signal<In, PortalCounts>,
    /// The new row of the entry.
    pub new_entry: Signal<Out, EntryRow>,
    /// The new counts of the portal index.
    pub new_counts: Signal<Out, PortalCounts>,
    /// Row of the header.
    pub header: Signal<Out, HeaderRow>,
}

#[kernel]
impl Logic for EntryRows {
    fn update(&mut self) {
        self.new_entry.next = self.entry.val();
        self.new_entry.next.detached = self.entry.val().detached | self.change.val().unlinks;
        if self.change.val().keeps {
            self.new_entry.next.headers = self.entry.val().headers + 1;
        }
        self.new_counts.next = self.counts.val();
        if !self.change.val().completes {
            self.new_entry.next.messages = self.entry.val().messages + 1;
            self.new_counts.next.messages = self.counts.val().messages + 1;
        }
        if self.change.val().frees {
            self.new_counts.next.entries = self.counts.val().entries - 1;
        }
        self.header.next.owner = self.message.val().place;
        self.header.next.delivered = self.message.val().delivered;
        self.header.next.get = self.message.val().get;
        self.header.next.here = self.change.val().completes;
    }
}
