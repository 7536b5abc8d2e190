//! Events of a node.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Events`] | all of it |
//! | [`EventCounts`] | the counters |
//! | [`EventErrors`] | the first error of each event |
//! | [`EventFlags`] | which events have fired, and which may interrupt |
//! | [`EventReader`] | reads of the registers |

mod event_counts;
mod event_errors;
mod event_flags;
mod event_reader;

pub use event_counts::EventCounts;
pub use event_errors::EventErrors;
pub use event_flags::{EventCondition, EventFlags, CONTROL_WIDTH};
pub use event_reader::EventReader;

use super::SweptTable;
use crate::bus::{AddressMatch, EventIn, RegisterReadIn, RegisterWriteIn};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        event::{COUNTER_WIDTH, EVENTS, EVENT_WIDTH},
        registers::{Block as Registers, EventRegister, FIELD_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// Events: counters with a threshold, an error and a value each.
///
/// All events of a tile.
///
/// | | |
/// | --- | --- |
/// | latency | an update of cycle t is read by an index of t + 1, and shows in `fired` then; `irq` and `pending` show it in t + 2 |
/// | throughput | one update, one value, one register write and one read a cycle; no update ever waits for a register write |
/// | collision | an update and a register write of one cycle are the write, then the update |
/// | state | tables in LUT-RAM, 3 flip-flops an event |
///
/// The first error of an event is kept until its status is written. Registers of an event: see [`EventRegister`].
#[derive(LogicBlock, Default)]
pub struct Events {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    /// Ready in every cycle after the initialisation.
    pub update: EventIn,
    /// Keeps the result of an atomic with its event.
    pub value_valid: Signal<In, Bit>,
    pub value_event: Signal<In, Bits<EVENT_WIDTH>>,
    pub value_data: Signal<In, Bits<64>>,
    pub register_write: RegisterWriteIn,
    pub register_read: RegisterReadIn,
    /// One bit an event: its condition holds.
    pub fired: Signal<Out, Bits<EVENTS>>,
    /// Fired, and to interrupt.
    pub pending: Signal<Out, Bits<EVENTS>>,
    pub irq: Signal<Out, Bit>,
    write_match: AddressMatch<{ Registers::Events as usize }, { EVENT_WIDTH + FIELD_WIDTH }>,
    counts: EventCounts,
    controls: SweptTable<CONTROL_WIDTH, EVENT_WIDTH, 3>,
    errors: EventErrors,
    values: SweptTable<64, EVENT_WIDTH, 1>,
    flags: EventFlags,
    reader: EventReader,
    taken: Signal<Local, Bit>,
    writing: Signal<Local, Bit>,
    write_event: Signal<Local, Bits<EVENT_WIDTH>>,
    write_field: Signal<Local, Bits<FIELD_WIDTH>>,
}

#[kernel]
impl Logic for Events {
    fn update(&mut self) {
        wire!(self => errors, flags: clk, rst);
        wire!(self => reader, counts, controls, values: clk);
        wire!(self => counts: initialising, sweep);
        wire!(self => controls: initialising, sweep);
        wire!(self => values: initialising, sweep);

        self.update.ready.next = !self.initialising.val();
        self.taken.next = self.update.valid.val() & !self.initialising.val();
        self.counts.count_enable.next = self.taken.val();
        self.counts.count_event.next = self.update.event.val();

        self.write_match.index.next = self.register_write.index.val();
        self.writing.next = self.register_write.enable.val() & self.write_match.hit.val() & !self.initialising.val();
        self.write_field.next = self.register_write.index.val().get_bits::<FIELD_WIDTH>(0);
        self.write_event.next = self.register_write.index.val().get_bits::<EVENT_WIDTH>(FIELD_WIDTH);
        self.counts.write_enable.next =
            self.writing.val() & (self.write_field.val() == bits::<FIELD_WIDTH>(EventRegister::Count as u64));
        self.counts.write_event.next = self.write_event.val();
        self.counts.write_data.next = bit_cast::<COUNTER_WIDTH, 32>(self.register_write.data.val());
        self.controls.write_enable.next =
            self.writing.val() & (self.write_field.val() == bits::<FIELD_WIDTH>(EventRegister::Control as u64));
        self.controls.write_address.next = self.write_event.val();
        self.controls.write_data.next = bit_cast::<CONTROL_WIDTH, 32>(self.register_write.data.val());

        self.flags.change[0].next = self.taken.val();
        self.flags.change_event[0].next = self.update.event.val();
        self.flags.change[1].next = self.writing.val();
        self.flags.change_event[1].next = self.write_event.val();
        for i in 0..2 {
            self.counts.read_event[i].next = self.flags.look_event[i].val();
            self.flags.count[i].next = self.counts.read_data[i].val();
            self.controls.read_address[i].next = self.flags.look_event[i].val();
            self.flags.control[i].next = self.controls.read_data[i].val();
        }
        wire!(flags => self: fired, pending, irq);

        self.errors.enable.next = self.taken.val();
        self.errors.event_number.next = self.update.event.val();
        self.errors.error.next = self.update.error.val();
        self.errors.clear.next =
            self.writing.val() & (self.write_field.val() == bits::<FIELD_WIDTH>(EventRegister::Status as u64));
        self.errors.clear_event.next = self.write_event.val();
        self.values.write_enable.next = self.value_valid.val();
        self.values.write_address.next = self.value_event.val();
        self.values.write_data.next = self.value_data.val();

        RegisterReadIn::link(&mut self.register_read, &mut self.reader.register_read);
        self.counts.read_event[2].next = self.reader.looked_at.val();
        self.controls.read_address[2].next = self.reader.looked_at.val();
        self.errors.read_event.next = self.reader.looked_at.val();
        self.values.read_address[0].next = self.reader.looked_at.val();
        self.reader.count.next = self.counts.read_data[2].val();
        self.reader.control.next = self.controls.read_data[2].val();
        self.reader.error.next = self.errors.read_error.val();
        self.reader.has_fired.next = self.flags.fired.val().get_bit(self.reader.looked_at.val().index());
        self.reader.value.next = self.values.read_data[0].val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ni::testing::initialised,
        prim::testing::{clock, clocked, reset, rng, settle},
    };
    use rand::Rng;

    clocked!([] Events);

    /// Index of a field of an event.
    fn index(event: u64, field: u64) -> Bits<16> {
        ((Registers::Events as u64) << 12 | event << 3 | field).into()
    }

    #[derive(Clone, Copy, Default)]
    struct Model {
        count: u16,
        control: u64,
        error: u64,
        value: u64,
    }

    impl Model {
        fn fired(self) -> bool {
            let threshold = self.control as u16;
            match self.control >> 16 & 3 {
                0 => false,
                1 => self.count == threshold,
                2 => self.count >= threshold,
                _ => self.count != threshold,
            }
        }

        fn interrupts(self) -> bool {
            self.fired() && self.control >> 18 & 1 == 1
        }
    }

    fn flags(models: &[Model; EVENTS], flag: impl Fn(Model) -> bool) -> u64 {
        (0..EVENTS).fold(0, |flags, event| flags | u64::from(flag(models[event])) << event)
    }

    #[test]
    fn registers_updates_values_and_flags_are_those_of_the_model() {
        let mut rng = rng(0xe7e);
        let mut dut = initialised!(Events::default());
        let mut models = [Model::default(); EVENTS];
        // Interrupts lag the counts by a cycle.
        let mut shown = models;
        let (mut met, mut wraps, mut interrupts) = (0, 0, 0);
        for cycle in 0..20_000 {
            let mut event = || (cycle / 1_000 * 13 + rng.gen_range(0..3)) % EVENTS;
            let (updated, written, valued, read) = (event(), event(), event(), event());
            let (updates, writes, values) = (rng.gen_bool(0.7), rng.gen_bool(0.2), rng.gen_bool(0.2));
            let error = if rng.gen_bool(0.2) { rng.gen_range(1..16) } else { 0 };
            let (write_field, read_field) = (rng.gen_range(0..4), rng.gen_range(0..8));
            let near = rng.gen_range(0..6) + if rng.gen() { 0xfffd } else { 0 };
            let data = near | rng.gen_range(0..8) << 16 | rng.gen_range(0..2) << 19;
            let value: u64 = rng.gen();
            let elsewhere = rng.gen_bool(0.1);
            dut.update.valid.next = updates;
            dut.update.event.next = (updated as u64).into();
            dut.update.error.next = error.into();
            dut.value_valid.next = values;
            dut.value_event.next = (valued as u64).into();
            dut.value_data.next = value.into();
            dut.register_write.enable.next = writes;
            dut.register_write.index.next = index(written as u64, write_field) ^ (u64::from(elsewhere) << 13);
            dut.register_write.data.next = (data & 0xffff_ffff).into();
            dut.register_read.index.next = index(read as u64, read_field) ^ (u64::from(elsewhere) << 9);
            settle(&mut dut);
            assert!(dut.update.ready.val());
            let of = models[read];
            let expected = match read_field {
                _ if elsewhere => 0,
                0 => u64::from(of.count),
                1 => of.control,
                2 => of.error | u64::from(of.fired()) << 8,
                3 => of.value & 0xffff_ffff,
                4 => of.value >> 32,
                _ => 0,
            };
            assert_eq!(dut.fired.val(), flags(&models, Model::fired), "cycle {cycle}");
            assert_eq!(dut.pending.val(), flags(&shown, Model::interrupts), "cycle {cycle}");
            assert_eq!(
                dut.irq.val(),
                shown.iter().any(|model| model.interrupts()),
                "cycle {cycle}"
            );
            interrupts += u32::from(dut.irq.val());
            clock(&mut dut);
            assert_eq!(
                dut.register_read.data.val(),
                expected,
                "cycle {cycle}, field {read_field}"
            );
            shown = models;
            if writes && !elsewhere {
                let model = &mut models[written];
                match write_field {
                    0 => model.count = data as u16,
                    1 => model.control = data & 0x7_ffff,
                    2 => model.error = 0,
                    _ => {}
                }
                met += u32::from(updates && updated == written);
            }
            if updates {
                let model = &mut models[updated];
                model.count = model.count.wrapping_add(1);
                wraps += u32::from(model.count == 0);
                if model.error == 0 {
                    model.error = error;
                }
            }
            if values {
                models[valued].value = value;
            }
        }
        assert!(
            met > 500 && wraps > 50 && interrupts > 1_000,
            "{met}, {wraps}, {interrupts}"
        );
    }

    #[test]
    fn a_count_is_read_and_fires_a_cycle_after_the_update_and_interrupts_in_the_next() {
        let mut dut = initialised!(Events::default());
        dut.register_write.enable.next = true;
        dut.register_write.index.next = index(9, EventRegister::Control as u64);
        dut.register_write.data.next = (1 | 1 << 18 | 2u64 << 16).into();
        clock(&mut dut);
        dut.register_write.enable.next = false;
        dut.update.valid.next = true;
        dut.update.event.next = 9u64.into();
        clock(&mut dut);
        dut.update.valid.next = false;
        dut.register_read.index.next = index(9, EventRegister::Count as u64);
        settle(&mut dut);
        assert_eq!((dut.fired.val().to_u64(), dut.irq.val()), (1 << 9, false));
        clock(&mut dut);
        assert_eq!(dut.register_read.data.val(), 1u64);
        assert_eq!((dut.fired.val().to_u64(), dut.irq.val()), (1 << 9, true));
    }

    #[test]
    fn the_initialisation_takes_no_update_and_reset_clears_everything() {
        let mut dut = initialised!(Events::default());
        dut.update.valid.next = true;
        dut.update.error.next = 5u64.into();
        dut.register_write.enable.next = true;
        dut.register_write.index.next = index(0, EventRegister::Control as u64);
        dut.register_write.data.next = 0x7_0003u64.into();
        (0..5).for_each(|_| clock(&mut dut));
        assert!(dut.irq.val());
        // Both go on through the initialisation.
        let mut dut = initialised!(dut, |dut: &Events| assert!(!dut.update.ready.val()));
        dut.update.valid.next = false;
        dut.register_write.enable.next = false;
        for event in 0..EVENTS as u64 {
            for field in 0..5 {
                dut.register_read.index.next = index(event, field);
                clock(&mut dut);
                assert_eq!(dut.register_read.data.val(), 0u64, "event {event}, field {field}");
                assert_eq!((dut.fired.val().to_u64(), dut.irq.val()), (0, false));
            }
        }
    }
}
