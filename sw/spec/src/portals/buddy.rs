//! Commands, results and sizes of the buddy allocator.
//!
//! A command is one word: the operation in the top bit, and below it the operand, a size in bytes or an address.
//! A result is one word, in the order of the commands:
//!
//! | bits | field | value |
//! | --- | --- | --- |
//! | 19:0 | address | of the block granted, in bytes from the start of the heap; 0 in every other result |
//! | 23:20 | order | the block granted or freed is 2^order smallest blocks; 0 if the status is an error |
//! | 26:24 | status | [`Status`] |
//! | 31:27 | | 0 |

use crate::ni::codes::codes;
use std::ops::RangeInclusive;
use thiserror::Error;

codes! {
    /// What a command asks for.
    Operation {
        /// A block of at least so many bytes.
        Allocate = 0, "allocate";
        /// The block at this address back.
        Free = 1, "free";
    }
}

codes! {
    /// How a command ended. Every error leaves the heap as it was.
    Status {
        /// A block was granted or freed.
        Done = 0, "done";
        /// Of zero bytes there is no block.
        ZeroSize = 1, "zero_size";
        /// The whole heap is smaller than the size.
        TooLarge = 2, "too_large";
        /// No free block is as large as the size.
        Exhausted = 3, "exhausted";
        /// The address lies in a free block: it was freed already, or never granted.
        NotLive = 4, "not_live";
        /// The address is outside the heap, no multiple of the smallest block, or inside a live block and not its start.
        Foreign = 5, "foreign";
    }
}

/// Width of a size or address in a command, in bits.
pub const OPERAND_WIDTH: usize = 31;
/// The operation's bit in a command.
pub const OPERATION_OFFSET: usize = OPERAND_WIDTH;

/// Width of an address in a result, in bits.
pub const ADDRESS_WIDTH: usize = 20;
/// Order: lowest bit in a result.
pub const ORDER_OFFSET: usize = ADDRESS_WIDTH;
/// Width of an order, in bits.
pub const ORDER_WIDTH: usize = 4;
/// Status: lowest bit in a result.
pub const STATUS_OFFSET: usize = ORDER_OFFSET + ORDER_WIDTH;
/// Width of a status, in bits.
pub const STATUS_WIDTH: usize = 3;

/// Width of the outputs that count bytes, up to the whole heap.
pub const BYTES_WIDTH: usize = ADDRESS_WIDTH + 1;

/// Bytes that a heap may have, a power of two.
pub const HEAP_BYTES: RangeInclusive<u32> = 1 << 12..=1 << ADDRESS_WIDTH;
/// Bytes that the smallest block may have, a power of two below the heap's.
pub const BLOCK_BYTES: RangeInclusive<u32> = 64..=4096;
/// Orders of the largest heap in the smallest blocks.
pub const MAX_ORDERS: usize = (*HEAP_BYTES.end() / *BLOCK_BYTES.start()).ilog2() as usize + 1;

/// A heap and its smallest block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Heap {
    bytes: u32,
    block: u32,
}

/// A heap that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HeapError {
    /// The heap is outside [`HEAP_BYTES`], or no power of two.
    #[error(
        "heap = {0} bytes, allowed: powers of two, {min} to {max}",
        min = HEAP_BYTES.start(),
        max = HEAP_BYTES.end()
    )]
    Heap(u32),
    /// The smallest block is outside [`BLOCK_BYTES`], no power of two, or not below the heap.
    #[error(
        "block = {0} bytes, allowed: powers of two, {min} to {max}, below the heap",
        min = BLOCK_BYTES.start(),
        max = BLOCK_BYTES.end()
    )]
    Block(u32),
}

impl Heap {
    /// A heap of `bytes` whose smallest block has `block` bytes.
    ///
    /// # Errors
    /// A number is out of its range or no power of two, or a block is not below the heap.
    pub fn new(bytes: u32, block: u32) -> Result<Self, HeapError> {
        if !HEAP_BYTES.contains(&bytes) || !bytes.is_power_of_two() {
            return Err(HeapError::Heap(bytes));
        }
        if !BLOCK_BYTES.contains(&block) || !block.is_power_of_two() || block >= bytes {
            return Err(HeapError::Block(block));
        }
        Ok(Self { bytes, block })
    }

    /// Bytes of the heap.
    pub const fn bytes(self) -> u32 {
        self.bytes
    }

    /// Bytes of the smallest block.
    pub const fn block(self) -> u32 {
        self.block
    }

