use super::{
    Arithmetic, ContextMemory, CoreStep, CurrentJob, Instruction, Transfer, JOB_PLACE, JOB_WORDS, LEVEL_WIDTH,
    LOOP_PLACE, LOOP_WIDTH, WORD_WIDTH,
};
use crate::dma::ports::{ArgumentIn, StartIn};
use portico_spec::ni::{instruction::REGISTER_WIDTH, CONTEXT_WIDTH};
use portico_verilog::prelude::*;

/// The operands of an instruction, and where its result goes.
///
/// Reads the context memory, step by step.
///
/// | | |
/// | --- | --- |
/// | latency | as [`CoreStep`] says: a word is in its register two cycles after the step that asks for it |
/// | throughput | one word a cycle |
/// | state | the memory, the words of the job that is current, registers a and b of the instruction |
#[derive(LogicBlock, Default)]
pub struct Operands {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no result waits.
    pub rst: Signal<In, Bit>,
    /// Words of descriptors and of requests, for the registers of their contexts.
    pub argument: ArgumentIn,
    /// Starts of contexts: the job is written word by word, and the start is taken with the last word.
    pub start: StartIn,
    /// The context may begin in this cycle.
    pub may_start: Signal<In, Bit>,
    /// A context begins in this cycle: its start is taken.
    pub started: Signal<Out, Bit>,
    /// The step of the sequencer, which says what word is read.
    pub step: Signal<In, CoreStep>,
    /// The context that runs, whose words are read and written.
    pub current: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The current instruction, decoded.
    pub instruction: Signal<In, Instruction>,
    /// Level of the loop to be read, 0 for the outermost.
    pub innermost: Signal<In, Bits<LEVEL_WIDTH>>,
    /// Word of that loop, a cycle after it was asked for: rounds left in the low 16 bits, its first place above.
    pub round: Signal<Out, Bits<LOOP_WIDTH>>,
    /// What the instructions need of the job of the context that runs; complete from step `ReadB` on.
    pub transfer: Signal<Out, Transfer>,
    /// The transfer of `current` ends.
    pub end_transfer: Signal<In, Bit>,
    /// The transfer of `current` has ended.
    pub has_ended: Signal<Out, Bit>,
    /// Register a of the instruction.
    pub a: Signal<Out, Bits<32>>,
    /// Operand b, as the mode of the instruction wants it.
    pub b: Signal<Out, Bits<32>>,
    /// Register a as payload, its halves swapped if the instruction wants that.
    pub literal: Signal<Out, Bits<32>>,
    /// The result of the instruction goes into register a.
    pub write: Signal<In, Bit>,
    /// `written` goes into loop `level` of `current`.
    pub write_loop: Signal<In, Bit>,
    /// Loop that takes `written`, 0 for the outermost.
    pub level: Signal<In, Bits<LEVEL_WIDTH>>,
    /// Word of the loop to be written: rounds left in the low 16 bits, the place of its first instruction above.
    pub written: Signal<In, Bits<LOOP_WIDTH>>,
    /// What was written is not in the memory yet.
    pub busy: Signal<Out, Bit>,
    memory: ContextMemory,
    job: CurrentJob,
    arithmetic: Arithmetic,
    register_a: DFF<Bits<32>>,
    register_b: DFF<Bits<32>>,
    /// The words of the job that come.
    coming: DFF<Bits<JOB_WORDS>>,
}

#[kernel]
impl Logic for Operands {
    fn update(&mut self) {
        wire!(self => memory: clk, rst);
        wire!(self => job: clk);
        dff_setup!(self, clk, register_a, register_b, coming);
        wire!(self <=> memory: argument, start);
        wire!(self => memory: may_start, current, write, write_loop, level);
        self.memory.round.next = self.written.val();
        wire!(memory => self: started, busy);
        self.round.next = self.memory.data.val().get_bits::<LOOP_WIDTH>(0);

        self.job.take.next = self.coming.q.val();
        self.job.word.next = self.memory.data.val();
        self.job.started.next = self.memory.started.val();
        self.job.start_context.next = self.start.context.val();
        wire!(self => job: current, end_transfer);
        wire!(job => self: transfer, has_ended);

        self.memory.place.next =
            bits::<WORD_WIDTH>(LOOP_PLACE) | bit_cast::<WORD_WIDTH, LEVEL_WIDTH>(self.innermost.val());
        self.coming.d.next = 0.into();
        match self.step.val() {
            CoreStep::Load0 => {
                self.memory.place.next = bits::<WORD_WIDTH>(JOB_PLACE);
                self.coming.d.next = bits::<JOB_WORDS>(0b0001);
            }
            CoreStep::Load1 => {
                self.memory.place.next = bits::<WORD_WIDTH>(JOB_PLACE as u64 + 1);
                self.coming.d.next = bits::<JOB_WORDS>(0b0010);
            }
            CoreStep::Load2 => {
                self.memory.place.next = bits::<WORD_WIDTH>(JOB_PLACE as u64 + 2);
                self.coming.d.next = bits::<JOB_WORDS>(0b0100);
            }
            CoreStep::Load3 => {
                self.memory.place.next = bits::<WORD_WIDTH>(JOB_PLACE as u64 + 3);
                self.coming.d.next = bits::<JOB_WORDS>(0b1000);
            }
            CoreStep::ReadA => {
                self.memory.place.next = bit_cast::<WORD_WIDTH, REGISTER_WIDTH>(self.instruction.val().a);
            }
            CoreStep::ReadB => {
                self.memory.place.next = bit_cast::<WORD_WIDTH, REGISTER_WIDTH>(self.instruction.val().b);
                self.register_a.d.next = self.memory.data.val();
            }
            CoreStep::Operands => {
                self.register_b.d.next = self.memory.data.val();
            }
            _ => {}
        }
        if self.write.val() {
            self.register_a.d.next = self.arithmetic.result.val();
        }

        self.arithmetic.instruction.next = self.instruction.val();
        self.arithmetic.a.next = self.register_a.q.val();
        self.arithmetic.b.next = self.register_b.q.val();
        self.a.next = self.register_a.q.val();
        self.b.next = self.arithmetic.operand.val();
        self.literal.next = self.arithmetic.literal.val();
        self.memory.target.next = self.instruction.val().a;
        self.memory.result.next = self.arithmetic.result.val();
    }
}
