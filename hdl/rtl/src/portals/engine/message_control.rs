use super::{
    BytesOut, ContextWriteOut, EntryControl, EntryEnd, FinishOut, FinishRules, GetJob, HeaderReader, ListJobOut,
    Message, Packet, PacketsIn, PayloadGate, ShownIn, TablesOut, TurnChoice, CONTEXT_WIDTH,
};
use crate::prim::{LutRam, StreamOut};
use portico_spec::portals::engine::{LENGTH_WIDTH, RANK_WIDTH};
use portico_verilog::prelude::*;

/// State of the control of messages.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum MessageStep {
    /// Looks for a packet, a command, or a get that is served.
    Idle,
    /// A command has its turn.
    Command,
    /// Reads the header of a message.
    Header,
    /// Waits for the begin of the message at its entry.
    Match,
    /// Passes payload on, or reads it away.
    Payload,
    /// Waits for the end of the message at its entry.
    Close,
    /// Hands over what is to be raised.
    Finish,
}

/// Carries out requests at their target, packet by packet.
///
/// Of up to 64 ranks.
///
/// | | |
/// | --- | --- |
/// | latency | a put of one packet: 5 words of the header, the search, 5 cycles, its payload |
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
    /// The rank of the message in hand; valid with `ends`, `matched` and `over`.
    pub ended: Signal<Out, Bits<RANK_WIDTH>>,
    /// High for a cycle: the message in hand has met its entry, or has failed.
    pub matched: Signal<Out, Bit>,
    /// High for a cycle: the message in hand is over.
    pub over: Signal<Out, Bit>,
    /// Requests to the lists.
    pub list: ListJobOut,
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
    choice: TurnChoice,
    header: HeaderReader,
    entries: EntryControl,
    gate: PayloadGate,
    entry_end: EntryEnd,
    rules: FinishRules,
    messages: LutRam<Message, RANK_WIDTH>,
    step: DFF<MessageStep>,
    message: DFF<Message>,
    rank: DFF<Bits<RANK_WIDTH>>,
    /// The packet in hand is the last of its message.
    last: DFF<Bit>,
    /// A get that is served is in hand, no packet.
    serves: DFF<Bit>,
    rests: Signal<Local, Bit>,
    succeeds: Signal<Local, Bit>,
    is_served: Signal<Local, Bit>,
    packet_ends: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,
    parity_bit: Signal<Local, Bits<1>>,
    home: Signal<Local, Bits<CONTEXT_WIDTH>>,
    next_home: Signal<Local, Bits<CONTEXT_WIDTH>>,
    next_parity: Signal<Local, Bits<1>>,
    looked: Signal<Local, Bits<RANK_WIDTH>>,
    packet: Signal<Local, Packet>,
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
        wire!(self => header, gate, messages: clk);
        wire!(self => choice, entries, entry_end: clk, rst);
        dff_setup!(self, clk, step, message, rank, last, serves);

        // The rank of the next packet or get, and the place of the words of its event.
        self.packet.next = self.packets.packet.val();
        self.looked.next = self.packet.val().owner.get_bits::<RANK_WIDTH>(0);
        if self.served.val() {
            self.looked.next = self.served_rank.val();
        }
        self.messages.read_address.next = self.looked.val();
        self.next_parity.next = (!self.messages.read_data.val().parity).into();
        self.next_home.next = field::<CONTEXT_WIDTH, RANK_WIDTH>(self.looked.val(), 1)
            | bit_cast::<CONTEXT_WIDTH, 1>(self.next_parity.val());
        self.parity_bit.next = self.message.q.val().parity.into();
        self.home.next = field::<CONTEXT_WIDTH, RANK_WIDTH>(self.rank.q.val(), 1)
            | bit_cast::<CONTEXT_WIDTH, 1>(self.parity_bit.val());
        self.rests.next = self.step.q.val() == MessageStep::Idle;
        self.choice.looks.next = self.rests.val() & !self.busy_lists.val();
        wire!(self => choice: served);
        self.choice.command.next = self.command_wants.val();
        self.choice.packet.next = self.packets.valid.val() & !self.packet.val().reply & self.enabled.val();
        // Words of an event are written only when those before them are used.
        self.choice.collides.next =
            self.packet.val().first & self.raising.val() & (self.raised.val() == self.next_home.val());

        // The header, and the entry that it meets.
        wire!(self => header, entries, gate, entry_end: rests);
        self.header.reads.next = self.step.q.val() == MessageStep::Header;
        self.header.rank.next = self.rank.q.val();
        self.header.home.next = self.home.val();
        wire!(packets.words => header.words: tvalid, tdata, tlast);
        self.entries.asked.next = self.header.asks.val();
        self.entries.lacks.next = self.header.ends.val() & self.header.lacks.val();
        self.entries.goes.next = self.step.q.val() == MessageStep::Match;
        self.entries.last.next = self.last.q.val();
        self.entries.rank.next = self.rank.q.val();
        self.entries.home.next = self.home.val();
        self.entries.request.next = self.header.request.val();
        self.entries.message.next = self.message.q.val();
        wire!(self <=> entries: list, tables, shown, context);
        if self.step.q.val() == MessageStep::Header {
            self.list.write.next = self.header.write.val();
            self.list.field.next = self.header.field.val();
            self.list.word.next = self.header.word.val();
            self.tables.portal_read.next = self.header.portal_read.val();
            self.tables.portal.next = self.header.portal.val();
            self.context.enable.next = self.header.context.enable.val();
            self.context.index.next = self.header.context.index.val();
            self.context.word.next = self.header.context.word.val();
        }
        wire!(entries => self: drops, permission, operation);

        // Its end there, if that is later than its begin.
        self.entry_end.closes.next = self.step.q.val() == MessageStep::Close;
        self.entry_end.message.next = self.message.q.val();
        wire!(list => entry_end: done);
        wire!(self <=> entry_end: shown);
        if self.step.q.val() == MessageStep::Close {
            wire!(entry_end => list: write, field, word, valid, operation);
            wire!(entry_end => tables: portal_read, entry_read, place, header_write, header, entry_write, entry, counts_write, counts);
        }

        self.command_goes.next = self.step.q.val() == MessageStep::Command;
        self.take_served.next = self.choice.closes.val();
        self.quiet.next =
            self.rests.val() & !self.choice.closes.val() & !self.choice.commands.val() & !self.choice.takes.val();
        self.packets.take.next = false;
        self.packets.words.tready.next = self.header.words.tready.val() | self.gate.words.tready.val();
        self.ends.next = false;
        self.matched.next = (self.step.q.val() == MessageStep::Match) & self.entries.ends.val();
        self.packet_ends.next = false;
        self.finishes.next = false;
        self.succeeds.next = !self.message.q.val().failure.any();
        self.is_served.next = self.message.q.val().get & self.succeeds.val() & !self.entries.at_once.val();
        match self.step.q.val() {
            MessageStep::Idle => {
                self.serves.d.next = self.choice.closes.val();
                self.rank.d.next = self.looked.val();
                self.last.d.next = self.packet.val().last | self.choice.closes.val();
                self.message.d.next = self.messages.read_data.val();
                if self.choice.closes.val() {
                    self.step.d.next = MessageStep::Close;
                } else if self.choice.commands.val() {
                    self.step.d.next = MessageStep::Command;
                } else if self.choice.takes.val() {
                    self.step.d.next = MessageStep::Payload;
                    if self.packet.val().first {
                        self.message.d.next.parity = !self.messages.read_data.val().parity;
                        self.step.d.next = MessageStep::Header;
                    }
                }
            }
            MessageStep::Command => {
                if self.command_ends.val() {
                    self.step.d.next = MessageStep::Idle;
                }
            }
            MessageStep::Header => {
                if self.header.ends.val() {
                    self.step.d.next = MessageStep::Match;
                }
            }
            MessageStep::Match => {
                self.message.d.next = self.entries.known.val();
                if self.matched.val() {
                    self.step.d.next = MessageStep::Payload;
                }
            }
            MessageStep::Payload => {
                self.packet_ends.next = self.gate.over.val();
                if self.packet_ends.val() {
                    self.packets.take.next = true;
                    self.step.d.next = MessageStep::Idle;
                    if self.last.q.val() & !self.is_served.val() {
                        if !self.entries.at_once.val() & self.succeeds.val() {
                            self.step.d.next = MessageStep::Close;
                        } else {
                            // Most messages need no step of their own for this.
                            self.finishes.next = true;
                            self.step.d.next = MessageStep::Finish;
                        }
                    }
                }
            }
            MessageStep::Close => {
                if self.entry_end.closed.val() {
                    self.step.d.next = MessageStep::Finish;
                }
            }
            MessageStep::Finish => {
                self.finishes.next = true;
            }
        }
        self.over.next = self.finishes.val() & self.rules.taken.val();
        if self.over.val() {
            self.ends.next = self.message.q.val().get;
            self.step.d.next = MessageStep::Idle;
        }
        self.ended.next = self.rank.q.val();

        // Payload to memory, while the entry is still resolved.
        self.gate.passes.next = self.entries.resolves.val() | (self.step.q.val() == MessageStep::Payload);
        self.gate.bare.next = self.header.ends.val() & self.packets.words.tlast.val();
        self.gate.message.next = self.message.q.val();
        wire!(self => gate: succeeds, written);
        wire!(packets.words => gate.words: tvalid, tdata, tlast);
        wire!(self <=> gate: run);
        wire!(self.words <=> gate.m_axis);
        self.messages.write_enable.next = self.packet_ends.val();
        self.messages.write_address.next = self.rank.q.val();
        self.messages.write_data.next = self.message.q.val();
        if self.gate.runs.val() {
            self.messages.write_data.next.address = self.next_address.val();
            self.messages.write_data.next.left = self.bytes_left.val();
        }

        // A get to be served, and what the end of a message raises.
        self.serve.next = self.entries.delivers.val() & self.is_served.val();
        self.get.next.rank = self.rank.q.val();
        self.get.next.slot = self.message.q.val().slot;
        self.get.next.address = self.message.q.val().address;
        self.get.next.used = self.message.q.val().used;
        self.rules.valid.next = self.finishes.val();
        self.rules.message.next = self.message.q.val();
        self.rules.home.next = self.home.val();
        self.rules.row.next = self.shown.row.val();
        self.rules.entry.next = self.shown.entry.val();
        self.rules.unlinked.next = self.entries.unlinked.val() | self.entry_end.unlinked.val();
        self.rules.gone.next = self.entries.gone.val() | self.entry_end.gone.val();
        self.rules.served.next = self.serves.q.val();
        wire!(self <=> rules: finish);
        // The first packet of a reply says of a get that succeeds what an answer would.
        self.get.next.outcome = self.rules.finish.outcome.val();
        if self.rst.val() {
            self.step.d.next = MessageStep::Idle;
        }
    }
}
