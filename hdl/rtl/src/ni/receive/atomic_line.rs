use portico_verilog::prelude::*;

/// The new value of an atomic operation at its place in a word of memory.
///
/// Words of `W` bits, `B` bytes.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct AtomicLine<const W: usize, const B: usize> {
    pub new_value: Signal<In, Bits<64>>,
    /// 64 bits.
    pub wide: Signal<In, Bit>,
    /// The upper half of a 64-bit word.
    pub half: Signal<In, Bit>,
    /// The upper word of a pair.
    pub upper: Signal<In, Bit>,
    pub data: Signal<Out, Bits<W>>,
    pub lanes: Signal<Out, Bits<B>>,
    spread: Signal<Local, Bits<64>>,
    bytes: Signal<Local, Bits<8>>,
}

#[kernel]
impl<const W: usize, const B: usize> Logic for AtomicLine<W, B> {
    fn update(&mut self) {
        self.spread.next = self.new_value.val();
        self.bytes.next = bits::<8>(0xff);
        if !self.wide.val() & !(W == 32) {
            self.spread.next = bit_cast::<64, 32>(self.new_value.val().get_bits::<32>(0))
                | (bit_cast::<64, 32>(self.new_value.val().get_bits::<32>(0)) << bits::<6>(32));
            self.bytes.next = bits::<8>(0x0f);
            if self.half.val() {
                self.bytes.next = bits::<8>(0xf0);
            }
        }
        if self.upper.val() {
            self.spread.next = bit_cast::<64, 32>(self.new_value.val().get_bits::<32>(32));
        }
        self.data.next = bit_cast::<W, 64>(self.spread.val());
        self.lanes.next = bit_cast::<B, 8>(self.bytes.val());
    }
}
