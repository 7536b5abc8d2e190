//! Interfaces between the parts of the engine, and widths that they share.

use crate::prim::StreamOut;
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::{event::EVENT_WIDTH, registers::PORTALS_FIELD_WIDTH},
    portals::{
        engine::{
            ACK_WIDTH, FAILURE_WIDTH, GET_SLOTS, KIND_WIDTH, LENGTH_WIDTH, MD_OPTIONS_WIDTH, NUMBER_WIDTH,
            OPERATION_WIDTH, PORTAL_WIDTH, QUEUE_WIDTH, RANK_WIDTH, ROOM_WORDS, SLOT_WIDTH, USER_WIDTH,
        },
        list::{ENTRIES, GENERATION_WIDTH, OPTIONS_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// Width of an owner of rooms, in bits: a rank, or a slot of gets behind all ranks.
pub const OWNER_WIDTH: usize = RANK_WIDTH + 1;
/// Width of the number of a room, in bits: the owner above which of its two rooms.
pub const ROOM_WIDTH: usize = OWNER_WIDTH + 1;
/// Width of the place of a word in a room, in bits.
pub const INDEX_WIDTH: usize = ROOM_WORDS.ilog2() as usize;
/// Width of a number of words of a room, in bits.
pub const WORDS_WIDTH: usize = INDEX_WIDTH + 1;
/// Width of the number of a slot of gets, in bits.
pub const GET_SLOT_WIDTH: usize = GET_SLOTS.ilog2() as usize;
/// Width of the number of a row of the tables, in bits.
pub const ITEM_WIDTH: usize = 8;
/// Width of the place of a word in an event, in bits.
pub const EVENT_INDEX_WIDTH: usize = 4;
/// Width of an address in the scratchpad, in words.
pub const ADDRESS_WIDTH: usize = LENGTH_WIDTH - 2;
/// Width of a place in a word, in bytes.
pub const BYTE_WIDTH: usize = 2;
/// Width of the place of an entry, in bits: as many as the largest list has.
pub const PLACE_WIDTH: usize = ENTRIES.1.ilog2() as usize;
/// Width of a number of entries, in bits.
pub const ENTRIES_WIDTH: usize = PLACE_WIDTH + 1;
/// Width of a number of messages in progress, in bits: one of each rank.
pub const MESSAGES_WIDTH: usize = RANK_WIDTH + 1;
/// Width of the least room of an entry, in bits. Larger values are cut to the largest: they exceed every memory.
pub const MIN_FREE_WIDTH: usize = LENGTH_WIDTH - 1;
/// Width of the place of a message's event words, in bits: the rank above a bit that changes with each message of the rank.
pub const CONTEXT_WIDTH: usize = RANK_WIDTH + 1;

/// An access to a register of the engine's tables, as the registers give it to the owners of rows. Item and data stay until the
/// next access, at least 6 cycles later.
#[interface(mirror = TableAccessIn)]
pub struct TableAccessOut {
    /// High for one cycle: the register is written.
    pub write: Signal<Out, Bit>,
    /// High for one cycle: the register is read; its owner has the answer 3 cycles later, until the next access.
    pub read: Signal<Out, Bit>,
    /// Number of the register in its row.
    pub number: Signal<Out, Bits<PORTALS_FIELD_WIDTH>>,
    /// The row.
    pub item: Signal<Out, Bits<ITEM_WIDTH>>,
    /// Word for the register.
    pub data: Signal<Out, Bits<32>>,
}

/// A row of the rank map is written. Each block that looks ranks up has its own copy in LUT-RAM.
#[interface(mirror = RankWriteIn)]
pub struct RankWriteOut {
    /// High for one cycle: a row is written.
    pub enable: Signal<Out, Bit>,
    /// The rank.
    pub rank: Signal<Out, Bits<RANK_WIDTH>>,
    /// Its node: x in the low bits, y above.
    pub node: Signal<Out, Bits<NODE_WIDTH>>,
}

/// An event for a queue, as the block that raises it gives it. It stays until `done`.
#[interface(mirror = EventJobIn)]
pub struct EventJobOut {
    /// There is an event.
    pub valid: Signal<Out, Bit>,
    /// The queue.
    pub queue: Signal<Out, Bits<QUEUE_WIDTH>>,
    /// Place of a word that is asked for.
    pub index: Signal<In, Bits<EVENT_INDEX_WIDTH>>,
    /// The word whose place `index` was two cycles ago; of word 0 without phase and `dropped`.
    pub word: Signal<Out, Bits<32>>,
    /// High for one cycle: all words have come, or the event is dropped.
    pub done: Signal<In, Bit>,
    /// The scratchpad has all words of the events that are done, and their events of the tile have counted.
    pub settled: Signal<In, Bit>,
}

/// The place of an event in its ring, with the event of the tile that counts when it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct RingPlace {
    /// Address of its word 1, in words.
    pub address: Bits<ADDRESS_WIDTH>,
    /// An event of the tile counts.
    pub tells: Bit,
    /// That event.
    pub number: Bits<EVENT_WIDTH>,
}

/// Flags of an event, for its word 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct RingFlags {
    /// 1 in the first lap of its ring, 0 in the second, and so on.
    pub phase: Bit,
    /// Events of its queue were dropped just before it.
    pub dropped: Bit,
}

