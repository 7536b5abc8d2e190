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
/// | state | whether a word of the packet was refused, and as what |
///
/// Packets of several puts may take turns on one tag, so each packet of a put answers for its own words alone: with a
/// REFUSE if one of them was refused; the last of the transfer with an ACK else. An end counts if its packet was written
/// whole. A stream is the only one on its tag, and has nobody to answer to: the tag keeps the first fault until the end,
/// which then does not count, and the event takes the fault as its error.
#[derive(LogicBlock, Default)]
pub struct TransferEnd {
    pub clk: Signal<In, Clock>,
    /// A head is taken: whatever was refused belongs to another packet.
    pub head: Signal<In, Bit>,
    /// The packet is a PUT.
    pub put: Signal<In, Bit>,
    /// The packet is a REPLY.
    pub reply: Signal<In, Bit>,
    /// The packet is a STREAM.
    pub stream: Signal<In, Bit>,
    /// The packet is the last of its transfer.
    pub last: Signal<In, Bit>,
    /// What the window of the packet takes.
    pub mode: Signal<In, Bits<MODE_WIDTH>>,
    /// Ends of transfers count in the event of the window.
    pub event_enable: Signal<In, Bit>,
    /// Ends of transfers of the tag before this packet.
    pub ends: Signal<In, Bits<ENDS_WIDTH>>,
    /// Of packets of the stream before this one.
    pub fault: Signal<In, Bits<ERROR_WIDTH>>,
    /// The window is of the mode that the packet wants, or the reply is awaited.
    pub allowed: Signal<In, Bit>,
    /// The word on offer is one to refuse, whether or not it is taken in this cycle.
    pub refuse: Signal<In, Bit>,
    /// It is refused as a word of a descriptor without room.
    pub is_full: Signal<In, Bit>,
    /// It is taken.
    pub advance: Signal<In, Bit>,
    /// The packet ends.
    pub closes: Signal<In, Bit>,
    /// High for one cycle at the end of a put and of each packet of a stream: `next_ends` and `next_fault` are stored.
    pub write_ends: Signal<Out, Bit>,
    /// Ends of transfers with this packet, which counts if it is the last and all went well.
    pub next_ends: Signal<Out, Bits<ENDS_WIDTH>>,
    /// Fault of the tag after this packet; 0 after the last one of a stream.
    pub next_fault: Signal<Out, Bits<ERROR_WIDTH>>,
    /// An answer of kind `answer_kind`, with the code `outcome`, goes to the source. High for one cycle.
    pub answers: Signal<Out, Bit>,
    /// ACK if `outcome` is 0, else REFUSE.
    pub answer_kind: Signal<Out, Bits<KIND_WIDTH>>,
    /// Error code of the packet or its stream, 0 if all went well.
    pub outcome: Signal<Out, Bits<ERROR_WIDTH>>,
    /// The event counts, with `outcome` as its error.
    pub signals: Signal<Out, Bit>,
    /// The slot of a get is complete.
    pub completes: Signal<Out, Bit>,
    refused_before: DFF<Bit>,
    /// The first word that is refused is one of a descriptor without room; as it was when that word was taken.
    lacks_room: Signal<Local, Bit>,
    full_before: DFF<Bit>,
    refusal: Signal<Local, Bits<ERROR_WIDTH>>,
    failed: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
}

