use super::{LEVEL_WIDTH, LOOP_WIDTH, ROUNDS_WIDTH};
use crate::prim::LutRam;
use portico_spec::ni::{
    instruction::{ENDS_WIDTH, LOOPS, PC_WIDTH},
    CONTEXT_WIDTH,
};
use portico_verilog::prelude::*;

/// A depth: 0 to 4, and what is taken off or put on.
const DEPTH_WIDTH: usize = LEVEL_WIDTH + 1;
/// A place, or one beyond the end of the program memory.
pub(super) const PLACE_WIDTH: usize = PC_WIDTH + 1;

/// Loops: where the program goes on.
///
/// The loops of every context, whose rounds are in the context memory.
///
/// | | |
/// | --- | --- |
/// | latency | a loop that ends with an instruction is looked at in one cycle, one around it in three more |
/// | throughput | one loop at a time |
/// | state | a depth by context in LUT-RAM; a loop, and how many end |
///
/// Loops that end with one instruction are looked at from the inside out: the first with rounds left repeats, those without
/// are left.
#[derive(LogicBlock, Default)]
pub struct Loops {
    pub clk: Signal<In, Clock>,
    /// The context that runs.
    pub current: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// A context begins, with no loops. Never together with `commit` or `unwind`.
    pub started: Signal<In, Bit>,
    /// The context that begins, valid with `started`.
    pub start_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The place of the instruction.
    pub pc: Signal<In, Bits<PLACE_WIDTH>>,
    /// The instruction begins a loop of `rounds` rounds.
    pub enter: Signal<In, Bit>,
    /// Rounds of the loop that the instruction begins, 0 for 65,536.
    pub rounds: Signal<In, Bits<ROUNDS_WIDTH>>,
    /// Loops that end with the instruction.
    pub ends: Signal<In, Bits<ENDS_WIDTH>>,
    /// The instruction is over.
    pub commit: Signal<In, Bit>,
    /// The innermost loop is asked for; `word` is there in the next cycle.
    pub asks: Signal<In, Bit>,
    /// Level of the innermost loop of `current`, 0 for the outermost of all.
    pub innermost: Signal<Out, Bits<LEVEL_WIDTH>>,
    /// Word of that loop, in the cycle after `asks`: rounds left in the low 16 bits, its first place above.
    pub word: Signal<In, Bits<LOOP_WIDTH>>,
    /// The loop that was asked for is looked at.
    pub unwind: Signal<In, Bit>,
    /// With `unwind`: the loop has rounds left, and begins anew.
    pub repeats: Signal<Out, Bit>,
    /// With `unwind`: the loop is this instruction alone.
    pub alone: Signal<Out, Bit>,
    /// With `unwind`: more loops end with the instruction.
    pub more: Signal<Out, Bit>,
    /// The program goes on at `after`.
    pub advance: Signal<Out, Bit>,
    /// Place of the next instruction, valid with `advance`.
    pub after: Signal<Out, Bits<PLACE_WIDTH>>,
    /// A loop to be written.
    pub write: Signal<Out, Bit>,
    /// Level of the loop to be written, 0 for the outermost.
    pub level: Signal<Out, Bits<LEVEL_WIDTH>>,
    /// Word of the loop to be written: rounds left in the low 16 bits, the place of its first instruction above.
    pub round: Signal<Out, Bits<LOOP_WIDTH>>,
    /// Too deep, more ends than loops, or an end in the instruction that begins a loop.
    pub bad: Signal<Out, Bit>,
    depths: LutRam<Bits<DEPTH_WIDTH>, CONTEXT_WIDTH>,
    comes: DFF<Bit>,
    rounds_left: DFF<Bits<ROUNDS_WIDTH>>,
    first: DFF<Bits<PC_WIDTH>>,
    ending: DFF<Bits<ENDS_WIDTH>>,
    depth: Signal<Local, Bits<DEPTH_WIDTH>>,
    inner: Signal<Local, Bits<DEPTH_WIDTH>>,
    following: Signal<Local, Bits<PLACE_WIDTH>>,
    fewer: Signal<Local, Bits<ROUNDS_WIDTH>>,
    repeating: Signal<Local, Bit>,
    several: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Loops {
    fn update(&mut self) {
        wire!(self => depths: clk);
        dff_setup!(self, clk, comes, rounds_left, first, ending);
        self.depths.read_address.next = self.current.val();
        self.depth.next = self.depths.read_data.val();
        self.inner.next = self.depth.val() - 1;
        self.innermost.next = self.inner.val().get_bits::<LEVEL_WIDTH>(0);
        self.following.next = self.pc.val() + 1;
        self.bad.next = self.ends.val() > self.depth.val();
        if self.enter.val() {
            self.bad.next = self.depth.val().get_bit(LEVEL_WIDTH) | self.ends.val().any();
        }

        self.comes.d.next = self.asks.val();
        if self.comes.q.val() {
            self.rounds_left.d.next = self.word.val().get_bits::<ROUNDS_WIDTH>(0);
            self.first.d.next = self.word.val().get_bits::<PC_WIDTH>(ROUNDS_WIDTH);
        }
        self.fewer.next = self.rounds_left.q.val() - 1;
        self.repeating.next = self.unwind.val() & self.rounds_left.q.val().any();
        self.repeats.next = self.repeating.val();
        self.alone.next = bit_cast::<PLACE_WIDTH, PC_WIDTH>(self.first.q.val()) == self.pc.val();
        self.several.next = self.ending.q.val() != 1;
        self.more.next = self.several.val();
        if self.commit.val() {
            self.ending.d.next = self.ends.val();
        }

        self.advance.next = (self.commit.val() & !self.ends.val().any())
            | (self.unwind.val() & (self.repeating.val() | !self.several.val()));
        self.after.next = self.following.val();
        self.write.next = (self.commit.val() & self.enter.val()) | self.repeating.val();
        self.level.next = self.depth.val().get_bits::<LEVEL_WIDTH>(0);
        self.round.next = bit_cast::<LOOP_WIDTH, ROUNDS_WIDTH>(self.rounds.val() - 1)
            | field::<LOOP_WIDTH, PLACE_WIDTH>(self.following.val(), ROUNDS_WIDTH);
        self.depths.write_enable.next = self.started.val() | (self.commit.val() & self.enter.val());
        self.depths.write_address.next = self.current.val();
        self.depths.write_data.next = self.depth.val() + 1;
        if self.unwind.val() {
            self.level.next = self.inner.val().get_bits::<LEVEL_WIDTH>(0);
            self.round.next = bit_cast::<LOOP_WIDTH, ROUNDS_WIDTH>(self.fewer.val())
                | field::<LOOP_WIDTH, PC_WIDTH>(self.first.q.val(), ROUNDS_WIDTH);
            if self.repeating.val() {
                self.after.next = bit_cast::<PLACE_WIDTH, PC_WIDTH>(self.first.q.val());
                self.rounds_left.d.next = self.fewer.val();
            } else {
                self.depths.write_enable.next = true;
                self.depths.write_data.next = self.inner.val();
                self.ending.d.next = self.ending.q.val() - 1;
            }
        }
        if self.started.val() {
            self.depths.write_address.next = self.start_context.val();
            self.depths.write_data.next = 0.into();
        }
    }
}

// A depth of all loops is the only one with the bit above the levels, and `ends` can be compared with it.
const _: () = assert!(LOOPS == 1 << LEVEL_WIDTH && ENDS_WIDTH == DEPTH_WIDTH);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, settle};

    #[test]
    fn a_count_of_zero_is_65536_rounds() {
        let mut dut = Loops::default();
        dut.connect_all();
        dut.started.next = true;
        clock_edge!(dut);
        dut.started.next = false;
        (dut.enter.next, dut.commit.next) = (true, true);
        dut.pc.next = 70u64.into();
        settle(&mut dut);
        assert!(dut.write.val() && dut.advance.val() && !dut.bad.val());
        // One of them has begun.
        assert_eq!(dut.round.val(), 71 << ROUNDS_WIDTH | 65_535u64);
        let round = dut.round.val();
        clock_edge!(dut);
        (dut.enter.next, dut.commit.next) = (false, false);
        dut.ends.next = 1u64.into();
        dut.asks.next = true;
        clock_edge!(dut);
        dut.asks.next = false;
        dut.word.next = round;
        dut.commit.next = true;
        clock_edge!(dut);
        dut.commit.next = false;
        dut.unwind.next = true;
        for left in (0..65_535u64).rev() {
            settle(&mut dut);
            assert!(dut.repeats.val() && dut.after.val() == 71u64);
            assert_eq!(dut.round.val(), 71 << ROUNDS_WIDTH | left);
            clock_edge!(dut);
        }
        settle(&mut dut);
        assert!(!dut.repeats.val() && !dut.more.val() && dut.advance.val());
        assert_eq!(dut.after.val(), 71u64);
    }
}
