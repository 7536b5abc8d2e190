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

use crate::{
    flit::KIND_WIDTH,
    ni::{
        build::Build,
        command::{Opcode, OPCODE_WIDTH, TRANSFER_WORDS},
        packet::{ControlKind, DataKind},
        registers::{Block, BLOCK_WIDTH},
        GET_CREDITS, GET_FLITS,
    },
    Config, Terminal,
};

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
pub const SEATS: usize = 4;

/// Opcodes of an engine: a run that begins at a multiple, so that a few bits tell whose a descriptor is. Those of the run
/// without a meaning are for the engine to refuse.
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

/// Mailboxes, and the events in which everything ends.
const INBOX: Part = Part {
    name: "inbox",
    control: &[ControlKind::Mail as u8],
    blocks: &[Block::Mailboxes as u8, Block::Events as u8],
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

/// All parts. Engines take their seats in this order.
pub static PARTS: &[Part] = ROWS;

const ROWS: &[Part] = &[RECEIVER, REQUESTER, SERVER, INBOX, IDENTITY, MONITOR, PAGES, PROBE];

const _: () = assert!(fault(ROWS).is_none(), "the table of parts contradicts itself");

/// What is wrong with a table of parts; parts by their place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Two parts take the same kind of packets of the data plane.
    DataKind {
        /// The kind.
        kind: usize,
        /// One owner.
        part: usize,
        /// The other.
        other: usize,
    },
    /// Two parts take the same kind of packets of the control plane.
    ControlKind {
        /// The kind.
        kind: usize,
        /// One owner.
        part: usize,
        /// The other.
        other: usize,
    },
    /// Two parts take the same descriptors.
    Opcode {
        /// The opcode.
        opcode: usize,
        /// One owner.
        part: usize,
        /// The other.
        other: usize,
    },
    /// Two parts have the same block of registers.
    Block {
        /// The block.
        block: usize,
        /// One owner.
        part: usize,
        /// The other.
        other: usize,
    },
    /// The opcodes of an engine are not a run of [`OPCODE_RUN`].
    Run {
        /// Whose.
        part: usize,
    },
    /// A part holds ejection of the control plane.
    HoldsControl {
        /// Which.
        part: usize,
    },
    /// An engine holds ejection of the data plane.
    HoldsData {
        /// Which.
        part: usize,
    },
    /// A room is shorter than a packet.
    Room {
        /// Whose.
        part: usize,
        /// Which, by its place in the row.
        room: usize,
    },
    /// An engine without opcodes, or with more than one kind of a plane: its door has one.
    Engine {
        /// Which.
        part: usize,
    },
    /// More engines than a socket has seats.
    Seats {
        /// The first that finds none.
        part: usize,
    },
    /// A part claims a kind, opcode or block with a number that no field has.
    Number {
        /// Which.
        part: usize,
    },
}

const fn has(numbers: &[u8], number: u8) -> bool {
    let mut at = 0;
    while at < numbers.len() {
        if numbers[at] == number {
            return true;
        }
        at += 1;
    }
    false
}

const fn has_opcode(part: &Part, opcode: u8) -> bool {
    match part.opcodes {
        Some(Opcodes { first, last }) => first <= opcode && opcode <= last,
        None => false,
    }
}

const fn fits(numbers: &[u8], width: usize) -> bool {
    let mut at = 0;
    while at < numbers.len() {
        if numbers[at] as usize >= 1 << width {
            return false;
        }
        at += 1;
    }
    true
}

/// What is wrong with a part by itself.
const fn own_fault(part: &Part, at: usize) -> Option<Fault> {
    if !fits(part.data, KIND_WIDTH) || !fits(part.control, KIND_WIDTH) || !fits(part.blocks, BLOCK_WIDTH) {
        return Some(Fault::Number { part: at });
    }
    if part.is_engine && (part.opcodes.is_none() || part.data.len() > 1 || part.control.len() > 1) {
        return Some(Fault::Engine { part: at });
    }
    if let Some(Opcodes { first, last }) = part.opcodes {
        if first > last || last as usize >= 1 << OPCODE_WIDTH {
            return Some(Fault::Number { part: at });
        }
        let run = OPCODE_RUN as u8;
        if part.is_engine && (first % run != 0 || last - first + 1 != run) {
            return Some(Fault::Run { part: at });
        }
    }
    let mut wait = 0;
    while wait < part.waits.len() {
        match part.waits[wait].held {
            Hold::ControlEject => return Some(Fault::HoldsControl { part: at }),
            Hold::DataEject if part.is_engine => return Some(Fault::HoldsData { part: at }),
            _ => {}
        }
        wait += 1;
    }
    let mut room = 0;
    while room < part.rooms.len() {
        if part.rooms[room].flits < part.rooms[room].longest {
            return Some(Fault::Room { part: at, room });
        }
        room += 1;
    }
    None
}

/// What two parts both claim.
const fn shared(one: &Part, part: usize, two: &Part, other: usize) -> Option<Fault> {
    let mut number = 0;
    while number < u8::MAX {
        let at = number as usize;
        if has(one.data, number) && has(two.data, number) {
            return Some(Fault::DataKind { kind: at, part, other });
        }
        if has(one.control, number) && has(two.control, number) {
            return Some(Fault::ControlKind { kind: at, part, other });
        }
        if has(one.blocks, number) && has(two.blocks, number) {
            return Some(Fault::Block { block: at, part, other });
        }
        if has_opcode(one, number) && has_opcode(two, number) {
            return Some(Fault::Opcode {
                opcode: at,
                part,
                other,
            });
        }
        number += 1;
    }
    None
}

