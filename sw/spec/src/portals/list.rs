//! The list manager's commands and results, and where their fields lie.
//!
//! Commands and results are packets of 64-bit beats, little-endian: bit 0 of a field is its lowest. Beats of commands:
//!
//! | beat | fields |
//! | --- | --- |
//! | 0 | opcode, list, then source and options, or a handle |
//! | 1 | match bits; of [`Opcode::SetOffset`] an extent of which the offset counts |
//! | 2 | extent: length and offset |
//! | 3 | ignore bits |
//! | 4 | pointer |
//!
//! A result is one beat (status, list, more, handle), or, with [`Status::Found`], five: that beat, match bits, extent, ignore
//! bits, detail (pointer, source, options). The result of [`Opcode::Status`] has five beats too: see [`Counters`].
//!
//! An [`Entry`] is also a header: its match bits are the incoming ones, its length the requested length, its offset the requested
//! offset. A header in the Unexpected list is stored so.

use crate::ni::codes::codes;

#[cfg(test)]
mod tests;

codes! {
    /// What a command asks for.
    Opcode {
        /// Inserts an entry at the tail of a list.
        Append = 1, "append";
        /// Rule 7: consumes what an entry matches in the Unexpected list, else or then appends it to the Priority list.
        AppendSearch = 2, "append_search";
        /// Finds the first entry of a list, or of Priority and then Overflow, that a header matches.
        Search = 3, "search";
        /// The same, and deletes the entry.
        SearchDelete = 4, "search_delete";
        /// Finds the headers in the Unexpected list that an entry matches: the first if it is USE_ONCE, else all.
        Probe = 5, "probe";
        /// The same, and deletes them.
        Consume = 6, "consume";
        /// Rule 6: searches Priority and then Overflow; a hit in Overflow appends the header to the Unexpected list.
        Deliver = 7, "deliver";
        /// Deletes the entry of a handle.
        Delete = 8, "delete";
        /// Reads the entry of a handle.
        Read = 9, "read";
        /// Gives the entry of a handle another offset.
        SetOffset = 10, "set_offset";
        /// Reads occupancy and search lengths.
        Status = 11, "status";
        /// [`Opcode::Search`] that holds its hit: nothing but [`Opcode::Resolve`] may follow.
        SearchHold = 12, "search_hold";
        /// Holds the first header in the Unexpected list that an entry matches; appends the entry to Priority if there is none.
        AppendHold = 13, "append_hold";
        /// Holds the first header in the Unexpected list that an entry matches.
        ConsumeHold = 14, "consume_hold";
        /// Says what happens to the hit that is held, and to the header of the message: see [`Resolution`].
        Resolve = 15, "resolve";
        /// Frees the place of a detached entry.
        Release = 16, "release";
    }
}

codes! {
    /// Lists, and what stands for several of them.
    List {
        /// Entries for expected messages.
        Priority = 0, "priority";
        /// Entries that take what nothing in Priority matches.
        Overflow = 1, "overflow";
        /// Headers that Overflow took.
        Unexpected = 2, "unexpected";
        /// To search: Priority, then Overflow. With a handle: whichever list it is of.
        All = 3, "all";
    }
}

codes! {
    /// How a command ended.
    Status {
        /// It is done.
        Done = 0, "done";
        /// An entry follows.
        Found = 1, "found";
        /// No entry matches, or no further one.
        NoMatch = 2, "no_match";
        /// The table has no room for the entry.
        Full = 3, "full";
        /// The handle is of no entry, or of one in another list.
        BadHandle = 4, "bad_handle";
        /// The command does not work on this list, or there is no such list.
        BadList = 5, "bad_list";
        /// There is no such opcode.
        BadOpcode = 6, "bad_opcode";
        /// The command has more or fewer beats than its opcode wants.
        BadLength = 7, "bad_length";
        /// A hit is held, and the command does not resolve it.
        Held = 8, "held";
        /// No hit is held that could be resolved.
        NotHeld = 9, "not_held";
    }
}

/// Width of a beat, in bits.
pub const BEAT_WIDTH: usize = 64;
/// Beats of a result that carries an entry or the counters.
pub const ENTRY_BEATS: usize = 5;
/// Most beats of a command.
pub const MAX_COMMAND_BEATS: usize = 5;

