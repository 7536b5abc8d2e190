//! The message-passing engine (`gao-mpe-2013`, chapter 4; formats in `portico_spec::mpe::call`).
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Mpe`] | all of it, in a seat of the socket |
//! | [`CallIntake`] | takes descriptors, and begins calls |
//! | [`CallCheck`] | refuses wrong descriptors |
//! | [`KeptCalls`] | calls that wait, and those that are armed |
//! | [`Launches`] | armed calls, and launches on their way |
//! | [`CallScheduler`] | the state of every context: decides what is next, packet by packet |
//! | [`WordReceiver`], [`TokenReceiver`] | the ends of both planes; they look up in the lists whether the sender is a neighbour |
//! | [`EdgeCounts`] | packets and credits of every edge |
//! | [`EdgeTokens`] | tokens of every edge, by their calls |
//! | [`CurrentCalls`], [`PacketWatch`] | which call is the current one, and whether packets belong to another |
//! | [`EdgeReader`], [`SourceReader`] | words of a packet: from the edge buffer, from the scratchpad |
//! | [`Folder`] | folds words in the reduce ALU or passes them on; sends words to the network behind their head |
//! | [`ResultWriter`] | words that go to the scratchpad |
//! | [`TokenSender`] | tokens, credits and goes that are owed |
//! | [`EdgeDrain`] | gives the credits of closed contexts back |
//! | [`Stopwatch`] | how long each context has stood still |
//! | [`MpeRegisters`] | lists and status |

mod call_check;
mod call_intake;
mod call_scheduler;
mod current_calls;
mod edge_counts;
mod edge_drain;
mod edge_reader;
mod edge_tokens;
mod folder;
mod job;
mod kept_calls;
mod launches;
mod packet_watch;
mod registers;
mod result_writer;
mod source_reader;
mod stopwatch;
#[cfg(test)]
mod tests;
mod token_receiver;
mod token_sender;
mod word_receiver;

pub use call_check::CallCheck;
pub use call_intake::CallIntake;
pub use call_scheduler::CallScheduler;
pub use current_calls::CurrentCalls;
pub use edge_counts::EdgeCounts;
pub use edge_drain::EdgeDrain;
pub use edge_reader::EdgeReader;
pub use edge_tokens::EdgeTokens;
pub use folder::Folder;
pub use job::{
    ArmedIn, ArmedOut, CallIn, CallOut, EjectionIn, EjectionOut, JobIn, JobOut, RenewalIn, RenewalOut, Row, RowWriteIn,
    RowWriteOut,
};
pub use kept_calls::{KeptCalls, Posted};
pub use launches::Launches;
pub use packet_watch::{Note, PacketWatch};
pub use registers::MpeRegisters;
pub use result_writer::ResultWriter;
pub use source_reader::SourceReader;
pub use stopwatch::Stopwatch;
pub use token_receiver::TokenReceiver;
pub use token_sender::TokenSender;
pub use word_receiver::{FirstWord, WordReceiver};

use crate::bus::{EventArbiter, SocketIn};
use portico_spec::{
    mpe::call::{CALL_KIND_OFFSET, CONTEXTS, CONTEXT_WIDTH, KIND_WIDTH, NEIGHBOURS, PACKET_WORDS, PLACE_WIDTH},
    Config,
};
use portico_verilog::prelude::*;

/// Width of an edge's number: context above place.
pub const EDGE_WIDTH: usize = CONTEXT_WIDTH + PLACE_WIDTH;
/// Edges of all contexts that there can be.
pub const EDGES: usize = 1 << EDGE_WIDTH;
/// Width of the number of words of a packet.
pub const WORDS_WIDTH: usize = PACKET_WORDS.ilog2() as usize + 1;
/// Width of the place of a word in a packet.
pub const INDEX_WIDTH: usize = WORDS_WIDTH - 1;
/// Width of an address in the scratchpad, in words: the largest has 256 KiB.
pub const ADDRESS_WIDTH: usize = 16;
/// Width of the address of a queue of words, each of 16.
pub const QUEUE_WIDTH: usize = 4;
/// Width of a number of words in such a queue or on the way to it.
pub const RESERVED_WIDTH: usize = QUEUE_WIDTH + 1;
/// Width of a control packet's place in what is owed.
pub const OWED_WIDTH: usize = EDGE_WIDTH + 2;

/// One bit for each edge of these contexts.
fn built_edges(contexts: usize) -> u64 {
    (1 << (NEIGHBOURS * contexts)) - 1
}

/// The message-passing engine of a tile.
///
/// Packets of `W`-bit flits with `B` bytes: 32 and 4.
///
/// | | |
/// | --- | --- |
/// | latency | from a packet's first word at the door to the head of the packet that it leads to: 4 cycles; 4 and the ALU's where it is folded; from a token to the token that it leads to: 3 cycles |
/// | throughput | one flit a cycle in, one out; a packet of 32 words every 33 cycles along a chain |
/// | state | edge buffer in block RAM: two packets of 32 words an edge |
#[derive(LogicBlock, Default)]
pub struct Mpe<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the initialisation has to follow.
    pub rst: Signal<In, Bit>,
    /// All connections to the node.
    pub socket: SocketIn<W, B>,
    intake: CallIntake,
    launches: Launches,
    scheduler: CallScheduler,
    words: WordReceiver,
    tokens_in: TokenReceiver,
    packets: EdgeCounts,
    credits: EdgeCounts,
    tokens: EdgeTokens,
    current: CurrentCalls,
    watch: PacketWatch,
    edge_reader: EdgeReader,
    source_reader: SourceReader,
    folder: Folder,
    writer: ResultWriter,
    sender: TokenSender,
    drain: EdgeDrain,
    stopwatch: Stopwatch,
    registers: MpeRegisters,
    events: EventArbiter,
    stands: DFF<Bit>,
    /// A token was offered a cycle ago.
    sends_token: DFF<Bit>,
    /// Packets and rows that were refused and are not yet counted.
    refusals: DFF<Bits<REFUSALS_WIDTH>>,
    refuses: [DFF<Bit>; REFUSERS],
    slot_bit: Signal<Local, Bits<1>>,
    accepted: Signal<Local, Bit>,
    refused: Signal<Local, Bits<REFUSALS_WIDTH>>,
    refused_bit: Signal<Local, Bits<1>>,
    freed: Signal<Local, Bits<{ edge_reader::ROOM_WIDTH }>>,
    freed_edge: Signal<Local, Bits<EDGE_WIDTH>>,
    folding: Signal<Local, Bits<CONTEXTS>>,
}

/// Blocks that may refuse something in the same cycle.
const REFUSERS: usize = 5;
/// Width of the count of refusals that are not yet reported; one is reported a cycle. Wrong single-flit packets on
/// both planes for 64 successive cycles overflow the count, and some refusals are then not reported.
const REFUSALS_WIDTH: usize = 6;

impl<const W: usize, const B: usize> Mpe<W, B> {
    /// For a tile of the fabric that `config` describes; `config.width` is `W`, and there is one context or more.
    pub fn new(config: &Config) -> Self {
        let contexts = config.mpe.max(1);
        let memory_words = (config.scratchpad << 10) / B;
        Self {
            intake: CallIntake::new(contexts, memory_words),
            launches: Launches::new(contexts),
            scheduler: CallScheduler::new(contexts),
            words: WordReceiver::new(contexts),
            tokens_in: TokenReceiver::new(contexts),
            packets: EdgeCounts::new(contexts, false),
            credits: EdgeCounts::new(contexts, true),
            tokens: EdgeTokens::new(contexts),
            watch: PacketWatch::new(contexts),
            folder: Folder::new(contexts, config.stages),
            sender: TokenSender::new(contexts),
            drain: EdgeDrain::new(contexts),
            registers: MpeRegisters::new(contexts, config.mpe_neighbours),
            events: EventArbiter::new(2),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for Mpe<W, B> {
    fn update(&mut self) {
        wire!(self => intake, launches, scheduler, words, packets, credits, tokens, current, watch: clk, rst);
        wire!(self => tokens_in: clk);
        wire!(self => edge_reader, source_reader, folder, writer, sender, drain, stopwatch, registers: clk, rst);
        dff_setup!(self, clk, stands, sends_token, refusals);

        // Calls.
        wire!(self.socket <=> intake: commands);
        self.intake.initialising.next = self.socket.sweep.active.val();
        self.intake.present.next = self.registers.present.val();
        self.intake.running.next = self.scheduler.running.val();
        self.intake.closed.next = self.scheduler.closed.val();
        wire!(registers <=> intake, launches, current: renewal);
        self.intake.asked.next = self.registers.asked.val();
        wire!(intake <=> scheduler: call);

        // Launches.
        self.launches.present.next = self.registers.present.val();
        self.launches.running.next = self.scheduler.running.val();
        self.launches.closed.next = self.scheduler.closed.val();
        wire!(intake <=> launches: armed);
        self.launches.go.next = self.tokens_in.go.val();
        self.launches.neighbour.next = self.tokens_in.neighbour.val();
        self.launches.number.next = self.tokens_in.number.val();
        for i in 0..CONTEXTS {
            self.intake.codes[i].next = self.scheduler.codes[i].val();
            self.launches.numbers[i].next = self.intake.numbers[i].val();
            self.intake.counts[i].next = self.launches.counts[i].val();
            self.intake.begun[i].next = self.launches.begun[i].val();
            self.registers.armed[i].next = self.launches.counts[i].val();
        }
        wire!(scheduler.event <=> events.source[0]);
        wire!(intake.event <=> events.source[1]);
        wire!(self.socket.event <=> events.chosen);

        // What comes.
        self.words.flits.valid.next = self.socket.data_in.valid.val();
        self.words.flits.first.next = self.socket.data_in.first.val();
        self.words.flits.last.next = self.socket.data_in.last.val();
        self.words.flits.data.next = bit_cast::<32, W>(self.socket.data_in.data.val());
        wire!(self.socket.control_in <=> tokens_in.flits);
        self.words.present.next = self.registers.present.val();
        self.tokens_in.present.next = self.registers.present.val();
        self.packets.add.next = self.words.arrives.val();
        self.packets.neighbour.next = self.words.arrived_edge.val();
        self.packets.take.next = self.scheduler.take_packet.val();
        self.packets.clear.next = self.registers.open.val();
        self.credits.add.next = self.tokens_in.credit.val();
        self.credits.neighbour.next = self.tokens_in.neighbour.val();
        self.credits.take.next = self.scheduler.take_credit.val();
        self.credits.clear.next = 0.into();
        self.tokens.add.next = self.tokens_in.token.val();
        self.tokens.neighbour.next = self.tokens_in.neighbour.val();
        self.tokens.number.next = self.tokens_in.number.val();
        self.tokens.take.next = self.scheduler.take_token.val();
        self.tokens.clear.next = self.registers.open.val();

        // The current calls, and what does not belong to them.
        self.current.begins.next = self.intake.call.valid.val();
        self.current.owner.next = self.intake.call.owner.val();
        self.current.kind.next = self.intake.call.word.val().get_bits::<KIND_WIDTH>(CALL_KIND_OFFSET);
        self.current.towards.next = self.intake.call.towards.val();
        self.current.root.next = self.intake.call.root.val();
        self.current.running.next = self.scheduler.running.val();
        self.tokens.running.next = self.scheduler.running.val();
        self.tokens.ended.next = self.current.ended.val();
        for i in 0..CONTEXTS {
            self.tokens.numbers[i].next = self.current.numbers[i].val();
            self.tokens.kinds[i].next = self.current.kinds[i].val();
            self.watch.numbers[i].next = self.current.numbers[i].val();
            self.watch.kinds[i].next = self.current.kinds[i].val();
        }
        self.watch.arrives.next = self.words.arrives.val();
        self.watch.room.next = self.words.arrived_room.val();
        self.watch.note.next = self.words.note.val();
        self.watch.packets.next = self.packets.some.val();
        self.watch.slots.next = self.scheduler.slots.val();
        self.watch.running.next = self.scheduler.running.val();
        self.watch.closed.next = self.scheduler.closed.val();
        self.watch.ways.next = self.current.ways.val();

        // What is decided.
        self.scheduler.present.next = self.registers.present.val();
        self.scheduler.packets.next = self.packets.some.val();
        self.scheduler.credits.next = self.credits.some.val();
        self.scheduler.tokens.next = self.tokens.some.val();
        self.slot_bit.next = self.scheduler.slot.val().into();
        self.words.first_room.next =
            field::<{ edge_reader::ROOM_WIDTH }, EDGE_WIDTH>(self.scheduler.neighbour.val(), 1)
                | bit_cast::<{ edge_reader::ROOM_WIDTH }, 1>(self.slot_bit.val());
        self.scheduler.word.next = self.words.first_word.val();
        self.scheduler.word_down.next = self.words.first_down.val();
        self.scheduler.word_opens.next = self.words.first_opens.val();
        self.scheduler.ended.next = self.writer.ended.val();
        self.scheduler.wrong.next =
            self.edge_reader.wrong.val() | self.launches.again.val() | self.tokens.wrong.val() | self.watch.wrong.val();
        self.scheduler.expired.next = self.stopwatch.expired.val();
        self.scheduler.close.next = self.registers.close.val();
        self.scheduler.open.next = self.registers.open.val();

        // A pass goes to all of them at once.
        self.accepted.next =
            self.edge_reader.job.ready.val() & self.source_reader.job.ready.val() & self.folder.job.ready.val();
        wire!(scheduler <=> folder, source_reader, edge_reader, drain: job);
        self.scheduler.job.ready.next = self.accepted.val();
        self.folder.job.valid.next = self.scheduler.job.valid.val() & self.accepted.val();
        self.source_reader.job.valid.next = self.scheduler.job.valid.val() & self.accepted.val();
        self.edge_reader.job.valid.next = self.scheduler.job.valid.val() & self.accepted.val();
        self.drain.job.valid.next = self.scheduler.job.valid.val() & self.accepted.val();

        // Words.
        wire!(words <=> edge_reader, drain: ejection);
        self.words.read_enable.next = self.edge_reader.read_enable.val();
        self.words.read_address.next = self.edge_reader.read_address.val();
        self.edge_reader.read_data.next = self.words.read_data.val();
        self.words.length_room.next = self.edge_reader.room.val();
        self.edge_reader.length.next = self.words.length.val();
        self.words.restarts.next = self.registers.open.val();
        self.freed.next = self.drain.freed.val();
        if self.edge_reader.frees.val() {
            self.freed.next = self.edge_reader.freed.val();
        }
        self.words.frees.next = self.edge_reader.frees.val() | self.drain.frees.val();
        self.words.freed.next = self.freed.val();
        self.edge_reader.closed.next = self.scheduler.closed.val();
        self.source_reader.memory.data.next = bit_cast::<32, W>(self.socket.memory_read.data.val());
        self.source_reader.memory.data_valid.next = self.socket.memory_read.data_valid.val();
        self.source_reader.memory.ready.next = self.socket.memory_read.ready.val();
        self.socket.memory_read.valid.next = self.source_reader.memory.valid.val();
        self.socket.memory_read.address.next = self.source_reader.memory.address.val();
        wire!(source_reader.m_axis <=> folder.own);
        wire!(edge_reader.m_axis <=> folder.neighbour);
        wire!(folder.result <=> writer.s_axis);
        self.folder.result_released.next = self.writer.released.val();
        self.writer.place_valid.next = self.folder.place_valid.val();
        self.writer.place.next = self.folder.place.val();
        self.writer.memory.ready.next = self.socket.memory_write.ready.val();
        self.socket.memory_write.valid.next = self.writer.memory.valid.val();
        self.socket.memory_write.address.next = self.writer.memory.address.val();
        self.socket.memory_write.data.next = bit_cast::<W, 32>(self.writer.memory.data.val());
        self.socket.memory_write.lanes.next = bit_cast::<B, 4>(self.writer.memory.lanes.val());
        self.folder.node.next = self.socket.node.val();
        self.socket.data_out.tvalid.next = self.folder.m_axis.tvalid.val();
        self.socket.data_out.tlast.next = self.folder.m_axis.tlast.val();
        self.socket.data_out.tdata.next = bit_cast::<W, 32>(self.folder.m_axis.tdata.val());
        self.folder.m_axis.tready.next = self.socket.data_out.tready.val();

        // Tokens and credits.
        self.sender.node.next = self.socket.node.val();
        self.freed_edge.next = self.freed.val().get_bits::<EDGE_WIDTH>(1);
        self.sender.credit.next = self.edge_reader.frees.val() | self.drain.frees.val();
        self.sender.credit_edge.next = self.freed_edge.val();
        self.sender.token.next = self.scheduler.token_valid.val();
        self.sender.token_edge.next = self.scheduler.token_edge.val();
        self.sender.token_number.next = self.scheduler.token_number.val();
        self.scheduler.token_ready.next = self.sender.token_ready.val();
        self.sender.go.next = self.launches.go_valid.val();
        self.sender.go_edge.next = self.launches.go_edge.val();
        self.sender.go_number.next = self.launches.go_number.val();
        self.launches.go_ready.next = self.sender.go_ready.val();
        wire!(self.socket.control_out <=> sender.m_axis);

        // Contexts that are closed.
        self.drain.read.next = self.edge_reader.leaves.val();
        self.drain.folded.next = self.folder.leaves.val();
        self.drain.marked.next = self.writer.ended.val();
        self.drain.closed.next = self.scheduler.closed.val();
        self.drain.first_taken.next = self.words.first_taken.val();
        self.drain.second_taken.next = self.words.second_taken.val();
        self.drain.next_slot.next = self.words.next_slots.val();
        // A token waits for a credit. Behind one token there are often more: the drain lets these go first. That the first of them
        // may wait for a cycle keeps the scheduler's decision out of the way of the credit.
        self.sends_token.d.next = self.scheduler.token_valid.val();
        self.drain.busy.next = self.edge_reader.frees.val() | self.sends_token.q.val();

        // Registers.
        wire!(self.socket <=> registers: register);
        wire!(registers <=> words, tokens_in, folder, sender: row_write);
        self.registers.credits.next = self.credits.both.val();
        self.registers.running.next = self.scheduler.running.val();
        self.registers.waits.next = self.intake.armed.waits.val();
        self.registers.takes_in.next = self.intake.takes_in.val();
        self.registers.closed.next = self.scheduler.closed.val();
        self.registers.holds.next = self.words.holds.val();
        self.registers.owes.next = self.sender.owes.val() | self.launches.holds.val();
        self.registers.passes.next = self.drain.passes.val();
        self.registers.asked_waiting.next = self.intake.asked_waiting.val();
        self.registers.asked_next.next = self.intake.asked_next.val();

        // Time.
        self.folding.next = 0.into();
        if self.folder.moves.val() {
            self.folding.next = bits::<CONTEXTS>(1) << self.folder.owner.val();
        }
        self.stopwatch.initialising.next = self.socket.sweep.active.val();
        self.stopwatch.write.next = self.registers.timeout_write.val();
        self.stopwatch.write_context.next = self.registers.timeout_context.val();
        self.stopwatch.write_data.next = self.registers.timeout.val();
        self.stopwatch.running.next = self.scheduler.running.val();
        self.stopwatch.moves.next = self.scheduler.moves.val() | self.folding.val();
        self.socket.running.next = self.scheduler.running.val().any();
        self.stands.d.next = !self.folder.moves.val() & !self.scheduler.moves.val().any();
        self.socket.waiting.next = self.scheduler.running.val().any() & self.stands.q.val();

        // Refusals are counted one a cycle.
        self.refuses[0].d.next = self.words.refused.val();
        self.refuses[1].d.next = self.tokens_in.refused.val();
        self.refuses[2].d.next = self.registers.refused.val();
        self.refuses[3].d.next = self.credits.overflow.val();
        self.refuses[4].d.next = self.tokens.overflow.val();
        self.refused.next = self.refusals.q.val();
        if self.refusals.q.val().any() {
            self.refused.next = self.refusals.q.val() - 1;
        }
        for i in 0..REFUSERS {
            self.refuses[i].clock.next = self.clk.val();
            self.refused_bit.next = self.refuses[i].q.val().into();
            self.refused.next = self.refused.val() + bit_cast::<REFUSALS_WIDTH, 1>(self.refused_bit.val());
            if self.rst.val() {
                self.refuses[i].d.next = false;
            }
        }
        self.refusals.d.next = self.refused.val();
        self.socket.refused.next = self.refusals.q.val().any();
        if self.rst.val() {
            self.stands.d.next = false;
            self.sends_token.d.next = false;
            self.refusals.d.next = 0.into();
        }
    }
}
