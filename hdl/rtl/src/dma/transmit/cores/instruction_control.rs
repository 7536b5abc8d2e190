use super::{Instruction, InstructionFault};
use portico_spec::ni::{instruction::IDLE_INSTRUCTIONS, packet::ERROR_WIDTH};
use portico_verilog::prelude::*;

/// Bits that count the instructions of a turn: after 2^4 a context that closes no packet makes room for others.
const TURN_WIDTH: usize = 4;
/// Bits that count the instructions without payload of an open packet; the upper one says that it must close.
const IDLE_WIDTH: usize = IDLE_INSTRUCTIONS.ilog2() as usize + 1;

const _: () = assert!(IDLE_INSTRUCTIONS.is_power_of_two());

/// What the sequencer does with the instruction that it has.
///
/// Decides in one cycle, and acts in the next, or as soon as there is room.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from `decide` to `act` |
/// | state | what was decided, the instructions of the turn, and those without payload of the open packet |
///
/// With one act an instruction closes the packet that stands in its way, or does a chunk of its work, or all of it. It
/// waits, and nothing changes, while it is held: something that it needs has no room. It is parked while what it waits for
/// has not come, with no packet open, so that others may run.
///
/// A context makes room for others with each packet that it closes. One that closes none does so when its turn is over, at
/// the first instruction that leaves no packet open. A packet stays open for 64 instructions without payload at most, and is
/// closed before the next instruction. So no loop keeps the others waiting for as long as it runs.
///
/// What fails in a micro-core stops it with the error. The server tells its requester behind the words that have gone, by
/// an empty packet that ends the transfer: the requester may use its memory anew once it knows, and nothing may come after.
#[derive(LogicBlock, Default)]
pub struct InstructionControl {
    pub clk: Signal<In, Clock>,
    /// What is to happen is decided in this cycle.
    pub decide: Signal<In, Bit>,
    /// What was decided happens in this cycle, or as soon as there is room.
    pub act: Signal<In, Bit>,
    /// The current instruction, decoded.
    pub instruction: Signal<In, Instruction>,
    /// The place is beyond the program memory, or the loops are wrong.
    pub lost: Signal<In, Bit>,
    /// The context is the server's.
    pub server: Signal<In, Bit>,
    /// The transfer has ended.
    pub ended: Signal<In, Bit>,
    /// A row has words.
    pub has_row: Signal<In, Bit>,
    /// As the cutter says: the chunk may go into the open packet.
    pub joins: Signal<In, Bit>,
    /// As the cutter says: the chunk is the last of its row, or a literal.
    pub finishes: Signal<In, Bit>,
    /// As the cutter says: the chunk ends beyond the memory that the context may read.
    pub out_of_memory: Signal<In, Bit>,
    /// As the cutter says: the chunk ends beyond the remote segment.
    pub out_of_segment: Signal<In, Bit>,
    /// A packet is open.
    pub is_open: Signal<In, Bit>,
    /// The open packet takes no more but whole rows.
    pub rows: Signal<In, Bit>,
    /// The shaper of the context lets a packet begin.
    pub may_send: Signal<In, Bit>,
    /// The event that WAIT waits for has fired.
    pub fired: Signal<In, Bit>,
    /// A credit that was asked for comes or not: the answer, for one cycle.
    pub credit_answered: Signal<In, Bit>,
    /// With `credit_answered`: there was a credit, and it is taken.
    pub credit_granted: Signal<In, Bit>,
    /// Another transaction of the segment is open: FENCE waits.
    pub fence_busy: Signal<In, Bit>,
    /// NOTIFY stays silent.
    pub silent: Signal<In, Bit>,
    /// A context would start.
    pub start_waits: Signal<In, Bit>,
    /// Somebody else could run.
    pub others: Signal<In, Bit>,
    /// There is room for a header.
    pub header_ready: Signal<In, Bit>,
    /// There is room for a chunk.
    pub chunk_ready: Signal<In, Bit>,
    /// There is room for a notice.
    pub notice_ready: Signal<In, Bit>,
    /// There is room for the report of a stop.
    pub stop_ready: Signal<In, Bit>,
    /// There is room for a result: none waits to be written, and no loop.
    pub write_ready: Signal<In, Bit>,
    /// Something is to be sent, whether or not there is room for it.
    pub sends: Signal<Out, Bit>,
    /// A chunk is to go into the packet, whether or not it can in this cycle.
    pub wants_chunk: Signal<Out, Bit>,
    /// It goes through the cutter: it has payload.
    pub payload: Signal<Out, Bit>,
    /// A chunk goes into the packet in this cycle.
    pub push_chunk: Signal<Out, Bit>,
    /// The packet closes and its header goes in this cycle.
    pub push_header: Signal<Out, Bit>,
    /// The header ends the transfer.
    pub last: Signal<Out, Bit>,
    /// The header ends the transfer before its time, for `error`.
    pub breaks_off: Signal<Out, Bit>,
    /// The notice of NOTIFY goes in this cycle.
    pub push_notice: Signal<Out, Bit>,
    /// A credit of the segment is asked for, until the answer.
    pub take_credit: Signal<Out, Bit>,
    /// The instruction has stood still, and does so for another cycle. From a flip-flop.
    pub stands: Signal<Out, Bit>,
    /// The result goes into register a in this cycle.
    pub write: Signal<Out, Bit>,
    /// The instruction is over.
    pub done: Signal<Out, Bit>,
    /// The context stops in this cycle.
    pub stop: Signal<Out, Bit>,
    /// Error for which the context stops or the transfer breaks off, 0 for none.
    pub error: Signal<Out, Bits<ERROR_WIDTH>>,
    /// The instruction waits: its shaper, event, credit or fence does not let it act yet.
    pub parked: Signal<Out, Bit>,
    /// The instruction acts in this cycle: it does all of its work, a part, or closes the packet in its way.
    pub acts: Signal<Out, Bit>,
    /// The context makes room for others, or stops.
    pub leave: Signal<Out, Bit>,
    check: InstructionFault,
    idle_row: Signal<Local, Bit>,
    has_payload: Signal<Local, Bit>,
    closing: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    ending: Signal<Local, Bit>,
    failing: Signal<Local, Bit>,
    blocked: Signal<Local, Bit>,
    works: Signal<Local, Bit>,
    breaks: Signal<Local, Bit>,
    why: DFF<Bits<ERROR_WIDTH>>,
    breaking: DFF<Bit>,
    pausing: DFF<Bit>,
    chunking: DFF<Bit>,
    header: DFF<Bit>,
    is_last: DFF<Bit>,
    finishing: DFF<Bit>,
    stopping: DFF<Bit>,
    writing: DFF<Bit>,
    noticing: DFF<Bit>,
    crediting: DFF<Bit>,
    stood: DFF<Bit>,
    turn: DFF<Bits<TURN_WIDTH>>,
    idle: DFF<Bits<IDLE_WIDTH>>,
    /// The turn is over.
    yields: Signal<Local, Bit>,
    waiting: Signal<Local, Bit>,
    acting: Signal<Local, Bit>,
}

