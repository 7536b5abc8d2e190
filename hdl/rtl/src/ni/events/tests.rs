//! Updates and accesses at random against a model that takes operations one by one.

use super::*;
use crate::{
    bus::{ACCESS_CYCLES, ANSWER_CYCLES},
    ni::testing::initialised,
    prim::testing::{clock, clocked, reset, rng, settle},
};
use rand::Rng;
use std::collections::VecDeque;

clocked!([] Events);

/// Cycles from an update taken to its flags.
const FLAG_CYCLES: usize = 3;
/// Cycles that an update on offer waits at most: for an access and for an error.
const LONGEST_WAIT: usize = 2;

/// Index of a field of an event.
fn index(event: usize, field: u64) -> u64 {
    (Registers::Events as u64) << 12 | (event as u64) << 3 | field
}

#[derive(Clone, Copy, Default)]
struct Model {
    count: u16,
    control: u64,
    error: u64,
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

    fn read(self, field: u64) -> u64 {
        match field {
            0 => u64::from(self.count),
            1 => self.control,
            2 => self.error | u64::from(self.fired()) << 8,
            _ => 0,
        }
    }

    fn write(&mut self, field: u64, data: u64) {
        match field {
            0 => self.count = data as u16,
            1 => self.control = data & 0x7_ffff,
            2 => self.error = 0,
            _ => {}
        }
    }
}

fn flags(models: &[Model; EVENTS], flag: impl Fn(Model) -> bool) -> u64 {
    (0..EVENTS).fold(0, |flags, event| flags | u64::from(flag(models[event])) << event)
}

/// An access: the event, the field, the data of a write.
type Access = (usize, u64, Option<u64>);

fn access(dut: &mut Events, (event, field, data): Access) {
    dut.register.write.next = data.is_some();
    dut.register.read.next = data.is_none();
    dut.register.index.next = index(event, field).into();
    dut.register.data.next = data.unwrap_or_default().into();
}

/// One access after the other, to its end; the answer.
fn do_access(dut: &mut Events, of: Access) -> u64 {
    access(dut, of);
    clock(dut);
    dut.register.write.next = false;
    dut.register.read.next = false;
    (1..ACCESS_CYCLES).for_each(|_| clock(dut));
    dut.register.answer.val().to_u64()
}

