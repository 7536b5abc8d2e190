//! What a network interface is built with: the sizes of its tables, and what it can do beside the least.
//!
//! The fields of packets, descriptors and registers have their full widths always. A number that a table does not have
//! names nothing: a segment or a window that does not exist, an event that never counts, a mailbox into which nothing
//! goes; its registers read 0 and ignore writes. A command that needs what is not built is refused with
//! [`ErrorCode::NotBuilt`](super::ErrorCode::NotBuilt).
//!
//! ```
//! use portico_spec::{ni::build::Build, Config};
//!
//! let build = Config::from_toml("profile = \"compact\"")?.build();
//! assert_eq!((build.windows, build.shapers), (64, 2));
//! assert_eq!(Build::from_registers(build.register(), build.engines_register()), build);
//! # Ok::<(), portico_spec::ConfigError>(())
//! ```

use super::{
    command::SHAPERS,
    event::EVENTS,
    layout::BitField,
    packet::SLOTS,
    page::BASE_WIDTH,
    registers::Block,
    segment::SEGMENTS,
    window::{SYSTEM_WINDOW, WINDOWS},
    MAILBOXES, MAX_CORES,
};
use crate::{
    config::Profile,
    mpe::call::CONTEXTS,
    parts::Station,
    portals::{
        engine::RANKS,
        list::{BUCKETS, ENTRIES},
    },
    Config,
};

/// Sizes and features of a network interface. Every size but `cores` is a power of two, or 0 at a node that nobody commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    /// Rows of the window table; the last is the system window's.
    pub windows: usize,
    /// Segments.
    pub segments: usize,
    /// Events.
    pub events: usize,
    /// Transaction slots.
    pub slots: usize,
    /// Mailboxes.
    pub mailboxes: usize,
    /// Packet shapers.
    pub shapers: usize,
    /// Micro-cores; 0 at a node that nobody commands, which has no segments, slots, mailboxes and shapers either.
    pub cores: usize,
    /// There are counters.
    pub monitors: bool,
    /// It sends and takes messages.
    pub queues: bool,
    /// It runs programs of the user's.
    pub programs: bool,
    /// It does atomics of two words; where a word has 64 bits, those of one are always there.
    pub wide_atomics: bool,
    /// A tile takes descriptors of an accelerator, from a stream.
    pub commands: bool,
    /// A tile has an AXI4-Lite port.
    pub tile_ports: bool,
    /// A register stands before a tile, on both planes.
    pub registers_at_tiles: bool,
    /// There is a source/sink core.
    pub probe: bool,
    /// There is an engine for streams of words.
    pub streams: bool,
    /// Contexts of the message-passing engine: 0, 1, 2 or 4.
    pub mpe: usize,
    /// Ranks of the Portals engine: 0 for none, 4, 16 or 64.
    pub portals: usize,
    /// Entries of its lists; 0 without it.
    pub entries: usize,
    /// Buckets of each of its lists, 0 for no hash.
    pub buckets: usize,
    /// Outputs tell each step of it.
    pub portals_log: bool,
    /// Bits of an address of the external memory of a memory node: one of
    /// [`ADDRESS_WIDTHS`](super::page::ADDRESS_WIDTHS); 0 at other nodes.
    pub memory_address: usize,
}

const fn switch(offset: usize, name: &'static str, doc: &'static str) -> BitField {
    BitField::new(name, offset, 1, doc)
}