/// The first fault of a table: a number that does not fit its field, a run of opcodes that is none, a wait that holds
/// what may not be held, a room that is too short, something with two owners.
pub const fn fault(parts: &[Part]) -> Option<Fault> {
    let (mut part, mut engines) = (0, 0);
    while part < parts.len() {
        engines += parts[part].is_engine as usize;
        if engines > SEATS {
            return Some(Fault::Seats { part });
        }
        if let Some(fault) = own_fault(&parts[part], part) {
            return Some(fault);
        }
        let mut other = part + 1;
        while other < parts.len() {
            if let Some(fault) = shared(&parts[part], part, &parts[other], other) {
                return Some(fault);
            }
            other += 1;
        }
        part += 1;
    }
    None
}

impl Part {
    /// Whether descriptors with this opcode are its own.
    pub const fn takes(&self, opcode: u8) -> bool {
        has_opcode(self, opcode)
    }

    /// Whether this terminal has it.
    pub fn is_at(&self, config: &Config, terminal: usize) -> bool {
        let station = match config.terminal(terminal) {
            Terminal::Tile(_) => Station::Tile,
            Terminal::Edge(0) => Station::Host,
            Terminal::Edge(_) => Station::Memory,
        };
        self.stations.contains(&station) && config.build_of(terminal).has(self)
    }
}

impl Build {
    /// Whether a node that is built so, of a kind that may have the part, has it.
    pub fn has(&self, part: &Part) -> bool {
        (part.is_built)(self)
    }
}

impl Config {
    /// The engines of every tile, in the order of their seats.
    pub fn engines(&self) -> impl Iterator<Item = &'static Part> + '_ {
        let build = self.build();
        PARTS.iter().filter(move |part| part.is_engine && build.has(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flit::MAX_PAYLOAD_FLITS;

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
            assert_eq!(owners(&|part| has_opcode(part, opcode as u8)), 1, "{opcode:?}");
        }
        for &block in Block::ALL {
            assert_eq!(owners(&|part| part.blocks.contains(&(block as u8))), 1, "{block:?}");
        }
    }

    /// The table with one row more.
    fn with(part: Part) -> Option<Fault> {
        let mut parts = PARTS.to_vec();
        parts.push(part);
        fault(&parts)
    }

    #[test]
    fn a_wrong_row_is_caught() {
        const WAIT: Wait = Wait {
            held: Hold::ControlEject,
            awaited: Hold::DataInject,
            why: "planted",
        };
        const DATA: Wait = Wait {
            held: Hold::DataEject,
            awaited: Hold::ControlInject,
            why: "planted",
        };
        const SHORT: Room = Room {
            what: "planted",
            packets: 2,
            flits: MAX_PAYLOAD_FLITS,
            longest: MAX_PAYLOAD_FLITS + 1,
        };
        let engine = Part {
            name: "planted",
            is_engine: true,
            opcodes: Some(Opcodes { first: 28, last: 31 }),
            ..NOTHING
        };
        let new = PARTS.len();
        assert_eq!(with(engine), None);
        let waits = |waits| with(Part { waits, ..engine });
        assert_eq!(waits(&[WAIT]), Some(Fault::HoldsControl { part: new }));
        assert_eq!(waits(&[DATA]), Some(Fault::HoldsData { part: new }));
        let rooms = &[SHORT];
        assert_eq!(with(Part { rooms, ..engine }), Some(Fault::Room { part: new, room: 0 }));
        let other = new;
        let part = |name| PARTS.iter().position(|part| part.name == name).unwrap();
        let (kind, receiver) = (DataKind::Atomic as usize, part("receiver"));
        let data = &[DataKind::Atomic as u8];
        let twice = Fault::DataKind {
            kind,
            part: receiver,
            other,
        };
        assert_eq!(with(Part { data, ..engine }), Some(twice));
        let (kind, inbox) = (ControlKind::Mail as usize, part("inbox"));
        let control = &[ControlKind::Mail as u8];
        let twice = Fault::ControlKind {
            kind,
            part: inbox,
            other,
        };
        assert_eq!(with(Part { control, ..engine }), Some(twice));
        let (block, monitor) = (Block::Counters as usize, part("monitor"));
        let blocks = &[Block::Counters as u8];
        let twice = Fault::Block {
            block,
            part: monitor,
            other,
        };
        assert_eq!(with(Part { blocks, ..engine }), Some(twice));
        let run = |first, last| {
            with(Part {
                opcodes: Some(Opcodes { first, last }),
                ..engine
            })
        };
        let (opcode, requester) = (8, part("requester"));
        assert_eq!(
            run(8, 11),
            Some(Fault::Opcode {
                opcode,
                part: requester,
                other
            })
        );
        assert_eq!(run(13, 16), Some(Fault::Run { part: new }));
        assert_eq!(run(30, 33), Some(Fault::Number { part: new }));
        assert_eq!(with(Part { data: &[8], ..engine }), Some(Fault::Number { part: new }));
    }

    #[test]
    fn a_socket_has_its_seats_and_a_door_one_kind_of_an_engine() {
        const RUN: u8 = OPCODE_RUN as u8;
        let engine = |seat: u8| Part {
            name: "planted",
            is_engine: true,
            opcodes: Some(Opcodes {
                first: 32 - RUN * (seat + 1),
                last: 31 - RUN * seat,
            }),
            ..NOTHING
        };
        let all: Vec<Part> = (0..=SEATS as u8).map(engine).collect();
        assert_eq!(fault(&all[1..]), None);
        assert_eq!(fault(&all), Some(Fault::Seats { part: SEATS }));
        let (opcodes, data, control) = (None, &[5, 6][..], &[6, 7][..]);
        let base = engine(0);
        for part in [
            Part { opcodes, ..base },
            Part { data, ..base },
            Part { control, ..base },
        ] {
            assert_eq!(fault(&[part]), Some(Fault::Engine { part: 0 }));
        }
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
