use super::JobEncoder;
use crate::{
    dma::ports::{ArgumentIn, StartIn},
    prim::Ram,
};
use portico_spec::ni::{
    instruction::{LOOPS, PC_WIDTH, REGISTERS, REGISTER_WIDTH},
    CONTEXT_WIDTH,
};
use portico_verilog::prelude::*;

/// Bits of a place: registers, the job, loops.
pub const WORD_WIDTH: usize = REGISTER_WIDTH + 1;
/// Where the words of the job begin, and those of the loops from the outermost on.
pub const JOB_PLACE: usize = REGISTERS;
pub const LOOP_PLACE: usize = JOB_PLACE + super::JOB_WORDS;
/// Rounds of a loop, and where it begins.
pub const ROUNDS_WIDTH: usize = 16;
pub const LOOP_WIDTH: usize = ROUNDS_WIDTH + PC_WIDTH;
pub const LEVEL_WIDTH: usize = LOOPS.ilog2() as usize;

const ADDRESS_WIDTH: usize = CONTEXT_WIDTH + WORD_WIDTH;

/// Registers, jobs and loops of all contexts.
///
/// One memory: words come in from the dispatcher and from the instruction that is over, and go out to the one that begins.
///
/// | | |
/// | --- | --- |
/// | latency | read: 1 cycle, to be taken into a register; write: an argument a cycle late, others as soon as none comes |
/// | throughput | one read and one write a cycle |
/// | state | 32 words of 32 bits for each of 16 contexts in block RAM, an argument, two words that wait; undefined until written |
///
/// A start takes a cycle for each word of its job.
#[derive(LogicBlock, Default)]
pub struct ContextMemory {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no word waits.
    pub rst: Signal<In, Bit>,
    /// Always taken.
    pub argument: ArgumentIn,
    /// Starts of contexts: the job is written word by word, and the start is taken with the last word.
    pub start: StartIn,
    /// The context may begin in this cycle.
    pub may_start: Signal<In, Bit>,
    /// It does.
    pub started: Signal<Out, Bit>,
    /// The context that runs, whose words are read and written.
    pub current: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Word of `current` to read, a register, a word of the job or a loop; `data` has it in the next cycle.
    pub place: Signal<In, Bits<WORD_WIDTH>>,
    /// What was read in the cycle before.
    pub data: Signal<Out, Bits<32>>,
    /// `result` goes into register `target` of `current`; only while no result waits.
    pub write: Signal<In, Bit>,
    /// Number of the register that takes `result`.
    pub target: Signal<In, Bits<REGISTER_WIDTH>>,
    /// Result of the instruction, for register `target`.
    pub result: Signal<In, Bits<32>>,
    /// `round` goes into loop `level` of `current`; only while no loop waits.
    pub write_loop: Signal<In, Bit>,
    /// Loop that takes `round`, 0 for the outermost.
    pub level: Signal<In, Bits<LEVEL_WIDTH>>,
    /// Word of the loop: rounds left in the low 16 bits, the place of its first instruction above.
    pub round: Signal<In, Bits<LOOP_WIDTH>>,
    /// A result or a loop waits to be written.
    pub busy: Signal<Out, Bit>,
    words: Ram<Bits<32>, ADDRESS_WIDTH>,
    encoder: JobEncoder,
    argued: DFF<Bit>,
    argued_context: DFF<Bits<CONTEXT_WIDTH>>,
    argued_register: DFF<Bits<REGISTER_WIDTH>>,
    argued_word: DFF<Bits<32>>,
    stored: DFF<Bits<2>>,
    writer: DFF<Bits<CONTEXT_WIDTH>>,
    result_waits: DFF<Bit>,
    result_place: DFF<Bits<WORD_WIDTH>>,
    result_word: DFF<Bits<32>>,
    loop_waits: DFF<Bit>,
    loop_place: DFF<Bits<WORD_WIDTH>>,
    loop_word: DFF<Bits<LOOP_WIDTH>>,
    storing: Signal<Local, Bit>,
    owner: Signal<Local, Bits<CONTEXT_WIDTH>>,
    written: Signal<Local, Bits<WORD_WIDTH>>,
}