#[kernel]
impl Logic for TransferEnd {
    fn update(&mut self) {
        dff_setup!(self, clk, refused_before, full_before);
        self.lacks_room.next = self.is_full.val();
        if self.refused_before.q.val() {
            self.lacks_room.next = self.full_before.q.val();
        }
        if self.refuse.val() & self.advance.val() {
            self.refused_before.d.next = true;
            self.full_before.d.next = self.lacks_room.val();
        }
        if self.head.val() {
            self.refused_before.d.next = false;
        }

        self.refusal.next = bits::<ERROR_WIDTH>(ErrorCode::WrongWindow as u64);
        if self.mode.val() == bits::<MODE_WIDTH>(Mode::Off as u64) {
            self.refusal.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownWindow as u64);
        }
        self.failed.next = self.refused_before.q.val() | self.refuse.val();
        self.outcome.next = 0.into();
        if self.failed.val() {
            self.outcome.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfWindow as u64);
            if self.lacks_room.val() {
                self.outcome.next = bits::<ERROR_WIDTH>(ErrorCode::CommandFull as u64);
            }
        }
        if self.stream.val() & self.fault.val().any() {
            self.outcome.next = self.fault.val();
        }
        if !self.allowed.val() {
            self.outcome.next = self.refusal.val();
        }

        // A stream that came to something else than a pointer has nothing to do with the transfers there.
        self.counts.next = (self.put.val() & self.last.val()) | (self.stream.val() & self.allowed.val());
        self.write_ends.next = self.closes.val() & self.counts.val();
        self.next_ends.next = self.ends.val();
        if self.last.val() & !self.outcome.val().any() {
            self.next_ends.next = self.ends.val() + 1;
        }
        self.next_fault.next = self.fault.val();
        if self.stream.val() {
            self.next_fault.next = self.outcome.val();
            if self.last.val() {
                self.next_fault.next = 0.into();
            }
        }
        // An empty packet loses no word: only as the last does it say that the window is wrong.
        self.answers.next = self.closes.val() & self.put.val() & (self.last.val() | self.failed.val());
        self.answer_kind.next = bits::<KIND_WIDTH>(ControlKind::Ack as u64);
        if self.outcome.val().any() {
            self.answer_kind.next = bits::<KIND_WIDTH>(ControlKind::Refuse as u64);
        }
        self.signals.next = self.closes.val()
            & self.last.val()
            & self.event_enable.val()
            & self.allowed.val()
            & (self.stream.val() | (self.put.val() & !self.outcome.val().any()));
        self.completes.next = self.closes.val() & self.last.val() & self.reply.val() & self.allowed.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::settle;
    use portico_spec::ni::packet::DataKind;

    const MOST: u64 = (1 << ENDS_WIDTH) - 1;

    /// The end of a packet of this kind at its own window, after `ends` ends and with a fault of the tag.
    fn end(kind: DataKind, last: bool, ends: u64, fault: u64, refuse: bool) -> TransferEnd {
        let mut dut = TransferEnd::default();
        dut.connect_all();
        let mode = if kind == DataKind::Put {
            Mode::Window
        } else {
            Mode::Pointer
        };
        dut.put.next = kind == DataKind::Put;
        dut.stream.next = kind == DataKind::Stream;
        dut.allowed.next = true;
        dut.mode.next = (mode as u64).into();
        dut.last.next = last;
        dut.closes.next = true;
        dut.ends.next = ends.into();
        dut.fault.next = fault.into();
        dut.refuse.next = refuse;
        settle(&mut dut);
        dut
    }

    #[test]
    fn the_counter_of_ends_of_streams_wraps_and_only_good_ends_count() {
        for (ends, fault, after) in [(MOST, 0, 0), (MOST, 9, MOST), (7, 0, 8), (7, 9, 7)] {
            let dut = end(DataKind::Stream, true, ends, fault, false);
            assert!(dut.write_ends.val() && !dut.answers.val());
            assert_eq!(dut.next_ends.val().to_u64(), after, "{ends} ends, fault {fault}");
            assert_eq!(dut.next_fault.val().to_u64(), 0, "an end leaves no fault");
        }
    }

    #[test]
    fn a_packet_of_a_put_answers_for_itself_whatever_the_tag_remembers() {
        let (ack, refuse) = (ControlKind::Ack as u64, ControlKind::Refuse as u64);
        for (ends, fault, last, fails) in [
            (MOST, 0, true, false),
            (MOST, 9, true, false),
            (7, 0, true, true),
            (7, 0, false, true),
            (7, 9, false, true),
            (7, 9, false, false),
        ] {
            let dut = end(DataKind::Put, last, ends, fault, fails);
            let what = format!("{ends} ends, fault {fault}, last {last}, fails {fails}");
            assert_eq!(dut.answers.val(), last || fails, "{what}");
            assert_eq!(
                dut.answer_kind.val().to_u64(),
                if fails { refuse } else { ack },
                "{what}"
            );
            let outcome = if fails { ErrorCode::OutOfWindow as u64 } else { 0 };
            assert_eq!(dut.outcome.val().to_u64(), outcome, "{what}");
            assert_eq!(dut.write_ends.val(), last, "{what}");
            let after = (ends + u64::from(last && !fails)) & MOST;
            assert_eq!(dut.next_ends.val().to_u64(), after, "{what}");
            assert_eq!(
                dut.next_fault.val().to_u64(),
                fault,
                "{what}: the fault is the stream's"
            );
        }
    }
}
