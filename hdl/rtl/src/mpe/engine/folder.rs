use super::{
    result_writer::RESULT_WIDTH, JobIn, RowWriteIn, ADDRESS_WIDTH, EDGE_WIDTH, QUEUE_WIDTH, RESERVED_WIDTH, ROW_WIDTH,
    WORDS_WIDTH,
};
use crate::{
    bus::HeadEncoder,
    mpe::{reduce_alu::DelayLine, ReduceAlu},
    prim::{Fifo, FifoControl, LutRam, StreamIn, StreamOut},
};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    mpe::{
        call::{CALL_OPERATION_OFFSET, CONTEXT_WIDTH, NEIGHBOURS, PACKET_WORDS, PLACE_WIDTH, TAG_PLACE_OFFSET},
        reduce::{Operation, OPERATION_WIDTH},
    },
    ni::packet::DataKind,
};
use portico_verilog::prelude::*;

/// Passes that wait, at most.
const JOBS: usize = 4;
const JOBS_WIDTH: usize = 2;
/// Fields of a pass.
const WORDS_OFFSET: usize = CONTEXT_WIDTH;
const FIRST_OFFSET: usize = WORDS_OFFSET + WORDS_WIDTH;
const FROM_MEMORY_OFFSET: usize = FIRST_OFFSET + 1;
const FROM_EDGE_OFFSET: usize = FROM_MEMORY_OFFSET + 1;
const FROM_SUM_OFFSET: usize = FROM_EDGE_OFFSET + 1;
const FOLDS_OFFSET: usize = FROM_SUM_OFFSET + 1;
const TO_NETWORK_OFFSET: usize = FOLDS_OFFSET + 1;
const TARGET_OFFSET: usize = TO_NETWORK_OFFSET + 1;
const TO_MEMORY_OFFSET: usize = TARGET_OFFSET + EDGE_WIDTH;
const RESULT_OFFSET: usize = TO_MEMORY_OFFSET + 1;
const TO_SUM_OFFSET: usize = RESULT_OFFSET + ADDRESS_WIDTH;
const ENDS_OFFSET: usize = TO_SUM_OFFSET + 1;
const JOB_WIDTH: usize = ENDS_OFFSET + 1;

