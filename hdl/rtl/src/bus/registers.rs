//! Reads and writes of registers.

use portico_spec::ni::registers::INDEX_WIDTH;
use portico_verilog::prelude::*;

/// A write to a register, as its owner sees it: every block sees every write, and acts on its own.
#[derive(Clone, Debug, Default, Documented, LogicInterface)]
#[join = "RegisterWriteOut"]
pub struct RegisterWriteIn {
    pub enable: Signal<In, Bit>,
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    pub data: Signal<In, Bits<32>>,
}

/// As the register bus sees it.
#[derive(Clone, Debug, Default, Documented, LogicInterface)]
#[join = "RegisterWriteIn"]
pub struct RegisterWriteOut {
    pub enable: Signal<Out, Bit>,
    pub index: Signal<Out, Bits<INDEX_WIDTH>>,
    pub data: Signal<Out, Bits<32>>,
}

/// A read of a register, as its owner sees it: the value follows a cycle after the index; a block gives 0 for registers of
/// others, so that the values of all blocks are ORed.
#[derive(Clone, Debug, Default, Documented, LogicInterface)]
pub struct RegisterReadIn {
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    pub data: Signal<Out, Bits<32>>,
}
