//! What can go wrong.

use portico_spec::{
    mpe::tree::TreeError,
    ni::{
        assembler::AssemblyError, descriptor::DescriptorError, disassembler::DisassemblyError, layout::FieldError,
        program::ProgramError, ErrorCode,
    },
};
use thiserror::Error;

use crate::{onesided::GlobalId, TransportError};

/// Why the driver could not do what it was asked. Nodes are terminal indices: tiles first, then edge nodes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The carrier failed.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// A command that no descriptor can say.
    #[error(transparent)]
    Descriptor(#[from] DescriptorError),
    /// A register that says what has no meaning.
    #[error(transparent)]
    Register(#[from] FieldError),
    /// Tiles that are no group, or a tree that they cannot have.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A text that is no program.
    #[error(transparent)]
    Assembly(Box<AssemblyError>),
    /// A word of a program that is no instruction.
    #[error(transparent)]
    Instruction(#[from] DisassemblyError),
    /// A program that would run out of its bounds.
    #[error("{}{}", .0.at().map_or(String::new(), |at| format!("instruction {at}: ")), .0)]
    Program(#[from] ProgramError),
    /// The fabric has no host node.
    #[error("edge_nodes = 0: the host is the first edge node, at least 1 is needed")]
    NoHost,
    /// There is no such node.
    #[error("node = {node} does not exist: allowed is 0..={last}")]
    NoSuchNode {
        /// What was asked for.
        node: usize,
        /// The last that exists.
        last: usize,
    },
    /// A node says that it is another.
    #[error("node {node} says that it is at {found:#x}, expected {expected:#x}: this is not the configured fabric")]
    WrongFabric {
        /// Who was asked.
        node: usize,
        /// Its node register.
        found: u32,
        /// What it should be.
        expected: u32,
    },
    /// A register of the host node that describes the fabric has another value than the configuration gives it.
    #[error(
        "wrong bitstream behind the port: {field} is {found}, expected {expected} (register {register}); use the \
         configuration that the bitstream was generated from"
    )]
    WrongBitstream {
        /// The field that differs first.
        field: &'static str,
        /// Its register.
        register: &'static str,
        /// What it holds.
        found: u32,
        /// What the configuration says.
        expected: u32,
    },
    /// The hardware refused a command.
    #[error("{what} of node {node} refused: {code}")]
    Refused {
        /// Who was to do it.
        node: usize,
        /// What was refused.
        what: &'static str,
        /// Why.
        code: ErrorCode,
    },
    /// It did not happen in time; it may still happen.
    #[error("{what} of node {node} not done within {cycles} cycles")]
    Timeout {
        /// Who was to do it.
        node: usize,
        /// What was waited for.
        what: &'static str,
        /// How long.
        cycles: u64,
    },
    /// Bytes outside of the remote segment.
    #[error("bytes {offset:#x}..{end:#x} of a segment of {size:#x} bytes")]
    OutOfSegment {
        /// First byte.
        offset: u32,
        /// Behind the last byte.
        end: u64,
        /// Bytes of the segment.
        size: u32,
    },
    /// Bytes outside of a node's memory.
    #[error("bytes {address:#x}..{end:#x} of node {node}, whose memory has {size:#x} bytes")]
    OutOfMemory {
        /// Whose memory.
        node: usize,
        /// First byte.
        address: u32,
        /// Behind the last byte.
        end: u64,
        /// Bytes of its memory.
        size: u32,
    },
    /// An address or length that must be a multiple.
    #[error("{field} = {value:#x} must be a multiple of {unit} bytes")]
    Misaligned {
        /// Which.
        field: &'static str,
        /// Its value in bytes.
        value: u64,
        /// Of what it must be a multiple, in bytes.
        unit: u32,
    },
    /// A number that is too large or too small.
    #[error("{field} = {value} is not allowed: allowed is {min}..={max}")]
    OutOfRange {
        /// Which.
        field: &'static str,
        /// Its value.
        value: u64,
        /// The smallest that is allowed.
        min: u64,
        /// The largest that is allowed.
        max: u64,
    },
    /// All of a resource is taken.
    #[error("node {node} has no {resource} left for {wanted}: it has {limit}")]
    Exhausted {
        /// Whose.
        node: usize,
        /// Of what.
        resource: &'static str,
        /// How much was wanted.
        wanted: u32,
        /// How much there is in all.
        limit: u32,
    },
    /// The node is built without it.
    #[error("node {node} is built without {what}")]
    NotBuilt {
        /// The node.
        node: usize,
        /// What it does not have.
        what: &'static str,
    },
    /// A handle of one node was given to another, or twice.
    #[error("{what} belongs to node {owner}, not to node {node}")]
    WrongNode {
        /// What handle.
        what: &'static str,
        /// Whose it is.
        owner: usize,
        /// Who was to use it.
        node: usize,
    },
    /// The word in front of a message is not one that the hardware writes there.
    #[error("the message at {address:#x} of node {node} begins with {front:#x}: somebody has written into the queue")]
    BadMessage {
        /// The queue's node.
        node: usize,
        /// Where the message lies.
        address: u32,
        /// The word.
        front: u32,
    },
    /// A message of the host's without a credit: the driver's own accesses would wait behind it.
    #[error("node {node}, the host, has all {credits} credits of the queue in use: messages must be released first")]
    NoCredit {
        /// The host.
        node: usize,
        /// Its credits in all.
        credits: u32,
    },
    /// A sender of which messages are under way, or in the queue, cannot be retired.
    #[error("node {node} has {messages} messages in the queue that are not released")]
    Unreleased {
        /// The sender's node.
        node: usize,
        /// How many.
        messages: u32,
    },
    /// A sender was given to a queue that it does not send to.
    #[error("the sender is one of queue {of}, not of queue {queue}")]
    WrongQueue {
        /// Where it sends to.
        of: GlobalId,
        /// To which it was given.
        queue: GlobalId,
    },
    /// The mesh has no way from an edge node back to itself.
    #[error("node {node} is an edge node: the network takes nothing from it to itself")]
    NoWay {
        /// The node.
        node: usize,
    },
    /// A node without external memory was to move a page of it.
    #[error("node {node} is no memory node: only those have pages")]
    NoMemoryNode {
        /// The node.
        node: usize,
    },
    /// A segment of another kind was wanted.
    #[error("{what} needs a segment that is a {wanted}")]
    WrongKind {
        /// The operation.
        what: &'static str,
        /// The kind.
        wanted: &'static str,
    },
    /// A region that is not one that was handed out.
    #[error("bytes at {base:#x} of node {node} are not an allocated region")]
    NotAllocated {
        /// Whose memory.
        node: usize,
        /// Where.
        base: u32,
    },
    /// No context is free at all tiles of a group.
    #[error(
        "no context is free at all tiles of the group: of {contexts}, {in_use} are in use by communicators that are not \
         freed, and {retired} are retired until reset, since a call in them failed"
    )]
    NoContext {
        /// Contexts that each tile has.
        contexts: usize,
        /// Those of other communicators at some of the tiles.
        in_use: usize,
        /// Those that are closed at some of the tiles.
        retired: usize,
    },
    /// A call of a communicator failed.
    #[error("{what} failed at tile {tile}: {code}; its communicator is out of use until reset")]
    CommunicatorFailed {
        /// The call that failed first.
        what: &'static str,
        /// The member at which it did.
        tile: usize,
        /// Why.
        code: ErrorCode,
    },
    /// A communicator was given to a fabric that did not make it.
    #[error("the communicator is not one of this fabric")]
    WrongCommunicator,
}

impl From<AssemblyError> for Error {
    fn from(error: AssemblyError) -> Error {
        Error::Assembly(Box::new(error))
    }
}