/// Where a word goes: to the network; to the scratchpad, as a pass's first word, or as the mark of an end; to the next pass.
const TO_NETWORK: usize = 0;
const TO_MEMORY: usize = 1;
const OPENS: usize = 2;
const MARKS: usize = 3;
const TO_SUM: usize = 4;
const WAYS: usize = 5;

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
    /// A word moves in this cycle.
    pub moves: Signal<Out, Bit>,
    /// Of this context.
    pub owner: Signal<Out, Bits<CONTEXT_WIDTH>>,
    rows: LutRam<Bits<ROW_WIDTH>, EDGE_WIDTH>,
    jobs: FifoControl<JOBS_WIDTH>,
    jobs_data: LutRam<Bits<JOB_WIDTH>, JOBS_WIDTH>,
    call_words: LutRam<Bits<32>, JOBS_WIDTH>,
    head: HeadEncoder,
    alu: ReduceAlu<32>,
    ways: DelayLine<WAYS>,
    sums: Fifo<32, SUM_WIDTH>,
    packets: Fifo<32, QUEUE_WIDTH>,
    part: DFF<Part>,
    count: DFF<Bits<WORDS_WIDTH>>,
    underway: DFF<Bits<UNDERWAY_WIDTH>>,
    to_network: DFF<Bits<RESERVED_WIDTH>>,
    to_memory: DFF<Bits<RESERVED_WIDTH>>,
    fields: Signal<Local, Bits<JOB_WIDTH>>,
    flag: [Signal<Local, Bits<1>>; 8],
    work: Signal<Local, Bits<JOB_WIDTH>>,
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
    way: Signal<Local, Bits<WAYS>>,
    way_out: Signal<Local, Bits<WAYS>>,
    out_valid: Signal<Local, Bit>,
    out: Signal<Local, Bits<32>>,
    opens_bit: Signal<Local, Bits<1>>,
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
            jobs: FifoControl::new(JOBS),
            jobs_data: LutRam::new(FifoControl::<JOBS_WIDTH>::memory_words(JOBS)),
            call_words: LutRam::new(FifoControl::<JOBS_WIDTH>::memory_words(JOBS)),
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
        wire!(self => rows, jobs_data, call_words, ways: clk);
        dff_setup!(self, clk, part, count, underway, to_network, to_memory);
        self.rows.write_enable.next = self.row_write.enable.val();
        self.rows.write_address.next = self.row_write.neighbour.val();
        self.rows.write_data.next = self.row_write.row.val();

        // Passes wait.
        self.flag[0].next = self.job.first.val().into();
        self.flag[1].next = self.job.from_memory.val().into();
        self.flag[2].next = self.job.from_edge.val().into();
        self.flag[3].next = self.job.from_sum.val().into();
        self.flag[4].next = self.job.folds.val().into();
        self.flag[5].next = self.job.to_network.val().into();
        self.flag[6].next = self.job.to_memory.val().into();
        self.flag[7].next = self.job.to_sum.val().into();
        self.fields.next = bit_cast::<JOB_WIDTH, CONTEXT_WIDTH>(self.job.owner.val())
            | (bit_cast::<JOB_WIDTH, WORDS_WIDTH>(self.job.words.val()) << bits::<6>(WORDS_OFFSET as u64))
            | (bit_cast::<JOB_WIDTH, 1>(self.flag[0].val()) << bits::<6>(FIRST_OFFSET as u64))
            | (bit_cast::<JOB_WIDTH, 1>(self.flag[1].val()) << bits::<6>(FROM_MEMORY_OFFSET as u64))
            | (bit_cast::<JOB_WIDTH, 1>(self.flag[2].val()) << bits::<6>(FROM_EDGE_OFFSET as u64))
            | (bit_cast::<JOB_WIDTH, 1>(self.flag[3].val()) << bits::<6>(FROM_SUM_OFFSET as u64))
            | (bit_cast::<JOB_WIDTH, 1>(self.flag[4].val()) << bits::<6>(FOLDS_OFFSET as u64))
            | (bit_cast::<JOB_WIDTH, 1>(self.flag[5].val()) << bits::<6>(TO_NETWORK_OFFSET as u64))
            | (bit_cast::<JOB_WIDTH, EDGE_WIDTH>(self.job.target.val()) << bits::<6>(TARGET_OFFSET as u64))
            | (bit_cast::<JOB_WIDTH, 1>(self.flag[6].val()) << bits::<6>(TO_MEMORY_OFFSET as u64))
            | (bit_cast::<JOB_WIDTH, ADDRESS_WIDTH>(self.job.result.val()) << bits::<6>(RESULT_OFFSET as u64))
            | (bit_cast::<JOB_WIDTH, 1>(self.flag[7].val()) << bits::<6>(TO_SUM_OFFSET as u64));
        self.jobs_data.write_data.next = self.fields.val();
        if self.job.ends.val() {
            self.jobs_data.write_data.next = self.fields.val().replace_bit(ENDS_OFFSET, true);
        }
        self.call_words.write_data.next = self.job.call_word.val();
        self.jobs.write.next = self.job.valid.val();
        self.job.ready.next = !self.jobs.full.val();
        wire!(jobs => jobs_data, call_words: write_enable, write_address, read_address);
        self.work.next = self.jobs_data.read_data.val();
        self.has_work.next = !self.jobs.empty.val();
        self.owner.next = self.work.val().get_bits::<CONTEXT_WIDTH>(0);
        self.words.next = self.work.val().get_bits::<WORDS_WIDTH>(WORDS_OFFSET);
        self.sends.next = self.work.val().get_bit(TO_NETWORK_OFFSET);
        self.writes.next = self.work.val().get_bit(TO_MEMORY_OFFSET);
        self.folds.next = self.work.val().get_bit(FOLDS_OFFSET);

        // The next word, and whether it can move.
        self.in_words.next =
            (self.part.q.val() == Part::Words) | ((self.part.q.val() == Part::Head) & !self.sends.val());
        self.has_words.next = self.words.val().any();
        self.is_there.next = (!self.work.val().get_bit(FROM_MEMORY_OFFSET) | self.own.tvalid.val())
            & (!self.work.val().get_bit(FROM_EDGE_OFFSET) | self.neighbour.tvalid.val())
            & (!self.work.val().get_bit(FROM_SUM_OFFSET) | self.sums.m_axis.tvalid.val());
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
        self.jobs.read.next = (self.is_over.val() & !self.work.val().get_bit(ENDS_OFFSET)) | self.gives_mark.val();
        if self.gives_head.val() {
            self.part.d.next = Part::Words;
            if self.work.val().get_bit(FIRST_OFFSET) {
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
            if self.work.val().get_bit(ENDS_OFFSET) {
                self.part.d.next = Part::Mark;
            }
        }
        if self.gives_mark.val() {
            self.part.d.next = Part::Head;
        }
        self.moves.next = self.gives.val();

        // The word, and where it goes.
        self.rows.read_address.next = self.work.val().get_bits::<EDGE_WIDTH>(TARGET_OFFSET);
        self.head.destination.next = self.rows.read_data.val().get_bits::<NODE_WIDTH>(0);
        self.head.source.next = self.node.val();
        self.head.kind.next = bits::<KIND_WIDTH>(DataKind::Collective as u64);
        self.head.last.next = false;
        self.head.tag.next =
            (bit_cast::<TAG_WIDTH, PLACE_WIDTH>(self.rows.read_data.val().get_bits::<PLACE_WIDTH>(NODE_WIDTH))
                << bits::<4>(TAG_PLACE_OFFSET as u64))
                | bit_cast::<TAG_WIDTH, CONTEXT_WIDTH>(self.owner.val());
        self.value.next = self.neighbour.tdata.val();
        if self.work.val().get_bit(FROM_MEMORY_OFFSET) {
            self.value.next = self.own.tdata.val();
        }
        if self.work.val().get_bit(FROM_SUM_OFFSET) {
            self.value.next = self.sums.m_axis.tdata.val();
        }
        self.way.next = 0.into();
        match self.part.q.val() {
            Part::Head => {
                if self.sends.val() {
                    self.value.next = self.head.word.val();
                }
            }
            Part::Call => {
                self.value.next = self.call_words.read_data.val();
            }
            Part::Words => {}
            Part::Mark => {
                self.value.next = bit_cast::<32, CONTEXT_WIDTH>(self.owner.val());
            }
        }
        if self.gives_word.val() {
            self.way.next = (bit_cast::<WAYS, 1>(self.work.val().get_bits::<1>(TO_NETWORK_OFFSET)))
                | (bit_cast::<WAYS, 1>(self.work.val().get_bits::<1>(TO_MEMORY_OFFSET)) << bits::<3>(TO_MEMORY as u64))
                | (bit_cast::<WAYS, 1>(self.work.val().get_bits::<1>(TO_SUM_OFFSET)) << bits::<3>(TO_SUM as u64));
            if !self.count.q.val().any() {
                self.way.next = (bit_cast::<WAYS, 1>(self.work.val().get_bits::<1>(TO_NETWORK_OFFSET)))
                    | (bit_cast::<WAYS, 1>(self.work.val().get_bits::<1>(TO_MEMORY_OFFSET))
                        << bits::<3>(TO_MEMORY as u64))
                    | (bit_cast::<WAYS, 1>(self.work.val().get_bits::<1>(TO_SUM_OFFSET)) << bits::<3>(TO_SUM as u64))
                    | bits::<WAYS>(1 << OPENS as u64);
            }
        }
        if self.gives_head.val() | self.gives_call.val() {
            self.way.next = bits::<WAYS>(1);
        }
        if self.gives_mark.val() {
            self.way.next = bits::<WAYS>(1 << MARKS as u64);
        }
        self.own.tready.next = self.gives_word.val() & self.work.val().get_bit(FROM_MEMORY_OFFSET);
        self.neighbour.tready.next = self.gives_word.val() & self.work.val().get_bit(FROM_EDGE_OFFSET);
        self.sums.m_axis.tready.next = self.gives_word.val() & self.work.val().get_bit(FROM_SUM_OFFSET);
        self.place_valid.next = self.gives_word.val() & self.writes.val() & !self.count.q.val().any();
        self.place.next = self.work.val().get_bits::<ADDRESS_WIDTH>(RESULT_OFFSET);

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
                .call_words
                .read_data
                .val()
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
        self.packets.s_axis.tvalid.next = self.out_valid.val() & self.way_out.val().get_bit(TO_NETWORK);
        self.packets.s_axis.tdata.next = self.out.val();
        self.packets.s_axis.tlast.next = self.tail.val();
        StreamOut::<32>::link(&mut self.m_axis, &mut self.packets.m_axis);
        self.left.next = self.packets.m_axis.tvalid.val() & self.m_axis.tready.val();
        self.opens_bit.next = self.way_out.val().get_bits::<1>(OPENS);
        self.result.tvalid.next =
            self.out_valid.val() & (self.way_out.val().get_bit(TO_MEMORY) | self.way_out.val().get_bit(MARKS));
        self.result.tdata.next = bit_cast::<RESULT_WIDTH, 32>(self.out.val())
            | (bit_cast::<RESULT_WIDTH, 1>(self.opens_bit.val()) << bits::<6>(32));
        self.result.tlast.next = self.way_out.val().get_bit(MARKS);
        self.sums.s_axis.tvalid.next = self.out_valid.val() & self.way_out.val().get_bit(TO_SUM);
        self.sums.s_axis.tdata.next = self.out.val();
        self.sums.s_axis.tlast.next = false;
        self.reserves.next = self.gives.val() & self.way.val().get_bit(TO_NETWORK);
        if self.reserves.val() & !self.left.val() {
            self.to_network.d.next = self.to_network.q.val() + 1;
        }
        if self.left.val() & !self.reserves.val() {
            self.to_network.d.next = self.to_network.q.val() - 1;
        }
        self.reserves_result.next =
            self.gives.val() & (self.way.val().get_bit(TO_MEMORY) | self.way.val().get_bit(MARKS));
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
