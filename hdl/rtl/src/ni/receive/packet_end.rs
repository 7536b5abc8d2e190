use super::{
    answers::Answers,
    ports::{DeliveredIn, EndingIn},
    report::Report,
    transfer_end::TransferEnd,
};
use crate::{
    bus::{CompletionOut, EventOut},
    prim::StreamOut,
};
use portico_spec::{flit::NODE_WIDTH, ni::packet::ERROR_WIDTH};
use portico_verilog::prelude::*;

/// The last stage: what the end of a packet brings about.
///
/// Ends of packets, and what is refused.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle to an answer, an event, a completion, `refused` |
/// | throughput | as [`Answers`] and [`Report`] |
/// | state | that of its parts |
#[derive(LogicBlock, Default)]
pub struct PacketEnd {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// This node, as the source of answers.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// What has become of the flit in delivery.
    pub delivered: DeliveredIn,
    /// Its packet.
    pub ending: EndingIn,
    /// ACK, REFUSE and VALUE packets.
    pub m_axis_control: StreamOut<32>,
    /// Completions of gets, with their last reply.
    pub completion: CompletionOut,
    /// Events for ends of transfers and messages.
    pub event: EventOut,
    /// High for a cycle for every word, message and malformed packet that is refused.
    pub refused: Signal<Out, Bit>,
    transfer_end: TransferEnd,
    answers: Answers,
    report: Report,
    refusing: DFF<Bit>,
    /// A message to a queue ends.
    message_ends: Signal<Local, Bit>,
}

#[kernel]
impl Logic for PacketEnd {
    fn update(&mut self) {
        wire!(self => answers, report: clk, rst);
        wire!(self => transfer_end: clk);
        dff_setup!(self, clk, refusing);
        self.delivered.may_end.next = self.answers.answer.ready.val() & !self.report.busy.val();

        // Transfers.
        self.transfer_end.head.next = self.ending.starts.val();
        wire!(ending.header => transfer_end: put, reply, stream, last);
        wire!(ending => transfer_end: allowed, mode, event_enable, ends, fault);
        self.transfer_end.refuse.next = self.delivered.refuses.val();
        self.transfer_end.advance.next = self.delivered.payload.val();
        wire!(delivered => transfer_end: is_full, closes);
        wire!(transfer_end => ending: write_ends, next_ends, next_fault);

        // Answers to initiators.
        wire!(self => answers: node);
        self.answers.answer.valid.next = self.transfer_end.answers.val();
        self.answers.answer.destination.next = self.ending.header.source.val();
        self.answers.answer.slot.next = self.ending.header.slot.val();
        self.answers.answer.kind.next = self.transfer_end.answer_kind.val();
        self.answers.answer.last.next = self.ending.header.last.val();
        self.answers.answer.value.next = bit_cast::<64, ERROR_WIDTH>(self.transfer_end.outcome.val());
        if self.delivered.atomic.val() {
            wire!(delivered.answer => answers.answer: valid, destination, slot, kind, last, value);
        }
        self.delivered.answer.ready.next = self.answers.answer.ready.val();
        wire!(self.m_axis_control <=> answers.m_axis);

        // Reports to this node's own events and slots.
        self.message_ends.next = self.delivered.message_closes.val() & self.ending.is_queue.val();
        self.report.signal_event.next =
            self.transfer_end.signals.val() | (self.message_ends.val() & self.ending.event_enable.val());
        wire!(ending => report: event_number);
        self.report.error.next = 0.into();
        if self.transfer_end.signals.val() {
            self.report.error.next = self.transfer_end.outcome.val();
        }
        if self.message_ends.val() & self.delivered.message_refused.val() {
            self.report.error.next = self.ending.reason.val();
        }
        self.report.complete.next = self.transfer_end.completes.val();
        self.report.slot.next = self.ending.header.get_slot.val();
        // A get that was broken off has the reason in place of a slot.
        self.report.failure.next = self.ending.header.slot.val().get_bits::<ERROR_WIDTH>(0);
        wire!(self <=> report: event);
        wire!(self <=> report: completion);

        // What is refused; of a message it is the whole.
        self.refusing.d.next = self.delivered.malformed.val()
            | (self.delivered.payload.val() & self.delivered.refuses.val() & !self.ending.header.message.val())
            | self.delivered.message_refused.val();
        self.refused.next = self.refusing.q.val();
        if self.rst.val() {
            self.refusing.d.next = false;
        }
    }
}
