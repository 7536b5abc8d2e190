//! What control packets of 64 bits bring: mail, and the results of atomics.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Inbox`] | all of it: the table and the order of its users |
//! | [`MailMerge`] | what a mail makes of its mailbox |
//! | [`InboxAddress`] | which row a register is in |
//! | [`InboxReader`] | answers reads of the registers |

mod inbox_address;
mod inbox_reader;
mod mail_merge;

pub use inbox_address::InboxAddress;
pub use inbox_reader::InboxReader;
pub use mail_merge::MailMerge;

use crate::{
    bus::{EventOut, HeldAccess, RegisterAccessIn, SweepIn},
    prim::LaneRam,
};
use mail_merge::{CONTROL_AT, CONTROL_WIDTH, LANE_WIDTH, VALUE_WIDTH, WORD_WIDTH};
use portico_spec::ni::{build::Build, event::EVENT_WIDTH, MAILBOXES, MAILBOX_WIDTH};
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
/// | state | 12 bytes a mailbox and an event in block RAM, and the mail on its way |
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
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// High for one cycle: a mail has come; never two mails or values within three cycles.
    pub mail_valid: Signal<In, Bit>,
    /// Mailbox of the mail; valid with `mail_valid`.
    pub mail_box: Signal<In, Bits<MAILBOX_WIDTH>>,
    /// The mail, its first word in bits 31:0; valid with `mail_valid`.
    pub mail_data: Signal<In, Bits<VALUE_WIDTH>>,
    /// High for one cycle: the value of an event has come; never two mails or values within three cycles.
    pub value_valid: Signal<In, Bit>,
    /// Event of the atomic; valid with `value_valid`.
    pub value_event: Signal<In, Bits<EVENT_WIDTH>>,
    /// Result of the atomic; valid with `value_valid`.
    pub value_data: Signal<In, Bits<VALUE_WIDTH>>,
    /// Events of mailboxes; each must be taken before that of the next mail.
    pub update: EventOut,
    /// Accesses to registers; mailboxes and the values of events are here.
    pub register: RegisterAccessIn,
    address: InboxAddress,
    rows: LaneRam<WORD_WIDTH, ROW_WIDTH, LANES>,
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
    access: HeldAccess,
    may_access: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
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
        wire!(self => access: clk, rst);
        dff_setup!(self, clk, row, data, reads, loads, stores, word);
        dff_setup!(self, clk, reporting, reported);

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
        self.address.index.next = self.register.index.val();
        self.access.begins.next =
            (self.register.write.val() | self.register.read.val()) & self.address.hit.val() & !self.sweep.active.val();
        self.access.is_write.next = self.register.write.val();
        self.may_access.next = !self.reads.q.val() & !self.stores.q.val();
        self.access.may.next = self.may_access.val();
        self.writes.next = self.access.wants.val() & self.access.wants_to_write.val() & self.may_access.val();
        self.clears.next = self.writes.val() & self.address.count.val();
        self.controls.next = self.writes.val() & self.address.control.val();

        // The table.
        self.rows.read_enable.next = true;
        self.rows.read_address.next = self.address.row.val();
        if self.reads.q.val() {
            self.rows.read_address.next = self.row.q.val();
        }
        self.word.d.next = self.rows.read_data.val();
        if self.clears.val() & (self.address.row.val() == self.row.q.val()) {
            self.word.d.next = field::<WORD_WIDTH, CONTROL_WIDTH>(
                self.rows.read_data.val().get_bits::<CONTROL_WIDTH>(CONTROL_AT),
                CONTROL_AT,
            );
        }
        self.merge.old.next = self.word.q.val();
        self.merge.mail.next = self.data.q.val();
        self.rows.write_lanes.next = 0.into();
        self.rows.write_address.next = self.address.row.val();
        self.rows.write_data.next = 0.into();
        if self.clears.val() {
            self.rows.write_lanes.next = bits::<LANES>(CONTENT_LANES);
        }
        if self.controls.val() {
            self.rows.write_lanes.next = bits::<LANES>(CONTROL_LANES);
            self.rows.write_data.next =
                field::<WORD_WIDTH, CONTROL_WIDTH>(self.register.data.val().get_bits::<CONTROL_WIDTH>(0), CONTROL_AT);
        }
        if self.stores.q.val() {
            self.rows.write_lanes.next = bits::<LANES>(CONTENT_LANES);
            self.rows.write_address.next = self.row.q.val();
            self.rows.write_data.next = self.merge.after.val();
        }
        if self.sweep.active.val() {
            self.rows.write_lanes.next = !bits::<LANES>(0);
            self.rows.write_address.next = self.sweep.place.val().get_bits::<ROW_WIDTH>(0);
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
        self.reader.show.next = self.access.wants.val() & !self.access.wants_to_write.val() & self.may_access.val();
        wire!(address => reader: count, low, high);
        self.reader.word.next = self.rows.read_data.val();
        self.register.answer.next = self.reader.answer.val();
        if self.rst.val() {
            self.reads.d.next = false;
            self.loads.d.next = false;
            self.stores.d.next = false;
            self.reporting.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests;
