use super::ROW_WIDTH;
use crate::bus::AddressMatch;
use portico_spec::ni::{
    event::EVENT_WIDTH,
    registers::{Block as Registers, EventRegister, MailboxRegister, FIELD_WIDTH, INDEX_WIDTH, SHORT_FIELD_WIDTH},
    MAILBOXES, MAILBOX_WIDTH,
};
use portico_verilog::prelude::*;

/// Which row of the inbox a register is in, and what it is there.
///
/// Looks at the index of a register: that of a mailbox, or of an event.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct InboxAddress {
    /// Index of a register: the low bits of its address.
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    /// It is one of the blocks of which rows are here.
    pub hit: Signal<Out, Bit>,
    /// Row of the inbox in which the register is: a mailbox, or the value of an event; valid with `hit`.
    pub row: Signal<Out, Bits<ROW_WIDTH>>,
    /// The register is the low half of the value.
    pub low: Signal<Out, Bit>,
    /// The register is the high half of the value.
    pub high: Signal<Out, Bit>,
    /// The register is the count of a mailbox.
    pub count: Signal<Out, Bit>,
    /// The register is the control of a mailbox.
    pub control: Signal<Out, Bit>,
    is_mailbox: AddressMatch<{ Registers::Mailboxes as usize }, { MAILBOX_WIDTH + SHORT_FIELD_WIDTH }>,
    is_event: AddressMatch<{ Registers::Events as usize }, { EVENT_WIDTH + FIELD_WIDTH }>,
    mail_field: Signal<Local, Bits<SHORT_FIELD_WIDTH>>,
    event_field: Signal<Local, Bits<FIELD_WIDTH>>,
}

#[kernel]
impl Logic for InboxAddress {
    fn update(&mut self) {
        self.is_mailbox.index.next = self.index.val();
        self.is_event.index.next = self.index.val();
        self.mail_field.next = self.index.val().get_bits::<SHORT_FIELD_WIDTH>(0);
        self.event_field.next = self.index.val().get_bits::<FIELD_WIDTH>(0);
        self.hit.next = self.is_mailbox.hit.val() | self.is_event.hit.val();
        self.row.next = bits::<ROW_WIDTH>(MAILBOXES as u64)
            | bit_cast::<ROW_WIDTH, EVENT_WIDTH>(self.index.val().get_bits::<EVENT_WIDTH>(FIELD_WIDTH));
        self.low.next =
            self.is_event.hit.val() & (self.event_field.val() == bits::<FIELD_WIDTH>(EventRegister::ValueLow as u64));
        self.high.next =
            self.is_event.hit.val() & (self.event_field.val() == bits::<FIELD_WIDTH>(EventRegister::ValueHigh as u64));
        self.count.next = false;
        self.control.next = false;
        if self.is_mailbox.hit.val() {
            self.row.next =
                bit_cast::<ROW_WIDTH, MAILBOX_WIDTH>(self.index.val().get_bits::<MAILBOX_WIDTH>(SHORT_FIELD_WIDTH));
            self.low.next = self.mail_field.val() == bits::<SHORT_FIELD_WIDTH>(MailboxRegister::Low as u64);
            self.high.next = self.mail_field.val() == bits::<SHORT_FIELD_WIDTH>(MailboxRegister::High as u64);
            self.count.next = self.mail_field.val() == bits::<SHORT_FIELD_WIDTH>(MailboxRegister::Count as u64);
            self.control.next = self.mail_field.val() == bits::<SHORT_FIELD_WIDTH>(MailboxRegister::Control as u64);
        }
    }
}
