use super::{Instruction, Transfer};
use portico_spec::ni::{
    command::SHAPERS,
    event::{EVENTS, EVENT_WIDTH},
    instruction::{Mode, MODE_WIDTH},
};
use portico_verilog::prelude::*;

/// What an instruction may have to wait for, and which event it is about.
///
/// Looks at the world outside, for the instruction that is current.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from the operands, and from the outside, to the conditions |
/// | state | 3 flip-flops |
///
/// All of them are asked again and again, so that it does no harm to know them a cycle later.
#[derive(LogicBlock, Default)]
pub struct Conditions {
    pub clk: Signal<In, Clock>,
    /// The current instruction, decoded.
    pub instruction: Signal<In, Instruction>,
    /// What the instructions need of the job of the context that runs.
    pub transfer: Signal<In, Transfer>,
    /// Operand b: the event of WAIT or NOTIFY in its low bits.
    pub b: Signal<In, Bits<32>>,
    /// Events that have fired, one bit each.
    pub fired: Signal<In, Bits<EVENTS>>,
    /// Another transaction of the segment is open.
    pub fence_busy: Signal<In, Bit>,
    /// Shapers that let a packet begin, one bit each.
    pub may_send: Signal<In, Bits<SHAPERS>>,
    /// The event of the instruction has fired, as it was in the cycle before.
    pub has_fired: Signal<Out, Bit>,
    /// Another transaction of the segment is open, as it was in the cycle before.
    pub is_fenced: Signal<Out, Bit>,
    /// The shaper of the context lets a packet begin, as it was in the cycle before.
    pub sends: Signal<Out, Bit>,
    /// Event that NOTIFY counts in, unless `silent`.
    pub subject: Signal<Out, Bits<EVENT_WIDTH>>,
    /// NOTIFY counts in no event: it asks for that of the command, which is quiet.
    pub silent: Signal<Out, Bit>,
    is_fired: DFF<Bit>,
    is_busy: DFF<Bit>,
    is_free: DFF<Bit>,
}

#[kernel]
impl Logic for Conditions {
    fn update(&mut self) {
        dff_setup!(self, clk, is_fired, is_busy, is_free);
        self.is_fired.d.next = self
            .fired
            .val()
            .get_bit(self.b.val().get_bits::<EVENT_WIDTH>(0).index());
        self.is_busy.d.next = self.fence_busy.val();
        self.is_free.d.next = self.may_send.val().get_bit(self.transfer.val().shaper.index());
        self.has_fired.next = self.is_fired.q.val();
        self.is_fenced.next = self.is_busy.q.val();
        self.sends.next = self.is_free.q.val();

        self.subject.next = self.b.val().get_bits::<EVENT_WIDTH>(0);
        self.silent.next = false;
        if (self.instruction.val().mode == bits::<MODE_WIDTH>(Mode::Immediate as u64))
            & self.instruction.val().minus_one
        {
            self.subject.next = self.transfer.val().own_event;
            self.silent.next = self.transfer.val().quiet;
        }
    }
}
