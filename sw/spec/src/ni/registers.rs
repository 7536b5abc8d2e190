//! The register map of a network interface.
//!
//! A register occupies one word of the fabric, of which it uses the low 32 bits; the registers follow the memory in a
//! node's address space, from byte [`BASE_BYTES`]. The index of a register is its block, above the number of an item in
//! it (an event, a window), above the number of the register in the item: [`MAP`] has all of them.
//!
//! ```
//! use portico_spec::{ni::registers::{address, EventRegister}, Config};
//!
//! let config = Config::default();
//! assert_eq!(address(&config, EventRegister::Control, 5), 0x80000 + 4 * (2 << 12 | 5 << 3 | 1));
//! ```

pub(super) use self::address::byte;
pub use self::{
    address::{address, address_at, in_memory, index, locate, Place},
    map::{
        BlockMap, CommandRegister, ControlRegister, CounterRegister, EventRegister, MailboxRegister, MpeRegister,
        PageRegister, PortalsRegister, ProbeRegister, ProgramRegister, Register, ReleaseRegister, SegmentRegister,
        ShaperRegister, StreamRegister, TagRegister, MAP, MPE_ARMED_OFFSET, MPE_CLOSED_OFFSET, MPE_CLOSE_OFFSET,
        MPE_DRAINED_OFFSET, MPE_FIELD_WIDTH, MPE_IDLE_OFFSET, MPE_NEXT_OFFSET, MPE_OPEN_OFFSET, MPE_RUNNING_OFFSET,
        MPE_TIMEOUT_WIDTH, MPE_WAITING_OFFSET, PORTALS_FIELD_WIDTH,
    },
};
use super::{
    codes::codes,
    page::{MEMORY_WIDTH, REGISTER_BIT},
};

use crate::parts::Station;

mod address;
mod map;

/// Width of a register's index, in bits: the block above the place in it.
pub const INDEX_WIDTH: usize = 16;
/// Block: lowest bit in the index.
pub const BLOCK_OFFSET: usize = 12;
/// Width of the block, in bits.
pub const BLOCK_WIDTH: usize = INDEX_WIDTH - BLOCK_OFFSET;
/// Bytes of a tile's address space.
pub const SPACE_BYTES: usize = 1 << 20;
/// First byte of the registers in it.
pub const BASE_BYTES: usize = 0x80000;

/// In the identity register: what a network interface is known by.
pub const MAGIC: u32 = 0x504f;
/// In the identity register: version of all that is described here.
pub const VERSION: u32 = 2;
/// The identity register.
pub const IDENTITY: u32 = MAGIC << 16 | VERSION;

codes! {
    /// Blocks of registers.
    Block {
        /// Identity, interrupt.
        Control = 0, "control";
        /// Descriptors.
        Command = 1, "command";
        /// Events.
        Events = 2, "events";
        /// Windows.
        Tags = 3, "tags";
        /// Segments.
        Segments = 4, "segments";
        /// Mailboxes.
        Mailboxes = 5, "mailboxes";
        /// Packet shapers.
        Shapers = 6, "shapers";
        /// Instruction memory.
        Program = 7, "program";
        /// Release of messages.
        Release = 8, "release";
        /// Counters of the monitor.
        Counters = 9, "counters";
        /// Pages of external memory, of a memory node.
        Pages = 10, "pages";
        /// The source/sink core.
        Probe = 11, "probe";
        /// The message-passing engine.
        Mpe = 12, "mpe";
        /// The Portals engine.
        Portals = 13, "portals";
        /// The streams of a tile.
        Streams = 14, "streams";
    }
}

/// In a node's status register: after reset, tables are being cleared.
pub const INITIALISING_OFFSET: usize = 0;

/// Bits of the place that number the registers of one event, window.
pub const FIELD_WIDTH: usize = 3;
/// Bits of the place that number the registers of one segment, mailbox, shaper.
pub const SHORT_FIELD_WIDTH: usize = 2;

impl crate::Config {
    /// What the register that describes the fabric holds at every node.
    pub fn tiles_register(&self) -> u32 {
        (self.cols | self.rows << 8 | self.edge_nodes << 16) as u32
    }

    /// Bytes of a terminal's memory, as its register says. That of a memory node is what its pages reach.
    pub fn memory_bytes(&self, terminal: usize) -> u32 {
        self.memory_bytes_of(self.station(terminal))
    }

    /// Byte address of a terminal's first register; those of a memory node are behind all that its pages reach.
    pub fn registers_base(&self, terminal: usize) -> u32 {
        self.registers_base_of(self.station(terminal))
    }

    /// Bytes of a terminal's address space, registers and all: its system window is open over them.
    pub fn space_bytes(&self, terminal: usize) -> u32 {
        match self.station(terminal) {
            Station::Tile | Station::Host => SPACE_BYTES as u32,
            Station::Memory => self.registers_base(terminal) + (self.word_bytes() << INDEX_WIDTH),
        }
    }

    /// Bytes of memory of a kind of node; see [`memory_bytes`](Self::memory_bytes).
    pub fn memory_bytes_of(&self, station: Station) -> u32 {
        match station {
            Station::Tile => (self.scratchpad << 10) as u32,
            Station::Host => (self.host_scratchpad << 10) as u32,
            Station::Memory => self.word_bytes() << MEMORY_WIDTH,
        }
    }

    /// First register of a kind of node, in bytes; see [`registers_base`](Self::registers_base).
    pub fn registers_base_of(&self, station: Station) -> u32 {
        match station {
            Station::Tile | Station::Host => BASE_BYTES as u32,
            Station::Memory => self.word_bytes() << REGISTER_BIT,
        }
    }

    fn word_bytes(&self) -> u32 {
        (self.width / 8) as u32
    }
}
