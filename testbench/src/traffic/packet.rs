//! Packets of synthetic traffic, and the words that they carry.

use portico_spec::{
    flit::{HEAD_WIDTH, KIND_WIDTH, MAX_PAYLOAD_FLITS, TAG_WIDTH},
    Config, Head,
};
use rand::{rngs::SmallRng, Rng, SeedableRng};

/// Most flits of a packet: the head and the largest payload.
pub const MAX_PACKET_FLITS: usize = MAX_PAYLOAD_FLITS + 1;

/// Who sends how much to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketRequest {
    /// Terminal that sends: a tile, or behind the tiles an edge node.
    pub source: usize,
    /// Terminal that receives.
    pub destination: usize,
    /// Length with the head, 1..=[`MAX_PACKET_FLITS`].
    pub flits: usize,
}

/// Widths of the fields of a payload word, lowest first; random bits fill the rest.
const INDEX_WIDTH: usize = 7;
const SOURCE_WIDTH: usize = 9;
const SEQUENCE_WIDTH: usize = 8;

impl PacketRequest {
    /// Writes the packet's words to `words`, the head first; `sequence` numbers the packets of its source.
    ///
    /// Every payload word names its place: index in the packet, source terminal, and the low bits of `sequence`; above
    /// these it is random, as is what a head has above its fields, so that a word that is lost, doubled, swapped or
    /// changed never equals the one that is due. The head has the low bits of `sequence` in tag, kind and last. The same
    /// `seed` gives the same words, whenever and in whatever order packets are made.
    ///
    /// # Panics
    /// Source or destination do not exist.
    pub fn words(&self, config: &Config, sequence: u64, seed: u64, words: &mut Vec<u64>) {
        let packet_seed = seed ^ (self.source as u64) << 48 ^ sequence;
        let mut rng = SmallRng::seed_from_u64(packet_seed);
        let mask = u64::MAX >> (u64::BITS as usize - config.width);
        let head = Head {
            destination: config.terminal_node(self.destination),
            source: config.terminal_node(self.source),
            tag: sequence as u8,
            kind: (sequence >> TAG_WIDTH) as u8 & ((1 << KIND_WIDTH) - 1),
            last: sequence >> (TAG_WIDTH + KIND_WIDTH) & 1 == 1,
        };
        let fields = u64::from(head.encode().expect("terminals of a valid configuration fit a head"));
        words.clear();
        words.push((fields | rng.gen::<u64>() << HEAD_WIDTH) & mask);
        words.extend((1..self.flits).map(|index| {
            let place = index as u64
                | (self.source as u64) << INDEX_WIDTH
                | (sequence & ((1 << SEQUENCE_WIDTH) - 1)) << (INDEX_WIDTH + SOURCE_WIDTH);
            (place | rng.gen::<u64>() << (INDEX_WIDTH + SOURCE_WIDTH + SEQUENCE_WIDTH)) & mask
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn words(config: &Config, request: PacketRequest, sequence: u64, seed: u64) -> Vec<u64> {
        let mut words = vec![];
        request.words(config, sequence, seed, &mut words);
        words
    }

    #[test]
    fn heads_name_both_ends_and_words_fit_the_width() {
        for width in [32, 64] {
            let config = Config {
                cols: 16,
                rows: 16,
                edge_nodes: 16,
                width,
                ..Config::default()
            };
            for (source, destination, flits) in [(0, 271, 1), (271, 0, 65), (255, 17, 4)] {
                let request = PacketRequest {
                    source,
                    destination,
                    flits,
                };
                let words = words(&config, request, 0xfff, 1);
                let head = Head::decode(words[0] as u32);
                assert_eq!(words.len(), flits);
                assert_eq!(config.node_id(head.source), Some(source));
                assert_eq!(config.node_id(head.destination), Some(destination));
                assert_eq!((head.tag, head.kind, head.last), (0xff, 7, true));
                assert!(width == 64 || words.iter().all(|word| word >> width == 0));
            }
        }
    }

    #[test]
    fn words_of_neighbouring_packets_all_differ() {
        let config = Config::default();
        let mut seen = HashSet::new();
        for source in 0..config.tiles() {
            for sequence in 0..64 {
                let request = PacketRequest {
                    source,
                    destination: 0,
                    flits: 33,
                };
                for word in words(&config, request, sequence, 7).drain(1..) {
                    assert!(
                        seen.insert(word),
                        "word {word:#x} of packet {sequence} from {source} was there before"
                    );
                }
            }
        }
    }

    #[test]
    fn the_seed_alone_decides() {
        let config = Config::default();
        let request = PacketRequest {
            source: 3,
            destination: 9,
            flits: 8,
        };
        assert_eq!(words(&config, request, 5, 1), words(&config, request, 5, 1));
        assert_ne!(words(&config, request, 5, 1), words(&config, request, 5, 2));
        assert_ne!(words(&config, request, 5, 1), words(&config, request, 6, 1));
    }
}
