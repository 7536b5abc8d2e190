//! Segments: what an initiator knows of a window or queue of another node.

use super::{
    codes::codes,
    layout::{BitField, FieldError},
    window::SYSTEM_WINDOW,
};
use crate::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    Config, Node,
};

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

codes! {
    /// What a segment is.
    SegmentKind {
        /// Nothing.
        None = 0, "none";
        /// A window of memory.
        Window = 1, "window";
        /// A queue of messages.
        Queue = 2, "queue";
    }
}

pub(super) const NODE: BitField = BitField::new("node", NODE_OFFSET, NODE_WIDTH, "Node that has the segment.");
pub(super) const TAG: BitField = BitField::new("tag", TAG_OFFSET, TAG_WIDTH, "Tag of its window there.");
pub(super) const KIND: BitField =
    BitField::new("kind", KIND_OFFSET, KIND_WIDTH, "What the segment is.").codes(SegmentKind::CODES);

/// A segment's target register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Node that has the segment.
    pub node: Node,
    /// Tag of its window there.
    pub tag: u8,
    /// What the segment is.
    pub kind: SegmentKind,
}

impl Target {
    /// The register's value.
    ///
    /// # Errors
    /// A coordinate of the node does not fit.
    pub fn encode(&self) -> Result<u32, FieldError> {
        Ok(NODE.place_node(self.node)? | TAG.place(self.tag)? | KIND.place(self.kind as u32)?)
    }

    /// The fields of the register's value.
    ///
    /// # Errors
    /// The kind has no meaning.
    pub fn decode(word: u32) -> Result<Target, FieldError> {
        Ok(Target {
            node: NODE.take_node(word),
            tag: TAG.take(word) as u8,
            kind: SegmentKind::from_code(KIND.take(word)).ok_or_else(|| KIND.unknown(word))?,
        })
    }
}

/// The target register of a segment of a node, a terminal index.
///
/// # Panics
/// If there is no such terminal.
pub fn target(config: &Config, node: usize, tag: u8, kind: SegmentKind) -> u32 {
    let node = config.terminal_node(node);
    let target = Target { node, tag, kind };
    target.encode().expect("the node of a terminal")
}

/// The target and size registers of a segment for the whole address space of a node, a terminal index: its system window.
///
/// # Panics
/// As [`target`].
pub fn space(config: &Config, node: usize) -> [u32; 2] {
    let words = config.space_bytes(node) / (config.width / 8) as u32;
    [target(config, node, SYSTEM_WINDOW as u8, SegmentKind::Window), words]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_space_is_the_system_window_of_its_node() {
        let config = Config {
            width: 64,
            ..Config::default()
        };
        let [target, words] = space(&config, 5);
        let expected = Target {
            node: config.terminal_node(5),
            tag: SYSTEM_WINDOW as u8,
            kind: SegmentKind::Window,
        };
        assert_eq!(Target::decode(target), Ok(expected));
        assert_eq!(8 * words, config.space_bytes(5));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let node = Node { x: 3, y: 32 };
        let target = Target {
            node,
            tag: 0,
            kind: SegmentKind::Window,
        };
        assert_eq!(
            target.encode().unwrap_err().to_string(),
            "node y = 32 is not allowed: allowed is 0..=31"
        );
        assert_eq!(
            Target::decode(3 << 17).unwrap_err().to_string(),
            "kind = 3 is not allowed: allowed is 0..=2"
        );
    }

    proptest! {
        #[test]
        fn every_target_reads_back(word in 0..3u32 << KIND_OFFSET) {
            prop_assert_eq!(Target::decode(word).unwrap().encode(), Ok(word));
        }
    }
}
