//! Mail, values and accesses at random against a model.

use super::*;
use crate::{
    bus::{ACCESS_CYCLES, ANSWER_CYCLES},
    ni::testing::initialised,
    prim::testing::{clock, clocked, reset, rng, settle},
};
use portico_spec::ni::{
    event::EVENTS,
    registers::{Block as Registers, EventRegister, MailboxRegister},
};
use rand::Rng;
use std::collections::VecDeque;

clocked!([] Inbox);

/// Index of a field of a mailbox.
fn index(mailbox: usize, field: u64) -> u64 {
    (Registers::Mailboxes as u64) << 12 | (mailbox as u64) << 2 | field
}

/// Index of a field of an event.
fn event_index(event: usize, field: u64) -> u64 {
    (Registers::Events as u64) << 12 | (event as u64) << 3 | field
}

#[derive(Clone, Copy, Default)]
struct Model {
    value: u64,
    count: u64,
    control: u64,
}

impl Model {
    /// Takes a mail under the control of when it was read; gives the event.
    fn take(&mut self, control: u64, mail: u64) -> Option<u64> {
        let is_barrier = control & 1 == 1;
        self.value = if is_barrier { self.value | mail } else { mail };
        self.count = (self.count + 1) % (1 << 16);
        if is_barrier && self.count >= (control >> 8).max(1) {
            self.count = 0;
        } else if is_barrier {
            return None;
        }
        (control & 2 > 0).then_some(control >> 2 & 0x3f)
    }

    fn read(self, field: u64) -> u64 {
        [self.value & 0xffff_ffff, self.value >> 32, 0, self.count][field as usize]
    }

    fn write(&mut self, field: u64, data: u64) {
        match field {
            2 => self.control = data & 0xffff,
            3 => (self.value, self.count) = (0, 0),
            _ => {}
        }
    }
}

/// What is read or written: a field of a mailbox, the value of an event, somebody else's register.
#[derive(Clone, Copy)]
enum Subject {
    Mailbox(usize, u64),
    Event(usize, u64),
    Other,
}

impl Subject {
    fn index(self) -> u64 {
        match self {
            Self::Mailbox(mailbox, field) => index(mailbox, field),
            Self::Event(event, field) => event_index(event, field),
            Self::Other => (Registers::Tags as u64) << 12 | 2,
        }
    }
}

fn access(dut: &mut Inbox, subject: Subject, data: Option<u64>) {
    dut.register.write.next = data.is_some();
    dut.register.read.next = data.is_none();
    dut.register.index.next = subject.index().into();
    dut.register.data.next = data.unwrap_or_default().into();
}

/// One access, to its end; the answer.
fn do_access(dut: &mut Inbox, subject: Subject, data: Option<u64>) -> u64 {
    access(dut, subject, data);
    clock(dut);
    dut.register.write.next = false;
    dut.register.read.next = false;
    (1..ACCESS_CYCLES).for_each(|_| clock(dut));
    dut.register.answer.val().to_u64()
}

