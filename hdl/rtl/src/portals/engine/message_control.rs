use super::{
    BytesOut, ContextWriteOut, EntryRow, FinishOut, GetJob, HitCheck, ListField, ListJobOut, ListOperation, Outcome,
    Packet, PacketsIn, ShownIn, TablesOut, CONTEXT_WIDTH, EVENT_INDEX_WIDTH, PLACE_WIDTH,
};
use crate::prim::{LutRam, StreamOut};
use portico_spec::portals::{
    engine::{
        Ack, EventKind, Failure, Operation, ACK_OFFSET, ACK_WIDTH, EVENT_DELIVERED_OFFSET, FAILURE_WIDTH,
        GET_HEADER_WORDS, KIND_WIDTH, LENGTH_WIDTH, OPERATION_OFFSET, OPERATION_WIDTH, PORTAL_OFFSET, PORTAL_WIDTH,
        PUT_HEADER_WORDS, RANK_WIDTH, SLOT_OFFSET, SLOT_WIDTH, SOURCE_RANK_WIDTH, USER_OFFSET, USER_WIDTH,
    },
    list::{GENERATION_OFFSET, GENERATION_WIDTH},
};
use portico_verilog::prelude::*;

/// Width of the place of a word in a header.
const PLACE_IN_HEADER: usize = 3;
/// Cycles from the entry that shows to the results of its check.
const CHECK_CYCLES: u64 = 3;
/// Width of a count of these cycles.
const WAIT_WIDTH: usize = 3;

/// A message of a rank, as it is kept between its packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Message {
    /// Where its next bytes go.
    pub address: Bits<LENGTH_WIDTH>,
    /// Bytes that the entry takes of those that are to come.
    pub left: Bits<LENGTH_WIDTH>,
    /// Delivered length, in bytes.
    pub delivered: Bits<LENGTH_WIDTH>,
    /// Offset used, in bytes.
    pub used: Bits<32>,
    /// Place of the entry.
    pub place: Bits<PLACE_WIDTH>,
    /// Generation of that place.
    pub generation: Bits<GENERATION_WIDTH>,
    /// Portal index.
    pub portal: Bits<PORTAL_WIDTH>,
    /// Slot of the initiator.
    pub slot: Bits<SLOT_WIDTH>,
    /// Which acknowledgement it wants.
    pub ack: Bits<ACK_WIDTH>,
    /// How it fails, 0 if it does not.
    pub failure: Bits<FAILURE_WIDTH>,
    /// It is a get.
    pub get: Bit,
    /// The entry is in Overflow.
    pub overflow: Bit,
    /// Changes with each message of the rank.
    pub parity: Bit,
}

/// State of the control of messages.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum MessageStep {
    /// Looks for a packet, a command, or a get that is served.
    Idle,
    /// A command has its turn.
    Command,
    /// Reads the header of a message.
    Header,
    /// Waits for the lists.
    Search,
    /// Waits for the check of the entry.
    Check,
    /// Says what becomes of the entry.
    Resolve,
    /// Passes payload on, or reads it away.
    Payload,
    /// Reads the rows of the entry, at the end of a message that was kept.
    Rows,
    /// Frees the place of the entry.
    Release,
    /// Waits until the data are written, and hands over what is to be raised.
    Finish,
}

