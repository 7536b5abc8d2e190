use portico_verilog::prelude::*;

/// What comes next.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Stage {
    /// Checks, and reads the word, or the upper one of a pair.
    Idle,
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
/// | latency | from `start` to the answer, with a memory that gives data after a cycle: 2 cycles for 32 bits, 5 for a pair of words |
/// | throughput | one operation at a time |
/// | state | the stage of the atomic |
///
/// The memory is read while the check is made, where a word that comes to nobody does no harm: the check takes long, and
/// what it finds is seldom. Memory that answers late is read after the check, since the word would come to the next
/// operation.
///
/// An operation is answered when its write is taken: a read that was asked for upon the answer must not overtake it.
#[derive(LogicBlock, Default)]
pub struct AtomicStages {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// An operation is there; it stays until `leaves`.
    pub start: Signal<In, Bit>,
    /// The lower word of its pair is there; it stays until `lower_leaves`.
    pub lower: Signal<In, Bit>,
    /// Something speaks against it.
    pub failing: Signal<In, Bit>,
    /// It is of a register.
    pub is_device: Signal<In, Bit>,
    /// The old value does not matter, as the ALU says.
    pub stores: Signal<In, Bit>,
    /// The new value is to be stored, as the ALU says.
    pub changes: Signal<In, Bit>,
    /// Two words.
    pub is_pair: Signal<In, Bit>,
    /// The old value is there.
    pub arrives: Signal<In, Bit>,
    /// There is room for an answer.
    pub answer_ready: Signal<In, Bit>,
    /// The memory takes a read in this cycle.
    pub read_ready: Signal<In, Bit>,
    /// The memory takes a write in this cycle.
    pub write_ready: Signal<In, Bit>,
    /// The word for the register is taken in this cycle.
    pub register_ready: Signal<In, Bit>,
    /// Reads the old value; of a pair the upper word, then the lower one.
    pub read: Signal<Out, Bit>,
    /// Writes the new value to the memory; of a pair the upper word, then the lower one.
    pub write: Signal<Out, Bit>,
    /// Writes the new value to a register.
    pub write_register: Signal<Out, Bit>,
    /// The word to write is the upper one of a pair.
    pub upper: Signal<Out, Bit>,
    /// There is an answer; it is taken with `answer_ready`.
    pub answers: Signal<Out, Bit>,
    /// The answer is a refusal.
    pub refuses: Signal<Out, Bit>,
    /// The operation needs its flit no more; high for one cycle. See [`AtomicUnit`](super::AtomicUnit).
    pub leaves: Signal<Out, Bit>,
    /// The lower word of the pair is needed no more: the operation ends, or is over already.
    pub lower_leaves: Signal<Out, Bit>,
    /// An operation is under way, and has the writes of the memory and the registers, and the answers, for itself.
    pub busy: Signal<Out, Bit>,
    /// The operation ends with this cycle for sure.
    pub ends: Signal<Out, Bit>,
    /// The operation is over, done or refused.
    pub finished: Signal<Out, Bit>,
    stage: DFF<Stage>,
    far_memory: Constant<Bit>,
}

impl AtomicStages {
    /// `far_memory`: data may come later than a cycle after their request.
    pub fn new(far_memory: bool) -> Self {
        Self {
            far_memory: Constant::new(far_memory),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for AtomicStages {
    fn update(&mut self) {
        dff_setup!(self, clk, stage);
        self.read.next = false;
        self.write.next = false;
        self.write_register.next = false;
        self.upper.next = self.stage.q.val() == Stage::WriteUpper;
        self.answers.next = false;
        self.refuses.next = false;
        self.leaves.next = false;
        self.ends.next = false;
        self.busy.next = self.stage.q.val() != Stage::Idle;
        self.finished.next = false;

        match self.stage.q.val() {
            Stage::Idle => {
                self.read.next = self.start.val()
                    & !self.is_device.val()
                    & !self.stores.val()
                    & !(self.far_memory.val() & self.failing.val());
                if self.start.val() {
                    if self.failing.val() {
                        self.refuses.next = true;
                        self.answers.next = true;
                        self.finished.next = self.answer_ready.val();
                        self.leaves.next = self.answer_ready.val();
                    } else if self.is_device.val() {
                        self.stage.d.next = Stage::WriteDevice;
                    } else if self.stores.val() {
                        self.leaves.next = true;
                        self.stage.d.next = Stage::Write;
                        if self.is_pair.val() {
                            self.stage.d.next = Stage::WriteUpper;
                        }
                    } else {
                        self.leaves.next = self.read_ready.val();
                        if self.read_ready.val() {
                            self.stage.d.next = Stage::Await;
                            if self.is_pair.val() {
                                self.stage.d.next = Stage::ReadLower;
                            }
                        }
                    }
                }
            }
            Stage::ReadLower => {
                self.read.next = self.lower.val();
                if self.lower.val() & self.read_ready.val() {
                    self.stage.d.next = Stage::Await;
                }
            }
            Stage::Await => {
                if self.arrives.val() {
                    self.stage.d.next = Stage::Write;
                    if self.is_pair.val() {
                        self.stage.d.next = Stage::WriteUpper;
                    }
                }
            }
            Stage::WriteUpper => {
                self.write.next = self.changes.val();
                if self.write_ready.val() | !self.changes.val() {
                    self.stage.d.next = Stage::Write;
                }
            }
            Stage::Write => {
                // Without a look at the new value, whose way is long.
                self.ends.next = self.write_ready.val() & self.answer_ready.val();
                self.write.next = self.changes.val() & self.answer_ready.val();
                self.answers.next = self.write_ready.val() | !self.changes.val();
                self.finished.next = self.answer_ready.val() & self.answers.val();
            }
            Stage::WriteDevice => {
                self.write_register.next = self.answer_ready.val();
                self.answers.next = self.register_ready.val();
                self.finished.next = self.answer_ready.val() & self.register_ready.val();
                self.leaves.next = self.finished.val();
            }
        }
        // A pair that was refused has left before its lower word comes.
        self.lower_leaves.next = self.finished.val() | !self.busy.val();
        if self.finished.val() | self.rst.val() {
            self.stage.d.next = Stage::Idle;
        }
    }
}
