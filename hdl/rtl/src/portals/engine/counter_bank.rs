use super::{CountIn, TableAccessIn, ITEM_WIDTH};
use crate::{
    bus::EventOut,
    prim::{LutRam, Ram},
};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        event::EVENT_WIDTH,
        registers::{PortalsRegister, PORTALS_FIELD_WIDTH},
    },
    portals::engine::{COUNTERS, EVENT_PRESENT_OFFSET, NUMBER_WIDTH},
};
use portico_verilog::prelude::*;

/// Width of the part of an item that is 0 in the number of a counter, in bits.
const BEYOND_WIDTH: usize = ITEM_WIDTH - NUMBER_WIDTH;
/// Width of the place of a count, in bits: the counter above the field.
const PLACE_WIDTH: usize = NUMBER_WIDTH + 1;

/// The stage of a change.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum CountStage {
    Idle,
    /// The memory gives the count.
    Load,
    /// The sum is written.
    Add,
    /// The event of the tile counts, and the change is taken.
    Tell,
}

/// Counters of successes and failures, and the events of the tile that count with them.
///
/// 64 counters of two counts of 32 bits; counts wrap.
///
/// | | |
/// | --- | --- |
/// | latency | from a change to its end 3 cycles, 4 if only failures change, 5 if both counts do, 1 more for a read of a register |
/// | throughput | one change at a time, each in one cycle more than its latency |
/// | timing | outputs are flip-flops; `change_ready` two gates behind them and `event_ready` |
/// | state | 64 bits a counter in block RAM, 6 in LUT-RAM and 1 in flip-flops, and the change in hand |
///
/// Both counts of a change are written before the event of the tile counts, which is before the change is taken. A count to
/// which 0 is added is not written.
///
/// A read of a register has the port of the memory first. A write waits until the counts of the change in hand are written, at most
/// 5 cycles after the access.
#[derive(LogicBlock, Default)]
pub struct CounterBank {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no event of the tile counts.
    pub rst: Signal<In, Bit>,
    /// After a reset: the counts are cleared, and neither changes nor registers take effect.
    pub initialising: Signal<In, Bit>,
    /// Count to be cleared, in its low bits; valid with `initialising`.
    pub place: Signal<In, Bits<NODE_WIDTH>>,
    /// Changes.
    pub change: CountIn,
    /// The event of the tile of a counter that was changed.
    pub event: EventOut,
    /// Accesses to registers of the tables; those of the counters take effect here.
    pub access: TableAccessIn,
    /// Answer to a read of a count, from 3 cycles after the read until the next access; else 0.
    pub answer: Signal<Out, Bits<32>>,
    counts: Ram<Bits<32>, PLACE_WIDTH>,
    numbers: LutRam<Bits<EVENT_WIDTH>, NUMBER_WIDTH>,
    /// One bit a counter: an event of the tile counts.
    present: DFF<Bits<COUNTERS>>,
    /// The write of a register waits.
    writes: DFF<Bit>,
    /// A register is read from the memory.
    reads: DFF<Bit>,
    /// The memory gives its count.
    shows: DFF<Bit>,
    shown: DFF<Bits<32>>,
    stage: DFF<CountStage>,
    /// The successes change.
    succeeds: DFF<Bit>,
    /// The failures change.
    fails: DFF<Bit>,
    /// The failures are in hand.
    field: DFF<Bit>,
    count: DFF<Bits<32>>,
    tells: DFF<Bit>,
    number: DFF<Bits<EVENT_WIDTH>>,
    is_row: Signal<Local, Bit>,
    row: Signal<Local, Bits<NUMBER_WIDTH>>,
    is_failure: Signal<Local, Bit>,
    is_count: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    renames: Signal<Local, Bit>,
    register_place: Signal<Local, Bits<PLACE_WIDTH>>,
    counter: Signal<Local, Bits<NUMBER_WIDTH>>,
    change_place: Signal<Local, Bits<PLACE_WIDTH>>,
    starts: Signal<Local, Bit>,
    is_wanted: Signal<Local, Bit>,
    has_next: Signal<Local, Bit>,
    moves_on: Signal<Local, Bit>,
    value: Signal<Local, Bits<32>>,
    sum: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for CounterBank {
    fn update(&mut self) {
        wire!(self => counts, numbers: clk);
        dff_setup!(
            self, clk, present, writes, reads, shows, shown, stage, succeeds, fails, field, count, tells, number
        );

        // Registers.
        self.is_row.next =
            !self.access.item.val().get_bits::<BEYOND_WIDTH>(NUMBER_WIDTH).any() & !self.initialising.val();
        self.row.next = self.access.item.val().get_bits::<NUMBER_WIDTH>(0);
        self.is_failure.next =
            self.access.number.val() == bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::CtFailure as u64);
        self.is_count.next = self.is_failure.val()
            | (self.access.number.val() == bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::CtSuccess as u64));
        self.register_place.next =
            field::<PLACE_WIDTH, NUMBER_WIDTH>(self.row.val(), 1).replace_bit(0, self.is_failure.val());
        self.acts.next =
            self.writes.q.val() & ((self.stage.q.val() == CountStage::Idle) | (self.stage.q.val() == CountStage::Tell));
        self.writes.d.next = (self.access.write.val() & self.is_row.val()) | (self.writes.q.val() & !self.acts.val());
        self.reads.d.next = self.access.read.val() & self.is_row.val() & self.is_count.val();
        self.shows.d.next = self.reads.q.val();
        if self.access.read.val() | self.access.write.val() {
            self.shown.d.next = 0.into();
        }
        if self.shows.q.val() {
            self.shown.d.next = self.counts.read_data.val();
        }
        self.answer.next = self.shown.q.val();
        self.renames.next = self.acts.val()
            & (self.access.number.val() == bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::CtEvent as u64));
        self.numbers.write_enable.next = self.renames.val();
        self.numbers.write_address.next = self.row.val();
        self.numbers.write_data.next = self.access.data.val().get_bits::<EVENT_WIDTH>(0);
        if self.renames.val() {
            self.present.d.next = self.present.q.val().replace_bit(
                self.row.val().index(),
                self.access.data.val().get_bit(EVENT_PRESENT_OFFSET),
            );
        }

        // The change. Its steps that read or write the memory wait for a register that is read, so no count is written while it
        // is read.
        self.counter.next = self.change.counter.val();
        self.starts.next = (self.stage.q.val() == CountStage::Idle)
            & self.change.valid.val()
            & !self.writes.q.val()
            & !self.reads.q.val()
            & !self.initialising.val();
        self.is_wanted.next = self.field.q.val() | self.succeeds.q.val();
        self.has_next.next = !self.field.q.val() & self.fails.q.val();
        self.moves_on.next = !self.reads.q.val()
            & ((self.stage.q.val() == CountStage::Add)
                | ((self.stage.q.val() == CountStage::Load) & !self.is_wanted.val()));
        self.change.ready.next =
            (self.stage.q.val() == CountStage::Tell) & (!self.tells.q.val() | self.event.ready.val());
        self.count.d.next = self.counts.read_data.val();
        if self.starts.val() {
            self.succeeds.d.next = self.change.sets.val() | self.change.success.val().any();
            self.fails.d.next = self.change.sets.val() | self.change.failure.val().any();
            self.field.d.next = false;
            self.stage.d.next = CountStage::Load;
        }
        if (self.stage.q.val() == CountStage::Load) & self.is_wanted.val() {
            self.stage.d.next = CountStage::Add;
        }
        self.numbers.read_address.next = self.counter.val();
        if self.moves_on.val() {
            self.stage.d.next = CountStage::Tell;
            self.tells.d.next = self.present.q.val().get_bit(self.counter.val().index());
            self.number.d.next = self.numbers.read_data.val();
            if self.has_next.val() {
                self.field.d.next = true;
                self.tells.d.next = false;
                self.stage.d.next = CountStage::Load;
            }
        }
        if self.change.ready.val() {
            self.tells.d.next = false;
            self.stage.d.next = CountStage::Idle;
        }
        self.event.valid.next = self.tells.q.val();
        self.event.event.next = self.number.q.val();
        self.event.error.next = 0.into();

        // The memory. Both counts of a change are read one after the other, the failures while the successes are written.
        self.change_place.next = field::<PLACE_WIDTH, NUMBER_WIDTH>(self.counter.val(), 1);
        self.counts.read_enable.next =
            self.reads.q.val() | self.starts.val() | (self.moves_on.val() & self.has_next.val());
        self.counts.read_address.next = self
            .change_place
            .val()
            .replace_bit(0, self.stage.q.val() != CountStage::Idle);
        if self.reads.q.val() {
            self.counts.read_address.next = self.register_place.val();
        }
        self.value.next = self.change.success.val();
        if self.field.q.val() {
            self.value.next = self.change.failure.val();
        }
        self.sum.next = self.count.q.val() + self.value.val();
        if self.change.sets.val() {
            self.sum.next = self.value.val();
        }
        self.counts.write_enable.next = (self.stage.q.val() == CountStage::Add) & !self.reads.q.val();
        self.counts.write_address.next = self.change_place.val().replace_bit(0, self.field.q.val());
        self.counts.write_data.next = self.sum.val();
        if self.acts.val() {
            self.counts.write_enable.next = self.is_count.val();
            self.counts.write_address.next = self.register_place.val();
            self.counts.write_data.next = self.access.data.val();
        }
        if self.initialising.val() {
            self.counts.write_enable.next = true;
            self.counts.write_address.next = self.place.val().get_bits::<PLACE_WIDTH>(0);
            self.counts.write_data.next = 0.into();
        }
        if self.rst.val() {
            self.present.d.next = 0.into();
            self.writes.d.next = false;
            self.reads.d.next = false;
            self.shows.d.next = false;
            self.shown.d.next = 0.into();
            self.stage.d.next = CountStage::Idle;
            self.tells.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use portico_spec::ni::INITIALISATION_CYCLES;
    use rand::{rngs::SmallRng, Rng};
    use std::collections::BTreeSet;

    clocked!([] CounterBank);

    /// A bank after its sweep.
    fn swept(dut: CounterBank) -> CounterBank {
        let mut dut = reset(dut);
        dut.initialising.next = true;
        for place in 0..INITIALISATION_CYCLES as u64 {
            dut.place.next = place.into();
            clock(&mut dut);
        }
        dut.initialising.next = false;
        settle(&mut dut);
        dut
    }

    fn access(dut: &mut CounterBank, is_write: bool, register: PortalsRegister, item: u64, data: u32) {
        dut.access.write.next = is_write;
        dut.access.read.next = !is_write;
        dut.access.number.next = (register as u64).into();
        dut.access.item.next = item.into();
        dut.access.data.next = u64::from(data).into();
    }

    fn access_ends(dut: &mut CounterBank) {
        dut.access.write.next = false;
        dut.access.read.next = false;
    }

    fn write(dut: &mut CounterBank, register: PortalsRegister, item: u64, data: u32) {
        access(dut, true, register, item, data);
        clock(dut);
        access_ends(dut);
        (0..5).for_each(|_| clock(dut));
    }

    /// The answer to a read, which is there 3 cycles later.
    fn read(dut: &mut CounterBank, register: PortalsRegister, item: u64) -> u32 {
        access(dut, false, register, item, 0);
        clock(dut);
        access_ends(dut);
        (0..2).for_each(|_| clock(dut));
        let answer = dut.answer.val().to_u64() as u32;
        (0..3).for_each(|_| clock(dut));
        assert_eq!(dut.answer.val(), u64::from(answer));
        answer
    }

    /// Cycles of a change, from that in which it is offered to that in which it is taken.
    fn change(dut: &mut CounterBank, counter: u64, sets: bool, [success, failure]: [u32; 2]) -> u32 {
        dut.change.valid.next = true;
        dut.change.counter.next = counter.into();
        dut.change.sets.next = sets;
        dut.change.success.next = u64::from(success).into();
        dut.change.failure.next = u64::from(failure).into();
        settle(dut);
        let mut cycles = 1;
        while !dut.change.ready.val() {
            clock(dut);
            cycles += 1;
        }
        clock(dut);
        dut.change.valid.next = false;
        settle(dut);
        cycles
    }

    #[test]
    fn a_change_takes_as_long_as_promised() {
        let mut dut = swept(CounterBank::default());
        dut.event.ready.next = true;
        for present in [0, 1 << EVENT_PRESENT_OFFSET] {
            write(&mut dut, PortalsRegister::CtEvent, 7, present | 3);
            for (sets, values, cycles) in [
                (false, [5, 0], 4),
                (false, [0, 6], 5),
                (false, [1, 1], 6),
                (true, [0, 0], 6),
                (false, [0, 0], 3),
            ] {
                assert_eq!(change(&mut dut, 7, sets, values), cycles, "{sets} {values:?}");
            }
        }
    }

    #[test]
    fn a_sweep_clears_counts_and_events() {
        let mut dut = swept(CounterBank::default());
        dut.event.ready.next = true;
        for counter in 0..COUNTERS as u64 {
            write(&mut dut, PortalsRegister::CtEvent, counter, 1 << EVENT_PRESENT_OFFSET);
            change(&mut dut, counter, true, [counter as u32 + 1, 1000 + counter as u32]);
        }
        for counter in 0..COUNTERS as u64 {
            assert_eq!(read(&mut dut, PortalsRegister::CtSuccess, counter), counter as u32 + 1);
            assert_eq!(
                read(&mut dut, PortalsRegister::CtFailure, counter),
                1000 + counter as u32
            );
            assert_eq!(read(&mut dut, PortalsRegister::CtEvent, counter), 0);
            assert_eq!(read(&mut dut, PortalsRegister::CtSuccess, counter + 64), 0);
        }
        let mut dut = swept(dut);
        dut.event.ready.next = false;
        for counter in 0..COUNTERS as u64 {
            assert_eq!(read(&mut dut, PortalsRegister::CtSuccess, counter), 0);
            assert_eq!(read(&mut dut, PortalsRegister::CtFailure, counter), 0);
            assert_eq!(change(&mut dut, counter, false, [1, 0]), 4);
        }
    }

    /// A count of which more than one value is possible while accesses and changes cross.
    type Possible = BTreeSet<u32>;

    /// A change that is offered.
    #[derive(Clone, Copy)]
    struct Offer {
        counter: usize,
        sets: bool,
        values: [u32; 2],
    }

    fn draw(rng: &mut SmallRng) -> Offer {
        let mut value = || [0, 1, rng.gen()][rng.gen_range(0..3)];
        let values = [value(), value()];
        Offer {
            counter: [0, 1, 62, 63][rng.gen_range(0..4)],
            sets: rng.gen_bool(0.2),
            values,
        }
    }

    #[test]
    fn changes_and_registers_cross_and_nothing_is_lost() {
        let mut rng = rng(0xc0ba);
        let mut dut = swept(CounterBank::default());
        let mut counts: Vec<[Possible; 2]> = vec![[Possible::from([0]), Possible::from([0])]; COUNTERS];
        let mut events = vec![None; COUNTERS];
        let mut offer: Option<Offer> = None;
        let (mut until_next, mut told) = (0, 0);
        // Answers of reads, and their cycles.
        let mut looked: Option<(u64, usize, usize, Possible)> = None;
        // Values that were written to the counts of the change in hand, before it or after it.
        let mut crossing = [None; 2];
        let (mut taken, mut checked, mut crossed, mut certain) = (0, 0, 0, 0);
        let after = |offer: &Offer, field: usize, values: &Possible| -> Possible {
            let sum = |count: &u32| {
                if offer.sets {
                    offer.values[field]
                } else {
                    count.wrapping_add(offer.values[field])
                }
            };
            values.iter().map(sum).collect()
        };
        for cycle in 0..200_000u64 {
            let idle = [0.0, 0.5, 0.9][cycle as usize / 500 % 3];
            if offer.is_none() && !rng.gen_bool(idle) {
                let drawn = draw(&mut rng);
                dut.change.valid.next = true;
                dut.change.counter.next = (drawn.counter as u64).into();
                dut.change.sets.next = drawn.sets;
                dut.change.success.next = u64::from(drawn.values[0]).into();
                dut.change.failure.next = u64::from(drawn.values[1]).into();
                offer = Some(drawn);
            }
            if until_next == 0 && rng.gen_bool(0.4) {
                until_next = 6;
                let item = [0, 1, 62, 63, 64, 127, 200][rng.gen_range(0..7)];
                let field = rng.gen_range(0..2);
                let register = [PortalsRegister::CtSuccess, PortalsRegister::CtFailure][field];
                let is_row = item < COUNTERS;
                let meets = offer.filter(|offer| offer.counter == item);
                if rng.gen_bool(0.7) {
                    access(&mut dut, false, register, item as u64, 0);
                    let now = if is_row {
                        counts[item][field].clone()
                    } else {
                        Possible::from([0])
                    };
                    looked = Some((cycle + 3, item, field, now));
                } else if meets.is_none() && rng.gen_bool(0.3) {
                    let data = rng.gen::<u32>() & 0x1ff;
                    access(&mut dut, true, PortalsRegister::CtEvent, item as u64, data);
                    if is_row {
                        let present = data >> EVENT_PRESENT_OFFSET & 1 == 1;
                        events[item] = present.then_some(u64::from(data & 0x3f));
                    }
                    looked = Some((cycle + 3, COUNTERS, 0, Possible::from([0])));
                } else {
                    let data = rng.gen::<u32>() & 0xff;
                    access(&mut dut, true, register, item as u64, data);
                    if is_row {
                        counts[item][field] = Possible::from([data]);
                    }
                    if meets.is_some() {
                        crossing[field] = Some(data);
                        crossed += 1;
                    }
                    looked = Some((cycle + 3, COUNTERS, 0, Possible::from([0])));
                }
            }
            let event_ready = !rng.gen_bool(idle);
            dut.event.ready.next = event_ready;
            settle(&mut dut);
            if dut.event.valid.val() && event_ready {
                let offer = offer.expect("an event without a change");
                assert_eq!(
                    Some(dut.event.event.val().to_u64()),
                    events[offer.counter],
                    "cycle {cycle}"
                );
                assert_eq!(dut.event.error.val(), 0u64);
                told += 1;
            }
            // A read sees the counts of the change in hand, or those before it.
            if let (Some((at, item, field, values)), Some(offer)) = (&mut looked, &offer) {
                if *item == offer.counter && cycle < *at {
                    let later = after(offer, *field, values);
                    values.extend(later);
                }
            }
            if let Some((_, item, _, values)) = looked.take_if(|(at, ..)| *at == cycle) {
                let answer = dut.answer.val().to_u64() as u32;
                assert!(
                    values.contains(&answer),
                    "cycle {cycle}: {answer:#x} of {item}: {values:x?}"
                );
                checked += 1;
                certain += u32::from(values.len() == 1 && item < COUNTERS);
            }
            let is_taken = dut.change.valid.val() && dut.change.ready.val();
            clock(&mut dut);
            access_ends(&mut dut);
            if is_taken {
                let done = offer.take().unwrap();
                assert_eq!(told, u32::from(events[done.counter].is_some()), "cycle {cycle}");
                told = 0;
                taken += 1;
                for (field, count) in counts[done.counter].iter_mut().enumerate() {
                    *count = after(&done, field, count);
                    count.extend(crossing[field].take());
                }
                dut.change.valid.next = false;
            }
            until_next = u32::saturating_sub(until_next, 1);
        }
        assert!(
            taken > 10_000 && checked > 8_000 && crossed > 300 && certain > 1_000,
            "{taken} {checked} {crossed} {certain}"
        );
    }
}
