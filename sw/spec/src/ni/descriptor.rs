//! Descriptors: what software asks of a network interface, in bytes.
//!
//! A descriptor is 2 to 16 words. Word 0 says what is asked, of which segment, and which event counts when it is done:
//! [`WORD`]. The others depend on the [`Command`]:
//!
//! | command | w1 | w2 | w3 | w4 | w5 | w6 |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | put, get | remote offset | local address | rows, row | remote stride, local stride | planes | remote, local plane stride |
//! | stream | 0 | local address | rows, row | 0, local stride | | |
//! | enqueue | 0 | local address | 1, row | | | |
//! | atomic | remote offset | operands, low word first | | | | |
//! | mail | mailbox, node | low word | high word | | | |
//! | fence | 0 | | | | | |
//! | program | address | registers 2 to 15 | | | | |
//! | barrier | call | | | | | |
//! | broadcast, reduce, allreduce | call | words | source address | result address | | |
//! | probe | destination | words of a packet | packets | rate | seed | |
//! | send | address | rows, row | flags, stride | | | |
//! | receive | address | most words | | | | |
//!
//! Of two values in a word the first is in bits 31:16, but for a mail: mailbox in 15:9, node in 8:0. Offsets and
//! addresses are in bytes; rows and strides are in words of the fabric, 16 bits each. Here all are in bytes, and what is
//! no whole number of words is refused.
//!
//! ```
//! use portico_spec::{ni::descriptor::{Command, Descriptor, Geometry, Transfer}, Config};
//!
//! // Four rows of 32 bytes, 256 bytes apart in this tile's memory and dense in the window.
//! let geometry = Geometry::Rows { rows: 4, row: 32, local_stride: 256, remote_stride: 32 };
//! let put = Descriptor {
//!     segment: 7,
//!     event: 3,
//!     ..Descriptor::new(Command::Put(Transfer { remote: 0x100, local: 0x40, geometry }))
//! };
//! let words = put.encode(&Config::default())?;
//! assert_eq!(words, [7 << 14 | 3 << 8 | 1, 0x100, 0x40, 4 << 16 | 8, 8 << 16 | 64]);
//! assert_eq!(Descriptor::decode(&Config::default(), &words)?, put);
//! # Ok::<(), portico_spec::ni::descriptor::DescriptorError>(())
//! ```

pub(crate) use self::geometry::Units;
pub use self::{
    atomic::Atomic,
    error::DescriptorError,
    form::{Form, FormWord, FORMS},
    geometry::{Geometry, Transfer},
};
use super::{
    command::{
        Opcode, DRAINED_OFFSET, EVENT_OFFSET, MAX_DESCRIPTOR_WORDS, OPCODE_OFFSET, OPCODE_WIDTH, OPERATION_OFFSET,
        QUIET_OFFSET, SEGMENT_OFFSET, SHAPER_OFFSET, SHAPER_WIDTH, WIDE_OFFSET,
    },
    event::EVENT_WIDTH,
    instruction::{FIRMWARE_WORDS, PROGRAM_WORDS},
    layout::{check, BitField, FieldError, Layout},
    packet::{Operation, MAX_MESSAGE_WORDS, OPERATION_WIDTH},
    segment::HANDLE_WIDTH,
    MAILBOX_WIDTH,
};
use crate::{
    flit::NODE_WIDTH,
    mpe::call::{Call, Kind, Launch},
    portals::engine,
    probe::Run,
    streams::{Receive, Send},
    Config, Node,
};

mod atomic;
mod error;
mod form;
mod geometry;

const OPCODE: BitField = BitField::new("opcode", OPCODE_OFFSET, OPCODE_WIDTH, "What is asked.").codes(Opcode::CODES);
const SHAPER: BitField = BitField::new("shaper", SHAPER_OFFSET, SHAPER_WIDTH, "Shaper of its packets.");
const EVENT: BitField = BitField::new("event", EVENT_OFFSET, EVENT_WIDTH, "Event that counts when it is done.");
const SEGMENT: BitField = BitField::new("segment", SEGMENT_OFFSET, HANDLE_WIDTH, "Handle of the remote segment.");
const OPERATION: BitField =
    BitField::new("operation", OPERATION_OFFSET, OPERATION_WIDTH, "Of an atomic.").codes(Operation::CODES);
