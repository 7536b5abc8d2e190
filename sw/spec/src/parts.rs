//! The parts of a node: one table from which doors, command ports and the proof against deadlock take who owns what.
//!
//! A row has all that a part claims for itself: kinds of packets, opcodes, blocks of registers, room for packets; and the
//! waits that it adds to those of the mesh. When this crate is compiled, [`fault`] finds no second owner, no wait that
//! holds ejection of the control plane, and no room that is shorter than a packet; the proof of a fabric
//! ([`crate::deadlock::fabric`]) has its edges from the rows.
//!
//! ```
//! use portico_spec::{parts::{fault, Fault, Hold, Part, Wait, PARTS, PROBE}, Config};
//!
//! let config = Config { probe: true, ..Config::default() };
//! assert_eq!(config.engines().map(|part| part.name).collect::<Vec<_>>(), ["probe"]);
//!
//! let stuck = Wait { held: Hold::ControlEject, awaited: Hold::DataInject, why: "a token waits for a packet" };
//! let waits = Box::leak(Box::new([stuck]));
//! assert_eq!(fault(&[Part { waits, ..PROBE }]), Some(Fault::HoldsControl { part: 0 }));
//! ```

pub use self::check::{fault, Fault};
use crate::{
    mpe::call::{PACKETS, PACKET_WORDS},
    ni::{
        build::Build,
        command::{Opcode, TRANSFER_WORDS},
        packet::{ControlKind, DataKind},
        registers::Block,
        GET_CREDITS, GET_FLITS,
    },
    portals::engine::{ROOMS, ROOM_WORDS},
    Config, Terminal,
};

mod check;

/// What kind of node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Station {
    /// A tile of the mesh.
    Tile,
    /// The host's node, the first at the edge.
    Host,
    /// External memory, at the edge.
    Memory,
}

impl Station {
    /// All kinds.
    pub const ALL: [Station; 3] = [Station::Tile, Station::Host, Station::Memory];

    /// Its name, of letters and `_`.
    pub fn name(self) -> &'static str {
        match self {
            Station::Tile => "tile",
            Station::Host => "host",
            Station::Memory => "memory_node",
        }
    }

    /// How many items of a block of registers a node of this kind has that is built so, 0 without the block.
    pub fn items(self, build: &Build, block: Block) -> usize {
        let mut owners = PARTS.iter().filter(|part| part.blocks.contains(&(block as u8)));
        match owners.any(|part| part.stations.contains(&self) && build.has(part)) {
            true => build.items(block),
            false => 0,
        }
    }

    /// Whether nodes of this kind may have a block of registers.
    pub fn has_block(self, block: Block) -> bool {
        let most = match self {
            Station::Tile => Build::FULL,
            Station::Host => Build::FULL.of_host(),
            Station::Memory => Build::FULL.of_memory_node(),
        };
        self.items(&most, block) > 0
    }
}

/// What a part may hold while it waits, or wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// The end of the data plane: a flit that has come is not taken.
    DataEject,
    /// The beginning of the data plane.
    DataInject,
    /// The end of the control plane.
    ControlEject,
    /// The beginning of the control plane.
    ControlInject,
}

/// A part holds one thing while it waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// What it holds.
    pub held: Hold,
    /// What it waits for.
    pub awaited: Hold,
    /// Why.
    pub why: &'static str,
}

/// Room that is reserved for a packet before it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// What it is.
    pub what: &'static str,
    /// How many packets of a peer have one each: its credits.
    pub packets: usize,
    /// Flits of one.
    pub flits: usize,
    /// Flits of the longest packet that comes into it.
    pub longest: usize,
}

/// Opcodes that lie together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opcodes {
    /// The first; a multiple of [`OPCODE_RUN`] for an engine.
    pub first: u8,
    /// The last; an engine has [`OPCODE_RUN`].
    pub last: u8,
}

/// Engines of a node at most.
pub const SEATS: usize = 6;

/// Opcodes of an engine: a run that begins at a multiple of its length, so that a few bits of an opcode select the
/// engine. The engine refuses the opcodes of its run that have no meaning.
pub const OPCODE_RUN: usize = 4;

/// A part of a node.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// In small letters.
    pub name: &'static str,
    /// Kinds of nodes that have it.
    pub stations: &'static [Station],
    /// Whether a node that is built so has it.
    pub is_built: fn(&Build) -> bool,
    /// It is an engine: it stands in the socket of a node, and never holds one of its doors.
    pub is_engine: bool,
    /// Kinds of packets that it takes from the data plane.
    pub data: &'static [u8],
    /// From the control plane.
    pub control: &'static [u8],
    /// Descriptors that it takes.
    pub opcodes: Option<Opcodes>,
    /// Blocks of registers.
    pub blocks: &'static [u8],
    /// Room for packets.
    pub rooms: &'static [Room],
    /// What it may wait for.
    pub waits: &'static [Wait],
}

