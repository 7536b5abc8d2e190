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
    /// A start is offered; the offer stays until it is taken.
    pub valid: Signal<Out, Bit>,
    /// Context that starts; valid with `valid`.
    pub context: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// What the context is to do; valid with `valid`.
    pub job: Signal<Out, Job>,
    /// The start is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
}

/// A word of a descriptor on its way into the register file of a context, as the dispatcher sees it.
#[interface(mirror = ArgumentIn)]
pub struct ArgumentOut {
    /// A word goes into a register in this cycle; it is always taken.
    pub enable: Signal<Out, Bit>,
    /// Context that has the register; valid with `enable`.
    pub context: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// Number of the register: the place of the word in its descriptor or request, from 0; valid with `enable`.
    pub register: Signal<Out, Bits<4>>,
    /// Which descriptor it is a word of.
    pub bank: Signal<Out, Bits<BANK_WIDTH>>,
    /// Word for the register, addresses in words of memory; valid with `enable`.
    pub data: Signal<Out, Bits<32>>,
}

/// A context has stopped, well or not, as the sequencer sees it. A failure of a command completes its slot or, without
/// one, its event. A failure of the server goes to the requester in an empty packet, by the sequencer.
#[interface(mirror = StopIn)]
pub struct StopOut {
    /// A context has stopped; the report is offered until it is taken.
    pub valid: Signal<Out, Bit>,
    /// Context that has stopped; valid with `valid`.
    pub context: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// The slot was never sent along with an end of transfer: nobody else will complete it.
    pub owns_slot: Signal<Out, Bit>,
    /// 0 for none.
    pub error: Signal<Out, Bits<ERROR_WIDTH>>,
    /// The report is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
}

/// Commands that wait for a credit, as the transmitter sees them.
#[interface(mirror = ParkIn)]
pub struct ParkOut {
    /// A pulse: the command of `context` is parked, for want of a credit or behind one that is parked.
    pub parks: Signal<Out, Bit>,
    /// Context whose command is parked; valid with `parks`.
    pub context: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// One more command may be parked. Another core is then still free of parked ones.
    pub has_room: Signal<In, Bit>,
    /// One bit a context whose command stays behind another.
    pub held: Signal<In, Bits<CONTEXTS>>,
}

/// A run of words to read, or one literal word, on its way into a packet's payload; as the sequencer sees it.
#[interface(mirror = ChunkIn)]
pub struct ChunkOut {
    /// A chunk is offered.
    pub valid: Signal<Out, Bit>,
    /// `value` is the word itself, not the address of the first.
    pub literal: Signal<Out, Bit>,
    /// A literal word, or the address of the first word to read, in words of memory.
    pub value: Signal<Out, Bits<32>>,
    /// 1 to 64; 1 for a literal.
    pub words: Signal<Out, Bits<COUNT_WIDTH>>,
    /// The chunk is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
}

/// A closed packet, its payload on the way; as the sequencer sees it.
#[interface(mirror = HeaderIn)]
pub struct HeaderOut {
    /// The header of a closed packet is offered.
    pub valid: Signal<Out, Bit>,
    /// The packet goes to the control plane, not to the data plane.
    pub control: Signal<Out, Bit>,
    /// The packet has no ADDRESS word.
    pub bare: Signal<Out, Bit>,
    /// Node to which the packet goes: x in the low bits, y above.
    pub destination: Signal<Out, Bits<NODE_WIDTH>>,
    /// What of the destination the packet is for: window, slot, mailbox, segment handle or context, by its kind.
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    /// Kind of the packet; the two planes have different kinds.
    pub kind: Signal<Out, Bits<KIND_WIDTH>>,
    /// The packet ends its transfer. Not the tail of the packet.
    pub last: Signal<Out, Bit>,
    /// Offset in the window, or address in the memory of the requester, in words.
    pub offset: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// Transaction slot of the initiator; in the last reply to a get: the error that broke it off, or 0.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// A GEOMETRY word follows; or, for an atomic, the upper half.
    pub strided: Signal<Out, Bit>,
    /// The packet has a GEOMETRY word.
    pub has_geometry: Signal<Out, Bit>,
    /// Operation of an atomic.
    pub operation: Signal<Out, Bits<OPERATION_WIDTH>>,
    /// The atomic is of 64 bits rather than 32.
    pub wide: Signal<Out, Bit>,
    /// Words of a row; valid with `has_geometry`.
    pub row: Signal<Out, Bits<ROW_WIDTH>>,
    /// Words from row to row at the destination; valid with `has_geometry`.
    pub stride: Signal<Out, Bits<STRIDE_WIDTH>>,
    /// Words of payload, 0 to 64.
    pub words: Signal<Out, Bits<COUNT_WIDTH>>,
    /// The header is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
}
