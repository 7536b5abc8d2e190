use crate::prim::LutRam;
use portico_spec::ni::{
    instruction::{ENDS_WIDTH, LOOPS, PC_WIDTH},
    CONTEXT_WIDTH,
};
use portico_verilog::prelude::*;

const ROUNDS_WIDTH: usize = 16;
/// Wide enough for a depth and the loops that end, added.
const DEPTH_WIDTH: usize = 4;
/// A place, or one beyond the end of the program memory.
pub(super) const PLACE_WIDTH: usize = PC_WIDTH + 1;

/// Zero-overhead loops: where the program goes on.
///
/// The loops of every context.
///
/// | | |
/// | --- | --- |
/// | latency | combinational to the next place; the state follows with `commit` |
/// | throughput | one instruction a cycle, whatever loops it begins or ends |
/// | state | by context: a depth, and four levels of a first place and a count of rounds, in LUT-RAM |
///
/// Loops that end with one instruction are looked at from the inside out: the first with rounds left repeats, those without
/// are left. The search goes from the outermost level inwards, the last hit wins.
#[derive(LogicBlock, Default)]
pub struct Loops {
    pub clk: Signal<In, Clock>,
    pub current: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// A context begins, with no loops. Never together with `commit`.
    pub started: Signal<In, Bit>,
    pub start_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The place of the instruction.
    pub pc: Signal<In, Bits<PLACE_WIDTH>>,
    /// The instruction begins a loop of `rounds` rounds, 0 for 65,536.
    pub enter: Signal<In, Bit>,
    pub rounds: Signal<In, Bits<ROUNDS_WIDTH>>,
    /// Loops that end with the instruction.
    pub ends: Signal<In, Bits<ENDS_WIDTH>>,
    /// The instruction is over.
    pub commit: Signal<In, Bit>,
    /// Where the program goes on.
    pub after: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Too deep, or more ends than loops.
    pub bad: Signal<Out, Bit>,
    depths: LutRam<DEPTH_WIDTH, CONTEXT_WIDTH>,
    firsts: [LutRam<PC_WIDTH, CONTEXT_WIDTH>; LOOPS],
    counts: [LutRam<ROUNDS_WIDTH, CONTEXT_WIDTH>; LOOPS],
    depth: Signal<Local, Bits<DEPTH_WIDTH>>,
    new_depth: Signal<Local, Bits<DEPTH_WIDTH>>,
    ending: Signal<Local, Bits<DEPTH_WIDTH>>,
    following: Signal<Local, Bits<PLACE_WIDTH>>,
    repeats: Signal<Local, Bits<LOOPS>>,
    first: Signal<Local, Bits<PC_WIDTH>>,
}

#[kernel]
impl Logic for Loops {
    fn update(&mut self) {
        wire!(self => depths: clk);
        self.depths.read_address.next = self.current.val();
        self.depth.next = self.depths.read_data.val();
        self.ending.next = bit_cast::<DEPTH_WIDTH, ENDS_WIDTH>(self.ends.val());
        self.following.next = self.pc.val() + 1;

        self.first.next = 0.into();
        self.new_depth.next = self.depth.val() - self.ending.val();
        self.bad.next = self.ending.val() > self.depth.val();
        self.repeats.next = 0.into();
        for i in 0..LOOPS {
            self.firsts[i].clk.next = self.clk.val();
            self.firsts[i].read_address.next = self.current.val();
            self.firsts[i].write_address.next = self.current.val();
            self.firsts[i].write_data.next = bit_cast::<PC_WIDTH, PLACE_WIDTH>(self.following.val());
            self.firsts[i].write_enable.next =
                self.commit.val() & self.enter.val() & (self.depth.val() == bits::<DEPTH_WIDTH>(i));
            self.counts[i].clk.next = self.clk.val();
            self.counts[i].read_address.next = self.current.val();
            if (bits::<DEPTH_WIDTH>(i) < self.depth.val())
                & (bits::<DEPTH_WIDTH>(i) + self.ending.val() >= self.depth.val())
                & self.counts[i].read_data.val().any()
                & !self.enter.val()
            {
                self.first.next = self.firsts[i].read_data.val();
                self.new_depth.next = bits::<DEPTH_WIDTH>(i) + 1;
                self.repeats.next = bits::<LOOPS>(1) << bits::<DEPTH_WIDTH>(i);
            }
        }
        self.after.next = self.following.val();
        if self.repeats.val().any() {
            self.after.next = bit_cast::<PLACE_WIDTH, PC_WIDTH>(self.first.val());
        }
        if self.enter.val() {
            self.new_depth.next = self.depth.val() + 1;
            self.bad.next = (self.depth.val() == bits::<DEPTH_WIDTH>(LOOPS)) | self.ends.val().any();
        }
        for i in 0..LOOPS {
            self.counts[i].write_address.next = self.current.val();
            self.counts[i].write_data.next = self.counts[i].read_data.val() - 1;
            self.counts[i].write_enable.next = self.commit.val() & self.repeats.val().get_bit(i);
            if self.enter.val() {
                self.counts[i].write_data.next = self.rounds.val() - 1;
                self.counts[i].write_enable.next = self.commit.val() & (self.depth.val() == bits::<DEPTH_WIDTH>(i));
            }
        }

        self.depths.write_enable.next = self.commit.val();
        self.depths.write_address.next = self.current.val();
        self.depths.write_data.next = self.new_depth.val();
        if self.started.val() {
            self.depths.write_enable.next = true;
            self.depths.write_address.next = self.start_context.val();
            self.depths.write_data.next = 0.into();
        }
    }
}
