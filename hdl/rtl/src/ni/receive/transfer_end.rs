use super::header::Kinds;
use portico_spec::{
    flit::KIND_WIDTH,
    ni::{
        packet::{ControlKind, ERROR_WIDTH},
        window::{Mode, ENDS_WIDTH, MODE_WIDTH},
        ErrorCode,
    },
};
use portico_verilog::prelude::*;

/// What the packets of a transfer leave behind at their ends.
///
/// Ends of transfers.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | 1 flip-flop |
///
/// A put answers for every word since the end before it on the same tag: with an ACK if none was refused, else with the
/// reason, that of the window as it is now before that of earlier words. The end counts only in the first case. A stream has nobody to answer to: after a refused word its
/// end does not count either, and the event takes the reason as its error. An end clears the fault.
#[derive(LogicBlock, Default)]
pub struct TransferEnd {
    pub clk: Signal<In, Clock>,
    /// A head is taken: whatever was refused belongs to another packet.
    pub head: Signal<In, Bit>,
    pub kind: Signal<In, Bits<KIND_WIDTH>>,
    /// The packet is the last of its transfer.
    pub last: Signal<In, Bit>,
    pub mode: Signal<In, Bits<MODE_WIDTH>>,
    pub event_enable: Signal<In, Bit>,
    pub ends: Signal<In, Bits<ENDS_WIDTH>>,
    /// Of packets before this one.
    pub fault: Signal<In, Bits<ERROR_WIDTH>>,
    /// The window is of the mode that the packet wants.
    pub allowed: Signal<Out, Bit>,
    /// The word on offer is one to refuse, whether or not it is taken in this cycle.
    pub refuse: Signal<In, Bit>,
    /// It is taken.
    pub advance: Signal<In, Bit>,
    /// The packet ends.
    pub closes: Signal<In, Bit>,
    pub write_ends: Signal<Out, Bit>,
    pub next_ends: Signal<Out, Bits<ENDS_WIDTH>>,
    pub next_fault: Signal<Out, Bits<ERROR_WIDTH>>,
    /// An answer of this kind, with this code, goes to the source.
    pub answers: Signal<Out, Bit>,
    pub answer_kind: Signal<Out, Bits<KIND_WIDTH>>,
    /// 0 if all went well.
    pub outcome: Signal<Out, Bits<ERROR_WIDTH>>,
    /// The event counts, with `outcome` as its error.
    pub signals: Signal<Out, Bit>,
    /// The slot of a get is complete.
    pub completes: Signal<Out, Bit>,
    kinds: Kinds,
    refused_before: DFF<Bit>,
    refusal: Signal<Local, Bits<ERROR_WIDTH>>,
    failed: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
}

impl TransferEnd {
    /// Messages are known only where there are `queues`.
    pub fn new(queues: bool) -> Self {
        Self {
            kinds: Kinds::new(queues),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for TransferEnd {
    fn update(&mut self) {
        dff_setup!(self, clk, refused_before);
        self.kinds.kind.next = self.kind.val();
        self.allowed.next = self.kinds.reply.val()
            | (self.kinds.put.val() & (self.mode.val() == bits::<MODE_WIDTH>(Mode::Window as u64)))
            | (self.kinds.stream.val() & (self.mode.val() == bits::<MODE_WIDTH>(Mode::Pointer as u64)));
        if self.refuse.val() & self.advance.val() {
            self.refused_before.d.next = true;
        }
        if self.head.val() {
            self.refused_before.d.next = false;
        }

        self.refusal.next = bits::<ERROR_WIDTH>(ErrorCode::WrongWindow as u64);
        if self.mode.val() == bits::<MODE_WIDTH>(Mode::Off as u64) {
            self.refusal.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownWindow as u64);
        }
        self.failed.next = self.refused_before.q.val() | self.refuse.val();
        self.outcome.next = self.fault.val();
        if self.failed.val() & !self.fault.val().any() {
            self.outcome.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfWindow as u64);
        }
        if !self.allowed.val() {
            self.outcome.next = self.refusal.val();
        }

        // A stream that came to something else than a pointer has nothing to do with the transfers there.
        self.counts.next = self.kinds.put.val() | (self.kinds.stream.val() & self.allowed.val());
        self.write_ends.next = self.closes.val() & self.counts.val();
        self.next_ends.next = self.ends.val();
        self.next_fault.next = self.outcome.val();
        if !self.last.val() & !self.allowed.val() & !self.failed.val() {
            // An empty packet loses no word.
            self.next_fault.next = self.fault.val();
        }
        if self.last.val() {
            self.next_fault.next = 0.into();
            if !self.outcome.val().any() {
                self.next_ends.next = self.ends.val() + 1;
            }
        }
        self.answers.next = self.closes.val() & self.last.val() & self.kinds.put.val();
        self.answer_kind.next = bits::<KIND_WIDTH>(ControlKind::Ack as u64);
        if self.outcome.val().any() {
            self.answer_kind.next = bits::<KIND_WIDTH>(ControlKind::Refuse as u64);
        }
        self.signals.next = self.closes.val()
            & self.last.val()
            & self.event_enable.val()
            & self.allowed.val()
            & (self.kinds.stream.val() | (self.kinds.put.val() & !self.outcome.val().any()));
        self.completes.next = self.closes.val() & self.last.val() & self.kinds.reply.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::settle;
    use portico_spec::ni::packet::DataKind;

    #[test]
    fn the_counter_of_ends_wraps_and_only_good_ends_count() {
        let mut dut = TransferEnd::new(true);
        dut.connect_all();
        dut.last.next = true;
        dut.closes.next = true;
        let most = (1u64 << ENDS_WIDTH) - 1;
        for (kind, mode) in [(DataKind::Put, Mode::Window), (DataKind::Stream, Mode::Pointer)] {
            for (ends, fault, after) in [(most, 0, 0), (most, 9, most), (7, 0, 8), (7, 9, 7)] {
                dut.kind.next = (kind as u64).into();
                dut.mode.next = (mode as u64).into();
                dut.ends.next = ends.into();
                dut.fault.next = fault.into();
                settle(&mut dut);
                assert!(dut.write_ends.val());
                assert_eq!(
                    dut.next_ends.val().to_u64(),
                    after,
                    "{kind:?}, {ends} ends, fault {fault}"
                );
                assert_eq!(dut.next_fault.val().to_u64(), 0, "an end leaves no fault");
                assert_eq!(dut.answers.val(), kind == DataKind::Put);
            }
        }
    }
}