/// Fields of the register that tells all but the engines.
pub(super) const FIELDS: [BitField; 13] = [
    BitField::new(
        "windows",
        0,
        4,
        "Logarithm of the rows of the window table; the last is the system window's.",
    ),
    BitField::new("segments", 4, 4, "Logarithm of the segments, if there are micro-cores."),
    BitField::new("events", 8, 3, "Logarithm of the events."),
    BitField::new(
        "slots",
        11,
        3,
        "Logarithm of the transaction slots, if there are micro-cores.",
    ),
    BitField::new(
        "mailboxes",
        14,
        3,
        "Logarithm of the mailboxes, if there are micro-cores.",
    ),
    BitField::new(
        "shapers",
        17,
        2,
        "Logarithm of the packet shapers, if there are micro-cores.",
    ),
    BitField::new(
        "cores",
        19,
        4,
        "Micro-cores. A node with 0 takes no commands and no mail: it has no segments, slots, mailboxes and shapers.",
    ),
    switch(23, "tile_ports", "A tile has an AXI4-Lite port."),
    switch(24, "monitors", "There are counters."),
    switch(25, "queues", "The node sends and takes messages."),
    switch(26, "programs", "The node runs programs of the user's."),
    switch(27, "wide_atomics", "The node does atomics of two words."),
    switch(28, "commands", "A tile takes descriptors of an accelerator."),
];

/// Fields of the register that tells the engines, the registers of the network, and the port of external memory.
pub(super) const ENGINE_FIELDS: [BitField; 9] = [
    BitField::new(
        "mpe",
        0,
        2,
        "Contexts of the message-passing engine: 0 for none, else their logarithm plus 1.",
    ),
    switch(2, "probe", "There is a source/sink core."),
    switch(3, "streams", "There are streams of words out of and into the memory."),
    switch(
        4,
        "registers_at_tiles",
        "A register stands before the tile, on both planes.",
    ),
    BitField::new(
        "portals",
        5,
        2,
        "Ranks of the Portals engine: 0 for none, else half their logarithm.",
    ),
    BitField::new(
        "entries",
        7,
        4,
        "Logarithm of the entries of its lists, if there is one.",
    ),
    BitField::new("buckets", 11, 4, "Logarithm of the buckets of each list, 0 for none."),
    switch(15, "portals_log", "Outputs tell each step of the Portals engine."),
    BitField::new(
        "memory_address",
        16,
        7,
        "Bits of an address at the AXI4 port of a memory node; 0 at other nodes.",
    ),
];

/// The word of these fields with these values.
fn word<const N: usize>(fields: &[BitField; N], values: [u32; N]) -> u32 {
    let placed = fields.iter().zip(values).map(|(field, value)| field.place(value));
    placed.fold(0, |word, value| word | value.expect("a size of the contract"))
}

impl Build {
    /// All that there can be.
    pub const FULL: Build = Build {
        windows: WINDOWS,
        segments: SEGMENTS,
        events: EVENTS,
        slots: SLOTS,
        mailboxes: MAILBOXES,
        shapers: SHAPERS,
        cores: MAX_CORES,
        monitors: true,
        queues: true,
        programs: true,
        wide_atomics: true,
        commands: true,
        tile_ports: true,
        registers_at_tiles: true,
        probe: true,
        streams: true,
        mpe: CONTEXTS,
        portals: RANKS[RANKS.len() - 1],
        entries: ENTRIES.1,
        buckets: BUCKETS.1,
        portals_log: true,
        memory_address: BASE_WIDTH,
    };

    /// What the register that tells all but the engines holds.
    pub fn register(&self) -> u32 {
        let log = |size: usize| size.checked_ilog2().unwrap_or(0);
        let values = [
            self.windows.ilog2(),
            log(self.segments),
            self.events.ilog2(),
            log(self.slots),
            log(self.mailboxes),
            log(self.shapers),
            self.cores as u32,
            self.tile_ports.into(),
            self.monitors.into(),
            self.queues.into(),
            self.programs.into(),
            self.wide_atomics.into(),
            self.commands.into(),
        ];
        word(&FIELDS, values)
    }

    /// What the register that tells the engines holds.
    pub fn engines_register(&self) -> u32 {
        let contexts = self.mpe.checked_ilog2().map_or(0, |log| log + 1);
        let values = [
            contexts,
            self.probe.into(),
            self.streams.into(),
            self.registers_at_tiles.into(),
            self.portals.checked_ilog2().map_or(0, |log| log / 2),
            self.entries.checked_ilog2().unwrap_or(0),
            self.buckets.checked_ilog2().unwrap_or(0),
            self.portals_log.into(),
            self.memory_address as u32,
        ];
        word(&ENGINE_FIELDS, values)
    }

