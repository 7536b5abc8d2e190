//! What control packets of 64 bits bring: mail, and the results of atomics.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Inbox`] | all of it: the table and the order of its users |
//! | [`MailMerge`] | what a mail makes of its mailbox |
//! | [`InboxReader`] | answers reads of the registers |

mod inbox_reader;
mod mail_merge;

pub use inbox_reader::InboxReader;
pub use mail_merge::MailMerge;

use crate::{
    bus::{AddressMatch, EventOut, RegisterAccessIn},
    prim::Ram,
};
use mail_merge::{CONTROL_AT, CONTROL_WIDTH, LANE_WIDTH, VALUE_WIDTH, WORD_WIDTH};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        build::Build,
        event::EVENT_WIDTH,
        registers::{Block as Registers, EventRegister, MailboxRegister, FIELD_WIDTH, SHORT_FIELD_WIDTH},
        MAILBOXES, MAILBOX_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Rows of the table: the mailboxes, then the values of the events.
const ROW_WIDTH: usize = MAILBOX_WIDTH + 1;
const LANES: usize = WORD_WIDTH / LANE_WIDTH;
/// Value and count of a row; its control.
const CONTENT_LANES: u64 = (1 << (CONTROL_AT / LANE_WIDTH)) - 1;
const CONTROL_LANES: u64 = 1 << (LANES - 1);

/// Mailboxes, and the values of events: 64 bits each, which packets of other nodes replace or gather in.
///
/// All mailboxes of a tile, and the value of each event.
///
/// | | |
/// | --- | --- |
/// | latency | a mail or a value of cycle t is read by accesses after t + 3; the event of a mail is offered in t + 4 |
/// | throughput | a mail or a value in three cycles: the control plane brings no more; a register access in between |
/// | timing | all outputs are flip-flops |
/// | state | 12 bytes a mailbox and an event in block RAM, 300 flip-flops |
///
/// A mail replaces the value and is an event (mode message), or is ORed into it and is an event with the last of those
/// expected, which sets the count back to 0 (mode barrier). The value stays until a register write to the count clears
/// both. The value of an event is a mailbox of mode message without an event: its control is never written.
///
/// What is for a mailbox or an event that does not exist is lost. A mail is kept in one cycle, read in the next, has its word in a flip-flop in the third and is stored in the fourth.
/// An access takes a cycle in which nothing of that reads or stores: of any three there is one. An access while a mail has
/// its word comes before that mail: a read gives what was there, a clearing is what the mail finds.
///
/// The event must be taken before the next mail's: as source 0 of the [`crate::bus::EventArbiter`] it always is.
#[derive(LogicBlock, Default)]
pub struct Inbox {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high. The mailboxes are emptied by the initialisation that follows.
    pub rst: Signal<In, Bit>,
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    /// A mail or a value, never two of them within three cycles.
    pub mail_valid: Signal<In, Bit>,
    pub mail_box: Signal<In, Bits<MAILBOX_WIDTH>>,
    pub mail_data: Signal<In, Bits<VALUE_WIDTH>>,
    pub value_valid: Signal<In, Bit>,
    pub value_event: Signal<In, Bits<EVENT_WIDTH>>,
    pub value_data: Signal<In, Bits<VALUE_WIDTH>>,
    pub update: EventOut,
    pub register: RegisterAccessIn,
    is_mailbox: AddressMatch<{ Registers::Mailboxes as usize }, { MAILBOX_WIDTH + SHORT_FIELD_WIDTH }>,
    is_event: AddressMatch<{ Registers::Events as usize }, { EVENT_WIDTH + FIELD_WIDTH }>,
    rows: Ram<WORD_WIDTH, ROW_WIDTH, LANES>,
    merge: MailMerge,
    reader: InboxReader,
    /// What has come, and how far it is: its row is read, comes, is stored.
    row: DFF<Bits<ROW_WIDTH>>,
    data: DFF<Bits<VALUE_WIDTH>>,
    reads: DFF<Bit>,
    loads: DFF<Bit>,
    stores: DFF<Bit>,
    word: DFF<Bits<WORD_WIDTH>>,
    reporting: DFF<Bit>,
    reported: DFF<Bits<EVENT_WIDTH>>,
    /// An access that waits, and whether it writes.
    waits: DFF<Bit>,
    waits_to_write: DFF<Bit>,
    mail_field: Signal<Local, Bits<SHORT_FIELD_WIDTH>>,
    event_field: Signal<Local, Bits<FIELD_WIDTH>>,
    is_own: Signal<Local, Bit>,
    wants: Signal<Local, Bit>,
    wants_to_write: Signal<Local, Bit>,
    may_access: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    accessed: Signal<Local, Bits<ROW_WIDTH>>,
    clears: Signal<Local, Bit>,
    controls: Signal<Local, Bit>,
    mails: Signal<Local, Bit>,
    last_box: Constant<Bits<MAILBOX_WIDTH>>,
    last_event: Constant<Bits<EVENT_WIDTH>>,
}

