//! The network interface as software and hardware agree on it: packets, descriptors, registers, instructions, errors.
//!
//! Addresses, lengths and strides count words of [`Config::width`](crate::Config::width) bits unless a field says bytes.

pub mod assembler;
pub mod build;
pub mod codes;
pub mod command;
pub mod command_list;
pub mod descriptor;
pub mod disassembler;
pub mod error;
pub mod event;
pub mod firmware;
pub mod instruction;
pub mod layout;
pub mod mailbox;
pub mod packet;
pub mod page;
pub mod program;
pub mod registers;
pub mod render;
pub mod segment;
pub mod shaper;
pub mod window;

pub use error::ErrorCode;

/// Contexts of the sequencer, in bits: those of the micro-cores, and the server's.
pub const CONTEXT_WIDTH: usize = 4;
/// Most micro-cores of a tile.
pub const MAX_CORES: usize = 8;
/// The context that serves get requests of other nodes.
pub const SERVER_CONTEXT: usize = MAX_CORES;
/// Get requests that a node may have waiting or in service at one other node.
pub const GET_CREDITS: usize = 2;
/// Flits of a get request, at most.
pub const GET_FLITS: usize = 8;
/// Mailboxes of a tile.
pub const MAILBOXES: usize = 1 << MAILBOX_WIDTH;
/// Width of a mailbox's number, in bits.
pub const MAILBOX_WIDTH: usize = 7;
/// Cycles after reset in which a network interface clears its tables, and takes nothing.
pub const INITIALISATION_CYCLES: usize = 1 << crate::flit::NODE_WIDTH;