    /// What these two registers say.
    pub fn from_registers(build: u32, engines: u32) -> Build {
        let [windows, segments, events, slots, mailboxes, shapers, cores, switches @ ..] =
            FIELDS.map(|field| field.take(build) as usize);
        let [tile_ports, monitors, queues, programs, wide_atomics, commands] = switches.map(|switch| switch == 1);
        let [mpe, probe, streams, registers_at_tiles, ranks, entries, buckets, portals_log, memory_address] =
            ENGINE_FIELDS.map(|field| field.take(engines) as usize);
        let power = |log: usize| if log > 0 { 1 << log } else { 0 };
        let of_commands = |log: usize| if cores > 0 { 1 << log } else { 0 };
        Build {
            windows: 1 << windows,
            segments: of_commands(segments),
            events: 1 << events,
            slots: of_commands(slots),
            mailboxes: of_commands(mailboxes),
            shapers: of_commands(shapers),
            cores,
            monitors,
            queues,
            programs,
            wide_atomics,
            commands,
            tile_ports,
            registers_at_tiles: registers_at_tiles == 1,
            probe: probe == 1,
            streams: streams == 1,
            mpe: (1 << mpe) >> 1,
            portals: power(2 * ranks),
            entries: power(entries),
            buckets: power(buckets),
            portals_log: portals_log == 1,
            memory_address,
        }
    }

    /// The same for the host's node, which one master commands, word by word: one micro-core with one shaper, no programs of
    /// the user's, no stream of descriptors, and no engines. Its port is the host's, and the register before it is always there.
    pub fn of_host(self) -> Build {
        Build {
            shapers: 1,
            cores: 1,
            programs: false,
            commands: false,
            tile_ports: false,
            registers_at_tiles: false,
            memory_address: 0,
            ..self.without_engines()
        }
    }

    /// The same for a memory node: nobody commands it, and it serves puts, gets and atomics alone.
    pub fn of_memory_node(self) -> Build {
        Build {
            segments: 0,
            slots: 0,
            mailboxes: 0,
            shapers: 0,
            cores: 0,
            queues: false,
            programs: false,
            commands: false,
            tile_ports: false,
            registers_at_tiles: false,
            ..self.without_engines()
        }
    }

    /// Whether the node takes commands, and what comes back for them.
    pub fn takes_commands(&self) -> bool {
        self.cores > 0
    }

    /// The same without engines: they stand in tiles alone.
    pub fn without_engines(self) -> Build {
        Build {
            probe: false,
            streams: false,
            mpe: 0,
            portals: 0,
            entries: 0,
            buckets: 0,
            portals_log: false,
            ..self
        }
    }

    /// Whether transfers are cut by counters in place of micro-programs: the only core runs no programs of the user's.
    pub fn is_fixed(&self) -> bool {
        self.cores == 1 && !self.programs
    }

    /// Banks of the scratchpad. One is enough where a transfer at a time reads and no engine reads beside it.
    pub fn banks(&self) -> usize {
        let has_engines = *self != self.without_engines();
        if self.is_fixed() && !has_engines {
            1
        } else {
            4
        }
    }

    /// Windows that software may open: numbers from 0 on. One row is the system window's; a table that has not all
    /// rows keeps another closed, for all the numbers that it has not.
    pub fn free_windows(&self) -> usize {
        if self.windows == WINDOWS {
            WINDOWS - 1
        } else {
            self.windows - 2
        }
    }

    /// The row of the window table that a tag stands for.
    pub fn window_row(&self, tag: u8) -> usize {
        match usize::from(tag) {
            SYSTEM_WINDOW => self.windows - 1,
            tag if tag < self.free_windows() => tag,
            _ => self.windows - 2,
        }
    }

