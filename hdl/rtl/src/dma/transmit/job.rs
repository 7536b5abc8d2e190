//! Instructions put together, and starts, for unit tests.

use portico_spec::ni::instruction::{
    Mode, Op, A_OFFSET, B_OFFSET, CLOSE_OFFSET, ENDS_OFFSET, FIRMWARE_WORDS, IMMEDIATE_OFFSET, LAST_OFFSET,
    MODE_OFFSET, STOP_OFFSET, SWAP_OFFSET,
};

pub(super) const CLOSE: u32 = 1 << CLOSE_OFFSET;
pub(super) const LAST: u32 = 1 << LAST_OFFSET;
pub(super) const STOP: u32 = 1 << STOP_OFFSET;
pub(super) const SWAP: u32 = 1 << SWAP_OFFSET;
/// NOTIFY of the command's own event.
pub(super) const OWN: Operand = Operand::Number(-1);
/// The node of the transmitter.
pub(super) const NODE: u64 = 0x155;
/// No bound of the remote segment.
pub(super) const UNBOUNDED: u64 = (1 << 22) - 1;

/// Operand b.
#[derive(Clone, Copy)]
pub(super) enum Operand {
    Register(u32),
    Low(u32),
    High(u32),
    Number(i32),
}

/// An instruction; flags and ends are ORed to it.
pub(super) fn op(op: Op, a: u32, b: Operand) -> u32 {
    let b = match b {
        Operand::Register(b) => b << B_OFFSET | (Mode::Register as u32) << MODE_OFFSET,
        Operand::Low(b) => b << B_OFFSET | (Mode::Low as u32) << MODE_OFFSET,
        Operand::High(b) => b << B_OFFSET | (Mode::High as u32) << MODE_OFFSET,
        Operand::Number(b) => (b as u32) << IMMEDIATE_OFFSET | (Mode::Immediate as u32) << MODE_OFFSET,
    };
    op as u32 | a << A_OFFSET | b
}

/// An instruction without operand b.
pub(super) fn op1(operation: Op, a: u32) -> u32 {
    op(operation, a, Operand::Number(0))
}

/// Loops that end with an instruction.
pub(super) fn ends(loops: u32) -> u32 {
    loops << ENDS_OFFSET
}

/// A start and the registers that come before it.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub context: u64,
    pub pc: u64,
    pub control: bool,
    pub bare: bool,
    pub destination: u64,
    pub tag: u64,
    pub kind: u64,
    pub offset: u64,
    pub size: u64,
    pub row: u64,
    pub stride: u64,
    pub has_slot: bool,
    pub slot: u64,
    pub behind: bool,
    pub operation: u64,
    pub wide: bool,
    pub half: bool,
    pub shaper: u64,
    pub segment: u64,
    pub event: u64,
    pub quiet: bool,
    pub base: u64,
    pub limit: u64,
    /// Of the one packet that the bypass may send: words of the descriptor, words of memory, and where those are.
    pub payload: Option<[u64; 3]>,
    /// Where the words begin that no packet alone holds.
    pub pointer: u64,
    pub registers: Vec<(u64, u32)>,
}

impl Job {
    /// A put of the program at the first place of the user's.
    pub(super) fn put(context: u64) -> Self {
        Self {
            context,
            pc: FIRMWARE_WORDS as u64,
            control: false,
            bare: false,
            destination: 0x20 + context,
            tag: 0x40 + context,
            kind: 0,
            offset: 0x1000,
            size: UNBOUNDED,
            row: 0,
            stride: 0,
            has_slot: true,
            slot: 7 + context,
            behind: false,
            operation: 0,
            wide: false,
            half: false,
            shaper: 0,
            segment: 0x80 + context,
            event: 0x10 + context,
            quiet: false,
            base: 0,
            limit: 1 << 20,
            payload: None,
            pointer: 0,
            registers: vec![],
        }
    }
}
