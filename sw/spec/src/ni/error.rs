//! Why a command, a packet or a program was refused.

use std::fmt;

use super::codes::codes;

codes! {
    /// Why something was refused; code 0 is no error.
    ErrorCode {
        /// No command has this opcode.
        UnknownOpcode = 1, "unknown_opcode";
        /// A wrong number of words, or an address that is not aligned.
        Malformed = 2, "malformed";
        /// Nothing is known of this segment handle.
        UnknownSegment = 3, "unknown_segment";
        /// A window was wanted and the segment is a queue, or the other way round.
        WrongSegment = 4, "wrong_segment";
        /// Beyond the end of the remote segment, found at the initiator.
        OutOfSegment = 5, "out_of_segment";
        /// Beyond the end of the tile's own memory.
        OutOfMemory = 6, "out_of_memory";
        /// The target has no such window.
        UnknownWindow = 7, "unknown_window";
        /// The target's window is in another mode.
        WrongWindow = 8, "wrong_window";
        /// Beyond the end of the window, found at the target.
        OutOfWindow = 9, "out_of_window";
        /// An instruction that does not exist, or more than four nested loops.
        UnknownInstruction = 10, "unknown_instruction";
        /// A message longer than a queue takes.
        TooLong = 11, "too_long";
        /// A program sends after its end of transfer.
        Ended = 12, "ended";
        /// A message came to a full queue: its sender had no credit.
        QueueFull = 13, "queue_full";
        /// The node is built without what the command needs.
        NotBuilt = 14, "not_built";
        /// The call is not the next one of its context.
        OutOfTurn = 15, "out_of_turn";
        /// As many calls of the context wait as there is room for.
        TooManyCalls = 16, "too_many_calls";
        /// A neighbour is in another call.
        Mismatch = 17, "mismatch";
        /// The call made no progress within the time-out of its context.
        TimedOut = 18, "timed_out";
        /// The context is closed since a call in it failed.
        Closed = 19, "closed";
        /// The fabric has no such node, or it is an edge node that names itself.
        AbsentNode = 20, "absent_node";
        /// The command queue had no room for all of the descriptor, or as many of its kind wait as there is room for.
        CommandFull = 21, "command_full";
        /// No credit for a message, and no room to park the command.
        NoCredit = 22, "no_credit";
        /// No node has this rank.
        UnknownRank = 23, "unknown_rank";
        /// There is no such memory descriptor, or the portal index is not allocated.
        UnknownIndex = 24, "unknown_index";
        /// The handle is of no entry.
        UnknownEntry = 25, "unknown_entry";
        /// The entry or the portal index is still in use.
        InUse = 26, "in_use";
        /// There is no place for another entry.
        NoPlace = 27, "no_place";
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            ErrorCode::UnknownOpcode => "unknown opcode",
            ErrorCode::Malformed => "malformed: wrong number of words, or a misaligned address",
            ErrorCode::UnknownSegment => "unknown segment",
            ErrorCode::WrongSegment => "the segment is not of the kind that the operation wants",
            ErrorCode::OutOfSegment => "outside the remote segment",
            ErrorCode::OutOfMemory => "outside the local memory",
            ErrorCode::UnknownWindow => "the target has no such window",
            ErrorCode::WrongWindow => "the target's window is in another mode",
            ErrorCode::OutOfWindow => "outside the target's window",
            ErrorCode::UnknownInstruction => "unknown instruction, or loops nested too deep",
            ErrorCode::TooLong => "message too long",
            ErrorCode::Ended => "program sends after its end of transfer",
            ErrorCode::QueueFull => "queue full",
            ErrorCode::NotBuilt => "the node is built without what the command needs",
            ErrorCode::OutOfTurn => "not the next call of its context",
            ErrorCode::TooManyCalls => "too many calls of the context wait",
            ErrorCode::Mismatch => "a neighbour is in another call",
            ErrorCode::TimedOut => "the call made no progress within the time-out of its context",
            ErrorCode::Closed => "the context is closed: a call in it has failed",
            ErrorCode::CommandFull => "no room for the descriptor in the command queue",
            ErrorCode::NoCredit => "no credit, and no room to park the command",
            ErrorCode::UnknownRank => "no node has this rank",
            ErrorCode::UnknownIndex => "no such memory descriptor, or a portal index that is not allocated",
            ErrorCode::UnknownEntry => "the handle is of no entry",
            ErrorCode::InUse => "the entry or the portal index is still in use",
            ErrorCode::NoPlace => "no place for another entry",
            ErrorCode::AbsentNode => "the named node cannot be reached from this node",
        })
    }
}

impl std::error::Error for ErrorCode {}

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
        assert_eq!(ErrorCode::from_code(28), None);
        assert_eq!(ErrorCode::OutOfMemory.to_string(), "outside the local memory");
    }
}
