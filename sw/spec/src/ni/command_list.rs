//! Command lists: descriptors in a node's memory that the node sends to its own command queues.
//!
//! A put of rows to the node itself writes the descriptors, one a row, to block COMMAND. Its remote stride is 0, so all rows go to
//! the same places, and the last word of each row ends its descriptor. [Pads](super::command::PAD) in front of shorter descriptors
//! make all rows of a piece equally long. A queue has room for [`QUEUE_WORDS`] without the pads. A longer list is cut into pieces,
//! and the last row of a piece is the put of the next piece: when it runs, the queue of the requester is empty. So a list needs
//! the whole queue for itself, from its start until its last fetch has ended.
//!
//! ```
//! use portico_spec::{ni::command_list::ListPlace, Config};
//!
//! let config = Config::default();
//! // Segment 9 of tile 2 is its own system window. The list lies at byte 0x40.
//! let place = ListPlace { node: 2, base: 0x40, own_space: 9, event: 3 };
//! let put = vec![4 << 14 | 3 << 8 | 1, 0, 0x100, 1 << 16 | 8];
//! let fence = vec![4 << 14 | 3 << 8 | 7];
//! let list = place.list(&config, &[put.clone(), fence.clone()])?;
//! assert_eq!(list.memory, [put, vec![0, 0, 0], fence].concat());
//! assert_eq!(list.start.len(), 5);
//! # Ok::<(), portico_spec::ni::descriptor::DescriptorError>(())
//! ```

use super::{
    command::{first_place, MAX_DESCRIPTOR_WORDS, PAD, QUEUE_WORDS, TRANSFER_WORDS},
    descriptor::{Command, Descriptor, DescriptorError, Geometry, Transfer},
    registers::{address_at, in_memory, CommandRegister},
};
use crate::Config;

/// Words of the descriptor that fetches a piece: a put of rows.
pub const FETCH_WORDS: usize = TRANSFER_WORDS[1];

/// Where a list lies, and where its errors go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListPlace {
    /// The node, a terminal index.
    pub node: usize,
    /// First byte of the list in its memory, a multiple of the word.
    pub base: u32,
    /// Handle of the node's segment for its own address space: its system window.
    pub own_space: u8,
    /// The event in which an error of a fetch counts.
    pub event: u8,
}

/// A list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandList {
    /// The memory of the list, in words of 32 bits: at a width of 64 each word of a descriptor has a word of the fabric.
    pub memory: Vec<u32>,
    /// The descriptor that starts it: a quiet put of the first piece.
    pub start: Vec<u32>,
}

/// A piece of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Descriptors of the list in it.
    pub count: usize,
    /// Words of each row.
    pub words: usize,
    /// A row behind them fetches the next piece.
    pub fetches: bool,
}

impl Piece {
    /// All its rows.
    pub fn rows(&self) -> usize {
        self.count + usize::from(self.fetches)
    }
}

/// The pieces of a list whose descriptors have so many words each, 1 to 16.
///
/// # Panics
/// Without a descriptor, or if one is too long.
pub fn pieces(lengths: &[usize]) -> Vec<Piece> {
    let longest = |lengths: &[usize]| lengths.iter().copied().max().expect("a list has descriptors");
    assert!(
        (1..=MAX_DESCRIPTOR_WORDS).contains(&longest(lengths)),
        "a descriptor is too long"
    );
    let mut pieces = vec![];
    let mut left = lengths;
    while left.iter().sum::<usize>() > QUEUE_WORDS {
        let mut room = QUEUE_WORDS - FETCH_WORDS;
        let fits = |&&length: &&usize| {
            let fits = length <= room;
            room = room.saturating_sub(length);
            fits
        };
        let count = left.iter().take_while(fits).count();
        let (own, behind) = left.split_at(count);
        let words = longest(own).max(FETCH_WORDS);
        pieces.push(Piece {
            count,
            words,
            fetches: true,
        });
        left = behind;
    }
    pieces.push(Piece {
        count: left.len(),
        words: longest(left),
        fetches: false,
    });
    pieces
}

/// Bytes of a list whose descriptors have so many words each.
///
/// # Panics
/// As [`pieces`].
pub fn bytes(config: &Config, lengths: &[usize]) -> u32 {
    let words: usize = pieces(lengths).iter().map(|piece| piece.rows() * piece.words).sum();
    (words * config.width / 8) as u32
}

impl ListPlace {
    /// The list of these descriptors, in their order.
    ///
    /// # Errors
    /// The list does not lie at a word, or beyond all addresses.
    ///
    /// # Panics
    /// As [`pieces`].
    pub fn list(&self, config: &Config, descriptors: &[Vec<u32>]) -> Result<CommandList, DescriptorError> {
        let lengths: Vec<usize> = descriptors.iter().map(Vec::len).collect();
        let pieces = pieces(&lengths);
        let mut left = descriptors.iter();
        let mut words = vec![];
        let start = self.fetch(config, 0, pieces[0])?;
        for (at, piece) in pieces.iter().enumerate() {
            let mut rows: Vec<Vec<u32>> = left.by_ref().take(piece.count).cloned().collect();
            if piece.fetches {
                let behind = words.len() + piece.rows() * piece.words;
                rows.push(self.fetch(config, behind, pieces[at + 1])?);
            }
            for row in rows {
                words.resize(words.len() + piece.words - row.len(), u32::from(PAD));
                words.extend(row);
            }
        }
        let memory = in_memory(config, &words);
        Ok(CommandList { memory, start })
    }