#[kernel]
impl Logic for ContextMemory {
    fn update(&mut self) {
        wire!(self => words: clk);
        dff_setup!(self, clk, argued, argued_context, argued_register, argued_word);
        dff_setup!(self, clk, stored, writer);
        dff_setup!(self, clk, result_waits, result_place, result_word, loop_waits);
        dff_setup!(self, clk, loop_place, loop_word);
        self.words.read_enable.next = true;
        self.words.read_address.next = field::<ADDRESS_WIDTH, CONTEXT_WIDTH>(self.current.val(), WORD_WIDTH)
            | bit_cast::<ADDRESS_WIDTH, WORD_WIDTH>(self.place.val());
        self.data.next = self.words.read_data.val();

        self.argued.d.next = self.argument.enable.val();
        self.argued_context.d.next = self.argument.context.val();
        self.argued_register.d.next = self.argument.register.val();
        self.argued_word.d.next = self.argument.data.val();

        // In this order: arguments, results, loops, jobs.
        self.encoder.job.next = self.start.job.val();
        self.encoder.number.next = self.stored.q.val();
        self.storing.next = false;
        self.owner.next = self.argued_context.q.val();
        self.written.next = bit_cast::<WORD_WIDTH, REGISTER_WIDTH>(self.argued_register.q.val());
        self.words.write_data.next = self.argued_word.q.val();
        self.words.write_enable.next = true;
        if !self.argued.q.val() {
            if self.result_waits.q.val() {
                self.owner.next = self.writer.q.val();
                self.written.next = self.result_place.q.val();
                self.words.write_data.next = self.result_word.q.val();
                self.result_waits.d.next = false;
            } else if self.loop_waits.q.val() {
                self.owner.next = self.writer.q.val();
                self.written.next = self.loop_place.q.val();
                self.words.write_data.next = bit_cast::<32, LOOP_WIDTH>(self.loop_word.q.val());
                self.loop_waits.d.next = false;
            } else {
                self.owner.next = self.start.context.val();
                self.written.next = bits::<WORD_WIDTH>(JOB_PLACE) | bit_cast::<WORD_WIDTH, 2>(self.stored.q.val());
                self.words.write_data.next = self.encoder.word.val();
                // What has begun to start stays until it has.
                self.storing.next = (self.start.valid.val() & !self.stored.q.val().all())
                    | (self.stored.q.val().all() & self.may_start.val());
                self.words.write_enable.next = self.storing.val();
            }
        }
        self.words.write_address.next = field::<ADDRESS_WIDTH, CONTEXT_WIDTH>(self.owner.val(), WORD_WIDTH)
            | bit_cast::<ADDRESS_WIDTH, WORD_WIDTH>(self.written.val());
        self.started.next = self.storing.val() & self.stored.q.val().all();
        self.start.ready.next = self.storing.val() & self.stored.q.val().all();
        if self.storing.val() {
            self.stored.d.next = self.stored.q.val() + 1;
        }

        self.busy.next = self.result_waits.q.val() | self.loop_waits.q.val();
        if self.write.val() | self.write_loop.val() {
            self.writer.d.next = self.current.val();
        }
        if self.write.val() {
            self.result_waits.d.next = true;
            self.result_place.d.next = bit_cast::<WORD_WIDTH, REGISTER_WIDTH>(self.target.val());
            self.result_word.d.next = self.result.val();
        }
        if self.write_loop.val() {
            self.loop_waits.d.next = true;
            self.loop_place.d.next =
                bits::<WORD_WIDTH>(LOOP_PLACE) | bit_cast::<WORD_WIDTH, LEVEL_WIDTH>(self.level.val());
            self.loop_word.d.next = self.round.val();
        }
        if self.rst.val() {
            self.argued.d.next = false;
            self.stored.d.next = 0.into();
            self.result_waits.d.next = false;
            self.loop_waits.d.next = false;
        }
    }
}

// Places are put together without carries.
const _: () =
    assert!(JOB_PLACE.is_multiple_of(4) && LOOP_PLACE.is_multiple_of(LOOPS) && LOOP_PLACE + LOOPS <= 1 << WORD_WIDTH);
