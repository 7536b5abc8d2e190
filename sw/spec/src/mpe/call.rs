//! Calls of the message-passing engine: their descriptors, packets and words (`gao-mpe-2013`, chapter 4).
//!
//! A context of an engine holds one tree of tiles as a list of neighbours ([`Row`]). A call is posted at every member, by a
//! descriptor that names the neighbour on the way to the call's root. What engines tell each other:
//!
//! | packet | plane | words after the head |
//! | --- | --- | --- |
//! | words | data | 1 to [`PACKET_WORDS`]; those of the first packet of a call on an edge begin with its [`CallWord`] |
//! | token | control | none: a member has come to a barrier, or is released from it |
//! | credit | control | none: the room of a packet is free again |
//! | go | control | none: the armed calls of the context are launched |
//!
//! The tag of each says which context and which place in the receiver's list ([`Tag`]). An engine has room for
//! [`PACKETS`] packets of each neighbour, and for a token of the running call and of each of the [`AHEAD`] behind it.
//!
//! Members may mean different calls. A token or a packet with a call word closes the context if its call has ended here, or if it
//! belongs to the running call but the member waits for none such from this neighbour: a token to a call that is no barrier; words
//! to a barrier; words up from the neighbour towards the root, or to a call that does not fold; words down from another neighbour,
//! or to a call that does not spread.
//!
//! A call may be [armed](Begin::Launched): the engine checks it, keeps it, and begins it each time that its context is launched. A
//! [`Launch`] at one member sends a go along the tree; each member passes it on, and begins its armed calls in their order when the
//! calls before them have ended.
//!
//! ```
//! use portico_spec::mpe::{call::{Begin, Call, Kind, Launch, Transfer}, reduce::Operation};
//!
//! let transfer = Transfer { length: 100, source: 0x400, result: 0x800, operation: Operation::FloatSum };
//! let call = Call { kind: Kind::Reduce, begin: Begin::InTurn, number: 7, context: 1, towards: Some(2), transfer };
//! assert_eq!(call.encode()?, [8 << 14 | 2 << 10 | 1 << 8 | 7, 100, 0x400, 0x800]);
//! assert_eq!(Call::decode(Kind::Reduce, &call.encode()?)?, call);
//! assert_eq!(call.call_word().encode()?, 8 << 28 | 2 << 26 | 100 << 8 | 7);
//! let armed = Call { begin: Begin::Launched, ..call };
//! assert_eq!(armed.encode()?[0], 1 << 19 | call.encode()?[0]);
//! assert_eq!(Launch { context: 1 }.encode()?, 1 << 20 | 1 << 8);
//! # Ok::<(), portico_spec::mpe::call::CallError>(())
//! ```

use thiserror::Error;

use super::reduce::{Operation, OPERATION_WIDTH};
use crate::{
    flit::{HEAD_WIDTH, NODE_WIDTH},
    ni::layout::{BitField, FieldError, Layout},
    Node,
};

/// Width of a context's number, in bits.
pub const CONTEXT_WIDTH: usize = 2;
/// Contexts of an engine at most.
pub const CONTEXTS: usize = 1 << CONTEXT_WIDTH;
/// Width of a place in a list of neighbours, in bits.
pub const PLACE_WIDTH: usize = 3;
/// Neighbours of a context at most.
pub const NEIGHBOURS: usize = 1 << PLACE_WIDTH;
/// Packets of one neighbour for which a context has room: its credits.
pub const PACKETS: usize = 2;
/// Words of a packet at most, the call word among them.
pub const PACKET_WORDS: usize = 32;
/// Calls of a context that wait behind the one that runs, at most.
pub const WAITING: usize = 4;
/// Calls of a context that are armed, at most.
pub const ARMED: usize = 2;
/// Width of a number of armed calls, in bits.
pub const ARMED_WIDTH: usize = ARMED.ilog2() as usize + 1;
/// Width of a call's number, in bits.
pub const NUMBER_WIDTH: usize = 8;
/// Width of a call's length in words, in bits.
pub const LENGTH_WIDTH: usize = 18;
/// Width of the kind of a call, in bits.
pub const KIND_WIDTH: usize = 2;
/// Words of the descriptor of a barrier.
pub const BARRIER_WORDS: usize = 2;
/// Words of the descriptor of a call with words.
pub const TRANSFER_WORDS: usize = 5;

