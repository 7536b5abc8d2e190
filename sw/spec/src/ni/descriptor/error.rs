//! Why a descriptor is refused.

use thiserror::Error;

use crate::{
    mpe::call::CallError,
    ni::{layout::FieldError, ErrorCode},
};

/// Why a descriptor is refused, in one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DescriptorError {
    /// A value that is not allowed.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A number of bytes that is no multiple of what it must be.
    #[error("{field} = {value} bytes is not allowed: allowed is a multiple of {unit}, up to {last}")]
    Misaligned {
        /// Name of the value.
        field: &'static str,
        /// In bytes.
        value: u32,
        /// In bytes.
        unit: u32,
        /// Largest allowed, in bytes.
        last: u64,
    },
    /// A stream of planes.
    #[error("a stream of planes is not allowed: allowed are one row or rows")]
    PlanesOfStream,
    /// No command has this opcode, or none of software's.
    #[error("opcode = {code} is not allowed: allowed is 1..=8, 16..=20, 28 or 29")]
    Opcode {
        /// The opcode.
        code: u32,
    },
    /// The command has another number of words.
    #[error("the descriptor has {words} words: its command needs another number")]
    Words {
        /// How many there are.
        words: usize,
    },
    /// A call of the message-passing engine that is none.
    #[error(transparent)]
    Call(#[from] CallError),
    /// Four words of a transfer with more rows than one.
    #[error("{rows} rows in a descriptor without strides are not allowed: allowed is 1")]
    RowsWithoutStride {
        /// How many rows.
        rows: u32,
    },
}

impl DescriptorError {
    /// What the hardware answers to such words.
    pub fn code(&self) -> ErrorCode {
        match self {
            DescriptorError::Opcode { .. } => ErrorCode::UnknownOpcode,
            DescriptorError::Field(FieldError { field: "message", .. }) => ErrorCode::TooLong,
            _ => ErrorCode::Malformed,
        }
    }
}
