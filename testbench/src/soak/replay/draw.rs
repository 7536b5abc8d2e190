//! Commands of a tile, right and wrong.

use super::{site, Both, Site};
use portico_spec::{
    ni::descriptor::{Command as NodeCommand, Descriptor},
    portals::{
        engine::{
            Ack, Append, Command, Control, Move, Operation, Search, ACK_DISABLE, ANY_USER, COMM_DISABLE, CT_BYTES,
            CT_COMM, CT_OVERFLOW, LINK_DISABLE, OP_GET, OP_PUT, OVER_DISABLE, SUCCESS_DISABLE, UNLINK_DISABLE,
        },
        list::{List, ANY_SOURCE, MANAGE_LOCAL, NO_TRUNCATE, UNEXPECTED_HDR_DISABLE, USE_ONCE},
    },
    Config,
};
use rand::{rngs::StdRng, seq::SliceRandom, Rng};

/// Appends and moves of a tile in a run, at most.
pub const APPENDS: usize = 20;
pub const MOVES: usize = 40;
/// Bytes of a message at most: three packets. Those that a rank has in an entry, and those of an entry of four ranks.
pub const MOVE_BYTES: u32 = 256;
const PARTS: u32 = 4;
pub const ENTRY_BYTES: u32 = PARTS * MOVE_BYTES;
/// Commands of a tile in a run.
const COMMANDS: std::ops::RangeInclusive<usize> = 30..=90;
/// Portal indices: enabled ones of both interfaces, one that is not enabled, one that is not allocated.
pub const OPEN_PORTALS: [u8; 3] = [5, 6, 64 + 9];
pub const SHUT_PORTAL: u8 = 7;
const ABSENT_PORTAL: u8 = 8;
pub const PORTALS: [u8; 5] = [
    OPEN_PORTALS[0],
    OPEN_PORTALS[1],
    OPEN_PORTALS[2],
    SHUT_PORTAL,
    ABSENT_PORTAL,
];
/// Match bits are below, so that many match.
const MATCHES: u64 = 3;
/// Chances of the options of an entry.
const OPTIONS: [(usize, f64); 16] = [
    (ANY_SOURCE, 0.6),
    (USE_ONCE, 0.5),
    (NO_TRUNCATE, 0.15),
    (MANAGE_LOCAL, 0.3),
    (UNEXPECTED_HDR_DISABLE, 0.15),
    (OP_PUT, 0.95),
    (OP_GET, 0.7),
    (ACK_DISABLE, 0.15),
    (LINK_DISABLE, 0.15),
    (UNLINK_DISABLE, 0.15),
    (COMM_DISABLE, 0.1),
    (OVER_DISABLE, 0.1),
    (SUCCESS_DISABLE, 0.1),
    (CT_COMM, 0.4),
    (CT_OVERFLOW, 0.4),
    (CT_BYTES, 0.3),
];

/// What a rank has still to do in a run, and what it has done.
pub struct Lane {
    rank: usize,
    pub left: usize,
    appends: usize,
    moves: usize,
    number: u32,
}

impl Lane {
    pub fn new(rank: usize, random: &mut StdRng) -> Lane {
        Lane {
            rank,
            left: random.gen_range(COMMANDS),
            appends: 0,
            moves: 0,
            number: 0,
        }
    }

    /// The next descriptor of its tile, for hardware and for the model: handles differ.
    ///
    /// # Errors
    /// The driver's.
    pub fn draw(
        &mut self,
        config: &Config,
        site: &Site,
        both: &mut Both,
        random: &mut StdRng,
    ) -> anyhow::Result<[Vec<u32>; 2]> {
        self.left -= 1;
        self.number += 1;
        let commands = match random.gen_range(0..100) {
            0..=54 if self.moves < MOVES => [self.request(site, random); 2],
            55..=79 if self.appends < APPENDS => [self.append(site, random); 2],
            0..=85 => [search(self.number, site, random); 2],
            86..=91 => self.unlink(site, both, random)?,
            _ => [control(random); 2],
        };
        let descriptor = Descriptor {
            event: site::OF_DESCRIPTORS,
            quiet: random.gen(),
            ..Descriptor::new(NodeCommand::Portals(commands[0]))
        };
        let encode = |command| -> anyhow::Result<Vec<u32>> {
            let command = NodeCommand::Portals(command);
            Ok(Descriptor {
                command,
                ..descriptor.clone()
            }
            .encode(config)?)
        };
        Ok([encode(commands[0])?, encode(commands[1])?])
    }

