//! Operands of an atomic operation, gathered flit by flit.
//!
//! | | |
//! | --- | --- |
//! | latency | 1 cycle |
//! | throughput | one operand flit a cycle |
//! | state | 131 flip-flops |

use portico_spec::ni::packet::{Operation, OPERATION_WIDTH};
use rust_hdl::prelude::*;

/// Up to two operands of 64 bits, 32 bits a flit.
#[derive(LogicBlock)]
pub struct AtomicOperands {
    pub clk: Signal<In, Clock>,
    /// Forgets those of the operation before.
    pub clear: Signal<In, Bit>,
    pub take: Signal<In, Bit>,
    pub word: Signal<In, Bits<32>>,
    pub operation: Signal<In, Bits<OPERATION_WIDTH>>,
    /// Two flits an operand, low half first.
    pub wide: Signal<In, Bit>,
    pub first: Signal<Out, Bits<64>>,
    pub second: Signal<Out, Bits<64>>,
    /// The operation exists and has all its operands.
    pub complete: Signal<Out, Bit>,
    first_low: DFF<Bits<32>>,
    first_high: DFF<Bits<32>>,
    second_low: DFF<Bits<32>>,
    second_high: DFF<Bits<32>>,
    count: DFF<Bits<3>>,
    wanted: Signal<Local, Bits<3>>,
    wanted_flits: Signal<Local, Bits<3>>,
    is_second: Signal<Local, Bit>,
    is_high: Signal<Local, Bit>,
    two: Constant<Bits<3>>,
    three: Constant<Bits<3>>,
    upper: Constant<Bits<6>>,
    fetch_clear: Constant<Bits<OPERATION_WIDTH>>,
    peek: Constant<Bits<OPERATION_WIDTH>>,
    compare_and_swap: Constant<Bits<OPERATION_WIDTH>>,
    add_if: Constant<Bits<OPERATION_WIDTH>>,
}

impl Default for AtomicOperands {
    fn default() -> Self {
        let number = |operation: Operation| Constant::new(bits(operation as u64));
        Self {
            clk: Default::default(),
            clear: Default::default(),
            take: Default::default(),
            word: Default::default(),
            operation: Default::default(),
            wide: Default::default(),
            first: Default::default(),
            second: Default::default(),
            complete: Default::default(),
            first_low: Default::default(),
            first_high: Default::default(),
            second_low: Default::default(),
            second_high: Default::default(),
            count: Default::default(),
            wanted: Default::default(),
            wanted_flits: Default::default(),
            is_second: Default::default(),
            is_high: Default::default(),
            two: Constant::new(bits(2)),
            three: Constant::new(bits(3)),
            upper: Constant::new(bits(32)),
            fetch_clear: number(Operation::FetchClear),
            peek: number(Operation::Peek),
            compare_and_swap: number(Operation::CompareAndSwap),
            add_if: number(Operation::AddIf),
        }
    }
}

impl Logic for AtomicOperands {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, first_low, first_high, second_low, second_high, count);
        self.wanted.next = 1.into();
        if (self.operation.val() == self.fetch_clear.val()) | (self.operation.val() == self.peek.val()) {
            self.wanted.next = 0.into();
        }
        if (self.operation.val() == self.compare_and_swap.val()) | (self.operation.val() == self.add_if.val()) {
            self.wanted.next = 2.into();
        }
        self.wanted_flits.next = self.wanted.val();
        if self.wide.val() {
            self.wanted_flits.next = self.wanted.val() << 1;
        }
        self.complete.next =
            (self.operation.val() <= self.add_if.val()) & (self.count.q.val() >= self.wanted_flits.val());

        self.is_second.next = self.count.q.val() == 1;
        self.is_high.next = false;
        if self.wide.val() {
            self.is_second.next = (self.count.q.val() == self.two.val()) | (self.count.q.val() == self.three.val());
            self.is_high.next = self.count.q.val().get_bit(0);
        }
        // What comes after the last operand is not stored.
        if self.take.val() & (self.count.q.val() < self.wanted_flits.val()) {
            self.count.d.next = self.count.q.val() + 1;
            if self.is_second.val() {
                if self.is_high.val() {
                    self.second_high.d.next = self.word.val();
                } else {
                    self.second_low.d.next = self.word.val();
                }
            } else {
                if self.is_high.val() {
                    self.first_high.d.next = self.word.val();
                } else {
                    self.first_low.d.next = self.word.val();
                }
            }
        }
        if self.clear.val() {
            self.count.d.next = 0.into();
            self.first_high.d.next = 0.into();
            self.second_high.d.next = 0.into();
        }
        self.first.next = bit_cast::<64, 32>(self.first_low.q.val())
            | (bit_cast::<64, 32>(self.first_high.q.val()) << self.upper.val());
        self.second.next = bit_cast::<64, 32>(self.second_low.q.val())
            | (bit_cast::<64, 32>(self.second_high.q.val()) << self.upper.val());
    }
}
