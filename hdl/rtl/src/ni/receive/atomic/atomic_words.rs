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
    /// The new value; of 32-bit operations in the low half.
    pub new_value: Signal<In, Bits<64>>,
    /// 64 bits.
    pub wide: Signal<In, Bit>,
    /// The upper half of a 64-bit word.
    pub half: Signal<In, Bit>,
    /// The upper word of a pair.
    pub upper: Signal<In, Bit>,
    /// Word to write; a value of 32 bits is in both halves of a word of 64.
    pub data: Signal<Out, Bits<W>>,
    /// Bytes to write, one bit a byte, bit 0 for bits 7 to 0.
    pub lanes: Signal<Out, Bits<B>>,
    spread: Signal<Local, Bits<64>>,
    bytes: Signal<Local, Bits<8>>,
}

#[kernel]
impl<const W: usize, const B: usize> Logic for AtomicLine<W, B> {
    fn update(&mut self) {
        self.spread.next = self.new_value.val();
        self.bytes.next = bits::<8>(0xff);
        if !self.wide.val() & (W != 32) {
            self.spread.next = bit_cast::<64, 32>(self.new_value.val().get_bits::<32>(0))
                | field::<64, 32>(self.new_value.val().get_bits::<32>(0), 32);
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

/// The old value of an atomic operation, gathered from the words that are read.
///
/// Words of `W` bits.
///
/// | | |
/// | --- | --- |
/// | latency | `arrives`: combinational with the last word; `held`: a cycle later |
/// | throughput | a word a cycle |
/// | state | the old value, and an upper word |
#[derive(LogicBlock, Default)]
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
    /// A word that was asked for is on `data`.
    pub data_valid: Signal<In, Bit>,
    /// Word of the memory; valid with `data_valid`.
    pub data: Signal<In, Bits<W>>,
    /// The last word is there.
    pub arrives: Signal<Out, Bit>,
    /// The old value; of 32-bit operations in the low half, 0 above. It stays until the next one is read.
    pub held: Signal<Out, Bits<64>>,
    last_value: DFF<Bits<64>>,
    upper_word: DFF<Bits<32>>,
    has_upper: DFF<Bit>,
    word: Signal<Local, Bits<64>>,
    whole: Signal<Local, Bits<64>>,
    last: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize> Logic for AtomicOld<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, last_value, upper_word, has_upper);
        self.word.next = bit_cast::<64, W>(self.data.val());
        self.whole.next = self.word.val();
        if self.is_pair.val() {
            self.whole.next = self.word.val() | field::<64, 32>(self.upper_word.q.val(), 32);
        }
        if !self.wide.val() & (W != 32) {
            self.whole.next = bit_cast::<64, 32>(self.word.val().get_bits::<32>(0));
            if self.half.val() {
                self.whole.next = bit_cast::<64, 32>(self.word.val().get_bits::<32>(32));
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
        self.held.next = self.last_value.q.val();
    }
}