const WIDE: BitField = BitField::new("wide", WIDE_OFFSET, 1, "The atomic is of 64 bits rather than 32.");
const QUIET: BitField = BitField::new(
    "quiet",
    QUIET_OFFSET,
    1,
    "Success does not count in the event; errors do.",
);
const DRAINED: BitField = BitField::new(
    "drained",
    DRAINED_OFFSET,
    1,
    "The requester holds the command until no transaction is open, and drops it if its event has an error.",
);
const NODE: BitField = BitField::new("node", 0, NODE_WIDTH, "Node that has the mailbox.");
const MAILBOX: BitField = BitField::new("mailbox", NODE_WIDTH, MAILBOX_WIDTH, "The mailbox.");

/// Word 0 of a descriptor.
pub const WORD: Layout = Layout {
    name: "descriptor",
    doc: "Word 0 of a descriptor.",
    fields: &[OPCODE, SHAPER, EVENT, SEGMENT, OPERATION, WIDE, QUIET, DRAINED],
};

/// Word 1 of the descriptor of a mail.
pub const MAIL: Layout = Layout {
    name: "descriptor_mail",
    doc: "Word 1 of the descriptor of a mail.",
    fields: &[NODE, MAILBOX],
};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Writes to a window.
    Put(Transfer),
    /// Reads from a window.
    Get(Transfer),
    /// Appends to a window in pointer mode.
    Stream {
        /// Local address of the first row, in bytes.
        local: u32,
        /// One row or rows; the remote stride is 0.
        geometry: Geometry,
    },
    /// Sends a message to a queue.
    Enqueue {
        /// Local address of the message, in bytes.
        local: u32,
        /// Its length in bytes, 0 to 62 words.
        bytes: u32,
    },
    /// An atomic operation in a window.
    Atomic {
        /// Offset in the segment, in bytes, aligned to the operands.
        remote: u32,
        /// Operation and operands.
        operation: Atomic,
        /// 64 bits rather than 32.
        wide: bool,
    },
    /// Writes to a mailbox. Segment and shaper do not matter.
    Mail {
        /// Whose mailbox.
        node: Node,
        /// Which.
        mailbox: u8,
        /// What is written.
        value: u64,
    },
    /// Is done when all earlier transactions on the segment are.
    Fence,
    /// Runs a program.
    Program {
        /// Address in the program memory of its first instruction, 64..=255: below are the built-in programs.
        entry: u8,
        /// Registers 2 and up, at most 14.
        registers: Vec<u32>,
    },
    /// A call of the message-passing engine. Segment and shaper do not matter.
    Call(Call),
    /// Launches the armed calls of a context of the message-passing engines. Segment and shaper do not matter.
    Launch(Launch),
    /// A run of the source/sink core. Segment and shaper do not matter.
    Probe(Run),
    /// Something for the Portals engine. Segment and shaper do not matter.
    Portals(engine::Command),
    /// Rows of the memory onto the stream that leaves the tile. Segment and shaper do not matter.
    Send(Send),
    /// The stream that comes to the tile into its memory. Segment and shaper do not matter.
    Receive(Receive),
}

/// A descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// What is asked.
    pub command: Command,
    /// Handle of the remote segment.
    pub segment: u8,
    /// Event that counts when it is done, 0..=63.
    pub event: u8,
    /// Success does not count in the event; errors do.
    pub quiet: bool,
    /// A command of the requester waits until those before it have ended or are parked, and no transaction of the node is open.
    /// If its event has an error by then, it is not sent, and the event counts once more. Engines ignore it.
    pub drained: bool,
    /// Shaper of its packets, 0..=7.
    pub shaper: u8,
}

