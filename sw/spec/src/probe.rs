//! The source/sink core: traffic and its measurement at every tile, without software in between (`gao-mpe-2013`, 4.1.5).
//!
//! A descriptor starts the source of a tile, which sends packets to one node or to tiles at random, as many in 2^16 cycles
//! as it is told. The sink of every tile checks what comes, and counts. Of a packet's payload
//!
//! | word | what it is |
//! | --- | --- |
//! | 0 | sequence number: packets that this source has sent to this destination before, since reset |
//! | 1 | time stamp: the cycle in which the head was offered to the data plane |
//! | 2 and up | content: [`content`] of the words before and of the head's tag, the low bits of the seed |
//!
//! On a data plane of 64 bits the upper half of a payload word is the complement of the lower.
//!
//! ```
//! use portico_spec::{probe::{Destination, Run}, Config, Node};
//!
//! let run = Run { destination: Destination::Node(Node { x: 3, y: 1 }), words: 8, packets: 1000, rate: 0, seed: 7 };
//! let words = run.encode()?;
//! assert_eq!((words[0], Run::decode(&words)?), (0x13, run));
//! assert!(Run { words: 65, ..run }.encode().unwrap_err().to_string().contains("2..=64"));
//! # Ok::<(), portico_spec::ni::layout::FieldError>(())
//! ```

use crate::{
    flit::{MAX_PAYLOAD_FLITS, NODE_WIDTH, TAG_WIDTH},
    ni::{
        instruction::COUNT_WIDTH,
        layout::{check, BitField, FieldError, Layout},
    },
    Config, Node,
};

/// Words of the payload, at least: sequence number and time stamp.
pub const LEAST_WORDS: usize = 2;
/// Words of its descriptor.
pub const DESCRIPTOR_WORDS: usize = 6;
/// In word 1 of its descriptor: to tiles at random.
pub const UNIFORM_OFFSET: usize = NODE_WIDTH;
/// Width of a rate, in bits.
pub const RATE_WIDTH: usize = 16;
/// Cycles in which a rate's packets go.
pub const RATE_CYCLES: u32 = 1 << RATE_WIDTH;
/// Bits of a random number that choose a column, and as many that choose a row.
pub const CHOICE_WIDTH: usize = 8;

const NODE: BitField = BitField::new("node", 0, NODE_WIDTH, "Where the packets go.");
const UNIFORM: BitField = BitField::new("uniform", UNIFORM_OFFSET, 1, "To any other tile instead, at random.");
const WORDS: BitField = BitField::new("words", 0, COUNT_WIDTH, "Words of payload of a packet, 2..=64.");
const RATE: BitField = BitField::new(
    "rate",
    0,
    RATE_WIDTH,
    "Packets in 2^16 cycles, on average over a run at most; the first goes at once. 0 for as many as can go.",
);

/// Word 1 of the descriptor.
pub const TARGET_WORD: Layout = Layout {
    name: "descriptor_probe_target",
    doc: "Word 1 of the descriptor of the source/sink core.",
    fields: &[NODE, UNIFORM],
};
/// Word 2 of the descriptor.
pub const LENGTH_WORD: Layout = Layout {
    name: "descriptor_probe_length",
    doc: "Word 2 of the descriptor of the source/sink core.",
    fields: &[WORDS],
};
/// Word 4 of the descriptor.
pub const RATE_WORD: Layout = Layout {
    name: "descriptor_probe_rate",
    doc: "Word 4 of the descriptor of the source/sink core.",
    fields: &[RATE],
};

/// Where the packets of a run go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// To this node.
    Node(Node),
    /// To any other tile, at random: see [`random_tile`].
    Uniform,
}

/// What a source is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// To whom.
    pub destination: Destination,
    /// Words of payload of a packet, 2..=64.
    pub words: u32,
    /// How many packets; a run of none ends at once.
    pub packets: u32,
    /// Packets in 2^16 cycles, on average over a run at most; the first goes at once. 0 for as many as can go.
    pub rate: u32,
    /// Decides random destinations, and with its low 8 bits the content.
    pub seed: u32,
}

impl Run {
    /// Words 1 to 5 of its descriptor.
    ///
    /// # Errors
    /// The first value that is out of its range.
    pub fn encode(&self) -> Result<[u32; DESCRIPTOR_WORDS - 1], FieldError> {
        let target = match self.destination {
            Destination::Node(node) => NODE.place_node(node)?,
            Destination::Uniform => UNIFORM.mask(),
        };
        let words = check("words", self.words, LEAST_WORDS as u64, MAX_PAYLOAD_FLITS as u64)?;
        Ok([target, words as u32, self.packets, RATE.place(self.rate)?, self.seed])
    }

