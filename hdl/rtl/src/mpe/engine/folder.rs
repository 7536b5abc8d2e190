use super::{
    result_writer::{OPENS_AT, RESULT_WIDTH},
    JobIn, Row, RowWriteIn, ADDRESS_WIDTH, EDGE_WIDTH, QUEUE_WIDTH, RESERVED_WIDTH, WORDS_WIDTH,
};
use crate::{
    bus::HeadEncoder,
    mpe::{reduce_alu::DelayLine, ReduceAlu},
    prim::{Fifo, LutRam, Queue, StreamIn, StreamOut},
};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    mpe::{
        call::{
            CALL_OPERATION_OFFSET, CONTEXTS, CONTEXT_WIDTH, DOWN_OFFSET, NEIGHBOURS, OPENS_OFFSET, PACKET_WORDS,
            PLACE_WIDTH, TAG_PLACE_OFFSET,
        },
        reduce::{Operation, OPERATION_WIDTH},
    },
    ni::packet::DataKind,
};
use portico_verilog::prelude::*;

/// Passes that wait, at most.
const JOBS: usize = 4;
const JOBS_WIDTH: usize = 2;

/// A pass that waits; the fields are those of [`JobIn`], with the row of its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Pass {
    pub owner: Bits<CONTEXT_WIDTH>,
    pub words: Bits<WORDS_WIDTH>,
    pub first: Bit,
    pub from_memory: Bit,
    pub from_edge: Bit,
    pub from_sum: Bit,
    pub folds: Bit,
    pub to_network: Bit,
    pub down: Bit,
    /// Valid with `to_network`.
    pub row: Row,
    pub to_memory: Bit,
    pub result: Bits<ADDRESS_WIDTH>,
    pub to_sum: Bit,
    pub ends: Bit,
    pub call_word: Bits<32>,
}

/// Where a word goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Way {
    pub to_network: Bit,
    /// To the scratchpad.
    pub to_memory: Bit,
    /// It is the first word of its pass.
    pub opens: Bit,
    /// To the scratchpad, as the mark of an end.
    pub marks: Bit,
    /// To the next pass.
    pub to_sum: Bit,
}

/// An undefined code of an operation, with which the ALU passes the own word.
const PASS: u64 = 1;
/// Width of a number of words in the ALU.
const UNDERWAY_WIDTH: usize = 3;
/// Width of the address of a word that waits for the next pass.
const SUM_WIDTH: usize = PACKET_WORDS.ilog2() as usize;

/// The part of a pass that is next.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Part {
    /// The head, if it goes to the network.
    Head,
    /// The call word.
    Call,
    /// The words.
    Words,
    /// The mark of a phase's end.
    Mark,
}

