//! Command lists: descriptors in a node's memory that the node sends to its own command queue.
//!
//! A put of rows to the node itself writes the descriptors, one a row, to block COMMAND. Its remote stride is 0, so all rows go to
//! the places of one descriptor, and the last word of each row ends its descriptor. The queue has room for [`QUEUE_WORDS`]. A
//! longer list is cut into pieces of this size, and the last descriptor of a piece is the put of the next piece: when it runs,
//! the queue is empty. So a list needs the whole queue for itself, from its start until its last put has begun.
//!
//! ```
//! use portico_spec::{ni::command_list::{ListPlace, Put}, Config};
//!
//! let config = Config::default();
//! // Segment 9 of tile 2 is its own system window. The list lies at byte 0x40.
//! let place = ListPlace { node: 2, base: 0x40, own_space: 9, event: 3 };
//! let put = |segment, remote| Put { segment, remote, local: 0x100, bytes: 32 };
//! let list = place.list(&config, &[put(4, 0), put(5, 0x80)])?;
//! assert_eq!(list.memory, [4 << 14 | 3 << 8 | 1, 0, 0x100, 1 << 16 | 8, 5 << 14 | 3 << 8 | 1, 0x80, 0x100, 1 << 16 | 8]);
//! assert_eq!(list.start.len(), 5);
//! # Ok::<(), portico_spec::ni::descriptor::DescriptorError>(())
//! ```

use super::{
    command::{first_place, QUEUE_WORDS},
    descriptor::{Command, Descriptor, DescriptorError, Geometry, Transfer},
    registers::{address_at, CommandRegister},
};
use crate::Config;

/// Words of the descriptor of a put of one row.
pub const ROW_WORDS: usize = 4;
/// Words of the descriptor of a put of rows, such as that which starts a list.
pub const ROWS_WORDS: usize = 5;

/// A put of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Put {
    /// Handle of the segment.
    pub segment: u8,
    /// Offset in the segment, in bytes.
    pub remote: u32,
    /// Local address, in bytes.
    pub local: u32,
    /// Bytes of the row, whole words of the fabric.
    pub bytes: u32,
}

/// Where a list lies, and what it counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListPlace {
    /// The node, a terminal index.
    pub node: usize,
    /// First byte of the list in its memory, a multiple of the word.
    pub base: u32,
    /// Handle of the node's segment for its own address space: its system window.
    pub own_space: u8,
    /// The event in which every put counts. An error of a put of a piece counts there too.
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

/// Bytes of a list of so many puts.
pub fn bytes(config: &Config, puts: usize) -> u32 {
    let (words, pieces) = form(puts);
    (pieces.iter().sum::<usize>() * words * config.width / 8) as u32
}

/// The form of a list of so many puts: the words of a descriptor, and the descriptors of each piece. Every piece but the last one
/// ends with the put of the next piece.
pub fn form(puts: usize) -> (usize, Vec<usize>) {
    // A list that fits the queue needs no put of rows.
    let words = match puts * ROW_WORDS <= QUEUE_WORDS {
        true => ROW_WORDS,
        false => ROWS_WORDS,
    };
    let most = QUEUE_WORDS / words;
    let mut pieces = vec![];
    let mut left = puts;
    while left > most {
        pieces.push(most);
        left -= most - 1;
    }
    pieces.push(left);
    (words, pieces)
}

impl ListPlace {
    /// The list of these puts, in their order.
    ///
    /// # Errors
    /// The first value that is out of its range or no whole number of words.
    pub fn list(&self, config: &Config, puts: &[Put]) -> Result<CommandList, DescriptorError> {
        let (words, pieces) = form(puts.len());
        let mut left = puts.iter().map(|put| self.put(config, put, words));
        let mut rows: Vec<Vec<u32>> = vec![];
        for (at, &count) in pieces.iter().enumerate() {
            let next = pieces.get(at + 1);
            for put in left.by_ref().take(count - usize::from(next.is_some())) {
                rows.push(put?);
            }
            if let Some(&count) = next {
                rows.push(self.fetch(config, (rows.len() + 1, count), words)?);
            }
        }
        let lanes = config.width / 32;
        let mut memory = vec![0; rows.len() * words * lanes];
        for (place, word) in memory.iter_mut().step_by(lanes).zip(rows.into_iter().flatten()) {
            *place = word;
        }
        let start = self.fetch(config, (0, pieces[0]), words)?;
        Ok(CommandList { memory, start })
    }

