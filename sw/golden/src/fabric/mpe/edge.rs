//! One neighbour of a context: what has come from it, and what may go to it.

use std::collections::VecDeque;

use portico_spec::{
    mpe::call::{Row, Tag, PACKETS},
    Node,
};

use super::{
    super::packet::{DataPacket, Packet},
    MpeStep,
};

/// A place in the list of neighbours.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub row: Option<Row>,
    /// Words of each packet that has come, the oldest first.
    pub packets: VecDeque<Vec<u64>>,
    /// Packets for which the neighbour has room.
    pub credits: usize,
    pub tokens: usize,
    /// Credits and tokens that are still to be sent.
    pub owed_credits: usize,
    pub owed_tokens: usize,
    /// A go with this number is still to be sent.
    pub owed_go: Option<u8>,
}

impl Edge {
    /// A place without a neighbour.
    pub fn new() -> Edge {
        Edge {
            row: None,
            packets: VecDeque::new(),
            credits: PACKETS,
            tokens: 0,
            owed_credits: 0,
            owed_tokens: 0,
            owed_go: None,
        }
    }

    /// Takes a packet, if it has words and there is room for it. One that is too long is kept whole: its length is wrong.
    pub fn take_words(&mut self, words: Vec<u64>) -> bool {
        let fits = !words.is_empty() && self.packets.len() < PACKETS;
        if fits {
            self.packets.push_back(words);
        }
        fits
    }

    /// Takes a token or a credit, unless there are as many as there can be.
    pub fn take_control(&mut self, is_token: bool) -> bool {
        let count = if is_token { &mut self.tokens } else { &mut self.credits };
        let fits = *count < PACKETS;
        *count += usize::from(fits);
        fits
    }

    /// Whether no packet is here, nor at the neighbour, and nothing is owed. All credits of a place without a neighbour are at
    /// home.
    pub fn is_at_rest(&self) -> bool {
        self.packets.is_empty()
            && self.credits == PACKETS
            && self.owed_credits + self.owed_tokens == 0
            && self.owed_go.is_none()
    }

    /// Gives the oldest packet out, and owes a credit for its room.
    ///
    /// # Panics
    /// If there is none.
    pub fn free(&mut self) -> Vec<u64> {
        self.owed_credits += 1;
        self.packets.pop_front().expect("seen before")
    }

    /// Sends one token, credit or go that is owed.
    pub fn pay(&mut self, context: u8) -> Option<MpeStep> {
        let mut is_token = false;
        let mut go = None;
        if self.owed_tokens > 0 {
            self.owed_tokens -= 1;
            is_token = true;
        } else if self.owed_credits > 0 {
            self.owed_credits -= 1;
        } else {
            go = Some(self.owed_go.take()?);
        }
        let (node, tag) = self.address(context, is_token, go.is_some());
        let number = go.unwrap_or(0);
        Some(MpeStep::Sends(node, Packet::Collective { tag, number }))
    }

    /// Sends words, if the neighbour has room.
    pub fn send(&mut self, context: u8, words: Vec<u64>) -> Option<MpeStep> {
        self.credits = self.credits.checked_sub(1)?;
        let (node, tag) = self.address(context, false, false);
        Some(MpeStep::Sends(
            node,
            Packet::Data(DataPacket::Collective { tag, words }),
        ))
    }

    /// Where the neighbour is, and what tells it who sends.
    fn address(&self, context: u8, is_token: bool, is_go: bool) -> (Node, u8) {
        let Row { node, place } = self.row.expect("only a neighbour is sent to");
        let tag = Tag {
            context,
            place,
            is_token,
            is_go,
        };
        (node, tag.encode())
    }
}
