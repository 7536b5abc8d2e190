//! Portals traffic of all ranks at once.
//!
//! Each initiator has a zone of memory at each of its targets, and entries whose match bits name it. All messages of a pair meet
//! these entries in their order, so the outcome does not depend on other ranks. Entries have a generation in their match bits:
//! those of the next round are appended, and what is left of the round before is unlinked, while messages go to those of this
//! round. A first entry of each pair takes messages of all rounds.
//!
//! Three things depend on who comes first, and are compared as sets and sums:
//!
//! - entries for all ranks, each for so many messages of 8 bytes: how many messages are taken is known, and which entries stay;
//!   what an event says must lie in memory;
//! - a portal index that is enabled and disabled while messages come: each is taken and counted, or told as a failure;
//! - rings that are full: events of a class come in their order, and as many are missing as the ring has dropped.
//!
//! Unexpected messages have a portal index of their own, whose entries are in Overflow. The headers that messages of a round leave
//! are searched for, consumed by entries, and at last deleted in the next round, before the entries that took the messages are
//! unlinked.
//!
//! In some rounds a tile fills its lists to the last place: then no message to it makes an entry leave, or leaves a header.
//!
//! A round ends with a put and a get of each pair that are answered, so nothing of the pair is under way then. When the soak is
//! over, credits of rooms, places of lists and slots are counted: slots by the log of steps, if the fabric has one.

use self::{
    entries::{Entry, Step},
    ring::Ring,
};
use std::collections::{BTreeSet, VecDeque};

mod check;
mod ends;
mod entries;
mod headers;
mod last;
mod model;
mod moves;
mod ring;
mod shapes;
mod site;
#[cfg(test)]
mod tests;
mod wrong;

pub use self::{
    last::FENCE_WORDS,
    site::{PortalsChoices, PortalsSite},
};

/// Portal indices: with entries of pairs; of unexpected messages; with entries for all ranks; one of the other interface that is enabled and disabled;
/// one that is never enabled; one that is not allocated.
const MAIN: u8 = 5;
const UNEXPECTED: u8 = 20;
const OPEN: u8 = 63;
const SWITCHED: u8 = 64 + 9;
const CLOSED: u8 = 0;
const ABSENT: u8 = 33;

/// Counters that entries, memory descriptors and commands share; that which commands also set; that of the last messages of a
/// round. All these count exactly.
const SHARED_COUNTERS: u8 = 4;
const SET_COUNTER: u8 = 4;
const FLUSH_COUNTER: u8 = 5;
const COUNTERS: usize = 6;
/// Counter of what entries take on [`OPEN`] and [`SWITCHED`], and counters of answers to messages there: one for each target.
const TAKEN_COUNTER: u8 = 6;
const OPEN_COUNTERS: u8 = 8;
/// Counters that are read.
const ALL_COUNTERS: usize = 12;

/// Memory descriptors with random options: for puts, and behind them for gets.
const DESCRIPTORS_OF_KIND: u8 = 4;
/// Of messages to [`OPEN`] and [`SWITCHED`], one for each target.
const OPEN_DESCRIPTORS: u8 = 8;
const FLUSH_DESCRIPTOR: u8 = 16;
/// One of which [`SHORT_LENGTH`] bytes lie in memory, and one that is not bound.
const SHORT_DESCRIPTOR: u8 = 17;
const SHORT_LENGTH: u32 = 8;
const UNBOUND_DESCRIPTOR: u8 = 20;

/// Bytes of a message to [`OPEN`].
const OPEN_LENGTH: u32 = 8;
/// Chance that a tile fills its lists in a round.
const FILLED: f64 = 0.2;

/// Match bits: kind of entry 7:0, rank of the initiator 15:8, generation 31:16; those above are random.
const KIND_WIDTH: usize = 8;
const GENERATION_OFFSET: usize = 16;
const RANDOM_OFFSET: usize = 32;
/// Kinds: the entry of all rounds, those of one round, those for all ranks, one that no entry has, and one that no message has.
const HOME: u64 = 0;
const KINDS: std::ops::RangeInclusive<u64> = 1..=3;
const OF_ALL: u64 = 4;
const NOBODY: u64 = 9;
const FILLER: u64 = 16;

fn match_bits(kind: u64, rank: usize, generation: u16) -> u64 {
    kind | (rank as u64) << KIND_WIDTH | u64::from(generation) << GENERATION_OFFSET
}

/// A tile with a rank.
#[derive(Default)]
pub struct RankState {
    rings: Vec<Ring>,
    entries: Vec<Entry>,
    /// What it does with lists and counters in this round, and what messages end the round.
    steps: VecDeque<Step>,
    ends: VecDeque<Step>,
    /// In this round it fills its lists.
    is_filled: bool,
    /// Headers for which there is a place in this round.
    headers: usize,
    /// Pairs whose messages of this round have left headers, or may have.
    unexpected: BTreeSet<usize>,
    /// Starts of the memory descriptors with random options.
    starts: Vec<u32>,
    /// Messages to entries for all ranks, with header data and bytes.
    open: Vec<(u64, [u8; OPEN_LENGTH as usize])>,
    /// Words of handles on the device, before this round.
    handles: Vec<u32>,
    /// Number of the last entry or move.
    number: u32,
    user: u16,
}

/// All ranks.
#[derive(Default)]
pub struct Portals {
    ranks: Vec<RankState>,
    generation: u16,
}