    /// How many items of a block of registers are built, from number 0 on. The system window is there beside them.
    pub fn items(&self, block: Block) -> usize {
        match block {
            Block::Events => self.events,
            Block::Tags => self.free_windows(),
            Block::Release if self.queues => self.free_windows(),
            Block::Release => 0,
            Block::Program if !self.programs => 0,
            Block::Segments => self.segments,
            Block::Mailboxes => self.mailboxes,
            Block::Shapers => self.shapers,
            Block::Probe => self.probe.into(),
            Block::Streams => self.streams.into(),
            Block::Mpe => self.mpe,
            Block::Portals if self.portals == 0 => 0,
            _ => block.map().items,
        }
    }
}

impl Config {
    /// What the network interface of this terminal is built with.
    pub fn build_of(&self, terminal: usize) -> Build {
        self.build_at(self.station(terminal))
    }

    /// What the network interfaces of nodes of this kind are built with.
    pub fn build_at(&self, station: Station) -> Build {
        match station {
            Station::Tile => self.build(),
            Station::Host => self.build_of_host(),
            Station::Memory => Build {
                memory_address: self.memory_address,
                ..self.build().of_memory_node()
            },
        }
    }

    /// That of the host: its profile's, with counters as the tiles have them, and with segments for all that a tile can name
    /// and for two of each node: one for the driver's accesses, one for its user's.
    fn build_of_host(&self) -> Build {
        let segments = (2 * self.terminals()).next_power_of_two().min(SEGMENTS);
        Build {
            segments: segments.max(self.segments),
            monitors: self.monitors,
            queues: self.host_queues,
            ..Profile::config(self.host_profile).build().of_host()
        }
    }

