//! What is moved: a row, rows, or planes of rows.

use super::DescriptorError;
use crate::{
    ni::{
        layout::FieldError,
        packet::{OFFSET_WIDTH, ROW_WIDTH},
    },
    Config,
};

/// Rows as they lie on both sides. Lengths and strides are in bytes, whole words of the fabric, up to 65,535 words;
/// nothing is moved if any count or the row is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Geometry {
    /// One row.
    Row {
        /// Its length.
        row: u32,
    },
    /// Rows.
    Rows {
        /// How many, up to 65,535.
        rows: u32,
        /// Length of a row.
        row: u32,
        /// From row to row in the initiator's memory.
        local_stride: u32,
        /// From row to row in the segment.
        remote_stride: u32,
    },
    /// Planes of rows.
    Planes {
        /// Rows of a plane, up to 65,535.
        rows: u32,
        /// Length of a row.
        row: u32,
        /// From row to row in the initiator's memory.
        local_stride: u32,
        /// From row to row in the segment.
        remote_stride: u32,
        /// How many planes, up to 65,535.
        planes: u32,
        /// From plane to plane in the initiator's memory.
        local_plane_stride: u32,
        /// From plane to plane in the segment.
        remote_plane_stride: u32,
    },
}

impl Geometry {
    /// Bytes that are moved.
    pub fn bytes(&self) -> u64 {
        let product = |factors: &[u32]| factors.iter().copied().map(u64::from).product();
        match *self {
            Geometry::Row { row } => product(&[row]),
            Geometry::Rows { rows, row, .. } => product(&[rows, row]),
            Geometry::Planes { rows, row, planes, .. } => product(&[rows, row, planes]),
        }
    }

    /// The same with no stride at the remote side.
    pub(super) fn without_remote(mut self) -> Geometry {
        if let Geometry::Rows { remote_stride, .. } = &mut self {
            *remote_stride = 0;
        }
        self
    }
}

/// What a put or a get moves, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Offset of the first row in the segment, in bytes.
    pub remote: u32,
    /// Address of the first row in the initiator's memory, in bytes.
    pub local: u32,
    /// The rows.
    pub geometry: Geometry,
}

/// The words of a fabric, to count bytes by.
pub(crate) struct Units {
    word: u32,
}

impl Units {
    pub fn new(config: &Config) -> Units {
        Units {
            word: (config.width / 8) as u32,
        }
    }

    /// Words in bytes.
    pub fn bytes(&self, words: u32) -> u32 {
        words * self.word
    }

    /// Bytes in words, at most `last` words.
    pub fn count(&self, field: &'static str, bytes: u32, last: u32) -> Result<u32, DescriptorError> {
        let last_bytes = u64::from(last) * u64::from(self.word);
        self.align(field, bytes, self.word, last_bytes)?;
        Ok(bytes / self.word)
    }

    /// A byte offset that an atomic may have.
    pub fn atomic_offset(&self, bytes: u32, wide: bool) -> Result<u32, DescriptorError> {
        let operand = if wide { 8 } else { 4 };
        let space = u64::from(self.word) << OFFSET_WIDTH;
        self.align("remote offset", bytes, operand, space - u64::from(operand))
    }

    fn address(&self, field: &'static str, bytes: u32) -> Result<u32, DescriptorError> {
        self.count(field, bytes, (1 << OFFSET_WIDTH) - 1)?;
        Ok(bytes)
    }

    fn length(&self, field: &'static str, bytes: u32) -> Result<u32, DescriptorError> {
        self.count(field, bytes, (1 << ROW_WIDTH) - 1)
    }

    fn align(&self, field: &'static str, value: u32, unit: u32, last: u64) -> Result<u32, DescriptorError> {
        if !value.is_multiple_of(unit) {
            return Err(DescriptorError::Misaligned {
                field,
                value,
                unit,
                last,
            });
        }
        in_range(field, value, last)
    }
}

fn in_range(field: &'static str, value: u32, last: u64) -> Result<u32, DescriptorError> {
    let refused = FieldError {
        field,
        value: value.into(),
        first: 0,
        last,
    };
    (u64::from(value) <= last).then_some(value).ok_or(refused.into())
}

fn number(field: &'static str, value: u32) -> Result<u32, DescriptorError> {
    in_range(field, value, (1 << ROW_WIDTH) - 1)
}

/// The first above the second.
fn pair(high: u32, low: u32) -> u32 {
    high << ROW_WIDTH | low
}

fn halves(word: u32) -> (u32, u32) {
    (word >> ROW_WIDTH, word & ((1 << ROW_WIDTH) - 1))
}

impl Transfer {
    /// Words 1 and up.
    pub(super) fn encode(&self, units: &Units) -> Result<Vec<u32>, DescriptorError> {
        let mut words = vec![
            units.address("remote offset", self.remote)?,
            units.address("local address", self.local)?,
        ];
        match self.geometry {
            Geometry::Row { row } => words.push(pair(1, units.length("row", row)?)),
            Geometry::Rows {
                rows,
                row,
                local_stride,
                remote_stride,
            } => words.extend(encode_rows(units, rows, row, local_stride, remote_stride)?),
            Geometry::Planes {
                rows,
                row,
                local_stride,
                remote_stride,
                planes,
                local_plane_stride,
                remote_plane_stride,
            } => {
                words.extend(encode_rows(units, rows, row, local_stride, remote_stride)?);
                words.push(number("planes", planes)?);
                words.push(pair(
                    units.length("remote plane stride", remote_plane_stride)?,
                    units.length("local plane stride", local_plane_stride)?,
                ));
            }
        }
        Ok(words)
    }

    /// From words 1 and up.
    pub(super) fn decode(units: &Units, words: &[u32]) -> Result<Transfer, DescriptorError> {
        let bytes = |words: u32| units.bytes(words);
        let wrong = DescriptorError::Words { words: words.len() + 1 };
        let (&[remote, local, shape], strides) = words.split_first_chunk().ok_or(wrong.clone())?;
        let (rows, row) = halves(shape);
        let row = bytes(row);
        let geometry = match *strides {
            [] if rows > 1 => return Err(DescriptorError::RowsWithoutStride { rows }),
            [] if rows == 0 => Geometry::Row { row: 0 },
            [] => Geometry::Row { row },
            [stride] => {
                let (remote_stride, local_stride) = halves(stride);
                Geometry::Rows {
                    rows,
                    row,
                    local_stride: bytes(local_stride),
                    remote_stride: bytes(remote_stride),
                }
            }
            [stride, planes, plane_stride] => {
                let (remote_stride, local_stride) = halves(stride);
                let (remote_plane_stride, local_plane_stride) = halves(plane_stride);
                Geometry::Planes {
                    rows,
                    row,
                    local_stride: bytes(local_stride),
                    remote_stride: bytes(remote_stride),
                    planes: halves(planes).1,
                    local_plane_stride: bytes(local_plane_stride),
                    remote_plane_stride: bytes(remote_plane_stride),
                }
            }
            _ => return Err(wrong),
        };
        Ok(Transfer {
            remote: units.address("remote offset", remote)?,
            local: units.address("local address", local)?,
            geometry,
        })
    }
}

fn encode_rows(
    units: &Units,
    rows: u32,
    row: u32,
    local_stride: u32,
    remote_stride: u32,
) -> Result<[u32; 2], DescriptorError> {
    Ok([
        pair(number("rows", rows)?, units.length("row", row)?),
        pair(
            units.length("remote stride", remote_stride)?,
            units.length("local stride", local_stride)?,
        ),
    ])
}
