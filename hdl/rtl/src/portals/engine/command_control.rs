use super::{
    CountOut, FinishOut, ListField, ListJobOut, ListOperation, ShownIn, TablesOut, MIN_FREE_WIDTH, PLACE_WIDTH,
};
use crate::{
    bus::{EventOut, MemoryWriteOut},
    prim::StreamIn,
};
use portico_spec::{
    ni::{
        command::{Opcode, EVENT_OFFSET, OPCODE_OFFSET, OPCODE_WIDTH, QUIET_OFFSET},
        event::EVENT_WIDTH,
        packet::{ERROR_WIDTH, OFFSET_WIDTH},
        ErrorCode,
    },
    portals::{
        engine::{
            ControlCommand, EntryCommand, EventKind, ACK_DISABLE, COMMAND_OFFSET, COMMAND_WIDTH, COMM_DISABLE,
            COUNTER_OFFSET, COUNTS_OFFSET, CT_BYTES, CT_COMM, ENTRY_WORDS, INDEX_CONTROL_WORDS, INDEX_OFFSET,
            KIND_WIDTH, LENGTH_WIDTH, LINK_DISABLE, LIST_OFFSET, NUMBER_WIDTH, OPTIONS_OFFSET, PORTAL_WIDTH,
            SOURCE_RANK_WIDTH, SUCCESS_DISABLE, UNLINK_DISABLE, UNLINK_WORDS, VALUE_CONTROL_WORDS,
        },
        list::{GENERATION_OFFSET, GENERATION_WIDTH, OPTIONS_WIDTH, SOURCE_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// Width of the count of a descriptor's words; its largest value stands for more.
const COUNT_WIDTH: usize = 4;
/// Width of a sum of lengths.
const SUM_WIDTH: usize = 33;
/// Width of the place of a cycle in a step.
const WAIT_WIDTH: usize = 2;

/// State of the control of commands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum CommandStep {
    /// Takes the words of a descriptor.
    Take,
    /// Checks them.
    Judge,
    /// The lists work on an append.
    Append,
    /// The lists show the entry of a handle.
    Show,
    /// Reads the rows of that entry.
    Rows,
    /// The entry leaves its list.
    Delete,
    /// Writes the handle to memory.
    Handle,
    /// Raises LINK.
    Link,
    /// Changes a counter.
    Count,
    /// Waits for the messages of a portal index.
    Linger,
    /// Ends the command.
    Report,
}

/// Carries out commands on entries, counters and portal indices.
///
/// | | |
/// | --- | --- |
/// | latency | from the last word: an append 8 cycles and the writing of its event, an unlink 10, others 3 |
/// | throughput | one command at a time, each in its turn |
/// | state | the command in hand |
///
/// The first check that fails gives the error: opcode and number of words; a portal index that is allocated, and a counter that
/// exists; an aligned address of the handle; the end of the memory; then what the lists say.
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
    /// Requests to the lists.
    pub list: ListJobOut,
    /// Accesses to the tables.
    pub tables: TablesOut,
    /// What the tables show.
    pub shown: ShownIn,
    /// Something is being raised.
    pub raising: Signal<In, Bit>,
    /// LINK.
    pub finish: FinishOut,
    /// Changes of counters.
    pub count: CountOut,
    /// The handle of a new entry.
    pub memory: MemoryWriteOut<32, 4>,
    /// Events of descriptors.
    pub event: EventOut,
    step: DFF<CommandStep>,
    words: DFF<Bits<COUNT_WIDTH>>,
    number: DFF<Bits<EVENT_WIDTH>>,
    quiet: DFF<Bit>,
    opcode: DFF<Bits<OPCODE_WIDTH>>,
    command: DFF<Bits<COMMAND_WIDTH>>,
    overflow: DFF<Bit>,
    index: DFF<Bits<PORTAL_WIDTH>>,
    counter: DFF<Bits<NUMBER_WIDTH>>,
    counts: DFF<Bit>,
    options: DFF<Bits<OPTIONS_WIDTH>>,
    start: DFF<Bits<LENGTH_WIDTH>>,
    behind: DFF<Bits<SUM_WIDTH>>,
    beyond: DFF<Bit>,
    /// Word 10 of an append, word 2 of a control.
    pointer: DFF<Bits<32>>,
    /// Word 5 of an append, word 3 of a control.
    value: DFF<Bits<32>>,
    address: DFF<Bits<32>>,
    length: DFF<Bits<32>>,
    handle: DFF<Bits<32>>,
    error: DFF<Bits<ERROR_WIDTH>>,
    asks: DFF<Bit>,
    answered: DFF<Bit>,
    failed: DFF<Bit>,
    cycle: DFF<Bits<WAIT_WIDTH>>,
    is_entry: Signal<Local, Bit>,
    is_control: Signal<Local, Bit>,
    appends: Signal<Local, Bit>,
    unlinks: Signal<Local, Bit>,
    is_value: Signal<Local, Bit>,
    right: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    fault: Signal<Local, Bits<ERROR_WIDTH>>,
    free: Signal<Local, Bits<MIN_FREE_WIDTH>>,
    reports: Signal<Local, Bit>,
    memory_bytes: Constant<Bits<SUM_WIDTH>>,
}

impl CommandControl {
    /// For a memory of `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            memory_bytes: Constant::new(bits(bytes as u64)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CommandControl {
    fn update(&mut self) {
        dff_setup!(self, clk, step, words, number, quiet, opcode, command, overflow, index, counter, counts, options);
        dff_setup!(
            self, clk, start, behind, beyond, pointer, value, address, length, handle, error, asks, answered, failed
        );
        dff_setup!(self, clk, cycle);
        self.is_entry.next = self.opcode.q.val() == bits::<OPCODE_WIDTH>(Opcode::Entry as u64);
        self.is_control.next = self.opcode.q.val() == bits::<OPCODE_WIDTH>(Opcode::Control as u64);
        self.appends.next =
            self.is_entry.val() & (self.command.q.val() == bits::<COMMAND_WIDTH>(EntryCommand::Append as u64));
        self.unlinks.next =
            self.is_entry.val() & (self.command.q.val() == bits::<COMMAND_WIDTH>(EntryCommand::Unlink as u64));
        self.is_value.next = self.is_control.val()
            & ((self.command.q.val() == bits::<COMMAND_WIDTH>(ControlCommand::Set as u64))
                | (self.command.q.val() == bits::<COMMAND_WIDTH>(ControlCommand::Increment as u64)));
        self.right.next = (self.appends.val() & (self.words.q.val() == bits::<COUNT_WIDTH>(ENTRY_WORDS as u64)))
            | (self.unlinks.val() & (self.words.q.val() == bits::<COUNT_WIDTH>(UNLINK_WORDS as u64)))
            | (self.is_value.val() & (self.words.q.val() == bits::<COUNT_WIDTH>(VALUE_CONTROL_WORDS as u64)))
            | (self.is_control.val()
                & !self.is_value.val()
                & (self.command.q.val() <= bits::<COMMAND_WIDTH>(ControlCommand::Free as u64))
                & (self.words.q.val() == bits::<COUNT_WIDTH>(INDEX_CONTROL_WORDS as u64)));

        self.wants.next = ((self.step.q.val() == CommandStep::Take) & self.commands.tvalid.val())
            | (self.step.q.val() == CommandStep::Linger);
        self.ends.next = false;
        self.reports.next = false;
        self.fault.next = 0.into();
        self.commands.tready.next = (self.step.q.val() == CommandStep::Take) & self.goes.val();
        self.takes.next = self.commands.tvalid.val() & self.commands.tready.val();

        self.list.write.next = false;
        self.list.field.next = ListField::Source;
        self.list.word.next = self.commands.tdata.val();
        self.list.valid.next = self.asks.q.val();
        self.list.operation.next = ListOperation::AppendPriority;
        self.list.advances.next = false;
        self.list.detaches.next = false;
        self.list.removes.next = false;
        self.tables.portal_read.next = false;
        self.tables.portal.next = self.index.q.val();
        self.tables.row_write.next = false;
        self.tables.row.next = self.shown.row.val();
        self.tables.counts_write.next = false;
        self.tables.counts.next = self.shown.counts.val();
        self.tables.entry_read.next = false;
        self.tables.place.next = self.list.place.val();
        self.tables.entry_write.next = false;
        self.free.next = self.value.q.val().get_bits::<MIN_FREE_WIDTH>(0);
        if self
            .value
            .q
            .val()
            .get_bits::<{ 32 - MIN_FREE_WIDTH }>(MIN_FREE_WIDTH)
            .any()
        {
            self.free.next = !bits::<MIN_FREE_WIDTH>(0);
        }
        self.tables.entry.next.pointer = self.pointer.q.val();
        self.tables.entry.next.counter = self.counter.q.val();
        self.tables.entry.next.counts = self.counts.q.val();
        self.tables.entry.next.min_free = self.free.val();
        self.tables.entry.next.messages = 0.into();
        self.tables.entry.next.detached = false;
        self.tables.entry.next.ack_disable = self.options.q.val().get_bit(ACK_DISABLE);
        self.tables.entry.next.unlink_disable = self.options.q.val().get_bit(UNLINK_DISABLE);
        self.tables.entry.next.comm_disable = self.options.q.val().get_bit(COMM_DISABLE);
        self.tables.entry.next.success_disable = self.options.q.val().get_bit(SUCCESS_DISABLE);
        self.tables.entry.next.ct_comm = self.options.q.val().get_bit(CT_COMM);
        self.tables.entry.next.ct_bytes = self.options.q.val().get_bit(CT_BYTES);
        self.finish.valid.next = false;
        self.count.valid.next = false;
        self.memory.valid.next = false;
        self.event.valid.next = false;

        // The words of a descriptor. Those of an append go to the lists as they come.
        self.behind.d.next =
            bit_cast::<SUM_WIDTH, LENGTH_WIDTH>(self.start.q.val()) + bit_cast::<SUM_WIDTH, 32>(self.length.q.val());
        self.beyond.d.next = (self.behind.q.val() > self.memory_bytes.val())
            | (bit_cast::<SUM_WIDTH, 32>(self.address.q.val()) >= self.memory_bytes.val());
        if self.asks.q.val() & self.list.answered.val() {
            self.answered.d.next = true;
            self.failed.d.next = self.list.failed.val();
        }
        if self.asks.q.val() & self.list.done.val() {
            self.asks.d.next = false;
        }
        match self.step.q.val() {
            CommandStep::Take => {
                self.answered.d.next = false;
                self.failed.d.next = false;
                self.cycle.d.next = 0.into();
                self.error.d.next = 0.into();
                if self.takes.val() {
                    if !self.words.q.val().all() {
                        self.words.d.next = self.words.q.val() + 1;
                    }
                    if self.words.q.val() == 0 {
                        self.number.d.next = self.commands.tdata.val().get_bits::<EVENT_WIDTH>(EVENT_OFFSET);
                        self.quiet.d.next = self.commands.tdata.val().get_bit(QUIET_OFFSET);
                        self.opcode.d.next = self.commands.tdata.val().get_bits::<OPCODE_WIDTH>(OPCODE_OFFSET);
                        // The offset of a new entry is 0.
                        self.list.write.next = true;
                        self.list.field.next = ListField::Offset;
                        self.list.word.next = 0.into();
                        self.command.d.next = !bits::<COMMAND_WIDTH>(0);
                    }
                    if self.words.q.val() == 1 {
                        self.command.d.next = self.commands.tdata.val().get_bits::<COMMAND_WIDTH>(COMMAND_OFFSET);
                        self.overflow.d.next = self.commands.tdata.val().get_bit(LIST_OFFSET);
                        self.index.d.next = self.commands.tdata.val().get_bits::<PORTAL_WIDTH>(INDEX_OFFSET);
                        self.counter.d.next = self.commands.tdata.val().get_bits::<NUMBER_WIDTH>(COUNTER_OFFSET);
                        self.counts.d.next = self.commands.tdata.val().get_bit(COUNTS_OFFSET);
                        self.tables.portal.next = self.commands.tdata.val().get_bits::<PORTAL_WIDTH>(INDEX_OFFSET);
                        self.tables.portal_read.next = true;
                    }
                    if self.words.q.val() == 2 {
                        self.pointer.d.next = self.commands.tdata.val();
                        self.options.d.next = self.commands.tdata.val().get_bits::<OPTIONS_WIDTH>(OPTIONS_OFFSET);
                        self.list.write.next = true;
                        if self.unlinks.val() {
                            self.list.field.next = ListField::Handle;
                        } else {
                            self.list.word.next = bit_cast::<32, SOURCE_RANK_WIDTH>(
                                self.commands.tdata.val().get_bits::<SOURCE_RANK_WIDTH>(0),
                            ) | (bit_cast::<32, PORTAL_WIDTH>(self.index.q.val())
                                << bits::<6>(SOURCE_RANK_WIDTH as u64))
                                | (bit_cast::<32, OPTIONS_WIDTH>(
                                    self.commands.tdata.val().get_bits::<OPTIONS_WIDTH>(OPTIONS_OFFSET),
                                ) << bits::<6>(SOURCE_WIDTH as u64));
                        }
                    }
                    if self.words.q.val() == 3 {
                        self.value.d.next = self.commands.tdata.val();
                        self.start.d.next = self.commands.tdata.val().get_bits::<LENGTH_WIDTH>(0);
                        self.list.write.next = true;
                        self.list.field.next = ListField::Pointer;
                    }
                    if self.words.q.val() == 4 {
                        self.length.d.next = self.commands.tdata.val();
                        self.list.write.next = true;
                        self.list.field.next = ListField::Length;
                    }
                    if self.words.q.val() == 5 {
                        self.value.d.next = self.commands.tdata.val();
                    }
                    if self.words.q.val() == 6 {
                        self.list.write.next = true;
                        self.list.field.next = ListField::MatchLow;
                    }
                    if self.words.q.val() == 7 {
                        self.list.write.next = true;
                        self.list.field.next = ListField::MatchHigh;
                    }
                    if self.words.q.val() == 8 {
                        self.list.write.next = true;
                        self.list.field.next = ListField::IgnoreLow;
                    }
                    if self.words.q.val() == 9 {
                        self.list.write.next = true;
                        self.list.field.next = ListField::IgnoreHigh;
                    }
                    if self.words.q.val() == 10 {
                        self.pointer.d.next = self.commands.tdata.val();
                    }
                    if self.words.q.val() == 11 {
                        self.address.d.next = self.commands.tdata.val();
                    }
                    if self.commands.tlast.val() {
                        self.step.d.next = CommandStep::Judge;
                    }
                }
            }
            CommandStep::Judge => {
                // Sums settle, and the row of the portal index shows.
                self.cycle.d.next = self.cycle.q.val() + 1;
                if self.cycle.q.val() == 2 {
                    self.cycle.d.next = 0.into();
                    if !self.is_entry.val() & !self.is_control.val() {
                        self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownOpcode as u64);
                    } else if !self.right.val() {
                        self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
                    } else if (self.is_value.val() & self.index.q.val().get_bit(NUMBER_WIDTH))
                        | (!self.is_value.val() & !self.unlinks.val() & !self.shown.row.val().allocated)
                    {
                        self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownIndex as u64);
                    } else if self.appends.val() & self.address.q.val().get_bits::<2>(0).any() {
                        self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
                    } else if self.appends.val() & self.beyond.q.val() {
                        self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfMemory as u64);
                    } else if (self.command.q.val() == bits::<COMMAND_WIDTH>(ControlCommand::Free as u64))
                        & self.is_control.val()
                        & (self.shown.counts.val().entries.any() | self.shown.counts.val().messages.any())
                    {
                        self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::InUse as u64);
                    }
                    self.reports.next = true;
                    if !self.fault.val().any() {
                        if self.appends.val() {
                            self.reports.next = false;
                            self.asks.d.next = true;
                            self.step.d.next = CommandStep::Append;
                        } else if self.unlinks.val() {
                            self.reports.next = false;
                            self.asks.d.next = true;
                            self.step.d.next = CommandStep::Show;
                        } else if self.is_value.val() {
                            self.reports.next = false;
                            self.step.d.next = CommandStep::Count;
                        } else {
                            self.tables.row_write.next = true;
                            self.tables.row.next.enabled =
                                self.command.q.val() == bits::<COMMAND_WIDTH>(ControlCommand::Enable as u64);
                            self.tables.row.next.allocated =
                                self.command.q.val() != bits::<COMMAND_WIDTH>(ControlCommand::Free as u64);
                            if self.command.q.val() == bits::<COMMAND_WIDTH>(ControlCommand::Disable as u64) {
                                self.reports.next = false;
                                self.ends.next = true;
                                self.step.d.next = CommandStep::Linger;
                            }
                        }
                    }
                }
            }
            CommandStep::Append => {
                if self.overflow.q.val() {
                    self.list.operation.next = ListOperation::AppendOverflow;
                }
                if self.answered.q.val() & !self.asks.q.val() {
                    self.handle.d.next = bit_cast::<32, PLACE_WIDTH>(self.list.place.val())
                        | (bit_cast::<32, GENERATION_WIDTH>(self.list.generation.val())
                            << bits::<6>(GENERATION_OFFSET as u64));
                    self.step.d.next = CommandStep::Handle;
                    if self.failed.q.val() {
                        self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::NoPlace as u64);
                        self.reports.next = true;
                    } else {
                        self.tables.entry_write.next = true;
                        self.tables.counts_write.next = true;
                        self.tables.counts.next.entries = self.shown.counts.val().entries + 1;
                    }
                }
            }
            CommandStep::Show => {
                self.list.operation.next = ListOperation::Show;
                if self.answered.q.val() & !self.asks.q.val() {
                    self.index.d.next = self.list.portal.val();
                    self.cycle.d.next = 0.into();
                    self.step.d.next = CommandStep::Rows;
                    if self.failed.q.val() {
                        self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownEntry as u64);
                        self.reports.next = true;
                    }
                }
            }
            CommandStep::Rows => {
                self.cycle.d.next = self.cycle.q.val() + 1;
                self.tables.portal_read.next = self.cycle.q.val() == 0;
                self.tables.entry_read.next = self.cycle.q.val() == 0;
                if self.cycle.q.val() == 2 {
                    if self.shown.entry.val().messages.any() {
                        self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::InUse as u64);
                        self.reports.next = true;
                    } else {
                        self.tables.counts_write.next = true;
                        self.tables.counts.next.entries = self.shown.counts.val().entries - 1;
                        self.asks.d.next = true;
                        self.step.d.next = CommandStep::Delete;
                    }
                }
            }
            CommandStep::Delete => {
                self.list.operation.next = ListOperation::Delete;
                if !self.asks.q.val() {
                    self.reports.next = true;
                }
            }
            CommandStep::Handle => {
                self.memory.valid.next = true;
                if self.memory.ready.val() {
                    self.step.d.next = CommandStep::Link;
                }
            }
            CommandStep::Link => {
                self.finish.valid.next = self.shown.row.val().queues & !self.options.q.val().get_bit(LINK_DISABLE);
                if !self.finish.valid.val() | self.finish.ready.val() {
                    self.reports.next = true;
                }
            }
            CommandStep::Count => {
                self.count.valid.next = true;
                if self.count.ready.val() {
                    self.reports.next = true;
                }
            }
            CommandStep::Linger => {
                // Messages that are in progress take their turns between two looks.
                if self.goes.val() {
                    self.cycle.d.next = self.cycle.q.val() + 1;
                    self.tables.portal_read.next = self.cycle.q.val() == 0;
                    if self.cycle.q.val() == 2 {
                        self.cycle.d.next = 0.into();
                        if self.shown.counts.val().messages.any() {
                            self.ends.next = true;
                        } else {
                            self.reports.next = true;
                        }
                    }
                }
            }
            CommandStep::Report => {
                // What a command has raised is there before its event.
                self.event.valid.next = !self.raising.val() & (self.error.q.val().any() | !self.quiet.q.val());
                if !self.raising.val() & (!self.event.valid.val() | self.event.ready.val()) {
                    self.ends.next = true;
                    self.words.d.next = 0.into();
                    self.step.d.next = CommandStep::Take;
                }
            }
        }
        if self.reports.val() {
            self.error.d.next = self.fault.val();
            self.step.d.next = CommandStep::Report;
        }
        self.memory.address.next =
            bit_cast::<OFFSET_WIDTH, { OFFSET_WIDTH }>(self.address.q.val().get_bits::<OFFSET_WIDTH>(2));
        self.memory.data.next = self.handle.q.val();
        self.memory.lanes.next = !bits::<4>(0);
        self.count.counter.next = self.index.q.val().get_bits::<NUMBER_WIDTH>(0);
        self.count.sets.next = self.command.q.val() == bits::<COMMAND_WIDTH>(ControlCommand::Set as u64);
        self.count.success.next = self.pointer.q.val();
        self.count.failure.next = self.value.q.val();
        self.event.event.next = self.number.q.val();
        self.event.error.next = self.error.q.val();
        self.finish.context.next = 0.into();
        self.finish.portal.next = self.index.q.val();
        self.finish.queue.next = self.shown.row.val().queue;
        self.finish.overflow.next = self.overflow.q.val();
        self.finish.pointer.next = self.pointer.q.val();
        self.finish.raises.next = true;
        self.finish.kind.next = bits::<KIND_WIDTH>(EventKind::Link as u64);
        self.finish.counts.next = false;
        self.finish.counter.next = 0.into();
        self.finish.amount.next = 0.into();
        self.finish.unlinks.next = false;
        self.finish.answers.next = false;
        self.finish.slot.next = 0.into();
        self.finish.outcome.next.delivered = 0.into();
        self.finish.outcome.next.failure = 0.into();
        self.finish.outcome.next.overflow = false;
        self.finish.outcome.next.silent = false;
        self.finish.full.next = false;
        self.finish.used.next = 0.into();
        if self.rst.val() {
            self.step.d.next = CommandStep::Take;
            self.words.d.next = 0.into();
            self.asks.d.next = false;
        }
    }
}