/// In word 1 of a descriptor.
pub const CONTEXT_OFFSET: usize = NUMBER_WIDTH;
/// In word 1 of a descriptor.
pub const TOWARDS_OFFSET: usize = CONTEXT_OFFSET + CONTEXT_WIDTH;
/// In word 1 of a descriptor.
pub const ROOT_OFFSET: usize = TOWARDS_OFFSET + PLACE_WIDTH;
/// In word 1 of a descriptor.
pub const OPERATION_OFFSET: usize = ROOT_OFFSET + 1;
/// In word 1 of a descriptor.
pub const NEXT_OFFSET: usize = OPERATION_OFFSET + OPERATION_WIDTH;
/// In word 1 of a descriptor.
pub const ARMED_OFFSET: usize = NEXT_OFFSET + 1;
/// In word 1 of a descriptor.
pub const LAUNCH_OFFSET: usize = ARMED_OFFSET + 1;
/// In a call word.
pub const CALL_LENGTH_OFFSET: usize = NUMBER_WIDTH;
/// In a call word.
pub const CALL_KIND_OFFSET: usize = CALL_LENGTH_OFFSET + LENGTH_WIDTH;
/// In a call word.
pub const CALL_OPERATION_OFFSET: usize = CALL_KIND_OFFSET + KIND_WIDTH;
/// In a tag: the place in the receiver's list.
pub const TAG_PLACE_OFFSET: usize = CONTEXT_WIDTH;
/// Width of the place in a tag, in bits.
pub const TAG_PLACE_WIDTH: usize = 4;
/// In a tag of the control plane: a go rather than a credit.
pub const GO_OFFSET: usize = TAG_PLACE_OFFSET + TAG_PLACE_WIDTH;
/// In a tag of the control plane: a token rather than a credit.
pub const TOKEN_OFFSET: usize = GO_OFFSET + 1;
/// In the head of a token or a go: the low bits of the number of its call. A go has that of the first call that it launches.
pub const HEAD_NUMBER_OFFSET: usize = HEAD_WIDTH;
/// Width of the number in the head of a token or a go, in bits. A neighbour is two calls ahead at most, since it has credits for two
/// packets and leaves no barrier alone; so a number that is three ahead is that of a call that has ended.
pub const HEAD_NUMBER_WIDTH: usize = 2;
/// Calls that a neighbour may be ahead.
pub const AHEAD: usize = (1 << HEAD_NUMBER_WIDTH) - 2;
/// In the head of words: they go away from the root.
pub const DOWN_OFFSET: usize = HEAD_WIDTH;
/// In the head of words: the call word is the first of them.
pub const OPENS_OFFSET: usize = DOWN_OFFSET + 1;
/// In a row of the list: the place that this tile has in the neighbour's list.
pub const ROW_PLACE_OFFSET: usize = NODE_WIDTH;
/// In a row of the list: there is such a neighbour.
pub const PRESENT_OFFSET: usize = ROW_PLACE_OFFSET + PLACE_WIDTH;

const NUMBER: BitField = BitField::new(
    "number",
    0,
    NUMBER_WIDTH,
    "Number of the call in its context, from 0 on since a row of its list was written.",
);
const CONTEXT: BitField = BitField::new("context", CONTEXT_OFFSET, CONTEXT_WIDTH, "Whose tree it uses.");
const TOWARDS: BitField = BitField::new(
    "towards",
    TOWARDS_OFFSET,
    PLACE_WIDTH,
    "Neighbour on the way to the root.",
);
const ROOT: BitField = BitField::new(
    "root",
    ROOT_OFFSET,
    1,
    "This tile is the root: `towards` does not matter.",
);
const OPERATION: BitField = BitField::new("operation", OPERATION_OFFSET, OPERATION_WIDTH, "Of a reduction.");
const NEXT: BitField = BitField::new(
    "next",
    NEXT_OFFSET,
    1,
    "The engine takes the next number of the context: `number` does not matter.",
);
const IS_ARMED: BitField = BitField::new(
    "armed",
    ARMED_OFFSET,
    1,
    "The call is kept, and begins with the next number each time that the context is launched.",
);
const LAUNCH: BitField = BitField::new(
    "launch",
    LAUNCH_OFFSET,
    1,
    "Launches the armed calls of the context at all members. Of opcode barrier only; no field but `context` matters.",
);
const LENGTH: BitField = BitField::new("length", 0, LENGTH_WIDTH, "Words.");
const CALL_LENGTH: BitField = BitField::new("length", CALL_LENGTH_OFFSET, LENGTH_WIDTH, "Words.");
const CALL_KIND: BitField = BitField::new(
    "kind",
    CALL_KIND_OFFSET,
    KIND_WIDTH,
    "Opcode of its descriptor, low bits.",
);
const CALL_OPERATION: BitField = BitField::new("operation", CALL_OPERATION_OFFSET, OPERATION_WIDTH, "Of a reduction.");
const NODE: BitField = BitField::new("node", 0, NODE_WIDTH, "The neighbour's node.");
const ROW_PLACE: BitField = BitField::new(
    "place",
    ROW_PLACE_OFFSET,
    PLACE_WIDTH,
    "The place that this tile has in the neighbour's list.",
);
const PRESENT: BitField = BitField::new("present", PRESENT_OFFSET, 1, "There is such a neighbour.");

