use super::mail_merge::{VALUE_WIDTH, WORD_WIDTH};
use portico_spec::ni::mailbox::COUNT_WIDTH;
use portico_verilog::prelude::*;

/// The answer to a read of a mailbox, or of the value of an event.
///
/// Gives 0 for fields that cannot be read, and after a read of another block's register.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from `show` to `answer`, which then stays |
/// | throughput | a register a cycle |
/// | state | 35 flip-flops |
#[derive(LogicBlock, Default)]
pub struct InboxReader {
    pub clk: Signal<In, Clock>,
    /// A new read starts; the value shown belongs to the previous one. It may come with `show`.
    pub clear: Signal<In, Bit>,
    /// The row is read whose word comes in the next cycle.
    pub show: Signal<In, Bit>,
    /// The low half of the value is asked for, with `show`; at most one of `low`, `high` and `count` is.
    pub low: Signal<In, Bit>,
    /// The high half of the value is asked for, with `show`.
    pub high: Signal<In, Bit>,
    /// The count is asked for, with `show`.
    pub count: Signal<In, Bit>,
    /// The row, in the cycle after `show`.
    pub word: Signal<In, Bits<WORD_WIDTH>>,
    /// Answer to the last read, from 2 cycles after `show` on; 0 from `clear` until then.
    pub answer: Signal<Out, Bits<32>>,
    shows_low: DFF<Bit>,
    shows_high: DFF<Bit>,
    shows_count: DFF<Bit>,
    shown: DFF<Bits<32>>,
}

#[kernel]
impl Logic for InboxReader {
    fn update(&mut self) {
        dff_setup!(self, clk, shows_low, shows_high, shows_count, shown);
        self.shows_low.d.next = self.show.val() & self.low.val();
        self.shows_high.d.next = self.show.val() & self.high.val();
        self.shows_count.d.next = self.show.val() & self.count.val();
        if self.clear.val() {
            self.shown.d.next = 0.into();
        }
        if self.shows_low.q.val() {
            self.shown.d.next = self.word.val().get_bits::<32>(0);
        }
        if self.shows_high.q.val() {
            self.shown.d.next = self.word.val().get_bits::<32>(32);
        }
        if self.shows_count.q.val() {
            self.shown.d.next = bit_cast::<32, COUNT_WIDTH>(self.word.val().get_bits::<COUNT_WIDTH>(VALUE_WIDTH));
        }
        self.answer.next = self.shown.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::clock_edge;

    #[test]
    fn each_field_is_shown_in_its_place_until_the_next_read() {
        let mut dut = InboxReader::default();
        dut.connect_all();
        let word = bits::<WORD_WIDTH>(0x1234_5678_9abc_def0) | (bits::<WORD_WIDTH>(0x7777_3b2a) << bits::<7>(64));
        for (field, expected) in [0x9abc_def0u64, 0x1234_5678, 0x3b2a, 0].into_iter().enumerate() {
            dut.low.next = field == 0;
            dut.high.next = field == 1;
            dut.count.next = field == 2;
            dut.clear.next = true;
            dut.show.next = true;
            clock_edge!(dut);
            assert_eq!(dut.answer.val(), 0u64);
            dut.clear.next = false;
            dut.show.next = false;
            dut.word.next = word;
            clock_edge!(dut);
            dut.word.next = 0.into();
            for _ in 0..3 {
                assert_eq!(dut.answer.val(), expected, "field {field}");
                clock_edge!(dut);
            }
        }
    }
}