/// Opcode: lowest bit in beat 0 of a command.
pub const OPCODE_OFFSET: usize = 0;
/// Status: lowest bit in beat 0 of a result.
pub const STATUS_OFFSET: usize = 0;
/// Width of opcode and status, in bits.
pub const CODE_WIDTH: usize = 8;
/// List: lowest bit in beat 0 of commands and results.
pub const LIST_OFFSET: usize = CODE_WIDTH;
/// Width of a list's number in beat 0, in bits.
pub const LIST_WIDTH: usize = 8;
/// In beat 0 of a result: another result of the same command follows.
pub const MORE_OFFSET: usize = LIST_OFFSET + LIST_WIDTH;
/// Source: lowest bit in beat 0 of a command.
pub const SOURCE_OFFSET: usize = LIST_OFFSET + LIST_WIDTH;
/// Width of a source, in bits: a rank, and the portal index above it.
pub const SOURCE_WIDTH: usize = 16;
/// Portal index: lowest bit in a source. The rank lies below it.
pub const PORTAL_OFFSET: usize = 9;
/// Width of a portal index in a source, in bits: an index of 6 bits, and whether its interface is a non-matching one.
pub const PORTAL_WIDTH: usize = SOURCE_WIDTH - PORTAL_OFFSET;
/// Options: lowest bit in beat 0 of a command.
pub const OPTIONS_OFFSET: usize = SOURCE_OFFSET + SOURCE_WIDTH;
/// Width of the options, in bits.
pub const OPTIONS_WIDTH: usize = 16;
/// In beat 0 of [`Opcode::Resolve`]: the hit gets the offset in bits 63:32 of beat 3.
pub const ADVANCES: usize = OPTIONS_OFFSET + OPTIONS_WIDTH;
/// In beat 0 of [`Opcode::Resolve`]: the hit leaves its list, and keeps its place.
pub const DETACHES: usize = ADVANCES + 1;
/// In beat 0 of [`Opcode::Resolve`]: the hit leaves its list and its place.
pub const REMOVES: usize = DETACHES + 1;
/// In beat 0 of [`Opcode::Resolve`]: the command is a header, which is appended to the Unexpected list.
pub const LEAVES_HEADER: usize = REMOVES + 1;
/// Handle: lowest bit in beat 0 of commands and results.
pub const HANDLE_OFFSET: usize = 32;
/// Width of a handle, in bits.
pub const HANDLE_WIDTH: usize = 32;
/// Place of the entry: lowest bit in a handle.
pub const INDEX_OFFSET: usize = 0;
/// Width of a place in a handle, in bits.
pub const INDEX_WIDTH: usize = 16;
/// How often the place was freed, modulo its width: lowest bit in a handle.
pub const GENERATION_OFFSET: usize = INDEX_OFFSET + INDEX_WIDTH;
/// Width of a generation, in bits.
pub const GENERATION_WIDTH: usize = 16;

/// Length in bytes: lowest bit in an extent.
pub const LENGTH_OFFSET: usize = 0;
/// Width of lengths and offsets, in bits.
pub const LENGTH_WIDTH: usize = 32;
/// Offset in bytes: lowest bit in an extent.
pub const OFFSET_OFFSET: usize = LENGTH_OFFSET + LENGTH_WIDTH;

/// Pointer: lowest bit in a detail.
pub const POINTER_OFFSET: usize = 0;
/// Width of a pointer, in bits.
pub const POINTER_WIDTH: usize = 32;
/// Source: lowest bit in a detail.
pub const DETAIL_SOURCE_OFFSET: usize = POINTER_OFFSET + POINTER_WIDTH;
/// Options: lowest bit in a detail.
pub const DETAIL_OPTIONS_OFFSET: usize = DETAIL_SOURCE_OFFSET + SOURCE_WIDTH;

/// Option bit: matches any rank at its own portal index. Of no meaning in the Unexpected list: each header has a rank.
pub const ANY_SOURCE: usize = 0;
/// Option bit: takes one message.
pub const USE_ONCE: usize = 1;
/// Option bit: matches only what it can take whole.
pub const NO_TRUNCATE: usize = 2;
/// Option bit: its own offset holds, not the requested one.
pub const MANAGE_LOCAL: usize = 3;
/// Option bit: what it takes leaves no header.
pub const UNEXPECTED_HDR_DISABLE: usize = 4;
/// Lowest of the option bits that are for others, kept as they are.
pub const OPAQUE_OPTIONS: usize = 5;

/// Fewest and most entries of a table.
pub const ENTRIES: (usize, usize) = (64, 16_384);
/// Fewest and most buckets of a hashed table.
pub const BUCKETS: (usize, usize) = (16, 256);
/// Width of an occupancy, in bits; an occupancy of list `n` is at bit `n` times this in beat 1 of the counters, and after
/// those of the lists comes the number of free places.
pub const OCCUPANCY_WIDTH: usize = 16;
/// Width of the number of searches and of entries compared, in bits.
pub const COUNTER_WIDTH: usize = 64;

