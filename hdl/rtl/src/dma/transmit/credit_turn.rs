use crate::bus::CreditTakeOut;
use portico_spec::ni::segment::HANDLE_WIDTH;
use portico_verilog::prelude::*;

/// Who takes a credit: the bypass or the sequencer, one at a time, until it has its answer.
///
/// Two askers, of which the bypass goes first.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | throughput | one credit at a time |
/// | state | 2 flip-flops |
#[derive(LogicBlock, Default)]
pub struct CreditTurn {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nobody asks.
    pub rst: Signal<In, Bit>,
    /// The bypass wants a credit of `bypass_segment`, until it is answered.
    pub bypass_wants: Signal<In, Bit>,
    /// Segment of which the bypass wants a credit.
    pub bypass_segment: Signal<In, Bits<HANDLE_WIDTH>>,
    /// The sequencer wants a credit of `sequencer_segment`, until it is answered.
    pub sequencer_wants: Signal<In, Bit>,
    /// Segment of which the sequencer wants a credit.
    pub sequencer_segment: Signal<In, Bits<HANDLE_WIDTH>>,
    /// Requests of credits for the two, one at a time.
    pub credit_take: CreditTakeOut,
    /// High for one cycle when the answer of `credit_take` is that to the bypass.
    pub bypass_answered: Signal<Out, Bit>,
    /// High for one cycle when the answer of `credit_take` is that to the sequencer.
    pub sequencer_answered: Signal<Out, Bit>,
    asks: DFF<Bit>,
    for_bypass: DFF<Bit>,
    is_for_bypass: Signal<Local, Bit>,
}

#[kernel]
impl Logic for CreditTurn {
    fn update(&mut self) {
        dff_setup!(self, clk, asks, for_bypass);
        self.is_for_bypass.next = self.for_bypass.q.val();
        if !self.asks.q.val() {
            self.is_for_bypass.next = self.bypass_wants.val();
        }
        self.for_bypass.d.next = self.is_for_bypass.val();
        self.credit_take.valid.next = self.asks.q.val() | self.bypass_wants.val() | self.sequencer_wants.val();
        self.asks.d.next = self.credit_take.valid.val() & !self.credit_take.answered.val();
        self.credit_take.segment.next = self.sequencer_segment.val();
        if self.is_for_bypass.val() {
            self.credit_take.segment.next = self.bypass_segment.val();
        }
        self.bypass_answered.next = self.credit_take.answered.val() & self.for_bypass.q.val();
        self.sequencer_answered.next = self.credit_take.answered.val() & !self.for_bypass.q.val();
        if self.rst.val() {
            self.asks.d.next = false;
        }
    }
}