    /// What words 1 to 5 of a descriptor say.
    ///
    /// # Errors
    /// The number of words of payload is out of its range.
    pub fn decode(words: &[u32; DESCRIPTOR_WORDS - 1]) -> Result<Run, FieldError> {
        let [target, length, packets, rate, seed] = *words;
        let words = check(
            "words",
            WORDS.take(length),
            LEAST_WORDS as u64,
            MAX_PAYLOAD_FLITS as u64,
        )?;
        Ok(Run {
            destination: match UNIFORM.take(target) {
                0 => Destination::Node(NODE.take_node(target)),
                _ => Destination::Uniform,
            },
            words: words as u32,
            packets,
            rate: RATE.take(rate),
            seed,
        })
    }

    /// The tag of its packets.
    pub fn tag(&self) -> u8 {
        (self.seed & ((1 << TAG_WIDTH) - 1)) as u8
    }
}

/// The next state of a generator of random numbers: xorshift with 13, 17 and 5 (Marsaglia, 2003). 0 stays 0.
pub const fn next_random(state: u32) -> u32 {
    let state = state ^ state << 13;
    let state = state ^ state >> 17;
    state ^ state << 5
}

/// State of the generator from which the first random destination is drawn: never 0.
pub const fn first_random(seed: u32) -> u32 {
    seed | 1 << 31
}

/// The tile that a random number stands for: its low byte chooses the column, the next the row. Where their number is not a power
/// of two, some columns and rows come up to 6 % more often than others.
pub fn random_tile(config: &Config, random: u32) -> Node {
    let choose = |shift: usize, among: usize| {
        let drawn = (random >> shift) as usize & ((1 << CHOICE_WIDTH) - 1);
        ((drawn * among) >> CHOICE_WIDTH) as u8
    };
    Node {
        x: choose(0, config.cols),
        y: choose(CHOICE_WIDTH, config.rows),
    }
}

/// What word 2 and those after it begin from.
pub const fn seed_of_content(tag: u8, sequence: u32, stamp: u32) -> u32 {
    sequence ^ stamp ^ u32::from_le_bytes([tag; 4])
}

/// The payload of a packet, the lower halves of its words.
pub fn content(tag: u8, sequence: u32, stamp: u32, words: usize) -> Vec<u32> {
    let mut payload = vec![sequence, stamp];
    let mut state = seed_of_content(tag, sequence, stamp);
    payload.extend((LEAST_WORDS..words).map(|_| {
        state = next_random(state);
        state
    }));
    payload
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_range_is_told_with_the_range() {
        let run = Run {
            destination: Destination::Uniform,
            words: 2,
            packets: 0,
            rate: 65_535,
            seed: u32::MAX,
        };
        assert_eq!(Run::decode(&run.encode().unwrap()), Ok(run));
        let wrong = |run: Run| run.encode().unwrap_err().to_string();
        assert_eq!(
            wrong(Run { words: 1, ..run }),
            "words = 1 is not allowed: allowed is 2..=64"
        );
        assert_eq!(
            wrong(Run { rate: 65_536, ..run }),
            "rate = 65536 is not allowed: allowed is 0..=65535"
        );
        assert!(Run::decode(&[0, 65, 1, 0, 0]).is_err());
    }

    #[test]
    fn random_tiles_are_all_tiles_and_none_else() {
        for (cols, rows) in [(1, 1), (3, 2), (4, 4), (16, 16), (5, 1)] {
            let config = Config {
                cols,
                rows,
                ..Config::default()
            };
            let mut drawn = vec![0; config.tiles()];
            let mut state = first_random(7);
            for _ in 0..200 * config.tiles() {
                state = next_random(state);
                drawn[config.node_id(random_tile(&config, state)).expect("a tile")] += 1;
            }
            assert!(drawn.iter().all(|times| (100..300).contains(times)), "{drawn:?}");
        }
    }

    #[test]
    fn content_depends_on_every_word_before_it() {
        let packet = content(7, 3, 1000, 5);
        assert_eq!((packet.len(), packet[0], packet[1]), (5, 3, 1000));
        for other in [content(6, 3, 1000, 5), content(7, 2, 1000, 5), content(7, 3, 1001, 5)] {
            assert!((2..5).all(|word| packet[word] != other[word]));
        }
        assert_eq!(content(7, 3, 1000, 2), [3, 1000]);
    }
}
