use super::{data_door::MOST_RANKS, MemoryDescriptors, TableAccessIn};
use crate::{
    bus::EventOut,
    prim::{RamOutput, StreamIn, StreamOut},
};
use portico_spec::{
    ni::{
        command::{EVENT_OFFSET, QUIET_OFFSET},
        event::EVENT_WIDTH,
        packet::ERROR_WIDTH,
        ErrorCode,
    },
    portals::engine::{
        Operation, DESCRIPTOR_OFFSET, GET_WORDS, LENGTH_WIDTH, MD_BOUND_OFFSET, NUMBER_WIDTH, OPERATION_OFFSET,
        OPERATION_WIDTH, PUT_WORDS, RANK_OFFSET, RANK_WIDTH, SOURCE_RANK_WIDTH, WAITING_MOVES,
    },
};
use portico_verilog::prelude::*;

/// Width of the place of a word among those of a move that waits.
const PLACE_WIDTH: usize = 4;
/// Width of the number of a move that waits.
const MOVE_WIDTH: usize = WAITING_MOVES.ilog2() as usize;
/// Words of a move that waits: those of its descriptor, and what its memory descriptor asks for.
pub const MOVE_WORDS: usize = PUT_WORDS + 1;
/// Width of a sum of two numbers of 32 bits.
const SUM_WIDTH: usize = 33;
/// Place of the address of the data among the words of a move that waits; in the descriptor, the offset in the memory descriptor.
const ADDRESS_PLACE: u64 = 2;
/// Place of the options of the memory descriptor, behind the length.
const REPORT_PLACE: u64 = 4;
/// Place of the user's pointer. The words of the packet's header, in their order, follow.
const POINTER_PLACE: u64 = 5;
/// Word of the descriptor that comes first in the packet's header.
const REMOTE_WORD: u64 = 4;
/// Word of the descriptor that has the user's pointer.
const POINTER_WORD: u64 = 7;

/// State of the intake.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum MoveStep {
    /// Takes the words of a descriptor.
    Take,
    /// Accepts it, with the address of its data, or refuses it.
    Judge,
    /// Keeps what its memory descriptor asks for.
    Keep,
    /// Ends it with an error.
    Report,
}

/// Checks descriptors of puts and gets, and keeps those that wait.
///
/// | | |
/// | --- | --- |
/// | latency | from a descriptor's last word to the first word at `m_axis`: 4 cycles |
/// | throughput | a descriptor in its words and 2 cycles; a cycle more if it is refused |
/// | state | 8 moves in block RAM, the move in hand, and [`MemoryDescriptors`] |
///
/// The intake checks a descriptor in this order, and the first check that fails gives the error: operation and number of words; a
/// memory descriptor that is bound; a rank that has a node; the ends of the memory descriptor and of the scratchpad. A move keeps
/// what it needs of its memory descriptor.
#[derive(LogicBlock, Default)]
pub struct MoveIntake {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Descriptors of moves, whole.
    pub commands: StreamIn<32>,
    /// Writes of memory descriptors.
    pub access: TableAccessIn,
    /// One bit a rank: it has a node.
    pub present: Signal<In, Bits<MOST_RANKS>>,
    /// Words of accepted moves, 11 each, whatever the operation: words 0 and 1 of the descriptor, address of the data, length,
    /// options of the memory descriptor, the user's pointer, offset, match bits, header data. `tlast` is always low.
    pub m_axis: StreamOut<32>,
    /// Of descriptors that are refused.
    pub event: EventOut,
    /// Moves wait.
    pub waits: Signal<Out, Bit>,
    descriptors: MemoryDescriptors,
    moves: RamOutput<32, { MOVE_WIDTH + PLACE_WIDTH }>,
    step: DFF<MoveStep>,
    /// Words that have come; 15 for more.
    count: DFF<Bits<PLACE_WIDTH>>,
    number: DFF<Bits<EVENT_WIDTH>>,
    quiet: DFF<Bit>,
    put: DFF<Bit>,
    right: DFF<Bit>,
    known: DFF<Bit>,
    offset: DFF<Bits<32>>,
    length: DFF<Bits<32>>,
    behind: DFF<Bits<SUM_WIDTH>>,
    last: DFF<Bits<SUM_WIDTH>>,
    address: DFF<Bits<LENGTH_WIDTH>>,
    beyond: DFF<Bit>,
    error: DFF<Bits<ERROR_WIDTH>>,
    /// Moves that were kept, and that have left; modulo twice as many as there is room for.
    kept: DFF<Bits<{ MOVE_WIDTH + 1 }>>,
    left: DFF<Bits<{ MOVE_WIDTH + 1 }>>,
    /// Place of the word that comes out next.
    turn: DFF<Bits<PLACE_WIDTH>>,
    used: Signal<Local, Bits<{ MOVE_WIDTH + 1 }>>,
    takes: Signal<Local, Bit>,
    is_full: Signal<Local, Bit>,
    rank: Signal<Local, Bits<SOURCE_RANK_WIDTH>>,
    operation: Signal<Local, Bits<OPERATION_WIDTH>>,
    fault: Signal<Local, Bits<ERROR_WIDTH>>,
    own: Signal<Local, Bits<{ MOVE_WIDTH + 1 }>>,
    home: Signal<Local, Bits<{ MOVE_WIDTH + PLACE_WIDTH }>>,
    place: Signal<Local, Bits<PLACE_WIDTH>>,
    memory: Constant<Bits<SUM_WIDTH>>,
}

