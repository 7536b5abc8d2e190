use super::ports::{BeatsOut, WORD};
use crate::prim::StreamIn;
use portico_spec::portals::list::MAX_COMMAND_BEATS;
use portico_spec::portals::list::POINTER_WIDTH;
use portico_verilog::prelude::*;

/// Width of a number of beats, in bits.
pub(crate) const BEATS_WIDTH: usize = 3;

/// Takes a command off its stream.
///
/// Holds one command.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from the last beat taken to `valid` |
/// | throughput | one beat a cycle; one command at a time |
/// | timing | `s_axis_tready` comes from flip-flops and `allow` |
/// | state | the fields of a command, and which word comes next |
///
/// The reader takes and drops beats beyond the longest command: such a command is too long in any case.
#[derive(LogicBlock, Default)]
pub struct CommandReader {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: drops the beats taken.
    pub rst: Signal<In, Bit>,
    /// Commands, a packet each.
    pub s_axis: StreamIn<WORD>,
    /// Beats may be taken.
    pub allow: Signal<In, Bit>,
    /// There is a whole command; it stays until `done`.
    pub valid: Signal<Out, Bit>,
    /// The command is over, and the next one may be taken from the next cycle on.
    pub done: Signal<In, Bit>,
    /// Beats of the command, while `valid` is high.
    pub beats: BeatsOut,
    /// How many, one more than a command may have if there are too many.
    pub length: Signal<Out, Bits<BEATS_WIDTH>>,
    count: DFF<Bits<BEATS_WIDTH>>,
    whole: DFF<Bit>,
    beat_0: DFF<Bits<WORD>>,
    beat_1: DFF<Bits<WORD>>,
    beat_2: DFF<Bits<WORD>>,
    beat_3: DFF<Bits<WORD>>,
    beat_4: DFF<Bits<POINTER_WIDTH>>,
    taken: Signal<Local, Bit>,
}

#[kernel]
impl Logic for CommandReader {
    fn update(&mut self) {
        dff_setup!(self, clk, count, whole, beat_0, beat_1, beat_2, beat_3, beat_4);
        self.s_axis.tready.next = self.allow.val() & !self.whole.q.val();
        self.taken.next = self.s_axis.tvalid.val() & self.allow.val() & !self.whole.q.val();
        self.valid.next = self.whole.q.val();
        self.length.next = self.count.q.val();
        self.beats.first.next = self.beat_0.q.val();
        self.beats.match_bits.next = self.beat_1.q.val();
        self.beats.extent.next = self.beat_2.q.val();
        self.beats.ignore_bits.next = self.beat_3.q.val();
        self.beats.pointer.next = self.beat_4.q.val();
        if self.taken.val() {
            self.whole.d.next = self.s_axis.tlast.val();
            if self.count.q.val() != bits::<BEATS_WIDTH>(MAX_COMMAND_BEATS as u64 + 1) {
                self.count.d.next = self.count.q.val() + 1;
            }
            if self.count.q.val() == bits::<BEATS_WIDTH>(0) {
                self.beat_0.d.next = self.s_axis.tdata.val();
            }
            if self.count.q.val() == bits::<BEATS_WIDTH>(1) {
                self.beat_1.d.next = self.s_axis.tdata.val();
            }
            if self.count.q.val() == bits::<BEATS_WIDTH>(2) {
                self.beat_2.d.next = self.s_axis.tdata.val();
            }
            if self.count.q.val() == bits::<BEATS_WIDTH>(3) {
                self.beat_3.d.next = self.s_axis.tdata.val();
            }
            if self.count.q.val() == bits::<BEATS_WIDTH>(4) {
                self.beat_4.d.next = self.s_axis.tdata.val().get_bits::<POINTER_WIDTH>(0);
            }
        }
        if self.done.val() {
            self.whole.d.next = false;
            self.count.d.next = 0.into();
        }
        if self.rst.val() {
            self.whole.d.next = false;
            self.count.d.next = 0.into();
        }
    }
}
