use super::EVENT_INDEX_WIDTH;
use crate::portals::list_manager::RecordIn;
use portico_spec::portals::{
    engine::{EVENT_DELIVERED_OFFSET, LENGTH_WIDTH, SOURCE_RANK_WIDTH},
    list::{DETAIL_SOURCE_OFFSET, LENGTH_OFFSET, OFFSET_OFFSET},
};
use portico_verilog::prelude::*;

/// The words of an event of a header, from what the lists keep of it.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one word a cycle |
/// | state | the word |
///
/// Words 0 and 4, of which a header knows nothing, are 0.
#[derive(LogicBlock, Default)]
pub struct HeaderWords {
    pub clk: Signal<In, Clock>,
    /// The header, as the lists show it.
    pub record: RecordIn,
    /// Its delivered length, in bytes.
    pub delivered: Signal<In, Bits<LENGTH_WIDTH>>,
    /// It is of a get: it has no header data.
    pub get: Signal<In, Bit>,
    /// Place of a word in the event.
    pub index: Signal<In, Bits<EVENT_INDEX_WIDTH>>,
    /// The word whose place was `index` in the cycle before.
    pub word: Signal<Out, Bits<32>>,
    held: DFF<Bits<32>>,
}

#[kernel]
impl Logic for HeaderWords {
    fn update(&mut self) {
        dff_setup!(self, clk, held);
        self.word.next = self.held.q.val();
        self.held.d.next = 0.into();
        if self.index.val() == 1 {
            self.held.d.next = bit_cast::<32, SOURCE_RANK_WIDTH>(
                self.record
                    .detail
                    .val()
                    .get_bits::<SOURCE_RANK_WIDTH>(DETAIL_SOURCE_OFFSET),
            ) | field::<32, LENGTH_WIDTH>(self.delivered.val(), EVENT_DELIVERED_OFFSET);
        } else if self.index.val() == 2 {
            self.held.d.next = self.record.detail.val().get_bits::<32>(0);
        } else if self.index.val() == 3 {
            self.held.d.next = self.record.extent.val().get_bits::<32>(LENGTH_OFFSET);
        } else if self.index.val() == 5 {
            self.held.d.next = self.record.extent.val().get_bits::<32>(OFFSET_OFFSET);
        } else if self.index.val() == 6 {
            self.held.d.next = self.record.match_bits.val().get_bits::<32>(0);
        } else if self.index.val() == 7 {
            self.held.d.next = self.record.match_bits.val().get_bits::<32>(32);
        } else if (self.index.val() == 8) & !self.get.val() {
            self.held.d.next = self.record.ignore_bits.val().get_bits::<32>(0);
        } else if (self.index.val() == 9) & !self.get.val() {
            self.held.d.next = self.record.ignore_bits.val().get_bits::<32>(32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::clock_edge;

    #[test]
    fn an_event_has_the_words_of_its_header() {
        let mut dut = HeaderWords::default();
        dut.connect_all();
        dut.record.match_bits.next = 0x1111_2222_3333_4444u64.into();
        dut.record.extent.next = 0x0000_0500_0000_0300u64.into();
        dut.record.ignore_bits.next = 0x5555_6666_7777_8888u64.into();
        // Rank 5, portal index 3; user 9, start 0x1234.
        dut.record.detail.next = (0x0090_1234u64 | 0x0605 << DETAIL_SOURCE_OFFSET).into();
        dut.delivered.next = 0x40.into();
        for get in [false, true] {
            dut.get.next = get;
            let data = if get { [0, 0] } else { [0x7777_8888, 0x5555_6666] };
            let words = [
                0,
                0x40 << EVENT_DELIVERED_OFFSET | 5,
                0x0090_1234,
                0x300,
                0,
                0x500,
                0x3333_4444,
                0x1111_2222,
                data[0],
                data[1],
            ];
            for (index, word) in words.into_iter().enumerate() {
                dut.index.next = (index as u64).into();
                clock_edge!(dut);
                assert_eq!(dut.word.val().to_u64(), word, "word {index}, get {get}");
            }
        }
    }
}
