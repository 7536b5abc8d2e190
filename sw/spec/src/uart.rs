//! Frames on the serial line between a host and the UART bridge of a board.
//!
//! Bytes of 8 bits, no parity, one stop bit. Numbers are big-endian. A host sends a request and waits for its answer:
//!
//! ```text
//!   request: code  sequence  length  address (4 bytes)  words (4 bytes each, WRITE only)  CRC-32 (4 bytes)
//!   answer:  code  sequence  status  length             words (4 bytes each, READ only)   CRC-32 (4 bytes)
//! ```
//!
//! - `address` is the number of a word, which is the byte address by 4. `length` counts words: 1 to [`FRAME_WORDS`] of READ
//!   and WRITE, of READ also 0, which tells the status alone. HELLO, RESET and LEAVE have length 0 and address 0.
//! - The CRC is that of Ethernet and zlib, over all bytes before it. A request with a wrong CRC is dropped without an answer.
//! - The code of an answer is that of its request, with all bits of [`ANSWER`] inverted. Its length is how many words were
//!   read or written: fewer than asked if the bus refused one, which ends the request.
//! - A request with the sequence number of the last request that was done is not done again: its answer is repeated. A host
//!   repeats a request that was not answered, and then counts its sequence number on.
//! - HELLO is always done, and any number is new behind it. A host gives HELLO a number beyond 4: a HELLO whose code the line
//!   loses then does not begin as a command of UARTBone.
//! - A request that the line cut short is forgotten when nothing arrives for [`PAUSE_BITS`] bit times.
//! - In a session, from HELLO to LEAVE, the bridge takes frames alone. A byte that begins none, or a wrong CRC, makes it drop all
//!   bytes up to such a pause: among the words of a frame whose head was lost there may be the image of another frame.
//! - Outside of sessions the bridge takes LiteX's UARTBone too, whose commands are the bytes 1 to 4.
//!
//! [`Request`] and [`Answer`] are frames as values, which driver and golden model share.

mod frame;

pub use self::frame::{Answer, Decoded, Request};

/// Words of a frame, at most.
pub const FRAME_WORDS: usize = 64;
/// Bit times without a byte after which a request that has begun is forgotten: 8.2 ms at 1 Mbaud.
pub const PAUSE_BITS: usize = 8192;
/// Clock cycles that an access of the host's port may take.
pub const PATIENCE_CYCLES: usize = 1 << 16;
/// Inverted in the code of an answer.
pub const ANSWER: u8 = 0xf0;
/// Bytes of a request before its words.
pub const REQUEST_BYTES: usize = 7;
/// Bytes of an answer before its words.
pub const ANSWER_BYTES: usize = 4;
/// Bytes of the CRC.
pub const CRC_BYTES: usize = 4;
/// What the CRC begins with, and is inverted with at its end.
pub const CRC_START: u32 = 0xffff_ffff;
/// The polynomial of the CRC, its bits reversed, as the least significant bit of a byte comes first.
pub const CRC_POLYNOMIAL: u32 = 0xedb8_8320;

const _: () = assert!(FRAME_WORDS < 256, "a byte holds the length");

/// The code of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Code {
    /// Reads words.
    Read = 0xa0,
    /// Writes words.
    Write = 0xa1,
    /// Begins a session: frames alone are taken, and any sequence number is new. Its answer has the length [`FRAME_WORDS`].
    Hello = 0xa2,
    /// Resets the fabric, but not the bridge.
    Reset = 0xa3,
    /// Ends a session.
    Leave = 0xa4,
}

impl Code {
    /// Every code.
    pub const ALL: [Code; 5] = [Code::Read, Code::Write, Code::Hello, Code::Reset, Code::Leave];

    /// The code of a byte, if it is one.
    pub fn from_byte(byte: u8) -> Option<Code> {
        Code::ALL.into_iter().find(|code| *code as u8 == byte)
    }
}

/// How a request ended: bits 2:0 of the status of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Status {
    /// All words were read or written.
    Okay = 0,
    /// The host's port refused a word (SLVERR of AXI4-Lite).
    SlaveError = 2,
    /// The address lies beyond the host's space, where the bridge asks nobody (DECERR of AXI4-Lite).
    DecodeError = 3,
    /// The length is not allowed; nothing was done.
    Length = 4,
    /// The host's port did not answer within [`PATIENCE_CYCLES`], now or before: nothing but RESET helps.
    Silent = 5,
}

impl Status {
    /// Every status.
    pub const ALL: [Status; 5] = [
        Status::Okay,
        Status::SlaveError,
        Status::DecodeError,
        Status::Length,
        Status::Silent,
    ];

    /// The status of a code, if it is one.
    pub fn from_bits(bits: u8) -> Option<Status> {
        Status::ALL.into_iter().find(|status| *status as u8 == bits)
    }
}

/// Bits of the status that say how a request ended.
pub const STATUS_WIDTH: usize = 3;
/// Bit of the status that says that the host node interrupts while the answer goes out.
pub const INTERRUPT_BIT: usize = 7;
/// Bit of the status that says that the bridge is in a session. A host that has begun one and finds it low talks to a bridge that
/// was reset since then.
pub const SESSION_BIT: usize = 6;
/// Baud rate unless another is asked for.
pub const DEFAULT_BAUD: u32 = 1_000_000;
/// Bits of a byte on the line: start, 8 of data, stop.
pub const LINE_BITS: usize = 10;

/// Codes of LiteX's UARTBone: reads and writes of one word after the other, or of one word again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Bone {
    /// Writes words at addresses that count up.
    Write = 1,
    /// Reads words at addresses that count up.
    Read = 2,
    /// Writes all words at one address.
    WriteFixed = 3,
    /// Reads all words at one address.
    ReadFixed = 4,
}

impl Bone {
    /// Every code.
    pub const ALL: [Bone; 4] = [Bone::Write, Bone::Read, Bone::WriteFixed, Bone::ReadFixed];

    /// The code of a byte, if it is one.
    pub fn from_byte(byte: u8) -> Option<Bone> {
        Bone::ALL.into_iter().find(|code| *code as u8 == byte)
    }
}

/// The CRC of `bytes`.
pub fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| (crc >> 1) ^ (CRC_POLYNOMIAL & 0u32.wrapping_sub(crc & 1));
    !bytes
        .iter()
        .fold(CRC_START, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crc_is_that_of_zlib() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc(b""), 0);
    }

    #[test]
    fn codes_are_told_from_each_other_and_from_uartbone() {
        for byte in 0..=255u8 {
            assert_eq!(
                Code::from_byte(byte).map(|code| code as u8),
                (0xa0..=0xa4).contains(&byte).then_some(byte)
            );
            assert_eq!(
                Status::from_bits(byte).map(|status| status as u8),
                [0, 2, 3, 4, 5].contains(&byte).then_some(byte)
            );
        }
        assert_eq!(Bone::ALL.map(|code| code as u8), [1, 2, 3, 4]);
        assert!(Code::ALL.iter().all(|&code| Bone::from_byte(code as u8).is_none()));
        assert!(Code::ALL
            .iter()
            .all(|&code| Code::from_byte(code as u8 ^ ANSWER).is_none()));
    }
}
