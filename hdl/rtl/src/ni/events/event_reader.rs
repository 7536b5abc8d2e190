use super::CONTROL_WIDTH;
use crate::bus::{AddressMatch, RegisterReadIn};
use portico_spec::ni::{
    event::{COUNTER_WIDTH, EVENT_WIDTH, FIRED_OFFSET},
    packet::ERROR_WIDTH,
    registers::{Block as Registers, EventRegister, FIELD_WIDTH},
};
use portico_verilog::prelude::*;

/// Reads the registers of an event.
///
/// Gives 0 for fields that do not exist and registers of others.
///
/// | | |
/// | --- | --- |
/// | latency | `looked_at` is combinational; what stands there then is read a cycle after the index |
/// | throughput | a register a cycle |
/// | state | 32 flip-flops |
#[derive(LogicBlock, Default)]
pub struct EventReader {
    pub clk: Signal<In, Clock>,
    pub register_read: RegisterReadIn,
    /// The event that the index is of; the inputs below are this event's.
    pub looked_at: Signal<Out, Bits<EVENT_WIDTH>>,
    pub count: Signal<In, Bits<COUNTER_WIDTH>>,
    pub control: Signal<In, Bits<CONTROL_WIDTH>>,
    pub error: Signal<In, Bits<ERROR_WIDTH>>,
    pub has_fired: Signal<In, Bit>,
    pub value: Signal<In, Bits<64>>,
    is_own: AddressMatch<{ Registers::Events as usize }, { EVENT_WIDTH + FIELD_WIDTH }>,
    shown: DFF<Bits<32>>,
    field: Signal<Local, Bits<FIELD_WIDTH>>,
}

#[kernel]
impl Logic for EventReader {
    fn update(&mut self) {
        dff_setup!(self, clk, shown);
        self.is_own.index.next = self.register_read.index.val();
        self.field.next = self.register_read.index.val().get_bits::<FIELD_WIDTH>(0);
        self.looked_at.next = self.register_read.index.val().get_bits::<EVENT_WIDTH>(FIELD_WIDTH);
        self.shown.d.next = 0.into();
        if self.is_own.hit.val() {
            if self.field.val() == bits::<FIELD_WIDTH>(EventRegister::Count as u64) {
                self.shown.d.next = bit_cast::<32, COUNTER_WIDTH>(self.count.val());
            }
            if self.field.val() == bits::<FIELD_WIDTH>(EventRegister::Control as u64) {
                self.shown.d.next = bit_cast::<32, CONTROL_WIDTH>(self.control.val());
            }
            if self.field.val() == bits::<FIELD_WIDTH>(EventRegister::Status as u64) {
                self.shown.d.next =
                    bit_cast::<32, ERROR_WIDTH>(self.error.val()).replace_bit(FIRED_OFFSET, self.has_fired.val());
            }
            if self.field.val() == bits::<FIELD_WIDTH>(EventRegister::ValueLow as u64) {
                self.shown.d.next = self.value.val().get_bits::<32>(0);
            }
            if self.field.val() == bits::<FIELD_WIDTH>(EventRegister::ValueHigh as u64) {
                self.shown.d.next = self.value.val().get_bits::<32>(32);
            }
        }
        self.register_read.data.next = self.shown.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::clock_edge;

    #[test]
    fn every_field_is_read_in_its_place_and_nothing_elsewhere() {
        let mut dut = EventReader::default();
        dut.connect_all();
        dut.count.next = 0x1234u64.into();
        dut.control.next = 0x5_6789u64.into();
        dut.error.next = 0xbu64.into();
        dut.has_fired.next = true;
        dut.value.next = 0x0123_4567_89ab_cdefu64.into();
        let fields = [0x1234, 0x5_6789, 0x10b, 0x89ab_cdef, 0x0123_4567, 0, 0, 0];
        for index in 0..0x1_0000u64 {
            dut.register_read.index.next = index.into();
            clock_edge!(dut);
            let expected = if index >> 9 == 0x10 {
                fields[index as usize % 8]
            } else {
                0
            };
            assert_eq!(dut.register_read.data.val(), expected, "register {index:#x}");
            assert_eq!(dut.looked_at.val(), index >> 3 & 0x3f);
        }
    }
}
