//! Tiles with engines, driven by registers and descriptors.

use portico_spec::{
    ni::{
        command::{EVENT_OFFSET, OPCODE_OFFSET, QUIET_OFFSET},
        event::Status,
        registers::{address, EventRegister, Place, PortalsRegister},
        ErrorCode,
    },
    portals::{
        engine::{
            item, Ack, Append, Command, Control, Event, EventKind, Failure, Move, Operation, Search, ANY_USER,
            EVENT_BYTES, EVENT_PRESENT_OFFSET, EVENT_WORDS, MD_BOUND_OFFSET, MD_COUNTER_OFFSET, MD_COUNTS_OFFSET,
            MD_QUEUES_OFFSET, MD_QUEUE_OFFSET, OP_GET, OP_PUT, PORTAL_ALLOCATED_OFFSET, PORTAL_ENABLED_OFFSET,
            PORTAL_QUEUES_OFFSET, PORTAL_QUEUE_OFFSET, RANK_PRESENT_OFFSET,
        },
        list::List,
    },
    Config,
};

use crate::GoldenFabric;

/// Event of the node in which descriptors count.
pub const COMMANDS: usize = 1;
/// Event of the node in which counter 5 counts its changes.
pub const CHANGES: usize = 2;
/// Event of the node in which event queue 3 counts its events.
pub const POSTS: usize = 3;
/// Portal index of the tests, with event queue 3.
pub const PORTAL: u8 = 7;
/// Memory descriptor of the tests, over [`LOCAL`], with event queue 3.
pub const DESCRIPTOR: u8 = 9;
/// Counter of entries and memory descriptors.
pub const COUNTER: u8 = 5;
/// Event queue of portal index and memory descriptor.
pub const QUEUE: usize = 3;
/// Where the ring of the event queue lies.
pub const RING: u32 = 0x4000;
/// Events of the ring.
pub const RING_LOG: u32 = 6;
/// Where memory descriptors begin.
pub const LOCAL: u32 = 0x1000;
/// Bytes of the memory descriptor.
pub const LOCAL_BYTES: u32 = 0x800;
/// Where entries begin.
pub const ENTRY: u32 = 0x2003;
/// Where handles go.
pub const HANDLE: u32 = 0x3f0;
/// Bytes of a scratchpad.
pub const MEMORY: u32 = 64 << 10;

/// Tiles in a row, each with the rank of its number, its user 100 more, the portal index and the memory descriptor.
pub struct Bench {
    pub fabric: GoldenFabric,
    /// Events that were read from the ring of each tile.
    read: Vec<u32>,
}

/// The settings of a memory descriptor with counter and event queue, and these options.
pub fn options(options: &[usize]) -> u32 {
    let flags: u32 = options.iter().map(|option| 1 << option).sum();
    flags
        | u32::from(COUNTER) << MD_COUNTER_OFFSET
        | 1 << MD_COUNTS_OFFSET
        | (QUEUE as u32) << MD_QUEUE_OFFSET
        | 1 << MD_QUEUES_OFFSET
        | 1 << MD_BOUND_OFFSET
}

/// An entry of 100 bytes for rank 0, puts and gets, with a counter and these options too.
pub fn entry(list: List, match_bits: u64, options: &[usize]) -> Append {
    Append {
        list,
        portal: PORTAL,
        counter: Some(COUNTER),
        source: 0,
        options: options.iter().map(|option| 1 << option).sum::<u16>() | 1 << OP_PUT | 1 << OP_GET,
        start: ENTRY,
        user: ANY_USER,
        length: 100,
        min_free: 0,
        match_bits,
        ignore_bits: 0,
        user_pointer: 0xe000_0000 | match_bits as u32,
        handle_address: HANDLE,
    }
}

/// A search of what such an entry matches.
pub fn search(deletes: bool, match_bits: u64, options: &[usize]) -> Search {
    Search {
        deletes,
        portal: PORTAL,
        source: 0,
        options: options.iter().map(|option| 1 << option).sum(),
        length: 100,
        match_bits,
        ignore_bits: 0,
        user_pointer: 0x5ea0_0000 | match_bits as u32,
    }
}