    /// The put by which this list starts one of another node, quiet: `start` starts that list, and lies at byte `local` of this node's
    /// memory, [each word in a word of the fabric](in_memory). `space` is this node's segment for the address space of the other one.
    ///
    /// # Errors
    /// `start` does not lie at a word.
    pub fn start_of(
        &self,
        config: &Config,
        (node, space): (usize, u8),
        start: &[u32],
        local: u32,
    ) -> Result<Vec<u32>, DescriptorError> {
        let put = Descriptor {
            segment: space,
            event: self.event,
            quiet: true,
            ..Descriptor::new(Command::Put(Transfer {
                remote: address_at(config, node, CommandRegister::Word, first_place(start.len())),
                local,
                geometry: Geometry::Row {
                    row: (start.len() * config.width / 8) as u32,
                },
            }))
        };
        put.encode(config)
    }

    /// The put of a piece that lies so many words behind the begin of the list.
    fn fetch(&self, config: &Config, behind: usize, piece: Piece) -> Result<Vec<u32>, DescriptorError> {
        let unit = (config.width / 8) as u32;
        let row = piece.words as u32 * unit;
        let transfer = Transfer {
            remote: address_at(config, self.node, CommandRegister::Word, first_place(piece.words)),
            local: self.base.saturating_add(behind as u32 * unit),
            geometry: Geometry::Rows {
                rows: piece.rows() as u32,
                row,
                local_stride: row,
                remote_stride: 0,
            },
        };
        let fetch = Descriptor {
            segment: self.own_space,
            event: self.event,
            quiet: true,
            ..Descriptor::new(Command::Put(transfer))
        };
        fetch.encode(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ni::command::{opcode, Opcode};
    use proptest::prelude::*;

    const PLACE: ListPlace = ListPlace {
        node: 1,
        base: 0x80,
        own_space: 7,
        event: 5,
    };

    /// Runs a list as a node does: the descriptors in the order in which they reach the queue, which never holds too many words.
    fn run(config: &Config, list: &CommandList) -> Vec<Vec<u32>> {
        let (lanes, unit) = (config.width / 32, config.width / 8);
        let mut found = vec![];
        let mut next = Some(list.start.clone());
        while let Some(fetch) = next.take() {
            assert_eq!(fetch.len(), FETCH_WORDS);
            let fetch = Descriptor::decode(config, &fetch).unwrap();
            assert_eq!((fetch.segment, fetch.event, fetch.quiet), (7, 5, true));
            let Command::Put(Transfer {
                local,
                remote,
                geometry,
            }) = fetch.command
            else {
                panic!("a list is started by a put");
            };
            let Geometry::Rows {
                rows,
                row,
                local_stride,
                remote_stride,
            } = geometry
            else {
                panic!("a piece is rows");
            };
            assert_eq!((local_stride, remote_stride), (row, 0));
            let words = row as usize / unit;
            assert_eq!(remote, address_at(config, 1, CommandRegister::Word, 16 - words));
            let first = (local - PLACE.base) as usize / 4;
            let piece = &list.memory[first..][..rows as usize * words * lanes];
            let rows = piece.chunks(words * lanes).map(|row| {
                let row: Vec<u32> = row.iter().step_by(lanes).copied().collect();
                let pads = row.iter().take_while(|&&word| opcode(word) == PAD).count();
                row[pads..].to_vec()
            });
            let mut queue: Vec<Vec<u32>> = rows.collect();
            assert!(queue.iter().map(Vec::len).sum::<usize>() <= QUEUE_WORDS);
            let last = queue.last().unwrap();
            if opcode(last[0]) == Opcode::Put as u8 && last[0] >> 14 & 0xff == 7 {
                next = queue.pop();
            }
            found.extend(queue);
        }
        found
    }

    proptest! {
        #[test]
        fn a_list_of_any_descriptors_brings_all_in_their_order(
            lengths in prop::collection::vec(1..=16usize, 1..120), wide in any::<bool>(),
        ) {
            let config = Config { width: if wide { 64 } else { 32 }, ..Config::default() };
            // Word 0 is of an atomic.
            let descriptor = |(at, &length): (usize, &usize)| {
                (0..length).map(|word| (at as u32) << 16 | if word == 0 { 5 } else { 0 }).collect::<Vec<u32>>()
            };
            let descriptors: Vec<Vec<u32>> = lengths.iter().enumerate().map(descriptor).collect();
            let list = PLACE.list(&config, &descriptors).unwrap();
            prop_assert_eq!(4 * list.memory.len(), bytes(&config, &lengths) as usize);
            prop_assert_eq!(run(&config, &list), descriptors);
        }
    }

    #[test]
    fn a_list_that_fills_the_queue_is_one_piece() {
        let piece = |count, words, fetches| Piece { count, words, fetches };
        assert_eq!(pieces(&[4; 16]), [piece(16, 4, false)]);
        assert_eq!(pieces(&[4; 17]), [piece(14, 5, true), piece(3, 4, false)]);
        assert_eq!(pieces(&[16; 5]), [piece(3, 16, true), piece(2, 16, false)]);
        assert_eq!(pieces(&[4, 1]), [piece(2, 4, false)]);
    }

    #[test]
    fn a_list_beside_a_word_is_refused() {
        let place = ListPlace { base: 2, ..PLACE };
        assert!(place.list(&Config::default(), &[vec![7]]).is_err());
    }
}
