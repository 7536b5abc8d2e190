use portico_verilog::prelude::*;

/// What comes next.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Stage {
    Idle,
    /// Checks, and reads the word, or the upper one of a pair.
    Check,
    /// Reads the lower word of a pair.
    ReadLower,
    Await,
    /// Writes the upper word of a pair.
    WriteUpper,
    Write,
    WriteDevice,
}

/// What an atomic operation does in a cycle: its check, its reads, its writes, its answer.
///
/// Steps through an operation.
///
/// | | |
/// | --- | --- |
/// | latency | from `start` to the answer, with a memory that gives data after a cycle: 2 cycles for 32 bits, 3 for a pair of words; to the end a cycle a word more |
/// | latency | of a far memory, from `start` to the answer: as to the end |
/// | throughput | one operation at a time |
/// | state | the stage, 3 flip-flops |
///
/// A far memory may take reads while a write still waits. So its operations are answered when the write is taken: a read
/// that was asked for upon the answer must not overtake it.
#[derive(LogicBlock, Default)]
pub struct AtomicStages {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// An operation begins; not while `busy`.
    pub start: Signal<In, Bit>,
    /// Something speaks against it.
    pub failing: Signal<In, Bit>,
    /// It is of a register.
    pub is_device: Signal<In, Bit>,
    /// As the ALU says.
    pub stores: Signal<In, Bit>,
    pub changes: Signal<In, Bit>,
    /// Two words.
    pub is_pair: Signal<In, Bit>,
    /// The old value is there.
    pub arrives: Signal<In, Bit>,
    pub answer_ready: Signal<In, Bit>,
    pub read_ready: Signal<In, Bit>,
    pub write_ready: Signal<In, Bit>,
    pub register_ready: Signal<In, Bit>,
    pub read: Signal<Out, Bit>,
    pub write: Signal<Out, Bit>,
    pub write_register: Signal<Out, Bit>,
    /// The word in hand is the upper one of a pair.
    pub upper: Signal<Out, Bit>,
    pub answers: Signal<Out, Bit>,
    /// The answer is a refusal.
    pub refuses: Signal<Out, Bit>,
    /// The check is now.
    pub checks: Signal<Out, Bit>,
    /// See [`AtomicUnit`](super::AtomicUnit).
    pub leaves: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    pub ends: Signal<Out, Bit>,
    /// The operation is over, done or refused.
    pub finished: Signal<Out, Bit>,
    stage: DFF<Stage>,
    /// The answer comes with the last write.
    answers_last: Signal<Local, Bit>,
    /// There is room for the answer, if it is still to be given.
    answerable: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    moves_on: Signal<Local, Bit>,
    is_far: Constant<Bit>,
}

impl AtomicStages {
    /// For a memory that is far or not.
    pub fn new(far_memory: bool) -> Self {
        Self {
            is_far: Constant::new(far_memory),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for AtomicStages {
    fn update(&mut self) {
        dff_setup!(self, clk, stage);
        self.answers_last.next = self.stores.val() | self.is_far.val();
        self.answerable.next = self.answer_ready.val() | !self.answers_last.val();
        self.read.next = false;
        self.write.next = false;
        self.write_register.next = false;
        self.upper.next = self.is_pair.val() & (self.stage.q.val() == Stage::WriteUpper);
        self.answers.next = false;
        self.refuses.next = false;
        self.checks.next = false;
        self.ends.next = false;
        self.busy.next = self.stage.q.val() != Stage::Idle;
        self.over.next = false;
        self.moves_on.next = false;

        match self.stage.q.val() {
            Stage::Idle => {
                if self.start.val() {
                    self.stage.d.next = Stage::Check;
                }
            }
            Stage::Check => {
                self.checks.next = true;
                self.upper.next = self.is_pair.val();
                if self.failing.val() {
                    self.refuses.next = true;
                    self.answers.next = true;
                    self.over.next = self.answer_ready.val();
                } else if self.is_device.val() {
                    self.stage.d.next = Stage::WriteDevice;
                } else if self.stores.val() {
                    self.moves_on.next = true;
                    self.stage.d.next = Stage::Write;
                    if self.is_pair.val() {
                        self.stage.d.next = Stage::WriteUpper;
                    }
                } else {
                    // Whatever is read will be answered as it arrives: only with room for the answer.
                    self.read.next = self.answer_ready.val();
                    if self.answer_ready.val() & self.read_ready.val() {
                        self.moves_on.next = true;
                        self.stage.d.next = Stage::Await;
                        if self.is_pair.val() {
                            self.stage.d.next = Stage::ReadLower;
                        }
                    }
                }
            }
            Stage::ReadLower => {
                self.read.next = true;
                if self.read_ready.val() {
                    self.stage.d.next = Stage::Await;
                }
            }
            Stage::Await => {
                self.answers.next = self.arrives.val() & !self.is_far.val();
                if self.arrives.val() {
                    self.stage.d.next = Stage::Write;
                    if self.is_pair.val() {
                        self.stage.d.next = Stage::WriteUpper;
                    }
                }
            }
            Stage::WriteUpper => {
                self.write.next = self.changes.val();
                self.over.next = !self.changes.val() & !self.is_far.val();
                if self.write_ready.val() | !self.changes.val() {
                    self.stage.d.next = Stage::Write;
                }
            }
            Stage::Write => {
                // Without a look at the new value, whose way is long.
                self.ends.next = self.write_ready.val() & self.answerable.val();
                self.write.next = self.changes.val() & self.answerable.val();
                self.over.next = self.answerable.val() & (self.write_ready.val() | !self.changes.val());
                self.answers.next = self.answers_last.val() & (self.write_ready.val() | !self.changes.val());
            }
            Stage::WriteDevice => {
                self.write_register.next = self.answer_ready.val();
                self.answers.next = self.register_ready.val();
                self.over.next = self.answer_ready.val() & self.register_ready.val();
            }
        }
        self.finished.next = self.over.val();
        self.leaves.next = self.over.val() | (self.moves_on.val() & !self.is_pair.val());
        if self.over.val() | self.rst.val() {
            self.stage.d.next = Stage::Idle;
        }
    }
}
