use super::{loops::PLACE_WIDTH, ProgramMemory, PLACES};
use crate::{bus::RegisterWriteIn, prim::LutRam};
use portico_spec::ni::{instruction::PC_WIDTH, CONTEXT_WIDTH};
use portico_verilog::prelude::*;

/// Fetches the instructions of the context that runs.
///
/// The front of the sequencer.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from a context picked, or an instruction over, to the next instruction |
/// | state | the context, its instruction, and a place by context in LUT-RAM |
#[derive(LogicBlock, Default)]
pub struct Fetch {
    pub clk: Signal<In, Clock>,
    /// Writes of registers; those to the block PROGRAM write the user's instructions.
    pub register_write: RegisterWriteIn,
    /// A context begins at the place `start_pc`. Never together with `advance`.
    pub started: Signal<In, Bit>,
    /// The context that begins, valid with `started`.
    pub start_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Place of the first instruction of the context that begins.
    pub start_pc: Signal<In, Bits<PC_WIDTH>>,
    /// `pick` runs from the next cycle on.
    pub change: Signal<In, Bit>,
    /// The next context to run, taken with `change`.
    pub pick: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The instruction is over, and the program goes on at `after`.
    pub advance: Signal<In, Bit>,
    /// Place of the next instruction, taken with `advance`; it may be one beyond the program memory.
    pub after: Signal<In, Bits<PLACE_WIDTH>>,
    /// The instruction at `pc`, which was asked for in the cycle before, is taken into `word`.
    pub take: Signal<In, Bit>,
    /// The context that runs.
    pub current: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// Place of the instruction of `current`; its highest bit says that it is beyond the program memory.
    pub pc: Signal<Out, Bits<PLACE_WIDTH>>,
    /// The instruction, from the cycle after `take` on.
    pub word: Signal<Out, Bits<32>>,
    memory: ProgramMemory,
    places: LutRam<Bits<PLACE_WIDTH>, CONTEXT_WIDTH>,
    running: DFF<Bits<CONTEXT_WIDTH>>,
    instruction: DFF<Bits<32>>,
}

impl Fetch {
    /// With the built-in programs, and room for `programs` of the user's.
    pub fn new(programs: bool, firmware: &[u32]) -> Self {
        Self {
            memory: ProgramMemory::new(programs, firmware),
            places: LutRam::new(PLACES),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Fetch {
    fn update(&mut self) {
        wire!(self => places, memory: clk);
        dff_setup!(self, clk, running, instruction);
        if self.change.val() {
            self.running.d.next = self.pick.val();
        }
        self.current.next = self.running.q.val();

        self.places.write_enable.next = self.advance.val();
        self.places.write_address.next = self.running.q.val();
        self.places.write_data.next = self.after.val();
        if self.started.val() {
            self.places.write_enable.next = true;
            self.places.write_address.next = self.start_context.val();
            self.places.write_data.next = bit_cast::<PLACE_WIDTH, PC_WIDTH>(self.start_pc.val());
        }
        self.places.read_address.next = self.running.q.val();
        self.pc.next = self.places.read_data.val();

        wire!(self <=> memory: register_write);
        self.memory.address.next = bit_cast::<PC_WIDTH, PLACE_WIDTH>(self.places.read_data.val());
        if self.take.val() {
            self.instruction.d.next = self.memory.word.val();
        }
        self.word.next = self.instruction.q.val();
    }
}
