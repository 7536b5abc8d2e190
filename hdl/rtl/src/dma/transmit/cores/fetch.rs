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
/// | latency | 1 cycle from a context picked, or an instruction over, to the next instruction |
/// | throughput | one instruction a cycle |
/// | state | the context, its place, and a place by context in LUT-RAM |
#[derive(LogicBlock, Default)]
pub struct Fetch {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no context runs.
    pub rst: Signal<In, Bit>,
    pub register_write: RegisterWriteIn,
    /// A context begins at a place. Never together with `advance`.
    pub started: Signal<In, Bit>,
    pub start_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    pub start_pc: Signal<In, Bits<PC_WIDTH>>,
    /// Somebody may run, and who is to: taken while no context runs.
    pub somebody: Signal<In, Bit>,
    pub pick: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The instruction is over, and the program goes on at `after`.
    pub advance: Signal<In, Bit>,
    pub after: Signal<In, Bits<PLACE_WIDTH>>,
    /// The context leaves, or stops.
    pub leave: Signal<In, Bit>,
    /// A context runs, and `word` is its instruction.
    pub live: Signal<Out, Bit>,
    pub current: Signal<Out, Bits<CONTEXT_WIDTH>>,
    pub pc: Signal<Out, Bits<PLACE_WIDTH>>,
    pub word: Signal<Out, Bits<32>>,
    memory: ProgramMemory,
    places: LutRam<PLACE_WIDTH, CONTEXT_WIDTH>,
    runs: DFF<Bit>,
    running: DFF<Bits<CONTEXT_WIDTH>>,
    place: DFF<Bits<PLACE_WIDTH>>,
    fetched: Signal<Local, Bits<PLACE_WIDTH>>,
}

impl Fetch {
    /// With the built-in programs.
    pub fn new(firmware: &[u32]) -> Self {
        Self {
            memory: ProgramMemory::new(firmware),
            places: LutRam::new(PLACES),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Fetch {
    fn update(&mut self) {
        wire!(self => places, memory: clk);
        dff_setup!(self, clk, runs, running, place);
        self.live.next = self.runs.q.val();
        self.current.next = self.running.q.val();
        self.pc.next = self.place.q.val();

        self.places.read_address.next = self.pick.val();
        self.places.write_enable.next = self.advance.val();
        self.places.write_address.next = self.running.q.val();
        self.places.write_data.next = self.after.val();
        if self.started.val() {
            self.places.write_enable.next = true;
            self.places.write_address.next = self.start_context.val();
            self.places.write_data.next = bit_cast::<PLACE_WIDTH, PC_WIDTH>(self.start_pc.val());
        }

        self.fetched.next = self.place.q.val();
        if self.runs.q.val() {
            if self.advance.val() {
                self.fetched.next = self.after.val();
            }
            self.runs.d.next = !self.leave.val();
        } else if self.somebody.val() {
            self.fetched.next = self.places.read_data.val();
            self.running.d.next = self.pick.val();
            self.runs.d.next = true;
        }
        self.place.d.next = self.fetched.val();

        RegisterWriteIn::link(&mut self.register_write, &mut self.memory.register_write);
        self.memory.address.next = bit_cast::<PC_WIDTH, PLACE_WIDTH>(self.fetched.val());
        self.word.next = self.memory.word.val();
        if self.rst.val() {
            self.runs.d.next = false;
        }
    }
}
