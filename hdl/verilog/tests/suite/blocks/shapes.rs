//! Values: records, slices, casts, indices.

use rust_hdl::prelude::*;

/// Fields of a word.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Header {
    pub destination: Bits<9>,
    pub tag: Bits<8>,
    pub last: Bit,
}

/// Records, slices, widening and narrowing casts, replaced bits, indices from hardware.
#[derive(LogicBlock, Default)]
pub struct Shapes {
    pub a: Signal<In, Bits<8>>,
    pub b: Signal<In, Bits<8>>,
    pub at: Signal<In, Bits<3>>,
    pub header: Signal<In, Header>,
    pub wide_sum: Signal<Out, Bits<12>>,
    pub low_sum: Signal<Out, Bits<4>>,
    pub picked: Signal<Out, Bit>,
    pub nibble: Signal<Out, Bits<4>>,
    pub marked: Signal<Out, Bits<8>>,
    pub turned: Signal<Out, Bits<8>>,
    pub reply: Signal<Out, Header>,
    pub order: Signal<Out, Bit>,
    pub amount: Signal<Out, Bits<8>>,
}

impl Logic for Shapes {
    #[hdl_gen]
    fn update(&mut self) {
        self.wide_sum.next = bit_cast::<12, 8>(self.a.val() + self.b.val());
        self.low_sum.next = bit_cast::<4, 8>(self.a.val() - self.b.val());
        self.picked.next = self.a.val().get_bit(self.at.val().index());
        self.nibble.next = (self.a.val() ^ self.b.val()).get_bits::<4>(2);
        self.marked.next = self.a.val().replace_bit(3, self.b.val().any());
        self.turned.next = self.a.val().replace_bit(self.at.val().index(), true);
        self.reply.next.destination = self.header.val().destination + 1;
        self.reply.next.tag = self.header.val().tag;
        self.reply.next.last = !self.header.val().last;
        self.order.next = (self.a.val() & self.b.val()) < (self.a.val() | bits::<8>(3));
        self.amount.next = (self.a.val() << self.at.val()) + (self.b.val() >> 2);
    }
}

/// Offsets that only the hardware knows, and arithmetic on them, which is Rust's `usize` arithmetic: it does not wrap at the
/// width of the signal.
#[derive(LogicBlock, Default)]
pub struct Offsets {
    pub word: Signal<In, Bits<32>>,
    pub lane: Signal<In, Bits<2>>,
    pub nibble: Signal<In, Bits<3>>,
    pub distance: Signal<In, Bits<6>>,
    pub place: Signal<In, Bits<5>>,
    pub carry: Signal<In, Bit>,
    pub aligned: Signal<Out, Bits<8>>,
    pub shifted: Signal<Out, Bits<32>>,
    pub above: Signal<Out, Bit>,
    pub beside: Signal<Out, Bit>,
    pub middle: Signal<Out, Bits<4>>,
    pub sum: Signal<Out, Bits<32>>,
    pub one_hot: Signal<Out, Bits<8>>,
    pub rest: Signal<Out, Bits<8>>,
    moved: Signal<Local, Bits<32>>,
}

impl Logic for Offsets {
    #[hdl_gen]
    fn update(&mut self) {
        self.aligned.next = self.word.val().get_bits::<8>(self.lane.val().index() * 8);
        self.shifted.next = self.word.val().get_bits::<32>(self.nibble.val().index());
        self.above.next = self.word.val().get_bit(self.nibble.val().index() + 9);
        self.beside.next = self.word.val().get_bit((self.place.val() ^ 1).index());
        self.middle.next = self.word.val().get_bits::<4>(28 - 4 * self.nibble.val().index());
        self.sum.next = self.word.val() + self.carry.val();
        self.one_hot.next = bit_cast::<8, 64>(1 << self.nibble.val());
        self.moved.next = self.word.val() >> self.distance.val();
        self.rest.next = self.moved.val().get_bits::<8>(28);
    }
}