/// Carries out requests at their target, packet by packet.
///
/// Of up to 64 ranks.
///
/// | | |
/// | --- | --- |
/// | latency | a put of one packet: 5 words of the header, the search, 8 cycles, its payload |
/// | throughput | one packet at a time; the header of the next message may come while the events of one are written |
/// | state | a message a rank in LUT-RAM, the message in hand |
///
/// Matching, the checks and what they change are one step against commands and other messages: nothing else has a turn in
/// between. A message of several packets lets others pass between its packets.
#[derive(LogicBlock, Default)]
pub struct MessageControl {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Requests may be taken.
    pub enabled: Signal<In, Bit>,
    /// The lists are not ready.
    pub busy_lists: Signal<In, Bit>,
    /// Packets of requests; others belong to another block.
    pub packets: PacketsIn,
    /// A command waits for its turn.
    pub command_wants: Signal<In, Bit>,
    /// The command has its turn.
    pub command_goes: Signal<Out, Bit>,
    /// High for a cycle: the turn of the command is over.
    pub command_ends: Signal<In, Bit>,
    /// Nothing of a message or a command is under way.
    pub quiet: Signal<Out, Bit>,
    /// A get is served.
    pub served: Signal<In, Bit>,
    /// Its rank; valid with `served`.
    pub served_rank: Signal<In, Bits<RANK_WIDTH>>,
    /// High for a cycle: that is known.
    pub take_served: Signal<Out, Bit>,
    /// High for a cycle: the packets of `ended` may be read again.
    pub ends: Signal<Out, Bit>,
    /// The rank; valid with `ends`.
    pub ended: Signal<Out, Bits<RANK_WIDTH>>,
    /// Requests to the lists.
    pub list: ListJobOut,
    /// Accesses to the tables.
    pub tables: TablesOut,
    /// What the tables show.
    pub shown: ShownIn,
    /// Words of events.
    pub context: ContextWriteOut,
    /// Something is being raised.
    pub raising: Signal<In, Bit>,
    /// Rank and parity of the message whose words are in use; valid with `raising`.
    pub raised: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// What the end of a message raises.
    pub finish: FinishOut,
    /// Runs of bytes to write.
    pub run: BytesOut,
    /// Their words.
    pub words: StreamOut<32>,
    /// Where the bytes of the next packet go.
    pub next_address: Signal<In, Bits<LENGTH_WIDTH>>,
    /// Bytes that the entry still takes.
    pub bytes_left: Signal<In, Bits<LENGTH_WIDTH>>,
    /// All bytes are written.
    pub written: Signal<In, Bit>,
    /// High for a cycle: `get` is to be served.
    pub serve: Signal<Out, Bit>,
    /// A get that met an entry; valid with `serve`.
    pub get: Signal<Out, GetJob>,
    /// High for a cycle: a request met no entry, or a disabled portal index.
    pub drops: Signal<Out, Bit>,
    /// High for a cycle: a request of a wrong user.
    pub permission: Signal<Out, Bit>,
    /// High for a cycle: a request of an operation that the entry does not allow.
    pub operation: Signal<Out, Bit>,
    check: HitCheck,
    messages: LutRam<Message, RANK_WIDTH>,
    step: DFF<MessageStep>,
    message: DFF<Message>,
    rank: DFF<Bits<RANK_WIDTH>>,
    /// The packet in hand is the last of its message.
    last: DFF<Bit>,
    /// All words of the packet in hand are taken.
    whole: DFF<Bit>,
    /// A get that is served is in hand, no packet.
    serves: DFF<Bit>,
    place: DFF<Bits<PLACE_IN_HEADER>>,
    operates: DFF<Bits<OPERATION_WIDTH>>,
    requested: DFF<Bits<LENGTH_WIDTH>>,
    user: DFF<Bits<USER_WIDTH>>,
    remote: DFF<Bits<32>>,
    /// The lists are asked; they have found an entry, or none; the entry shows.
    asks: DFF<Bit>,
    found: DFF<Bit>,
    missed: DFF<Bit>,
    cycle: DFF<Bits<WAIT_WIDTH>>,
    /// The message is complete with this packet, and does not count as in progress.
    at_once: DFF<Bit>,
    /// The entry leaves; it is gone, and its place is free.
    unlinks: DFF<Bit>,
    gone: DFF<Bit>,
    /// The last turn was that of a command.
    commanded: DFF<Bit>,
    /// The writer has the run of this packet.
    running: DFF<Bit>,
    is_request: Signal<Local, Bit>,
    is_first: Signal<Local, Bit>,
    collides: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    is_put: Signal<Local, Bit>,
    header_ends: Signal<Local, Bit>,
    refuses: Signal<Local, Bit>,
    failure: Signal<Local, Bits<FAILURE_WIDTH>>,
    alone: Signal<Local, Bit>,
    ends_now: Signal<Local, Bit>,
    saves: Signal<Local, Bit>,
    packet_ends: Signal<Local, Bit>,
    succeeds: Signal<Local, Bit>,
    is_served: Signal<Local, Bit>,
    entry: Signal<Local, EntryRow>,
    parity_bit: Signal<Local, Bits<1>>,
    context_of: Signal<Local, Bits<CONTEXT_WIDTH>>,
    next_context: Signal<Local, Bits<CONTEXT_WIDTH>>,
    next_parity: Signal<Local, Bits<1>>,
    looked: Signal<Local, Bits<RANK_WIDTH>>,
    packet: Signal<Local, Packet>,
    told: Signal<Local, Outcome>,
}