/// A put of 8 bytes to rank 1.
pub fn put(match_bits: u64, ack: Ack) -> Move {
    Move {
        operation: Operation::Put,
        ack,
        portal: PORTAL,
        descriptor: DESCRIPTOR,
        rank: 1,
        local: 5,
        length: 8,
        remote: 2,
        match_bits,
        user_pointer: 0xabc0_0000 | match_bits as u32,
        header_data: 0x1111_2222_3333_4444,
    }
}

/// A get of 8 bytes from rank 1.
pub fn get(match_bits: u64) -> Move {
    Move {
        operation: Operation::Get,
        header_data: 0,
        ..put(match_bits, Ack::None)
    }
}

impl Bench {
    /// So many tiles, whose rings are empty and whose memory descriptors have no options.
    pub fn new(tiles: usize) -> Bench {
        Bench::of(Config {
            cols: tiles,
            rows: 1,
            edge_nodes: 1,
            portals: 4,
            entries: 64,
            buckets: 0,
            scratchpad: MEMORY as usize / 1024,
            ..Config::default()
        })
    }

    /// The tiles of a configuration.
    pub fn of(config: Config) -> Bench {
        let tiles = config.tiles();
        let mut bench = Bench {
            fabric: GoldenFabric::new(&config),
            read: vec![0; tiles],
        };
        for tile in 0..tiles {
            bench.set_up(tile);
        }
        for tile in 0..tiles {
            bench.enable(tile, true);
        }
        bench
    }

    fn set_up(&mut self, tile: usize) {
        use PortalsRegister::{CtEvent, EqBase, EqEvent, EqSize, MdLength, MdStart, Portal, Rank, Setting};
        for rank in 0..self.read.len() {
            let node = self.fabric.config().terminal_node(rank);
            self.set(tile, Rank, rank, u32::from(node.number()) | 1 << RANK_PRESENT_OFFSET);
        }
        let portal = 1 << PORTAL_ALLOCATED_OFFSET | 1 << PORTAL_ENABLED_OFFSET;
        let queue = (QUEUE as u32) << PORTAL_QUEUE_OFFSET | 1 << PORTAL_QUEUES_OFFSET;
        self.set(tile, Portal, PORTAL.into(), portal | queue);
        self.set(tile, MdStart, DESCRIPTOR.into(), LOCAL);
        self.set(tile, MdLength, DESCRIPTOR.into(), LOCAL_BYTES);
        self.describe(tile, &[]);
        self.set(tile, EqBase, QUEUE, RING);
        self.set(tile, EqSize, QUEUE, RING_LOG);
        self.set(tile, EqEvent, QUEUE, POSTS as u32 | 1 << EVENT_PRESENT_OFFSET);
        self.set(
            tile,
            CtEvent,
            COUNTER.into(),
            CHANGES as u32 | 1 << EVENT_PRESENT_OFFSET,
        );
        self.set(tile, Setting, item::USER, 100 + tile as u32);
        self.set(tile, Setting, item::RANK, tile as u32);
    }

    /// Lets a tile send moves and serve requests, or lets both wait.
    pub fn enable(&mut self, tile: usize, enabled: bool) {
        self.set(tile, PortalsRegister::Setting, item::ENABLE, enabled.into());
    }

    /// Gives the memory descriptor of a tile these options.
    pub fn describe(&mut self, tile: usize, chosen: &[usize]) {
        self.set(tile, PortalsRegister::MdOptions, DESCRIPTOR.into(), options(chosen));
    }

    pub fn set(&mut self, tile: usize, register: PortalsRegister, row: usize, data: u32) {
        let address = address(self.fabric.config(), register, row) as u32;
        self.fabric.write(tile, address, data);
    }

    pub fn get<P: Place>(&mut self, tile: usize, register: P, row: usize) -> u32 {
        let address = address(self.fabric.config(), register, row) as u32;
        self.fabric.read(tile, address)
    }

    /// Gives a tile a descriptor, which counts in [`COMMANDS`].
    pub fn command(&mut self, tile: usize, command: Command) {
        self.words(tile, command.opcode() as u8, &command.encode());
    }

    /// The same, of any words after the first.
    pub fn words(&mut self, tile: usize, opcode: u8, words: &[u32]) {
        let mut words = words.to_vec();
        words[0] = u32::from(opcode) << OPCODE_OFFSET | (COMMANDS as u32) << EVENT_OFFSET;
        self.fabric.command(tile, &words);
    }