/// Takes passes, word by word: folds words or lets them pass, and sends them on.
///
/// Words of 32 bits.
///
/// | | |
/// | --- | --- |
/// | latency | from a pass to its head on `m_axis`: 2 cycles, and the ALU's if words are folded |
/// | throughput | one word a cycle, also across passes, while all are folded or none is |
/// | state | the ALU; passes, words for network, scratchpad and the next pass in LUT-RAM |
///
/// A word starts only when a place is reserved for its result, so the ALU never stalls.
#[derive(LogicBlock, Default)]
pub struct Folder {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Rows of the lists as they are written, for this block's copy.
    pub row_write: RowWriteIn,
    /// Passes; up to 4 wait here.
    pub job: JobIn,
    /// Words of the scratchpad.
    pub own: StreamIn<32>,
    /// Words of the edge buffer.
    pub neighbour: StreamIn<32>,
    /// Packets for the data plane.
    pub m_axis: StreamOut<32>,
    /// Results, as [`ResultWriter`](super::ResultWriter) takes them.
    pub result: StreamOut<RESULT_WIDTH>,
    /// High for a cycle: a word or mark of `result` has left the queue of the writer.
    pub result_released: Signal<In, Bit>,
    /// High for one cycle when the first word of a pass to the scratchpad starts: `place` is valid.
    pub place_valid: Signal<Out, Bit>,
    /// Address in the scratchpad, in words, of the first word of the pass; valid with `place_valid`.
    pub place: Signal<Out, Bits<ADDRESS_WIDTH>>,
    /// One bit a context, for a cycle: a pass has ended that has no mark.
    pub leaves: Signal<Out, Bits<CONTEXTS>>,
    /// A word moves in this cycle.
    pub moves: Signal<Out, Bit>,
    /// Of this context.
    pub owner: Signal<Out, Bits<CONTEXT_WIDTH>>,
    rows: LutRam<Row, EDGE_WIDTH>,
    jobs: Queue<Pass, JOBS_WIDTH>,
    head: HeadEncoder,
    alu: ReduceAlu<32>,
    ways: DelayLine<Way>,
    sums: Fifo<32, SUM_WIDTH>,
    packets: Fifo<32, QUEUE_WIDTH>,
    part: DFF<Part>,
    count: DFF<Bits<WORDS_WIDTH>>,
    underway: DFF<Bits<UNDERWAY_WIDTH>>,
    to_network: DFF<Bits<RESERVED_WIDTH>>,
    to_memory: DFF<Bits<RESERVED_WIDTH>>,
    work: Signal<Local, Pass>,
    row: Signal<Local, Row>,
    has_work: Signal<Local, Bit>,
    words: Signal<Local, Bits<WORDS_WIDTH>>,
    sends: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    folds: Signal<Local, Bit>,
    in_words: Signal<Local, Bit>,
    has_words: Signal<Local, Bit>,
    is_there: Signal<Local, Bit>,
    in_order: Signal<Local, Bit>,
    network_room: Signal<Local, Bit>,
    memory_room: Signal<Local, Bit>,
    gives_head: Signal<Local, Bit>,
    gives_call: Signal<Local, Bit>,
    gives_word: Signal<Local, Bit>,
    gives_mark: Signal<Local, Bit>,
    gives: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    is_over: Signal<Local, Bit>,
    value: Signal<Local, Bits<32>>,
    way: Signal<Local, Way>,
    way_out: Signal<Local, Way>,
    out_valid: Signal<Local, Bit>,
    out: Signal<Local, Bits<32>>,
    closes: Signal<Local, Bit>,
    tail: Signal<Local, Bit>,
    reserves: Signal<Local, Bit>,
    reserves_result: Signal<Local, Bit>,
    left: Signal<Local, Bit>,
}

