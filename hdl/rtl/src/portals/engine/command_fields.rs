use super::{ListField, PortalCounts, PortalRow};
use crate::prim::StreamIn;
use portico_spec::{
    ni::{
        command::{Opcode, EVENT_OFFSET, OPCODE_OFFSET, OPCODE_WIDTH, QUIET_OFFSET},
        event::EVENT_WIDTH,
        packet::ERROR_WIDTH,
        ErrorCode,
    },
    portals::{
        engine::{
            ControlCommand, EntryCommand, COMMAND_OFFSET, COMMAND_WIDTH, COUNTER_OFFSET, COUNTS_OFFSET, ENTRY_WORDS,
            INDEX_CONTROL_WORDS, INDEX_OFFSET, LENGTH_WIDTH, LIST_OFFSET, NUMBER_WIDTH, OPTIONS_OFFSET, PORTAL_WIDTH,
            SEARCH_WORDS, SOURCE_RANK_WIDTH, UNLINK_WORDS, VALUE_CONTROL_WORDS,
        },
        list::{OPTIONS_WIDTH, SOURCE_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// Width of the count of a descriptor's words; its largest value stands for more.
const COUNT_WIDTH: usize = 4;
/// Width of a sum of lengths.
const SUM_WIDTH: usize = 33;

/// A command on an entry, headers, a counter or a portal index, as its descriptor gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct TableCommand {
    /// Event of the descriptor.
    pub event: Bits<EVENT_WIDTH>,
    /// The event counts only if the command fails.
    pub quiet: Bit,
    /// Which command of its opcode.
    pub command: Bits<COMMAND_WIDTH>,
    /// The new entry goes to Overflow.
    pub overflow: Bit,
    /// Portal index, or counter.
    pub index: Bits<PORTAL_WIDTH>,
    /// Counter of the new entry.
    pub counter: Bits<NUMBER_WIDTH>,
    /// It has a counter.
    pub counts: Bit,
    /// Options of the new entry or the search.
    pub options: Bits<OPTIONS_WIDTH>,
    /// The user's pointer of the new entry or the search; successes of a counter.
    pub pointer: Bits<32>,
    /// Least room of the new entry, in bytes; failures of a counter.
    pub value: Bits<32>,
    /// Where the handle of the new entry goes, in bytes.
    pub address: Bits<32>,
}

/// The kind of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct CommandKind {
    /// It appends an entry.
    appends: Bit,
    /// It searches headers.
    searches: Bit,
    /// Headers that it finds leave.
    takes: Bit,
    /// It unlinks an entry.
    unlinks: Bit,
    /// It changes a counter.
    changes: Bit,
}

/// Reads the descriptor of a command and checks it. The words of an append or a search go to the lists as they come.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from the last word to what the command does, 3 to `fault`: all of these are flip-flops |
/// | throughput | one word a cycle |
/// | state | the fields of the command in hand |
///
/// The first check that fails gives the error: opcode and number of words; a portal index that is allocated, and a counter that
/// exists; an aligned address of the handle; the ends of entry and handle in the memory; a portal index in use that is to be free.
#[derive(LogicBlock, Default)]
pub struct CommandFields {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Words are read.
    pub reads: Signal<In, Bit>,
    /// High for a cycle: the command in hand is over.
    pub clears: Signal<In, Bit>,
    /// Words of the descriptor.
    pub words: StreamIn<32>,
    /// A word goes to a field of a request to the lists.
    pub write: Signal<Out, Bit>,
    /// Which field; valid with `write`.
    pub field: Signal<Out, ListField>,
    /// The word; valid with `write`.
    pub word: Signal<Out, Bits<32>>,
    /// High for a cycle: row and counts of `portal` are read.
    pub portal_read: Signal<Out, Bit>,
    /// Portal index of the descriptor; valid with `portal_read`.
    pub portal: Signal<Out, Bits<PORTAL_WIDTH>>,
    /// Row of that portal index.
    pub row: Signal<In, PortalRow>,
    /// Its counts.
    pub counts: Signal<In, PortalCounts>,
    /// High for a cycle: the last word has come.
    pub ends: Signal<Out, Bit>,
    /// The command.
    pub command: Signal<Out, TableCommand>,
    /// It appends an entry.
    pub appends: Signal<Out, Bit>,
    /// It searches headers.
    pub searches: Signal<Out, Bit>,
    /// Headers that it finds leave.
    pub takes: Signal<Out, Bit>,
    /// It unlinks an entry.
    pub unlinks: Signal<Out, Bit>,
    /// It changes a counter.
    pub changes: Signal<Out, Bit>,
    /// Its error, 0 for none.
    pub fault: Signal<Out, Bits<ERROR_WIDTH>>,
    count: DFF<Bits<COUNT_WIDTH>>,
    opcode: DFF<Bits<OPCODE_WIDTH>>,
    kind: DFF<CommandKind>,
    error: DFF<Bits<ERROR_WIDTH>>,
    fields: DFF<TableCommand>,
    start: DFF<Bits<LENGTH_WIDTH>>,
    length: DFF<Bits<32>>,
    behind: DFF<Bits<SUM_WIDTH>>,
    beyond: DFF<Bit>,
    comes: Signal<Local, Bit>,
    appending: Signal<Local, Bit>,
    deleting: Signal<Local, Bit>,
    unlinking: Signal<Local, Bit>,
    shown: Signal<Local, TableCommand>,
    is_entry: Signal<Local, Bit>,
    is_control: Signal<Local, Bit>,
    right: Signal<Local, Bit>,
    memory_bytes: Constant<Bits<SUM_WIDTH>>,
}

impl CommandFields {
    /// For a memory of `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            memory_bytes: Constant::new(bits(bytes as u64)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CommandFields {
    fn update(&mut self) {
        dff_setup!(self, clk, count, opcode, kind, error, fields, start, length, behind, beyond);
        self.shown.next = self.fields.q.val();
        self.command.next = self.fields.q.val();
        self.is_entry.next = self.opcode.q.val() == bits::<OPCODE_WIDTH>(Opcode::Entry as u64);
        self.is_control.next = self.opcode.q.val() == bits::<OPCODE_WIDTH>(Opcode::Control as u64);
        self.appending.next =
            self.is_entry.val() & (self.shown.val().command == bits::<COMMAND_WIDTH>(EntryCommand::Append as u64));
        self.unlinking.next =
            self.is_entry.val() & (self.shown.val().command == bits::<COMMAND_WIDTH>(EntryCommand::Unlink as u64));
        self.deleting.next = self.is_entry.val()
            & (self.shown.val().command == bits::<COMMAND_WIDTH>(EntryCommand::SearchDelete as u64));
        self.kind.d.next.appends = self.appending.val();
        self.kind.d.next.searches = self.deleting.val()
            | (self.is_entry.val() & (self.shown.val().command == bits::<COMMAND_WIDTH>(EntryCommand::Search as u64)));
        self.kind.d.next.takes = self.appending.val() | self.deleting.val();
        self.kind.d.next.unlinks = self.unlinking.val();
        self.kind.d.next.changes = self.is_control.val()
            & ((self.shown.val().command == bits::<COMMAND_WIDTH>(ControlCommand::Set as u64))
                | (self.shown.val().command == bits::<COMMAND_WIDTH>(ControlCommand::Increment as u64)));
        self.appends.next = self.kind.q.val().appends;
        self.searches.next = self.kind.q.val().searches;
        self.takes.next = self.kind.q.val().takes;
        self.unlinks.next = self.kind.q.val().unlinks;
        self.changes.next = self.kind.q.val().changes;

        // The words.
        self.words.tready.next = self.reads.val();
        self.comes.next = self.reads.val() & self.words.tvalid.val();
        self.ends.next = self.comes.val() & self.words.tlast.val();
        self.write.next = self.comes.val();
        self.field.next = ListField::Source;
        self.word.next = self.words.tdata.val();
        self.portal.next = self.words.tdata.val().get_bits::<PORTAL_WIDTH>(INDEX_OFFSET);
        self.portal_read.next = self.comes.val() & (self.count.q.val() == 1);
        if self.count.q.val() == 0 {
            // The offset of a new entry is 0.
            self.field.next = ListField::Offset;
            self.word.next = 0.into();
            if self.comes.val() {
                self.opcode.d.next = self.words.tdata.val().get_bits::<OPCODE_WIDTH>(OPCODE_OFFSET);
                self.fields.d.next.event = self.words.tdata.val().get_bits::<EVENT_WIDTH>(EVENT_OFFSET);
                self.fields.d.next.quiet = self.words.tdata.val().get_bit(QUIET_OFFSET);
                // None, should no further word come.
                self.fields.d.next.command = !bits::<COMMAND_WIDTH>(0);
            }
        } else if self.count.q.val() == 1 {
            self.write.next = false;
            if self.comes.val() {
                self.fields.d.next.command = self.words.tdata.val().get_bits::<COMMAND_WIDTH>(COMMAND_OFFSET);
                self.fields.d.next.overflow = self.words.tdata.val().get_bit(LIST_OFFSET);
                self.fields.d.next.index = self.portal.val();
                self.fields.d.next.counter = self.words.tdata.val().get_bits::<NUMBER_WIDTH>(COUNTER_OFFSET);
                self.fields.d.next.counts = self.words.tdata.val().get_bit(COUNTS_OFFSET);
            }
        } else if self.count.q.val() == 2 {
            if self.unlinking.val() {
                self.field.next = ListField::Handle;
            } else {
                self.word.next =
                    bit_cast::<32, SOURCE_RANK_WIDTH>(self.words.tdata.val().get_bits::<SOURCE_RANK_WIDTH>(0))
                        | field::<32, PORTAL_WIDTH>(self.shown.val().index, SOURCE_RANK_WIDTH)
                        | field::<32, OPTIONS_WIDTH>(
                            self.words.tdata.val().get_bits::<OPTIONS_WIDTH>(OPTIONS_OFFSET),
                            SOURCE_WIDTH,
                        );
            }
            if self.comes.val() {
                self.fields.d.next.pointer = self.words.tdata.val();
                self.fields.d.next.options = self.words.tdata.val().get_bits::<OPTIONS_WIDTH>(OPTIONS_OFFSET);
            }
        } else if self.count.q.val() == 3 {
            self.field.next = ListField::Pointer;
            if self.comes.val() {
                self.fields.d.next.value = self.words.tdata.val();
                self.start.d.next = self.words.tdata.val().get_bits::<LENGTH_WIDTH>(0);
            }
        } else if self.count.q.val() == 4 {
            self.field.next = ListField::Length;
            if self.comes.val() {
                self.length.d.next = self.words.tdata.val();
            }
        } else if self.count.q.val() == 5 {
            self.write.next = false;
            if self.comes.val() {
                self.fields.d.next.value = self.words.tdata.val();
            }
        } else if self.count.q.val() == 6 {
            self.field.next = ListField::MatchLow;
        } else if self.count.q.val() == 7 {
            self.field.next = ListField::MatchHigh;
        } else if self.count.q.val() == 8 {
            self.field.next = ListField::IgnoreLow;
        } else if self.count.q.val() == 9 {
            self.field.next = ListField::IgnoreHigh;
        } else {
            self.write.next = false;
            if self.comes.val() & (self.count.q.val() == 10) {
                self.fields.d.next.pointer = self.words.tdata.val();
            }
            if self.comes.val() & (self.count.q.val() == 11) {
                self.fields.d.next.address = self.words.tdata.val();
            }
        }
        if self.comes.val() & !self.count.q.val().all() {
            self.count.d.next = self.count.q.val() + 1;
        }

        // The checks.
        self.behind.d.next =
            bit_cast::<SUM_WIDTH, LENGTH_WIDTH>(self.start.q.val()) + bit_cast::<SUM_WIDTH, 32>(self.length.q.val());
        self.beyond.d.next = (self.behind.q.val() > self.memory_bytes.val())
            | (bit_cast::<SUM_WIDTH, 32>(self.shown.val().address) >= self.memory_bytes.val());
        self.right.next = (self.kind.q.val().appends & (self.count.q.val() == bits::<COUNT_WIDTH>(ENTRY_WORDS as u64)))
            | (self.kind.q.val().searches & (self.count.q.val() == bits::<COUNT_WIDTH>(SEARCH_WORDS as u64)))
            | (self.kind.q.val().unlinks & (self.count.q.val() == bits::<COUNT_WIDTH>(UNLINK_WORDS as u64)))
            | (self.kind.q.val().changes & (self.count.q.val() == bits::<COUNT_WIDTH>(VALUE_CONTROL_WORDS as u64)))
            | (self.is_control.val()
                & !self.kind.q.val().changes
                & (self.shown.val().command <= bits::<COMMAND_WIDTH>(ControlCommand::Free as u64))
                & (self.count.q.val() == bits::<COUNT_WIDTH>(INDEX_CONTROL_WORDS as u64)));
        self.error.d.next = 0.into();
        if !self.is_entry.val() & !self.is_control.val() {
            self.error.d.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownOpcode as u64);
        } else if !self.right.val() {
            self.error.d.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
        } else if (self.kind.q.val().changes & self.shown.val().index.get_bit(NUMBER_WIDTH))
            | (!self.kind.q.val().changes & !self.kind.q.val().unlinks & !self.row.val().allocated)
        {
            self.error.d.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownIndex as u64);
        } else if self.kind.q.val().appends & self.shown.val().address.get_bits::<2>(0).any() {
            self.error.d.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
        } else if self.kind.q.val().appends & self.beyond.q.val() {
            self.error.d.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfMemory as u64);
        } else if (self.shown.val().command == bits::<COMMAND_WIDTH>(ControlCommand::Free as u64))
            & self.is_control.val()
            & (self.counts.val().entries.any() | self.counts.val().messages.any())
        {
            self.error.d.next = bits::<ERROR_WIDTH>(ErrorCode::InUse as u64);
        }
        self.fault.next = self.error.q.val();
        if self.clears.val() | self.rst.val() {
            self.count.d.next = 0.into();
        }
    }
}
