//! What one node tells another. A packet here is one run of words, whatever number of flits and packets it takes.

use portico_spec::{ni::ErrorCode, Node};

use super::transfer::Transfer;

/// A packet on its way.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub source: Node,
    pub destination: Node,
    pub packet: Packet,
}

/// What it says; addresses and offsets count words of the fabric's width.
#[derive(Clone, Debug)]
pub(super) enum Packet {
    Put {
        tag: u8,
        slot: u8,
        offset: u64,
        words: Vec<u64>,
        last: bool,
    },
    Reply {
        slot: u8,
        address: u64,
        words: Vec<u64>,
        last: bool,
    },
    Stream {
        tag: u8,
        words: Vec<u64>,
        last: bool,
    },
    Atomic(Atomic),
    Message {
        tag: u8,
        descriptor: u32,
        words: Vec<u64>,
    },
    Ack {
        slot: u8,
    },
    Refuse {
        slot: u8,
        error: ErrorCode,
    },
    Value {
        slot: u8,
        value: u64,
    },
    Mail {
        mailbox: u32,
        value: u64,
    },
    Get {
        tag: u8,
        slot: u8,
        transfer: Transfer,
    },
    Credit {
        segment: u8,
    },
}

/// An atomic operation on a window.
#[derive(Clone, Debug)]
pub(super) struct Atomic {
    pub tag: u8,
    pub slot: u8,
    pub offset: u64,
    pub operation: u32,
    pub wide: bool,
    /// Upper half of a 64-bit word.
    pub half: bool,
    pub operands: Vec<u32>,
}
