use super::BIT_CYCLES_WIDTH;
use portico_spec::uart::LINE_BITS;
use portico_verilog::prelude::*;

/// Gives bytes to a serial line: 8 bits, the lowest first, no parity, one stop bit.
///
/// | | |
/// | --- | --- |
/// | latency | a byte's start bit begins a cycle after it is taken |
/// | throughput | a byte every 10 bit times and 1 cycle |
/// | timing | `tx` comes straight from a flip-flop |
/// | state | 30 flip-flops |
#[derive(LogicBlock, Default)]
pub struct UartTransmitter {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the line is idle afterwards.
    pub rst: Signal<In, Bit>,
    /// Clock cycles of a bit, 4 or more.
    pub bit_cycles: Signal<In, Bits<BIT_CYCLES_WIDTH>>,
    /// A byte to send is offered, and stays until it is taken.
    pub valid: Signal<In, Bit>,
    /// The byte to send, lowest bit first on the line.
    pub data: Signal<In, Bits<8>>,
    /// The byte to send is taken; high while no byte goes out.
    pub ready: Signal<Out, Bit>,
    /// The line.
    pub tx: Signal<Out, Bit>,
    /// The bits that are still to go out, inverted: an idle line is high.
    out: DFF<Bits<LINE_BITS>>,
    left: DFF<Bits<4>>,
    cycles: DFF<Bits<BIT_CYCLES_WIDTH>>,
    is_idle: Signal<Local, Bit>,
}

#[kernel]
impl Logic for UartTransmitter {
    fn update(&mut self) {
        dff_setup!(self, clk, out, left, cycles);
        self.is_idle.next = !self.left.q.val().any();
        self.ready.next = self.is_idle.val();
        self.tx.next = !self.out.q.val().get_bit(0);
        self.cycles.d.next = self.cycles.q.val() - 1;
        if !self.cycles.q.val().any() {
            self.cycles.d.next = self.bit_cycles.val() - 1;
            self.out.d.next = self.out.q.val() >> bits::<4>(1);
            if !self.is_idle.val() {
                self.left.d.next = self.left.q.val() - 1;
            }
        }
        if self.is_idle.val() {
            self.out.d.next = 0.into();
            self.cycles.d.next = self.bit_cycles.val() - 1;
            if self.valid.val() {
                self.left.d.next = bits::<4>(LINE_BITS as u64);
                self.out.d.next = field::<LINE_BITS, 8>(!self.data.val(), 1) | bits::<LINE_BITS>(1);
            }
        }
        if self.rst.val() {
            self.out.d.next = 0.into();
            self.left.d.next = 0.into();
        }
    }
}