    fn put(&self, config: &Config, put: &Put, words: usize) -> Result<Vec<u32>, DescriptorError> {
        let row = put.bytes;
        let geometry = match words {
            ROW_WORDS => Geometry::Row { row },
            _ => Geometry::Rows {
                rows: 1,
                row,
                local_stride: 0,
                remote_stride: 0,
            },
        };
        let transfer = Transfer {
            remote: put.remote,
            local: put.local,
            geometry,
        };
        let put = Descriptor {
            segment: put.segment,
            event: self.event,
            ..Descriptor::new(Command::Put(transfer))
        };
        put.encode(config)
    }

    /// The put of a piece: the first of its rows in the list, and how many.
    fn fetch(
        &self,
        config: &Config,
        (first, count): (usize, usize),
        words: usize,
    ) -> Result<Vec<u32>, DescriptorError> {
        let row = (words * config.width / 8) as u32;
        let transfer = Transfer {
            remote: address_at(config, self.node, CommandRegister::Word, first_place(words)),
            local: self.base.saturating_add(first as u32 * row),
            geometry: Geometry::Rows {
                rows: count as u32,
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

    const PLACE: ListPlace = ListPlace {
        node: 1,
        base: 0x80,
        own_space: 7,
        event: 5,
    };

    /// Runs a list as a node does: the puts in the order in which they reach the queue, which never holds too many words.
    fn run(config: &Config, list: &CommandList) -> Vec<Descriptor> {
        let mut found = vec![];
        let mut next = Some(list.start.clone());
        while let Some(fetch) = next.take() {
            let Command::Put(Transfer { local, geometry, .. }) = Descriptor::decode(config, &fetch).unwrap().command
            else {
                panic!("a list is started by a put");
            };
            let Geometry::Rows { rows, row, .. } = geometry else {
                panic!("a piece is rows");
            };
            let [first, words] = [local - PLACE.base, row].map(|bytes| bytes as usize / 4);
            let lanes = config.width / 32;
            let rows = list.memory[first..][..words * rows as usize].chunks(words);
            let rows = rows.map(|row| row.iter().step_by(lanes).copied().collect::<Vec<u32>>());
            let mut queue: Vec<Vec<u32>> = rows.collect();
            assert!(queue.iter().map(Vec::len).sum::<usize>() <= QUEUE_WORDS);
            let last = Descriptor::decode(config, queue.last().unwrap()).unwrap();
            if last.quiet {
                next = queue.pop();
            }
            found.extend(queue.iter().map(|words| Descriptor::decode(config, words).unwrap()));
        }
        found
    }

    #[test]
    fn a_list_of_any_length_brings_all_puts_in_their_order() {
        for width in [32, 64] {
            let config = Config {
                width,
                ..Config::default()
            };
            for count in 1..200 {
                let puts: Vec<Put> = (0..count)
                    .map(|at| Put {
                        segment: at as u8,
                        remote: 8 * at,
                        local: 16 * at,
                        bytes: 8 + 8 * (at % 5),
                    })
                    .collect();
                let list = PLACE.list(&config, &puts).unwrap();
                assert_eq!(4 * list.memory.len(), bytes(&config, puts.len()) as usize);
                let found = run(&config, &list);
                assert_eq!(found.len(), puts.len(), "{count} puts");
                for (found, put) in found.iter().zip(&puts) {
                    let Command::Put(Transfer {
                        remote,
                        local,
                        geometry,
                    }) = found.command
                    else {
                        panic!("{found:?}");
                    };
                    let (Geometry::Row { row } | Geometry::Rows { row, rows: 1, .. }) = geometry else {
                        panic!("{found:?}");
                    };
                    let told = (found.segment, remote, local, row, found.event, found.quiet);
                    assert_eq!(
                        told,
                        (put.segment, put.remote, put.local, put.bytes, PLACE.event, false)
                    );
                }
            }
        }
    }

    #[test]
    fn a_wrong_put_is_told() {
        let put = Put {
            segment: 0,
            remote: 0,
            local: 2,
            bytes: 4,
        };
        assert!(PLACE.list(&Config::default(), &[put]).is_err());
    }
}
