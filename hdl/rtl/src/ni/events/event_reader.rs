use super::event_step::{CONTROL_AT, CONTROL_WIDTH, WORD_WIDTH};
use portico_spec::ni::{
    event::{COUNTER_WIDTH, FIRED_OFFSET},
    packet::ERROR_WIDTH,
    registers::{EventRegister, FIELD_WIDTH},
};
use portico_verilog::prelude::*;

/// The answer to a read of a register of an event.
///
/// Gives 0 for fields that are not kept here, and after a read of another block's register.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from `show` to `answer`, which then stays |
/// | throughput | a register a cycle |
/// | state | 32 flip-flops |
#[derive(LogicBlock, Default)]
pub struct EventReader {
    pub clk: Signal<In, Clock>,
    /// A new read starts; the value shown belongs to the previous one.
    pub clear: Signal<In, Bit>,
    /// The inputs below are of the event that is read.
    pub show: Signal<In, Bit>,
    /// Register of the event that is read; valid with `show`.
    pub field: Signal<In, Bits<FIELD_WIDTH>>,
    /// Of the error, if that is read, else of the count.
    pub word: Signal<In, Bits<WORD_WIDTH>>,
    /// The event has fired; valid with `show`.
    pub has_fired: Signal<In, Bit>,
    /// Answer to the last read, from the cycle after `show` on; 0 from `clear` until then.
    pub answer: Signal<Out, Bits<32>>,
    shown: DFF<Bits<32>>,
}

#[kernel]
impl Logic for EventReader {
    fn update(&mut self) {
        dff_setup!(self, clk, shown);
        if self.clear.val() {
            self.shown.d.next = 0.into();
        }
        if self.show.val() {
            if self.field.val() == bits::<FIELD_WIDTH>(EventRegister::Count as u64) {
                self.shown.d.next = bit_cast::<32, COUNTER_WIDTH>(self.word.val().get_bits::<COUNTER_WIDTH>(0));
            }
            if self.field.val() == bits::<FIELD_WIDTH>(EventRegister::Control as u64) {
                self.shown.d.next =
                    bit_cast::<32, CONTROL_WIDTH>(self.word.val().get_bits::<CONTROL_WIDTH>(CONTROL_AT));
            }
            if self.field.val() == bits::<FIELD_WIDTH>(EventRegister::Status as u64) {
                self.shown.d.next = bit_cast::<32, ERROR_WIDTH>(self.word.val().get_bits::<ERROR_WIDTH>(0))
                    .replace_bit(FIRED_OFFSET, self.has_fired.val());
            }
        }
        self.answer.next = self.shown.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::clock_edge;

    #[test]
    fn every_field_is_shown_in_its_place_until_the_next_read() {
        let mut dut = EventReader::default();
        dut.connect_all();
        dut.has_fired.next = true;
        for (field, expected) in [0x123bu64, 0x5_6789, 0x11b, 0, 0, 0, 0, 0].into_iter().enumerate() {
            dut.clear.next = true;
            clock_edge!(dut);
            dut.clear.next = false;
            assert_eq!(dut.answer.val(), 0u64);
            dut.field.next = (field as u64).into();
            dut.word.next = (0x5_6789u64 << 16 | 0x123b).into();
            dut.show.next = true;
            clock_edge!(dut);
            dut.show.next = false;
            dut.word.next = 0u64.into();
            for _ in 0..3 {
                assert_eq!(dut.answer.val(), expected, "field {field}");
                clock_edge!(dut);
            }
        }
    }
}
