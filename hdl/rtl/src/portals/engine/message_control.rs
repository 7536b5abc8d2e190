use super::{
    BytesOut, ContextWriteOut, EntryControl, EntryEnd, FinishOut, FinishRules, GetJob, ListJobOut, ListSearchOut,
    Message, MessageSteps, Outcome, PacketIntake, PacketsIn, PayloadGate, Request, ShownIn, TablesOut, TurnChoice,
    CONTEXT_WIDTH,
};
use crate::prim::{LutRam, StreamOut};
use portico_spec::portals::engine::{LENGTH_WIDTH, RANK_WIDTH};
use portico_verilog::prelude::*;

/// Carries out requests at their target, packet by packet.
///
/// Of up to 64 ranks.
///
/// | | |
/// | --- | --- |
/// | latency | a put of 8 bytes, from the first word of its header to `over`: 5 words, the search, 7 cycles |
/// | throughput | one message at a time; the header of the next one comes meanwhile, and the events of the last one are written |
/// | state | a message a rank in LUT-RAM, the message in hand, [`MessageSteps`] and [`PacketIntake`] |
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
    /// Nothing of a message or a command is under way but a header that is read.
    pub quiet: Signal<Out, Bit>,
    /// No payload of a request is on its way to the writer.
    pub rests: Signal<Out, Bit>,
    /// A get is served.
    pub served: Signal<In, Bit>,
    /// Its rank; valid with `served`.
    pub served_rank: Signal<In, Bits<RANK_WIDTH>>,
    /// High for a cycle: that is known.
    pub take_served: Signal<Out, Bit>,
    /// High for a cycle: the packets of `ended` may be read again.
    pub ends: Signal<Out, Bit>,
    /// The rank of the message in hand; valid with `ends`, `matched` and `over`.
    pub ended: Signal<Out, Bits<RANK_WIDTH>>,
    /// High for a cycle: the message in hand has met its entry, or has failed.
    pub matched: Signal<Out, Bit>,
    /// High for a cycle: the message in hand is over; its last bytes may still be on their way.
    pub over: Signal<Out, Bit>,
    /// Requests to the lists.
    pub list: ListJobOut,
    /// Fields of their searches.
    pub search: ListSearchOut,
    /// Accesses to the tables.
    pub tables: TablesOut,
    /// Rows that the tables show.
    pub shown: ShownIn,
    /// Words of events.
    pub context: ContextWriteOut,
    /// Something is being raised.
    pub raising: Signal<In, Bit>,
    /// Rank and parity of the message whose words are in use; valid with `raising`.
    pub raised: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Event, counts and answer of the end of a message.
    pub finish: FinishOut,
    /// Runs of bytes to write.
    pub run: BytesOut,
    /// Their words.
    pub words: StreamOut<32>,
    /// Where the bytes of the next packet go.
    pub next_address: Signal<In, Bits<LENGTH_WIDTH>>,
    /// Bytes that the entry still takes.
    pub bytes_left: Signal<In, Bits<LENGTH_WIDTH>>,
    /// All bytes of the messages that are over are written.
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
    intake: PacketIntake,
    choice: TurnChoice,
    steps: MessageSteps,
    entries: EntryControl,
    gate: PayloadGate,
    entry_end: EntryEnd,
    rules: FinishRules,
    messages: LutRam<Message, RANK_WIDTH>,
    message: DFF<Message>,
    request: DFF<Request>,
    rank: DFF<Bits<RANK_WIDTH>>,
    /// The packet in hand is the last of its message.
    last: DFF<Bit>,
    /// A get that is served is in hand, no packet.
    serves: DFF<Bit>,
    begins: Signal<Local, Bit>,
    succeeds: Signal<Local, Bit>,
    parity_bit: Signal<Local, Bits<1>>,
    home: Signal<Local, Bits<CONTEXT_WIDTH>>,
    looked: Signal<Local, Bits<RANK_WIDTH>>,
    known: Signal<Local, Message>,
    outcome: Signal<Local, Outcome>,
}