impl Opcode {
    /// Beats of the command.
    pub const fn beats(self) -> usize {
        match self {
            Opcode::Append | Opcode::AppendSearch | Opcode::Deliver | Opcode::AppendHold | Opcode::Resolve => 5,
            Opcode::Probe | Opcode::Consume | Opcode::ConsumeHold => 4,
            Opcode::Search | Opcode::SearchDelete | Opcode::SearchHold => 3,
            Opcode::SetOffset => 2,
            Opcode::Delete | Opcode::Read | Opcode::Status | Opcode::Release => 1,
        }
    }

    /// Whether it names an entry by its handle.
    pub const fn takes_handle(self) -> bool {
        matches!(
            self,
            Opcode::Delete | Opcode::Read | Opcode::SetOffset | Opcode::Release
        )
    }

    /// Whether it works on the list.
    pub const fn works_on(self, list: List) -> bool {
        match self {
            Opcode::Append => !matches!(list, List::All),
            Opcode::AppendSearch | Opcode::AppendHold => matches!(list, List::Priority),
            Opcode::Search | Opcode::SearchDelete | Opcode::SearchHold => !matches!(list, List::Unexpected),
            Opcode::Probe | Opcode::Consume | Opcode::ConsumeHold => matches!(list, List::Unexpected),
            Opcode::Deliver | Opcode::Resolve | Opcode::Release => matches!(list, List::All),
            Opcode::Delete | Opcode::Read | Opcode::SetOffset | Opcode::Status => true,
        }
    }
}

/// An entry of a list, or a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Rank of the source, and the portal index of the entry from bit [`PORTAL_OFFSET`] on.
    pub source: u16,
    /// Option bits.
    pub options: u16,
    /// Match bits.
    pub match_bits: u64,
    /// Match bits that do not count.
    pub ignore_bits: u64,
    /// Bytes; of a header, bytes requested.
    pub length: u32,
    /// Bytes; of a header, the offset requested.
    pub offset: u32,
    /// Kept as it is.
    pub pointer: u32,
}

impl Entry {
    /// Whether an option bit is set.
    pub fn has(&self, option: usize) -> bool {
        self.options >> option & 1 == 1
    }

    /// Portal index.
    pub fn portal(&self) -> u16 {
        self.source >> PORTAL_OFFSET
    }

    /// Length and offset in one beat.
    pub fn extent(&self) -> u64 {
        u64::from(self.length) << LENGTH_OFFSET | u64::from(self.offset) << OFFSET_OFFSET
    }

    /// Pointer, source and options in one beat.
    pub fn detail(&self) -> u64 {
        u64::from(self.pointer) << POINTER_OFFSET
            | u64::from(self.source) << DETAIL_SOURCE_OFFSET
            | u64::from(self.options) << DETAIL_OPTIONS_OFFSET
    }

    /// The beats of a result after its first.
    pub fn result_beats(&self) -> [u64; ENTRY_BEATS - 1] {
        [self.match_bits, self.extent(), self.ignore_bits, self.detail()]
    }

    /// An entry from the beats of a command, of which those that are missing count as zero.
    pub fn from_command(beats: &[u64]) -> Self {
        let beat = |at: usize| beats.get(at).copied().unwrap_or_default();
        Self {
            source: (beat(0) >> SOURCE_OFFSET) as u16,
            options: (beat(0) >> OPTIONS_OFFSET) as u16,
            match_bits: beat(1),
            ignore_bits: beat(3),
            length: (beat(2) >> LENGTH_OFFSET) as u32,
            offset: (beat(2) >> OFFSET_OFFSET) as u32,
            pointer: (beat(4) >> POINTER_OFFSET) as u32,
        }
    }

    /// An entry from the beats of a result.
    pub fn from_result(beats: &[u64; ENTRY_BEATS]) -> Self {
        Self {
            source: (beats[4] >> DETAIL_SOURCE_OFFSET) as u16,
            options: (beats[4] >> DETAIL_OPTIONS_OFFSET) as u16,
            match_bits: beats[1],
            ignore_bits: beats[3],
            length: (beats[2] >> LENGTH_OFFSET) as u32,
            offset: (beats[2] >> OFFSET_OFFSET) as u32,
            pointer: (beats[4] >> POINTER_OFFSET) as u32,
        }
    }
}

/// The command that has an entry or header, or for [`Opcode::Status`] nothing, in as many beats as its opcode wants.
pub fn command(opcode: Opcode, list: List, entry: &Entry) -> Vec<u64> {
    let first = (opcode as u64) << OPCODE_OFFSET
        | (list as u64) << LIST_OFFSET
        | u64::from(entry.source) << SOURCE_OFFSET
        | u64::from(entry.options) << OPTIONS_OFFSET;
    let pointer = u64::from(entry.pointer) << POINTER_OFFSET;
    let beats = [first, entry.match_bits, entry.extent(), entry.ignore_bits, pointer];
    beats[..opcode.beats()].to_vec()
}

