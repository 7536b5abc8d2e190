//! The vocabulary of the DMA: interfaces between what dispatches, what serves, what cuts and what sends packets, and
//! the records and widths that they share.

use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::{
        command::SHAPER_WIDTH,
        event::EVENT_WIDTH,
        instruction::{COUNT_WIDTH, PC_WIDTH},
        packet::{ERROR_WIDTH, OFFSET_WIDTH, OPERATION_WIDTH, ROW_WIDTH, SLOT_WIDTH, STRIDE_WIDTH},
        segment::HANDLE_WIDTH,
        CONTEXT_WIDTH, SERVER_CONTEXT,
    },
};
use portico_verilog::prelude::*;

/// Contexts: those of the micro-cores, and the server's, which is the last.
pub const CONTEXTS: usize = SERVER_CONTEXT + 1;
/// Width of a count of literal words of a packet: the operands of an atomic, at most four, in bits.
pub const LITERALS_WIDTH: usize = 3;
/// Width of the number that tells descriptors on their way from each other: one comes, one is to start, one is sent.
pub const BANK_WIDTH: usize = 2;
/// Width of a number of rows or planes, in bits.
pub const REPEAT_WIDTH: usize = 16;
/// Width of a count of the words of a get request, up to one more than it may have, so that too many show.
pub const REQUEST_COUNT_WIDTH: usize = 4;
/// Word of a get request, whose head is word 0, and of the descriptor of a transfer: the pointer.
pub const POINTER_WORD: u64 = 2;
/// Of these, the word with the words of a row, in the low half, and the number of rows.
pub const ROWS_WORD: u64 = 3;
/// Of these, the word with the strides of rows, the local one in the low half.
pub const STRIDES_WORD: u64 = 4;
/// Of these, the word with the number of planes.
pub const PLANES_WORD: u64 = 5;
/// Of these, the word with the strides of planes, the local one in the low half.
pub const PLANE_STRIDES_WORD: u64 = 6;

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

/// What a get request of another node says.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct GetRequest {
    /// Words so far, 8 for all beyond 7.
    pub count: Bits<REQUEST_COUNT_WIDTH>,
    /// That is a number of words that a request may have; rows without strides would be read at those of the request
    /// before.
    pub right_count: Bit,
    pub source: Bits<NODE_WIDTH>,
    /// The requester's transaction, and where it wants the words.
    pub slot: Bits<SLOT_WIDTH>,
    pub offset: Bits<OFFSET_WIDTH>,
    /// The first word in the window, and what the window has from there on; `beyond` if that is below zero.
    pub pointer: Bits<OFFSET_WIDTH>,
    pub room: Bits<OFFSET_WIDTH>,
    pub beyond: Bit,
    pub row: Bits<ROW_WIDTH>,
    /// There is one row.
    pub one_row: Bit,
    /// At the requester.
    pub stride: Bits<STRIDE_WIDTH>,
    /// No word is asked for.
    pub nothing: Bit,
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

/// A packet to send, or a notice to give, as the queue of headers sees it.
#[interface(mirror = PacketIn)]
pub struct PacketOut {
    /// There is a packet or a notice; it stays until it is taken.
    pub valid: Signal<Out, Bit>,
    /// No packet: the event in the low bits of `head` has happened.
    pub notice: Signal<Out, Bit>,
    /// For the control plane.
    pub control: Signal<Out, Bit>,
    /// The packet has an ADDRESS word.
    pub has_address: Signal<Out, Bit>,
    /// The packet has a GEOMETRY word.
    pub has_geometry: Signal<Out, Bit>,
    /// Head of the packet; the event of a notice in its low bits.
    pub head: Signal<Out, Bits<32>>,
    /// ADDRESS word of the packet, valid with `has_address`.
    pub address: Signal<Out, Bits<32>>,
    /// GEOMETRY word of the packet, valid with `has_geometry`.
    pub geometry: Signal<Out, Bits<32>>,
    /// Words of payload.
    pub words: Signal<Out, Bits<COUNT_WIDTH>>,
    /// The tail of the packet goes, or the notice is taken, in this cycle.
    pub ready: Signal<In, Bit>,
}
