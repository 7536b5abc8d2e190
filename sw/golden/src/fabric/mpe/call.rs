//! A call of one member, and how far it has come.

use portico_spec::{
    fp::Format,
    mpe::{
        call::{packets, Call, CallWord, Kind, Marks, OPERATION_OFFSET},
        reduce::OPERATION_WIDTH,
    },
};

use super::edge::Words;
use crate::{
    fabric::{bits::field, descriptor::Common, memory::Memory},
    mpe::reduce::reduce,
};

/// What a call does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// A barrier waits until all members below have come.
    Comes,
    /// A barrier waits until it is released.
    Waits,
    /// Words go to the root, folded on their way.
    Up,
    /// Words come from the root.
    Down,
    /// All is done.
    Over,
}

/// A call that was accepted.
#[derive(Clone, Debug)]
pub(super) struct Posted {
    pub common: Common,
    pub call: Call,
    call_word: u64,
    pub phase: Phase,
    /// Payload of each packet, in words.
    lengths: Vec<u32>,
    /// The packet that is next in this phase, and the words of those before it.
    packet: usize,
    words_before: u64,
    /// Of a packet on its way down: it is in the memory, and so many children have it.
    pub is_stored: bool,
    pub sent: usize,
}

impl Posted {
    /// The call of a descriptor, whose words 0 and 1 are given.
    pub fn new(call: Call, [word, call_fields]: [u32; 2]) -> Posted {
        // An operation that has no meaning travels too, where nothing is folded.
        let operation = field(call_fields, OPERATION_OFFSET, OPERATION_WIDTH) as u8;
        let call_word = CallWord {
            operation,
            ..call.call_word()
        };
        Posted {
            common: Common::of(word),
            call,
            call_word: call_word.encode().expect("all of it is from a descriptor").into(),
            phase: match call.kind {
                Kind::Barrier => Phase::Comes,
                Kind::Broadcast => Phase::Down,
                Kind::Reduce | Kind::Allreduce => Phase::Up,
            },
            lengths: packets(call.transfer.length),
            packet: 0,
            words_before: 0,
            is_stored: false,
            sent: 0,
        }
    }

    /// Place of the neighbour on the way to the root.
    pub fn towards(&self) -> Option<usize> {
        self.call.towards.map(usize::from)
    }

    /// Words in front of the payload of the next packet.
    fn front(&self) -> &[u64] {
        match self.packet {
            0 => std::slice::from_ref(&self.call_word),
            _ => &[],
        }
    }

    /// Whether words come in this call from the neighbour in this place, up or down.
    pub fn awaits(&self, place: usize, is_down: bool) -> bool {
        let is_towards = self.towards() == Some(place);
        match is_down {
            true => self.call.kind.spreads() && is_towards,
            false => self.call.kind.folds() && !is_towards,
        }
    }

    /// Of the next packet.
    fn marks(&self) -> Marks {
        Marks {
            is_down: self.phase == Phase::Down,
            opens: self.packet == 0,
        }
    }

    /// Whether a packet is the next one of this call. The marks of the first one are compared, as its call word is.
    pub fn expects(&self, Words { marks, words }: &Words) -> bool {
        let front = self.front();
        (front.is_empty() || *marks == self.marks())
            && words.starts_with(front)
            && words.len() == front.len() + self.lengths[self.packet] as usize
    }

    /// The next packet with this payload.
    pub fn packet_with(&self, payload: &[u64]) -> Words {
        Words {
            marks: self.marks(),
            words: [self.front(), payload].concat(),
        }
    }

    /// The payload of a packet that is expected.
    pub fn payload<'a>(&self, words: &'a [u64]) -> &'a [u64] {
        &words[self.front().len()..]
    }

    /// Words of the memory for the next packet, of those that begin at byte `address`.
    pub fn load(&self, memory: &Memory, address: u32) -> Vec<u64> {
        let first = u64::from(address / 4) + self.words_before;
        let words = u64::from(self.lengths[self.packet]);
        (first..first + words).map(|word| memory.read(word as u32)).collect()
    }

    /// Writes the payload of the next packet to its place in the result.
    pub fn store(&self, memory: &mut Memory, payload: &[u64]) {
        let first = u64::from(self.call.transfer.result / 4) + self.words_before;
        for (word, &data) in (first..).zip(payload) {
            memory.write(word as u32, data);
        }
    }

    /// Folds a contribution of a child into accumulated words. Exceptions of floating-point numbers are not reported.
    pub fn fold(&self, words: &mut [u64], contribution: &[u64]) {
        let operation = self.call.transfer.operation as u32;
        for (word, &other) in words.iter_mut().zip(contribution) {
            (*word, _) = reduce(Format::BINARY32, operation, *word, other);
        }
    }

    /// Goes on to the packet behind the next one, or to the next phase.
    pub fn advance(&mut self) {
        self.words_before += u64::from(self.lengths[self.packet]);
        self.packet += 1;
        (self.is_stored, self.sent) = (false, 0);
        if self.packet == self.lengths.len() {
            (self.packet, self.words_before) = (0, 0);
            self.phase = match (self.phase, self.call.kind) {
                (Phase::Up, Kind::Allreduce) => Phase::Down,
                _ => Phase::Over,
            };
        }
    }
}