impl Folder {
    /// For `contexts` contexts and an ALU of `stages` stages.
    pub fn new(contexts: usize, stages: usize) -> Self {
        Self {
            rows: LutRam::new(contexts * NEIGHBOURS),
            jobs: Queue::new(JOBS),
            alu: {
                assert!(
                    Operation::from_code(PASS as u32).is_none(),
                    "a code that is no operation"
                );
                ReduceAlu::new(stages)
            },
            ways: DelayLine::new(stages),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Folder {
    fn update(&mut self) {
        wire!(self => jobs, alu, sums, packets: clk, rst);
        wire!(self => rows, ways: clk);
        dff_setup!(self, clk, part, count, underway, to_network, to_memory);
        self.rows.write_enable.next = self.row_write.enable.val();
        self.rows.write_address.next = self.row_write.neighbour.val();
        self.rows.write_data.next = self.row_write.row.val();

        // Passes wait.
        self.jobs.write.next = self.job.valid.val();
        self.job.ready.next = !self.jobs.full.val();
        self.jobs.write_data.next.owner = self.job.owner.val();
        self.jobs.write_data.next.words = self.job.words.val();
        self.jobs.write_data.next.first = self.job.first.val();
        self.jobs.write_data.next.from_memory = self.job.from_memory.val();
        self.jobs.write_data.next.from_edge = self.job.from_edge.val();
        self.jobs.write_data.next.from_sum = self.job.from_sum.val();
        self.jobs.write_data.next.folds = self.job.folds.val();
        self.jobs.write_data.next.to_network = self.job.to_network.val();
        self.jobs.write_data.next.down = self.job.down.val();
        // The row is looked up as the pass comes: behind the queue, the head would be late for the ALU.
        self.rows.read_address.next = self.job.target.val();
        self.jobs.write_data.next.row = self.rows.read_data.val();
        self.jobs.write_data.next.to_memory = self.job.to_memory.val();
        self.jobs.write_data.next.result = self.job.result.val();
        self.jobs.write_data.next.to_sum = self.job.to_sum.val();
        self.jobs.write_data.next.ends = self.job.ends.val();
        self.jobs.write_data.next.call_word = self.job.call_word.val();
        self.work.next = self.jobs.read_data.val();
        self.row.next = self.work.val().row;
        self.has_work.next = !self.jobs.empty.val();
        self.owner.next = self.work.val().owner;
        self.words.next = self.work.val().words;
        self.sends.next = self.work.val().to_network;
        self.writes.next = self.work.val().to_memory;
        self.folds.next = self.work.val().folds;

        // The next word, and whether it can move.
        self.in_words.next =
            (self.part.q.val() == Part::Words) | ((self.part.q.val() == Part::Head) & !self.sends.val());
        self.has_words.next = self.words.val().any();
        self.is_there.next = (!self.work.val().from_memory | self.own.tvalid.val())
            & (!self.work.val().from_edge | self.neighbour.tvalid.val())
            & (!self.work.val().from_sum | self.sums.m_axis.tvalid.val());
        self.in_order.next = self.folds.val() | !self.underway.q.val().any();
        self.network_room.next = !self.sends.val() | !self.to_network.q.val().get_bit(QUEUE_WIDTH);
        self.memory_room.next = !self.to_memory.q.val().get_bit(QUEUE_WIDTH);
        self.gives_head.next = self.has_work.val()
            & (self.part.q.val() == Part::Head)
            & self.sends.val()
            & self.network_room.val()
            & self.in_order.val();
        self.gives_call.next = (self.part.q.val() == Part::Call) & self.network_room.val() & self.in_order.val();
        self.gives_word.next = self.has_work.val()
            & self.in_words.val()
            & self.has_words.val()
            & self.is_there.val()
            & self.network_room.val()
            & (!self.writes.val() | self.memory_room.val())
            & self.in_order.val();
        self.gives_mark.next = (self.part.q.val() == Part::Mark) & self.memory_room.val() & self.in_order.val();
        self.gives.next = self.gives_head.val() | self.gives_call.val() | self.gives_word.val() | self.gives_mark.val();
        self.is_last.next = self.count.q.val() + 1 == self.words.val();
        self.is_over.next = (self.gives_word.val() & self.is_last.val())
            | (self.has_work.val() & self.in_words.val() & !self.has_words.val());
        self.jobs.read.next = (self.is_over.val() & !self.work.val().ends) | self.gives_mark.val();
        self.leaves.next = 0.into();
        if self.is_over.val() & !self.work.val().ends {
            self.leaves.next = bits::<CONTEXTS>(1) << self.owner.val();
        }
        if self.gives_head.val() {
            self.part.d.next = Part::Words;
            if self.work.val().first {
                self.part.d.next = Part::Call;
            }
        }
        if self.gives_call.val() {
            self.part.d.next = Part::Words;
        }
        if self.gives_word.val() {
            self.part.d.next = Part::Words;
            self.count.d.next = self.count.q.val() + 1;
        }
        if self.is_over.val() {
            self.count.d.next = 0.into();
            self.part.d.next = Part::Head;
            if self.work.val().ends {
                self.part.d.next = Part::Mark;
            }
        }
        if self.gives_mark.val() {
            self.part.d.next = Part::Head;
        }
        self.moves.next = self.gives.val();

        // The word, and where it goes.
        self.head.destination.next = self.row.val().node;
        self.head.source.next = self.node.val();
        self.head.kind.next = bits::<KIND_WIDTH>(DataKind::Collective as u64);
        self.head.last.next = false;
        self.head.tag.next = field::<TAG_WIDTH, PLACE_WIDTH>(self.row.val().place, TAG_PLACE_OFFSET)
            | bit_cast::<TAG_WIDTH, CONTEXT_WIDTH>(self.owner.val());
        self.value.next = self.neighbour.tdata.val();
        if self.work.val().from_memory {
            self.value.next = self.own.tdata.val();
        }
        if self.work.val().from_sum {
            self.value.next = self.sums.m_axis.tdata.val();
        }
        self.way.next.to_network = false;
        self.way.next.to_memory = false;
        self.way.next.opens = false;
        self.way.next.marks = false;
        self.way.next.to_sum = false;
        match self.part.q.val() {
            Part::Head => {
                if self.sends.val() {
                    self.value.next = self
                        .head
                        .word
                        .val()
                        .replace_bit(DOWN_OFFSET, self.work.val().down)
                        .replace_bit(OPENS_OFFSET, self.work.val().first);
                }
            }
            Part::Call => {
                self.value.next = self.work.val().call_word;
            }
            Part::Words => {}
            Part::Mark => {
                self.value.next = bit_cast::<32, CONTEXT_WIDTH>(self.owner.val());
            }
        }
        if self.gives_word.val() {
            self.way.next.to_network = self.work.val().to_network;
            self.way.next.to_memory = self.work.val().to_memory;
            self.way.next.opens = !self.count.q.val().any();
            self.way.next.to_sum = self.work.val().to_sum;
        }
        if self.gives_head.val() | self.gives_call.val() {
            self.way.next.to_network = true;
        }
        if self.gives_mark.val() {
            self.way.next.marks = true;
        }
        self.own.tready.next = self.gives_word.val() & self.work.val().from_memory;
        self.neighbour.tready.next = self.gives_word.val() & self.work.val().from_edge;
        self.sums.m_axis.tready.next = self.gives_word.val() & self.work.val().from_sum;
        self.place_valid.next = self.gives_word.val() & self.writes.val() & !self.count.q.val().any();
        self.place.next = self.work.val().result;

        // Through the ALU, or past it.
        self.alu.s_axis_a.tvalid.next = self.gives.val() & self.folds.val();
        self.alu.s_axis_b.tvalid.next = self.gives.val() & self.folds.val();
        self.alu.s_axis_a.tdata.next = self.value.val();
        self.alu.s_axis_b.tdata.next = self.neighbour.tdata.val();
        self.closes.next =
            (self.gives_word.val() & self.is_last.val()) | (self.gives_call.val() & !self.has_words.val());
        self.alu.s_axis_a.tlast.next = self.closes.val();
        self.alu.s_axis_b.tlast.next = false;
        self.alu.s_axis_a_tuser.next = bits::<OPERATION_WIDTH>(PASS);
        if self.gives_word.val() {
            self.alu.s_axis_a_tuser.next = self
                .work
                .val()
                .call_word
                .get_bits::<OPERATION_WIDTH>(CALL_OPERATION_OFFSET);
        }
        self.alu.m_axis.tready.next = true;
        self.ways.enable.next = true;
        self.ways.d.next = self.way.val();
        self.out_valid.next = self.alu.m_axis.tvalid.val() | (self.gives.val() & !self.folds.val());
        self.out.next = self.value.val();
        self.way_out.next = self.way.val();
        self.tail.next = self.closes.val();
        if self.alu.m_axis.tvalid.val() {
            self.out.next = self.alu.m_axis.tdata.val();
            self.way_out.next = self.ways.q.val();
            self.tail.next = self.alu.m_axis.tlast.val();
        }
        if self.gives.val() & self.folds.val() & !self.alu.m_axis.tvalid.val() {
            self.underway.d.next = self.underway.q.val() + 1;
        }
        if self.alu.m_axis.tvalid.val() & !(self.gives.val() & self.folds.val()) {
            self.underway.d.next = self.underway.q.val() - 1;
        }

        // To the network, the scratchpad, the next pass.
        self.packets.s_axis.tvalid.next = self.out_valid.val() & self.way_out.val().to_network;
        self.packets.s_axis.tdata.next = self.out.val();
        self.packets.s_axis.tlast.next = self.tail.val();
        wire!(self <=> packets: m_axis);
        self.left.next = self.packets.m_axis.tvalid.val() & self.m_axis.tready.val();
        self.result.tvalid.next = self.out_valid.val() & (self.way_out.val().to_memory | self.way_out.val().marks);
        self.result.tdata.next =
            bit_cast::<RESULT_WIDTH, 32>(self.out.val()).replace_bit(OPENS_AT, self.way_out.val().opens);
        self.result.tlast.next = self.way_out.val().marks;
        self.sums.s_axis.tvalid.next = self.out_valid.val() & self.way_out.val().to_sum;
        self.sums.s_axis.tdata.next = self.out.val();
        self.sums.s_axis.tlast.next = false;
        self.reserves.next = self.gives.val() & self.way.val().to_network;
        if self.reserves.val() & !self.left.val() {
            self.to_network.d.next = self.to_network.q.val() + 1;
        }
        if self.left.val() & !self.reserves.val() {
            self.to_network.d.next = self.to_network.q.val() - 1;
        }
        self.reserves_result.next = self.gives.val() & (self.way.val().to_memory | self.way.val().marks);
        if self.reserves_result.val() & !self.result_released.val() {
            self.to_memory.d.next = self.to_memory.q.val() + 1;
        }
        if self.result_released.val() & !self.reserves_result.val() {
            self.to_memory.d.next = self.to_memory.q.val() - 1;
        }
        if self.rst.val() {
            self.part.d.next = Part::Head;
            self.count.d.next = 0.into();
            self.underway.d.next = 0.into();
            self.to_network.d.next = 0.into();
            self.to_memory.d.next = 0.into();
        }
    }
}