/// Claims nothing.
const NOTHING: Part = Part {
    name: "",
    stations: &[Station::Tile, Station::Host, Station::Memory],
    is_built: |_| true,
    is_engine: false,
    data: &[],
    control: &[],
    opcodes: None,
    blocks: &[],
    rooms: &[],
    waits: &[],
};

/// The end of the data plane.
const RECEIVER: Part = Part {
    name: "receiver",
    data: &[
        DataKind::Put as u8,
        DataKind::Reply as u8,
        DataKind::Stream as u8,
        DataKind::Atomic as u8,
        DataKind::Message as u8,
    ],
    blocks: &[Block::Tags as u8, Block::Release as u8],
    waits: &[Wait {
        held: Hold::DataEject,
        awaited: Hold::ControlInject,
        why: "the end of a packet waits until its acknowledgement, refusal or value is on its way",
    }],
    ..NOTHING
};

/// Commands, micro-cores and slots.
const REQUESTER: Part = Part {
    name: "requester",
    is_built: Build::takes_commands,
    control: &[
        ControlKind::Ack as u8,
        ControlKind::Refuse as u8,
        ControlKind::Value as u8,
        ControlKind::Credit as u8,
    ],
    opcodes: Some(Opcodes {
        first: Opcode::Put as u8,
        last: Opcode::Serve as u8,
    }),
    blocks: &[
        Block::Command as u8,
        Block::Segments as u8,
        Block::Shapers as u8,
        Block::Program as u8,
    ],
    ..NOTHING
};

/// Get requests of other nodes.
const SERVER: Part = Part {
    name: "server",
    control: &[ControlKind::Get as u8],
    rooms: &[Room {
        what: "queue of get requests",
        packets: GET_CREDITS,
        flits: GET_FLITS,
        // The words of a get of planes, of which the head takes the place of the first.
        longest: TRANSFER_WORDS[2],
    }],
    ..NOTHING
};

/// Mailboxes.
const INBOX: Part = Part {
    name: "inbox",
    is_built: |build| build.mailboxes > 0,
    control: &[ControlKind::Mail as u8],
    blocks: &[Block::Mailboxes as u8],
    ..NOTHING
};

/// The events in which everything ends.
const EVENTS: Part = Part {
    name: "events",
    blocks: &[Block::Events as u8],
    ..NOTHING
};

/// What a node is.
const IDENTITY: Part = Part {
    name: "identity",
    blocks: &[Block::Control as u8],
    ..NOTHING
};

/// Counters.
const MONITOR: Part = Part {
    name: "monitor",
    is_built: |build| build.monitors,
    blocks: &[Block::Counters as u8],
    ..NOTHING
};

/// Pages of external memory.
const PAGES: Part = Part {
    name: "pages",
    stations: &[Station::Memory],
    blocks: &[Block::Pages as u8],
    ..NOTHING
};

/// The source/sink core: see [`crate::probe`]. Its sink has no room, because it takes every flit as it comes.
pub const PROBE: Part = Part {
    name: "probe",
    stations: &[Station::Tile],
    is_built: |build| build.probe,
    is_engine: true,
    data: &[DataKind::Probe as u8],
    opcodes: Some(Opcodes {
        first: Opcode::Probe as u8,
        last: Opcode::Probe as u8 + OPCODE_RUN as u8 - 1,
    }),
    blocks: &[Block::Probe as u8],
    ..NOTHING
};

/// The message-passing engine: see [`crate::mpe::call`]. It holds neither door, and what it owes on the control plane is bounded
/// by credits and by the protocol of barriers, with a place for all of it; so it adds no wait.
///
/// A packet that is sent before all of it has come waits for the rest of that packet, which is on its way into reserved room
/// here. As an arrow this wait would close cycles (a to b and back); it is none, because ejection of its kind waits for
/// nothing: the chain of heads ends at a packet that lies whole at its sender.
pub const MPE: Part = Part {
    name: "mpe",
    stations: &[Station::Tile],
    is_built: |build| build.mpe > 0,
    is_engine: true,
    data: &[DataKind::Collective as u8],
    control: &[ControlKind::Collective as u8],
    opcodes: Some(Opcodes {
        first: Opcode::Barrier as u8,
        last: Opcode::Allreduce as u8,
    }),
    blocks: &[Block::Mpe as u8],
    rooms: &[Room {
        what: "edge buffer of a neighbour",
        packets: PACKETS,
        flits: PACKET_WORDS,
        // The head is not kept.
        longest: PACKET_WORDS,
    }],
    ..NOTHING
};

