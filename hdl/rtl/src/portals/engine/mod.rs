//! The Portals engine (`pac-portals-2016`, chapters 2 and 3; formats in `portico_spec::portals::engine`).
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Portals`] | all of it, in a seat of the socket |
//! | [`CommandSplit`] | parts moves from other commands |
//! | [`MoveIntake`], [`Requester`] | check moves and keep those that wait; turn them into packets of requests |
//! | [`MemoryDescriptors`] | memory descriptors, for the moves that name them |
//! | [`RequestHeader`] | the header words of a request |
//! | [`SlotPool`], [`RankCredits`] | slots for requests that are answered; credits of ranks |
//! | [`DataDoor`], [`RoomReader`] | the end of the data plane: packets into their rooms, and out of them |
//! | [`MessageControl`] | requests at their target |
//! | [`MessageSteps`] | the steps of a turn: of a packet, a command, or a get that is served |
//! | [`PacketIntake`], [`HeaderReader`] | their packets and headers, one ahead of the message in hand |
//! | [`TurnChoice`], [`PayloadGate`] | whose turn it is; their payload |
//! | [`EntryControl`], [`EntryVerdict`], [`HitCheck`], [`EntryRows`], [`EntryEnd`], [`FinishRules`] | their entries, what an entry allows, their ends there, and what these raise |
//! | [`ReplyControl`] | data of replies at their initiator |
//! | [`CommandControl`], [`CommandFields`] | commands on entries, headers, counters, portal indices, and their checks |
//! | [`ScanControl`], [`HeaderResolver`], [`CommandRules`] | headers that appends and searches find, what becomes of them, and what they raise |
//! | [`NewEntry`], [`AppendEnd`] | the row of a new entry, and the end of its append |
//! | [`UnlinkControl`], [`PortalSwitch`] | unlinks; portal indices that are enabled, disabled and freed |
//! | [`ListAccess`], [`ListFields`], [`TargetTables`] | lists, portal indices, entries and headers, for both |
//! | [`HeaderWords`] | the words of an event of a header |
//! | [`Finisher`], [`Completer`], [`ReportRules`] | what the end of a message raises at the target and at the initiator |
//! | [`EventShare`], [`EventQueues`], [`EventWriter`], [`RingWriter`] | events into their rings |
//! | [`CountArbiter`], [`CounterBank`] | counters |
//! | [`Replier`] | serves gets |
//! | [`PacketSender`], [`PayloadReader`] | packets of requests and replies, with payload from the scratchpad |
//! | [`PayloadWriter`] | payload into the scratchpad |
//! | [`ControlDoor`], [`ControlSender`] | credits and answers on the control plane |
//! | [`PortalsRegisters`] | ranks, settings, status |
//! | [`StepLog`] | tells each step |

mod append_end;
mod command_control;
mod command_fields;
mod command_rules;
mod command_split;
mod completer;
mod control_door;
mod control_sender;
mod count_arbiter;
mod counter_bank;
mod data_door;
mod entry_control;
mod entry_end;
mod entry_rows;
mod entry_verdict;
mod event_queues;
mod event_share;
mod event_writer;
mod finish_rules;
mod finish_share;
mod finisher;
mod header_reader;
mod header_resolver;
mod header_words;
mod hit_check;
mod list_access;
mod list_fields;
mod memory_descriptors;
mod message_control;
mod message_steps;
mod move_intake;
mod new_entry;
mod packet_intake;
mod packet_sender;
mod payload_gate;
mod payload_reader;
mod payload_writer;
mod portal_switch;
mod ports;
mod rank_credits;
mod registers;
mod replier;
mod reply_control;
mod report_rules;
mod request_header;
mod requester;
mod ring_writer;
mod room_reader;
mod scan_control;
mod slot_pool;
mod step_log;
mod target_tables;
#[cfg(test)]
mod tests;
mod turn_choice;
mod unlink_control;

pub use append_end::AppendEnd;
pub use command_control::CommandControl;
pub use command_fields::{CommandFields, TableCommand};
pub use command_rules::{CommandRaise, CommandRules};
pub use command_split::CommandSplit;
pub use completer::Completer;
pub use control_door::ControlDoor;
pub use control_sender::ControlSender;
pub use count_arbiter::CountArbiter;
pub use counter_bank::CounterBank;
pub use data_door::DataDoor;
pub use entry_control::EntryControl;
pub use entry_end::EntryEnd;
pub use entry_rows::EntryRows;
pub use entry_verdict::EntryVerdict;
pub use event_queues::EventQueues;
pub use event_share::EventShare;
pub use event_writer::EventWriter;
pub use finish_rules::FinishRules;
pub use finish_share::FinishShare;
pub use finisher::Finisher;
pub use header_reader::HeaderReader;
pub use header_resolver::HeaderResolver;
pub use header_words::HeaderWords;
pub use hit_check::HitCheck;
pub use list_access::ListAccess;
pub use list_fields::ListFields;
pub use memory_descriptors::MemoryDescriptors;
pub use message_control::MessageControl;
pub use message_steps::MessageSteps;
pub use move_intake::MoveIntake;
pub use new_entry::NewEntry;
pub use packet_intake::{PacketIntake, PAYLOAD_WIDTH};
pub use packet_sender::PacketSender;
pub use payload_gate::PayloadGate;
pub use payload_reader::PayloadReader;
pub use payload_writer::PayloadWriter;
pub use portal_switch::PortalSwitch;
pub use ports::*;
pub use rank_credits::RankCredits;
pub use registers::PortalsRegisters;
pub use replier::Replier;
pub use reply_control::ReplyControl;
pub use report_rules::ReportRules;
pub use request_header::RequestHeader;
pub use requester::Requester;
pub use ring_writer::RingWriter;
pub use room_reader::RoomReader;
pub use scan_control::ScanControl;
pub use slot_pool::SlotPool;
pub use step_log::StepLog;
pub use target_tables::TargetTables;
pub use turn_choice::TurnChoice;
pub use unlink_control::UnlinkControl;

use super::list_manager::ListParameters;
use crate::bus::{EventArbiter, SocketIn, WriteShare};
use portico_spec::{
    portals::engine::{GET_SLOTS, RANKS, RANK_WIDTH, SLOT_WIDTH},
    Config,
};
use portico_verilog::prelude::*;

/// Blocks that count in events of the tile.
const EVENT_SOURCES: usize = 5;
/// Blocks that write to the scratchpad.
const WRITERS: usize = 3;
/// Width of the count of refusals that are not yet reported; one is reported a cycle.
const REFUSALS_WIDTH: usize = 6;
/// Blocks that may refuse something in the same cycle.
const REFUSERS: usize = 2;

/// The Portals engine of a tile: put and get with matching, events and counters.
///
/// Packets of `W`-bit flits with `B` bytes: 32 and 4.
///
/// | | |
/// | --- | --- |
/// | latency | see `docs/portals.md` |
/// | throughput | one flit a cycle in, one out |
/// | state | rooms, lists and tables in block RAM |
#[derive(LogicBlock, Default)]
pub struct Portals<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the initialisation has to follow.
    pub rst: Signal<In, Bit>,
    /// The seat of the engine in a node.
    pub socket: SocketIn<W, B>,
    /// Each step, for traces.
    pub log: StepLogOut,
    registers: PortalsRegisters,
    split: CommandSplit,
    intake: MoveIntake,
    requester: Requester,
    pool: SlotPool,
    request_credits: RankCredits,
    reply_credits: RankCredits,
    door: DataDoor,
    reader: RoomReader,
    control_door: ControlDoor,
    messages: MessageControl,
    replies: ReplyControl,
    commands: CommandControl,
    lists: ListAccess,
    tables: TargetTables,
    finisher: Finisher,
    finish_share: FinishShare,
    completer: Completer,
    event_share: EventShare,
    event_writer: EventWriter,
    count_arbiter: CountArbiter,
    counters: CounterBank,
    replier: Replier,
    packets: PacketSender,
    payload_reader: PayloadReader,
    payload_writer: PayloadWriter,
    control: ControlSender,
    steps: StepLog,
    writes: WriteShare<32, 4>,
    events: EventArbiter,
    /// Nothing moved in the cycle before.
    stands: DFF<Bit>,
    /// Packets that were refused and are not yet counted.
    refusals: DFF<Bits<REFUSALS_WIDTH>>,
    refuses: [DFF<Bit>; REFUSERS],
    runs: Signal<Local, Bit>,
    refused: Signal<Local, Bits<REFUSALS_WIDTH>>,
    refused_bit: Signal<Local, Bits<1>>,
    ranks: Constant<Bits<OWNER_WIDTH>>,
}

impl<const W: usize, const B: usize> Portals<W, B> {
    /// For a tile of the fabric that `config` describes; `config.width` is `W`, and there is a rank or more.
    pub fn new(config: &Config) -> Self {
        let ranks = config.portals.max(RANKS[0]);
        let bytes = config.scratchpad << 10;
        Self {
            registers: PortalsRegisters::new(ranks),
            intake: MoveIntake::new(bytes),
            requester: Requester::new(ranks),
            request_credits: RankCredits::new(ranks),
            reply_credits: RankCredits::new(ranks),
            door: DataDoor::new(ranks),
            reader: RoomReader::new(ranks),
            control_door: ControlDoor::new(ranks),
            messages: MessageControl::new(ranks),
            commands: CommandControl::new(bytes),
            lists: ListAccess::new(&ListParameters::new(config.entries, config.buckets)),
            tables: TargetTables::new(config.entries),
            finisher: Finisher::new(ranks),
            replier: Replier::new(ranks),
            control: ControlSender::new(ranks),
            writes: WriteShare::new(WRITERS),
            events: EventArbiter::new(EVENT_SOURCES),
            ranks: Constant::new(bits(ranks as u64)),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for Portals<W, B> {
    fn update(&mut self) {
        wire!(self => registers, split, intake, requester, pool, door, reader, control_door, messages: clk, rst);
        wire!(self => replies, commands, lists, tables, finisher, completer, event_share, event_writer: clk, rst);
        wire!(self => count_arbiter, counters, replier, packets, payload_reader, payload_writer, control, writes: clk, rst);
        wire!(self => steps: clk, rst);
        wire!(self => request_credits, reply_credits: clk);
        dff_setup!(self, clk, stands, refusals);
        wire!(self.socket.sweep <=> pool.sweep);
        wire!(self.socket.sweep <=> request_credits.sweep);
        wire!(self.socket.sweep <=> reply_credits.sweep);
        wire!(self.socket.sweep <=> door.sweep);
        wire!(self.socket.sweep <=> reader.sweep);
        wire!(self.socket.sweep <=> tables.sweep);
        self.counters.initialising.next = self.socket.sweep.active.val();
        self.counters.place.next = self.socket.sweep.place.val();

        // Registers.
        wire!(self.socket <=> registers: register);
        wire!(registers <=> intake, tables, event_writer, counters: access);
        wire!(registers <=> requester, door, control_door, replier, control: rank_write);
        wire!(registers => intake, door, control_door: present);
        wire!(registers => requester, messages: enabled);
        wire!(registers => requester, control: own_rank);
        wire!(registers => requester: user);
        self.registers.owners.next =
            self.tables.answer.val() | self.event_writer.answer.val() | self.counters.answer.val();
        self.registers.refusals.next = bits::<3>(0)
            .replace_bit(0, self.messages.drops.val())
            .replace_bit(1, self.messages.permission.val())
            .replace_bit(2, self.messages.operation.val());

        // Descriptors.
        wire!(self.socket.commands <=> split.s_axis);
        wire!(split.moves <=> intake.commands);
        wire!(split <=> commands: commands);

        // Moves become packets of requests.
        wire!(intake.m_axis <=> requester.s_axis);
        self.request_credits.asked.next = self.requester.rank.val();
        self.request_credits.take.next = self.requester.take_credit.val();
        self.request_credits.renew.next = false;
        self.request_credits.give.next = self.control_door.request_credit.val();
        self.request_credits.given.next = self.control_door.rank.val();
        self.requester.credit.next = self.request_credits.available.val();
        wire!(requester => pool: get);
        wire!(pool => requester: available, slot);
        self.pool.claim.next = self.requester.claim.enable.val();
        wire!(completer => pool: frees, freed);
        wire!(requester <=> door, control_door, control, replies: claim);
        wire!(requester <=> completer: keep);
        wire!(requester => completer: sent, sent_move);
        wire!(requester => replies: data);
        wire!(completer => requester: take_sent);
        wire!(requester.packet <=> packets.request);
        wire!(requester.header <=> packets.request_header);
        self.requester.leaves.next = self.packets.request_leaves.val();

        // Packets that are sent.
        wire!(self.socket => packets, control: node);
        wire!(replier.packet <=> packets.reply);
        wire!(replier.header <=> packets.reply_header);
        self.replier.leaves.next = self.packets.reply_leaves.val();
        wire!(packets <=> payload_reader: run);
        wire!(payload_reader.m_axis <=> packets.payload);
        self.payload_reader.memory.data.next = bit_cast::<32, W>(self.socket.memory_read.data.val());
        self.payload_reader.memory.data_valid.next = self.socket.memory_read.data_valid.val();
        self.payload_reader.memory.ready.next = self.socket.memory_read.ready.val();
        self.socket.memory_read.valid.next = self.payload_reader.memory.valid.val();
        self.socket.memory_read.address.next = self.payload_reader.memory.address.val();
        self.socket.data_out.tvalid.next = self.packets.m_axis.tvalid.val();
        self.socket.data_out.tlast.next = self.packets.m_axis.tlast.val();
        self.socket.data_out.tdata.next = bit_cast::<W, 32>(self.packets.m_axis.tdata.val());
        self.packets.m_axis.tready.next = self.socket.data_out.tready.val();

        // Packets that come.
        self.door.flits.valid.next = self.socket.data_in.valid.val();
        self.door.flits.first.next = self.socket.data_in.first.val();
        self.door.flits.last.next = self.socket.data_in.last.val();
        self.door.flits.data.next = bit_cast::<32, W>(self.socket.data_in.data.val());
        self.door.waiting_gets.next = self.pool.claimed.val().get_bits::<GET_SLOTS>(0);
        wire!(door => reader: write, write_address, write_data, arrives, arrived, kind, length);
        wire!(door <=> reader: arrival);
        wire!(reader => door: asked, length_room, frees, freed, freed_count);
        self.messages.packets.valid.next = self.reader.packets.valid.val();
        self.messages.packets.packet.next = self.reader.packets.packet.val();
        self.messages.packets.words.tvalid.next = self.reader.packets.words.tvalid.val();
        self.messages.packets.words.tdata.next = self.reader.packets.words.tdata.val();
        self.messages.packets.words.tlast.next = self.reader.packets.words.tlast.val();
        self.replies.packets.valid.next = self.reader.packets.valid.val() & self.messages.rests.val();
        self.replies.packets.packet.next = self.reader.packets.packet.val();
        self.replies.packets.words.tvalid.next = self.reader.packets.words.tvalid.val();
        self.replies.packets.words.tdata.next = self.reader.packets.words.tdata.val();
        self.replies.packets.words.tlast.next = self.reader.packets.words.tlast.val();
        self.reader.packets.take.next = self.messages.packets.take.val() | self.replies.packets.take.val();
        self.reader.packets.words.tready.next =
            self.messages.packets.words.tready.val() | self.replies.packets.words.tready.val();
        self.replies.slot.next =
            bit_cast::<SLOT_WIDTH, OWNER_WIDTH>(self.reader.packets.packet.val().owner - self.ranks.val());

        // Payload. The block whose packet is in hand writes: a reply waits for the packets of requests before it, and while it is in
        // hand none of those behind it is read. A block may still tell what has ended.
        self.payload_writer.run.valid.next = self.messages.run.valid.val() | self.replies.run.valid.val();
        self.payload_writer.run.address.next = self.messages.run.address.val();
        self.payload_writer.run.length.next = self.messages.run.length.val();
        self.payload_writer.s_axis.tvalid.next = self.messages.words.tvalid.val() | self.replies.words.tvalid.val();
        self.payload_writer.s_axis.tdata.next = self.messages.words.tdata.val();
        self.payload_writer.s_axis.tlast.next = self.messages.words.tlast.val();
        if self.replies.words.tvalid.val() {
            self.payload_writer.s_axis.tdata.next = self.replies.words.tdata.val();
            self.payload_writer.s_axis.tlast.next = self.replies.words.tlast.val();
        }
        if self.replies.run.valid.val() {
            self.payload_writer.run.address.next = self.replies.run.address.val();
            self.payload_writer.run.length.next = self.replies.run.length.val();
        }
        self.messages.run.ready.next = self.payload_writer.run.ready.val();
        self.replies.run.ready.next = self.payload_writer.run.ready.val();
        self.messages.words.tready.next = self.payload_writer.s_axis.tready.val();
        self.replies.words.tready.next = self.payload_writer.s_axis.tready.val();
        self.messages.next_address.next = self.payload_writer.next_address.val();
        self.messages.bytes_left.next = self.payload_writer.left.val();
        self.messages.written.next = self.payload_writer.idle.val();
        self.replies.next_address.next = self.payload_writer.next_address.val();
        self.replies.bytes_left.next = self.payload_writer.left.val();
        self.replies.written.next = self.payload_writer.idle.val();

        // Requests and commands at the target.
        self.messages.busy_lists.next = self.lists.busy.val() | self.socket.sweep.active.val();
        self.messages.command_wants.next = self.commands.wants.val();
        self.commands.goes.next = self.messages.command_goes.val();
        self.messages.command_ends.next = self.commands.ends.val();
        wire!(messages => lists: quiet);
        self.lists.turn.next = self.messages.command_goes.val();
        self.tables.turn.next = self.messages.command_goes.val();
        self.lists.delivered.next = self.tables.shown.header.val().delivered;
        self.lists.get.next = self.tables.shown.header.val().get;
        self.lists.header_index.next = self.finisher.header_index.val();
        self.finisher.header_word.next = self.lists.header_word.val();
        self.finisher.written.next = self.payload_writer.leaves.val();
        wire!(messages.list <=> lists.message);
        wire!(messages.search <=> lists.search);
        wire!(commands.list <=> lists.command);
        wire!(messages.tables <=> tables.message);
        wire!(commands.tables <=> tables.command);
        wire!(tables <=> messages, commands: shown);
        wire!(messages.context <=> finisher.write);
        self.messages.raising.next = self.finisher.busy.val();
        self.messages.raised.next = self.finisher.held.val();
        self.commands.raising.next = self.finisher.busy.val() | !self.finisher.settled.val();
        wire!(messages.finish <=> finish_share.source[0]);
        wire!(commands.finish <=> finish_share.source[1]);
        wire!(finish_share.chosen <=> finisher.finish);
        wire!(messages => replier: serve);
        self.replier.job.next = self.messages.get.val();
        self.messages.served.next = self.replier.served.val();
        self.messages.served_rank.next = self.replier.rank.val();
        self.replier.take_served.next = self.messages.take_served.val();
        wire!(messages => reader: ends, ended);
        self.reply_credits.asked.next = self.replier.rank.val();
        self.reply_credits.take.next = self.replier.take_credit.val();
        self.reply_credits.renew.next = self.replier.renew.val();
        self.reply_credits.give.next = self.control_door.reply_credit.val();
        self.reply_credits.given.next = self.control_door.rank.val();
        self.replier.credit.next = self.reply_credits.available.val();

        // Ends at the initiator.
        self.completer.replied.next = self.replies.replied.val();
        self.completer.reply_settled.next = self.replies.settled.val();
        self.completer.reply_slot.next = self.replies.held.val();
        self.completer.reply_outcome.next = self.replies.outcome.val();
        self.completer.reply_used.next = self.replies.used.val();
        self.replies.take_reply.next = self.completer.take_reply.val();
        self.completer.answered.next = self.control_door.answered.val();
        self.completer.answer_slot.next = self.control_door.slot.val();
        self.completer.answer_outcome.next = self.control_door.outcome.val();
        self.completer.answer_used.next = self.control_door.used.val();
        self.control_door.take.next = self.completer.take_answer.val();

        // Control plane.
        wire!(self.socket.control_in <=> control_door.flits);
        self.control_door.waiting.next = self.pool.claimed.val();
        self.control.request_credit.next = self.reader.frees.val() & self.reader.freed_rank.val();
        self.control.rank.next = self.reader.freed.val().get_bits::<RANK_WIDTH>(0);
        self.control.reply_credit.next = self.replies.credit.val();
        self.control.slot.next = self.replies.held.val();
        wire!(finisher <=> control: answer);
        wire!(self.socket.control_out <=> control.m_axis);

        // Events, counters, memory.
        wire!(finisher.job <=> event_share.raiser[0]);
        wire!(completer.job <=> event_share.raiser[1]);
        wire!(event_share <=> event_writer: job);
        wire!(finisher.count <=> count_arbiter.source[0]);
        wire!(completer.count <=> count_arbiter.source[1]);
        wire!(commands.count <=> count_arbiter.source[2]);
        wire!(count_arbiter.chosen <=> counters.change);
        wire!(payload_writer.memory <=> writes.writer[0]);
        wire!(event_writer.memory <=> writes.writer[1]);
        wire!(commands.memory <=> writes.writer[2]);
        self.writes.memory.ready.next = self.socket.memory_write.ready.val();
        self.socket.memory_write.valid.next = self.writes.memory.valid.val();
        self.socket.memory_write.address.next = self.writes.memory.address.val();
        self.socket.memory_write.data.next = bit_cast::<W, 32>(self.writes.memory.data.val());
        self.socket.memory_write.lanes.next = bit_cast::<B, 4>(self.writes.memory.lanes.val());
        wire!(event_writer.event <=> events.source[0]);
        wire!(counters.event <=> events.source[1]);
        wire!(completer.event <=> events.source[2]);
        wire!(commands.event <=> events.source[3]);
        wire!(intake.event <=> events.source[4]);
        wire!(self.socket.event <=> events.chosen);

        // Steps.
        self.steps.sends.next = self.requester.begins.val();
        self.steps.slot.next = self.pool.slot.val();
        self.steps.sent.next = self.completer.take_sent.val();
        self.steps.replied.next = self.completer.take_reply.val();
        self.steps.reply_slot.next = self.replies.held.val();
        self.steps.answered.next = self.completer.take_answer.val();
        self.steps.answer_slot.next = self.control_door.slot.val();
        wire!(messages => steps: matched);
        self.steps.ended.next = self.messages.over.val();
        self.steps.rank.next = self.messages.ended.val();
        wire!(commands => steps: advances, finishes);
        wire!(self <=> steps: log);

        // Counters of the node.
        self.runs.next = self.intake.waits.val()
            | self.requester.busy.val()
            | !self.reader.idle.val()
            | !self.messages.rests.val()
            | self.replier.busy.val()
            | self.finisher.busy.val()
            | !self.event_writer.job.settled.val()
            | self.completer.busy.val();
        self.stands.d.next = !self.socket.data_in.valid.val()
            & !self.socket.control_in.valid.val()
            & !self.packets.m_axis.tvalid.val()
            & !self.writes.memory.valid.val();
        self.socket.running.next = self.runs.val();
        self.socket.waiting.next = self.runs.val() & self.stands.q.val();
        self.refuses[0].d.next = self.door.refused.val();
        self.refuses[1].d.next = self.control_door.refused.val();
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
            self.refusals.d.next = 0.into();
        }
    }
}
