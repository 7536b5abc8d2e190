use super::call_check::WORD_WIDTH;
use crate::prim::LutRam;
use portico_spec::{
    mpe::{
        call::{
            ARMED, ARMED_WIDTH, CONTEXTS, CONTEXT_WIDTH, KIND_WIDTH, LENGTH_WIDTH, NUMBER_WIDTH, PLACE_WIDTH, WAITING,
        },
        reduce::OPERATION_WIDTH,
    },
    ni::event::EVENT_WIDTH,
};
use portico_verilog::prelude::*;

/// Width of a number of calls that wait.
pub const WAITING_WIDTH: usize = WAITING.ilog2() as usize + 1;
/// Width of the place of a call among those that wait.
const TAIL_WIDTH: usize = WAITING_WIDTH - 1;
/// Width of the place of a call among all that are kept: those that wait, and above them those that are armed.
const ENTRY_WIDTH: usize = TAIL_WIDTH + 1;
/// Width of the place of a call among those of all contexts.
const KEPT_WIDTH: usize = CONTEXT_WIDTH + ENTRY_WIDTH;

/// A call as its descriptor posts it, and as it is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Posted {
    pub kind: Bits<KIND_WIDTH>,
    pub event: Bits<EVENT_WIDTH>,
    /// No event on success.
    pub quiet: Bit,
    /// Number of the call; without meaning while it is armed.
    pub number: Bits<NUMBER_WIDTH>,
    /// Place of the neighbour on the way to the root.
    pub towards: Bits<PLACE_WIDTH>,
    /// This tile is the root.
    pub root: Bit,
    pub operation: Bits<OPERATION_WIDTH>,
    /// In words.
    pub length: Bits<LENGTH_WIDTH>,
    /// Address of the source, in words.
    pub source: Bits<WORD_WIDTH>,
    /// Address of the result, in words.
    pub result: Bits<WORD_WIDTH>,
}

/// Keeps the calls of each context that wait for the one that runs, and those that are armed.
///
/// Of up to 4 contexts.
///
/// | | |
/// | --- | --- |
/// | latency | a call is readable in the cycle after it is kept |
/// | throughput | a call kept or read a cycle |
/// | state | by context 4 calls that wait and 2 that are armed in LUT-RAM, and how many wait |
#[derive(LogicBlock, Default)]
pub struct KeptCalls {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no call waits.
    pub rst: Signal<In, Bit>,
    /// Context of the call that is kept or read.
    pub owner: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// That call is an armed one.
    pub is_armed: Signal<In, Bit>,
    /// How many calls of the context are armed.
    pub armed: Signal<In, Bits<ARMED_WIDTH>>,
    /// How many of them have begun in the launch that is under way.
    pub begun: Signal<In, Bits<ARMED_WIDTH>>,
    /// High for a cycle: `call` is kept.
    pub keep: Signal<In, Bit>,
    /// The call to keep.
    pub call: Signal<In, Posted>,
    /// The next call of the context: the armed one that begins next, or the one that has waited longest.
    pub fetched: Signal<Out, Posted>,
    /// High for a cycle: the call that has waited longest is read for the last time.
    pub leave: Signal<In, Bit>,
    /// No more calls of the context can be kept.
    pub is_full: Signal<Out, Bit>,
    /// One bit a context: calls wait.
    pub waits: Signal<Out, Bits<CONTEXTS>>,
    /// Context of a register read.
    pub asked: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Calls that wait in this context.
    pub asked_waiting: Signal<Out, Bits<WAITING_WIDTH>>,
    calls: LutRam<Posted, KEPT_WIDTH>,
    waiting: [DFF<Bits<WAITING_WIDTH>>; CONTEXTS],
    tail: [DFF<Bits<TAIL_WIDTH>>; CONTEXTS],
    own_waiting: Signal<Local, Bits<WAITING_WIDTH>>,
    own_tail: Signal<Local, Bits<TAIL_WIDTH>>,
    shift: Signal<Local, Bits<KEPT_WIDTH>>,
    write_entry: Signal<Local, Bits<KEPT_WIDTH>>,
    read_entry: Signal<Local, Bits<KEPT_WIDTH>>,
}

impl KeptCalls {
    /// For `contexts` contexts.
    pub fn new(contexts: usize) -> Self {
        Self {
            calls: LutRam::new(contexts << ENTRY_WIDTH),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for KeptCalls {
    fn update(&mut self) {
        wire!(self => calls: clk);
        self.own_waiting.next = 0.into();
        self.own_tail.next = 0.into();
        self.asked_waiting.next = 0.into();
        self.waits.next = 0.into();
        for i in 0..CONTEXTS {
            if self.owner.val() == bits::<CONTEXT_WIDTH>(i) {
                self.own_waiting.next = self.waiting[i].q.val();
                self.own_tail.next = self.tail[i].q.val();
            }
            if self.asked.val() == bits::<CONTEXT_WIDTH>(i) {
                self.asked_waiting.next = self.waiting[i].q.val();
            }
            self.waits.next = self.waits.val().replace_bit(i, self.waiting[i].q.val().any());
        }
        self.write_entry.next = bit_cast::<KEPT_WIDTH, TAIL_WIDTH>(self.own_tail.val());
        self.read_entry.next =
            bit_cast::<KEPT_WIDTH, TAIL_WIDTH>(self.own_tail.val() - self.own_waiting.val().get_bits::<TAIL_WIDTH>(0));
        self.is_full.next = self.own_waiting.val() == bits::<WAITING_WIDTH>(WAITING as u64);
        if self.is_armed.val() {
            self.write_entry.next = bit_cast::<KEPT_WIDTH, ARMED_WIDTH>(self.armed.val()).replace_bit(TAIL_WIDTH, true);
            self.read_entry.next = bit_cast::<KEPT_WIDTH, ARMED_WIDTH>(self.begun.val()).replace_bit(TAIL_WIDTH, true);
            self.is_full.next = self.armed.val() == bits::<ARMED_WIDTH>(ARMED as u64);
        }
        self.shift.next = field::<KEPT_WIDTH, CONTEXT_WIDTH>(self.owner.val(), ENTRY_WIDTH);
        self.calls.write_address.next = self.shift.val() | self.write_entry.val();
        self.calls.read_address.next = self.shift.val() | self.read_entry.val();
        self.calls.write_enable.next = self.keep.val();
        self.calls.write_data.next = self.call.val();
        self.fetched.next = self.calls.read_data.val();

        for i in 0..CONTEXTS {
            self.waiting[i].clock.next = self.clk.val();
            self.waiting[i].d.next = self.waiting[i].q.val();
            self.tail[i].clock.next = self.clk.val();
            self.tail[i].d.next = self.tail[i].q.val();
            if self.owner.val() == bits::<CONTEXT_WIDTH>(i) {
                if self.keep.val() & !self.is_armed.val() {
                    self.waiting[i].d.next = self.waiting[i].q.val() + 1;
                    self.tail[i].d.next = self.tail[i].q.val() + 1;
                }
                if self.leave.val() {
                    self.waiting[i].d.next = self.waiting[i].q.val() - 1;
                }
            }
            if self.rst.val() {
                self.waiting[i].d.next = 0.into();
                self.tail[i].d.next = 0.into();
            }
        }
    }
}
