use super::{BytesOut, Message, PAYLOAD_WIDTH};
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
/// | state | whether the writer has the run of the packet or had it, and whether all words are taken |
#[derive(LogicBlock, Default)]
pub struct PayloadGate {
    pub clk: Signal<In, Clock>,
    /// No packet is carried out.
    pub rests: Signal<In, Bit>,
    /// The check of the entry is over: the payload goes to memory, or is read away.
    pub passes: Signal<In, Bit>,
    /// The message does not fail; valid with `passes`. A get has no payload.
    pub succeeds: Signal<In, Bit>,
    /// The message; valid with `passes`.
    pub message: Signal<In, Message>,
    /// Payload of the packet. A packet without payload has one word, with its top bit high.
    pub words: StreamIn<PAYLOAD_WIDTH>,
    /// Where the payload goes.
    pub run: BytesOut,
    /// Words of the payload.
    pub m_axis: StreamOut<32>,
    /// The writer has the run of the packet, or had it.
    pub runs: Signal<Out, Bit>,
    /// All words are taken, and the writer is ready for the next run: its last bytes may still be on their way.
    pub over: Signal<Out, Bit>,
    whole: DFF<Bit>,
    running: DFF<Bit>,
    writes: Signal<Local, Bit>,
    is_bare: Signal<Local, Bit>,
}

#[kernel]
impl Logic for PayloadGate {
    fn update(&mut self) {
        dff_setup!(self, clk, whole, running);
        self.writes.next = self.succeeds.val() & !self.message.val().get;
        self.is_bare.next = self.words.tdata.val().get_bit(PAYLOAD_WIDTH - 1);
        self.run.valid.next = self.passes.val()
            & !self.whole.q.val()
            & !self.running.q.val()
            & self.writes.val()
            & self.words.tvalid.val()
            & !self.is_bare.val();
        self.run.address.next = self.message.val().address;
        self.run.length.next = self.message.val().left;
        if self.run.valid.val() & self.run.ready.val() {
            self.running.d.next = true;
        }
        self.m_axis.tdata.next = self.words.tdata.val().get_bits::<32>(0);
        self.m_axis.tlast.next = self.words.tlast.val();
        self.m_axis.tvalid.next = self.words.tvalid.val() & self.running.q.val() & !self.whole.q.val();
        self.words.tready.next = self.passes.val()
            & ((self.running.q.val() & self.m_axis.tready.val())
                | (!self.whole.q.val() & (self.is_bare.val() | !self.writes.val())));
        if self.words.tready.val() & self.words.tvalid.val() & self.words.tlast.val() {
            self.whole.d.next = true;
        }
        self.runs.next = self.running.q.val();
        self.over.next = self.whole.q.val() & (!self.running.q.val() | self.run.ready.val());
        if self.rests.val() {
            self.whole.d.next = false;
            self.running.d.next = false;
        }
    }
}