/// Word 1 of a call's descriptor.
pub const CALL: Layout = Layout {
    name: "descriptor_call",
    doc: "Word 1 of the descriptor of a call of the message-passing engine.",
    fields: &[NUMBER, CONTEXT, TOWARDS, ROOT, OPERATION, NEXT, IS_ARMED, LAUNCH],
};
/// The first word that a call sends on an edge.
pub const CALL_WORD: Layout = Layout {
    name: "call_word",
    doc: "First word of a call on each edge of its tree.",
    fields: &[NUMBER, CALL_LENGTH, CALL_KIND, CALL_OPERATION],
};
/// Fields of a row of a context's list.
pub const ROW: [BitField; 3] = [NODE, ROW_PLACE, PRESENT];

/// What is called. The numbers are the low bits of the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// No member continues before all members have arrived.
    Barrier = 0,
    /// The root's words to all.
    Broadcast = 1,
    /// All words folded, to the root.
    Reduce = 2,
    /// All words folded, to all.
    Allreduce = 3,
}

impl Kind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Kind; 4] = [Kind::Barrier, Kind::Broadcast, Kind::Reduce, Kind::Allreduce];

    /// Words of its descriptor.
    pub const fn words(self) -> usize {
        match self {
            Kind::Barrier => BARRIER_WORDS,
            _ => TRANSFER_WORDS,
        }
    }

    /// Whether its words are folded, and go towards the root.
    pub const fn folds(self) -> bool {
        matches!(self, Kind::Reduce | Kind::Allreduce)
    }

    /// Whether words come from the root.
    pub const fn spreads(self) -> bool {
        matches!(self, Kind::Broadcast | Kind::Allreduce)
    }
}

/// Why a call is not one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CallError {
    /// A value out of its range.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A wrong number of words, the first included.
    #[error("the descriptor has {words} words, expected {wanted}")]
    Words {
        /// Those it has.
        words: usize,
        /// Those it should have.
        wanted: usize,
    },
    /// An operation without a meaning.
    #[error("operation = {code} is not defined")]
    Operation {
        /// Its code.
        code: u32,
    },
    /// Bit `launch`, where it does not make a [`Launch`].
    #[error("launch is set: allowed is 0 but in a barrier's descriptor, which then is no call")]
    Launch,
    /// An address that is no whole number of words.
    #[error("{name} = {address:#x} is not a multiple of 4")]
    Misaligned {
        /// Which.
        name: &'static str,
        /// The byte address.
        address: u32,
    },
    /// Source and result overlap and are not the same.
    #[error(
        "source = {:#x} and result = {:#x} overlap in {} words: allowed is the same address, or no overlap",
        call.transfer.source, call.transfer.result, call.transfer.length
    )]
    Overlap {
        /// The call, in which all else is right.
        call: Call,
    },
}

/// What a call moves; all zero for a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Words, below 2^18.
    pub length: u32,
    /// Byte address of the member's own words: of a broadcast the root's.
    pub source: u32,
    /// Byte address of the result: of a broadcast at all but the root, of a reduction at the root, of an allreduce at all.
    /// The same as `source`, or apart from it.
    pub result: u32,
    /// Of a reduction; an integer sum where nothing is folded.
    pub operation: Operation,
}

impl Transfer {
    /// Of a barrier.
    pub const NONE: Transfer = Transfer {
        length: 0,
        source: 0,
        result: 0,
        operation: Operation::IntegerSum,
    };
}

