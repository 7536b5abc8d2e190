//! Mailboxes of a node.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Mailboxes`] | all of it |
//! | [`MailMerge`] | what a mail makes of its mailbox |

mod mail_merge;

pub use mail_merge::MailMerge;

use super::SweptTable;
use crate::{
    bus::{AddressMatch, EventOut, RegisterReadIn, RegisterWriteIn},
    prim::TrueDualPortRam,
};
use mail_merge::{CONTROL_WIDTH, VALUE_WIDTH, WORD_BYTES, WORD_WIDTH};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        event::EVENT_WIDTH,
        mailbox::COUNT_WIDTH,
        registers::{Block as Registers, MailboxRegister, SHORT_FIELD_WIDTH},
        MAILBOXES, MAILBOX_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Mailboxes: 64 bits each, which mails of other nodes replace or gather in.
///
/// All mailboxes of a tile.
///
/// | | |
/// | --- | --- |
/// | latency | a mail of cycle t is read by an index of t + 1; its event is offered in t + 2 |
/// | throughput | a mail every other cycle (the control plane brings one every third); a register write and a read a cycle |
/// | state | 10 bytes a mailbox in block RAM, its control in LUT-RAM, a flip-flop a mailbox, 100 flip-flops |
///
/// A mail replaces the value and is an event (mode message), or is ORed into it and is an event with the last of those
/// expected, which sets the count back to 0 (mode barrier). The value stays until a register write to the count clears
/// both. The clearing is a flip-flop and not a write, so that it never meets the write of a mail; of the same cycle it
/// comes first.
///
/// The event must be taken before the next mail's: as source 0 of the [`crate::bus::EventArbiter`] it always is.
#[derive(LogicBlock, Default)]
pub struct Mailboxes {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all mailboxes are empty afterwards.
    pub rst: Signal<In, Bit>,
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    /// Never in two cycles that follow each other.
    pub mail_valid: Signal<In, Bit>,
    pub mail_box: Signal<In, Bits<MAILBOX_WIDTH>>,
    pub mail_data: Signal<In, Bits<VALUE_WIDTH>>,
    pub update: EventOut,
    pub register_write: RegisterWriteIn,
    pub register_read: RegisterReadIn,
    write_match: AddressMatch<{ Registers::Mailboxes as usize }, { MAILBOX_WIDTH + SHORT_FIELD_WIDTH }>,
    read_match: AddressMatch<{ Registers::Mailboxes as usize }, { MAILBOX_WIDTH + SHORT_FIELD_WIDTH }>,
    contents: TrueDualPortRam<WORD_WIDTH, MAILBOX_WIDTH, WORD_BYTES>,
    controls: SweptTable<CONTROL_WIDTH, MAILBOX_WIDTH, 1>,
    merge: MailMerge,
    empty: DFF<Bits<MAILBOXES>>,
    storing: DFF<Bit>,
    held_box: DFF<Bits<MAILBOX_WIDTH>>,
    held_data: DFF<Bits<VALUE_WIDTH>>,
    held_control: DFF<Bits<CONTROL_WIDTH>>,
    held_empty: DFF<Bit>,
    reporting: DFF<Bit>,
    reported: DFF<Bits<EVENT_WIDTH>>,
    read_hit: DFF<Bit>,
    read_merged: DFF<Bit>,
    read_field: DFF<Bits<SHORT_FIELD_WIDTH>>,
    write_box: Signal<Local, Bits<MAILBOX_WIDTH>>,
    write_field: Signal<Local, Bits<SHORT_FIELD_WIDTH>>,
    clearing: Signal<Local, Bit>,
    empty_now: Signal<Local, Bits<MAILBOXES>>,
    read_box: Signal<Local, Bits<MAILBOX_WIDTH>>,
    shown: Signal<Local, Bits<WORD_WIDTH>>,
}

