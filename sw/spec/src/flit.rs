//! Flits, and the fields of the head flit.
//!
//! A packet travels as flits of [`Config::width`](crate::Config::width) bits: one head, then up to
//! [`MAX_PAYLOAD_FLITS`] of payload; the last one, the tail, is marked beside the data. A packet of a single flit is
//! head and tail at once. The head is the same at every width: it lies in the low [`HEAD_WIDTH`] bits, and whatever is
//! above them is ignored.
//!
//! | bits | field | meaning |
//! | --- | --- | --- |
//! | 8:0 | destination | node: x in bits 3:0, y in bits 8:4 |
//! | 17:9 | source | node, likewise |
//! | 25:18 | tag | which window, queue or context of the destination |
//! | 28:26 | kind | how the network interface takes the packet |
//! | 29 | last | end of a transfer of several packets; not to be confused with the tail of this packet |

use thiserror::Error;

use crate::Node;

/// Width of the x coordinate of a node, in bits.
pub const X_WIDTH: usize = 4;
/// Width of the y coordinate of a node, in bits.
pub const Y_WIDTH: usize = 5;
/// Width of a node, in bits: x below y.
pub const NODE_WIDTH: usize = X_WIDTH + Y_WIDTH;
/// Width of the tag, in bits.
pub const TAG_WIDTH: usize = 8;
/// Width of the kind, in bits.
pub const KIND_WIDTH: usize = 3;
/// Width of the end-of-transfer mark, in bits.
pub const LAST_WIDTH: usize = 1;

/// Lowest bit of the destination's x.
pub const DESTINATION_OFFSET: usize = 0;
/// Lowest bit of the source's x.
pub const SOURCE_OFFSET: usize = DESTINATION_OFFSET + NODE_WIDTH;
/// Lowest bit of the tag.
pub const TAG_OFFSET: usize = SOURCE_OFFSET + NODE_WIDTH;
/// Lowest bit of the kind.
pub const KIND_OFFSET: usize = TAG_OFFSET + TAG_WIDTH;
/// The end-of-transfer bit.
pub const LAST_OFFSET: usize = KIND_OFFSET + KIND_WIDTH;
/// Bits of a head flit that mean something.
pub const HEAD_WIDTH: usize = LAST_OFFSET + LAST_WIDTH;

/// Most flits of payload that a packet may have.
pub const MAX_PAYLOAD_FLITS: usize = 64;
/// Flits of payload that a packet has at most unless told otherwise.
pub const DEFAULT_PAYLOAD_FLITS: usize = 32;

/// One flit on a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flit {
    /// The low [`Config::width`](crate::Config::width) bits travel.
    pub data: u64,
    /// Marks the tail of a packet.
    pub last: bool,
}

impl Flit {
    /// The flits of a packet, given its words from head to tail.
    pub fn packet(words: &[u64]) -> impl ExactSizeIterator<Item = Flit> + '_ {
        let tail = words.len().wrapping_sub(1);
        words
            .iter()
            .enumerate()
            .map(move |(at, &data)| Flit { data, last: at == tail })
    }
}

/// The fields of a head flit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Head {
    /// Where the packet goes.
    pub destination: Node,
    /// Where it comes from.
    pub source: Node,
    /// Which window, queue or context of the destination it is for.
    pub tag: u8,
    /// How the network interface takes it, 0..=7.
    pub kind: u8,
    /// End of a transfer of several packets.
    pub last: bool,
}

/// A field of a head that does not fit its bits.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field} = {value} does not fit a head: allowed is 0..={max}")]
pub struct HeadError {
    /// Name of the field.
    pub field: &'static str,
    /// Its value.
    pub value: u8,
    /// The largest value that fits.
    pub max: u8,
}

impl Head {
    /// The head as the low bits of a flit.
    ///
    /// # Errors
    /// The first field that does not fit.
    pub fn encode(&self) -> Result<u32, HeadError> {
        let Head {
            destination,
            source,
            tag,
            kind,
            last,
        } = *self;
        let destination =
            fit("destination x", destination.x, X_WIDTH)? | fit("destination y", destination.y, Y_WIDTH)? << X_WIDTH;
        let source = fit("source x", source.x, X_WIDTH)? | fit("source y", source.y, Y_WIDTH)? << X_WIDTH;
        let kind = fit("kind", kind, KIND_WIDTH)?;
        Ok(destination << DESTINATION_OFFSET
            | source << SOURCE_OFFSET
            | u32::from(tag) << TAG_OFFSET
            | kind << KIND_OFFSET
            | u32::from(last) << LAST_OFFSET)
    }

