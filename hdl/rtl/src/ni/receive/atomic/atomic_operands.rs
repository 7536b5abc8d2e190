use portico_spec::ni::packet::{Operation, OPERATION_WIDTH};
use portico_verilog::prelude::*;

/// Operands of an atomic operation, gathered flit by flit.
///
/// Up to two operands of 64 bits, 32 bits a flit.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one operand flit a cycle |
/// | state | the operands |
#[derive(LogicBlock, Default)]
pub struct AtomicOperands {
    pub clk: Signal<In, Clock>,
    /// Forgets those of the operation before.
    pub clear: Signal<In, Bit>,
    /// An operand is on `word`.
    pub take: Signal<In, Bit>,
    /// The low 32 bits of the flit.
    pub word: Signal<In, Bits<32>>,
    /// Operation of the atomic.
    pub operation: Signal<In, Bits<OPERATION_WIDTH>>,
    /// Two flits an operand, low half first.
    pub wide: Signal<In, Bit>,
    /// First operand; of 32 bits in the low half, 0 above.
    pub first: Signal<Out, Bits<64>>,
    /// Second operand; of 32 bits in the low half, 0 above.
    pub second: Signal<Out, Bits<64>>,
    /// The operation exists and has all its operands. Follows the operation a cycle late.
    pub complete: Signal<Out, Bit>,
    first_low: DFF<Bits<32>>,
    first_high: DFF<Bits<32>>,
    second_low: DFF<Bits<32>>,
    second_high: DFF<Bits<32>>,
    count: DFF<Bits<3>>,
    full: DFF<Bit>,
    room: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    wanted: Signal<Local, Bits<3>>,
    wanted_flits: Signal<Local, Bits<3>>,
    is_second: Signal<Local, Bit>,
    is_high: Signal<Local, Bit>,
}

#[kernel]
impl Logic for AtomicOperands {
    fn update(&mut self) {
        dff_setup!(self, clk, first_low, first_high, second_low, second_high, count, full);
        self.wanted.next = 1.into();
        if (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::FetchClear as u64))
            | (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::Peek as u64))
        {
            self.wanted.next = 0.into();
        }
        if (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::CompareAndSwap as u64))
            | (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::AddIf as u64))
        {
            self.wanted.next = 2.into();
        }
        self.wanted_flits.next = self.wanted.val();
        if self.wide.val() {
            self.wanted_flits.next = self.wanted.val() << 1;
        }
        self.room.next = self.count.q.val() < self.wanted_flits.val();
        self.is_last.next = self.count.q.val() + 1 == self.wanted_flits.val();
        self.full.d.next = (self.operation.val() <= bits::<OPERATION_WIDTH>(Operation::AddIf as u64))
            & (!self.room.val() | (self.take.val() & self.is_last.val()));
        self.complete.next = self.full.q.val();

        self.is_second.next = self.count.q.val() == 1;
        self.is_high.next = false;
        if self.wide.val() {
            self.is_second.next = (self.count.q.val() == bits::<3>(2)) | (self.count.q.val() == bits::<3>(3));
            self.is_high.next = self.count.q.val().get_bit(0);
        }
        // What comes after the last operand is not stored.
        if self.take.val() & self.room.val() {
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
        self.first.next = bit_cast::<64, 32>(self.first_low.q.val()) | field::<64, 32>(self.first_high.q.val(), 32);
        self.second.next = bit_cast::<64, 32>(self.second_low.q.val()) | field::<64, 32>(self.second_high.q.val(), 32);
    }
}