    /// A put or a get, with a place of its own for what comes back.
    fn request(&mut self, site: &Site, random: &mut StdRng) -> Command {
        let length = random.gen_range(0..=MOVE_BYTES);
        let landing = site::LANDINGS + self.moves as u32 * MOVE_BYTES;
        self.moves += 1;
        let operation = if random.gen_bool(0.7) {
            Operation::Put
        } else {
            Operation::Get
        };
        let (local, header_data) = match operation {
            Operation::Put => (site::SOURCE + random.gen_range(0..=MOVE_BYTES), random.gen()),
            Operation::Get => (landing, 0),
        };
        Command::Move(Move {
            operation,
            ack: *[Ack::None, Ack::Full, Ack::Count, Ack::Operation]
                .choose(random)
                .expect("there are some"),
            portal: portal(random),
            descriptor: random.gen_range(0..site::DESCRIPTORS),
            rank: random.gen_range(0..site.ranks.len()) as u16,
            local,
            length,
            remote: self.rank as u32 * MOVE_BYTES + random.gen_range(0..=MOVE_BYTES - length),
            match_bits: random.gen_range(0..MATCHES),
            user_pointer: self.number,
            header_data,
        })
    }

    fn append(&mut self, site: &Site, random: &mut StdRng) -> Command {
        let place = self.appends as u32;
        self.appends += 1;
        let skipped = random.gen_range(0..4);
        let length = match random.gen_bool(0.7) {
            true => ENTRY_BYTES - skipped,
            false => random.gen_range(0..=ENTRY_BYTES - skipped),
        };
        Command::Append(Append {
            list: if random.gen_bool(0.6) {
                List::Priority
            } else {
                List::Overflow
            },
            portal: portal(random),
            counter: random
                .gen::<bool>()
                .then(|| random.gen_range(site::DESCRIPTORS..site::SET_COUNTER)),
            source: random.gen_range(0..site.ranks.len()) as u16,
            options: options(random),
            start: site::ENTRIES + place * ENTRY_BYTES + skipped,
            user: if random.gen_bool(0.8) {
                ANY_USER
            } else {
                random.gen_range(0..2)
            },
            length,
            min_free: if random.gen() {
                0
            } else {
                random.gen_range(0..=MOVE_BYTES)
            },
            match_bits: random.gen_range(0..MATCHES),
            ignore_bits: ignored(random),
            user_pointer: self.number,
            handle_address: site::HANDLES + 4 * place,
        })
    }

    /// Unlinks an entry that may have left by itself; of one whose append is not over, something that is no handle.
    fn unlink(&self, site: &Site, both: &mut Both, random: &mut StdRng) -> anyhow::Result<[Command; 2]> {
        if self.appends == 0 {
            return Ok([Command::Unlink(random.gen()); 2]);
        }
        let byte = site::HANDLES + 4 * random.gen_range(0..self.appends) as u32;
        let [found, of_golden] = both.words(site.ranks[self.rank], byte, 4)?;
        Ok(match (found[0], of_golden[0]) {
            (0, _) | (_, 0) => [Command::Unlink(u32::MAX); 2],
            (found, of_golden) => [Command::Unlink(found), Command::Unlink(of_golden)],
        })
    }
}

fn search(number: u32, site: &Site, random: &mut StdRng) -> Command {
    Command::Search(Search {
        deletes: random.gen(),
        portal: portal(random),
        source: random.gen_range(0..site.ranks.len()) as u16,
        options: options(random),
        length: random.gen_range(0..=MOVE_BYTES),
        match_bits: random.gen_range(0..MATCHES),
        ignore_bits: ignored(random),
        user_pointer: number,
    })
}

fn control(random: &mut StdRng) -> Command {
    let (success, failure) = (random.gen(), random.gen());
    Command::Control(match random.gen_range(0..20) {
        0..=3 => Control::Set {
            counter: site::SET_COUNTER,
            success,
            failure,
        },
        4..=7 => Control::Increment {
            counter: random.gen_range(0..site::SET_COUNTER),
            success,
            failure,
        },
        // More often enabled than disabled.
        8..=14 => Control::Enable(portal(random)),
        15..=18 => Control::Disable(portal(random)),
        _ => Control::Free(portal(random)),
    })
}

/// A portal index, mostly one that is enabled.
fn portal(random: &mut StdRng) -> u8 {
    match random.gen_bool(0.94) {
        true => *OPEN_PORTALS.choose(random).expect("there are some"),
        false => *PORTALS.choose(random).expect("there are some"),
    }
}

fn options(random: &mut StdRng) -> u16 {
    let chosen = OPTIONS.into_iter().filter(|&(_, chance)| random.gen_bool(chance));
    chosen.fold(0, |options, (option, _)| options | 1 << option)
}

fn ignored(random: &mut StdRng) -> u64 {
    *[0, 0, 1, 2, u64::MAX].choose(random).expect("there are some")
}