    /// Smallest blocks in the heap.
    pub const fn blocks(self) -> u32 {
        self.bytes / self.block
    }

    /// The order of the whole heap, at least 1: orders go from 0 up to this one.
    pub const fn top_order(self) -> u32 {
        self.blocks().ilog2()
    }

    /// Bytes of a block of this order.
    pub const fn bytes_of(self, order: u32) -> u32 {
        self.block << order
    }

    /// The smallest order whose blocks have at least `size` bytes, `size` being 1 to the whole heap.
    pub const fn order_of(self, size: u32) -> u32 {
        size.div_ceil(self.block).next_power_of_two().ilog2()
    }
}

/// The word of a command; bits of `operand` beyond its width are dropped.
pub const fn command(operation: Operation, operand: u32) -> u32 {
    (operation as u32) << OPERATION_OFFSET | operand & ((1 << OPERAND_WIDTH) - 1)
}

/// What came of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// The order of the block granted or freed; 0 on an error.
    pub order: u32,
    /// The address of the block granted, in bytes from the start of the heap; 0 in every other result.
    pub address: u32,
}

impl Outcome {
    /// An error.
    pub const fn refused(status: Status) -> Self {
        Self {
            status,
            order: 0,
            address: 0,
        }
    }

    /// The word of the result.
    pub const fn word(self) -> u32 {
        self.address | self.order << ORDER_OFFSET | (self.status as u32) << STATUS_OFFSET
    }

    /// The result of a word; none if its status has no meaning.
    pub fn from_word(word: u32) -> Option<Self> {
        let field = |offset: usize, width: usize| word >> offset & ((1 << width) - 1);
        Some(Self {
            status: Status::from_code(field(STATUS_OFFSET, STATUS_WIDTH))?,
            order: field(ORDER_OFFSET, ORDER_WIDTH),
            address: field(0, ADDRESS_WIDTH),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_order_of_the_block_that_just_holds_them() {
        let heap = Heap::new(1 << 20, 64).expect("the largest heap");
        assert_eq!((heap.blocks(), heap.top_order()), (16_384, 14));
        assert_eq!(heap.top_order() as usize, MAX_ORDERS - 1);
        for (size, order) in [
            (1, 0),
            (64, 0),
            (65, 1),
            (128, 1),
            (129, 2),
            (1 << 19, 13),
            (1 << 20, 14),
        ] {
            assert_eq!(heap.order_of(size), order, "{size} bytes");
            assert!(heap.bytes_of(order) >= size);
        }
    }

    #[test]
    fn heaps_outside_the_limits_are_refused() {
        for (bytes, block, message) in [
            (2048, 64, "heap = 2048 bytes, allowed: powers of two, 4096 to 1048576"),
            (
                1 << 21,
                64,
                "heap = 2097152 bytes, allowed: powers of two, 4096 to 1048576",
            ),
            (5000, 64, "heap = 5000 bytes, allowed: powers of two, 4096 to 1048576"),
            (
                8192,
                32,
                "block = 32 bytes, allowed: powers of two, 64 to 4096, below the heap",
            ),
            (
                8192,
                96,
                "block = 96 bytes, allowed: powers of two, 64 to 4096, below the heap",
            ),
            (
                4096,
                4096,
                "block = 4096 bytes, allowed: powers of two, 64 to 4096, below the heap",
            ),
        ] {
            let error = Heap::new(bytes, block).expect_err(message);
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn codes_rise_and_fit_their_fields() {
        for (codes, width) in [(Operation::CODES, 1), (Status::CODES, STATUS_WIDTH)] {
            assert!(codes.is_sorted_by(|one, next| one.code < next.code));
            assert!(codes
                .iter()
                .all(|code| code.code < 1 << width && code.meaning.ends_with('.')));
        }
        assert_eq!(MAX_ORDERS - 1, 14);
        const { assert!(MAX_ORDERS <= 1 << ORDER_WIDTH) }
    }

    #[test]
    fn results_read_back() {
        for &status in Status::ALL {
            let outcome = Outcome {
                status,
                order: 14,
                address: 0xabcde,
            };
            assert_eq!(Outcome::from_word(outcome.word()), Some(outcome));
        }
        assert_eq!(Outcome::from_word(7 << STATUS_OFFSET), None);
        assert_eq!(command(Operation::Free, 0x40), 0x8000_0040);
        assert_eq!(command(Operation::Allocate, 0x8000_0040), 0x40);
    }
}
