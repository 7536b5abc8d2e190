//! Reads and writes of registers.

use portico_spec::ni::registers::INDEX_WIDTH;
use portico_verilog::prelude::*;

/// Cycles from an access to the next one, at least.
pub const ACCESS_CYCLES: usize = 6;
/// Cycles from a write to block COMMAND to the next access, at least: no table is in use there. The network's next word shows in
/// the third cycle, because a refusal is known a cycle late.
pub const COMMAND_CYCLES: usize = 3;
/// Cycles after which a block has its answer to a read.
pub const ANSWER_CYCLES: usize = 4;

/// A write to a register, as its owner sees it. Every block sees every write, and acts only on those to its registers. Index
/// and data stay until the next access.
#[interface(mirror = RegisterWriteOut)]
pub struct RegisterWriteIn {
    /// High for one cycle: a register is written.
    pub enable: Signal<In, Bit>,
    /// Index of the register: the low bits of its address; stays until the next access.
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    /// Word for the register; stays until the next access.
    pub data: Signal<In, Bits<32>>,
}

/// A read of a register, as its owner sees it. The value follows one cycle after the index or, from counters, three. A block gives 0 for registers of
/// other blocks, because the values of all blocks are ORed. The index stays until the next access.
#[interface]
pub struct RegisterReadIn {
    /// Index of the register: the low bits of its address; stays until the next access.
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    /// Value of the register, a cycle after the index or later; 0 for registers of other blocks.
    pub data: Signal<Out, Bits<32>>,
}

/// A request to write a register, as the register bus sees it. What is offered stays.
#[interface(mirror = RegisterRequestOut)]
pub struct RegisterRequestIn {
    /// A write is offered; the offer stays until it is taken.
    pub valid: Signal<In, Bit>,
    /// Index of the register: the low bits of its address; valid with `valid`.
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    /// Word for the register; valid with `valid`.
    pub data: Signal<In, Bits<32>>,
    /// High for one cycle: the write is taken.
    pub ready: Signal<Out, Bit>,
}

/// A request to read a register, as the register bus sees it. What is offered stays; `data` comes with `data_valid`,
/// before the next read is taken.
#[interface(mirror = RegisterFetchOut)]
pub struct RegisterFetchIn {
    /// A read is offered; the offer stays until it is taken.
    pub valid: Signal<In, Bit>,
    /// Index of the register: the low bits of its address; valid with `valid`.
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    /// High for one cycle: the read is taken.
    pub ready: Signal<Out, Bit>,
    /// Value of the register; valid with `data_valid`.
    pub data: Signal<Out, Bits<32>>,
    /// High for one cycle, after the read is taken and before the next one is: `data` is its value.
    pub data_valid: Signal<Out, Bit>,
}

/// An access to a register, as an owner that needs time to answer sees it. Every block sees every access, and acts only on those
/// to its registers. Index and data stay until the next access, at least [`ACCESS_CYCLES`] later, behind a write to block COMMAND
/// at least [`COMMAND_CYCLES`]. The answer is valid from
/// [`ANSWER_CYCLES`] after a read until that next access; it is 0 for registers of other blocks.
#[interface(mirror = RegisterAccessOut)]
pub struct RegisterAccessIn {
    /// A write, for one cycle.
    pub write: Signal<In, Bit>,
    /// A read, for one cycle.
    pub read: Signal<In, Bit>,
    /// Index of the register: the low bits of its address; stays until the next access.
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    /// Word for the register; stays until the next access.
    pub data: Signal<In, Bits<32>>,
    /// Value of the register, valid from [`ANSWER_CYCLES`] after a read until the next access; 0 for others' registers.
    pub answer: Signal<Out, Bits<32>>,
}