    /// The fields of a head flit; bits above [`HEAD_WIDTH`] are ignored, as the hardware does.
    pub fn decode(word: u32) -> Head {
        let field = |offset: usize, width: usize| (word >> offset & mask(width)) as u8;
        let node = |offset: usize| Node {
            x: field(offset, X_WIDTH),
            y: field(offset + X_WIDTH, Y_WIDTH),
        };
        Head {
            destination: node(DESTINATION_OFFSET),
            source: node(SOURCE_OFFSET),
            tag: field(TAG_OFFSET, TAG_WIDTH),
            kind: field(KIND_OFFSET, KIND_WIDTH),
            last: field(LAST_OFFSET, LAST_WIDTH) == 1,
        }
    }
}

fn mask(width: usize) -> u32 {
    (1 << width) - 1
}

fn fit(field: &'static str, value: u8, width: usize) -> Result<u32, HeadError> {
    let max = mask(width);
    if u32::from(value) > max {
        return Err(HeadError {
            field,
            value,
            max: max as u8,
        });
    }
    Ok(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_field_has_its_bits_and_no_other() {
        let edge = Node { x: 15, y: 31 };
        let heads = [
            (
                Head {
                    destination: Node { x: 15, y: 0 },
                    ..Head::default()
                },
                0x0000_000f,
            ),
            (
                Head {
                    destination: edge,
                    ..Head::default()
                },
                0x0000_01ff,
            ),
            (
                Head {
                    source: Node { x: 15, y: 0 },
                    ..Head::default()
                },
                0x0000_1e00,
            ),
            (
                Head {
                    source: edge,
                    ..Head::default()
                },
                0x0003_fe00,
            ),
            (
                Head {
                    tag: 255,
                    ..Head::default()
                },
                0x03fc_0000,
            ),
            (
                Head {
                    kind: 7,
                    ..Head::default()
                },
                0x1c00_0000,
            ),
            (
                Head {
                    last: true,
                    ..Head::default()
                },
                0x2000_0000,
            ),
        ];
        for (head, word) in heads {
            assert_eq!(head.encode(), Ok(word), "{head:?}");
            assert_eq!(Head::decode(word), head);
        }
        assert_eq!(HEAD_WIDTH, 30);
    }

    #[test]
    fn a_field_that_does_not_fit_is_named() {
        let refused = |head: Head| head.encode().unwrap_err().to_string();
        let (wide, high) = (Node { x: 16, y: 0 }, Node { x: 0, y: 32 });
        let fits = "does not fit a head: allowed is";
        assert_eq!(
            refused(Head {
                destination: wide,
                ..Head::default()
            }),
            format!("destination x = 16 {fits} 0..=15")
        );
        assert_eq!(
            refused(Head {
                destination: high,
                ..Head::default()
            }),
            format!("destination y = 32 {fits} 0..=31")
        );
        assert_eq!(
            refused(Head {
                source: wide,
                ..Head::default()
            }),
            format!("source x = 16 {fits} 0..=15")
        );
        assert_eq!(
            refused(Head {
                source: high,
                ..Head::default()
            }),
            format!("source y = 32 {fits} 0..=31")
        );
        assert_eq!(
            refused(Head {
                kind: 8,
                ..Head::default()
            }),
            format!("kind = 8 {fits} 0..=7")
        );
    }

    #[test]
    fn the_last_word_of_a_packet_is_its_tail() {
        let flit = |data, last| Flit { data, last };
        assert_eq!(Flit::packet(&[]).len(), 0);
        assert!(Flit::packet(&[7]).eq([flit(7, true)]));
        assert!(Flit::packet(&[7, 7, 9]).eq([flit(7, false), flit(7, false), flit(9, true)]));
    }

    proptest! {
        #[test]
        fn every_word_is_a_head(word in any::<u32>()) {
            prop_assert_eq!(Head::decode(word).encode(), Ok(word & mask(HEAD_WIDTH)));
        }
    }
}
