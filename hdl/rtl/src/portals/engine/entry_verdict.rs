use super::{EntryChange, EntryRow, HitCheck, ListEntry, Message, PortalRow, Request};
use portico_spec::portals::{
    engine::{Failure, FAILURE_WIDTH, LENGTH_WIDTH},
    list::UNEXPECTED_HDR_DISABLE,
};
use portico_verilog::prelude::*;

/// The judgement of a message at the entry that it met: how it fails, and what it changes.
///
/// | | |
/// | --- | --- |
/// | latency | 4 cycles from stable inputs to the results, 2 from the rows: as of [`HitCheck`] |
/// | throughput | one message at a time |
/// | state | that of [`HitCheck`] |
///
/// A message fails by its portal index first, then by the check of the entry, then if there is no place for its header.
#[derive(LogicBlock, Default)]
pub struct EntryVerdict {
    pub clk: Signal<In, Clock>,
    /// The request.
    pub request: Signal<In, Request>,
    /// The message, as it is kept.
    pub message: Signal<In, Message>,
    /// The packet in hand is the last of its message.
    pub last: Signal<In, Bit>,
    /// Row of the portal index.
    pub portal: Signal<In, PortalRow>,
    /// Row of the entry.
    pub entry: Signal<In, EntryRow>,
    /// The entry, as the lists show it.
    pub shown: Signal<In, ListEntry>,
    /// No place is free for a header.
    pub full: Signal<In, Bit>,
    /// How the portal index refuses all messages, 0 if it does not. Known from its row on.
    pub shut: Signal<Out, Bits<FAILURE_WIDTH>>,
    /// The message, with what the check tells of it.
    pub known: Signal<Out, Message>,
    /// Where the data go, in bytes. Known a cycle before the rest.
    pub start: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// The entry gets a new offset, if the message does not fail.
    pub advances: Signal<Out, Bit>,
    /// That offset, in bytes.
    pub new_offset: Signal<Out, Bits<32>>,
    /// What the message changes at the entry.
    pub change: Signal<Out, EntryChange>,
    check: HitCheck,
    overflows: Signal<Local, Bit>,
    failure: Signal<Local, Bits<FAILURE_WIDTH>>,
    completes: Signal<Local, Bit>,
    unlinks: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,
    succeeds: Signal<Local, Bit>,
}

