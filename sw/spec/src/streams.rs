//! The streams of a tile: rows of its scratchpad onto an AXI4-Stream, and an AXI4-Stream into its scratchpad.
//!
//! An accelerator beside a tile takes words from `m_axis_stream` and gives words to `s_axis_stream`, one word of the
//! fabric a beat. A descriptor [`Send`] or [`Receive`] moves them. Of each direction one descriptor runs and [`WAITING`]
//! wait; the next one ends with [`CommandFull`](crate::ni::ErrorCode::CommandFull).
//!
//! ```
//! use portico_spec::{streams::Send, Config};
//!
//! // Four rows of 32 bytes, 256 bytes apart; `tlast` with the last word of each.
//! let send = Send { address: 0x40, row: 32, rows: 4, stride: 256, each_row: true };
//! let words = send.encode(&Config::default())?;
//! assert_eq!(words, [0x40, 4 << 16 | 8, 1 << 16 | 64]);
//! assert_eq!(Send::decode(&Config::default(), &words)?, send);
//! # Ok::<(), portico_spec::ni::descriptor::DescriptorError>(())
//! ```

use crate::{
    ni::{
        descriptor::{DescriptorError, Units},
        layout::{check, BitField},
        packet::{OFFSET_WIDTH, ROW_WIDTH, STRIDE_OFFSET, STRIDE_WIDTH},
    },
    Config,
};

/// Words of the descriptor of a send.
pub const SEND_WORDS: usize = 4;
/// Words of the descriptor of a receive.
pub const RECEIVE_WORDS: usize = 3;
/// Descriptors of a direction that wait behind the one that runs.
pub const WAITING: usize = 2;
/// In word 3 of a send: `tlast` with the last word of each row.
pub const EACH_ROW_OFFSET: usize = STRIDE_WIDTH;
/// In the status of a direction: a descriptor runs.
pub const RUNNING_OFFSET: usize = 0;
/// In the status of a direction: how many wait.
pub const WAITING_OFFSET: usize = 1;
/// Width of the number of descriptors that wait, in bits.
pub const WAITING_WIDTH: usize = 2;

const ROW: BitField = BitField::new("row", 0, ROW_WIDTH, "Length of a row, in words of the fabric.");
const ROWS: BitField = BitField::new("rows", STRIDE_OFFSET, ROW_WIDTH, "How many rows.");
const STRIDE: BitField = BitField::new("stride", 0, STRIDE_WIDTH, "From row to row, in words of the fabric.");
const EACH_ROW: BitField = BitField::new(
    "each_row",
    EACH_ROW_OFFSET,
    1,
    "The last word of each row has tlast, not that of the last row alone.",
);

/// Fields of word 2 of a send.
pub const SHAPE: [BitField; 2] = [ROW, ROWS];
/// Fields of word 3 of a send.
pub const STEP: [BitField; 2] = [STRIDE, EACH_ROW];

/// A word of a stream, and its `tlast`.
pub type Beat = (u64, bool);

/// Rows of the scratchpad onto the stream that leaves the tile. Addresses, lengths and strides are in bytes, whole words
/// of the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// Address of the first row.
    pub address: u32,
    /// Length of a row, 1 to 65,535 words.
    pub row: u32,
    /// How many rows, 1 to 65,535.
    pub rows: u32,
    /// From row to row, up to 65,535 words; without effect for one row.
    pub stride: u32,
    /// The last word of each row has `tlast`, not that of the last row alone.
    pub each_row: bool,
}

/// The stream that comes to the tile into the scratchpad, until a word with `tlast` or the length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receive {
    /// Address of the first word, in bytes.
    pub address: u32,
    /// Most bytes, at least one word. Later words wait for the next receive.
    pub length: u32,
}

/// The last word that an address names.
const LAST_WORD: u32 = (1 << OFFSET_WIDTH) - 1;

/// A number of words in bytes that is not 0.
fn length(units: &Units, field: &'static str, bytes: u32, last: u32) -> Result<u32, DescriptorError> {
    let words = units.count(field, bytes, last)?;
    check(field, words, 1, last.into())?;
    Ok(words)
}

fn address(units: &Units, bytes: u32) -> Result<u32, DescriptorError> {
    units.count("address", bytes, LAST_WORD)?;
    Ok(bytes)
}

impl Send {
    /// Words 1 to 3 of its descriptor.
    ///
    /// # Errors
    /// The first value that is out of its range or no whole number of words.
    pub fn encode(&self, config: &Config) -> Result<[u32; SEND_WORDS - 1], DescriptorError> {
        let units = Units::new(config);
        let row = length(&units, "row", self.row, ROW.max())?;
        let rows = check("rows", self.rows, 1, ROWS.max().into())?;
        let stride = units.count("stride", self.stride, STRIDE.max())?;
        Ok([
            address(&units, self.address)?,
            ROWS.place(rows)? | ROW.place(row)?,
            STRIDE.place(stride)? | EACH_ROW.place(self.each_row)?,
        ])
    }

