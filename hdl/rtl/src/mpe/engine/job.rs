//! Interfaces between the parts of the engine.

use super::{ADDRESS_WIDTH, EDGE_WIDTH, ROW_WIDTH, WORDS_WIDTH};
use portico_spec::{
    mpe::call::{CONTEXT_WIDTH, PLACE_WIDTH},
    ni::event::EVENT_WIDTH,
};
use portico_verilog::prelude::*;

/// A call that begins, as the intake gives it.
#[interface(mirror = CallIn)]
pub struct CallOut {
    pub valid: Signal<Out, Bit>,
    pub owner: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// What its first packets begin with.
    pub word: Signal<Out, Bits<32>>,
    pub towards: Signal<Out, Bits<PLACE_WIDTH>>,
    pub root: Signal<Out, Bit>,
    pub event: Signal<Out, Bits<EVENT_WIDTH>>,
    pub quiet: Signal<Out, Bit>,
    pub source: Signal<Out, Bits<ADDRESS_WIDTH>>,
    pub result: Signal<Out, Bits<ADDRESS_WIDTH>>,
    pub ready: Signal<In, Bit>,
}

/// One pass over the words of a packet: their source, their operation, their destination.
#[interface(mirror = JobIn)]
pub struct JobOut {
    pub valid: Signal<Out, Bit>,
    pub owner: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// Words without the call word, up to 32.
    pub words: Signal<Out, Bits<WORDS_WIDTH>>,
    /// It is of the first packet of its call: the call word is in front.
    pub first: Signal<Out, Bit>,
    /// The own words come from the scratchpad.
    pub from_memory: Signal<Out, Bit>,
    pub address: Signal<Out, Bits<ADDRESS_WIDTH>>,
    /// The words come from an edge: to be folded with others, or alone.
    pub from_edge: Signal<Out, Bit>,
    pub neighbour: Signal<Out, Bits<EDGE_WIDTH>>,
    pub slot: Signal<Out, Bit>,
    /// This pass is the last that reads the packet of the edge.
    pub frees: Signal<Out, Bit>,
    /// The own words are the results of the previous pass.
    pub from_sum: Signal<Out, Bit>,
    /// They are folded with those of the edge.
    pub folds: Signal<Out, Bit>,
    pub call_word: Signal<Out, Bits<32>>,
    /// To a neighbour.
    pub to_network: Signal<Out, Bit>,
    pub target: Signal<Out, Bits<EDGE_WIDTH>>,
    /// To the scratchpad.
    pub to_memory: Signal<Out, Bit>,
    pub result: Signal<Out, Bits<ADDRESS_WIDTH>>,
    /// To the next pass.
    pub to_sum: Signal<Out, Bit>,
    /// It is the last of a phase: the scheduler waits for its end.
    pub ends: Signal<Out, Bit>,
    pub ready: Signal<In, Bit>,
}

/// The packet that is being ejected. All others in the edge buffer are whole.
#[interface(mirror = EjectionIn)]
pub struct EjectionOut {
    pub valid: Signal<Out, Bit>,
    pub neighbour: Signal<Out, Bits<EDGE_WIDTH>>,
    pub slot: Signal<Out, Bit>,
    /// Words of it that can be read.
    pub words: Signal<Out, Bits<WORDS_WIDTH>>,
}

/// A row of a list is written. Each block that looks rows up has its own copy of the lists in LUT-RAM, a few sites each.
#[interface(mirror = RowWriteIn)]
pub struct RowWriteOut {
    pub enable: Signal<Out, Bit>,
    pub neighbour: Signal<Out, Bits<EDGE_WIDTH>>,
    /// Node, and above it the place in its list.
    pub row: Signal<Out, Bits<ROW_WIDTH>>,
}
