//! Errors of the driver.

use portico_spec::{
    config::ConfigError,
    mpe::tree::TreeError,
    ni::{
        assembler::AssemblyError, descriptor::DescriptorError, disassembler::DisassemblyError, layout::FieldError,
        page::ALIGNMENT_WIDTH, program::ProgramError, ErrorCode,
    },
};
use thiserror::Error;

use crate::{onesided::GlobalId, TransportError};

/// An error of the driver. Nodes are terminal indices: tiles first, then edge nodes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The carrier failed.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// A command that no descriptor can express.
    #[error(transparent)]
    Descriptor(#[from] DescriptorError),
    /// A register with an undefined value.
    #[error(transparent)]
    Register(#[from] FieldError),
    /// Tiles that do not form a group, or a tree that does not fit them.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A text that is not a program.
    #[error(transparent)]
    Assembly(Box<AssemblyError>),
    /// A word of a program that is not an instruction.
    #[error(transparent)]
    Instruction(#[from] DisassemblyError),
    /// A program that could leave its bounds.
    #[error("{}{}", .0.at().map_or(String::new(), |at| format!("instruction {at}: ")), .0)]
    Program(#[from] ProgramError),
    /// A configuration of which there is no fabric.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The fabric has no host node.
    #[error("edge_nodes = 0: the host is the first edge node, at least 1 is needed")]
    NoHost,
    /// A time-out that ends calls before they are posted at all members.
    #[error(
        "timeout = {cycles} cycles is not allowed: allowed is 0, for none, or {least} and more, since posting a call at all \
         members takes {posting}"
    )]
    ShortTimeout {
        /// The time-out asked for.
        cycles: u32,
        /// The least allowed one.
        least: u32,
        /// Cycles in which a host at the AXI4-Lite port posts a call at all members.
        posting: u64,
    },
    /// There is no such node.
    #[error("node = {node} does not exist: allowed is 0..={last}")]
    NoSuchNode {
        /// The node requested.
        node: usize,
        /// The last that exists.
        last: usize,
    },
    /// A node identifies itself as another node.
    #[error("node {node} identifies itself as {found:#x}, expected {expected:#x}: this is not the configured fabric")]
    WrongFabric {
        /// The node that was asked.
        node: usize,
        /// Its node register.
        found: u32,
        /// The expected value.
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
        /// Its value.
        found: u32,
        /// The value of the configuration.
        expected: u32,
    },
    /// The hardware refused a command.
    #[error("{what} of node {node} refused: {code}")]
    Refused {
        /// The node that should do it.
        node: usize,
        /// The command.
        what: &'static str,
        /// The error code.
        code: ErrorCode,
    },
    /// An operation did not complete in time; it may still complete.
    #[error("{what} of node {node} not done within {cycles} cycles")]
    Timeout {
        /// The node that should do it.
        node: usize,
        /// The operation.
        what: &'static str,
        /// The time-out in cycles.
        cycles: u64,
    },
    /// Bytes outside of the remote segment.
    #[error("bytes {offset:#x}..{end:#x} of a segment of {size:#x} bytes")]
    OutOfSegment {
        /// First byte.
        offset: u32,
        /// Offset behind the last byte.
        end: u64,
        /// Bytes of the segment.
        size: u32,
    },
    /// Bytes outside of a node's memory.
    #[error("bytes {address:#x}..{end:#x} of node {node}, whose memory has {size:#x} bytes")]
    OutOfMemory {
        /// The node of the memory.
        node: usize,
        /// First byte.
        address: u32,
        /// Address behind the last byte.
        end: u64,
        /// Bytes of its memory.
        size: u32,
    },
    /// An address or length that must be a multiple.
    #[error("{field} = {value:#x} must be a multiple of {unit} bytes")]
    Misaligned {
        /// The field.
        field: &'static str,
        /// Its value in bytes.
        value: u64,
        /// Of what it must be a multiple, in bytes.
        unit: u32,
    },
    /// A number that is too large or too small.
    #[error("{field} = {value} is not allowed: allowed is {min}..={max}")]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
        /// The smallest that is allowed.
        min: u64,
        /// The largest that is allowed.
        max: u64,
    },
    /// All of a resource is taken.
    #[error(
        "node {node} cannot allocate {wanted} {resource}: it has {limit} in all{}",
        .key.map_or(String::new(), |key| format!("; the key {key} gives the host more"))
    )]
    Exhausted {
        /// The node.
        node: usize,
        /// The resource.
        resource: &'static str,
        /// How much was wanted.
        wanted: u32,
        /// How much there is in all.
        limit: u32,
        /// The key of the configuration that gives the host more, if the node is the host and may have more.
        key: Option<&'static str>,
    },
    /// Something was to be reserved that the driver has handed out.
    #[error("node {node} cannot reserve this {resource}: the driver has handed it out")]
    Taken {
        /// The node.
        node: usize,
        /// The resource.
        resource: &'static str,
    },
    /// The node is built without it.
    #[error(
        "node {node} is built without {what}{}",
        .key.map_or(String::new(), |key| format!(": set the key {key}"))
    )]
    NotBuilt {
        /// The node.
        node: usize,
        /// The missing feature.
        what: &'static str,
        /// The key of the configuration that gives the node the feature, if nodes of its kind may have it.
        key: Option<&'static str>,
    },
    /// A handle of one node was given to another, or twice.
    #[error("{what} belongs to node {owner}, not to node {node}")]
    WrongNode {
        /// The handle.
        what: &'static str,
        /// The node that owns it.
        owner: usize,
        /// The node that should use it.
        node: usize,
    },
    /// The word in front of a message is not one that the hardware writes there.
    #[error("the message at {address:#x} of node {node} begins with {front:#x}: a write has damaged the queue")]
    BadMessage {
        /// The queue's node.
        node: usize,
        /// Where the message lies.
        address: u32,
        /// The word.
        front: u32,
    },
    /// A message of the host that has no credit.
    #[error("node {node}, the host, has all {credits} credits of the queue in use: messages must be released first")]
    NoCredit {
        /// The host.
        node: usize,
        /// Its credits in all.
        credits: u32,
    },
    /// A sender cannot be retired while messages of it are under way or in the queue.
    #[error("node {node} has {messages} messages in the queue that are not released")]
    Unreleased {
        /// The sender's node.
        node: usize,
        /// Number of these messages.
        messages: u32,
    },
    /// A sender was given to a queue that it does not send to.
    #[error("the sender belongs to queue {of}, not to queue {queue}")]
    WrongQueue {
        /// The queue of the sender.
        of: GlobalId,
        /// The queue to which it was given.
        queue: GlobalId,
    },
    /// The mesh has no way from an edge node back to itself.
    #[error("node {node} is an edge node: the network carries no packet from an edge node to itself")]
    NoWay {
        /// The node.
        node: usize,
    },
    /// A page was to move at a node without external memory.
    #[error("node {node} is not a memory node: only memory nodes have pages")]
    NoMemoryNode {
        /// The node.
        node: usize,
    },
    /// A page base at which a part of the page has no address in external memory.
    #[error(
        "page base {base:#x} is not allowed with memory_address = {memory_address}: allowed is a multiple of {} up to {last:#x}",
        1 << ALIGNMENT_WIDTH
    )]
    PageOutOfReach {
        /// First byte of the page.
        base: u64,
        /// Bits of an address.
        memory_address: usize,
        /// The greatest base that is allowed.
        last: u64,
    },
    /// A segment of another kind was wanted.
    #[error("{what} needs a segment that is a {wanted}")]
    WrongKind {
        /// The operation.
        what: &'static str,
        /// The kind.
        wanted: &'static str,
    },
    /// A region that the driver has not allocated.
    #[error("bytes at {base:#x} of node {node} are not an allocated region")]
    NotAllocated {
        /// The node of the memory.
        node: usize,
        /// First byte.
        base: u32,
    },
    /// Two blocks of a call share memory of a member, and one of them is written.
    #[error("two blocks overlap at address {address:#x} of node {node}, and one of them is written")]
    Overlap {
        /// The member.
        node: usize,
        /// The first byte of one of the blocks.
        address: u32,
    },
    /// A block of an exchange does not lie in memory that the driver has allocated, so it could meet a command list.
    #[error(
        "{bytes} bytes at {address:#x} of node {node} are not part of an allocated region: take the memory of blocks with \
         Fabric::allocate"
    )]
    Unallocated {
        /// The member.
        node: usize,
        /// First byte of the block.
        address: u32,
        /// Its bytes.
        bytes: u32,
    },
    /// An exchange was started after it or its group was released.
    #[error("the {what} is released, or its group of peers")]
    Released {
        /// The exchange.
        what: &'static str,
    },
    /// A group of peers was released while exchanges were under way.
    #[error("{exchanges} exchanges of the group are under way: wait for them before you release it")]
    UnderWay {
        /// How many.
        exchanges: usize,
    },
    /// A call of a group was to be carried out in a way that it does not have.
    #[error("way = {way} is not allowed for {what}: allowed is {allowed}")]
    WrongWay {
        /// The call.
        what: &'static str,
        /// The way that is forced.
        way: &'static str,
        /// The ways that it has.
        allowed: String,
    },
    /// No context is free at all tiles of a group.
    #[error(
        "no context is free at all tiles of the group: of {contexts}, {in_use} are in use by communicators that are not \
         freed, and {retired} are closed, since a call in them failed: recover their communicators"
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
    #[error("{what} failed at tile {tile}: {code}; its communicator is out of use until it is recovered")]
    CommunicatorFailed {
        /// The call that failed first.
        what: &'static str,
        /// The member at which it did.
        tile: usize,
        /// The error code.
        code: ErrorCode,
    },
    /// A communicator was given to a fabric that did not make it.
    #[error("the communicator belongs to another fabric")]
    WrongCommunicator,
}

impl Error {
    /// Refuses a value outside of a range.
    pub(crate) fn check_range(field: &'static str, value: u64, min: u64, max: u64) -> Result<(), Error> {
        match (min..=max).contains(&value) {
            true => Ok(()),
            false => Err(Error::OutOfRange { field, value, min, max }),
        }
    }
}

impl From<AssemblyError> for Error {
    fn from(error: AssemblyError) -> Error {
        Error::Assembly(Box::new(error))
    }
}
