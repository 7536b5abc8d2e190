use portico_spec::uart::{CRC_POLYNOMIAL, CRC_START};
use portico_verilog::prelude::*;

/// The CRC-32 of Ethernet and zlib, bit by bit.
///
/// | | |
/// | --- | --- |
/// | latency | 8 cycles a byte, in which no other may come |
/// | throughput | one byte every 9 cycles |
/// | state | 36 flip-flops |
#[derive(LogicBlock, Default)]
pub struct FrameCheck {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// A byte, while not `busy`.
    pub valid: Signal<In, Bit>,
    /// It is the first.
    pub first: Signal<In, Bit>,
    /// The byte to count in, while `valid` is high.
    pub data: Signal<In, Bits<8>>,
    /// The byte before is not yet counted in.
    pub busy: Signal<Out, Bit>,
    /// The CRC of all bytes from the first, while not `busy`.
    pub crc: Signal<Out, Bits<32>>,
    sum: DFF<Bits<32>>,
    left: DFF<Bits<4>>,
    start: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for FrameCheck {
    fn update(&mut self) {
        dff_setup!(self, clk, sum, left);
        self.busy.next = self.left.q.val().any();
        self.crc.next = !self.sum.q.val();
        self.start.next = self.sum.q.val();
        if self.first.val() {
            self.start.next = bits::<32>(CRC_START as u64);
        }
        if self.left.q.val().any() {
            self.left.d.next = self.left.q.val() - 1;
            self.sum.d.next = self.sum.q.val() >> bits::<6>(1);
            if self.sum.q.val().get_bit(0) {
                self.sum.d.next = (self.sum.q.val() >> bits::<6>(1)) ^ bits::<32>(CRC_POLYNOMIAL as u64);
            }
        } else if self.valid.val() {
            self.left.d.next = 8.into();
            self.sum.d.next = self.start.val() ^ bit_cast::<32, 8>(self.data.val());
        }
        if self.rst.val() {
            self.left.d.next = 0.into();
        }
    }
}