#[kernel]
impl Logic for InstructionControl {
    fn update(&mut self) {
        dff_setup!(self, clk, why, breaking, pausing, chunking, header, is_last, finishing, stopping, writing);
        dff_setup!(self, clk, noticing, crediting, stood, turn, idle);
        self.idle_row.next = self.instruction.val().run & !self.has_row.val();
        self.has_payload.next = (self.instruction.val().run & self.has_row.val()) | self.instruction.val().word;
        self.payload.next = self.has_payload.val();
        self.closing.next = self.instruction.val().close
            | (self.idle_row.val() & (self.instruction.val().closes | self.instruction.val().stops));
        self.over.next = !self.has_payload.val() | self.finishes.val();
        self.ending.next = self.instruction.val().last & (self.instruction.val().close | self.instruction.val().closes);

        wire!(self => check: instruction, lost, server, ended, has_payload, ending, out_of_memory, out_of_segment);
        self.failing.next = self.check.fault.val().any();

        // An open packet stands in the way: it closes first.
        self.blocked.next = self.is_open.val()
            & (self.failing.val()
                | self.idle.q.val().get_bit(IDLE_WIDTH - 1)
                | self.instruction.val().seals
                | (self.has_payload.val() & !self.joins.val())
                | (self.instruction.val().shape & self.rows.val()));
        self.works.next = !self.blocked.val() & !self.failing.val();
        self.breaks.next = !self.blocked.val() & self.failing.val() & self.server.val();
        if self.decide.val() {
            self.why.d.next = self.check.fault.val();
            self.breaking.d.next = self.breaks.val();
            self.pausing.d.next = (self.breaks.val() & !self.may_send.val())
                | (self.works.val()
                    & ((!self.is_open.val()
                        & (self.has_payload.val() | (self.closing.val() & self.ending.val()))
                        & !self.may_send.val())
                        | (self.instruction.val().wait_for & !self.fired.val())
                        | (self.instruction.val().fence & self.fence_busy.val())));
            self.chunking.d.next = self.works.val() & self.has_payload.val();
            self.header.d.next = self.blocked.val()
                | self.breaks.val()
                | (self.works.val()
                    & ((self.has_payload.val()
                        & self.over.val()
                        & (self.instruction.val().closes | self.instruction.val().stops))
                        | (self.closing.val() & (self.is_open.val() | self.ending.val()))));
            self.is_last.d.next = (self.works.val() & self.ending.val()) | self.breaks.val();
            self.finishing.d.next = self.works.val() & self.over.val();
            self.stopping.d.next =
                !self.blocked.val() & (self.failing.val() | (self.instruction.val().stops & self.over.val()));
            // A context that stops needs no result: another command may own its registers before that is written.
            self.writing.d.next = self.works.val()
                & (self.instruction.val().set
                    | self.instruction.val().add
                    | (self.instruction.val().run
                        & self.has_row.val()
                        & self.over.val()
                        & !self.instruction.val().stops));
            self.noticing.d.next = self.works.val() & self.instruction.val().notify & !self.silent.val();
            self.crediting.d.next = self.works.val() & self.instruction.val().credit;
        }

        self.waiting.next = self.act.val()
            & (self.pausing.q.val()
                | (self.crediting.q.val() & self.credit_answered.val() & !self.credit_granted.val()));
        self.stands.next = self.stood.q.val();
        self.acting.next = self.act.val()
            & !self.stood.q.val()
            & !self.waiting.val()
            & (self.header_ready.val() | !self.header.q.val())
            & (self.chunk_ready.val() | !self.chunking.q.val())
            & (self.stop_ready.val() | !self.stopping.q.val())
            & self.write_ready.val()
            & (self.notice_ready.val() | !self.noticing.q.val())
            & (self.credit_answered.val() | !self.crediting.q.val());
        // An instruction that stands still leaves every other cycle to a context that would start.
        self.stood.d.next = self.act.val()
            & self.start_waits.val()
            & !self.acting.val()
            & !self.waiting.val()
            & !self.stood.q.val()
            & !self.crediting.q.val();
        self.sends.next = self.act.val()
            & !self.pausing.q.val()
            & (self.header.q.val() | self.chunking.q.val() | self.noticing.q.val());
        self.wants_chunk.next = self.chunking.q.val();
        self.push_chunk.next = self.acting.val() & self.chunking.q.val();
        self.push_header.next = self.acting.val() & self.header.q.val();
        self.last.next = self.is_last.q.val();
        self.breaks_off.next = self.breaking.q.val();
        self.push_notice.next = self.acting.val() & self.noticing.q.val();
        // The answer stands for a cycle: a credit is asked for when nothing else can hold up the instruction.
        self.take_credit.next =
            self.act.val() & !self.pausing.q.val() & self.crediting.q.val() & self.write_ready.val();
        self.write.next = self.acting.val() & self.writing.q.val();
        self.done.next = self.acting.val() & self.finishing.q.val();
        self.stop.next = self.acting.val() & self.stopping.q.val();
        self.error.next = self.why.q.val();
        self.parked.next = self.waiting.val();
        self.acts.next = self.acting.val();
        if self.acting.val() & self.finishing.q.val() & !self.turn.q.val().all() {
            self.turn.d.next = self.turn.q.val() + 1;
        }
        self.yields.next =
            self.turn.q.val().all() & self.finishing.q.val() & !self.chunking.q.val() & !self.is_open.val();
        self.leave.next = (self.acting.val() & self.stopping.q.val())
            | (self.others.val()
                & (self.waiting.val() | (self.acting.val() & (self.header.q.val() | self.yields.val()))));
        if self.leave.val() {
            self.turn.d.next = 0.into();
        }
        if self.acting.val() & self.finishing.q.val() & !self.chunking.q.val() {
            self.idle.d.next = self.idle.q.val() + 1;
        }
        if !self.is_open.val() {
            self.idle.d.next = 0.into();
        }
    }
}
