//! Reads the registers of an event.
//!
//! | | |
//! | --- | --- |
//! | latency | `looked_at` is combinational; what stands there then is read a cycle after the index |
//! | throughput | a register a cycle |
//! | state | 32 flip-flops |

use super::{event_flags::CONTROL_WIDTH, ports::RegisterReadIn, Page};
use portico_spec::ni::{
    event::{COUNTER_WIDTH, EVENT_WIDTH, FIRED_OFFSET},
    packet::ERROR_WIDTH,
    registers::{Block as Registers, EventRegister, FIELD_WIDTH},
};
use rust_hdl::prelude::*;

type Field = Constant<Bits<FIELD_WIDTH>>;

/// Gives 0 for fields that do not exist and registers of others.
#[derive(LogicBlock)]
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
    page: Page,
    shown: DFF<Bits<32>>,
    field: Signal<Local, Bits<FIELD_WIDTH>>,
    event_at: Constant<Bits<4>>,
    fired_at: Constant<Bits<4>>,
    high_at: Constant<Bits<6>>,
    count_field: Field,
    control_field: Field,
    status_field: Field,
    value_low_field: Field,
    value_high_field: Field,
}

impl Default for EventReader {
    fn default() -> Self {
        let field = |field: EventRegister| Constant::new(bits(field as u64));
        Self {
            clk: Default::default(),
            register_read: Default::default(),
            looked_at: Default::default(),
            count: Default::default(),
            control: Default::default(),
            error: Default::default(),
            has_fired: Default::default(),
            value: Default::default(),
            page: Page::new(Registers::Events, EVENT_WIDTH + FIELD_WIDTH),
            shown: Default::default(),
            field: Default::default(),
            event_at: Constant::new(bits(FIELD_WIDTH as u64)),
            fired_at: Constant::new(bits(FIRED_OFFSET as u64)),
            high_at: Constant::new(bits(32)),
            count_field: field(EventRegister::Count),
            control_field: field(EventRegister::Control),
            status_field: field(EventRegister::Status),
            value_low_field: field(EventRegister::ValueLow),
            value_high_field: field(EventRegister::ValueHigh),
        }
    }
}

impl Logic for EventReader {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, shown);
        self.page.index.next = self.register_read.index.val();
        self.field.next = self.register_read.index.val().get_bits::<FIELD_WIDTH>(0);
        self.looked_at.next = self
            .register_read
            .index
            .val()
            .get_bits::<EVENT_WIDTH>(self.event_at.val().index());
        self.shown.d.next = 0.into();
        if self.page.hit.val() {
            if self.field.val() == self.count_field.val() {
                self.shown.d.next = bit_cast::<32, COUNTER_WIDTH>(self.count.val());
            }
            if self.field.val() == self.control_field.val() {
                self.shown.d.next = bit_cast::<32, CONTROL_WIDTH>(self.control.val());
            }
            if self.field.val() == self.status_field.val() {
                self.shown.d.next = bit_cast::<32, ERROR_WIDTH>(self.error.val())
                    .replace_bit(self.fired_at.val().index(), self.has_fired.val());
            }
            if self.field.val() == self.value_low_field.val() {
                self.shown.d.next = self.value.val().get_bits::<32>(0);
            }
            if self.field.val() == self.value_high_field.val() {
                self.shown.d.next = self.value.val().get_bits::<32>(self.high_at.val().index());
            }
        }
        self.register_read.data.next = self.shown.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, emitted};

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

    #[test]
    fn emits() {
        emitted("event-reader", &EventReader::default());
    }
}
