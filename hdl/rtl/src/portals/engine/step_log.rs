use super::StepLogOut;
use portico_spec::portals::engine::{RANK_WIDTH, SLOT_WIDTH};
use portico_verilog::prelude::*;

/// Tells each step of the engine, for traces and for replay in the reference model.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a step to `log` |
/// | throughput | every step |
/// | state | the steps of a cycle |
///
/// At most one step of each of three groups comes in a cycle: `sends`; `sent`, `answered`; `matched`, `ended`, `advances`, `finishes`.
/// Those of one cycle take effect in this order.
#[derive(LogicBlock, Default)]
pub struct StepLog {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// A move begins to leave.
    pub sends: Signal<In, Bit>,
    /// Its slot, if it is answered.
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// The oldest move that has left is reported.
    pub sent: Signal<In, Bit>,
    /// A reply is reported.
    pub replied: Signal<In, Bit>,
    /// Its slot.
    pub reply_slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// An answer of the control plane is reported.
    pub answered: Signal<In, Bit>,
    /// Its slot.
    pub answer_slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// A message meets its entry, or fails.
    pub matched: Signal<In, Bit>,
    /// A message is over at its target.
    pub ended: Signal<In, Bit>,
    /// The rank of either message.
    pub rank: Signal<In, Bits<RANK_WIDTH>>,
    /// A command has changed something, and is not over.
    pub advances: Signal<In, Bit>,
    /// A command is over.
    pub finishes: Signal<In, Bit>,
    /// The steps.
    pub log: StepLogOut,
    marks: DFF<Bits<7>>,
    sends_slot: DFF<Bits<SLOT_WIDTH>>,
    answered_slot: DFF<Bits<SLOT_WIDTH>>,
    of: DFF<Bits<RANK_WIDTH>>,
}

#[kernel]
impl Logic for StepLog {
    fn update(&mut self) {
        dff_setup!(self, clk, marks, sends_slot, answered_slot, of);
        self.marks.d.next = bits::<7>(0)
            .replace_bit(0, self.sends.val())
            .replace_bit(1, self.sent.val())
            .replace_bit(2, self.replied.val() | self.answered.val())
            .replace_bit(3, self.matched.val())
            .replace_bit(4, self.ended.val())
            .replace_bit(5, self.advances.val())
            .replace_bit(6, self.finishes.val());
        self.sends_slot.d.next = self.slot.val();
        self.answered_slot.d.next = self.answer_slot.val();
        if self.replied.val() {
            self.answered_slot.d.next = self.reply_slot.val();
        }
        self.of.d.next = self.rank.val();
        self.log.sends.next = self.marks.q.val().get_bit(0);
        self.log.sends_slot.next = self.sends_slot.q.val();
        self.log.sent.next = self.marks.q.val().get_bit(1);
        self.log.answered.next = self.marks.q.val().get_bit(2);
        self.log.answered_slot.next = self.answered_slot.q.val();
        self.log.matched.next = self.marks.q.val().get_bit(3);
        self.log.ended.next = self.marks.q.val().get_bit(4);
        self.log.rank.next = self.of.q.val();
        self.log.advances.next = self.marks.q.val().get_bit(5);
        self.log.finishes.next = self.marks.q.val().get_bit(6);
        if self.rst.val() {
            self.marks.d.next = 0.into();
        }
    }
}
