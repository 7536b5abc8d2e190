//! The old value of an atomic operation, gathered from the words that are read.
//!
//! | | |
//! | --- | --- |
//! | latency | `value`: combinational with the last word; `held`: a cycle later |
//! | throughput | a word a cycle |
//! | state | the old value, an upper word, 97 flip-flops |

use rust_hdl::prelude::*;

/// Words of `W` bits.
#[derive(LogicBlock)]
pub struct AtomicOld<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// No word of the next operation has come.
    pub clear: Signal<In, Bit>,
    /// 64 bits.
    pub wide: Signal<In, Bit>,
    /// The upper half of a 64-bit word.
    pub half: Signal<In, Bit>,
    /// Two words, the upper one first.
    pub is_pair: Signal<In, Bit>,
    pub data_valid: Signal<In, Bit>,
    pub data: Signal<In, Bits<W>>,
    /// The last word is there, and `value` with it.
    pub arrives: Signal<Out, Bit>,
    pub value: Signal<Out, Bits<64>>,
    pub held: Signal<Out, Bits<64>>,
    last_value: DFF<Bits<64>>,
    upper_word: DFF<Bits<32>>,
    has_upper: DFF<Bit>,
    word: Signal<Local, Bits<64>>,
    whole: Signal<Local, Bits<64>>,
    last: Signal<Local, Bit>,
    narrow_words: Constant<Bit>,
    half_at: Constant<Bits<6>>,
}

impl<const W: usize> Default for AtomicOld<W> {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            clear: Default::default(),
            wide: Default::default(),
            half: Default::default(),
            is_pair: Default::default(),
            data_valid: Default::default(),
            data: Default::default(),
            arrives: Default::default(),
            value: Default::default(),
            held: Default::default(),
            last_value: Default::default(),
            upper_word: Default::default(),
            has_upper: Default::default(),
            word: Default::default(),
            whole: Default::default(),
            last: Default::default(),
            narrow_words: Constant::new(W == 32),
            half_at: Constant::new(bits(32)),
        }
    }
}

impl<const W: usize> Logic for AtomicOld<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, last_value, upper_word, has_upper);
        self.word.next = bit_cast::<64, W>(self.data.val());
        self.whole.next = self.word.val();
        if self.is_pair.val() {
            self.whole.next = self.word.val() | (bit_cast::<64, 32>(self.upper_word.q.val()) << self.half_at.val());
        }
        if !self.wide.val() & !self.narrow_words.val() {
            self.whole.next = bit_cast::<64, 32>(self.word.val().get_bits::<32>(0));
            if self.half.val() {
                self.whole.next = bit_cast::<64, 32>(self.word.val().get_bits::<32>(self.half_at.val().index()));
            }
        }
        self.last.next = self.data_valid.val() & (!self.is_pair.val() | self.has_upper.q.val());
        if self.data_valid.val() {
            self.has_upper.d.next = true;
            self.upper_word.d.next = bit_cast::<32, 64>(self.word.val());
        }
        if self.last.val() {
            self.last_value.d.next = self.whole.val();
        }
        if self.clear.val() {
            self.has_upper.d.next = false;
        }
        self.arrives.next = self.last.val();
        self.value.next = self.whole.val();
        self.held.next = self.last_value.q.val();
    }
}
