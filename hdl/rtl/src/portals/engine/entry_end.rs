use super::{EntryRow, HeaderRow, ListField, ListOperation, Message, PortalCounts, ShownIn, PLACE_WIDTH};
use portico_spec::portals::list::{GENERATION_OFFSET, GENERATION_WIDTH};
use portico_verilog::prelude::*;

/// Width of the place of a cycle in a step.
const WAIT_WIDTH: usize = 2;

/// State of the end of a message at its entry.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum EndStep {
    /// Reads and writes the rows of the entry.
    Rows,
    /// Frees the place of the entry.
    Release,
}

/// Ends a message at its entry, if the first packet did not complete it: after its last packet, or when its get is served.
///
/// | | |
/// | --- | --- |
/// | latency | 3 cycles from `message_closes` to `message_closed`, more if a place is freed |
/// | throughput | one message at a time |
/// | state | the step, and what has become of the entry |
///
/// The entry and the portal index have one message less in progress; the header of the message is complete. An entry that has left
/// its list is over with its last message, and its place is free with its last header.
#[derive(LogicBlock, Default)]
pub struct EntryEnd {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// No message is carried out.
    pub rests: Signal<In, Bit>,
    /// The last packet is in hand, or the get is served; stays until `message_closed`.
    pub message_closes: Signal<In, Bit>,
    /// The message, as it is kept.
    pub message: Signal<In, Message>,
    /// Rows that the tables show.
    pub shown: ShownIn,
    /// High for a cycle: the handle of the entry goes to the lists.
    pub write: Signal<Out, Bit>,
    /// The field for a handle.
    pub field: Signal<Out, ListField>,
    /// The handle; valid with `write`.
    pub word: Signal<Out, Bits<32>>,
    /// The lists are asked; stays until `done`.
    pub valid: Signal<Out, Bit>,
    /// The operation; valid with `valid`.
    pub operation: Signal<Out, ListOperation>,
    /// High for a cycle: the operation is carried out.
    pub done: Signal<In, Bit>,
    /// High for a cycle: the row and the counts of the portal index are read.
    pub portal_read: Signal<Out, Bit>,
    /// High for a cycle: the row of the entry is read.
    pub entry_read: Signal<Out, Bit>,
    /// Place of the entry or header that is read or written.
    pub place: Signal<Out, Bits<PLACE_WIDTH>>,
    /// High for a cycle: the row of the message's header is written.
    pub header_write: Signal<Out, Bit>,
    /// That row: its data are here.
    pub header: Signal<Out, HeaderRow>,
    /// High for a cycle: the row of the entry is written.
    pub entry_write: Signal<Out, Bit>,
    /// That row.
    pub entry: Signal<Out, EntryRow>,
    /// High for a cycle: the counts of the portal index are written.
    pub counts_write: Signal<Out, Bit>,
    /// Those counts.
    pub counts: Signal<Out, PortalCounts>,
    /// High for a cycle: the message has ended at its entry.
    pub message_closed: Signal<Out, Bit>,
    /// The entry has left its list, and its last message is complete.
    pub unlinked: Signal<Out, Bit>,
    /// Its place is free too: no header of it is left.
    pub gone: Signal<Out, Bit>,
    step: DFF<EndStep>,
    asks: DFF<Bit>,
    cycle: DFF<Bits<WAIT_WIDTH>>,
    finished: DFF<Bit>,
    leaves: DFF<Bit>,
    finishes: Signal<Local, Bit>,
}

#[kernel]
impl Logic for EntryEnd {
    fn update(&mut self) {
        dff_setup!(self, clk, step, asks, cycle, finished, leaves);
        self.finishes.next = self.shown.entry.val().detached & (self.shown.entry.val().messages == 1);
        self.write.next = false;
        self.field.next = ListField::Handle;
        self.word.next = bit_cast::<32, PLACE_WIDTH>(self.message.val().place)
            | field::<32, GENERATION_WIDTH>(self.shown.entry.val().generation, GENERATION_OFFSET);
        self.valid.next = self.asks.q.val();
        self.operation.next = ListOperation::Release;
        self.portal_read.next = false;
        self.place.next = self.message.val().place;
        self.header_write.next = false;
        self.header.next.owner = self.message.val().place;
        self.header.next.delivered = self.message.val().delivered;
        self.header.next.get = self.message.val().get;
        self.header.next.here = true;
        self.entry_write.next = false;
        self.entry.next = self.shown.entry.val();
        self.entry.next.messages = self.shown.entry.val().messages - 1;
        self.counts.next = self.shown.counts.val();
        self.counts.next.messages = self.shown.counts.val().messages - 1;
        self.message_closed.next = false;
        self.cycle.d.next = 0.into();
        if self.asks.q.val() & self.done.val() {
            self.asks.d.next = false;
        }
        match self.step.q.val() {
            EndStep::Rows => {
                if self.message_closes.val() {
                    self.cycle.d.next = self.cycle.q.val() + 1;
                    self.portal_read.next = self.cycle.q.val() == 0;
                    if self.cycle.q.val() == 1 {
                        self.place.next = self.message.val().header;
                        self.header_write.next = self.message.val().unexpected;
                    }
                    if self.cycle.q.val() == 2 {
                        self.entry_write.next = true;
                        self.message_closed.next = true;
                        self.finished.d.next = self.finishes.val();
                        if self.finishes.val() & !self.shown.entry.val().headers.any() {
                            self.message_closed.next = false;
                            self.counts.next.entries = self.shown.counts.val().entries - 1;
                            self.write.next = true;
                            self.leaves.d.next = true;
                            self.asks.d.next = true;
                            self.step.d.next = EndStep::Release;
                        }
                    }
                }
            }
            EndStep::Release => {
                self.message_closed.next = !self.asks.q.val();
            }
        }
        self.entry_read.next = self.portal_read.val();
        self.counts_write.next = self.entry_write.val();
        self.unlinked.next = self.finished.q.val();
        self.gone.next = self.leaves.q.val();
        if self.rests.val() {
            self.finished.d.next = false;
            self.leaves.d.next = false;
        }
        if self.message_closed.val() | self.rst.val() {
            self.cycle.d.next = 0.into();
            self.step.d.next = EndStep::Rows;
        }
        if self.rst.val() {
            self.asks.d.next = false;
        }
    }
}
