//! What engines tell each other. A message is one packet here, however long it is.

use portico_spec::portals::{
    engine::{Operation, Request, Status, PUT_HEADER_WORDS, ROOM_WORDS},
    list::{Entry, PORTAL_OFFSET},
};

/// A whole message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::fabric) enum Message {
    /// A put or a get.
    Ask(Ask),
    /// The answer of its target.
    Answer(Answer),
}

/// A put or a get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::fabric) struct Ask {
    /// The sender's rank.
    pub rank: u8,
    /// Operation, acknowledgement, portal index and slot.
    pub request: Request,
    /// The sender's user.
    pub user: u16,
    /// Requested length, in bytes.
    pub length: u32,
    /// Requested offset, in bytes.
    pub remote: u32,
    /// Match bits.
    pub match_bits: u64,
    /// Header data; of a get 0.
    pub header_data: u64,
    /// The data of a put.
    pub payload: Vec<u8>,
}

/// An acknowledgement, a reply, or a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::fabric) struct Answer {
    /// Slot of the request.
    pub slot: u8,
    /// How it ended.
    pub status: Status,
    /// Offset used, in bytes.
    pub offset: u32,
    /// The data of a get.
    pub payload: Vec<u8>,
}

impl Ask {
    /// The header, as the lists have it.
    pub fn header(&self) -> Entry {
        Entry {
            source: u16::from(self.rank) | u16::from(self.request.portal) << PORTAL_OFFSET,
            match_bits: self.match_bits,
            length: self.length,
            offset: self.remote,
            ..Entry::default()
        }
    }
}

impl Message {
    /// Packets that are refused with it: of a request as many as hardware sends. An answer comes to an engine that waits for it,
    /// and is never refused.
    pub fn packets(&self) -> u32 {
        match self {
            Message::Ask(Ask { request, payload, .. }) if request.operation == Operation::Put => {
                (PUT_HEADER_WORDS + payload.len().div_ceil(4)).div_ceil(ROOM_WORDS) as u32
            }
            Message::Ask(_) => 1,
            Message::Answer(_) => 0,
        }
    }
}