/// A change of a counter, as the block that counts gives it. It stays until it is taken.
#[interface(mirror = CountIn)]
pub struct CountOut {
    /// There is a change.
    pub valid: Signal<Out, Bit>,
    /// The counter.
    pub counter: Signal<Out, Bits<NUMBER_WIDTH>>,
    /// Both counts get the values; else the values are added.
    pub sets: Signal<Out, Bit>,
    /// Successes.
    pub success: Signal<Out, Bits<32>>,
    /// Failures.
    pub failure: Signal<Out, Bits<32>>,
    /// The change is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
}

/// A run of bytes of the scratchpad, as the block that wants it moved gives it.
#[interface(mirror = BytesIn)]
pub struct BytesOut {
    /// A run is offered; the offer stays until it is taken.
    pub valid: Signal<Out, Bit>,
    /// Address of the first byte.
    pub address: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// Bytes; may be 0.
    pub length: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// The run is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
}

/// Options, counter and event queue of a memory descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Report {
    /// Option bits.
    pub options: Bits<MD_OPTIONS_WIDTH>,
    /// Its counter.
    pub counter: Bits<NUMBER_WIDTH>,
    /// There is a counter.
    pub counts: Bit,
    /// Its event queue.
    pub queue: Bits<QUEUE_WIDTH>,
    /// There is an event queue.
    pub queues: Bit,
}

/// Outcome of a request at its target: the fields of a STATUS word.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Outcome {
    /// Delivered length, in bytes.
    pub delivered: Bits<LENGTH_WIDTH>,
    /// How it ended.
    pub failure: Bits<FAILURE_WIDTH>,
    /// The entry was in the Overflow list.
    pub overflow: Bit,
    /// The initiator raises nothing.
    pub silent: Bit,
}

/// The packet that is coming into its room.
#[interface(mirror = ArrivalIn)]
pub struct ArrivalOut {
    /// A packet is coming in: its tail has not come.
    pub valid: Signal<Out, Bit>,
    /// Its room.
    pub room: Signal<Out, Bits<ROOM_WIDTH>>,
    /// Words of it that can be read.
    pub words: Signal<Out, Bits<WORDS_WIDTH>>,
}

/// A slot is claimed for a request.
#[interface(mirror = SlotClaimIn)]
pub struct SlotClaimOut {
    /// High for one cycle: the slot is claimed.
    pub enable: Signal<Out, Bit>,
    /// The slot.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// The request is a get.
    pub get: Signal<Out, Bit>,
    /// Node from which the answer comes.
    pub node: Signal<Out, Bits<NODE_WIDTH>>,
}

/// The row of a request, for its answer.
#[interface(mirror = SlotKeepIn)]
pub struct SlotKeepOut {
    /// High for one cycle: `row` is kept.
    pub enable: Signal<Out, Bit>,
    /// Slot of the request.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// The row.
    pub row: Signal<Out, SlotRow>,
}