impl MessageControl {
    /// For `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        Self {
            messages: LutRam::new(ranks),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for MessageControl {
    fn update(&mut self) {
        wire!(self => check, messages: clk);
        dff_setup!(self, clk, step, message, rank, last, whole, serves, place, operates, requested, user, remote);
        dff_setup!(self, clk, asks, found, missed, cycle, at_once, unlinks, gone, commanded, running);

        // What is next. A served get comes first, then packets and commands take turns.
        self.packet.next = self.packets.packet.val();
        self.is_request.next =
            self.packets.valid.val() & !self.packet.val().reply & self.enabled.val() & !self.busy_lists.val();
        self.is_first.next = self.packet.val().first;
        self.looked.next = self.packet.val().owner.get_bits::<RANK_WIDTH>(0);
        if self.served.val() {
            self.looked.next = self.served_rank.val();
        }
        self.messages.read_address.next = self.looked.val();
        self.next_parity.next = (!self.messages.read_data.val().parity).into();
        self.next_context.next = (bit_cast::<CONTEXT_WIDTH, RANK_WIDTH>(self.looked.val()) << bits::<1>(1))
            | bit_cast::<CONTEXT_WIDTH, 1>(self.next_parity.val());
        // Words of an event are written only when those before them are used.
        self.collides.next = self.is_first.val() & self.raising.val() & (self.raised.val() == self.next_context.val());
        self.parity_bit.next = self.message.q.val().parity.into();
        self.context_of.next = (bit_cast::<CONTEXT_WIDTH, RANK_WIDTH>(self.rank.q.val()) << bits::<1>(1))
            | bit_cast::<CONTEXT_WIDTH, 1>(self.parity_bit.val());

        self.command_goes.next = false;
        self.take_served.next = false;
        self.quiet.next = false;
        self.packets.take.next = false;
        self.packets.words.tready.next = false;
        self.words.tvalid.next = false;
        self.words.tdata.next = self.packets.words.tdata.val();
        self.words.tlast.next = self.packets.words.tlast.val();
        self.list.write.next = false;
        self.list.field.next = ListField::Source;
        self.list.word.next = self.packets.words.tdata.val();
        self.list.valid.next = self.asks.q.val();
        self.list.operation.next = ListOperation::Search;
        self.list.advances.next = self.check.advances.val();
        self.list.detaches.next = self.unlinks.q.val();
        self.list.removes.next = self.gone.q.val();
        self.tables.portal_read.next = false;
        self.tables.portal.next = self.message.q.val().portal;
        self.tables.row_write.next = false;
        self.tables.row.next = self.shown.row.val();
        self.tables.counts_write.next = false;
        self.tables.counts.next = self.shown.counts.val();
        self.tables.entry_read.next = false;
        self.tables.place.next = self.message.q.val().place;
        self.tables.entry_write.next = false;
        self.tables.entry.next = self.shown.entry.val();
        self.context.enable.next = false;
        self.context.context.next = self.context_of.val();
        self.context.index.next = 0.into();
        self.context.word.next = self.packets.words.tdata.val();
        self.run.valid.next = false;
        self.drops.next = false;
        self.permission.next = false;
        self.operation.next = false;
        self.ends.next = false;
        self.finish.valid.next = false;
        self.takes.next = false;
        self.header_ends.next = false;
        self.refuses.next = false;
        self.failure.next = 0.into();
        self.saves.next = false;
        self.packet_ends.next = false;
        self.is_put.next = self.operates.q.val() == bits::<OPERATION_WIDTH>(Operation::Put as u64);
        self.entry.next = self.shown.entry.val();

        // Answers of the lists may come while the header is still read.
        if self.asks.q.val() & self.list.answered.val() {
            self.found.d.next = self.list.found.val();
            self.missed.d.next = !self.list.found.val();
        }
        if self.asks.q.val() & self.list.done.val() {
            self.asks.d.next = false;
        }
        self.check.operation.next = self.operates.q.val();
        self.check.user.next = self.user.q.val();
        self.check.requested.next = self.requested.q.val();
        self.check.remote.next = self.remote.q.val();
        self.check.options.next = self.list.options.val();
        self.check.length.next = self.list.length.val();
        self.check.offset.next = self.list.offset.val();
        self.check.pointer.next = self.list.pointer.val();
        self.check.row.next = self.shown.entry.val();
        // Nobody else has a message with this entry.
        self.alone.next = !self.shown.entry.val().messages.any();
        self.ends_now.next = self.last.q.val() & (!self.message.q.val().get | !self.check.delivered.val().any());

        self.succeeds.next = !self.message.q.val().failure.any();
        self.is_served.next = self.message.q.val().get & self.succeeds.val() & !self.at_once.q.val();
        match self.step.q.val() {
            MessageStep::Idle => {
                self.place.d.next = 0.into();
                self.whole.d.next = false;
                self.found.d.next = false;
                self.missed.d.next = false;
                self.cycle.d.next = 0.into();
                self.gone.d.next = false;
                self.unlinks.d.next = false;
                self.at_once.d.next = false;
                self.running.d.next = false;
                self.serves.d.next = false;
                self.rank.d.next = self.looked.val();
                self.last.d.next = self.packet.val().last;
                self.message.d.next = self.messages.read_data.val();
                if self.served.val() & !self.busy_lists.val() {
                    self.take_served.next = true;
                    self.serves.d.next = true;
                    self.last.d.next = true;
                    self.step.d.next = MessageStep::Rows;
                } else if self.command_wants.val()
                    & !self.busy_lists.val()
                    & (!self.is_request.val() | !self.commanded.q.val() | self.collides.val())
                {
                    self.commanded.d.next = true;
                    self.command_goes.next = true;
                    self.step.d.next = MessageStep::Command;
                } else if self.is_request.val() & !self.collides.val() {
                    self.commanded.d.next = false;
                    self.step.d.next = MessageStep::Payload;
                    if self.is_first.val() {
                        self.message.d.next.parity = !self.messages.read_data.val().parity;
                        self.step.d.next = MessageStep::Header;
                    }
                } else {
                    self.quiet.next = true;
                }
            }
            MessageStep::Command => {
                self.command_goes.next = true;
                if self.command_ends.val() {
                    self.step.d.next = MessageStep::Idle;
                }
            }
            MessageStep::Header => {
                self.packets.words.tready.next = true;
                self.takes.next = self.packets.words.tvalid.val();
                self.list.write.next = self.takes.val();
                if self.takes.val() {
                    self.place.d.next = self.place.q.val() + 1;
                    self.whole.d.next = self.packets.words.tlast.val();
                }
                // Each word goes where it is needed: to the lists, to the event, to the check.
                if self.place.q.val() == 0 {
                    self.list.word.next = bit_cast::<32, RANK_WIDTH>(self.rank.q.val())
                        | (bit_cast::<32, PORTAL_WIDTH>(
                            self.packets.words.tdata.val().get_bits::<PORTAL_WIDTH>(PORTAL_OFFSET),
                        ) << bits::<6>(SOURCE_RANK_WIDTH as u64));
                    self.tables.portal.next = self.packets.words.tdata.val().get_bits::<PORTAL_WIDTH>(PORTAL_OFFSET);
                    self.tables.portal_read.next = self.takes.val();
                    if self.takes.val() {
                        self.operates.d.next = self
                            .packets
                            .words
                            .tdata
                            .val()
                            .get_bits::<OPERATION_WIDTH>(OPERATION_OFFSET);
                        self.message.d.next.get = self
                            .packets
                            .words
                            .tdata
                            .val()
                            .get_bits::<OPERATION_WIDTH>(OPERATION_OFFSET)
                            != bits::<OPERATION_WIDTH>(Operation::Put as u64);
                        self.message.d.next.ack = self.packets.words.tdata.val().get_bits::<ACK_WIDTH>(ACK_OFFSET);
                        self.message.d.next.portal =
                            self.packets.words.tdata.val().get_bits::<PORTAL_WIDTH>(PORTAL_OFFSET);
                        self.message.d.next.slot = self.packets.words.tdata.val().get_bits::<SLOT_WIDTH>(SLOT_OFFSET);
                    }
                } else if self.place.q.val() == 1 {
                    self.list.field.next = ListField::Length;
                    self.list.word.next =
                        bit_cast::<32, LENGTH_WIDTH>(self.packets.words.tdata.val().get_bits::<LENGTH_WIDTH>(0));
                    self.context.enable.next = self.takes.val();
                    self.context.index.next = 3.into();
                    self.context.word.next = self.list.word.val();
                    if self.takes.val() {
                        self.requested.d.next = self.packets.words.tdata.val().get_bits::<LENGTH_WIDTH>(0);
                        self.user.d.next = self.packets.words.tdata.val().get_bits::<USER_WIDTH>(USER_OFFSET);
                    }
                } else if self.place.q.val() == 2 {
                    self.list.field.next = ListField::Offset;
                    self.context.enable.next = self.takes.val();
                    self.context.index.next = 5.into();
                    if self.takes.val() {
                        self.remote.d.next = self.packets.words.tdata.val();
                    }
                } else if self.place.q.val() == 3 {
                    self.list.field.next = ListField::MatchLow;
                    self.context.enable.next = self.takes.val();
                    self.context.index.next = 6.into();
                } else if self.place.q.val() == 4 {
                    self.list.field.next = ListField::MatchHigh;
                    self.context.enable.next = self.takes.val();
                    self.context.index.next = 7.into();
                    if self.takes.val() & self.shown.row.val().allocated & self.shown.row.val().enabled {
                        self.asks.d.next = true;
                    }
                } else {
                    self.list.write.next = false;
                    self.context.enable.next = self.takes.val();
                    self.context.index.next = bit_cast::<EVENT_INDEX_WIDTH, PLACE_IN_HEADER>(self.place.q.val()) + 3;
                }
                self.header_ends.next = self.takes.val()
                    & (self.packets.words.tlast.val()
                        | (self.place.q.val() == bits::<PLACE_IN_HEADER>(PUT_HEADER_WORDS as u64 - 1)));
                if self.header_ends.val() {
                    self.step.d.next = MessageStep::Search;
                    // A header that ends too early matches nothing.
                    if self.place.q.val() < bits::<PLACE_IN_HEADER>(GET_HEADER_WORDS as u64 - 1) {
                        self.missed.d.next = true;
                    }
                }
            }
            MessageStep::Search => {
                if self.found.q.val() & !self.asks.q.val() {
                    self.tables.place.next = self.list.place.val();
                    self.tables.entry_read.next = true;
                    self.message.d.next.place = self.list.place.val();
                    self.message.d.next.generation = self.list.generation.val();
                    self.message.d.next.overflow = self.list.overflow.val();
                    self.step.d.next = MessageStep::Check;
                } else if !self.shown.row.val().allocated | self.missed.q.val() {
                    self.failure.next = bits::<FAILURE_WIDTH>(Failure::Dropped as u64);
                    self.refuses.next = true;
                    self.drops.next = true;
                } else if !self.shown.row.val().enabled {
                    self.failure.next = bits::<FAILURE_WIDTH>(Failure::PortalDisabled as u64);
                    self.refuses.next = true;
                    self.drops.next = true;
                }
            }
            MessageStep::Check => {
                self.cycle.d.next = self.cycle.q.val() + 1;
                if self.cycle.q.val() == bits::<WAIT_WIDTH>(CHECK_CYCLES) {
                    self.message.d.next.used = self.check.used.val();
                    self.message.d.next.delivered = self.check.delivered.val();
                    self.message.d.next.left = self.check.delivered.val();
                    self.message.d.next.address = self.check.start.val();
                    self.message.d.next.failure = self.check.failure.val();
                    self.list.write.next = true;
                    self.list.field.next = ListField::NewOffset;
                    self.list.word.next = self.check.new_offset.val();
                    self.asks.d.next = true;
                    self.unlinks.d.next = self.check.unlinks.val() & !self.check.failure.val().any();
                    self.at_once.d.next = self.ends_now.val();
                    self.gone.d.next = self.check.unlinks.val()
                        & !self.check.failure.val().any()
                        & self.ends_now.val()
                        & self.alone.val();
                    self.cycle.d.next = 0.into();
                    self.step.d.next = MessageStep::Resolve;
                }
            }
            MessageStep::Resolve => {
                self.list.operation.next = ListOperation::Resolve;
                self.list.advances.next = self.check.advances.val() & !self.message.q.val().failure.any();
                if !self.cycle.q.val().all() {
                    self.cycle.d.next = self.cycle.q.val() + 1;
                }
                // The rows of the entry and of the portal index, once.
                if self.cycle.q.val() == 0 {
                    self.tables.entry_write.next = !self.message.q.val().failure.any();
                    if !self.at_once.q.val() {
                        self.tables.entry.next.messages = self.shown.entry.val().messages + 1;
                        self.tables.counts.next.messages = self.shown.counts.val().messages + 1;
                    }
                    self.tables.entry.next.detached = self.shown.entry.val().detached | self.unlinks.q.val();
                    self.tables.counts_write.next = !self.message.q.val().failure.any();
                    if self.gone.q.val() {
                        self.tables.counts.next.entries = self.shown.counts.val().entries - 1;
                    }
                    self.context.enable.next = true;
                    self.context.index.next = 1.into();
                    self.context.word.next = bit_cast::<32, RANK_WIDTH>(self.rank.q.val())
                        | (bit_cast::<32, LENGTH_WIDTH>(self.message.q.val().delivered)
                            << bits::<6>(EVENT_DELIVERED_OFFSET as u64));
                }
                if self.cycle.q.val() == 1 {
                    self.context.enable.next = true;
                    self.context.index.next = 2.into();
                    self.context.word.next = bit_cast::<32, LENGTH_WIDTH>(self.message.q.val().address)
                        | (bit_cast::<32, USER_WIDTH>(self.user.q.val()) << bits::<6>(USER_OFFSET as u64));
                }
                if !self.asks.q.val() & self.cycle.q.val().any() {
                    if self.message.q.val().failure.any() {
                        self.failure.next = self.message.q.val().failure;
                        self.refuses.next = true;
                        self.permission.next =
                            self.message.q.val().failure == bits::<FAILURE_WIDTH>(Failure::Permission as u64);
                        self.operation.next =
                            self.message.q.val().failure == bits::<FAILURE_WIDTH>(Failure::Operation as u64);
                    } else {
                        self.step.d.next = MessageStep::Payload;
                    }
                }
            }
            MessageStep::Payload => {
                self.packet_ends.next = self.whole.q.val() & (!self.running.q.val() | self.written.val());
                if self.packet_ends.val() {
                    self.packets.take.next = true;
                    self.saves.next = true;
                    self.step.d.next = MessageStep::Idle;
                    if self.last.q.val() & !self.is_served.val() {
                        self.step.d.next = MessageStep::Finish;
                        if !self.at_once.q.val() & !self.message.q.val().failure.any() {
                            self.cycle.d.next = 0.into();
                            self.step.d.next = MessageStep::Rows;
                        }
                    }
                }
            }
            MessageStep::Rows => {
                self.cycle.d.next = self.cycle.q.val() + 1;
                self.tables.portal_read.next = self.cycle.q.val() == 0;
                self.tables.entry_read.next = self.cycle.q.val() == 0;
                if self.cycle.q.val() == 2 {
                    self.tables.entry_write.next = true;
                    self.tables.entry.next.messages = self.shown.entry.val().messages - 1;
                    self.tables.counts_write.next = true;
                    self.tables.counts.next.messages = self.shown.counts.val().messages - 1;
                    self.list.write.next = true;
                    self.list.field.next = ListField::Handle;
                    self.list.word.next = bit_cast::<32, PLACE_WIDTH>(self.message.q.val().place)
                        | (bit_cast::<32, GENERATION_WIDTH>(self.message.q.val().generation)
                            << bits::<6>(GENERATION_OFFSET as u64));
                    self.step.d.next = MessageStep::Finish;
                    if self.shown.entry.val().detached & (self.shown.entry.val().messages == 1) {
                        self.tables.counts.next.entries = self.shown.counts.val().entries - 1;
                        self.gone.d.next = true;
                        self.asks.d.next = true;
                        self.step.d.next = MessageStep::Release;
                    }
                }
            }
            MessageStep::Release => {
                self.list.operation.next = ListOperation::Release;
                if !self.asks.q.val() {
                    self.step.d.next = MessageStep::Finish;
                }
            }
            MessageStep::Finish => {
                self.finish.valid.next = true;
                if self.finish.ready.val() {
                    self.ends.next = self.message.q.val().get;
                    self.step.d.next = MessageStep::Idle;
                }
            }
        }
        // Data go on while the rows of the entry are written: payload to memory, a get to be served.
        self.serve.next =
            (self.step.q.val() == MessageStep::Resolve) & !self.cycle.q.val().any() & self.is_served.val();
        if (self.step.q.val() == MessageStep::Payload)
            | ((self.step.q.val() == MessageStep::Resolve) & self.succeeds.val())
        {
            self.run.valid.next = !self.whole.q.val() & !self.running.q.val() & self.succeeds.val();
            if self.run.valid.val() & self.run.ready.val() {
                self.running.d.next = true;
            }
            self.words.tvalid.next = self.packets.words.tvalid.val() & self.running.q.val();
            self.packets.words.tready.next =
                (self.running.q.val() & self.words.tready.val()) | (!self.whole.q.val() & !self.succeeds.val());
            if self.packets.words.tvalid.val() & self.packets.words.tready.val() & self.packets.words.tlast.val() {
                self.whole.d.next = true;
            }
        }
        if self.refuses.val() {
            self.message.d.next.failure = self.failure.val();
            self.message.d.next.delivered = 0.into();
            self.message.d.next.used = 0.into();
            self.message.d.next.overflow = false;
            self.step.d.next = MessageStep::Payload;
        }
        self.messages.write_enable.next = self.saves.val();
        self.messages.write_address.next = self.rank.q.val();
        self.messages.write_data.next = self.message.q.val();
        if self.running.q.val() {
            self.messages.write_data.next.address = self.next_address.val();
            self.messages.write_data.next.left = self.bytes_left.val();
        }
        self.run.address.next = self.message.q.val().address;
        self.run.length.next = self.message.q.val().left;
        self.ended.next = self.rank.q.val();
        self.get.next.rank = self.rank.q.val();
        self.get.next.slot = self.message.q.val().slot;
        self.get.next.address = self.message.q.val().address;
        self.told.next.delivered = self.message.q.val().delivered;
        self.told.next.failure = 0.into();
        self.told.next.overflow = self.message.q.val().overflow;
        self.told.next.silent = self.shown.entry.val().ack_disable;
        self.get.next.outcome = self.told.val();
        self.get.next.used = self.message.q.val().used;

        // What the end raises.
        self.finish.context.next = self.context_of.val();
        self.finish.portal.next = self.message.q.val().portal;
        self.finish.queue.next = self.shown.row.val().queue;
        self.finish.overflow.next = self.message.q.val().overflow;
        self.finish.pointer.next = self.entry.val().pointer;
        self.finish.raises.next = !self.message.q.val().failure.any()
            & self.shown.row.val().queues
            & !self.entry.val().comm_disable
            & !self.entry.val().success_disable;
        self.finish.kind.next = bits::<KIND_WIDTH>(EventKind::Put as u64);
        if self.message.q.val().get {
            self.finish.kind.next = bits::<KIND_WIDTH>(EventKind::Get as u64);
        }
        self.finish.counts.next =
            !self.message.q.val().failure.any() & self.entry.val().counts & self.entry.val().ct_comm;
        self.finish.counter.next = self.entry.val().counter;
        self.finish.amount.next = 1.into();
        if self.entry.val().ct_bytes {
            self.finish.amount.next = self.message.q.val().delivered;
        }
        self.finish.unlinks.next = self.gone.q.val() & self.shown.row.val().queues & !self.entry.val().unlink_disable;
        self.finish.answers.next = !self.serves.q.val()
            & (self.message.q.val().get | (self.message.q.val().ack != bits::<ACK_WIDTH>(Ack::None as u64)));
        self.finish.slot.next = self.message.q.val().slot;
        self.finish.outcome.next.delivered = self.message.q.val().delivered;
        self.finish.outcome.next.failure = self.message.q.val().failure;
        self.finish.outcome.next.overflow = self.message.q.val().overflow;
        self.finish.outcome.next.silent = !self.message.q.val().failure.any() & self.entry.val().ack_disable;
        self.finish.full.next =
            self.message.q.val().get | (self.message.q.val().ack == bits::<ACK_WIDTH>(Ack::Full as u64));
        self.finish.used.next = self.message.q.val().used;
        if self.rst.val() {
            self.step.d.next = MessageStep::Idle;
            self.asks.d.next = false;
            self.commanded.d.next = false;
        }
    }
}
