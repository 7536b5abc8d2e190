use super::{Outcome, Report};
use portico_spec::portals::engine::{
    Ack, EventKind, ACK_WIDTH, KIND_WIDTH, LENGTH_WIDTH, MD_CT_ACK, MD_CT_BYTES, MD_CT_REPLY, MD_CT_SEND,
    MD_SEND_DISABLE, MD_SUCCESS_DISABLE,
};
use portico_verilog::prelude::*;

/// Event and count that a move raises at its initiator: SEND, REPLY or ACK (rules 9 to 11 of Portals 4).
///
/// Combinational, no state.
#[derive(LogicBlock, Default)]
pub struct ReportRules {
    /// The move is sent; else its request is answered.
    pub is_sent: Signal<In, Bit>,
    /// It is a get.
    pub get: Signal<In, Bit>,
    /// Which acknowledgement a put wants.
    pub ack: Signal<In, Bits<ACK_WIDTH>>,
    /// Options, counter and event queue of its memory descriptor.
    pub report: Signal<In, Report>,
    /// Requested length, in bytes; valid with `is_sent`.
    pub requested: Signal<In, Bits<LENGTH_WIDTH>>,
    /// Outcome of the request; success for a move that is sent.
    pub outcome: Signal<In, Outcome>,
    /// Kind of the event.
    pub kind: Signal<Out, Bits<KIND_WIDTH>>,
    /// The event is raised, if there is an event queue.
    pub raises: Signal<Out, Bit>,
    /// The counter counts, if there is one.
    pub counts: Signal<Out, Bit>,
    /// Successes that it counts.
    pub success: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// It counts a failure, and no success.
    pub fails: Signal<Out, Bit>,
    failed: Signal<Local, Bit>,
    wants: Signal<Local, Bit>,
}

#[kernel]
impl Logic for ReportRules {
    fn update(&mut self) {
        self.failed.next = self.outcome.val().failure.any();
        self.wants.next = self.failed.val() | !self.report.val().options.get_bit(MD_SUCCESS_DISABLE);
        self.fails.next = self.failed.val();
        self.success.next = self.outcome.val().delivered;
        if self.is_sent.val() {
            self.success.next = self.requested.val();
        }
        if !self.report.val().options.get_bit(MD_CT_BYTES) {
            self.success.next = 1.into();
        }
        if self.is_sent.val() {
            self.kind.next = bits::<KIND_WIDTH>(EventKind::Send as u64);
            self.raises.next = self.wants.val() & !self.report.val().options.get_bit(MD_SEND_DISABLE) & !self.get.val();
            self.counts.next = self.report.val().options.get_bit(MD_CT_SEND) & !self.get.val();
        } else if self.get.val() {
            self.kind.next = bits::<KIND_WIDTH>(EventKind::Reply as u64);
            self.raises.next = self.wants.val();
            self.counts.next = self.report.val().options.get_bit(MD_CT_REPLY);
        } else {
            self.kind.next = bits::<KIND_WIDTH>(EventKind::Ack as u64);
            self.raises.next = self.wants.val() & (self.ack.val() == bits::<ACK_WIDTH>(Ack::Full as u64));
            self.counts.next = self.report.val().options.get_bit(MD_CT_ACK);
            if self.ack.val() == bits::<ACK_WIDTH>(Ack::Operation as u64) {
                self.success.next = 1.into();
                self.fails.next = false;
            }
        }
        if self.fails.val() {
            self.success.next = 0.into();
        }
        if self.outcome.val().silent {
            self.raises.next = false;
            self.counts.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{rng, settle};
    use portico_spec::portals::engine::{Failure, MD_OPTIONS_WIDTH};
    use rand::Rng;

    #[derive(Debug, PartialEq)]
    struct Reported {
        kind: EventKind,
        raises: bool,
        counts: bool,
        success: u64,
        fails: bool,
    }

    /// Rows SEND, ACK and REPLY of rule 11, and rules 9 and 10: of a move of 9 bytes, of which 7 are delivered.
    fn rules(kind: EventKind, get: bool, ack: Ack, options: u64, failed: bool, silent: bool) -> Reported {
        let has = |option: usize| options >> option & 1 == 1;
        let (raises, counts, bytes) = match kind {
            EventKind::Send => (!get && !has(MD_SEND_DISABLE), !get && has(MD_CT_SEND), 9),
            EventKind::Reply => (true, has(MD_CT_REPLY), 7),
            _ => (ack == Ack::Full, has(MD_CT_ACK), 7),
        };
        let is_operation = kind == EventKind::Ack && ack == Ack::Operation;
        Reported {
            kind,
            raises: raises && (failed || !has(MD_SUCCESS_DISABLE)) && !silent,
            counts: counts && !silent,
            success: match (is_operation, failed, has(MD_CT_BYTES)) {
                (false, true, _) => 0,
                (false, false, true) => bytes,
                _ => 1,
            },
            fails: failed && !is_operation,
        }
    }

    #[test]
    fn moves_raise_what_the_rules_say() {
        let mut rng = rng(0x5e4d);
        let mut dut = ReportRules::default();
        dut.connect_all();
        let (mut raised, mut counted) = (0, 0);
        for round in 0..5_000 {
            let [is_sent, get, ends_badly, is_silent]: [bool; 4] = rng.gen();
            let (failed, silent) = (ends_badly && !is_sent, is_silent && !is_sent);
            let ack = [Ack::Full, Ack::Count, Ack::Operation][round % 3];
            let options = rng.gen_range(0..1u64 << MD_OPTIONS_WIDTH);
            let failure = if failed { Failure::Dropped } else { Failure::Ok };
            dut.is_sent.next = is_sent;
            dut.get.next = get;
            dut.ack.next = (ack as u64).into();
            dut.report.next = Report {
                options: options.into(),
                ..Report::default()
            };
            dut.requested.next = 9.into();
            dut.outcome.next = Outcome {
                delivered: 7.into(),
                failure: (failure as u64).into(),
                silent,
                ..Outcome::default()
            };
            settle(&mut dut);
            let found = Reported {
                kind: EventKind::from_code(dut.kind.val().to_u64() as u32).unwrap(),
                raises: dut.raises.val(),
                counts: dut.counts.val(),
                success: dut.success.val().to_u64(),
                fails: dut.fails.val(),
            };
            let kind = match (is_sent, get) {
                (true, _) => EventKind::Send,
                (false, true) => EventKind::Reply,
                (false, false) => EventKind::Ack,
            };
            let expected = rules(kind, get, ack, options, failed, silent);
            assert_eq!(found, expected, "round {round}");
            raised += u32::from(found.raises);
            counted += u32::from(found.counts);
        }
        assert!(raised > 500 && counted > 500, "{raised} {counted}");
    }
}
