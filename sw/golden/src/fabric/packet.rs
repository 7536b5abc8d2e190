//! What one node tells another. Addresses and offsets count words of the fabric's width.

use portico_spec::{
    flit::Head,
    mpe::call::Marks,
    ni::{
        command::SEGMENT_OFFSET,
        packet::{Address, ControlKind, DataKind, Operation, Rows, ERROR_WIDTH, SLOT_WIDTH},
        segment::HANDLE_WIDTH,
        ErrorCode,
    },
    Node,
};

use super::{bits::field, portals, transfer::Transfer};

/// A packet on its way.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub source: Node,
    pub destination: Node,
    pub packet: Packet,
}

/// A packet of either plane.
#[derive(Clone, Debug)]
pub(super) enum Packet {
    Data(DataPacket),
    Answer(Answer),
    Mail {
        mailbox: u32,
        value: u64,
    },
    Get {
        tag: u8,
        slot: u8,
        transfer: Transfer,
    },
    /// `number` is that of a token or a go: the low bits of a call's number.
    Collective {
        tag: u8,
        number: u8,
    },
    Portals(portals::Message),
}

/// A packet of the data plane, without the nodes in its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataPacket {
    /// Words for a window.
    Put {
        /// The window.
        tag: u8,
        /// Slot of the initiator, for the answer.
        slot: u8,
        /// How the words lie.
        place: Place,
        /// The payload.
        words: Vec<u64>,
        /// It ends the transfer.
        last: bool,
    },
    /// Words that a get asked for.
    Reply {
        /// Slot of the get.
        slot: u8,
        /// Where in the memory the words go.
        place: Place,
        /// The payload.
        words: Vec<u64>,
        /// It ends the transfer.
        last: bool,
        /// Of the last: the code of the error that broke the get off, or 0. Codes without a meaning travel too.
        error: u8,
    },
    /// Words for a window in pointer mode.
    Stream {
        /// The window.
        tag: u8,
        /// The payload.
        words: Vec<u64>,
        /// It ends the transfer.
        last: bool,
    },
    /// An atomic operation.
    Atomic(Atomic),
    /// A message for a queue.
    Message {
        /// The queue's window.
        tag: u8,
        /// The sender's handle of the queue.
        handle: u8,
        /// The payload.
        words: Vec<u64>,
    },
    /// Words of a collective, for a message-passing engine.
    Collective {
        /// Context, and place of the sender.
        tag: u8,
        /// Which way they go, and whether the call word is the first of them.
        marks: Marks,
        /// The payload; of the first packet of a call the call word first.
        words: Vec<u64>,
    },
    /// For the sink of a source/sink core.
    Probe {
        /// Part of the content's seed.
        tag: u8,
        /// The payload.
        words: Vec<u64>,
    },
    /// One packet of a message of a Portals engine. Nodes of the golden fabric tell each other whole messages instead.
    Portals {
        /// Slot of a reply, rank of the sender of any other packet.
        tag: u8,
        /// The words after the head.
        words: Vec<u64>,
    },
}

/// Where words go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Offset or address of the first.
    pub first: u64,
    /// How rows of them lie, unless all lie one after the other.
    pub rows: Option<Rows>,
}

impl Place {
    /// Where word number `word` goes.
    pub fn of(&self, word: u64) -> u64 {
        let rows = self.rows.unwrap_or_default();
        let (row, stride) = (u64::from(rows.row), u64::from(rows.stride));
        self.first + word.checked_div(row).map_or(word, |full| full * stride + word % row)
    }
}

impl From<u64> for Place {
    fn from(first: u64) -> Place {
        Place { first, rows: None }
    }
}

/// An atomic operation on a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atomic {
    /// The window.
    pub tag: u8,
    /// Slot of the initiator, for the answer.
    pub slot: u8,
    /// Offset of the word, or of the first of two.
    pub offset: u64,
    /// Code of the [`Operation`]; one without a meaning is refused at the target.
    pub operation: u32,
    /// It is of 64 bits rather than 32.
    pub wide: bool,
    /// Of 32 bits in a word of 64: it is the upper half.
    pub half: bool,
    /// In words of 32 bits, the lower half first.
    pub operands: Vec<u32>,
}

/// What a target tells an initiator on the control plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A transaction is complete.
    Ack {
        /// Slot of the transaction.
        slot: u8,
    },
    /// A transaction, or words of one packet of it, are refused.
    Refuse {
        /// Slot of the transaction.
        slot: u8,
        /// Why.
        error: ErrorCode,
        /// The transaction is over.
        last: bool,
    },
    /// An atomic is complete and has a result.
    Value {
        /// Slot of the transaction.
        slot: u8,
        /// The old value.
        value: u64,
    },
    /// A queue has taken a message out.
    Credit {
        /// The sender's handle of the queue.
        segment: u8,
    },
}

