//! One neighbour of a context: what has come from it, and what may go to it.

use std::collections::VecDeque;

use portico_spec::{
    mpe::call::{Marks, Row, Sign, Tag, AHEAD, PACKETS},
    Node,
};

use super::{
    super::packet::{DataPacket, Packet},
    MpeStep,
};

/// A packet of words.
#[derive(Clone, Debug)]
pub(super) struct Words {
    pub marks: Marks,
    /// The payload, with the call word.
    pub words: Vec<u64>,
}

/// A place in the list of neighbours.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub row: Option<Row>,
    /// Packets that have come, the oldest first.
    pub packets: VecDeque<Words>,
    /// Packets for which the neighbour has room.
    pub credits: usize,
    /// Whether a token of the running call is here, or if none runs of the next; and of each call that the neighbour may be ahead.
    pub tokens: [bool; AHEAD + 1],
    /// Credits that are still to be sent, and the low bits of the numbers of tokens.
    pub owed_credits: usize,
    pub owed_tokens: VecDeque<u8>,
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
            tokens: [false; AHEAD + 1],
            owed_credits: 0,
            owed_tokens: VecDeque::new(),
            owed_go: None,
        }
    }

    /// Takes a packet, if it has words and there is room for it. One that is too long is kept whole: its length is wrong.
    pub fn take_words(&mut self, packet: Words) -> bool {
        let fits = !packet.words.is_empty() && self.packets.len() < PACKETS;
        if fits {
            self.packets.push_back(packet);
        }
        fits
    }

    /// Takes a credit, unless all are here.
    pub fn take_credit(&mut self) -> bool {
        let fits = self.credits < PACKETS;
        self.credits += usize::from(fits);
        fits
    }

    /// Takes a token of a call that is so many ahead, unless one of this call is here.
    pub fn take_token(&mut self, ahead: usize) -> bool {
        !std::mem::replace(&mut self.tokens[ahead], true)
    }

    /// Takes the token of the running call out; false if there is none.
    pub fn use_token(&mut self) -> bool {
        std::mem::take(&mut self.tokens[0])
    }

    /// The running call has ended. Gives whether a token of it is left.
    pub fn end_call(&mut self) -> bool {
        let is_left = self.use_token();
        self.tokens.rotate_left(1);
        is_left
    }

    /// Whether no packet is here, nor at the neighbour, and nothing is owed. All credits of a place without a neighbour are at
    /// home.
    pub fn is_at_rest(&self) -> bool {
        self.packets.is_empty()
            && self.credits == PACKETS
            && self.owed_credits == 0
            && self.owed_tokens.is_empty()
            && self.owed_go.is_none()
    }

    /// Gives the oldest packet out, and owes a credit for its room.
    ///
    /// # Panics
    /// If there is none.
    pub fn free(&mut self) -> Words {
        self.owed_credits += 1;
        self.packets.pop_front().expect("seen before")
    }

    /// Sends one token, credit or go that is owed.
    pub fn pay(&mut self, context: u8) -> Option<MpeStep> {
        let (sign, number) = if let Some(number) = self.owed_tokens.pop_front() {
            (Sign::Token, number)
        } else if self.owed_credits > 0 {
            self.owed_credits -= 1;
            (Sign::Credit, 0)
        } else {
            (Sign::Go, self.owed_go.take()?)
        };
        let (node, tag) = self.address(context, sign);
        Some(MpeStep::Sends(node, Packet::Collective { tag, number }))
    }

    /// Sends words, if the neighbour has room.
    pub fn send(&mut self, context: u8, Words { marks, words }: Words) -> Option<MpeStep> {
        self.credits = self.credits.checked_sub(1)?;
        let (node, tag) = self.address(context, Sign::Credit);
        Some(MpeStep::Sends(
            node,
            Packet::Data(DataPacket::Collective { tag, marks, words }),
        ))
    }

    /// Where the neighbour is, and what tells it who sends.
    fn address(&self, context: u8, sign: Sign) -> (Node, u8) {
        let Row { node, place } = self.row.expect("only a neighbour is sent to");
        let tag = Tag { context, place, sign };
        (node, tag.encode())
    }
}