    /// Carries out a quiet command.
    pub fn quietly(&mut self, tile: usize, command: Command) {
        let mut words = command.encode();
        words[0] = (command.opcode() as u32) << OPCODE_OFFSET | (COMMANDS as u32) << EVENT_OFFSET | 1 << QUIET_OFFSET;
        self.fabric.command(tile, &words);
    }

    pub fn control(&mut self, tile: usize, control: Control) {
        self.command(tile, Command::Control(control));
    }

    pub fn request(&mut self, tile: usize, request: Move) {
        self.command(tile, Command::Move(request));
    }

    /// Appends an entry and gives its handle.
    pub fn append(&mut self, tile: usize, append: Append) -> u32 {
        self.command(tile, Command::Append(append));
        self.fabric.read(tile, append.handle_address)
    }

    /// Searches headers.
    pub fn search(&mut self, tile: usize, search: Search) {
        self.command(tile, Command::Search(search));
    }

    /// Count and error of an event of the node.
    pub fn event(&mut self, tile: usize, event: usize) -> (u32, Option<ErrorCode>) {
        let status = self.get(tile, EventRegister::Status, event);
        let error = Status::decode(status).expect("a code").error;
        (self.get(tile, EventRegister::Count, event), error)
    }

    /// How the commands since the last call ended.
    pub fn ended(&mut self, tile: usize) -> (u32, Option<ErrorCode>) {
        let ended = self.event(tile, COMMANDS);
        for register in [EventRegister::Count, EventRegister::Status] {
            let address = address(self.fabric.config(), register, COMMANDS) as u32;
            self.fabric.write(tile, address, 0);
        }
        ended
    }

    /// Successes and failures of the counter.
    pub fn counter(&mut self, tile: usize) -> (u32, u32) {
        let success = self.get(tile, PortalsRegister::CtSuccess, COUNTER.into());
        (success, self.get(tile, PortalsRegister::CtFailure, COUNTER.into()))
    }

    /// The words of the event of this number, as they lie in the ring.
    pub fn slot(&mut self, tile: usize, number: u32) -> [u32; EVENT_WORDS] {
        let start = RING + number * EVENT_BYTES as u32;
        std::array::from_fn(|word| self.fabric.read(tile, start + 4 * word as u32))
    }

    /// The events that have come to a tile since the last call, phase cut off. The ring is in its first lap.
    pub fn posted(&mut self, tile: usize) -> Vec<[u32; EVENT_WORDS]> {
        let mut posted = vec![];
        loop {
            let mut words = self.slot(tile, self.read[tile]);
            if !Event::phase(words[0]) {
                break;
            }
            words[0] &= u32::MAX >> 1;
            posted.push(words);
            self.read[tile] += 1;
        }
        let read = self.read[tile];
        assert_eq!(self.event(tile, POSTS), (read, None));
        self.set(tile, PortalsRegister::EqTaken, QUEUE, read);
        posted
    }

    /// Kinds and failures of the events that have come to a tile since the last call.
    pub fn kinds_and_failures(&mut self, tile: usize) -> Vec<(EventKind, Failure)> {
        let posted = self.posted(tile);
        let events = posted.iter().map(|words| Event::decode(words).expect("a kind"));
        events.map(|event| (event.kind, event.failure)).collect()
    }

    /// Kinds of the events that have come to a tile since the last call. None of them failed.
    pub fn kinds(&mut self, tile: usize) -> Vec<EventKind> {
        let kinds = self.kinds_and_failures(tile).into_iter();
        kinds
            .map(|(kind, failure)| {
                assert_eq!(failure, Failure::Ok);
                kind
            })
            .collect()
    }

    pub fn write_bytes(&mut self, tile: usize, start: u32, bytes: &[u8]) {
        for (at, &byte) in (start..).zip(bytes) {
            let word = self.fabric.read(tile, at);
            let shift = 8 * (at % 4);
            self.fabric
                .write(tile, at, word & !(0xff << shift) | u32::from(byte) << shift);
        }
    }

    pub fn read_bytes(&mut self, tile: usize, start: u32, length: u32) -> Vec<u8> {
        let mut byte = |at: u32| (self.fabric.read(tile, at) >> (8 * (at % 4))) as u8;
        (start..start + length).map(&mut byte).collect()
    }
}
