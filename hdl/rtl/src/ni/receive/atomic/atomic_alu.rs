use portico_spec::ni::{
    packet::{Operation, ERROR_WIDTH, OPERATION_WIDTH},
    window::{Mode, MODE_WIDTH},
    ErrorCode,
};
use portico_verilog::prelude::*;

/// What an atomic operation makes of a value.
///
/// The new value; of 32-bit operations in the low half, their operands being 0 above.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct AtomicAlu {
    /// Operation of the atomic.
    pub operation: Signal<In, Bits<OPERATION_WIDTH>>,
    /// The old value, as the memory has it.
    pub old: Signal<In, Bits<64>>,
    /// First operand: stored or added, or what the old value is compared with.
    pub first: Signal<In, Bits<64>>,
    /// Second operand: stored or added if the comparison holds.
    pub second: Signal<In, Bits<64>>,
    /// What the operation makes of the old value.
    pub new_value: Signal<Out, Bits<64>>,
    /// It is to be stored.
    pub changes: Signal<Out, Bit>,
    /// Nobody waits for the old value.
    pub posted: Signal<Out, Bit>,
    /// The old value does not matter.
    pub stores: Signal<Out, Bit>,
    addend: Signal<Local, Bits<64>>,
}

#[kernel]
impl Logic for AtomicAlu {
    fn update(&mut self) {
        self.stores.next = self.operation.val() == bits::<OPERATION_WIDTH>(Operation::Poke as u64);
        self.posted.next =
            self.stores.val() | (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::PostAdd as u64));
        self.addend.next = self.first.val();
        self.changes.next = true;
        if self.operation.val() == bits::<OPERATION_WIDTH>(Operation::AddIf as u64) {
            self.addend.next = self.second.val();
            self.changes.next = self.old.val() < self.first.val();
        }
        self.new_value.next = self.old.val() + self.addend.val();
        if self.stores.val() {
            self.new_value.next = self.first.val();
        }
        if self.operation.val() == bits::<OPERATION_WIDTH>(Operation::FetchClear as u64) {
            self.new_value.next = 0.into();
        }
        if self.operation.val() == bits::<OPERATION_WIDTH>(Operation::CompareAndSwap as u64) {
            self.new_value.next = self.second.val();
            self.changes.next = self.old.val() == self.first.val();
        }
        if self.operation.val() == bits::<OPERATION_WIDTH>(Operation::Peek as u64) {
            self.changes.next = false;
        }
    }
}

/// Whether an atomic operation may be done.
///
/// Gives the error of an operation: window off, wrong mode, outside, malformed, in this order of precedence.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct AtomicCheck {
    /// What the window of the packet takes.
    pub mode: Signal<In, Bits<MODE_WIDTH>>,
    /// Within the window, a word of the memory.
    pub in_memory: Signal<In, Bit>,
    /// Within the window, a register.
    pub is_device: Signal<In, Bit>,
    /// It is one that registers take.
    pub suits_device: Signal<In, Bit>,
    /// It has all that it needs.
    pub complete: Signal<In, Bit>,
    /// It is for a window, is built, and a pair begins at an even offset; known a cycle after its header.
    pub suits_window: Signal<In, Bit>,
    /// Something speaks against the operation.
    pub failing: Signal<Out, Bit>,
    /// Error code of what speaks against the operation; valid with `failing`.
    pub error: Signal<Out, Bits<ERROR_WIDTH>>,
    is_outside: Signal<Local, Bit>,
}

#[kernel]
impl Logic for AtomicCheck {
    fn update(&mut self) {
        self.is_outside.next = !self.in_memory.val() & !(self.is_device.val() & self.suits_device.val());
        self.failing.next = !self.complete.val() | !self.suits_window.val() | self.is_outside.val();
        self.error.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
        if self.is_outside.val() {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfWindow as u64);
        }
        if self.mode.val() != bits::<MODE_WIDTH>(Mode::Window as u64) {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::WrongWindow as u64);
        }
        if self.mode.val() == bits::<MODE_WIDTH>(Mode::Off as u64) {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownWindow as u64);
        }
    }
}
