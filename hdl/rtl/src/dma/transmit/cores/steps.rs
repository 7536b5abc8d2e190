use portico_verilog::prelude::*;

/// What the sequencer does in a cycle.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum Step {
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
pub struct Steps {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nobody runs.
    pub rst: Signal<In, Bit>,
    /// The step of this cycle.
    pub step: Signal<Out, Step>,
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
    current: DFF<Step>,
    leaving: DFF<Bit>,
    next_place: Signal<Local, Step>,
}

#[kernel]
impl Logic for Steps {
    fn update(&mut self) {
        dff_setup!(self, clk, current, leaving);
        self.step.next = self.current.q.val();
        self.next_place.next = Step::Fetch;
        if self.leaving.q.val() {
            self.next_place.next = Step::Idle;
        }
        match self.current.q.val() {
            Step::Idle => {
                if self.somebody.val() {
                    self.current.d.next = Step::Load0;
                }
            }
            Step::Load0 => {
                self.current.d.next = Step::Load1;
            }
            Step::Load1 => {
                self.current.d.next = Step::Load2;
            }
            Step::Load2 => {
                self.current.d.next = Step::Load3;
            }
            Step::Load3 => {
                self.current.d.next = Step::ReadA;
            }
            Step::Fetch => {
                self.current.d.next = Step::Decode;
            }
            Step::Decode => {
                self.current.d.next = Step::ReadA;
            }
            Step::ReadA => {
                if !self.results_wait.val() {
                    self.current.d.next = Step::ReadB;
                }
            }
            Step::ReadB => {
                self.current.d.next = Step::Operands;
            }
            Step::Operands => {
                self.current.d.next = Step::Cut;
            }
            Step::Cut => {
                self.current.d.next = Step::Decide;
                if self.payload.val() {
                    self.current.d.next = Step::Take;
                }
            }
            Step::Take => {
                self.current.d.next = Step::Check;
            }
            Step::Check => {
                self.current.d.next = Step::Decide;
            }
            Step::Decide => {
                self.current.d.next = Step::Act;
            }
            Step::Act => {
                self.leaving.d.next = self.leave.val();
                if self.acts.val() | self.parked.val() {
                    self.current.d.next = Step::Cut;
                }
                if self.done.val() {
                    self.current.d.next = Step::Fetch;
                }
                if self.leave.val() {
                    self.current.d.next = Step::Idle;
                }
                if self.done.val() & self.ends.val() & !self.stop.val() {
                    self.current.d.next = Step::Unwind;
                }
            }
            Step::Unwind => {
                self.current.d.next = self.next_place.val();
                if self.repeats.val() {
                    if self.alone.val() & !self.rereads.val() & !self.leaving.q.val() {
                        self.current.d.next = Step::Cut;
                    }
                } else if self.more.val() {
                    self.current.d.next = Step::Ask;
                }
            }
            Step::Ask => {
                self.current.d.next = Step::Arrive;
            }
            Step::Arrive => {
                self.current.d.next = Step::Unwind;
            }
        }
        if self.rst.val() {
            self.current.d.next = Step::Idle;
        }
    }
}