impl DataPacket {
    /// Reads a packet of so many bits a flit: its source and what it says. None for a kind without a meaning, or without
    /// the ADDRESS word or handle that its kind has.
    ///
    /// # Panics
    /// If there is no flit.
    pub fn decode(flits: &[u64], width: usize) -> Option<(Node, DataPacket)> {
        let Head {
            source,
            tag,
            kind,
            last,
            ..
        } = Head::decode(flits[0] as u32);
        let kind = DataKind::from_code(kind.into())?;
        if kind == DataKind::Stream {
            let words = flits[1..].to_vec();
            return Some((source, DataPacket::Stream { tag, words, last }));
        }
        if kind == DataKind::Collective {
            let words = flits[1..].to_vec();
            let marks = Marks::decode(flits[0] as u32);
            return Some((source, DataPacket::Collective { tag, marks, words }));
        }
        if kind == DataKind::Probe {
            let words = flits[1..].to_vec();
            return Some((source, DataPacket::Probe { tag, words }));
        }
        if kind == DataKind::Portals {
            let words = flits[1..].to_vec();
            return Some((source, DataPacket::Portals { tag, words }));
        }
        let second = *flits.get(1)? as u32;
        let address = Address::decode(second);
        let (slot, offset) = (address.slot, u64::from(address.offset));
        let place = || Place {
            first: offset,
            rows: address.strided.then(|| {
                flits
                    .get(2)
                    .map_or_else(Rows::default, |&word| Rows::decode(word as u32))
            }),
        };
        let placed = || flits.get(2 + usize::from(address.strided)..).unwrap_or(&[]).to_vec();
        let packet = match kind {
            DataKind::Put => DataPacket::Put {
                tag,
                slot,
                place: place(),
                words: placed(),
                last,
            },
            DataKind::Reply => DataPacket::Reply {
                slot: field(tag.into(), 0, SLOT_WIDTH) as u8,
                place: place(),
                words: placed(),
                last,
                error: field(slot.into(), 0, ERROR_WIDTH) as u8,
            },
            DataKind::Atomic => DataPacket::Atomic(Atomic {
                tag,
                slot,
                offset,
                operation: address.operation.into(),
                wide: address.wide,
                half: address.strided && !address.wide && width == 64,
                operands: flits[2..].iter().map(|&word| word as u32).collect(),
            }),
            DataKind::Message => DataPacket::Message {
                tag,
                handle: field(second, SEGMENT_OFFSET, HANDLE_WIDTH) as u8,
                words: flits[2..].to_vec(),
            },
            DataKind::Stream | DataKind::Collective | DataKind::Probe | DataKind::Portals => {
                unreachable!("has no second word")
            }
        };
        Some((source, packet))
    }
}

impl Atomic {
    /// Operands that an operation of 32 bits has, in 32-bit words; none if there is no such operation.
    pub fn operands(operation: u32) -> Option<usize> {
        Some(match Operation::from_code(operation)? {
            Operation::FetchClear | Operation::Peek => 0,
            Operation::PostAdd | Operation::Poke | Operation::FetchAdd => 1,
            Operation::CompareAndSwap | Operation::AddIf => 2,
        })
    }
}

impl Answer {
    /// The flits of the answer.
    pub fn encode(&self, source: Node, destination: Node) -> Vec<u64> {
        let (kind, tag, last, words) = match *self {
            Answer::Ack { slot } => (ControlKind::Ack, slot, true, vec![]),
            Answer::Refuse { slot, error, last } => (ControlKind::Refuse, slot, last, vec![error as u64]),
            Answer::Value { slot, value } => {
                let words = vec![value & u64::from(u32::MAX), value >> 32];
                (ControlKind::Value, slot, true, words)
            }
            Answer::Credit { segment } => (ControlKind::Credit, segment, false, vec![]),
        };
        let head = Head {
            destination,
            source,
            tag,
            kind: kind as u8,
            last,
        };
        let head = head.encode().expect("nodes and kinds fit");
        [vec![head.into()], words].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_packet_lie_a_stride_apart() {
        let place = Place {
            first: 10,
            rows: Some(Rows { row: 2, stride: 5 }),
        };
        assert_eq!([0, 1, 2, 3, 4].map(|word| place.of(word)), [10, 11, 15, 16, 20]);
        assert_eq!([0, 1, 2].map(|word| Place::from(7).of(word)), [7, 8, 9]);
        let nothing = Place {
            first: 3,
            rows: Some(Rows::default()),
        };
        assert_eq!(nothing.of(2), 5);
    }

    #[test]
    fn a_packet_without_its_address_has_no_meaning() {
        let head = |kind: DataKind| {
            u64::from(
                Head {
                    kind: kind as u8,
                    ..Head::default()
                }
                .encode()
                .unwrap(),
            )
        };
        let decoded = |kind| DataPacket::decode(&[head(kind)], 32);
        for kind in [DataKind::Put, DataKind::Reply, DataKind::Atomic, DataKind::Message] {
            assert_eq!(decoded(kind), None);
        }
        assert!(decoded(DataKind::Stream).is_some());
        let marks = Marks::default();
        let collective = DataPacket::Collective {
            tag: 0,
            marks,
            words: vec![],
        };
        assert_eq!(decoded(DataKind::Collective), Some((Node::default(), collective)));
        let portals = DataPacket::Portals { tag: 0, words: vec![] };
        assert_eq!(decoded(DataKind::Portals), Some((Node::default(), portals)));
    }
}