impl Command {
    /// The opcode.
    pub fn opcode(&self) -> Opcode {
        match self {
            Command::Put(_) => Opcode::Put,
            Command::Get(_) => Opcode::Get,
            Command::Stream { .. } => Opcode::Stream,
            Command::Enqueue { .. } => Opcode::Enqueue,
            Command::Atomic { .. } => Opcode::Atomic,
            Command::Mail { .. } => Opcode::Mail,
            Command::Fence => Opcode::Fence,
            Command::Program { .. } => Opcode::Program,
            Command::Call(call) => match call.kind {
                Kind::Barrier => Opcode::Barrier,
                Kind::Broadcast => Opcode::Broadcast,
                Kind::Reduce => Opcode::Reduce,
                Kind::Allreduce => Opcode::Allreduce,
            },
            Command::Launch(_) => Opcode::Barrier,
            Command::Probe(_) => Opcode::Probe,
            Command::Portals(command) => command.opcode(),
            Command::Send(_) => Opcode::Send,
            Command::Receive(_) => Opcode::Receive,
        }
    }
}

impl Descriptor {
    /// A descriptor with segment 0, event 0 and shaper 0.
    pub fn new(command: Command) -> Descriptor {
        Descriptor {
            command,
            segment: 0,
            event: 0,
            quiet: false,
            drained: false,
            shaper: 0,
        }
    }

    /// The words, as the command register and the command stream take them.
    ///
    /// # Errors
    /// The first value that is out of its range or no whole number of words.
    pub fn encode(&self, config: &Config) -> Result<Vec<u32>, DescriptorError> {
        let units = geometry::Units::new(config);
        let mut word = OPCODE.place(self.command.opcode() as u32)?
            | SHAPER.place(self.shaper)?
            | EVENT.place(self.event)?
            | SEGMENT.place(self.segment)?
            | QUIET.place(self.quiet)?
            | DRAINED.place(self.drained)?;
        let rest = match &self.command {
            Command::Put(transfer) | Command::Get(transfer) => transfer.encode(&units)?,
            Command::Stream { local, geometry } => {
                check_stream(geometry)?;
                let (remote, local, geometry) = (0, *local, *geometry);
                let transfer = Transfer {
                    remote,
                    local,
                    geometry,
                };
                transfer.encode(&units)?
            }
            Command::Enqueue { local, bytes } => {
                units.count("message", *bytes, MAX_MESSAGE_WORDS as u32)?;
                let (remote, local, geometry) = (0, *local, Geometry::Row { row: *bytes });
                let transfer = Transfer {
                    remote,
                    local,
                    geometry,
                };
                transfer.encode(&units)?
            }
            Command::Atomic {
                remote,
                operation,
                wide,
            } => {
                word |= OPERATION.place(operation.code() as u32)? | WIDE.place(*wide)?;
                let mut words = vec![units.atomic_offset(*remote, *wide)?];
                words.extend(operation.encode(*wide)?);
                words
            }
            Command::Mail { node, mailbox, value } => {
                let target = NODE.place_node(*node)? | MAILBOX.place(*mailbox)?;
                vec![target, *value as u32, (*value >> 32) as u32]
            }
            Command::Fence => vec![0],
            Command::Program { entry, registers } => {
                check(
                    "registers",
                    registers.len() as u64,
                    0,
                    (MAX_DESCRIPTOR_WORDS - 2) as u64,
                )?;
                let mut words = vec![u32::from(check_entry((*entry).into())?)];
                words.extend(registers);
                words
            }
            Command::Call(call) => call.encode()?,
            Command::Launch(launch) => vec![launch.encode()?],
            Command::Probe(run) => run.encode()?.to_vec(),
            Command::Portals(command) => command.encode().split_off(1),
            Command::Send(send) => send.encode(config)?.to_vec(),
            Command::Receive(receive) => receive.encode(config)?.to_vec(),
        };
        let mut words = vec![word];
        words.extend(rest);
        Ok(words)
    }

