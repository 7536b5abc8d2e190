//! What an atomic operation makes of a value.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | state | none |

use portico_spec::ni::packet::{Operation, OPERATION_WIDTH};
use rust_hdl::prelude::*;

/// The new value; of 32-bit operations in the low half, their operands being 0 above.
#[derive(LogicBlock)]
pub struct AtomicAlu {
    pub operation: Signal<In, Bits<OPERATION_WIDTH>>,
    pub old: Signal<In, Bits<64>>,
    pub first: Signal<In, Bits<64>>,
    pub second: Signal<In, Bits<64>>,
    pub new_value: Signal<Out, Bits<64>>,
    /// It is to be stored.
    pub changes: Signal<Out, Bit>,
    /// Nobody waits for the old value.
    pub posted: Signal<Out, Bit>,
    /// The old value does not matter.
    pub stores: Signal<Out, Bit>,
    addend: Signal<Local, Bits<64>>,
    post_add: Constant<Bits<OPERATION_WIDTH>>,
    poke: Constant<Bits<OPERATION_WIDTH>>,
    fetch_clear: Constant<Bits<OPERATION_WIDTH>>,
    compare_and_swap: Constant<Bits<OPERATION_WIDTH>>,
    peek: Constant<Bits<OPERATION_WIDTH>>,
    add_if: Constant<Bits<OPERATION_WIDTH>>,
}

impl Default for AtomicAlu {
    fn default() -> Self {
        let number = |operation: Operation| Constant::new(bits(operation as u64));
        Self {
            operation: Default::default(),
            old: Default::default(),
            first: Default::default(),
            second: Default::default(),
            new_value: Default::default(),
            changes: Default::default(),
            posted: Default::default(),
            stores: Default::default(),
            addend: Default::default(),
            post_add: number(Operation::PostAdd),
            poke: number(Operation::Poke),
            fetch_clear: number(Operation::FetchClear),
            compare_and_swap: number(Operation::CompareAndSwap),
            peek: number(Operation::Peek),
            add_if: number(Operation::AddIf),
        }
    }
}

impl Logic for AtomicAlu {
    #[hdl_gen]
    fn update(&mut self) {
        self.stores.next = self.operation.val() == self.poke.val();
        self.posted.next = self.stores.val() | (self.operation.val() == self.post_add.val());
        self.addend.next = self.first.val();
        self.changes.next = true;
        if self.operation.val() == self.add_if.val() {
            self.addend.next = self.second.val();
            self.changes.next = self.old.val() < self.first.val();
        }
        self.new_value.next = self.old.val() + self.addend.val();
        if self.stores.val() {
            self.new_value.next = self.first.val();
        }
        if self.operation.val() == self.fetch_clear.val() {
            self.new_value.next = 0.into();
        }
        if self.operation.val() == self.compare_and_swap.val() {
            self.new_value.next = self.second.val();
            self.changes.next = self.old.val() == self.first.val();
        }
        if self.operation.val() == self.peek.val() {
            self.changes.next = false;
        }
    }
}
