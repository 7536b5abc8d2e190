//! Interfaces inside the list manager.

use portico_spec::portals::list::{
    List, CODE_WIDTH, COUNTER_WIDTH, GENERATION_WIDTH, HANDLE_WIDTH, LENGTH_WIDTH, LIST_WIDTH, OCCUPANCY_WIDTH,
    OPTIONS_WIDTH, POINTER_WIDTH, SOURCE_WIDTH,
};
use portico_verilog::prelude::*;

/// Width of the number of a list that exists, in bits.
pub(crate) const LIST_BITS: usize = 2;
/// In place of a list's number: the entry is detached. All its bits are set.
pub(crate) const NO_LIST: u64 = List::All as u64;
/// Width of match and ignore bits, and of a beat.
pub(crate) const WORD: usize = 64;

/// First and last entry of a chain, as the block that knows them sees it.
#[interface(mirror = EndsIn)]
pub struct EndsOut<const A: usize> {
    /// The chain has an entry.
    pub nonempty: Signal<Out, Bit>,
    /// First entry of the chain, if there is one.
    pub head: Signal<Out, Bits<A>>,
    /// Last entry of the chain, if there is one.
    pub tail: Signal<Out, Bits<A>>,
}

/// Beats of a command, as the block that holds them gives them. Beats that the command does not have are undefined.
#[interface(mirror = BeatsIn)]
pub struct BeatsOut {
    /// Beat 0: opcode, list, then source and options, or a handle.
    pub first: Signal<Out, Bits<WORD>>,
    /// Beat 1: match bits; of set_offset an extent, of which the offset counts.
    pub match_bits: Signal<Out, Bits<WORD>>,
    /// Beat 2: length below offset, in bytes.
    pub extent: Signal<Out, Bits<WORD>>,
    /// Beat 3: match bits that do not count.
    pub ignore_bits: Signal<Out, Bits<WORD>>,
    /// Beat 4: the pointer, which is kept as it is.
    pub pointer: Signal<Out, Bits<POINTER_WIDTH>>,
}

/// A decoded command, as the decoder gives it. One of the kinds is high, or `refused`.
#[interface(mirror = PlanIn)]
pub struct PlanOut {
    /// A wrong command.
    pub refused: Signal<Out, Bit>,
    /// The error.
    pub refusal: Signal<Out, Bits<CODE_WIDTH>>,
    /// Kind: an entry for the tail of a list.
    pub appends: Signal<Out, Bit>,
    /// Kind: the entry of a handle.
    pub takes_handle: Signal<Out, Bit>,
    /// Kind: the counters.
    pub status: Signal<Out, Bit>,
    /// Search: an entry among headers, not a header among entries.
    pub mirrored: Signal<Out, Bit>,
    /// Search: every match, not the first.
    pub all_matches: Signal<Out, Bit>,
    /// Search: Overflow after Priority.
    pub both: Signal<Out, Bit>,
    /// Search: appends what finds nothing (or all of that).
    pub then_appends: Signal<Out, Bit>,
    /// Search: a hit in Overflow leaves a header.
    pub delivers: Signal<Out, Bit>,
    /// The entry that is found, is held or has the handle leaves its list or, if it is detached, its place.
    pub removes: Signal<Out, Bit>,
    /// The entry of the handle, or the hit that is resolved, gets another offset.
    pub sets_offset: Signal<Out, Bit>,
    /// Search: the first hit is held.
    pub holds: Signal<Out, Bit>,
    /// Kind: the hit that is held.
    pub resolves: Signal<Out, Bit>,
    /// Resolution: the hit leaves its list, and keeps its place.
    pub detaches: Signal<Out, Bit>,
    /// Resolution: the header of the command comes to the Unexpected list.
    pub leaves_header: Signal<Out, Bit>,
    /// Handle: that of a detached entry, whose place becomes free.
    pub releases: Signal<Out, Bit>,
}

/// How a search ends, or pauses.
#[interface(mirror = FindingIn)]
pub struct FindingOut {
    /// An entry is found; it is being read.
    pub found: Signal<Out, Bit>,
    /// It is in Overflow; stays until the search goes on.
    pub in_overflow: Signal<Out, Bit>,
    /// There is no entry that matches, or no other.
    pub missed: Signal<Out, Bit>,
}

/// An edit of the chains and of their entries, as the block that edits sees it: one read, one look and one change a cycle.
#[interface(mirror = AccessIn)]
pub struct AccessOut<const A: usize> {
    /// Reads the entry at `at`.
    pub read: Signal<Out, Bit>,
    /// Entry to read.
    pub at: Signal<Out, Bits<A>>,
    /// Turns to a list's chain, and to that of its source or, if `wild`, of its entries with ANY.
    pub look: Signal<Out, Bit>,
    /// List whose chains are looked at.
    pub list: Signal<Out, Bits<LIST_BITS>>,
    /// Source whose chain is looked at, with hashing; its low bits number the bucket.
    pub source: Signal<Out, Bits<SOURCE_WIDTH>>,
    /// The chain of the entries with ANY is looked at in place of that of `source`.
    pub wild: Signal<Out, Bit>,
    /// The entry that is changed.
    pub index: Signal<Out, Bits<A>>,
    /// The entry `index` comes to both chains that were looked at.
    pub insert: Signal<Out, Bit>,
    /// The entry `index` leaves both chains that were looked at.
    pub remove: Signal<Out, Bit>,
    /// The place of the entry `index` becomes free, one cycle after `remove`.
    pub frees: Signal<Out, Bit>,
}

