use super::{JobDecoder, Transfer, JOB_WORDS};
use crate::prim::LutRam;
use portico_spec::ni::CONTEXT_WIDTH;
use portico_verilog::prelude::*;

/// The job of the context that runs, and which contexts have ended their transfers.
///
/// Keeps the words as they come out of the context memory.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one word a cycle |
/// | state | the words of a job, and a bit by context in LUT-RAM |
#[derive(LogicBlock, Default)]
pub struct CurrentJob {
    pub clk: Signal<In, Clock>,
    /// Takes `word` as the one of these numbers.
    pub take: Signal<In, Bits<JOB_WORDS>>,
    /// Word of the job as it comes out of the context memory, valid with `take`.
    pub word: Signal<In, Bits<32>>,
    /// What the instructions need of the job of the context that runs.
    pub transfer: Signal<Out, Transfer>,
    /// `start_context` begins. Never together with `end_transfer`.
    pub started: Signal<In, Bit>,
    /// The context that begins, valid with `started`.
    pub start_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The transfer of `current` ends: a packet has been sent that says so, or went to the control plane. The slot is in
    /// its hands.
    pub end_transfer: Signal<In, Bit>,
    /// The context that runs.
    pub current: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The transfer of `current` has ended.
    pub has_ended: Signal<Out, Bit>,
    words: [DFF<Bits<32>>; JOB_WORDS],
    decoder: JobDecoder,
    ended: LutRam<Bit, CONTEXT_WIDTH>,
}

#[kernel]
impl Logic for CurrentJob {
    fn update(&mut self) {
        for i in 0..JOB_WORDS {
            self.words[i].clock.next = self.clk.val();
            self.words[i].d.next = self.words[i].q.val();
            if self.take.val().get_bit(i) {
                self.words[i].d.next = self.word.val();
            }
            self.decoder.word[i].next = self.words[i].q.val();
        }
        self.transfer.next = self.decoder.transfer.val();

        self.ended.clk.next = self.clk.val();
        self.ended.write_enable.next = self.started.val() | self.end_transfer.val();
        self.ended.write_address.next = self.current.val();
        self.ended.write_data.next = true;
        if self.started.val() {
            self.ended.write_address.next = self.start_context.val();
            self.ended.write_data.next = false;
        }
        self.ended.read_address.next = self.current.val();
        self.has_ended.next = self.ended.read_data.val();
    }
}
