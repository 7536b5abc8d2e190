use super::BIT_CYCLES_WIDTH;
use portico_spec::uart::{LINE_BITS, PAUSE_BITS};
use portico_verilog::prelude::*;

/// Width of the bit times without a byte: all of them are over when the highest bit is set.
const PAUSE_WIDTH: usize = PAUSE_BITS.ilog2() as usize + 1;

/// Takes bytes from a serial line: 8 bits, the lowest first, no parity, one stop bit.
///
/// | | |
/// | --- | --- |
/// | latency | half a bit time, and 3 cycles, from a byte's stop bit to `valid` |
/// | throughput | as the line |
/// | timing | every bit is read once, in its middle: with 16 cycles a bit or more the line may be 4 % faster or slower |
/// | state | 46 flip-flops |
#[derive(LogicBlock, Default)]
pub struct UartReceiver {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Clock cycles of a bit, 4 or more.
    pub bit_cycles: Signal<In, Bits<BIT_CYCLES_WIDTH>>,
    /// The line, asynchronous.
    pub rx: Signal<In, Bit>,
    /// High for a cycle: a byte has come.
    pub valid: Signal<Out, Bit>,
    /// The byte that has come, in the cycle in which `valid` is high.
    pub data: Signal<Out, Bits<8>>,
    /// High for a cycle: a byte had no stop bit, and is dropped.
    pub error: Signal<Out, Bit>,
    /// No byte has begun for as long as the protocol's pause.
    pub paused: Signal<Out, Bit>,
    /// Two flip-flops between the line and all else.
    seen: DFF<Bit>,
    level: DFF<Bit>,
    /// Bits that are still to be read; none between bytes.
    left: DFF<Bits<4>>,
    /// Cycles to the next reading; between bytes, to the end of a bit time.
    cycles: DFF<Bits<BIT_CYCLES_WIDTH>>,
    pause: DFF<Bits<PAUSE_WIDTH>>,
    shifted: DFF<Bits<8>>,
    comes: DFF<Bit>,
    fails: DFF<Bit>,
    is_idle: Signal<Local, Bit>,
    ticks: Signal<Local, Bit>,
}

#[kernel]
impl Logic for UartReceiver {
    fn update(&mut self) {
        dff_setup!(self, clk, seen, level, left, cycles, pause, shifted, comes, fails);
        self.seen.d.next = !self.rx.val();
        self.level.d.next = self.seen.q.val();
        self.is_idle.next = !self.left.q.val().any();
        self.ticks.next = !self.cycles.q.val().any();
        self.cycles.d.next = self.cycles.q.val() - 1;
        if self.ticks.val() {
            self.cycles.d.next = self.bit_cycles.val() - 1;
        }
        self.comes.d.next = false;
        self.fails.d.next = false;
        // `seen` and `level` are inverted, so that reset leaves an idle line.
        if self.is_idle.val() {
            if self.ticks.val() & !self.pause.q.val().get_bit(PAUSE_WIDTH - 1) {
                self.pause.d.next = self.pause.q.val() + 1;
            }
            if self.level.q.val() {
                self.left.d.next = bits::<4>(LINE_BITS as u64);
                // The two flip-flops have taken their part of half a bit.
                self.cycles.d.next = (self.bit_cycles.val() >> bits::<5>(1)) - 1;
                self.pause.d.next = 0.into();
            }
        } else if self.ticks.val() {
            self.left.d.next = self.left.q.val() - 1;
            self.shifted.d.next = self.shifted.q.val() >> bits::<4>(1);
            if !self.level.q.val() {
                self.shifted.d.next = (self.shifted.q.val() >> bits::<4>(1)) | bits::<8>(1 << 7);
            }
            // A start bit that is over at its middle was none.
            if (self.left.q.val() == bits::<4>(LINE_BITS as u64)) & !self.level.q.val() {
                self.left.d.next = 0.into();
            }
            if self.left.q.val() == 1 {
                self.shifted.d.next = self.shifted.q.val();
                self.comes.d.next = !self.level.q.val();
                self.fails.d.next = self.level.q.val();
            }
        }
        self.valid.next = self.comes.q.val();
        self.data.next = self.shifted.q.val();
        self.error.next = self.fails.q.val();
        self.paused.next = self.pause.q.val().get_bit(PAUSE_WIDTH - 1);
        if self.rst.val() {
            self.seen.d.next = false;
            self.level.d.next = false;
            self.left.d.next = 0.into();
            self.cycles.d.next = 0.into();
            self.pause.d.next = 0.into();
            self.comes.d.next = false;
            self.fails.d.next = false;
        }
    }
}
