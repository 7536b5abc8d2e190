//! Buddy allocator in hardware: the dynamic memory allocator of `pac-portals-2016` section 3.2.5.
//!
//! Blocks are the nodes of a binary tree over the heap: the root, 1, is the whole heap, and the halves of node n are its
//! children 2n and 2n + 1, down to the smallest blocks. Depth is counted from the root, order from the smallest blocks.
//!
//! The allocator keeps only one bit a node: a node is *used* if a live block is this node or lies within it. Free buddies always
//! join, so the bits of two buddies give their whole state:
//!
//! | bits | what the two are |
//! | --- | --- |
//! | 0 0 | neither is a block: their parent, or a node above it, is one block, live or free |
//! | 1 0, 0 1 | the one without the bit is a free block |
//! | 1 1 | each is a live block, or halved further |
//!
//! So a live block is a used node with unused children. A grant or a release is a walk along one path, one depth a cycle. Node 0
//! is not a block. Its bit is always 1, so that it acts as the buddy of the root and ends every walk.
//!
//! Nodes are kept in words of `W`, and so depths fall into three tiers of `R` = log2 `W` each: word 0 has the depths 0 to
//! R - 1, words 1 to W - 1 the next `R`, the words after them the last `R`. For the search there is one bit a word in the
//! same order, *has a free block*, in groups of `W`; and one bit a group. The first word of each of the three stands in
//! registers, from which every order is seen at once.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`BuddyAllocator`] | the whole |
//! | `BuddyRequest` | a command, in nodes and depths |
//! | `BuddyControl` | the stages of a command |
//! | `TreeSearch` | the first free node of the smallest sufficient order |
//! | `Path` | the walk: the node in hand |
//! | `Marker` | the marks that the walk sets and clears, and the order |
//! | `Tree` | bits of the nodes |
//! | `Summary` | words and groups with a free block |
//! | `Account` | free bytes and the largest free block |
//! | `Reply` | a result as a beat |

mod account;
mod allocator;
mod buddy_control;
mod buddy_request;
mod marker;
mod path;
mod reply;
mod summary;
#[cfg(test)]
mod tests;
mod tree;
mod tree_search;

pub use allocator::BuddyAllocator;
pub use buddy_control::BuddyStage;

use portico_spec::portals::buddy::{Heap, MAX_ORDERS};
use portico_verilog::prelude::*;

/// Width of a node's number, in bits; also that of a vector with one bit a depth.
const NODE_WIDTH: usize = MAX_ORDERS;
/// Width of the number of a word of nodes, in bits.
const WORD_WIDTH: usize = 10;
/// Width of the number of a group of words, in bits.
const GROUP_WIDTH: usize = 5;

/// The bits of a word whose nodes have the depth `rank` within the tier.
fn rank_mask(rank: usize) -> u64 {
    let nodes = 1u64 << rank;
    ((1 << nodes) - 1) << nodes
}

/// The word with a bit for each of the first `count` places, or for all if there are fewer.
fn first_places<const W: usize>(count: u64) -> Constant<Bits<W>> {
    Constant::new(bits((1u64 << count.min(W as u64)) - 1))
}

/// log2 of the nodes in a word that suits `heap`: its depths need three tiers of so many.
pub fn word_radix(heap: Heap) -> usize {
    (heap.top_order() as usize + 1).div_ceil(3)
}

/// The allocator of `heap`, with words of the width that suits it.
pub fn allocator(heap: Heap) -> Box<dyn Block> {
    match word_radix(heap) {
        1 => Box::new(BuddyAllocator::<2, 1, 16>::new(heap)),
        2 => Box::new(BuddyAllocator::<4, 2, 16>::new(heap)),
        3 => Box::new(BuddyAllocator::<8, 3, 16>::new(heap)),
        4 => Box::new(BuddyAllocator::<16, 4, 16>::new(heap)),
        _ => Box::new(BuddyAllocator::<32, 5, 32>::new(heap)),
    }
}
