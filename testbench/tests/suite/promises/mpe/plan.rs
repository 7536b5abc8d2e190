//! A call at one member: what its neighbours send to the engine, and what the engine owes them, the scratchpad and the event.

use portico_spec::mpe::{
    call::{packets, Call, Kind},
    reduce::Operation,
};

/// A call that the engine is told of, and the words of all that take part.
pub struct Plan {
    pub call: Call,
    pub event: u64,
    /// Places of the neighbours: towards the root, and the others in the order of the list.
    pub way: Option<usize>,
    pub children: Vec<usize>,
    /// The member's own words.
    pub own: Vec<u32>,
    /// Words that each child gives to a reduction.
    pub theirs: Vec<Vec<u32>>,
    /// Words that come from the root.
    pub down: Vec<u32>,
}

impl Plan {
    fn folds(&self) -> bool {
        self.call.kind.folds()
    }

    fn spreads(&self) -> bool {
        self.call.kind.spreads()
    }

    /// The own words, then those of each child in the order of the list.
    fn sums(&self) -> Vec<u32> {
        let fold = |sums: Vec<u32>, theirs: &Vec<u32>| {
            let pairs = sums.into_iter().zip(theirs);
            pairs
                .map(|(sum, &word)| folded(self.call.transfer.operation, sum, word))
                .collect()
        };
        self.theirs.iter().fold(self.own.clone(), fold)
    }

    /// Packets of a phase on one edge, without their heads: the call word, then all words.
    fn cut(&self, words: &[u32]) -> Vec<Vec<u32>> {
        let mut left = words.iter().copied();
        let lengths = packets(words.len() as u32).into_iter().enumerate();
        let packets = lengths.map(|(at, length)| {
            let call_word = (at == 0).then(|| self.call.call_word().encode().expect("a call word"));
            call_word
                .into_iter()
                .chain(left.by_ref().take(length as usize))
                .collect()
        });
        packets.collect()
    }

    /// Packets that a neighbour sends without waiting for this member.
    pub fn comes(&self, place: usize) -> Vec<Vec<u32>> {
        let child = self.children.iter().position(|&child| child == place);
        match child {
            Some(child) if self.folds() => self.cut(&self.theirs[child]),
            None if self.call.kind == Kind::Broadcast => self.cut(&self.down),
            _ => vec![],
        }
    }

    /// Packets that the neighbour towards the root sends when it has all of the sums of this member.
    pub fn comes_down(&self) -> Vec<Vec<u32>> {
        match self.call.kind {
            Kind::Allreduce => self.cut(&self.down),
            _ => vec![],
        }
    }

    /// Packets that the engine owes a neighbour.
    pub fn goes(&self, place: usize) -> Vec<Vec<u32>> {
        if self.way == Some(place) {
            return if self.folds() { self.cut(&self.sums()) } else { vec![] };
        }
        match (self.spreads(), self.way, self.call.kind) {
            (false, ..) => vec![],
            (true, Some(_), _) => self.cut(&self.down),
            (true, None, Kind::Broadcast) => self.cut(&self.own),
            (true, None, _) => self.cut(&self.sums()),
        }
    }

    /// Words that lie at the result when the event has counted.
    pub fn result(&self) -> Option<Vec<u32>> {
        match (self.way, self.folds(), self.spreads()) {
            (None, true, _) => Some(self.sums()),
            (Some(_), _, true) => Some(self.down.clone()),
            _ => None,
        }
    }

    /// Neighbours, and of how many packets of each the head has come before the head of packet `nth` goes to a neighbour.
    pub fn awaited(&self, place: usize, nth: usize) -> Vec<(usize, usize)> {
        let of_children = |count: usize| self.children.iter().map(|&child| (child, count)).collect();
        match (self.way, self.call.kind) {
            (Some(way), _) if way == place => of_children(nth + 1),
            (Some(way), _) => vec![(way, nth + 1)],
            // The whole result is written before the first word goes down.
            (None, Kind::Allreduce) => of_children(packets(self.own.len() as u32).len()),
            (None, _) => vec![],
        }
    }

    /// Neighbours whose token has come before a token goes to a neighbour; before the event, if to none.
    pub fn tokens_awaited(&self, place: Option<usize>) -> Vec<usize> {
        match (self.call.kind, self.way) {
            (Kind::Barrier, Some(way)) if place == Some(way) => self.children.clone(),
            (Kind::Barrier, way) => self.children.iter().copied().chain(way).collect(),
            _ => vec![],
        }
    }
}

/// A sum and a contribution to it, as the operation says.
fn folded(operation: Operation, sum: u32, word: u32) -> u32 {
    match operation {
        Operation::IntegerSum => sum.wrapping_add(word),
        Operation::IntegerMax => (sum as i32).max(word as i32) as u32,
        Operation::Xor => sum ^ word,
        Operation::FloatSum => (f32::from_bits(sum) + f32::from_bits(word)).to_bits(),
        other => unreachable!("{} is not drawn", other.name()),
    }
}
