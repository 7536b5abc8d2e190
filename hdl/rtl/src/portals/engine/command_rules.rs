use super::{EntryRow, FinishOut, HeaderRow, PortalRow, TableCommand};
use portico_spec::portals::engine::{
    EventKind, Failure, COMM_DISABLE, CT_BYTES, CT_OVERFLOW, FAILURE_WIDTH, KIND_WIDTH, LINK_DISABLE, OVER_DISABLE,
    SUCCESS_DISABLE, UNLINK_DISABLE,
};
use portico_verilog::prelude::*;

/// The cause of an event of a command.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum CommandRaise {
    /// The entry is in its list: LINK.
    Linked,
    /// The entry has consumed a header: AUTO_UNLINK.
    Unlinked,
    /// A header is found.
    Met,
    /// A search has found no header.
    Missed,
    /// The entry of a header is free: AUTO_FREE.
    Freed,
}

/// Events and counts of commands (rules 7 to 9 and 11 of Portals 4).
///
/// Combinational, no state.
#[derive(LogicBlock, Default)]
pub struct CommandRules {
    /// There is something to raise; stays until `taken`.
    pub valid: Signal<In, Bit>,
    /// Its cause.
    pub raise: Signal<In, CommandRaise>,
    /// The command.
    pub command: Signal<In, TableCommand>,
    /// It appends an entry.
    pub appends: Signal<In, Bit>,
    /// Headers that it finds leave.
    pub takes: Signal<In, Bit>,
    /// Row of the portal index.
    pub row: Signal<In, PortalRow>,
    /// Row of the header.
    pub header: Signal<In, HeaderRow>,
    /// Row of the entry that took the header.
    pub entry: Signal<In, EntryRow>,
    /// The event, the count.
    pub finish: FinishOut,
    /// It is taken in this cycle if `valid` is high.
    pub taken: Signal<Out, Bit>,
    is_shut: Signal<Local, Bit>,
}