#[kernel]
impl Logic for Mailboxes {
    fn update(&mut self) {
        wire!(self => contents, controls: clk);
        dff_setup!(self, clk, empty, storing, held_box, held_data, held_control, held_empty);
        dff_setup!(self, clk, reporting, reported, read_hit, read_merged, read_field);
        wire!(self => controls: initialising, sweep);

        self.write_match.index.next = self.register_write.index.val();
        self.write_field.next = self.register_write.index.val().get_bits::<SHORT_FIELD_WIDTH>(0);
        self.write_box.next = self
            .register_write
            .index
            .val()
            .get_bits::<MAILBOX_WIDTH>(SHORT_FIELD_WIDTH);
        self.controls.write_enable.next = self.register_write.enable.val()
            & self.write_match.hit.val()
            & (self.write_field.val() == bits::<SHORT_FIELD_WIDTH>(MailboxRegister::Control as u64));
        self.controls.write_address.next = self.write_box.val();
        self.controls.write_data.next = bit_cast::<CONTROL_WIDTH, 32>(self.register_write.data.val());
        self.clearing.next = self.register_write.enable.val()
            & self.write_match.hit.val()
            & (self.write_field.val() == bits::<SHORT_FIELD_WIDTH>(MailboxRegister::Count as u64));
        self.empty_now.next = self.empty.q.val();
        if self.clearing.val() {
            self.empty_now.next = self.empty.q.val().replace_bit(self.write_box.val().index(), true);
        }
        self.empty.d.next = self.empty_now.val();

        // A mail reads its mailbox in one cycle and writes it in the next.
        self.controls.read_address[0].next = self.mail_box.val();
        self.storing.d.next = self.mail_valid.val();
        if self.mail_valid.val() {
            self.empty.d.next = self.empty_now.val().replace_bit(self.mail_box.val().index(), false);
            self.held_box.d.next = self.mail_box.val();
            self.held_data.d.next = self.mail_data.val();
            self.held_control.d.next = self.controls.read_data[0].val();
            self.held_empty.d.next = self.empty_now.val().get_bit(self.mail_box.val().index());
        }
        self.merge.old.next = self.contents.b.read_data.val();
        if self.held_empty.q.val() {
            self.merge.old.next = 0.into();
        }
        self.merge.mail.next = self.held_data.q.val();
        self.merge.control.next = self.held_control.q.val();
        self.contents.b.enable.next = self.mail_valid.val() | self.storing.q.val();
        self.contents.b.write_lanes.next = 0.into();
        self.contents.b.address.next = self.mail_box.val();
        if self.storing.q.val() {
            self.contents.b.write_lanes.next = !bits::<WORD_BYTES>(0);
            self.contents.b.address.next = self.held_box.q.val();
        }
        self.contents.b.write_data.next = self.merge.after.val();
        if self.storing.q.val() & self.merge.fires.val() {
            self.reported.d.next = self.merge.event_number.val();
        }
        self.reporting.d.next =
            (self.storing.q.val() & self.merge.fires.val()) | (self.reporting.q.val() & !self.update.ready.val());
        self.update.valid.next = self.reporting.q.val();
        self.update.event.next = self.reported.q.val();
        self.update.error.next = 0.into();

        // What is being stored cannot be read; it is still there, in `merge`, when the reader wants it.
        self.read_match.index.next = self.register_read.index.val();
        self.read_box.next = self
            .register_read
            .index
            .val()
            .get_bits::<MAILBOX_WIDTH>(SHORT_FIELD_WIDTH);
        self.contents.a.enable.next = true;
        self.contents.a.write_lanes.next = 0.into();
        self.contents.a.address.next = self.read_box.val();
        self.contents.a.write_data.next = 0.into();
        self.read_hit.d.next = self.read_match.hit.val() & !self.empty.q.val().get_bit(self.read_box.val().index());
        self.read_merged.d.next = self.storing.q.val() & (self.read_box.val() == self.held_box.q.val());
        self.read_field.d.next = self.register_read.index.val().get_bits::<SHORT_FIELD_WIDTH>(0);
        self.shown.next = self.contents.a.read_data.val();
        if self.read_merged.q.val() {
            self.shown.next = self.merge.after.val();
        }
        self.register_read.data.next = 0.into();
        if self.read_hit.q.val() {
            if self.read_field.q.val() == bits::<SHORT_FIELD_WIDTH>(MailboxRegister::Low as u64) {
                self.register_read.data.next = self.shown.val().get_bits::<32>(0);
            }
            if self.read_field.q.val() == bits::<SHORT_FIELD_WIDTH>(MailboxRegister::High as u64) {
                self.register_read.data.next = self.shown.val().get_bits::<32>(32);
            }
            if self.read_field.q.val() == bits::<SHORT_FIELD_WIDTH>(MailboxRegister::Count as u64) {
                self.register_read.data.next =
                    bit_cast::<32, COUNT_WIDTH>(self.shown.val().get_bits::<COUNT_WIDTH>(VALUE_WIDTH));
            }
        }
        if self.rst.val() {
            self.empty.d.next = !bits::<MAILBOXES>(0);
            self.storing.d.next = false;
            self.reporting.d.next = false;
            self.read_hit.d.next = false;
        }
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

    clocked!([] Mailboxes);

    fn index(mailbox: usize, field: u64) -> Bits<16> {
        ((Registers::Mailboxes as u64) << 12 | (mailbox as u64) << 2 | field).into()
    }

    #[derive(Clone, Copy, Default)]
    struct Model {
        value: u64,
        count: u64,
        control: u64,
    }

    impl Model {
        /// Takes a mail; gives the event.
        fn take(&mut self, mail: u64) -> Option<u64> {
            let is_barrier = self.control & 1 == 1;
            self.value = if is_barrier { self.value | mail } else { mail };
            self.count = (self.count + 1) % (1 << 16);
            if is_barrier && self.count >= (self.control >> 8).max(1) {
                self.count = 0;
            } else if is_barrier {
                return None;
            }
            (self.control & 2 > 0).then_some(self.control >> 2 & 0x3f)
        }
    }

    #[test]
    fn mails_and_registers_are_those_of_the_model() {
        let mut rng = rng(0x3a1b);
        let mut dut = initialised!(Mailboxes::default());
        let mut models = [Model::default(); MAILBOXES];
        let mut events = std::collections::VecDeque::new();
        let (mut apart, mut met, mut fired, mut merged) = (0, 0, 0, 0);
        for cycle in 0..30_000u64 {
            let mut any = || (cycle as usize / 1_000 * 9 + rng.gen_range(0..3)) % MAILBOXES;
            let (mailed, written, read) = (any(), any(), any());
            apart += 1;
            let mails = apart >= 2 && rng.gen_bool(0.5);
            let mail: u64 = 1 << rng.gen_range(0..64);
            let (writes, write_field, read_field) = (rng.gen_bool(0.1), rng.gen_range(0..4), rng.gen_range(0..4));
            let data = rng.gen_range(0..5) << 8 | rng.gen_range(0..256);
            dut.mail_valid.next = mails;
            dut.mail_box.next = (mailed as u64).into();
            dut.mail_data.next = mail.into();
            dut.register_write.enable.next = writes;
            dut.register_write.index.next = index(written, write_field);
            dut.register_write.data.next = data.into();
            dut.register_read.index.next = index(read, read_field);
            dut.update.ready.next = true;
            settle(&mut dut);
            let seen = dut.update.valid.val().then(|| dut.update.event.val().to_u64());
            let due = events
                .front()
                .is_some_and(|(at, _)| *at == cycle)
                .then(|| events.pop_front().unwrap().1);
            assert_eq!(seen, due, "cycle {cycle}");
            assert_eq!(dut.update.error.val(), 0u64);
            let of = models[read];
            let expected = [of.value & 0xffff_ffff, of.value >> 32, 0, of.count][read_field as usize];
            clock(&mut dut);
            assert_eq!(
                dut.register_read.data.val(),
                expected,
                "cycle {cycle}, mailbox {read}, field {read_field}"
            );
            // A mail takes the control of before a write of the same cycle, and what a clearing leaves.
            let control = models[mailed].control;
            if writes && write_field == 3 {
                models[written].value = 0;
                models[written].count = 0;
            }
            if mails {
                let event = models[mailed].take(mail);
                fired += u32::from(event.is_some());
                events.extend(event.map(|event| (cycle + 2, event)));
                met += u32::from(writes && written == mailed);
                merged += u32::from(read == mailed);
                assert_eq!(models[mailed].control, control);
                apart = 0;
            }
            if writes && write_field == 2 {
                models[written].control = data;
            }
        }
        assert!(met > 200 && fired > 1_000 && merged > 1_000, "{met}, {fired}, {merged}");
    }

    #[test]
    fn an_event_waits_until_it_is_taken_and_reset_empties_all() {
        let mut dut = initialised!(Mailboxes::default());
        dut.register_write.enable.next = true;
        dut.register_write.index.next = index(127, MailboxRegister::Control as u64);
        dut.register_write.data.next = (2 | 33u64 << 2).into();
        clock(&mut dut);
        dut.register_write.enable.next = false;
        dut.mail_valid.next = true;
        dut.mail_box.next = 127u64.into();
        dut.mail_data.next = u64::MAX.into();
        clock(&mut dut);
        dut.mail_valid.next = false;
        clock(&mut dut);
        for ready in [false, false, true] {
            dut.update.ready.next = ready;
            settle(&mut dut);
            assert!(dut.update.valid.val());
            assert_eq!(dut.update.event.val(), 33u64);
            clock(&mut dut);
        }
        assert!(!dut.update.valid.val());
        let mut dut = initialised!(dut);
        for field in 0..4 {
            dut.register_read.index.next = index(127, field);
            clock(&mut dut);
            assert_eq!(dut.register_read.data.val(), 0u64, "field {field}");
        }
        dut.mail_valid.next = true;
        for _ in 0..4 {
            clock(&mut dut);
            dut.mail_valid.next = false;
            assert!(!dut.update.valid.val(), "the control is as after reset");
        }
    }
}