#[kernel]
impl Logic for EntryVerdict {
    fn update(&mut self) {
        wire!(self => check: clk);
        self.check.operation.next = self.request.val().operation;
        self.check.user.next = self.request.val().user;
        self.check.requested.next = self.request.val().length;
        self.check.remote.next = self.request.val().offset;
        self.check.options.next = self.shown.val().options;
        self.check.length.next = self.shown.val().length;
        self.check.offset.next = self.shown.val().offset;
        self.check.pointer.next = self.shown.val().pointer;
        self.check.row.next = self.entry.val();
        wire!(check => self: start, advances, new_offset);

        self.shut.next = 0.into();
        if !self.portal.val().allocated {
            self.shut.next = bits::<FAILURE_WIDTH>(Failure::Dropped as u64);
        } else if !self.portal.val().enabled {
            self.shut.next = bits::<FAILURE_WIDTH>(Failure::PortalDisabled as u64);
        }
        self.overflows.next = self.message.val().overflow & !self.shown.val().options.get_bit(UNEXPECTED_HDR_DISABLE);
        self.failure.next = self.shut.val();
        if !self.shut.val().any() {
            self.failure.next = self.check.failure.val();
            if !self.check.failure.val().any() & self.overflows.val() & self.full.val() {
                self.failure.next = bits::<FAILURE_WIDTH>(Failure::Dropped as u64);
            }
        }
        self.succeeds.next = !self.failure.val().any();
        self.known.next = self.message.val();
        self.known.next.used = self.check.used.val();
        self.known.next.delivered = self.check.delivered.val();
        self.known.next.left = self.check.delivered.val();
        self.known.next.address = self.check.start.val();
        self.known.next.unexpected = self.overflows.val() & self.succeeds.val();
        self.known.next.failure = self.failure.val();
        self.completes.next = self.last.val() & (!self.message.val().get | !self.check.delivered.val().any());
        self.unlinks.next = self.check.unlinks.val() & self.succeeds.val();
        self.finishes.next = self.unlinks.val() & self.completes.val() & !self.entry.val().messages.any();
        self.change.next.keeps = self.overflows.val() & self.succeeds.val();
        self.change.next.completes = self.completes.val();
        self.change.next.unlinks = self.unlinks.val();
        self.change.next.finishes = self.finishes.val();
        self.change.next.frees = self.finishes.val() & !self.overflows.val() & !self.entry.val().headers.any();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::clock_edge;
    use portico_spec::portals::{
        engine::{ANY_USER, OP_PUT, USER_OFFSET},
        list::USE_ONCE,
    };

    /// Failure of a put of 8 bytes, and what it changes: `keeps`, `completes`, `unlinks`, `finishes`, `frees`.
    fn judged(alter: fn(&mut EntryVerdict)) -> (u64, [bool; 5]) {
        let mut dut = EntryVerdict::default();
        dut.connect_all();
        dut.request.next = Request {
            length: 8.into(),
            ..Request::default()
        };
        dut.last.next = true;
        dut.portal.next = PortalRow {
            allocated: true,
            enabled: true,
            ..PortalRow::default()
        };
        dut.shown.next = ListEntry {
            options: (1_u64 << OP_PUT | 1 << USE_ONCE).into(),
            length: 8.into(),
            pointer: (u64::from(ANY_USER) << USER_OFFSET).into(),
            ..ListEntry::default()
        };
        alter(&mut dut);
        for _ in 0..4 {
            clock_edge!(dut);
        }
        let change = dut.change.val();
        let bits = [
            change.keeps,
            change.completes,
            change.unlinks,
            change.finishes,
            change.frees,
        ];
        (dut.known.val().failure.to_u64(), bits)
    }

    fn overflows(dut: &mut EntryVerdict) {
        dut.message.next = Message {
            overflow: true,
            ..Message::default()
        };
    }

    #[test]
    fn an_entry_is_over_with_its_last_message_and_its_place_free_with_its_last_header() {
        let [no, yes] = [false, true];
        assert_eq!(judged(|_| {}), (0, [no, yes, yes, yes, yes]));
        assert_eq!(judged(|dut| dut.last.next = false), (0, [no, no, yes, no, no]));
        assert_eq!(judged(overflows), (0, [yes, yes, yes, yes, no]));
        assert_eq!(
            judged(|dut| {
                dut.entry.next = EntryRow {
                    messages: 1.into(),
                    ..EntryRow::default()
                }
            }),
            (0, [no, yes, yes, no, no])
        );
        assert_eq!(
            judged(|dut| {
                dut.entry.next = EntryRow {
                    headers: 1.into(),
                    ..EntryRow::default()
                }
            }),
            (0, [no, yes, yes, yes, no])
        );
    }

    #[test]
    fn a_message_fails_by_its_index_then_its_entry_then_for_want_of_a_place() {
        let [no, yes] = [false, true];
        let unchanged = [no, yes, no, no, no];
        let full = |dut: &mut EntryVerdict| {
            overflows(dut);
            dut.full.next = true;
        };
        let dropped = Failure::Dropped as u64;
        assert_eq!(judged(full), (dropped, unchanged));
        assert_eq!(judged(|dut| dut.full.next = true).0, 0);
        let forbidden = |dut: &mut EntryVerdict| {
            overflows(dut);
            dut.full.next = true;
            dut.shown.next.options = 0.into();
        };
        assert_eq!(judged(forbidden), (Failure::Operation as u64, unchanged));
        let disabled = |dut: &mut EntryVerdict| {
            dut.shown.next.options = 0.into();
            dut.portal.next = PortalRow {
                allocated: true,
                ..PortalRow::default()
            };
        };
        assert_eq!(judged(disabled), (Failure::PortalDisabled as u64, unchanged));
        assert_eq!(
            judged(|dut| dut.portal.next = PortalRow::default()),
            (dropped, unchanged)
        );
    }
}