/// The stored fields of an entry, in words as in commands and results.
#[interface(mirror = RecordIn)]
pub struct RecordOut {
    /// Match bits; of a header, the incoming ones.
    pub match_bits: Signal<Out, Bits<WORD>>,
    /// Offset and length.
    pub extent: Signal<Out, Bits<WORD>>,
    /// Match bits that do not count.
    pub ignore_bits: Signal<Out, Bits<WORD>>,
    /// Options, source and pointer.
    pub detail: Signal<Out, Bits<WORD>>,
}

/// One side of a match: an entry, or a header.
#[interface(mirror = SideIn)]
pub struct SideOut {
    /// Rank of the source.
    pub source: Signal<Out, Bits<SOURCE_WIDTH>>,
    /// Option bits; a match uses only those of the entry.
    pub options: Signal<Out, Bits<OPTIONS_WIDTH>>,
    /// Match bits; of a header, the incoming ones.
    pub match_bits: Signal<Out, Bits<WORD>>,
    /// Match bits that do not count; a match uses only those of the entry.
    pub ignore_bits: Signal<Out, Bits<WORD>>,
    /// Length in bytes; of a header, the length requested.
    pub length: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// Offset in bytes; of a header, the offset requested.
    pub offset: Signal<Out, Bits<LENGTH_WIDTH>>,
}

/// A result for the responder, as the outcome gives it.
#[interface(mirror = ResultIn)]
pub struct ResultOut {
    /// Begins; the rest counts in this cycle.
    pub start: Signal<Out, Bit>,
    /// How the command ended, or that an entry follows.
    pub status: Signal<Out, Bits<CODE_WIDTH>>,
    /// List that the result names; if an entry follows, the list of that entry takes its place.
    pub list: Signal<Out, Bits<LIST_WIDTH>>,
    /// The entry that the table shows from the next cycle on follows, and gives its list.
    pub entry: Signal<Out, Bit>,
    /// The counters follow.
    pub counters: Signal<Out, Bit>,
    /// The handle of the entry that the table shows is told.
    pub handle: Signal<Out, Bit>,
    /// It is the first entry of its place, with generation 0. The table's generation is then ignored.
    pub fresh: Signal<Out, Bit>,
    /// More results follow.
    pub more: Signal<Out, Bit>,
    /// More results follow if the entry lets a header be left.
    pub leaves_header: Signal<Out, Bit>,
}

/// A decoded command with its fields, as the block that has them gives it to the core. All of it stays until `done`.
#[interface(mirror = RequestIn)]
pub struct RequestOut {
    /// There is a request.
    pub valid: Signal<Out, Bit>,
    /// High for one cycle: the request is over.
    pub done: Signal<In, Bit>,
    /// What to do.
    pub plan: PlanOut,
    /// The list that the command names, which exists unless the command is refused.
    pub list: Signal<Out, Bits<LIST_WIDTH>>,
    /// The list that its entry or header is appended to.
    pub new_list: Signal<Out, Bits<LIST_BITS>>,
    /// Handle of the command, if it takes one.
    pub handle: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// Offset that a resolution gives to the hit, in bytes.
    pub new_offset: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// Option: the source is ANY.
    pub any: Signal<Out, Bit>,
    /// The command's side of a match.
    pub side: SideOut,
    /// The fields to keep of an entry that the command appends.
    pub record: RecordOut,
}

/// The answers of the core to a request, and the entry that its table shows.
#[interface(mirror = AnswerIn)]
pub struct AnswerOut<const A: usize> {
    /// The answer.
    pub result: ResultOut,
    /// The entry of the last answer is not needed any more: the table may show another, and a request may come.
    pub idle: Signal<In, Bit>,
    /// Place of the entry that the table shows, from the cycle after `result.start` on.
    pub index: Signal<Out, Bits<A>>,
    /// Generation of that place.
    pub generation: Signal<Out, Bits<GENERATION_WIDTH>>,
    /// List of that entry.
    pub list: Signal<Out, Bits<LIST_BITS>>,
    /// Options of that entry.
    pub options: Signal<Out, Bits<OPTIONS_WIDTH>>,
    /// Fields of that entry, in words as in results.
    pub record: RecordOut,
}

/// The counters of the lists. They stand still while no request is under way.
#[interface(mirror = CountsIn)]
pub struct CountsOut {
    /// Entries of the Priority list.
    pub priority: Signal<Out, Bits<OCCUPANCY_WIDTH>>,
    /// Entries of the Overflow list.
    pub overflow: Signal<Out, Bits<OCCUPANCY_WIDTH>>,
    /// Entries of the Unexpected list.
    pub unexpected: Signal<Out, Bits<OCCUPANCY_WIDTH>>,
    /// Places without an entry.
    pub free: Signal<Out, Bits<OCCUPANCY_WIDTH>>,
    /// Commands that searched.
    pub searches: Signal<Out, Bits<COUNTER_WIDTH>>,
    /// Entries that they compared.
    pub compared: Signal<Out, Bits<COUNTER_WIDTH>>,
    /// Most that one of them compared.
    pub longest: Signal<Out, Bits<COUNTER_WIDTH>>,
}