/// When a call begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Begin {
    /// When the earlier calls of its context have ended. Its number has to be the next one.
    #[default]
    InTurn,
    /// The same, but the engine gives it the next number.
    Next,
    /// Each time that the context is [launched](Launch), with the next number. Until then the call is *armed*.
    Launched,
}

/// A call, as one member is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// What is called.
    pub kind: Kind,
    /// When it begins.
    pub begin: Begin,
    /// Its number in its context, unless the engine gives it one.
    pub number: u8,
    /// The context.
    pub context: u8,
    /// Place of the neighbour on the way to the root; none at the root.
    pub towards: Option<u8>,
    /// What it moves.
    pub transfer: Transfer,
}

impl Call {
    /// A call without a neighbour towards the root, which begins in its turn.
    pub fn in_turn(kind: Kind, number: u8, context: u8, transfer: Transfer) -> Call {
        Call {
            kind,
            begin: Begin::InTurn,
            number,
            context,
            towards: None,
            transfer,
        }
    }

    /// Words 1 and up of its descriptor.
    ///
    /// # Errors
    /// The first value that is out of its range, an address that is not aligned, and source and result that overlap.
    pub fn encode(&self) -> Result<Vec<u32>, CallError> {
        let Transfer {
            length,
            source,
            result,
            operation,
        } = self.transfer;
        let mut word = NUMBER.place(u32::from(self.number))?
            | CONTEXT.place(u32::from(self.context))?
            | OPERATION.place(operation as u32)?;
        word |= match self.towards {
            Some(place) => TOWARDS.place(u32::from(place))?,
            None => ROOT.mask(),
        };
        word |= match self.begin {
            Begin::InTurn => 0,
            Begin::Next => NEXT.mask(),
            Begin::Launched => IS_ARMED.mask(),
        };
        if self.kind == Kind::Barrier {
            return Ok(vec![word]);
        }
        let words = vec![word, LENGTH.place(length)?, source, result];
        self.check()?;
        Ok(words)
    }

    /// What words 1 and up of a descriptor say.
    ///
    /// # Errors
    /// As [`Call::encode`], a wrong number of words, and bit `launch`.
    pub fn decode(kind: Kind, words: &[u32]) -> Result<Call, CallError> {
        if words.len() + 1 != kind.words() {
            return Err(CallError::Words {
                words: words.len() + 1,
                wanted: kind.words(),
            });
        }
        if LAUNCH.is_set(words[0]) {
            return Err(CallError::Launch);
        }
        let code = OPERATION.take(words[0]);
        let operation = match Operation::from_code(code) {
            Some(operation) => operation,
            None if kind.folds() => return Err(CallError::Operation { code }),
            None => Operation::IntegerSum,
        };
        let call = Call {
            kind,
            begin: match (IS_ARMED.is_set(words[0]), NEXT.is_set(words[0])) {
                (true, _) => Begin::Launched,
                (_, true) => Begin::Next,
                _ => Begin::InTurn,
            },
            number: NUMBER.take(words[0]) as u8,
            context: CONTEXT.take(words[0]) as u8,
            towards: (!ROOT.is_set(words[0])).then_some(TOWARDS.take(words[0]) as u8),
            transfer: match *words {
                [_, length, source, result] => Transfer {
                    length: LENGTH.take(length),
                    source,
                    result,
                    operation,
                },
                _ => Transfer::NONE,
            },
        };
        call.check()?;
        Ok(call)
    }

    fn check(&self) -> Result<(), CallError> {
        let Transfer {
            length, source, result, ..
        } = self.transfer;
        for (name, address) in [("source", source), ("result", result)] {
            if address % 4 != 0 {
                return Err(CallError::Misaligned { name, address });
            }
        }
        let apart = u64::from(source.abs_diff(result)) >= 4 * u64::from(length);
        (source == result || apart)
            .then_some(())
            .ok_or(CallError::Overlap { call: *self })
    }

    /// The first word that it sends on each edge.
    pub fn call_word(&self) -> CallWord {
        CallWord {
            number: self.number,
            length: self.transfer.length,
            kind: self.kind,
            operation: self.transfer.operation as u8,
        }
    }
}

/// Launches the armed calls of a context at all members of its tree. A descriptor of opcode barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The context.
    pub context: u8,
}