/// A packet in a room, as the reader of rooms tells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Packet {
    /// A rank, or a slot of gets behind all ranks.
    pub owner: Bits<OWNER_WIDTH>,
    /// It is the first of its message.
    pub first: Bit,
    /// It is the last of its message.
    pub last: Bit,
    /// It is of a reply.
    pub reply: Bit,
}

/// Packets in rooms, one after the other, with their words, as the reader of rooms gives them.
#[interface(mirror = PacketsIn)]
pub struct PacketsOut {
    /// There is a packet.
    pub valid: Signal<Out, Bit>,
    /// The packet; valid with `valid`.
    pub packet: Signal<Out, Packet>,
    /// High for one cycle: all words of the packet are taken; the next packet shows.
    pub take: Signal<In, Bit>,
    /// Words of the packet; `tlast` with its last one.
    pub words: StreamOut<32>,
}

/// An answer to a request, as the target gives it.
#[interface(mirror = AnswerIn)]
pub struct AnswerOut {
    /// There is an answer; the offer stays until it is taken.
    pub valid: Signal<Out, Bit>,
    /// Rank of the initiator.
    pub rank: Signal<Out, Bits<RANK_WIDTH>>,
    /// Slot of the initiator.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// Outcome of the request.
    pub outcome: Signal<Out, Outcome>,
    /// The offset used is told.
    pub full: Signal<Out, Bit>,
    /// Offset used, in bytes.
    pub used: Signal<Out, Bits<32>>,
    /// The answer is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
}

/// A packet for the data plane, as a sender gives it. Its header words follow on a stream.
#[interface(mirror = PacketJobIn)]
pub struct PacketJobOut {
    /// A packet is offered; the offer stays until it is taken.
    pub valid: Signal<Out, Bit>,
    /// Node to which it goes.
    pub node: Signal<Out, Bits<NODE_WIDTH>>,
    /// Rank of the sender, or slot of the get.
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    /// It is the first of its message: it has header words.
    pub first: Signal<Out, Bit>,
    /// It is the last of its message.
    pub last: Signal<Out, Bit>,
    /// Address of its payload in the scratchpad, in bytes.
    pub address: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// Bytes of its payload.
    pub length: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// The packet is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
}

/// A get that is to be served.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct GetJob {
    /// Rank of the initiator.
    pub rank: Bits<RANK_WIDTH>,
    /// Slot of the initiator.
    pub slot: Bits<SLOT_WIDTH>,
    /// Address of the data, in bytes.
    pub address: Bits<LENGTH_WIDTH>,
    /// Outcome in the first packet.
    pub outcome: Outcome,
    /// Offset used, in bytes.
    pub used: Bits<32>,
}

/// A request of which the last packet is on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct SentMove {
    /// Event of the descriptor.
    pub event: Bits<EVENT_WIDTH>,
    /// Success leaves that event alone.
    pub quiet: Bit,
    /// It is a put.
    pub put: Bit,
    /// Options, counter and event queue of its memory descriptor.
    pub report: Report,
    /// Requested length, in bytes.
    pub requested: Bits<LENGTH_WIDTH>,
    /// The user's pointer.
    pub pointer: Bits<32>,
}

/// A request that waits for its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct SlotRow {
    /// It is a get.
    pub get: Bit,
    /// Which acknowledgement it wants.
    pub ack: Bits<ACK_WIDTH>,
    /// Options, counter and event queue of its memory descriptor.
    pub report: Report,
    /// The user's pointer.
    pub pointer: Bits<32>,
}

/// A row of the portal indices, as software writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct PortalRow {
    /// Entries and messages may come.
    pub allocated: Bit,
    /// It takes messages.
    pub enabled: Bit,
    /// Event queue of its entries.
    pub queue: Bits<QUEUE_WIDTH>,
    /// There is an event queue.
    pub queues: Bit,
}

/// Entries and messages of a portal index.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct PortalCounts {
    /// Entries, with those that have left their list and wait for messages.
    pub entries: Bits<ENTRIES_WIDTH>,
    /// Messages in progress that met an entry.
    pub messages: Bits<MESSAGES_WIDTH>,
}

