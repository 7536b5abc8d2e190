//! Calls as their members mean them.

use super::{Group, Seat, Words};
use portico_spec::{
    mpe::{
        call::{Begin, Call, Kind as CallKind, Transfer},
        reduce::Operation as Reduction,
    },
    ni::{
        command::SHAPERS,
        descriptor::{Command, Descriptor},
        segment::SEGMENTS,
    },
};
use rand::{rngs::StdRng, seq::SliceRandom, Rng};

/// A call as one member means it: other members may mean another.
pub struct OwnCall {
    pub kind: CallKind,
    pub operation: Reduction,
    pub length: u32,
    pub towards: Option<u8>,
    pub number: u8,
}

impl OwnCall {
    /// Draws a call with this number, on which all members of a group agree; gives that of each, by rank.
    pub fn draw(group: &Group, number: u8, seats: &[Vec<Seat>], random: &mut StdRng) -> Vec<OwnCall> {
        let kind = *CallKind::ALL.choose(random).expect("there are some");
        let operation = *Reduction::ALL.choose(random).expect("there are some");
        let root = random.gen_range(0..group.tiles().len());
        let length = seats[group.tiles()[root]][group.context].words.length(random);
        let towards = group.towards(root).into_iter();
        let own = towards.map(|towards| OwnCall {
            kind,
            operation,
            length,
            towards,
            number,
        });
        own.collect()
    }

    /// The call, with random places among the member's words.
    pub fn call(self, context: usize, begin: Begin, words: &Words, random: &mut StdRng) -> Call {
        let (source, result) = words.draw(self.length, random);
        Call {
            kind: self.kind,
            begin,
            number: self.number,
            context: context as u8,
            towards: self.towards,
            transfer: match self.kind {
                CallKind::Barrier => Transfer::NONE,
                _ => Transfer {
                    length: self.length,
                    source,
                    result,
                    operation: self.operation,
                },
            },
        }
    }
}

/// A descriptor in which all that the engine does not look at is random.
pub fn descriptor(call: Call, event: usize, quiet: bool, random: &mut impl Rng) -> Descriptor {
    Descriptor {
        segment: random.gen_range(0..SEGMENTS) as u8,
        event: event as u8,
        quiet,
        drained: random.gen(),
        shaper: random.gen_range(0..SHAPERS) as u8,
        command: Command::Call(call),
    }
}