    /// What words 1 to 3 of a descriptor say.
    ///
    /// # Errors
    /// An address that is not aligned or has more than 22 bits in words, no rows or empty rows. The hardware refuses such an address
    /// with [`OutOfMemory`](crate::ni::ErrorCode::OutOfMemory).
    pub fn decode(config: &Config, words: &[u32; SEND_WORDS - 1]) -> Result<Send, DescriptorError> {
        let units = Units::new(config);
        let [at, shape, step] = *words;
        check("row", ROW.take(shape), 1, ROW.max().into())?;
        let rows = check("rows", ROWS.take(shape), 1, ROWS.max().into())?;
        Ok(Send {
            address: address(&units, at)?,
            row: units.bytes(ROW.take(shape)),
            rows: rows as u32,
            stride: units.bytes(STRIDE.take(step)),
            each_row: EACH_ROW.is_set(step),
        })
    }

    /// Words of the fabric that it moves.
    pub fn words(&self, config: &Config) -> u64 {
        u64::from(self.row / Units::new(config).bytes(1)) * u64::from(self.rows)
    }
}

impl Receive {
    /// Words 1 and 2 of its descriptor.
    ///
    /// # Errors
    /// The first value that is out of its range or no whole number of words.
    pub fn encode(&self, config: &Config) -> Result<[u32; RECEIVE_WORDS - 1], DescriptorError> {
        let units = Units::new(config);
        Ok([
            address(&units, self.address)?,
            length(&units, "length", self.length, LAST_WORD)?,
        ])
    }

    /// What words 1 and 2 of a descriptor say.
    ///
    /// # Errors
    /// An address that is not aligned, no words, or more than 22 bits of either. The hardware refuses more bits with
    /// [`OutOfMemory`](crate::ni::ErrorCode::OutOfMemory).
    pub fn decode(config: &Config, words: &[u32; RECEIVE_WORDS - 1]) -> Result<Receive, DescriptorError> {
        let units = Units::new(config);
        let [at, words] = *words;
        check("length", words, 1, LAST_WORD.into())?;
        Ok(Receive {
            address: address(&units, at)?,
            length: units.bytes(words),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ni::ErrorCode;

    fn wide() -> Config {
        Config {
            width: 64,
            ..Config::default()
        }
    }

    #[test]
    fn descriptors_read_back_at_both_widths() {
        for config in [Config::default(), wide()] {
            let send = Send {
                address: 0x100,
                row: 0x30,
                rows: 65_535,
                stride: 0x40,
                each_row: false,
            };
            assert_eq!(Send::decode(&config, &send.encode(&config).unwrap()), Ok(send));
            let receive = Receive {
                address: 0xf8,
                length: 0x1000,
            };
            assert_eq!(Receive::decode(&config, &receive.encode(&config).unwrap()), Ok(receive));
        }
        let send = Send {
            address: 16,
            row: 24,
            rows: 3,
            stride: 32,
            each_row: true,
        };
        assert_eq!(send.encode(&wide()), Ok([16, 3 << 16 | 3, 1 << 16 | 4]));
        assert_eq!((send.words(&wide()), send.words(&Config::default())), (9, 18));
    }

    #[test]
    fn what_is_empty_misaligned_or_too_long_is_told() {
        let send = Send {
            address: 0,
            row: 4,
            rows: 1,
            stride: 0,
            each_row: false,
        };
        let wrong = |send: Send| send.encode(&Config::default()).unwrap_err().to_string();
        assert_eq!(
            wrong(Send { rows: 0, ..send }),
            "rows = 0 is not allowed: allowed is 1..=65535"
        );
        assert_eq!(
            wrong(Send { row: 0, ..send }),
            "row = 0 is not allowed: allowed is 1..=65535"
        );
        assert_eq!(
            wrong(Send { address: 6, ..send }),
            "address = 6 bytes is not allowed: allowed is a multiple of 4, up to 16777212"
        );
        let empty = Receive { address: 0, length: 0 };
        assert_eq!(
            empty.encode(&Config::default()).unwrap_err().to_string(),
            "length = 0 is not allowed: allowed is 1..=4194303"
        );
        for words in [[2, 1 << 16 | 1, 0], [0, 1, 0], [0, 1 << 16, 0]] {
            let error = Send::decode(&Config::default(), &words).unwrap_err();
            assert_eq!(error.code(), ErrorCode::Malformed, "{words:?}");
        }
        for words in [[2, 1], [0, 0]] {
            let error = Receive::decode(&Config::default(), &words).unwrap_err();
            assert_eq!(error.code(), ErrorCode::Malformed, "{words:?}");
        }
    }
}
