//! Interfaces inside the DMA: between the dispatcher, the micro-cores and what sends the packets.

use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::{
        command::SHAPER_WIDTH,
        event::EVENT_WIDTH,
        instruction::{COUNT_WIDTH, PC_WIDTH},
        packet::{ERROR_WIDTH, OFFSET_WIDTH, OPERATION_WIDTH, ROW_WIDTH, SLOT_WIDTH, STRIDE_WIDTH},
        segment::HANDLE_WIDTH,
        CONTEXT_WIDTH,
    },
};
use portico_verilog::prelude::*;

use super::dispatch::CONTEXTS;

/// Width of a count of literal words of a packet: the operands of an atomic, at most four, in bits.
pub const LITERALS_WIDTH: usize = 3;
/// Width of the number that tells descriptors on their way from each other: one comes, one is to start, one is sent.
pub const BANK_WIDTH: usize = 2;

/// What a context is to do: a program, the heads of its packets, and where it may read.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Job {
    pub pc: Bits<PC_WIDTH>,
    /// The packets go to the control plane.
    pub control: Bit,
    /// The packets have no ADDRESS word.
    pub bare: Bit,
    pub destination: Bits<NODE_WIDTH>,
    pub tag: Bits<TAG_WIDTH>,
    pub kind: Bits<KIND_WIDTH>,
    /// Remote offset of the first row, in words.
    pub offset: Bits<OFFSET_WIDTH>,
    /// Words of the remote segment: no packet writes at or beyond; all ones for none.
    pub size: Bits<OFFSET_WIDTH>,
    /// Words of a row, and from row to row at the remote side.
    pub row: Bits<ROW_WIDTH>,
    pub stride: Bits<STRIDE_WIDTH>,
    /// The context owns `slot`: it goes into ADDRESS words, and a stop without an end of transfer gives it back.
    pub has_slot: Bit,
    pub slot: Bits<SLOT_WIDTH>,
    /// A command before it on its segment is parked: it waits until that has stopped.
    pub behind: Bit,
    pub operation: Bits<OPERATION_WIDTH>,
    pub wide: Bit,
    /// Upper half of a 64-bit word, for atomics.
    pub half: Bit,
    pub shaper: Bits<SHAPER_WIDTH>,
    pub segment: Bits<HANDLE_WIDTH>,
    /// The event of NOTIFY own, and of a failure where there is no slot.
    pub event: Bits<EVENT_WIDTH>,
    pub quiet: Bit,
    /// Added to local pointers after the check against `limit`, in words.
    pub base: Bits<OFFSET_WIDTH>,
    pub limit: Bits<OFFSET_WIDTH>,
    /// The program sends one packet, which the bypass may do as well: its payload follows.
    pub single: Bit,
    /// Words of the descriptor in it, and which descriptor that is.
    pub literals: Bits<LITERALS_WIDTH>,
    pub bank: Bits<BANK_WIDTH>,
    /// Words of memory after them, 64 at most, from `pointer` on; they have been checked.
    pub words: Bits<COUNT_WIDTH>,
    pub pointer: Bits<OFFSET_WIDTH>,
}

/// The dispatcher starts a context, as it sees it.
#[interface(mirror = StartIn)]
pub struct StartOut {
    pub valid: Signal<Out, Bit>,
    pub context: Signal<Out, Bits<CONTEXT_WIDTH>>,
    pub job: Signal<Out, Job>,
    pub ready: Signal<In, Bit>,
}

/// A word of a descriptor on its way into the register file of a context, as the dispatcher sees it.
#[interface(mirror = ArgumentIn)]
pub struct ArgumentOut {
    pub enable: Signal<Out, Bit>,
    pub context: Signal<Out, Bits<CONTEXT_WIDTH>>,
    pub register: Signal<Out, Bits<4>>,
    /// Which descriptor it is a word of.
    pub bank: Signal<Out, Bits<BANK_WIDTH>>,
    pub data: Signal<Out, Bits<32>>,
}

/// A context has stopped, well or not, as the sequencer sees it. A failure of a command completes its slot or, without
/// one, its event. A failure of the server goes to the requester in an empty packet, by the sequencer.
#[interface(mirror = StopIn)]
pub struct StopOut {
    pub valid: Signal<Out, Bit>,
    pub context: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// The slot was never sent along with an end of transfer: nobody else will complete it.
    pub owns_slot: Signal<Out, Bit>,
    /// 0 for none.
    pub error: Signal<Out, Bits<ERROR_WIDTH>>,
    pub ready: Signal<In, Bit>,
}

/// Commands that wait for a credit, as the transmitter sees them.
#[interface(mirror = ParkIn)]
pub struct ParkOut {
    /// A pulse: the command of `context` is parked, for want of a credit or behind one that is parked.
    pub parks: Signal<Out, Bit>,
    pub context: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// One more command may be parked. Another core is then still free of parked ones.
    pub has_room: Signal<In, Bit>,
    /// One bit a context whose command stays behind another.
    pub held: Signal<In, Bits<CONTEXTS>>,
}

/// A run of words to read, or one literal word, on its way into a packet's payload; as the sequencer sees it.
#[interface(mirror = ChunkIn)]
pub struct ChunkOut {
    pub valid: Signal<Out, Bit>,
    /// `value` is the word itself, not the address of the first.
    pub literal: Signal<Out, Bit>,
    pub value: Signal<Out, Bits<32>>,
    /// 1 to 64; 1 for a literal.
    pub words: Signal<Out, Bits<COUNT_WIDTH>>,
    pub ready: Signal<In, Bit>,
}

/// A closed packet, its payload on the way; as the sequencer sees it.
#[interface(mirror = HeaderIn)]
pub struct HeaderOut {
    pub valid: Signal<Out, Bit>,
    pub control: Signal<Out, Bit>,
    pub bare: Signal<Out, Bit>,
    pub destination: Signal<Out, Bits<NODE_WIDTH>>,
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    pub kind: Signal<Out, Bits<KIND_WIDTH>>,
    pub last: Signal<Out, Bit>,
    pub offset: Signal<Out, Bits<OFFSET_WIDTH>>,
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// A GEOMETRY word follows; or, for an atomic, the upper half.
    pub strided: Signal<Out, Bit>,
    /// The packet has a GEOMETRY word.
    pub has_geometry: Signal<Out, Bit>,
    pub operation: Signal<Out, Bits<OPERATION_WIDTH>>,
    pub wide: Signal<Out, Bit>,
    pub row: Signal<Out, Bits<ROW_WIDTH>>,
    pub stride: Signal<Out, Bits<STRIDE_WIDTH>>,
    /// Words of payload, 0 to 64.
    pub words: Signal<Out, Bits<COUNT_WIDTH>>,
    pub ready: Signal<In, Bit>,
}
