//! Interfaces between the parts of the engine.

use super::{ADDRESS_WIDTH, EDGE_WIDTH, WORDS_WIDTH};
use portico_spec::{
    flit::NODE_WIDTH,
    mpe::call::{CONTEXTS, CONTEXT_WIDTH, PLACE_WIDTH},
    ni::event::EVENT_WIDTH,
};
use portico_verilog::prelude::*;

/// A call that begins, as the intake gives it.
#[interface(mirror = CallIn)]
pub struct CallOut {
    /// A call may begin in this cycle. It comes from flip-flops, and `valid` from the checks: who only has to wait waits for it.
    pub possible: Signal<Out, Bit>,
    /// High for a cycle: a call begins.
    pub valid: Signal<Out, Bit>,
    /// Context of the call.
    pub owner: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// What its first packets begin with.
    pub word: Signal<Out, Bits<32>>,
    /// Place of the neighbour on the way to the root in the context's list; without meaning at the root.
    pub towards: Signal<Out, Bits<PLACE_WIDTH>>,
    /// This tile is the root of the call.
    pub root: Signal<Out, Bit>,
    /// The descriptor's event, in which the end of the call counts.
    pub event: Signal<Out, Bits<EVENT_WIDTH>>,
    /// No event on success.
    pub quiet: Signal<Out, Bit>,
    /// Address of the call's own words in the scratchpad, in words; without meaning for a barrier.
    pub source: Signal<Out, Bits<ADDRESS_WIDTH>>,
    /// Address of the call's result in the scratchpad, in words; without meaning for a barrier.
    pub result: Signal<Out, Bits<ADDRESS_WIDTH>>,
}

/// Armed calls and their launches: from the intake, and back from the block that launches.
#[interface(mirror = ArmedIn)]
pub struct ArmedOut {
    /// One bit a context, for a cycle: one more call is armed.
    pub arms: Signal<Out, Bits<CONTEXTS>>,
    /// One bit a context, for a cycle: it is launched here.
    pub launch: Signal<Out, Bits<CONTEXTS>>,
    /// One bit a context, for a cycle: its next armed call begins.
    pub begins: Signal<Out, Bits<CONTEXTS>>,
    /// One bit a context: calls wait.
    pub waits: Signal<Out, Bits<CONTEXTS>>,
    /// One bit a context: a launch is under way.
    pub launched: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: its next armed call may begin.
    pub ready: Signal<In, Bits<CONTEXTS>>,
}

/// A context begins anew: a row of its list is written, or it opens. Its calls are numbered from 0 on, and none is armed.
#[interface(mirror = RenewalIn)]
pub struct RenewalOut {
    /// High for a cycle: a context begins anew.
    pub enable: Signal<Out, Bit>,
    /// The context.
    pub context: Signal<Out, Bits<CONTEXT_WIDTH>>,
}

/// One pass over the words of a packet: their source, their operation, their destination.
#[interface(mirror = JobIn)]
pub struct JobOut {
    /// A pass is offered; the offer may end before it is taken.
    pub valid: Signal<Out, Bit>,
    /// Context of the pass.
    pub owner: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// Words without the call word, up to 32.
    pub words: Signal<Out, Bits<WORDS_WIDTH>>,
    /// It is of the first packet of its call: the call word is in front.
    pub first: Signal<Out, Bit>,
    /// The own words come from the scratchpad.
    pub from_memory: Signal<Out, Bit>,
    /// Address of the own words in the scratchpad, in words; valid with `from_memory`.
    pub address: Signal<Out, Bits<ADDRESS_WIDTH>>,
    /// The words come from an edge: to be folded with others, or alone.
    pub from_edge: Signal<Out, Bit>,
    /// Edge from which the words come: context above place; valid with `from_edge`.
    pub neighbour: Signal<Out, Bits<EDGE_WIDTH>>,
    /// Which of the two rooms of the edge `neighbour` holds the packet; valid with `from_edge`.
    pub slot: Signal<Out, Bit>,
    /// This pass is the last that reads the packet of the edge.
    pub frees: Signal<Out, Bit>,
    /// The own words are the results of the previous pass.
    pub from_sum: Signal<Out, Bit>,
    /// They are folded with those of the edge.
    pub folds: Signal<Out, Bit>,
    /// Call word of the call: goes in front of its first packet, and names the operation of a fold.
    pub call_word: Signal<Out, Bits<32>>,
    /// To a neighbour.
    pub to_network: Signal<Out, Bit>,
    /// Away from the root; valid with `to_network`.
    pub down: Signal<Out, Bit>,
    /// Edge of the neighbour to which the words go: context above place; valid with `to_network`.
    pub target: Signal<Out, Bits<EDGE_WIDTH>>,
    /// To the scratchpad.
    pub to_memory: Signal<Out, Bit>,
    /// Address in the scratchpad to which the words go, in words; valid with `to_memory`.
    pub result: Signal<Out, Bits<ADDRESS_WIDTH>>,
    /// To the next pass.
    pub to_sum: Signal<Out, Bit>,
    /// It is the last of a phase: the scheduler waits for its end.
    pub ends: Signal<Out, Bit>,
    /// The pass is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
}

/// The packet that is being ejected. All others in the edge buffer are whole.
#[interface(mirror = EjectionIn)]
pub struct EjectionOut {
    /// The first word of the packet is in the edge buffer, and its tail has not come.
    pub valid: Signal<Out, Bit>,
    /// Edge of the packet: context above place.
    pub neighbour: Signal<Out, Bits<EDGE_WIDTH>>,
    /// Which of the two rooms of the edge `neighbour` takes the packet.
    pub slot: Signal<Out, Bit>,
    /// Words of it that can be read.
    pub words: Signal<Out, Bits<WORDS_WIDTH>>,
}

/// A row of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Row {
    /// The neighbour.
    pub node: Bits<NODE_WIDTH>,
    /// This node's place in the list of the neighbour.
    pub place: Bits<PLACE_WIDTH>,
}

/// A row of a list is written. Each block that looks rows up has its own copy of the lists in LUT-RAM, a few sites each.
#[interface(mirror = RowWriteIn)]
pub struct RowWriteOut {
    /// High for one cycle: `row` is written for the edge `neighbour`.
    pub enable: Signal<Out, Bit>,
    /// Edge of which the row is written: context above place.
    pub neighbour: Signal<Out, Bits<EDGE_WIDTH>>,
    /// The row.
    pub row: Signal<Out, Row>,
}
