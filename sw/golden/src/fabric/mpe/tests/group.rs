//! Engines of a group, and what is on its way between them: each pair of members has a line of each plane, and which one
//! moves next is random.

use std::collections::{BTreeMap, VecDeque};

use portico_spec::{
    mpe::{
        call::{Begin, Call, Kind, Row, Transfer},
        reduce::Operation,
        tree::{Shape, Tree},
    },
    ni::{
        command::{Opcode, EVENT_OFFSET, QUIET_OFFSET},
        registers::{MpeRegister, Place},
        ErrorCode,
    },
    Config, Node,
};
use rand::{rngs::SmallRng, Rng, SeedableRng};

use super::super::{
    super::{
        memory::Memory,
        packet::{DataPacket, Packet},
    },
    Mpe, MpeStep,
};

/// Words of each memory, and what stands in it where a test wrote nothing.
pub const WORDS: usize = 1024;
pub const UNTOUCHED: u64 = 0xdead_beef;

pub struct Group {
    pub tree: Tree,
    pub members: Vec<Mpe>,
    pub memories: Vec<Memory>,
    /// Events of the calls that have ended at each member, with their codes.
    pub ends: Vec<Vec<(u32, Option<ErrorCode>)>>,
    /// Packets sent from one member to another, of the data plane or not.
    pub flying: BTreeMap<(usize, usize, bool), VecDeque<Packet>>,
    pub refused: u32,
    rng: SmallRng,
}

pub fn node(member: usize) -> Node {
    Node { x: member as u8, y: 0 }
}

/// Engines of two contexts with four neighbours at most.
pub fn config() -> Config {
    Config {
        cols: 8,
        rows: 1,
        mpe: 2,
        mpe_neighbours: 4,
        ..Config::default()
    }
}

/// Byte addresses of words 0 and 512.
pub fn transfer(length: u32, operation: Operation) -> Transfer {
    Transfer {
        length,
        source: 0,
        result: 0x800,
        operation,
    }
}

/// The first word of a descriptor.
pub fn first_word(kind: Kind, event: u32, quiet: bool) -> u32 {
    (Opcode::Barrier as u32 + kind as u32) | event << EVENT_OFFSET | u32::from(quiet) << QUIET_OFFSET
}

impl Group {
    /// Members whose ranks the pairs join, in all contexts.
    pub fn new(seed: u64, members: usize, pairs: &[(usize, usize)]) -> Group {
        let config = config();
        let ranks: Vec<usize> = (0..members).collect();
        let tree = Tree::new(&config, &ranks, &Shape::Own(pairs.to_vec())).unwrap();
        let mut group = Group {
            members: vec![Mpe::new(&config, config.mpe); members],
            memories: vec![Memory::Scratchpad(vec![UNTOUCHED; WORDS]); members],
            ends: vec![vec![]; members],
            flying: BTreeMap::new(),
            refused: 0,
            rng: SmallRng::seed_from_u64(seed),
            tree,
        };
        for (member, mpe) in group.members.iter_mut().enumerate() {
            for (at, &neighbour) in group.tree.neighbours(member).iter().enumerate() {
                let place = group.tree.place_at(member, at) as u8;
                let node = node(neighbour);
                let row = Row::encode(Some(Row { node, place })).unwrap();
                for context in 0..config.mpe {
                    assert!(mpe.write(context, MpeRegister::from_number(at).unwrap(), row));
                }
            }
        }
        group
    }

    /// A call as this member is told of it.
    pub fn call(&self, member: usize, kind: Kind, number: u8, root: usize, transfer: Transfer) -> Call {
        Call {
            kind,
            begin: Begin::InTurn,
            number,
            context: 0,
            towards: self.tree.towards(root)[member].map(|place| place as u8),
            transfer,
        }
    }

    /// Posts a call at a member, in the event of its number.
    pub fn post(&mut self, member: usize, call: Call) {
        let mut words = vec![first_word(call.kind, u32::from(call.number) % 64, false)];
        words.extend(call.encode().unwrap());
        self.members[member].commands().push(words);
    }

    /// Posts a call of context 0 at all members.
    pub fn post_all(&mut self, kind: Kind, number: u8, root: usize, transfer: Transfer) {
        for member in 0..self.members.len() {
            let call = self.call(member, kind, number, root, transfer);
            self.post(member, call);
        }
    }

    pub fn status(&self, member: usize, context: usize) -> u32 {
        self.members[member].read(context, MpeRegister::Status)
    }

    pub fn write(&mut self, member: usize, first: usize, words: impl IntoIterator<Item = u32>) {
        for (at, word) in (first..).zip(words) {
            self.memories[member].write(at as u32, word.into());
        }
    }

    pub fn read(&self, member: usize, first: usize, words: usize) -> Vec<u64> {
        (first..first + words)
            .map(|at| self.memories[member].read(at as u32))
            .collect()
    }

    /// Goes on until nothing moves.
    pub fn run(&mut self) {
        let mut standing = vec![false; self.members.len()];
        while self.flying.values().any(|line| !line.is_empty()) || standing.contains(&false) {
            let lines: Vec<_> = self.flying.iter().filter(|(_, line)| !line.is_empty()).collect();
            let choice = self.rng.gen_range(0..self.members.len() + lines.len());
            if choice < self.members.len() {
                standing[choice] = !self.step(choice);
            } else {
                let line = *lines[choice - self.members.len()].0;
                self.arrive(line);
                standing[line.1] = false;
            }
        }
    }

    /// Lets a member do one thing; false if it has nothing to do.
    pub fn step(&mut self, member: usize) -> bool {
        match self.members[member].step(&mut self.memories[member]) {
            None => return false,
            Some(MpeStep::Moves) => {}
            Some(MpeStep::Sends(to, packet)) => {
                let is_data = matches!(packet, Packet::Data(_));
                let line = (member, usize::from(to.x), is_data);
                self.flying.entry(line).or_default().push_back(packet);
            }
            Some(MpeStep::Ends(common, error)) => {
                if error.is_some() || !common.quiet {
                    self.ends[member].push((common.event, error));
                }
            }
        }
        true
    }

    fn arrive(&mut self, line: (usize, usize, bool)) {
        let packet = self.flying.get_mut(&line).unwrap().pop_front().unwrap();
        let (from, to) = (node(line.0), &mut self.members[line.1]);
        let is_taken = match packet {
            Packet::Data(DataPacket::Collective { tag, marks, words }) => to.take_words(from, tag, marks, words),
            Packet::Collective { tag, number } => to.take_control(from, tag, number),
            packet => unreachable!("{packet:?} is not of this engine"),
        };
        self.refused += u32::from(!is_taken);
    }

    /// Nothing was refused, and nothing is left of all these calls in context 0.
    pub fn check_rest(&self, calls: u32) {
        assert_eq!(self.refused, 0);
        for member in 0..self.members.len() {
            assert!(self.members[member].is_idle());
            assert_eq!(self.status(member, 0), 1 | (calls % 256) << 6, "member {member}");
        }
    }
}