impl MoveIntake {
    /// For a memory of `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            memory: Constant::new(bits(bytes as u64)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for MoveIntake {
    fn update(&mut self) {
        wire!(self => moves, descriptors: clk, rst);
        dff_setup!(self, clk, step, count, number, quiet, put, right, known, offset, length, behind, last, address);
        dff_setup!(self, clk, beyond, error, kept, left, turn);
        wire!(self <=> descriptors: access);

        // The words of a descriptor. Sums follow while later words come.
        self.used.next = self.kept.q.val() - self.left.q.val();
        self.is_full.next = self.used.val().get_bit(MOVE_WIDTH);
        self.waits.next = self.used.val().any();
        self.commands.tready.next =
            (self.step.q.val() == MoveStep::Take) & (self.count.q.val().any() | !self.is_full.val());
        self.takes.next = self.commands.tvalid.val() & self.commands.tready.val();
        self.operation.next = self.commands.tdata.val().get_bits::<OPERATION_WIDTH>(OPERATION_OFFSET);
        self.rank.next = self.commands.tdata.val().get_bits::<SOURCE_RANK_WIDTH>(RANK_OFFSET);
        self.descriptors.read.next = self.takes.val() & (self.count.q.val() == 1);
        self.descriptors.index.next = self.commands.tdata.val().get_bits::<NUMBER_WIDTH>(DESCRIPTOR_OFFSET);
        if self.takes.val() {
            if !self.count.q.val().all() {
                self.count.d.next = self.count.q.val() + 1;
            }
            if self.count.q.val() == 0 {
                self.number.d.next = self.commands.tdata.val().get_bits::<EVENT_WIDTH>(EVENT_OFFSET);
                self.quiet.d.next = self.commands.tdata.val().get_bit(QUIET_OFFSET);
                self.right.d.next = false;
            }
            if self.count.q.val() == 1 {
                self.put.d.next = self.operation.val() == bits::<OPERATION_WIDTH>(Operation::Put as u64);
                self.right.d.next = (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::Put as u64))
                    | (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::Get as u64));
                self.known.d.next = !self
                    .rank
                    .val()
                    .get_bits::<{ SOURCE_RANK_WIDTH - RANK_WIDTH }>(RANK_WIDTH)
                    .any()
                    & self
                        .present
                        .val()
                        .get_bit(self.rank.val().get_bits::<RANK_WIDTH>(0).index());
            }
            if self.count.q.val() == 2 {
                self.offset.d.next = self.commands.tdata.val();
            }
            if self.count.q.val() == 3 {
                self.length.d.next = self.commands.tdata.val();
            }
            if self.commands.tlast.val() {
                self.step.d.next = MoveStep::Judge;
            }
        }
        self.behind.d.next =
            bit_cast::<SUM_WIDTH, 32>(self.offset.q.val()) + bit_cast::<SUM_WIDTH, 32>(self.length.q.val());
        self.last.d.next = self.behind.q.val() + bit_cast::<SUM_WIDTH, LENGTH_WIDTH>(self.descriptors.start.val());
        self.address.d.next = self.descriptors.start.val() + self.offset.q.val().get_bits::<LENGTH_WIDTH>(0);
        self.beyond.d.next = (self.behind.q.val() > bit_cast::<SUM_WIDTH, LENGTH_WIDTH>(self.descriptors.size.val()))
            | (self.last.q.val() > self.memory.val());
        self.fault.next = 0.into();
        if self.beyond.q.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfMemory as u64);
        }
        if !self.known.q.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownRank as u64);
        }
        if !self.descriptors.options.val().get_bit(MD_BOUND_OFFSET) {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownIndex as u64);
        }
        if !self.right.q.val()
            | (self.put.q.val() & (self.count.q.val() != bits::<PLACE_WIDTH>(PUT_WORDS as u64)))
            | (!self.put.q.val() & (self.count.q.val() != bits::<PLACE_WIDTH>(GET_WORDS as u64)))
        {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
        }

        // Its words among those that wait.
        self.place.next = self.count.q.val();
        if self.count.q.val() >= bits::<PLACE_WIDTH>(REMOTE_WORD) {
            self.place.next = self.count.q.val() + bits::<PLACE_WIDTH>(POINTER_PLACE + 1 - REMOTE_WORD);
        }
        if self.count.q.val() == bits::<PLACE_WIDTH>(POINTER_WORD) {
            self.place.next = bits::<PLACE_WIDTH>(POINTER_PLACE);
        }
        if self.count.q.val() > bits::<PLACE_WIDTH>(POINTER_WORD) {
            self.place.next = self.count.q.val() + 1;
        }
        self.moves.write_enable.next = self.takes.val();
        self.moves.write_data.next = self.commands.tdata.val();
        self.own.next = self.kept.q.val();
        match self.step.q.val() {
            MoveStep::Take => {}
            MoveStep::Judge => {
                self.place.next = bits::<PLACE_WIDTH>(ADDRESS_PLACE);
                self.moves.write_enable.next = true;
                self.moves.write_data.next = bit_cast::<32, LENGTH_WIDTH>(self.address.q.val());
                self.error.d.next = self.fault.val();
                self.step.d.next = MoveStep::Report;
                if !self.fault.val().any() {
                    self.kept.d.next = self.kept.q.val() + 1;
                    self.step.d.next = MoveStep::Keep;
                }
            }
            MoveStep::Keep => {
                // The move counts already: its first words are read before this one.
                self.own.next = self.kept.q.val() - 1;
                self.place.next = bits::<PLACE_WIDTH>(REPORT_PLACE);
                self.moves.write_enable.next = true;
                self.moves.write_data.next = self.descriptors.options.val();
                self.count.d.next = 0.into();
                self.step.d.next = MoveStep::Take;
            }
            MoveStep::Report => {
                if self.event.ready.val() {
                    self.count.d.next = 0.into();
                    self.step.d.next = MoveStep::Take;
                }
            }
        }
        self.event.valid.next = self.step.q.val() == MoveStep::Report;
        self.event.event.next = self.number.q.val();
        self.event.error.next = self.error.q.val();
        self.home.next =
            field::<{ MOVE_WIDTH + PLACE_WIDTH }, MOVE_WIDTH>(self.own.val().get_bits::<MOVE_WIDTH>(0), PLACE_WIDTH)
                | bit_cast::<{ MOVE_WIDTH + PLACE_WIDTH }, PLACE_WIDTH>(self.place.val());
        self.moves.write_address.next = self.home.val();

        // The words that come out.
        self.moves.holds.next = self.used.val().any();
        self.moves.read_address.next =
            field::<{ MOVE_WIDTH + PLACE_WIDTH }, MOVE_WIDTH>(self.left.q.val().get_bits::<MOVE_WIDTH>(0), PLACE_WIDTH)
                | bit_cast::<{ MOVE_WIDTH + PLACE_WIDTH }, PLACE_WIDTH>(self.turn.q.val());
        if self.moves.fetch.val() {
            self.turn.d.next = self.turn.q.val() + 1;
            if self.turn.q.val() == bits::<PLACE_WIDTH>(MOVE_WORDS as u64 - 1) {
                self.turn.d.next = 0.into();
                self.left.d.next = self.left.q.val() + 1;
            }
        }
        wire!(self <=> moves: m_axis);
        if self.rst.val() {
            self.step.d.next = MoveStep::Take;
            self.count.d.next = 0.into();
            self.kept.d.next = 0.into();
            self.left.d.next = 0.into();
            self.turn.d.next = 0.into();
        }
    }
}