    /// The descriptor of these words.
    ///
    /// # Errors
    /// The hardware refuses the words, or [`Descriptor::encode`] never gives them. Bits without a meaning are ignored.
    pub fn decode(config: &Config, words: &[u32]) -> Result<Descriptor, DescriptorError> {
        let units = geometry::Units::new(config);
        let (&word, rest) = words.split_first().ok_or(DescriptorError::Words { words: 0 })?;
        let opcode = Opcode::from_code(OPCODE.take(word)).filter(|opcode| *opcode != Opcode::Serve);
        let opcode = opcode.ok_or(DescriptorError::Opcode {
            code: OPCODE.take(word),
        })?;
        let wrong = || DescriptorError::Words { words: words.len() };
        let command = match opcode {
            Opcode::Put => Command::Put(Transfer::decode(&units, rest)?),
            Opcode::Get => Command::Get(Transfer::decode(&units, rest)?),
            Opcode::Stream => {
                let Transfer { local, geometry, .. } = Transfer::decode(&units, rest)?;
                let geometry = geometry.without_remote();
                check_stream(&geometry)?;
                Command::Stream { local, geometry }
            }
            Opcode::Enqueue => match Transfer::decode(&units, rest)? {
                Transfer {
                    local,
                    geometry: Geometry::Row { row },
                    ..
                } => {
                    units.count("message", row, MAX_MESSAGE_WORDS as u32)?;
                    Command::Enqueue { local, bytes: row }
                }
                _ => return Err(wrong()),
            },
            Opcode::Atomic => {
                let (&remote, operands) = rest.split_first().ok_or_else(wrong)?;
                let code = Operation::from_code(OPERATION.take(word)).ok_or_else(|| OPERATION.unknown(word))?;
                let wide = WIDE.is_set(word);
                Command::Atomic {
                    remote: units.atomic_offset(remote, wide)?,
                    operation: Atomic::decode(code, wide, operands).ok_or_else(wrong)?,
                    wide,
                }
            }
            Opcode::Mail => {
                let &[target, low, high] = rest else {
                    return Err(wrong());
                };
                Command::Mail {
                    node: NODE.take_node(target),
                    mailbox: MAILBOX.take(target) as u8,
                    value: u64::from(high) << 32 | u64::from(low),
                }
            }
            Opcode::Fence => match rest.len() {
                0 | 1 => Command::Fence,
                _ => return Err(wrong()),
            },
            Opcode::Program => match rest.split_first() {
                Some((&entry, registers)) if words.len() <= MAX_DESCRIPTOR_WORDS => Command::Program {
                    entry: check_entry(entry)?,
                    registers: registers.to_vec(),
                },
                _ => return Err(wrong()),
            },
            Opcode::Barrier => match Launch::decode(rest) {
                Some(launch) => Command::Launch(launch),
                None => Command::Call(Call::decode(Kind::Barrier, rest)?),
            },
            Opcode::Broadcast => Command::Call(Call::decode(Kind::Broadcast, rest)?),
            Opcode::Reduce => Command::Call(Call::decode(Kind::Reduce, rest)?),
            Opcode::Allreduce => Command::Call(Call::decode(Kind::Allreduce, rest)?),
            Opcode::Probe => Command::Probe(Run::decode(rest.try_into().map_err(|_| wrong())?)?),
            Opcode::Move | Opcode::Entry | Opcode::Control => {
                Command::Portals(engine::Command::decode(opcode as u8, words).ok_or_else(wrong)?)
            }
            Opcode::Send => Command::Send(Send::decode(config, rest.try_into().map_err(|_| wrong())?)?),
            Opcode::Receive => Command::Receive(Receive::decode(config, rest.try_into().map_err(|_| wrong())?)?),
            Opcode::Serve => unreachable!("not from software"),
        };
        Ok(Descriptor {
            command,
            segment: SEGMENT.take(word) as u8,
            event: EVENT.take(word) as u8,
            quiet: QUIET.is_set(word),
            drained: DRAINED.is_set(word),
            shaper: SHAPER.take(word) as u8,
        })
    }
}

fn check_entry(entry: u32) -> Result<u8, FieldError> {
    check("entry", entry, FIRMWARE_WORDS as u64, PROGRAM_WORDS as u64 - 1).map(|entry| entry as u8)
}

/// The target's tag knows where a stream goes; the initiator has rows at most.
fn check_stream(geometry: &Geometry) -> Result<(), DescriptorError> {
    match *geometry {
        Geometry::Row { .. } => Ok(()),
        Geometry::Rows { remote_stride, .. } => {
            check("remote stride of a stream", remote_stride, 0, 0)?;
            Ok(())
        }
        Geometry::Planes { .. } => Err(DescriptorError::PlanesOfStream),
    }
}

#[cfg(test)]
mod tests;