/// Fields of an entry beside those in its list.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct EntryRow {
    /// The user's pointer.
    pub pointer: Bits<32>,
    /// Its counter.
    pub counter: Bits<NUMBER_WIDTH>,
    /// There is a counter.
    pub counts: Bit,
    /// It leaves its list when fewer bytes are left; 0 for never.
    pub min_free: Bits<MIN_FREE_WIDTH>,
    /// Messages in progress.
    pub messages: Bits<MESSAGES_WIDTH>,
    /// Headers in Unexpected that it took.
    pub headers: Bits<ENTRIES_WIDTH>,
    /// Generation of its place.
    pub generation: Bits<GENERATION_WIDTH>,
    /// It has left its list.
    pub detached: Bit,
    /// Its messages raise nothing at the initiator.
    pub ack_disable: Bit,
    /// No AUTO_UNLINK and no AUTO_FREE.
    pub unlink_disable: Bit,
    /// No events of messages.
    pub comm_disable: Bit,
    /// No events of success.
    pub success_disable: Bit,
    /// Its counter counts messages.
    pub ct_comm: Bit,
    /// Its counter counts bytes.
    pub ct_bytes: Bit,
}

/// Fields of a header beside those in its list.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct HeaderRow {
    /// Place of the entry that took it.
    pub owner: Bits<PLACE_WIDTH>,
    /// Delivered length, in bytes.
    pub delivered: Bits<LENGTH_WIDTH>,
    /// It is of a get.
    pub get: Bit,
    /// Its message is complete.
    pub here: Bit,
}

/// Accesses to the tables of the target, as one of their users makes them.
#[interface(mirror = TablesIn)]
pub struct TablesOut {
    /// Reads the row and the counts of `portal`: they show two cycles later, until the next read.
    pub portal_read: Signal<Out, Bit>,
    /// The portal index that is read or written.
    pub portal: Signal<Out, Bits<PORTAL_WIDTH>>,
    /// Writes the row of `portal`.
    pub row_write: Signal<Out, Bit>,
    /// That row.
    pub row: Signal<Out, PortalRow>,
    /// Writes the counts of `portal`.
    pub counts_write: Signal<Out, Bit>,
    /// Those counts.
    pub counts: Signal<Out, PortalCounts>,
    /// Reads the row of the entry at `place`: it shows two cycles later, until the next read.
    pub entry_read: Signal<Out, Bit>,
    /// The place that is read or written.
    pub place: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Writes the row of the entry at `place`.
    pub entry_write: Signal<Out, Bit>,
    /// That row.
    pub entry: Signal<Out, EntryRow>,
    /// Reads the row of the header at `place`: it shows two cycles later, until the next read.
    pub header_read: Signal<Out, Bit>,
    /// Writes the row of the header at `place`.
    pub header_write: Signal<Out, Bit>,
    /// That row.
    pub header: Signal<Out, HeaderRow>,
}

/// A request, as its header tells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Request {
    /// Its operation.
    pub operation: Bits<OPERATION_WIDTH>,
    /// Which acknowledgement it wants.
    pub ack: Bits<ACK_WIDTH>,
    /// Portal index.
    pub portal: Bits<PORTAL_WIDTH>,
    /// Slot of the initiator.
    pub slot: Bits<SLOT_WIDTH>,
    /// Requested length, in bytes.
    pub length: Bits<LENGTH_WIDTH>,
    /// User of the initiator.
    pub user: Bits<USER_WIDTH>,
    /// Requested offset, in bytes.
    pub offset: Bits<32>,
}

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
    /// Its header is in Unexpected.
    pub unexpected: Bit,
    /// Place of that header.
    pub header: Bits<PLACE_WIDTH>,
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

/// What the begin of a message changes at its entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct EntryChange {
    /// The header of the message goes to Unexpected.
    pub keeps: Bit,
    /// The message is complete with its first packet, and does not count as in progress.
    pub completes: Bit,
    /// The entry leaves its list.
    pub unlinks: Bit,
    /// It leaves its list, and all its messages are complete.
    pub finishes: Bit,
    /// Its place is free: it has no header either.
    pub frees: Bit,
}