impl Launch {
    /// Word 1 of its descriptor.
    ///
    /// # Errors
    /// A context out of its range.
    pub fn encode(&self) -> Result<u32, FieldError> {
        Ok(LAUNCH.mask() | CONTEXT.place(u32::from(self.context))?)
    }

    /// The launch that words 1 and up of a descriptor of opcode barrier encode; none if they encode a call.
    pub fn decode(words: &[u32]) -> Option<Launch> {
        let &[word] = words else { return None };
        LAUNCH.is_set(word).then(|| Launch {
            context: CONTEXT.take(word) as u8,
        })
    }
}

/// What the first packet of a call on an edge begins with: both ends have to mean the same call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallWord {
    /// Number of the call.
    pub number: u8,
    /// Words.
    pub length: u32,
    /// What is called.
    pub kind: Kind,
    /// Code of the operation, as it is in the descriptor.
    pub operation: u8,
}

impl CallWord {
    /// The word.
    ///
    /// # Errors
    /// The first value that is out of its range.
    pub fn encode(&self) -> Result<u32, FieldError> {
        Ok(NUMBER.place(u32::from(self.number))?
            | CALL_LENGTH.place(self.length)?
            | CALL_KIND.place(self.kind as u32)?
            | CALL_OPERATION.place(u32::from(self.operation))?)
    }

    /// What a word says.
    pub fn decode(word: u32) -> CallWord {
        CallWord {
            number: NUMBER.take(word) as u8,
            length: CALL_LENGTH.take(word),
            kind: Kind::ALL[CALL_KIND.take(word) as usize],
            operation: CALL_OPERATION.take(word) as u8,
        }
    }
}

/// Words of payload of each packet that a call of so many words sends on an edge, without the call word: at least one packet,
/// of which the first has room for one word less.
pub fn packets(length: u32) -> Vec<u32> {
    let most = PACKET_WORDS as u32;
    let mut packets = vec![length.min(most - 1)];
    let mut left = length - packets[0];
    while left > 0 {
        packets.push(left.min(most));
        left -= left.min(most);
    }
    packets
}

/// For whom a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The context.
    pub context: u8,
    /// The sender's place in the receiver's list.
    pub place: u8,
    /// Token, go or credit; in the head of words [`Sign::Credit`].
    pub sign: Sign,
}

/// Kind of a packet of the control plane. The numbers are the highest bits of its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// The room of a packet is free again.
    Credit = 0,
    /// The armed calls of the context are launched.
    Go = 1 << GO_OFFSET,
    /// A member has come to a barrier, or is released from it.
    Token = 1 << TOKEN_OFFSET,
}

impl Tag {
    /// The tag of a head.
    pub fn encode(&self) -> u8 {
        self.context | self.place << TAG_PLACE_OFFSET | self.sign as u8
    }

    /// The fields of a head's tag; none if both bits, token and go, are set.
    pub fn decode(tag: u8) -> Option<Tag> {
        let signs = [Sign::Credit, Sign::Go, Sign::Token];
        let sign = signs
            .into_iter()
            .find(|&sign| sign as u8 == tag >> GO_OFFSET << GO_OFFSET)?;
        Some(Tag {
            context: tag & (CONTEXTS as u8 - 1),
            place: tag >> TAG_PLACE_OFFSET & ((1 << TAG_PLACE_WIDTH) - 1),
            sign,
        })
    }
}

/// What the head of words says beside its tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// They go away from the root: the sender is the neighbour towards the root.
    pub is_down: bool,
    /// The call word is the first of them.
    pub opens: bool,
}

impl Marks {
    /// Their bits of a head, which are 0 in all other heads.
    pub fn encode(self) -> u32 {
        u32::from(self.is_down) << DOWN_OFFSET | u32::from(self.opens) << OPENS_OFFSET
    }

    /// What a head says.
    pub fn decode(head: u32) -> Marks {
        Marks {
            is_down: head >> DOWN_OFFSET & 1 == 1,
            opens: head >> OPENS_OFFSET & 1 == 1,
        }
    }
}

/// A row of a context's list of neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The neighbour's node.
    pub node: Node,
    /// The place that this tile has in the neighbour's list.
    pub place: u8,
}