impl MessageControl {
    /// For `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        Self {
            intake: PacketIntake::new(ranks),
            messages: LutRam::new(ranks),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for MessageControl {
    fn update(&mut self) {
        wire!(self => gate, messages: clk);
        wire!(self => intake, choice, steps, entries, entry_end: clk, rst);
        dff_setup!(self, clk, message, request, rank, last, serves);

        // The choice of the next turn.
        wire!(self <=> intake: packets, context);
        wire!(self => intake: enabled, raising, raised);
        wire!(entries.context <=> intake.known);
        self.choice.looks.next = self.steps.rests.val() & !self.busy_lists.val();
        wire!(self => choice: served);
        self.choice.command.next = self.command_wants.val();
        self.choice.packet.next = self.intake.offers.val() & self.enabled.val();
        self.intake.take.next = self.choice.packet_begins.val();
        self.begins.next = self.choice.packet_begins.val() & self.intake.first.val();
        self.looked.next = self.intake.rank.val();
        if self.served.val() {
            self.looked.next = self.served_rank.val();
        }
        self.messages.read_address.next = self.looked.val();
        self.parity_bit.next = self.message.q.val().parity.into();
        self.home.next = field::<CONTEXT_WIDTH, RANK_WIDTH>(self.rank.q.val(), 1)
            | bit_cast::<CONTEXT_WIDTH, 1>(self.parity_bit.val());

        // The entry that a message meets.
        self.search.load.next = self.begins.val();
        self.search.load_data.next = self.intake.completes.val();
        self.search.portal.next = self.intake.request.val().portal;
        self.search.length.next = self.intake.request.val().length;
        self.search.offset.next = self.intake.request.val().offset;
        wire!(intake => search: rank, match_bits, data);
        self.entries.asked.next = self.begins.val();
        self.entries.lacks.next = self.intake.lacks.val();
        // A get reads what the put before it has written: a message begins when all bytes of those before are written.
        self.entries.goes.next = self.steps.meets.val() & !self.intake.reads.val() & self.written.val();
        self.entries.last.next = self.last.q.val();
        self.entries.rank.next = self.rank.q.val();
        wire!(self => entries: home);
        self.entries.request.next = self.request.q.val();
        if self.steps.rests.val() {
            self.entries.request.next = self.intake.request.val();
        }
        self.entries.message.next = self.message.q.val();
        wire!(self <=> entries: list, tables, shown);
        wire!(entries => self: drops, permission, operation);

        // Its end there, if that is later than its begin.
        self.entry_end.message_closes.next = self.steps.message_closes.val();
        self.entry_end.message.next = self.message.q.val();
        wire!(list => entry_end: done);
        wire!(self <=> entry_end: shown);
        if self.steps.message_closes.val() {
            wire!(entry_end => list: write, field, word, valid, operation);
            wire!(entry_end => tables: portal_read, entry_read, place, header_write, header, entry_write, entry, counts_write, counts);
        }

        // Its steps.
        self.succeeds.next = !self.message.q.val().failure.any();
        wire!(steps => entries, entry_end, gate: rests);
        wire!(choice => steps: get_begins, command_begins, packet_begins);
        wire!(intake => steps: first);
        wire!(self => steps: command_ends, succeeds);
        wire!(entries => steps: ends, at_once);
        self.steps.passed.next = self.gate.over.val();
        wire!(entry_end => steps: message_closed);
        self.steps.end_taken.next = self.rules.taken.val();
        self.steps.last.next = self.last.q.val();
        self.steps.get.next = self.message.q.val().get;
        wire!(steps => self: command_goes, matched, over);
        self.take_served.next = self.choice.get_begins.val();
        self.quiet.next = self.steps.rests.val()
            & !self.choice.get_begins.val()
            & !self.choice.command_begins.val()
            & !self.choice.packet_begins.val();
        self.rests.next = self.intake.rests.val() & !self.steps.meets.val() & !self.steps.passes.val();
        if self.steps.rests.val() {
            self.serves.d.next = self.choice.get_begins.val();
            self.rank.d.next = self.looked.val();
            self.last.d.next = self.intake.last.val() | self.choice.get_begins.val();
            self.message.d.next = self.messages.read_data.val();
            self.request.d.next = self.intake.request.val();
            if self.begins.val() {
                self.message.d.next.parity = self.intake.parity.val();
            }
        }
        if self.steps.meets.val() {
            self.message.d.next = self.entries.known.val();
        }
        self.ends.next = self.over.val() & self.message.q.val().get;
        self.ended.next = self.rank.q.val();

        // Payload to memory, from the last cycle of the check on.
        self.gate.passes.next = self.entries.passes.val() | self.steps.passes.val();
        self.known.next = self.entries.known.val();
        self.gate.message.next = self.known.val();
        self.gate.succeeds.next = self.entries.passes.val() | self.succeeds.val();
        wire!(intake.payload <=> gate.words);
        wire!(self <=> gate: run);
        wire!(self.words <=> gate.m_axis);
        self.messages.write_enable.next = self.steps.packet_ends.val();
        self.messages.write_address.next = self.rank.q.val();
        self.messages.write_data.next = self.message.q.val();
        if self.gate.runs.val() {
            self.messages.write_data.next.address = self.next_address.val();
            self.messages.write_data.next.left = self.bytes_left.val();
        }

        // A get to be served, and what the end of a message raises.
        self.serve.next = self.entries.delivers.val();
        self.get.next.rank = self.rank.q.val();
        self.get.next.slot = self.known.val().slot;
        self.get.next.address = self.known.val().address;
        self.get.next.used = self.known.val().used;
        // The first packet of a reply says of a get that succeeds what an answer would.
        self.outcome.next.delivered = self.known.val().delivered;
        self.outcome.next.failure = 0.into();
        self.outcome.next.overflow = self.known.val().overflow;
        self.outcome.next.silent = self.shown.entry.val().ack_disable;
        self.get.next.outcome = self.outcome.val();
        self.rules.valid.next = self.steps.finishes.val();
        self.rules.message.next = self.message.q.val();
        wire!(self => rules: home);
        self.rules.row.next = self.shown.row.val();
        self.rules.entry.next = self.shown.entry.val();
        self.rules.unlinked.next = self.entries.unlinked.val() | self.entry_end.unlinked.val();
        self.rules.gone.next = self.entries.gone.val() | self.entry_end.gone.val();
        self.rules.served.next = self.serves.q.val();
        wire!(self <=> rules: finish);
    }
}