/// Rows that the tables of the target show.
#[interface(mirror = ShownOut)]
pub struct ShownIn {
    /// Row of the portal index that was read.
    pub row: Signal<In, PortalRow>,
    /// Its counts.
    pub counts: Signal<In, PortalCounts>,
    /// Row of the entry that was read.
    pub entry: Signal<In, EntryRow>,
    /// Row of the header that was read.
    pub header: Signal<In, HeaderRow>,
}

/// An entry or header that the lists show.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct ListEntry {
    /// Its place.
    pub place: Bits<PLACE_WIDTH>,
    /// Generation of the place.
    pub generation: Bits<GENERATION_WIDTH>,
    /// It is in Overflow.
    pub overflow: Bit,
    /// Its options.
    pub options: Bits<OPTIONS_WIDTH>,
    /// Its length, in bytes.
    pub length: Bits<32>,
    /// Its offset, in bytes.
    pub offset: Bits<32>,
    /// Its start and user.
    pub pointer: Bits<32>,
    /// Its portal index.
    pub portal: Bits<PORTAL_WIDTH>,
}

/// A request to the lists, as one of their users makes it.
#[interface(mirror = ListJobIn)]
pub struct ListJobOut {
    /// A word goes to a field of the request.
    pub write: Signal<Out, Bit>,
    /// Which field; valid with `write`.
    pub field: Signal<Out, ListField>,
    /// The word; valid with `write`.
    pub word: Signal<Out, Bits<32>>,
    /// The request is to be carried out; stays until `done`.
    pub valid: Signal<Out, Bit>,
    /// The operation; valid with `valid`.
    pub operation: Signal<Out, ListOperation>,
    /// A resolution: the hit gets the offset in the field `NewOffset`.
    pub advances: Signal<Out, Bit>,
    /// A resolution: the hit leaves its list, and keeps its place.
    pub detaches: Signal<Out, Bit>,
    /// A resolution: the hit leaves its list and its place.
    pub removes: Signal<Out, Bit>,
    /// A resolution: the fields of the request are a header for Unexpected. `place` is its own when the request is over.
    pub leaves_header: Signal<Out, Bit>,
    /// The lists wait with the next header of a probe.
    pub pauses: Signal<Out, Bit>,
    /// No place is free.
    pub full: Signal<In, Bit>,
    /// High for one cycle: the request is over.
    pub done: Signal<In, Bit>,
    /// High for one cycle: there is an answer.
    pub answered: Signal<In, Bit>,
    /// The answer is an entry or header that was searched for, which shows in the next cycle.
    pub hit: Signal<In, Bit>,
    /// The answer is an error: no match, no free place, or a wrong handle.
    pub failed: Signal<In, Bit>,
    /// That entry or header, from the cycle after the answer on.
    pub shown: Signal<In, ListEntry>,
}

/// The fields of a search for a message.
#[interface(mirror = ListSearchIn)]
pub struct ListSearchOut {
    /// High for a cycle: all fields are there, and `data` as far as they have come.
    pub load: Signal<Out, Bit>,
    /// High for a cycle: `data` are there.
    pub load_data: Signal<Out, Bit>,
    /// Rank of the initiator.
    pub rank: Signal<Out, Bits<RANK_WIDTH>>,
    /// Portal index.
    pub portal: Signal<Out, Bits<PORTAL_WIDTH>>,
    /// Requested length, in bytes.
    pub length: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// Requested offset, in bytes.
    pub offset: Signal<Out, Bits<32>>,
    /// Match bits.
    pub match_bits: Signal<Out, Bits<64>>,
    /// Header data: a message needs no ignore bits, and its header keeps them there.
    pub data: Signal<Out, Bits<64>>,
}

