use super::{kept_calls::WAITING_WIDTH, RenewalOut, Row, RowWriteOut, EDGES, EDGE_WIDTH};
use crate::{
    bus::{AddressMatch, RegisterAccessIn},
    prim::LutRam,
};
use portico_spec::{
    flit::NODE_WIDTH,
    mpe::call::{
        ARMED_WIDTH, CONTEXTS, CONTEXT_WIDTH, NEIGHBOURS, NUMBER_WIDTH, PLACE_WIDTH, PRESENT_OFFSET, ROW_PLACE_OFFSET,
    },
    ni::registers::{
        Block as Registers, MpeRegister, MPE_ARMED_OFFSET, MPE_CLOSED_OFFSET, MPE_CLOSE_OFFSET, MPE_DRAINED_OFFSET,
        MPE_FIELD_WIDTH, MPE_IDLE_OFFSET, MPE_NEXT_OFFSET, MPE_OPEN_OFFSET, MPE_RUNNING_OFFSET, MPE_WAITING_OFFSET,
    },
};
use portico_verilog::prelude::*;

/// Bits that number the registers of all contexts.
const REGISTERS_WIDTH: usize = MPE_FIELD_WIDTH + CONTEXT_WIDTH;

/// Lists of neighbours, and what the contexts do, as registers.
///
/// The registers of block MPE.
///
/// | | |
/// | --- | --- |
/// | latency | the answer stands 2 cycles after a read, until the next; a row is written 1 cycle after its register |
/// | state | the lists in LUT-RAM; which neighbours there are, which contexts are idle or drained, and the answer |
#[derive(LogicBlock, Default)]
pub struct MpeRegisters {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no context has a neighbour.
    pub rst: Signal<In, Bit>,
    /// Accesses to registers; those of block MPE take effect here.
    pub register: RegisterAccessIn,
    /// Rows of the lists, for the copies in other blocks; 1 cycle after the write of their register.
    pub row_write: RowWriteOut,
    /// Edges with a neighbour.
    pub present: Signal<Out, Bits<EDGES>>,
    /// High for one cycle: the time-out of a context is written.
    pub timeout_write: Signal<Out, Bit>,
    /// Context whose time-out is written; valid with `timeout_write`.
    pub timeout_context: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// The time-out in cycles; valid with `timeout_write`.
    pub timeout: Signal<Out, Bits<32>>,
    /// One bit a context, for one cycle: it is to be closed.
    pub close: Signal<Out, Bits<CONTEXTS>>,
    /// Contexts that begin anew.
    pub renewal: RenewalOut,
    /// One bit an edge, for one cycle: its context opens.
    pub open: Signal<Out, Bits<EDGES>>,
    /// Edges that have all their credits.
    pub credits: Signal<In, Bits<EDGES>>,
    /// One bit a context: a call runs.
    pub running: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: calls wait.
    pub waits: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: the intake has a call to it that does not run or wait yet.
    pub takes_in: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: it is closed.
    pub closed: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: packets lie here, in the edge buffer.
    pub holds: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: a launch is under way, or a token, a credit or a go is owed.
    pub owes: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: a pass of it is under way.
    pub passes: Signal<In, Bits<CONTEXTS>>,
    /// By context how many calls are armed.
    pub armed: [Signal<In, Bits<ARMED_WIDTH>>; CONTEXTS],
    /// The context that is read or written.
    pub asked: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// Calls that wait in the context `asked`, in the same cycle.
    pub asked_waiting: Signal<In, Bits<WAITING_WIDTH>>,
    /// Number of the next call of the context `asked`, in the same cycle.
    pub asked_next: Signal<In, Bits<NUMBER_WIDTH>>,
    /// High for a cycle: a row is not written, or a context does not open.
    pub refused: Signal<Out, Bit>,
    is_own: AddressMatch<{ Registers::Mpe as usize }, REGISTERS_WIDTH>,
    rows: LutRam<Row, EDGE_WIDTH>,
    known: DFF<Bits<EDGES>>,
    idle: DFF<Bits<CONTEXTS>>,
    drained: DFF<Bits<CONTEXTS>>,
    asks: DFF<Bit>,
    writes: DFF<Bit>,
    answer: DFF<Bits<32>>,
    has_call: Signal<Local, Bits<CONTEXTS>>,
    rests: Signal<Local, Bits<CONTEXTS>>,
    is_drained: Signal<Local, Bits<CONTEXTS>>,
    place: Signal<Local, Bits<MPE_FIELD_WIDTH>>,
    named: Signal<Local, Bits<CONTEXT_WIDTH>>,
    owner: Signal<Local, Bits<CONTEXT_WIDTH>>,
    number: Signal<Local, Bits<EDGE_WIDTH>>,
    is_built: Signal<Local, Bit>,
    is_row: Signal<Local, Bit>,
    is_control: Signal<Local, Bit>,
    writes_row: Signal<Local, Bit>,
    may_open: Signal<Local, Bit>,
    drained_bit: Signal<Local, Bits<1>>,
    chosen: Signal<Local, Bits<EDGES>>,
    away: Signal<Local, Bits<EDGES>>,
    value: Signal<Local, Bits<32>>,
    idle_bit: Signal<Local, Bits<1>>,
    running_bit: Signal<Local, Bits<1>>,
    closed_bit: Signal<Local, Bits<1>>,
    asked_armed: Signal<Local, Bits<ARMED_WIDTH>>,
    built: Constant<Bits<EDGES>>,
    last_context: Constant<Bits<CONTEXT_WIDTH>>,
    neighbours: Constant<Bits<{ PLACE_WIDTH + 1 }>>,
}

