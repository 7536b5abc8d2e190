//! Segments: what an initiator knows of a window or queue of another node.

use crate::flit::{NODE_WIDTH, TAG_WIDTH};

/// Width of a segment handle, in bits.
pub const HANDLE_WIDTH: usize = 8;
/// Segments that a tile may know.
pub const SEGMENTS: usize = 1 << HANDLE_WIDTH;
/// Node that has the segment: lowest bit in its target register.
pub const NODE_OFFSET: usize = 0;
/// Tag of its window: lowest bit in its target register.
pub const TAG_OFFSET: usize = NODE_OFFSET + NODE_WIDTH;
/// Kind: lowest bit in its target register.
pub const KIND_OFFSET: usize = TAG_OFFSET + TAG_WIDTH;
/// Width of the kind, in bits.
pub const KIND_WIDTH: usize = 2;
/// Width of a queue's credits, in bits.
pub const CREDITS_WIDTH: usize = 8;

/// What a segment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    /// Nothing.
    None = 0,
    /// A window of memory.
    Window = 1,
    /// A queue of messages.
    Queue = 2,
}
