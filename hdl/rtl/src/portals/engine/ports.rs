//! Interfaces between the parts of the engine, and widths that they share.

use portico_spec::{
    flit::NODE_WIDTH,
    ni::{event::EVENT_WIDTH, registers::PORTALS_FIELD_WIDTH},
    portals::engine::{
        ACK_WIDTH, FAILURE_WIDTH, LENGTH_WIDTH, MD_OPTIONS_WIDTH, NUMBER_WIDTH, PORTAL_WIDTH, QUEUE_WIDTH, RANK_WIDTH,
        ROOM_WORDS, SLOT_WIDTH,
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
/// Width of the number of a row of the tables, in bits.
pub const ITEM_WIDTH: usize = 8;
/// Width of the place of a word in an event, in bits.
pub const EVENT_INDEX_WIDTH: usize = 4;
/// Width of an address in the scratchpad, in words.
pub const ADDRESS_WIDTH: usize = LENGTH_WIDTH - 2;
/// Width of a place in a word, in bytes.
pub const BYTE_WIDTH: usize = 2;

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
    /// High for one cycle: the event is written, or dropped.
    pub done: Signal<In, Bit>,
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

/// What is asked of a memory descriptor: options, counter and event queue.
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

/// What became of a request at its target: the fields of a STATUS word.
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
