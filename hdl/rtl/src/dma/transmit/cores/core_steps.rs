use portico_verilog::prelude::*;

/// What the sequencer does in a cycle.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum CoreStep {
    /// Nobody runs.
    Idle,
    /// Words of the job are asked for; the first instruction is on its way meanwhile.
    Load0,
    Load1,
    Load2,
    Load3,
    /// An instruction is asked for, and comes.
    Fetch,
    Decode,
    /// Its register a is asked for; b, while a comes; the round of the innermost loop, while b comes.
    ReadA,
    ReadB,
    Operands,
    /// The cutter works, and the instruction waits for it.
    Cut,
    Take,
    Check,
    /// What is to happen is decided, and happens.
    Decide,
    Act,
    /// A loop ends, or begins anew.
    Unwind,
    /// The loop around it is asked for, and comes.
    Ask,
    Arrive,
}

/// The steps of the sequencer, from one instruction to the next.
///
/// | | |
/// | --- | --- |
/// | latency | 6 cycles for a row that repeats, 8 or 10 for another instruction without or with payload, 3 more for a change of context |
/// | state | the step, and whether the context leaves |
#[derive(LogicBlock, Default)]
pub struct CoreSteps {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nobody runs.
    pub rst: Signal<In, Bit>,
    /// The step of this cycle.
    pub step: Signal<Out, CoreStep>,
    /// Somebody may run; taken in step `Idle`.
    pub somebody: Signal<In, Bit>,
    /// Results of the instruction before are not in their registers yet.
    pub results_wait: Signal<In, Bit>,
    /// The instruction goes through the cutter.
    pub payload: Signal<In, Bit>,
    /// In step `Act`: something happens.
    pub acts: Signal<In, Bit>,
    /// In step `Act`: the instruction is over.
    pub done: Signal<In, Bit>,
    /// In step `Act`: the instruction must wait for something.
    pub parked: Signal<In, Bit>,
    /// In step `Act`: the program is over.
    pub stop: Signal<In, Bit>,
    /// In step `Act`: the context makes room for others, or stops.
    pub leave: Signal<In, Bit>,
    /// Loops end with the instruction.
    pub ends: Signal<In, Bit>,
    /// In step `Unwind`: the loop has rounds left.
    pub repeats: Signal<In, Bit>,
    /// In step `Unwind`: the loop is this instruction alone.
    pub alone: Signal<In, Bit>,
    /// In step `Unwind`: more loops end.
    pub more: Signal<In, Bit>,
    /// The instruction writes a register that is both its a and its b, and must read it again.
    pub rereads: Signal<In, Bit>,
    current: DFF<CoreStep>,
    leaving: DFF<Bit>,
    next_place: Signal<Local, CoreStep>,
}

#[kernel]
impl Logic for CoreSteps {
    fn update(&mut self) {
        dff_setup!(self, clk, current, leaving);
        self.step.next = self.current.q.val();
        self.next_place.next = CoreStep::Fetch;
        if self.leaving.q.val() {
            self.next_place.next = CoreStep::Idle;
        }
        match self.current.q.val() {
            CoreStep::Idle => {
                if self.somebody.val() {
                    self.current.d.next = CoreStep::Load0;
                }
            }
            CoreStep::Load0 => {
                self.current.d.next = CoreStep::Load1;
            }
            CoreStep::Load1 => {
                self.current.d.next = CoreStep::Load2;
            }
            CoreStep::Load2 => {
                self.current.d.next = CoreStep::Load3;
            }
            CoreStep::Load3 => {
                self.current.d.next = CoreStep::ReadA;
            }
            CoreStep::Fetch => {
                self.current.d.next = CoreStep::Decode;
            }
            CoreStep::Decode => {
                self.current.d.next = CoreStep::ReadA;
            }
            CoreStep::ReadA => {
                if !self.results_wait.val() {
                    self.current.d.next = CoreStep::ReadB;
                }
            }
            CoreStep::ReadB => {
                self.current.d.next = CoreStep::Operands;
            }
            CoreStep::Operands => {
                self.current.d.next = CoreStep::Cut;
            }
            CoreStep::Cut => {
                self.current.d.next = CoreStep::Decide;
                if self.payload.val() {
                    self.current.d.next = CoreStep::Take;
                }
            }
            CoreStep::Take => {
                self.current.d.next = CoreStep::Check;
            }
            CoreStep::Check => {
                self.current.d.next = CoreStep::Decide;
            }
            CoreStep::Decide => {
                self.current.d.next = CoreStep::Act;
            }
            CoreStep::Act => {
                self.leaving.d.next = self.leave.val();
                if self.acts.val() | self.parked.val() {
                    self.current.d.next = CoreStep::Cut;
                }
                if self.done.val() {
                    self.current.d.next = CoreStep::Fetch;
                }
                if self.leave.val() {
                    self.current.d.next = CoreStep::Idle;
                }
                if self.done.val() & self.ends.val() & !self.stop.val() {
                    self.current.d.next = CoreStep::Unwind;
                }
            }
            CoreStep::Unwind => {
                self.current.d.next = self.next_place.val();
                if self.repeats.val() {
                    if self.alone.val() & !self.rereads.val() & !self.leaving.q.val() {
                        self.current.d.next = CoreStep::Cut;
                    }
                } else if self.more.val() {
                    self.current.d.next = CoreStep::Ask;
                }
            }
            CoreStep::Ask => {
                self.current.d.next = CoreStep::Arrive;
            }
            CoreStep::Arrive => {
                self.current.d.next = CoreStep::Unwind;
            }
        }
        if self.rst.val() {
            self.current.d.next = CoreStep::Idle;
        }
    }
}