#[test]
fn registers_updates_and_flags_are_those_of_the_model() {
    let mut rng = rng(0xe7e);
    let mut dut = initialised!(Events::new(EVENTS));
    let mut models = [Model::default(); EVENTS];
    let mut shown: VecDeque<(u64, u64)> = VecDeque::from(vec![(0, 0); FLAG_CYCLES + 1]);
    // The access that waits, the error that is to be kept, the answer that is to come and when, the update on offer.
    let mut waiting: Option<Access> = None;
    let mut failing: Option<(usize, u64)> = None;
    let mut answer: Option<(usize, u64)> = None;
    let mut offered: Option<(usize, u64)> = None;
    let mut took = false;
    let mut next_access = 0;
    let (mut met, mut wraps, mut interrupts, mut held, mut running) = (0, 0, 0, 0, 0);
    let mut waited = 0;
    for cycle in 0..40_000 {
        let mut event = || (cycle / 1_000 * 13 + rng.gen_range(0..3)) % EVENTS;
        let (updated, accessed) = (event(), event());
        if offered.is_none() && cycle > 4 && rng.gen_bool(0.8) {
            let error = if rng.gen_bool(0.2) { rng.gen_range(1..16) } else { 0 };
            offered = Some((updated, error));
        }
        dut.update.valid.next = offered.is_some();
        dut.update.event.next = (offered.unwrap_or_default().0 as u64).into();
        dut.update.error.next = offered.unwrap_or_default().1.into();
        dut.register.write.next = false;
        dut.register.read.next = false;
        if cycle > 4 && cycle >= next_access && rng.gen_bool(0.5) {
            next_access = cycle + ACCESS_CYCLES;
            let near = rng.gen_range(0..6) + if rng.gen() { 0xfffd } else { 0 };
            let data = near | rng.gen_range(0..8) << 16 | rng.gen_range(0..2) << 19;
            let of = (
                accessed,
                rng.gen_range(0..8),
                rng.gen_bool(0.5).then_some(data & 0xffff_ffff),
            );
            access(&mut dut, of);
            if rng.gen_bool(0.1) {
                // Somebody else's.
                dut.register.index.next = (index(of.0, of.1) ^ 1 << 13).into();
                answer = of.2.is_none().then_some((cycle + ANSWER_CYCLES, 0)).or(answer);
            } else {
                waiting = Some(of);
                met += usize::from(offered.is_some_and(|(event, _)| event == accessed));
            }
        }
        settle(&mut dut);

        let takes = failing.is_none() && waiting.is_none();
        assert_eq!(dut.update.ready.val(), takes, "cycle {cycle}");
        held += usize::from(offered.is_some() && !takes);
        waited = if offered.is_some() && !takes { waited + 1 } else { 0 };
        assert!(waited <= LONGEST_WAIT, "cycle {cycle}");
        running += usize::from(took && offered.is_some() && takes);
        assert_eq!(
            (dut.fired.val().to_u64(), dut.pending.val().to_u64()),
            shown[0],
            "cycle {cycle}"
        );
        interrupts += usize::from(dut.irq.val());
        if let Some((at, expected)) = answer {
            if cycle >= at {
                assert_eq!(dut.register.answer.val(), expected, "cycle {cycle}");
            }
            answer = answer.filter(|_| cycle + 1 < next_access);
        }

        took = false;
        if let Some((event, field, data)) = waiting.take() {
            match data {
                Some(data) => models[event].write(field, data),
                None => answer = Some((next_access - ACCESS_CYCLES + ANSWER_CYCLES, models[event].read(field))),
            }
        } else if let Some((event, error)) = failing.take() {
            if models[event].error == 0 {
                models[event].error = error;
            }
        } else if let Some((event, error)) = offered.take() {
            let model = &mut models[event];
            model.count = model.count.wrapping_add(1);
            wraps += usize::from(model.count == 0);
            failing = (error != 0).then_some((event, error));
            took = true;
        }
        shown.pop_front();
        shown.push_back((flags(&models, Model::fired), flags(&models, Model::interrupts)));
        while shown.len() > FLAG_CYCLES {
            shown.pop_front();
        }
        clock(&mut dut);
    }
    assert!(
        met > 500 && wraps > 50 && interrupts > 1_000 && held > 1_000 && running > 1_000,
        "{met}, {wraps}, {interrupts}, {held}, {running}"
    );
    dut.update.valid.next = false;
    dut.register.write.next = false;
    dut.register.read.next = false;
    (0..ACCESS_CYCLES).for_each(|_| clock(&mut dut));
    for (event, model) in models.into_iter().enumerate() {
        for field in 0..8 {
            let seen = do_access(&mut dut, (event, field, None));
            assert_eq!(seen, model.read(field), "event {event}, field {field}");
        }
    }
}

#[test]
fn a_count_fires_three_cycles_after_the_update_and_interrupts_in_the_next() {
    let mut dut = initialised!(Events::new(EVENTS));
    do_access(
        &mut dut,
        (9, EventRegister::Control as u64, Some(1 | 1 << 18 | 2 << 16)),
    );
    dut.update.valid.next = true;
    dut.update.event.next = 9u64.into();
    settle(&mut dut);
    while !dut.update.ready.val() {
        clock(&mut dut);
    }
    clock(&mut dut);
    dut.update.valid.next = false;
    for (fired, irq) in [(0, false), (0, false), (1 << 9, false), (1 << 9, true)] {
        assert_eq!((dut.fired.val().to_u64(), dut.irq.val()), (fired, irq));
        clock(&mut dut);
    }
    assert_eq!(do_access(&mut dut, (9, EventRegister::Count as u64, None)), 1);
}

#[test]
fn the_initialisation_takes_no_update_and_reset_clears_everything() {
    let mut dut = initialised!(Events::new(EVENTS));
    for event in 0..EVENTS {
        do_access(&mut dut, (event, EventRegister::Control as u64, Some(0x7_0003)));
    }
    dut.update.valid.next = true;
    dut.update.error.next = 5u64.into();
    (0..9).for_each(|_| clock(&mut dut));
    assert!(dut.irq.val());
    // Both go on through the initialisation.
    dut.register.write.next = true;
    let mut dut = initialised!(dut, |dut: &Events| assert!(!dut.update.ready.val()));
    dut.update.valid.next = false;
    dut.register.write.next = false;
    (0..ACCESS_CYCLES).for_each(|_| clock(&mut dut));
    for event in 0..EVENTS {
        for field in 0..5 {
            assert_eq!(
                do_access(&mut dut, (event, field, None)),
                0,
                "event {event}, field {field}"
            );
        }
    }
    assert_eq!((dut.fired.val().to_u64(), dut.irq.val()), (0, false));
}