impl Row {
    /// What the register of a row is written with; 0 where there is no neighbour.
    ///
    /// # Errors
    /// A node or place out of its range.
    pub fn encode(row: Option<Row>) -> Result<u32, FieldError> {
        match row {
            None => Ok(0),
            Some(Row { node, place }) => {
                Ok(NODE.place_node(node)? | ROW_PLACE.place(u32::from(place))? | PRESENT.mask())
            }
        }
    }

    /// What the register of a row says.
    pub fn decode(word: u32) -> Option<Row> {
        PRESENT.is_set(word).then(|| Row {
            node: NODE.take_node(word),
            place: ROW_PLACE.take(word) as u8,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ni::command::Opcode;
    use proptest::prelude::*;

    #[test]
    fn kinds_are_the_low_bits_of_the_opcodes() {
        let opcodes = [Opcode::Barrier, Opcode::Broadcast, Opcode::Reduce, Opcode::Allreduce];
        for (kind, opcode) in Kind::ALL.into_iter().zip(opcodes) {
            assert_eq!(opcode as usize % 4, kind as usize);
        }
    }

    #[test]
    fn a_call_is_cut_into_packets_of_32_words_with_the_call_word() {
        assert_eq!(packets(0), [0]);
        assert_eq!(packets(31), [31]);
        assert_eq!(packets(32), [31, 1]);
        assert_eq!(packets(64), [31, 32, 1]);
        assert_eq!(packets(4096).len(), 129);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let transfer = Transfer {
            length: 8,
            source: 0x100,
            result: 0x11c,
            operation: Operation::And,
        };
        let call = Call {
            kind: Kind::Allreduce,
            begin: Begin::InTurn,
            number: 255,
            context: 3,
            towards: None,
            transfer,
        };
        let wrong = |transfer| Call { transfer, ..call }.encode().unwrap_err().to_string();
        assert_eq!(
            wrong(transfer),
            "source = 0x100 and result = 0x11c overlap in 8 words: allowed is the same address, or no overlap"
        );
        assert_eq!(
            wrong(Transfer {
                result: 0x122,
                ..transfer
            }),
            "result = 0x122 is not a multiple of 4"
        );
        assert!(wrong(Transfer {
            length: 1 << 18,
            ..transfer
        })
        .contains("0..=262143"));
        let apart = Transfer {
            result: 0x120,
            ..transfer
        };
        assert!(Call {
            transfer: apart,
            ..call
        }
        .encode()
        .is_ok());
        assert_eq!(
            Call::decode(Kind::Reduce, &[1 << OPERATION_OFFSET, 0, 0, 0]),
            Err(CallError::Operation { code: 1 })
        );
        assert!(Call::decode(Kind::Broadcast, &[1 << OPERATION_OFFSET, 0, 0, 0]).is_ok());
        assert_eq!(
            Call::decode(Kind::Barrier, &[0, 0]),
            Err(CallError::Words { words: 3, wanted: 2 })
        );
        let launch = Launch { context: 3 }.encode().unwrap();
        assert_eq!(Call::decode(Kind::Barrier, &[launch]), Err(CallError::Launch));
        assert_eq!(Call::decode(Kind::Reduce, &[launch, 0, 0, 0]), Err(CallError::Launch));
        assert_eq!(Launch::decode(&[launch, 0]), None);
        assert!(Launch { context: 4 }.encode().is_err());
    }

    proptest! {
        #[test]
        fn all_comes_back(tag: u8, row in any::<u32>(), length in 0..1u32 << LENGTH_WIDTH, number: u8, kind in 0..4usize) {
            let encoded = Tag::decode(tag).map(|tag| tag.encode());
            prop_assert_eq!(encoded, (tag >> GO_OFFSET != 3).then_some(tag));
            let row = row & 0x1fff;
            let again = Row::encode(Row::decode(row)).unwrap();
            prop_assert_eq!(again, if row >> PRESENT_OFFSET == 1 { row } else { 0 });
            let context = number % CONTEXTS as u8;
            prop_assert_eq!(Launch::decode(&[Launch { context }.encode().unwrap()]), Some(Launch { context }));
            let word = CallWord { number, length, kind: Kind::ALL[kind], operation: 11 };
            prop_assert_eq!(CallWord::decode(word.encode().unwrap()), word);
            let cut = packets(length);
            prop_assert_eq!(cut.iter().sum::<u32>(), length);
            prop_assert!(cut.iter().skip(1).all(|&words| (1..=32).contains(&words)) && cut[0] < 32);
        }
    }
}
