//! Instructions of the micro-cores.

/// Width of a program address, in bits.
pub const PC_WIDTH: usize = 8;
/// Places of the program memory; the first [`FIRMWARE_WORDS`] are the built-in programs.
pub const PROGRAM_WORDS: usize = 1 << PC_WIDTH;
/// Places that the built-in programs have.
pub const FIRMWARE_WORDS: usize = 64;
/// Nested loops.
pub const LOOPS: usize = 4;
/// Registers of a context.
pub const REGISTERS: usize = 16;
/// Width of a count of payload words, in bits.
pub const COUNT_WIDTH: usize = 7;

/// Operation: lowest bit.
pub const OP_OFFSET: usize = 0;
/// Width of the operation, in bits.
pub const OP_WIDTH: usize = 4;
/// Register a: lowest bit.
pub const A_OFFSET: usize = OP_OFFSET + OP_WIDTH;
/// Register b: lowest bit.
pub const B_OFFSET: usize = A_OFFSET + REGISTER_WIDTH;
/// Width of a register's number, in bits.
pub const REGISTER_WIDTH: usize = 4;
/// What b is: lowest bit.
pub const MODE_OFFSET: usize = B_OFFSET + REGISTER_WIDTH;
/// Width of what b is, in bits.
pub const MODE_WIDTH: usize = 2;
/// Loops that end here: lowest bit.
pub const ENDS_OFFSET: usize = MODE_OFFSET + MODE_WIDTH;
/// Width of the loops that end here, in bits.
pub const ENDS_WIDTH: usize = 3;
/// Immediate, sign-extended: lowest bit.
pub const IMMEDIATE_OFFSET: usize = ENDS_OFFSET + ENDS_WIDTH;
/// Width of the immediate, in bits.
pub const IMMEDIATE_WIDTH: usize = 15;
/// Of RUN, WORD, CLOSE: closes the packet when done.
pub const CLOSE_OFFSET: usize = IMMEDIATE_OFFSET;
/// Of RUN, WORD, CLOSE: that packet ends the transfer.
pub const LAST_OFFSET: usize = CLOSE_OFFSET + 1;
/// Of RUN, WORD, CLOSE: the program stops when done.
pub const STOP_OFFSET: usize = LAST_OFFSET + 1;
/// Of WORD: halves swapped.
pub const SWAP_OFFSET: usize = STOP_OFFSET + 1;

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Ends the program.
    Stop = 0,
    /// a = b.
    Set = 1,
    /// a += b.
    Add = 2,
    /// Begins a loop of b rounds, 0 for 65,536.
    Loop = 3,
    /// The remote offset is a, in words.
    To = 4,
    /// Rows are of a words, b words apart at the remote side.
    Shape = 5,
    /// Reads a row at the local pointer a into the packet; then a += b.
    Run = 6,
    /// Puts a itself into the packet.
    Word = 7,
    /// Closes the packet.
    Close = 8,
    /// Counts in event b; an immediate of -1 is the command's own.
    Notify = 9,
    /// Waits until event b has fired.
    Wait = 10,
    /// Takes a credit of the queue, waiting for one.
    Credit = 11,
    /// Waits until no transaction of the segment is open.
    Fence = 12,
}

/// What operand b is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Register b.
    Register = 0,
    /// Its low half.
    Low = 1,
    /// Its high half.
    High = 2,
    /// The immediate; 0 where the field holds flags.
    Immediate = 3,
}
