//! Why a command, a packet or a program was refused.

use std::fmt;

macro_rules! errors {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal, $meaning:literal;)*) => {
        /// Why something was refused; code 0 is no error.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $($(#[doc = $doc])+ $name = $code,)*
        }

        impl ErrorCode {
            /// Every error.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$name,)*];

            /// The error of this code; none for 0 and for codes without a meaning.
            pub fn from_code(code: u32) -> Option<ErrorCode> {
                ErrorCode::ALL.iter().copied().find(|error| *error as u32 == code)
            }
        }

        impl fmt::Display for ErrorCode {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(match self {
                    $(ErrorCode::$name => $meaning,)*
                })
            }
        }

        impl std::error::Error for ErrorCode {}
    };
}

errors! {
    /// No command has this opcode.
    UnknownOpcode = 1, "unknown opcode";
    /// A wrong number of words, or an address that is not aligned.
    Malformed = 2, "malformed: wrong number of words, or a misaligned address";
    /// Nothing is known of this segment handle.
    UnknownSegment = 3, "unknown segment";
    /// A window was wanted and the segment is a queue, or the other way round.
    WrongSegment = 4, "the segment is not of the kind that the operation wants";
    /// Beyond the end of the remote segment, found at the initiator.
    OutOfSegment = 5, "outside the remote segment";
    /// Beyond the end of the tile's own memory.
    OutOfMemory = 6, "outside the local memory";
    /// The target has no such window.
    UnknownWindow = 7, "the target has no such window";
    /// The target's window is in another mode.
    WrongWindow = 8, "the target's window is in another mode";
    /// Beyond the end of the window, found at the target.
    OutOfWindow = 9, "outside the target's window";
    /// An instruction that does not exist, or more than four nested loops.
    UnknownInstruction = 10, "unknown instruction, or loops nested too deep";
    /// A message longer than a queue takes.
    TooLong = 11, "message too long";
    /// A program sends after its end of transfer.
    Ended = 12, "program sends after its end of transfer";
    /// A message came to a full queue: its sender had no credit.
    QueueFull = 13, "queue full";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ni::packet::ERROR_WIDTH;

    #[test]
    fn codes_are_distinct_fit_and_read_back() {
        for (at, &error) in ErrorCode::ALL.iter().enumerate() {
            assert_eq!(error as usize, at + 1);
            assert!((error as usize) < 1 << ERROR_WIDTH);
            assert_eq!(ErrorCode::from_code(error as u32), Some(error));
        }
        assert_eq!(ErrorCode::from_code(0), None);
        assert_eq!(ErrorCode::from_code(14), None);
        assert_eq!(ErrorCode::OutOfMemory.to_string(), "outside the local memory");
    }
}