#[test]
fn mails_values_and_registers_are_those_of_the_model() {
    let mut rng = rng(0x3a1b);
    let mut dut = initialised!(Inbox::new(&Build::FULL));
    let mut boxes = [Model::default(); MAILBOXES];
    let mut values = [0u64; EVENTS];
    let mut events = VecDeque::new();
    // When the last mail or value came, to which mailbox (else event), with what; the control that a mail has seen.
    let mut last: Option<(u64, bool, usize, u64)> = None;
    let mut seen_control = 0;
    let mut waiting: Option<(Subject, Option<u64>)> = None;
    let mut answer: Option<(u64, u64)> = None;
    let mut next_access = 0;
    let (mut met, mut fired, mut waited, mut storms) = (0, 0, 0, 0);
    for cycle in 10..40_000u64 {
        let mut any = |count: usize| (cycle as usize / 1_000 * 9 + rng.gen_range(0..3)) % count;
        let (mailed, valued, accessed, of_event) = (any(MAILBOXES), any(EVENTS), any(MAILBOXES), any(EVENTS));
        let storm = cycle / 500 % 2 == 0;
        let age = last.map(|(at, ..)| cycle - at);
        let comes = age.is_none_or(|age| age >= 3) && rng.gen_bool(if storm { 1.0 } else { 0.2 });
        let (is_mail, data) = (rng.gen_bool(0.7), rng.gen::<u64>() & rng.gen::<u64>());
        storms += u32::from(comes && age == Some(3));
        dut.mail_valid.next = comes && is_mail;
        dut.mail_box.next = (mailed as u64).into();
        dut.mail_data.next = data.into();
        dut.value_valid.next = comes && !is_mail;
        dut.value_event.next = (valued as u64).into();
        dut.value_data.next = data.into();
        dut.register.write.next = false;
        dut.register.read.next = false;
        if cycle >= next_access && rng.gen_bool(0.6) {
            let subject = match rng.gen_range(0..10) {
                0 => Subject::Other,
                1 | 2 => Subject::Event(of_event, rng.gen_range(0..8)),
                _ => Subject::Mailbox(accessed, rng.gen_range(0..4)),
            };
            let data = rng.gen_range(0..5) << 8 | rng.gen_range(0..256);
            let data = rng.gen_bool(0.5).then_some(data);
            access(&mut dut, subject, data);
            next_access = cycle + ACCESS_CYCLES as u64;
            waiting = Some((subject, data));
            answer = None;
        }
        dut.update.ready.next = true;
        settle(&mut dut);

        let seen = dut.update.valid.val().then(|| dut.update.event.val().to_u64());
        let due = events.front().is_some_and(|(at, _)| *at == cycle);
        assert_eq!(seen, due.then(|| events.pop_front().unwrap().1), "cycle {cycle}");
        assert_eq!(dut.update.error.val(), 0u64);
        if let Some((from, expected)) = answer.filter(|(from, _)| cycle >= *from) {
            assert_eq!(
                dut.register.answer.val(),
                expected,
                "cycle {cycle}, asked {} before",
                cycle + ANSWER_CYCLES as u64 - from
            );
        }

        // The access goes when nothing is read or stored; a mail that has its word then comes after it.
        if age != Some(1) && age != Some(3) {
            if let Some((subject, data)) = waiting.take() {
                let answer_at = next_access - ACCESS_CYCLES as u64 + ANSWER_CYCLES as u64;
                met += u32::from(
                    matches!((subject, last), (Subject::Mailbox(of, _), Some((at, true, mailed, _)))
                    if of == mailed && at + 2 == cycle),
                );
                match (subject, data) {
                    (Subject::Mailbox(of, field), Some(data)) => boxes[of].write(field, data),
                    (Subject::Mailbox(of, field), None) => answer = Some((answer_at, boxes[of].read(field))),
                    (Subject::Event(of, 3), None) => answer = Some((answer_at, values[of] & 0xffff_ffff)),
                    (Subject::Event(of, 4), None) => answer = Some((answer_at, values[of] >> 32)),
                    (_, None) => answer = Some((answer_at, 0)),
                    (_, Some(_)) => {}
                }
            }
        } else {
            waited += u32::from(waiting.is_some());
        }
        match (age, last) {
            (Some(1), Some((_, true, mailed, _))) => seen_control = boxes[mailed].control,
            (Some(3), Some((at, true, mailed, data))) => {
                let event = boxes[mailed].take(seen_control, data);
                fired += u32::from(event.is_some());
                events.extend(event.map(|event| (at + 4, event)));
            }
            (Some(3), Some((_, false, valued, data))) => values[valued] = data,
            _ => {}
        }
        if comes {
            last = Some((cycle, is_mail, if is_mail { mailed } else { valued }, data));
        }
        clock(&mut dut);
    }
    assert!(
        met > 100 && fired > 1_000 && waited > 1_000 && storms > 3_000,
        "{met}, {fired}, {waited}, {storms}"
    );
}

#[test]
fn an_event_waits_until_it_is_taken_and_reset_empties_all() {
    let mut dut = initialised!(Inbox::new(&Build::FULL));
    let control = Subject::Mailbox(127, MailboxRegister::Control as u64);
    do_access(&mut dut, control, Some(2 | 33 << 2));
    dut.mail_valid.next = true;
    dut.mail_box.next = 127u64.into();
    dut.mail_data.next = u64::MAX.into();
    clock(&mut dut);
    dut.mail_valid.next = false;
    for _ in 0..3 {
        assert!(!dut.update.valid.val());
        clock(&mut dut);
    }
    for ready in [false, false, true] {
        dut.update.ready.next = ready;
        settle(&mut dut);
        assert!(dut.update.valid.val());
        assert_eq!(dut.update.event.val(), 33u64);
        clock(&mut dut);
    }
    assert!(!dut.update.valid.val());
    dut.value_valid.next = true;
    dut.value_event.next = 63u64.into();
    dut.value_data.next = u64::MAX.into();
    clock(&mut dut);
    dut.value_valid.next = false;
    (0..3).for_each(|_| clock(&mut dut));
    let value = Subject::Event(63, EventRegister::ValueHigh as u64);
    assert_eq!(do_access(&mut dut, value, None), 0xffff_ffff);
    let mut dut = initialised!(dut);
    for field in 0..4 {
        assert_eq!(
            do_access(&mut dut, Subject::Mailbox(127, field), None),
            0,
            "field {field}"
        );
    }
    assert_eq!(do_access(&mut dut, value, None), 0);
    dut.mail_valid.next = true;
    clock(&mut dut);
    dut.mail_valid.next = false;
    for _ in 0..6 {
        clock(&mut dut);
        assert!(!dut.update.valid.val(), "the control is as after reset");
    }
}
