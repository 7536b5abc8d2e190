use super::{Posted, ADDRESS_WIDTH, EDGES};
use portico_spec::{
    mpe::{
        call::{BARRIER_WORDS, CONTEXT_WIDTH, LENGTH_WIDTH, NUMBER_WIDTH, PLACE_WIDTH, TRANSFER_WORDS},
        reduce::{Operation, OPERATION_WIDTH},
    },
    ni::{packet::ERROR_WIDTH, ErrorCode},
};
use portico_verilog::prelude::*;

/// Width of a number of words of a descriptor.
pub const COUNT_WIDTH: usize = TRANSFER_WORDS.ilog2() as usize + 1;
/// Width of an address of a word, of which the memory has fewer than half.
pub const WORD_WIDTH: usize = ADDRESS_WIDTH + 1;
/// Width of the end of a transfer.
const END_WIDTH: usize = LENGTH_WIDTH + 1;

/// Checks the descriptor of a call or of a launch.
///
/// The checks have an order, and the first that fails gives the error: number of words; a context that is built; that is not
/// closed; the next number of the context; room among the calls that wait or are armed; an operation, aligned addresses and a
/// neighbour on the way to the root; the memory's end; source and result that do not overlap in part. A launch is checked for the
/// first three, and then for a context with an armed call, in which nothing runs, waits or is launched.
///
/// | | |
/// | --- | --- |
/// | latency | combinational, but for the ends of source and result: 1 cycle after the addresses and the length |
/// | state | those two ends |
#[derive(LogicBlock, Default)]
pub struct CallCheck {
    pub clk: Signal<In, Clock>,
    /// Words of the descriptor; those beyond the longest count as one.
    pub count: Signal<In, Bits<COUNT_WIDTH>>,
    /// The call.
    pub call: Signal<In, Posted>,
    /// An address is no whole number of words, or a transfer is called a launch.
    pub is_malformed: Signal<In, Bit>,
    /// An address has bits above those of any memory.
    pub is_beyond: Signal<In, Bit>,
    /// The descriptor launches armed calls.
    pub is_launch: Signal<In, Bit>,
    /// The descriptor gives the number of the call.
    pub has_number: Signal<In, Bit>,
    /// The context that it names is built.
    pub is_built: Signal<In, Bit>,
    /// That context, or a built one.
    pub owner: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The context is closed.
    pub is_closed: Signal<In, Bit>,
    /// The context has an armed call, and nothing in it runs, waits or is launched.
    pub may_launch: Signal<In, Bit>,
    /// Number of the context's next call.
    pub expected: Signal<In, Bits<NUMBER_WIDTH>>,
    /// No more calls of the context can be kept.
    pub is_full: Signal<In, Bit>,
    /// Edges with a neighbour.
    pub present: Signal<In, Bits<EDGES>>,
    /// Why the descriptor is refused; 0 if it is accepted.
    pub fault: Signal<Out, Bits<ERROR_WIDTH>>,
    source_end: DFF<Bits<END_WIDTH>>,
    result_end: DFF<Bits<END_WIDTH>>,
    is_transfer: Signal<Local, Bit>,
    source: Signal<Local, Bits<END_WIDTH>>,
    result: Signal<Local, Bits<END_WIDTH>>,
    length: Signal<Local, Bits<END_WIDTH>>,
    known_operations: Signal<Local, Bits<{ 1 << OPERATION_WIDTH }>>,
    is_known: Signal<Local, Bit>,
    ways: Signal<Local, Bits<EDGES>>,
    has_way: Signal<Local, Bit>,
    words: Signal<Local, Bits<COUNT_WIDTH>>,
    overlaps: Signal<Local, Bit>,
    exceeds: Signal<Local, Bit>,
    /// One bit a code that is an operation.
    operations: Constant<Bits<{ 1 << OPERATION_WIDTH }>>,
    end: Constant<Bits<END_WIDTH>>,
}

impl CallCheck {
    /// For a memory of `memory` words.
    pub fn new(memory: usize) -> Self {
        Self {
            operations: Constant::new(bits(Operation::ALL.iter().map(|&code| 1 << code as u64).sum())),
            end: Constant::new(bits(memory as u64)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CallCheck {
    fn update(&mut self) {
        dff_setup!(self, clk, source_end, result_end);
        self.is_transfer.next = self.call.val().kind.any();
        self.words.next = bits::<COUNT_WIDTH>(BARRIER_WORDS as u64);
        if self.is_transfer.val() {
            self.words.next = bits::<COUNT_WIDTH>(TRANSFER_WORDS as u64);
        }
        self.known_operations.next = self.operations.val();
        self.is_known.next =
            !self.call.val().kind.get_bit(1) | self.known_operations.val().get_bit(self.call.val().operation.index());
        self.ways.next = self.present.val()
            >> (bit_cast::<6, PLACE_WIDTH>(self.call.val().towards)
                | field::<6, CONTEXT_WIDTH>(self.owner.val(), PLACE_WIDTH));
        self.has_way.next = self.call.val().root | self.ways.val().get_bit(0);
        self.source.next = bit_cast::<END_WIDTH, WORD_WIDTH>(self.call.val().source);
        self.result.next = bit_cast::<END_WIDTH, WORD_WIDTH>(self.call.val().result);
        self.length.next = bit_cast::<END_WIDTH, LENGTH_WIDTH>(self.call.val().length);
        self.source_end.d.next = self.source.val() + self.length.val();
        self.result_end.d.next = self.result.val() + self.length.val();
        self.exceeds.next = self.is_transfer.val()
            & (self.is_beyond.val()
                | (self.source_end.q.val() > self.end.val())
                | (self.result_end.q.val() > self.end.val()));
        self.overlaps.next = self.is_transfer.val()
            & (self.source.val() != self.result.val())
            & (self.source.val() < self.result_end.q.val())
            & (self.result.val() < self.source_end.q.val());

        // From the last check to the first.
        self.fault.next = 0.into();
        if self.overlaps.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
        }
        if self.exceeds.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfMemory as u64);
        }
        if !self.is_known.val() | !self.has_way.val() | self.is_malformed.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
        }
        if self.is_full.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::TooManyCalls as u64);
        }
        if self.has_number.val() & (self.call.val().number != self.expected.val()) {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfTurn as u64);
        }
        if self.is_launch.val() {
            self.fault.next = 0.into();
            if !self.may_launch.val() {
                self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfTurn as u64);
            }
        }
        if self.is_closed.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::Closed as u64);
        }
        if !self.is_built.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::NotBuilt as u64);
        }
        if self.count.val() != self.words.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
        }
    }
}
