use super::{BytesOut, Message};
use crate::prim::{StreamIn, StreamOut};
use portico_verilog::prelude::*;

/// Passes the payload of a packet to its writer, or reads it away.
///
/// Combinational from words to words. The payload of a message that fails is read away.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from `passes` to the first word |
/// | throughput | one word a cycle |
/// | state | whether the writer has the run of the packet, and whether all words are taken |
#[derive(LogicBlock, Default)]
pub struct PayloadGate {
    pub clk: Signal<In, Clock>,
    /// No packet is in hand.
    pub rests: Signal<In, Bit>,
    /// High for a cycle: the packet has ended with its header.
    pub bare: Signal<In, Bit>,
    /// The header is read, and what becomes of the payload is known.
    pub passes: Signal<In, Bit>,
    /// The message does not fail; valid with `passes`.
    pub succeeds: Signal<In, Bit>,
    /// The message; valid with `passes`.
    pub message: Signal<In, Message>,
    /// Words of the packet; `tlast` with its last one.
    pub words: StreamIn<32>,
    /// Where the payload goes.
    pub run: BytesOut,
    /// Words of the payload.
    pub m_axis: StreamOut<32>,
    /// The writer has written all bytes.
    pub written: Signal<In, Bit>,
    /// The writer has the run of the packet, or had it.
    pub runs: Signal<Out, Bit>,
    /// All words are taken, and all bytes are written.
    pub over: Signal<Out, Bit>,
    whole: DFF<Bit>,
    running: DFF<Bit>,
}

#[kernel]
impl Logic for PayloadGate {
    fn update(&mut self) {
        dff_setup!(self, clk, whole, running);
        self.run.valid.next = self.passes.val() & !self.whole.q.val() & !self.running.q.val() & self.succeeds.val();
        self.run.address.next = self.message.val().address;
        self.run.length.next = self.message.val().left;
        if self.run.valid.val() & self.run.ready.val() {
            self.running.d.next = true;
        }
        wire!(words => m_axis: tdata, tlast);
        self.m_axis.tvalid.next = self.words.tvalid.val() & self.running.q.val();
        self.words.tready.next = self.passes.val()
            & ((self.running.q.val() & self.m_axis.tready.val()) | (!self.whole.q.val() & !self.succeeds.val()));
        if self.bare.val() | (self.words.tready.val() & self.words.tvalid.val() & self.words.tlast.val()) {
            self.whole.d.next = true;
        }
        self.runs.next = self.running.q.val();
        self.over.next = self.whole.q.val() & (!self.running.q.val() | self.written.val());
        if self.rests.val() {
            self.whole.d.next = false;
            self.running.d.next = false;
        }
    }
}