#[kernel]
impl Logic for CommandRules {
    fn update(&mut self) {
        self.finish.valid.next = self.valid.val();
        self.taken.next = self.finish.ready.val();
        self.finish.context.next = 0.into();
        self.finish.portal.next = self.command.val().index;
        self.finish.queue.next = self.row.val().queue;
        self.finish.overflow.next = false;
        self.finish.pointer.next = self.command.val().pointer;
        self.finish.kind.next = bits::<KIND_WIDTH>(EventKind::Link as u64);
        self.finish.header.next = false;
        self.finish.counts.next = false;
        self.finish.counter.next = self.command.val().counter;
        self.finish.amount.next = 1.into();
        self.finish.outcome.next.delivered = 0.into();
        self.finish.outcome.next.failure = 0.into();
        self.finish.outcome.next.overflow = false;
        self.finish.outcome.next.silent = false;
        self.is_shut.next = false;
        match self.raise.val() {
            CommandRaise::Linked => {
                self.is_shut.next = self.command.val().options.get_bit(LINK_DISABLE);
                self.finish.overflow.next = self.command.val().overflow;
            }
            CommandRaise::Unlinked => {
                self.is_shut.next = self.command.val().options.get_bit(UNLINK_DISABLE);
                self.finish.kind.next = bits::<KIND_WIDTH>(EventKind::AutoUnlink as u64);
            }
            CommandRaise::Met => {
                self.finish.overflow.next = true;
                self.finish.header.next = true;
                self.is_shut.next = self.command.val().options.get_bit(SUCCESS_DISABLE)
                    | self.command.val().options.get_bit(OVER_DISABLE);
                self.finish.kind.next = bits::<KIND_WIDTH>(EventKind::PutOverflow as u64);
                if self.header.val().get {
                    self.finish.kind.next = bits::<KIND_WIDTH>(EventKind::GetOverflow as u64);
                }
                if !self.takes.val() {
                    self.is_shut.next = self.command.val().options.get_bit(SUCCESS_DISABLE)
                        | self.command.val().options.get_bit(COMM_DISABLE);
                    self.finish.kind.next = bits::<KIND_WIDTH>(EventKind::Search as u64);
                }
                self.finish.counts.next =
                    self.appends.val() & self.command.val().counts & self.command.val().options.get_bit(CT_OVERFLOW);
                if self.command.val().options.get_bit(CT_BYTES) {
                    self.finish.amount.next = self.header.val().delivered;
                }
            }
            CommandRaise::Missed => {
                self.is_shut.next = self.command.val().options.get_bit(COMM_DISABLE);
                self.finish.kind.next = bits::<KIND_WIDTH>(EventKind::Search as u64);
                self.finish.outcome.next.failure = bits::<FAILURE_WIDTH>(Failure::NoMatch as u64);
            }
            CommandRaise::Freed => {
                self.is_shut.next = self.entry.val().unlink_disable;
                self.finish.overflow.next = true;
                self.finish.pointer.next = self.entry.val().pointer;
                self.finish.kind.next = bits::<KIND_WIDTH>(EventKind::AutoFree as u64);
            }
        }
        self.finish.raises.next = self.row.val().queues & !self.is_shut.val();
        self.finish.unlinks.next = false;
        self.finish.frees.next = false;
        self.finish.answers.next = false;
        self.finish.slot.next = 0.into();
        self.finish.full.next = false;
        self.finish.used.next = 0.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{rng, settle};
    use portico_spec::portals::list::OPTIONS_WIDTH;
    use rand::Rng;

    #[derive(Debug, PartialEq)]
    struct Raised {
        raises: bool,
        kind: EventKind,
        failure: u64,
        overflow: bool,
        pointer: u64,
        header: bool,
        counts: bool,
        amount: u64,
    }

    /// Rows `*_OVERFLOW`, LINK, AUTO_UNLINK, AUTO_FREE and SEARCH of rule 11, and rule 9: an append with pointer 1 and a counter
    /// consumes a header of 7 bytes of an entry with pointer 2, or a search does.
    fn rules(raise: CommandRaise, options: u64, appends: bool, takes: bool, get: bool, quiet: bool) -> Raised {
        let has = |option: usize| options >> option & 1 == 1;
        let raised = Raised {
            raises: true,
            kind: EventKind::Link,
            failure: 0,
            overflow: false,
            pointer: 1,
            header: false,
            counts: false,
            amount: 1,
        };
        match raise {
            CommandRaise::Linked => Raised {
                raises: !has(LINK_DISABLE),
                ..raised
            },
            CommandRaise::Unlinked => Raised {
                raises: !has(UNLINK_DISABLE),
                kind: EventKind::AutoUnlink,
                ..raised
            },
            CommandRaise::Met => Raised {
                raises: !has(SUCCESS_DISABLE) && !has(if takes { OVER_DISABLE } else { COMM_DISABLE }),
                kind: match (takes, get) {
                    (false, _) => EventKind::Search,
                    (true, false) => EventKind::PutOverflow,
                    (true, true) => EventKind::GetOverflow,
                },
                overflow: true,
                header: true,
                counts: appends && has(CT_OVERFLOW),
                amount: if has(CT_BYTES) { 7 } else { 1 },
                ..raised
            },
            CommandRaise::Missed => Raised {
                raises: !has(COMM_DISABLE),
                kind: EventKind::Search,
                failure: Failure::NoMatch as u64,
                ..raised
            },
            CommandRaise::Freed => Raised {
                raises: !quiet,
                kind: EventKind::AutoFree,
                overflow: true,
                pointer: 2,
                ..raised
            },
        }
    }

    #[test]
    fn commands_raise_what_the_rules_say() {
        let mut rng = rng(0xc0de);
        let mut dut = CommandRules::default();
        dut.connect_all();
        dut.finish.ready.next = false;
        let causes = [
            CommandRaise::Linked,
            CommandRaise::Unlinked,
            CommandRaise::Met,
            CommandRaise::Missed,
            CommandRaise::Freed,
        ];
        let (mut raised, mut counted) = (0, 0);
        for round in 0..5_000 {
            let raise = causes[round % causes.len()];
            let options = rng.gen_range(0..1u64 << OPTIONS_WIDTH);
            let [takes, get, quiet, queues]: [bool; 4] = rng.gen();
            let appends = takes && rng.gen();
            dut.valid.next = true;
            dut.raise.next = raise;
            dut.appends.next = appends;
            dut.takes.next = takes;
            dut.command.next = TableCommand {
                options: options.into(),
                pointer: 1.into(),
                counts: true,
                ..TableCommand::default()
            };
            dut.row.next = PortalRow {
                queues,
                ..PortalRow::default()
            };
            dut.header.next = HeaderRow {
                delivered: 7.into(),
                get,
                ..HeaderRow::default()
            };
            dut.entry.next = EntryRow {
                pointer: 2.into(),
                unlink_disable: quiet,
                ..EntryRow::default()
            };
            settle(&mut dut);
            let expected = rules(raise, options, appends, takes, get, quiet);
            let expected = Raised {
                raises: expected.raises && queues,
                ..expected
            };
            let finish = &dut.finish;
            let found = Raised {
                raises: finish.raises.val(),
                kind: EventKind::from_code(finish.kind.val().to_u64() as u32).unwrap(),
                failure: finish.outcome.val().failure.to_u64(),
                overflow: finish.overflow.val(),
                pointer: finish.pointer.val().to_u64(),
                header: finish.header.val(),
                counts: finish.counts.val(),
                // Of what does not count, it says nothing.
                amount: if finish.counts.val() {
                    finish.amount.val().to_u64()
                } else {
                    expected.amount
                },
            };
            assert_eq!(found, expected, "round {round}");
            assert!(!finish.unlinks.val() && !finish.frees.val() && !finish.answers.val());
            raised += u32::from(found.raises);
            counted += u32::from(found.counts);
        }
        assert!(raised > 1_000 && counted > 50, "{raised} {counted}");
    }
}