impl MpeRegisters {
    /// For `contexts` contexts of `neighbours` neighbours.
    pub fn new(contexts: usize, neighbours: usize) -> Self {
        Self {
            rows: LutRam::new(contexts * NEIGHBOURS),
            built: Constant::new(bits(super::built_edges(contexts))),
            last_context: Constant::new(bits(contexts as u64 - 1)),
            neighbours: Constant::new(bits(neighbours as u64)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for MpeRegisters {
    fn update(&mut self) {
        wire!(self => rows: clk);
        dff_setup!(self, clk, known, idle, drained, asks, writes, answer);
        self.is_own.index.next = self.register.index.val();
        self.place.next = self.register.index.val().get_bits::<MPE_FIELD_WIDTH>(0);
        self.named.next = self.register.index.val().get_bits::<CONTEXT_WIDTH>(MPE_FIELD_WIDTH);
        self.owner.next = self.named.val() & self.last_context.val();
        self.number.next = bit_cast::<EDGE_WIDTH, PLACE_WIDTH>(self.place.val().get_bits::<PLACE_WIDTH>(0))
            | field::<EDGE_WIDTH, CONTEXT_WIDTH>(self.owner.val(), PLACE_WIDTH);
        self.is_built.next = self.named.val() == self.owner.val();
        self.asks.d.next = self.register.read.val() & self.is_own.hit.val() & self.is_built.val();
        self.writes.d.next = self.register.write.val() & self.is_own.hit.val() & self.is_built.val();

        // Which contexts are idle or drained. A row and a call to its context come one after the other: `idle` is a cycle late, and a call
        // that has come since refuses the row.
        self.has_call.next = self.running.val() | self.waits.val() | self.takes_in.val();
        self.away.next = self.known.q.val() & !self.credits.val();
        self.rests.next = 0.into();
        for i in 0..CONTEXTS {
            self.rests.next = self.rests.val().replace_bit(
                i,
                !self.away.val().get_bits::<NEIGHBOURS>(0).any()
                    & !self.has_call.val().get_bit(i)
                    & !self.holds.val().get_bit(i)
                    & !self.owes.val().get_bit(i),
            );
            self.away.next = self.away.val() >> bits::<6>(NEIGHBOURS as u64);
        }
        self.idle.d.next = self.rests.val() & !self.closed.val();
        self.is_drained.next = self.rests.val() & self.closed.val() & !self.passes.val();
        self.drained.d.next = self.is_drained.val();

        // Rows.
        self.is_row.next = self.writes.q.val() & !self.place.val().get_bit(PLACE_WIDTH);
        self.row_write.neighbour.next = self.number.val();
        self.row_write.row.next.node = self.register.data.val().get_bits::<NODE_WIDTH>(0);
        self.row_write.row.next.place = self.register.data.val().get_bits::<PLACE_WIDTH>(ROW_PLACE_OFFSET);
        self.writes_row.next = self.is_row.val()
            & self.idle.q.val().get_bit(self.owner.val().index())
            & !self.has_call.val().get_bit(self.owner.val().index())
            & (bit_cast::<{ PLACE_WIDTH + 1 }, PLACE_WIDTH>(self.place.val().get_bits::<PLACE_WIDTH>(0))
                < self.neighbours.val());
        self.row_write.enable.next = self.writes_row.val();
        self.rows.write_enable.next = self.writes_row.val();
        self.rows.write_address.next = self.number.val();
        self.rows.write_data.next.node = self.register.data.val().get_bits::<NODE_WIDTH>(0);
        self.rows.write_data.next.place = self.register.data.val().get_bits::<PLACE_WIDTH>(ROW_PLACE_OFFSET);
        self.chosen.next = bits::<EDGES>(1) << self.number.val();
        if self.writes_row.val() {
            self.known.d.next = self.known.q.val() & !self.chosen.val() & self.built.val();
            if self.register.data.val().get_bit(PRESENT_OFFSET) {
                self.known.d.next = (self.known.q.val() | self.chosen.val()) & self.built.val();
            }
        }
        self.present.next = self.known.q.val();
        self.timeout_write.next =
            self.writes.q.val() & (self.place.val() == bits::<MPE_FIELD_WIDTH>(MpeRegister::Timeout as u64));
        self.timeout_context.next = self.owner.val();
        self.timeout.next = self.register.data.val();

        // The control. `drained` is a cycle late too; a call that has come since is refused, because the context is closed.
        self.is_control.next =
            self.writes.q.val() & (self.place.val() == bits::<MPE_FIELD_WIDTH>(MpeRegister::Control as u64));
        self.close.next = 0.into();
        if self.is_control.val() & self.register.data.val().get_bit(MPE_CLOSE_OFFSET) {
            self.close.next = bits::<CONTEXTS>(1) << self.owner.val();
        }
        self.may_open.next = self.is_control.val()
            & self.register.data.val().get_bit(MPE_OPEN_OFFSET)
            & self.drained.q.val().get_bit(self.owner.val().index())
            & self.is_drained.val().get_bit(self.owner.val().index());
        self.renewal.enable.next = self.writes_row.val() | self.may_open.val();
        self.renewal.context.next = self.owner.val();
        self.open.next = 0.into();
        if self.may_open.val() {
            self.open.next = (bits::<EDGES>((1 << NEIGHBOURS) - 1)
                << field::<6, CONTEXT_WIDTH>(self.owner.val(), PLACE_WIDTH))
                & self.built.val();
        }
        self.refused.next = (self.is_row.val() & !self.writes_row.val())
            | (self.is_control.val() & self.register.data.val().get_bit(MPE_OPEN_OFFSET) & !self.may_open.val());

        // The list and the status.
        self.asked.next = self.owner.val();
        self.idle_bit.next = self.idle.q.val().get_bit(self.owner.val().index()).into();
        self.running_bit.next = self.running.val().get_bit(self.owner.val().index()).into();
        self.closed_bit.next = self.closed.val().get_bit(self.owner.val().index()).into();
        self.drained_bit.next = self.drained.q.val().get_bit(self.owner.val().index()).into();
        self.asked_armed.next = 0.into();
        for i in 0..CONTEXTS {
            if self.owner.val() == bits::<CONTEXT_WIDTH>(i) {
                self.asked_armed.next = self.armed[i].val();
            }
        }
        self.value.next = 0.into();
        self.rows.read_address.next = self.number.val();
        if !self.place.val().get_bit(PLACE_WIDTH) & self.known.q.val().get_bit(self.number.val().index()) {
            self.value.next = (bit_cast::<32, NODE_WIDTH>(self.rows.read_data.val().node)
                | field::<32, PLACE_WIDTH>(self.rows.read_data.val().place, ROW_PLACE_OFFSET))
            .replace_bit(PRESENT_OFFSET, true);
        }
        if self.place.val() == bits::<MPE_FIELD_WIDTH>(MpeRegister::Status as u64) {
            self.value.next = field::<32, 1>(self.idle_bit.val(), MPE_IDLE_OFFSET)
                | field::<32, 1>(self.running_bit.val(), MPE_RUNNING_OFFSET)
                | field::<32, 1>(self.closed_bit.val(), MPE_CLOSED_OFFSET)
                | field::<32, WAITING_WIDTH>(self.asked_waiting.val(), MPE_WAITING_OFFSET)
                | field::<32, NUMBER_WIDTH>(self.asked_next.val(), MPE_NEXT_OFFSET)
                | field::<32, 1>(self.drained_bit.val(), MPE_DRAINED_OFFSET)
                | field::<32, ARMED_WIDTH>(self.asked_armed.val(), MPE_ARMED_OFFSET);
        }
        if self.register.read.val() {
            self.answer.d.next = 0.into();
        }
        if self.asks.q.val() {
            self.answer.d.next = self.value.val();
        }
        self.register.answer.next = self.answer.q.val();
        if self.rst.val() {
            self.known.d.next = 0.into();
            self.idle.d.next = 0.into();
            self.drained.d.next = 0.into();
            self.asks.d.next = false;
            self.writes.d.next = false;
            self.answer.d.next = 0.into();
        }
    }
}