impl Inbox {
    /// The mailboxes and events of `build`.
    pub fn new(build: &Build) -> Self {
        Self {
            last_box: Constant::new(bits(build.mailboxes as u64 - 1)),
            last_event: Constant::new(bits(build.events as u64 - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Inbox {
    fn update(&mut self) {
        wire!(self => rows, reader: clk);
        dff_setup!(
            self,
            clk,
            row,
            data,
            reads,
            loads,
            stores,
            word,
            reporting,
            reported,
            waits,
            waits_to_write
        );

        // What comes.
        self.mails.next = self.mail_valid.val() & (self.mail_box.val() <= self.last_box.val());
        self.reads.d.next =
            self.mails.val() | (self.value_valid.val() & (self.value_event.val() <= self.last_event.val()));
        self.loads.d.next = self.reads.q.val();
        self.stores.d.next = self.loads.q.val();
        if self.mails.val() {
            self.row.d.next = bit_cast::<ROW_WIDTH, MAILBOX_WIDTH>(self.mail_box.val());
            self.data.d.next = self.mail_data.val();
        } else if !self.reads.q.val() & !self.loads.q.val() {
            // A value, if it is one.
            self.row.d.next =
                bits::<ROW_WIDTH>(MAILBOXES as u64) | bit_cast::<ROW_WIDTH, EVENT_WIDTH>(self.value_event.val());
            self.data.d.next = self.value_data.val();
        }

        // The access, in a cycle that is free.
        self.is_mailbox.index.next = self.register.index.val();
        self.is_event.index.next = self.register.index.val();
        self.mail_field.next = self.register.index.val().get_bits::<SHORT_FIELD_WIDTH>(0);
        self.event_field.next = self.register.index.val().get_bits::<FIELD_WIDTH>(0);
        self.is_own.next = (self.register.write.val() | self.register.read.val())
            & (self.is_mailbox.hit.val() | self.is_event.hit.val())
            & !self.initialising.val();
        self.wants.next = self.is_own.val() | self.waits.q.val();
        self.wants_to_write.next = self.waits_to_write.q.val();
        if self.is_own.val() {
            self.wants_to_write.next = self.register.write.val();
        }
        self.may_access.next = !self.reads.q.val() & !self.stores.q.val();
        self.waits.d.next = self.wants.val() & !self.may_access.val();
        self.waits_to_write.d.next = self.wants_to_write.val();
        self.accessed.next = bits::<ROW_WIDTH>(MAILBOXES as u64)
            | bit_cast::<ROW_WIDTH, EVENT_WIDTH>(self.register.index.val().get_bits::<EVENT_WIDTH>(FIELD_WIDTH));
        if self.is_mailbox.hit.val() {
            self.accessed.next = bit_cast::<ROW_WIDTH, MAILBOX_WIDTH>(
                self.register.index.val().get_bits::<MAILBOX_WIDTH>(SHORT_FIELD_WIDTH),
            );
        }
        self.writes.next =
            self.wants.val() & self.wants_to_write.val() & self.may_access.val() & self.is_mailbox.hit.val();
        self.clears.next =
            self.writes.val() & (self.mail_field.val() == bits::<SHORT_FIELD_WIDTH>(MailboxRegister::Count as u64));
        self.controls.next =
            self.writes.val() & (self.mail_field.val() == bits::<SHORT_FIELD_WIDTH>(MailboxRegister::Control as u64));

        // The table.
        self.rows.read_enable.next = true;
        self.rows.read_address.next = self.accessed.val();
        if self.reads.q.val() {
            self.rows.read_address.next = self.row.q.val();
        }
        self.word.d.next = self.rows.read_data.val();
        if self.clears.val() & (self.accessed.val() == self.row.q.val()) {
            self.word.d.next =
                bit_cast::<WORD_WIDTH, CONTROL_WIDTH>(self.rows.read_data.val().get_bits::<CONTROL_WIDTH>(CONTROL_AT))
                    << bits::<7>(CONTROL_AT);
        }
        self.merge.old.next = self.word.q.val();
        self.merge.mail.next = self.data.q.val();
        self.rows.write_lanes.next = 0.into();
        self.rows.write_address.next = self.accessed.val();
        self.rows.write_data.next = 0.into();
        if self.clears.val() {
            self.rows.write_lanes.next = bits::<LANES>(CONTENT_LANES);
        }
        if self.controls.val() {
            self.rows.write_lanes.next = bits::<LANES>(CONTROL_LANES);
            self.rows.write_data.next =
                bit_cast::<WORD_WIDTH, CONTROL_WIDTH>(self.register.data.val().get_bits::<CONTROL_WIDTH>(0))
                    << bits::<7>(CONTROL_AT);
        }
        if self.stores.q.val() {
            self.rows.write_lanes.next = bits::<LANES>(CONTENT_LANES);
            self.rows.write_address.next = self.row.q.val();
            self.rows.write_data.next = self.merge.after.val();
        }
        if self.initialising.val() {
            self.rows.write_lanes.next = !bits::<LANES>(0);
            self.rows.write_address.next = self.sweep.val().get_bits::<ROW_WIDTH>(0);
            self.rows.write_data.next = 0.into();
        }

        if self.stores.q.val() & self.merge.fires.val() {
            self.reported.d.next = self.merge.event_number.val();
        }
        self.reporting.d.next =
            (self.stores.q.val() & self.merge.fires.val()) | (self.reporting.q.val() & !self.update.ready.val());
        self.update.valid.next = self.reporting.q.val();
        self.update.event.next = self.reported.q.val();
        self.update.error.next = 0.into();

        // The answer.
        self.reader.clear.next = self.register.read.val();
        self.reader.show.next = self.wants.val() & !self.wants_to_write.val() & self.may_access.val();
        self.reader.count.next = self.is_mailbox.hit.val()
            & (self.mail_field.val() == bits::<SHORT_FIELD_WIDTH>(MailboxRegister::Count as u64));
        self.reader.low.next = self.is_mailbox.hit.val()
            & (self.mail_field.val() == bits::<SHORT_FIELD_WIDTH>(MailboxRegister::Low as u64));
        self.reader.high.next = self.is_mailbox.hit.val()
            & (self.mail_field.val() == bits::<SHORT_FIELD_WIDTH>(MailboxRegister::High as u64));
        if self.is_event.hit.val() {
            self.reader.low.next = self.event_field.val() == bits::<FIELD_WIDTH>(EventRegister::ValueLow as u64);
            self.reader.high.next = self.event_field.val() == bits::<FIELD_WIDTH>(EventRegister::ValueHigh as u64);
        }
        self.reader.word.next = self.rows.read_data.val();
        self.register.answer.next = self.reader.answer.val();
        if self.rst.val() {
            self.reads.d.next = false;
            self.loads.d.next = false;
            self.stores.d.next = false;
            self.reporting.d.next = false;
            self.waits.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests;