/// A field of a request to the lists.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ListField {
    /// Source with the portal index in the low half, options above.
    Source,
    /// Start and user.
    Pointer,
    Length,
    Offset,
    MatchLow,
    MatchHigh,
    IgnoreLow,
    IgnoreHigh,
    /// The offset that a resolution gives.
    NewOffset,
    Handle,
}

/// Operations of the lists.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ListOperation {
    /// Finds the entry that a message matches, and holds it.
    Search,
    /// Says what becomes of the hit.
    Resolve,
    /// Finds the first header that an entry matches, and holds it; if there is none, the entry comes to Priority.
    AppendPriority,
    /// An entry comes to Overflow.
    AppendOverflow,
    /// Shows the entry of a handle.
    Show,
    /// The entry of a handle leaves.
    Delete,
    /// The place of a detached entry is free.
    Release,
    /// Finds the first header that an entry matches, and holds it.
    Consume,
    /// Finds the headers that an entry matches: with USE_ONCE the first, else one after the other.
    Probe,
}

/// Event, counts and answer that the end of a message or a command raises.
#[interface(mirror = FinishIn)]
pub struct FinishOut {
    /// There is something to raise; stays until it is taken.
    pub valid: Signal<Out, Bit>,
    /// Rank and parity of the message: where the words of its event are.
    pub context: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// Portal index.
    pub portal: Signal<Out, Bits<PORTAL_WIDTH>>,
    /// Event queue of the portal index.
    pub queue: Signal<Out, Bits<QUEUE_WIDTH>>,
    /// The entry is or was in Overflow.
    pub overflow: Signal<Out, Bit>,
    /// The user's pointer of the entry.
    pub pointer: Signal<Out, Bits<32>>,
    /// An event `kind` is raised.
    pub raises: Signal<Out, Bit>,
    /// Its kind.
    pub kind: Signal<Out, Bits<KIND_WIDTH>>,
    /// Its words are those of the header that the lists show; else those of the message, or none.
    pub header: Signal<Out, Bit>,
    /// The counter counts.
    pub counts: Signal<Out, Bit>,
    /// Which counter.
    pub counter: Signal<Out, Bits<NUMBER_WIDTH>>,
    /// By how much.
    pub amount: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// AUTO_UNLINK is raised.
    pub unlinks: Signal<Out, Bit>,
    /// AUTO_FREE is raised behind it.
    pub frees: Signal<Out, Bit>,
    /// An answer is sent.
    pub answers: Signal<Out, Bit>,
    /// Slot of the initiator.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// The answer.
    pub outcome: Signal<Out, Outcome>,
    /// The answer tells the offset used.
    pub full: Signal<Out, Bit>,
    /// Offset used, in bytes.
    pub used: Signal<Out, Bits<32>>,
    /// It is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
}

/// A word of an event of a message, written as it is known.
#[interface(mirror = ContextWriteIn)]
pub struct ContextWriteOut {
    /// High for one cycle: a word is written.
    pub enable: Signal<Out, Bit>,
    /// Rank and parity of the message.
    pub context: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// Place of the word in the event.
    pub index: Signal<Out, Bits<EVENT_INDEX_WIDTH>>,
    /// The word.
    pub word: Signal<Out, Bits<32>>,
}

/// Steps of the engine, each high for one cycle.
#[interface]
pub struct StepLogOut {
    /// A move begins to leave.
    pub sends: Signal<Out, Bit>,
    /// Slot of that move; without meaning for one that nothing answers.
    pub sends_slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// The data of the oldest move that leaves have left.
    pub sent: Signal<Out, Bit>,
    /// The answer of a move has come.
    pub answered: Signal<Out, Bit>,
    /// Slot of that move; valid with `answered`.
    pub answered_slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// A message has met its entry, or has failed.
    pub matched: Signal<Out, Bit>,
    /// A message is over here.
    pub ended: Signal<Out, Bit>,
    /// Rank that has sent the message; valid with `matched` and `ended`.
    pub rank: Signal<Out, Bits<RANK_WIDTH>>,
    /// A command has consumed a header, or disabled a portal index, and is not over.
    pub advances: Signal<Out, Bit>,
    /// A command is over: done, or refused.
    pub finishes: Signal<Out, Bit>,
}