    /// Sizes and features of the network interface of every tile.
    pub fn build(&self) -> Build {
        Build {
            windows: self.windows,
            segments: self.segments,
            events: self.events,
            slots: self.slots,
            mailboxes: self.mailboxes,
            shapers: self.shapers,
            cores: self.cores,
            monitors: self.monitors,
            queues: self.queues,
            programs: self.programs,
            wide_atomics: self.wide_atomics,
            commands: self.commands,
            tile_ports: self.tile_ports,
            registers_at_tiles: self.registers_at_tiles,
            probe: self.probe,
            streams: self.streams,
            mpe: self.mpe,
            portals: self.portals,
            entries: if self.portals > 0 { self.entries } else { 0 },
            buckets: if self.portals > 0 { self.buckets } else { 0 },
            portals_log: self.portals_log,
            memory_address: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::PROFILES, ni::page::ADDRESS_WIDTHS};

    #[test]
    fn the_registers_tell_every_profile() {
        for profile in PROFILES {
            let mut config = Config::default();
            config.set(&format!("profile={}", profile.name)).unwrap();
            let build = config.build();
            for build in [build, build.of_host(), build.of_memory_node(), with_all(build)] {
                let told = Build::from_registers(build.register(), build.engines_register());
                assert_eq!(told, build, "{}", profile.name);
            }
        }
        assert_eq!(with_all(Config::default().build()), Build::FULL);
        assert_eq!(Build::FULL.register(), 0x1fc7_ee88);
        assert_eq!(
            Build::FULL.engines_register(),
            64 << 16 | 1 << 15 | 8 << 11 | 14 << 7 | 3 << 5 | 0b11111
        );
    }

    #[test]
    fn memory_nodes_alone_tell_the_bits_of_an_address() {
        for memory_address in ADDRESS_WIDTHS {
            let config = Config {
                memory_address,
                ..Config::default()
            };
            let told = Station::ALL.map(|station| {
                let build = config.build_at(station);
                let told = Build::from_registers(build.register(), build.engines_register());
                assert_eq!(told, build);
                (station, build.memory_address)
            });
            let expected = [
                (Station::Tile, 0),
                (Station::Host, 0),
                (Station::Memory, memory_address),
            ];
            assert_eq!(told, expected);
        }
    }

    /// With what no profile has.
    fn with_all(build: Build) -> Build {
        Build {
            tile_ports: true,
            registers_at_tiles: true,
            probe: true,
            streams: true,
            mpe: CONTEXTS,
            portals: RANKS[RANKS.len() - 1],
            entries: ENTRIES.1,
            buckets: BUCKETS.1,
            portals_log: true,
            memory_address: BASE_WIDTH,
            ..build
        }
    }

    #[test]
    fn ports_of_tiles_are_those_of_tiles() {
        let build = Build::FULL;
        assert!(!build.of_host().tile_ports && !build.of_memory_node().tile_ports);
        assert!(!build.of_host().registers_at_tiles && !build.of_memory_node().registers_at_tiles);
        // Neither a port nor a register is an engine: they add no banks.
        let leaf = Config::from_toml("profile = 'leaf'\ntile_ports = true\nregisters_at_tiles = true")
            .unwrap()
            .build();
        assert_eq!(
            (leaf.tile_ports, leaf.registers_at_tiles, leaf.banks()),
            (true, true, 1)
        );
    }

    fn host(settings: &[&str]) -> Build {
        let mut config = Config::default();
        for setting in settings {
            config.set(setting).unwrap();
        }
        let config = config.fabric().unwrap();
        config.build_of(config.tiles())
    }

    #[test]
    fn the_host_has_its_own_profile_whatever_the_tiles_are() {
        for tiles in ["profile=full", "profile=compact"] {
            let build = host(&[tiles, "segments=16", "probe=true", "mpe=1"]);
            let leaf = Profile::config("leaf").build();
            let segments = 64;
            let monitors = true;
            assert_eq!(
                build,
                Build {
                    segments,
                    monitors,
                    ..leaf
                }
            );
            assert!(build.is_fixed() && !build.queues);
        }
        let build = host(&["profile=leaf", "host_profile=full", "host_queues=true"]);
        assert_eq!(
            (build.cores, build.mailboxes, build.programs, build.queues),
            (1, 128, false, true)
        );
        assert!(!build.commands && !build.monitors);
        assert!(!host(&["host_profile=full"]).queues);
    }

    #[test]
    fn the_host_has_segments_for_two_of_each_node_and_all_of_a_tile() {
        let segments = |cols: usize, rows: usize, tiles: usize| {
            let settings = [
                format!("cols={cols}"),
                format!("rows={rows}"),
                format!("segments={tiles}"),
            ];
            host(&settings.each_ref().map(String::as_str)).segments
        };
        assert_eq!(segments(2, 1, 16), 16);
        assert_eq!(segments(3, 2, 16), 16);
        assert_eq!(segments(4, 2, 16), 32);
        assert_eq!(segments(4, 4, 16), 64);
        assert_eq!(segments(4, 4, 256), 256);
        assert_eq!(segments(16, 16, 16), 256);
    }

    #[test]
    fn a_tag_stands_for_its_row_or_for_the_closed_one() {
        for tag in 0..=u8::MAX {
            assert_eq!(Build::FULL.window_row(tag), usize::from(tag));
        }
        let small = Build {
            windows: 16,
            ..Build::FULL
        };
        let rows = [0, 13, 14, 15, 16, 254, 255].map(|tag| small.window_row(tag));
        assert_eq!(rows, [0, 13, 14, 14, 14, 14, 15]);
        assert_eq!(small.free_windows(), 14);
    }

    #[test]
    fn full_tables_have_the_items_of_the_map_and_the_rest_is_as_it_was() {
        for &block in Block::ALL {
            let missing = usize::from(matches!(block, Block::Tags | Block::Release));
            assert_eq!(
                Build::FULL.items(block) + missing,
                block.map().items,
                "{}",
                block.name()
            );
        }
        let small = Build {
            events: 16,
            ..Build::FULL
        };
        assert_eq!((small.items(Block::Events), small.items(Block::Program)), (16, 256));
    }
}
