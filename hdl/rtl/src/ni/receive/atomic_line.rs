//! The new value of an atomic operation at its place in a word of memory.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | state | none |

use rust_hdl::prelude::*;

/// Words of `W` bits, `B` bytes.
#[derive(LogicBlock)]
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
    narrow_words: Constant<Bit>,
    half_at: Constant<Bits<6>>,
    all_lanes: Constant<Bits<8>>,
    low_lanes: Constant<Bits<8>>,
    high_lanes: Constant<Bits<8>>,
}

impl<const W: usize, const B: usize> Default for AtomicLine<W, B> {
    fn default() -> Self {
        Self {
            new_value: Default::default(),
            wide: Default::default(),
            half: Default::default(),
            upper: Default::default(),
            data: Default::default(),
            lanes: Default::default(),
            spread: Default::default(),
            bytes: Default::default(),
            narrow_words: Constant::new(W == 32),
            half_at: Constant::new(bits(32)),
            all_lanes: Constant::new(bits(0xff)),
            low_lanes: Constant::new(bits(0x0f)),
            high_lanes: Constant::new(bits(0xf0)),
        }
    }
}

impl<const W: usize, const B: usize> Logic for AtomicLine<W, B> {
    #[hdl_gen]
    fn update(&mut self) {
        self.spread.next = self.new_value.val();
        self.bytes.next = self.all_lanes.val();
        if !self.wide.val() & !self.narrow_words.val() {
            self.spread.next = bit_cast::<64, 32>(self.new_value.val().get_bits::<32>(0))
                | (bit_cast::<64, 32>(self.new_value.val().get_bits::<32>(0)) << self.half_at.val());
            self.bytes.next = self.low_lanes.val();
            if self.half.val() {
                self.bytes.next = self.high_lanes.val();
            }
        }
        if self.upper.val() {
            self.spread.next = bit_cast::<64, 32>(self.new_value.val().get_bits::<32>(self.half_at.val().index()));
        }
        self.data.next = bit_cast::<W, 64>(self.spread.val());
        self.lanes.next = bit_cast::<B, 8>(self.bytes.val());
    }
}