/// The streams of a tile: see [`crate::streams`]. It has no packets, and no stream holds up anything but itself; so it adds
/// no wait.
pub const STREAMS: Part = Part {
    name: "streams",
    stations: &[Station::Tile],
    is_built: |build| build.streams,
    is_engine: true,
    opcodes: Some(Opcodes {
        first: Opcode::Send as u8,
        last: Opcode::Send as u8 + OPCODE_RUN as u8 - 1,
    }),
    blocks: &[Block::Streams as u8],
    ..NOTHING
};

/// The Portals engine: see [`crate::portals::engine`]. Requests and replies come into rooms that credits have reserved. A
/// receiver that waits to answer holds back credits, not flits, and what it owes on the control plane is bounded by the
/// requests that have room here; so it adds no wait.
pub const PORTALS: Part = Part {
    name: "portals",
    stations: &[Station::Tile],
    is_built: |build| build.portals > 0,
    is_engine: true,
    data: &[DataKind::Portals as u8],
    control: &[ControlKind::Portals as u8],
    opcodes: Some(Opcodes {
        first: Opcode::Move as u8,
        last: Opcode::Move as u8 + OPCODE_RUN as u8 - 1,
    }),
    blocks: &[Block::Portals as u8],
    rooms: &[
        Room {
            what: "rooms of a rank",
            packets: ROOMS,
            flits: ROOM_WORDS,
            // The head is not kept.
            longest: ROOM_WORDS,
        },
        Room {
            what: "rooms of a slot of gets",
            packets: ROOMS,
            flits: ROOM_WORDS,
            longest: ROOM_WORDS,
        },
    ],
    ..NOTHING
};

/// All parts. Engines take their seats in this order.
pub static PARTS: &[Part] = ROWS;

const ROWS: &[Part] = &[
    RECEIVER, REQUESTER, SERVER, INBOX, EVENTS, IDENTITY, MONITOR, PAGES, PROBE, MPE, PORTALS, STREAMS,
];

const _: () = assert!(fault(ROWS).is_none(), "the table of parts contradicts itself");

impl Part {
    /// Whether descriptors with this opcode are its own.
    pub const fn takes(&self, opcode: u8) -> bool {
        match self.opcodes {
            Some(Opcodes { first, last }) => first <= opcode && opcode <= last,
            None => false,
        }
    }

    /// Whether this terminal has it.
    pub fn is_at(&self, config: &Config, terminal: usize) -> bool {
        self.stations.contains(&config.station(terminal)) && config.build_of(terminal).has(self)
    }
}

impl Build {
    /// Whether a node that is built so, of a kind that may have the part, has it.
    pub fn has(&self, part: &Part) -> bool {
        (part.is_built)(self)
    }
}

impl Config {
    /// What kind of node a terminal is.
    pub fn station(&self, terminal: usize) -> Station {
        match self.terminal(terminal) {
            Terminal::Tile(_) => Station::Tile,
            Terminal::Edge(0) => Station::Host,
            Terminal::Edge(_) => Station::Memory,
        }
    }

    /// The engines of every tile, in the order of their seats.
    pub fn engines(&self) -> impl Iterator<Item = &'static Part> + '_ {
        let build = self.build();
        PARTS.iter().filter(move |part| part.is_engine && build.has(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_opcode_and_block_has_its_owner() {
        let owners = |owns: &dyn Fn(&Part) -> bool| PARTS.iter().filter(|part| owns(part)).count();
        for &kind in DataKind::ALL {
            assert_eq!(owners(&|part| part.data.contains(&(kind as u8))), 1, "{kind:?}");
        }
        for &kind in ControlKind::ALL {
            assert_eq!(owners(&|part| part.control.contains(&(kind as u8))), 1, "{kind:?}");
        }
        for &opcode in Opcode::ALL {
            assert_eq!(owners(&|part| part.takes(opcode as u8)), 1, "{opcode:?}");
        }
        for &block in Block::ALL {
            assert_eq!(owners(&|part| part.blocks.contains(&(block as u8))), 1, "{block:?}");
        }
    }

    #[test]
    fn a_memory_node_is_a_receiver_and_a_server() {
        let config = Config {
            memories: 1,
            ..Config::default()
        };
        let config = config.fabric().unwrap();
        let memory = config.terminals() - 1;
        let parts = PARTS.iter().filter(|part| part.is_at(&config, memory));
        let names: Vec<&str> = parts.map(|part| part.name).collect();
        assert_eq!(names, ["receiver", "server", "events", "identity", "monitor", "pages"]);
    }

    #[test]
    fn tiles_have_engines_and_the_edge_has_none() {
        let config = Config {
            cols: 3,
            memories: 1,
            probe: true,
            ..Config::default()
        };
        let config = config.fabric().unwrap();
        for terminal in 0..config.terminals() {
            assert_eq!(PROBE.is_at(&config, terminal), terminal < config.tiles(), "{terminal}");
        }
        assert!(!PROBE.is_at(&Config::default(), 0));
        assert_eq!(Config::default().engines().count(), 0);
    }
}