/// What becomes of a hit that is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resolution {
    /// The hit gets this offset in bytes.
    pub offset: Option<u32>,
    /// The hit leaves its list, and keeps its place and its handle until [`Opcode::Release`].
    pub detaches: bool,
    /// The hit leaves its list and its place; then `detaches` says nothing.
    pub removes: bool,
    /// The header of the message, if it comes to the Unexpected list.
    pub header: Option<Entry>,
}

impl Resolution {
    /// The command, in beats.
    pub fn encode(&self) -> Vec<u64> {
        let mut beats = command(Opcode::Resolve, List::All, &self.header.unwrap_or_default());
        beats[0] |= u64::from(self.offset.is_some()) << ADVANCES
            | u64::from(self.detaches) << DETACHES
            | u64::from(self.removes) << REMOVES
            | u64::from(self.header.is_some()) << LEAVES_HEADER;
        if let Some(offset) = self.offset {
            beats[3] = beats[3] & ((1 << OFFSET_OFFSET) - 1) | u64::from(offset) << OFFSET_OFFSET;
        }
        beats
    }

    /// From the beats of the command.
    pub fn decode(beats: &[u64]) -> Self {
        let flag = |place: usize| beats[0] >> place & 1 == 1;
        Self {
            offset: flag(ADVANCES).then_some((beats[3] >> OFFSET_OFFSET) as u32),
            detaches: flag(DETACHES),
            removes: flag(REMOVES),
            header: flag(LEAVES_HEADER).then_some(Entry::from_command(beats)),
        }
    }
}

/// The command that has a handle, and for [`Opcode::SetOffset`] an offset.
pub fn handle_command(opcode: Opcode, list: List, handle: u32, offset: u32) -> Vec<u64> {
    let first = (opcode as u64) << OPCODE_OFFSET | (list as u64) << LIST_OFFSET | u64::from(handle) << HANDLE_OFFSET;
    [first, u64::from(offset) << OFFSET_OFFSET][..opcode.beats()].to_vec()
}

/// The first beat of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How the command ended, or that an entry follows.
    pub status: Status,
    /// The list that the entry is in, or was; else the one that the command named.
    pub list: u8,
    /// Another result of the same command follows.
    pub more: bool,
    /// The entry's handle; of an error or a miss, zero.
    pub handle: u32,
}

impl Answer {
    /// As a beat.
    pub fn encode(&self) -> u64 {
        (self.status as u64) << STATUS_OFFSET
            | u64::from(self.list) << LIST_OFFSET
            | u64::from(self.more) << MORE_OFFSET
            | u64::from(self.handle) << HANDLE_OFFSET
    }

    /// From a beat, unless its status is unknown or bits without meaning are set.
    pub fn decode(beat: u64) -> Option<Self> {
        let answer = Self {
            status: Status::from_code((beat >> STATUS_OFFSET) as u32 & ((1 << CODE_WIDTH) - 1))?,
            list: (beat >> LIST_OFFSET) as u8,
            more: beat >> MORE_OFFSET & 1 == 1,
            handle: (beat >> HANDLE_OFFSET) as u32,
        };
        (answer.encode() == beat).then_some(answer)
    }
}

/// What [`Opcode::Status`] reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Entries of Priority, Overflow and Unexpected.
    pub occupancy: [u16; 3],
    /// Places without an entry.
    pub free: u16,
    /// Commands that searched.
    pub searches: u64,
    /// Entries that they compared.
    pub compared: u64,
    /// Most that one of them compared.
    pub longest: u64,
}

impl Counters {
    /// The beats of the result after its first.
    pub fn encode(&self) -> [u64; ENTRY_BEATS - 1] {
        let numbers = self.occupancy.iter().chain([&self.free]);
        let occupancy = numbers
            .enumerate()
            .map(|(place, &number)| u64::from(number) << (place * OCCUPANCY_WIDTH))
            .sum();
        [occupancy, self.searches, self.compared, self.longest]
    }

    /// From those beats.
    pub fn decode(beats: &[u64]) -> Self {
        let number = |place: usize| (beats[0] >> (place * OCCUPANCY_WIDTH)) as u16;
        Self {
            occupancy: [number(0), number(1), number(2)],
            free: number(3),
            searches: beats[1],
            compared: beats[2],
            longest: beats[3],
        }
    }
}
