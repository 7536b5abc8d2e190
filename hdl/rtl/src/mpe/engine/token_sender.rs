use super::{Row, RowWriteIn, EDGE_WIDTH, OWED_WIDTH};
use crate::{
    bus::{HeadDecoder, HeadEncoder},
    prim::{LutRam, Queue, SkidBuffer, StreamOut},
};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    mpe::call::{
        CONTEXTS, CONTEXT_WIDTH, GO_OFFSET, HEAD_NUMBER_OFFSET, HEAD_NUMBER_WIDTH, NEIGHBOURS, PLACE_WIDTH,
        TAG_PLACE_OFFSET, TOKEN_OFFSET,
    },
    ni::packet::ControlKind,
};
use portico_verilog::prelude::*;

/// Tokens and credits that may be owed for an edge, at most. Two credits, because two packets have room. Two tokens: the release
/// of one barrier, and the arrival of the next barrier if its root lies on the other side of the edge.
const OWED: usize = 4;

/// What is owed: a token or a credit.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Owed {
    /// Edge to which it goes: context above place.
    pub neighbour: Bits<EDGE_WIDTH>,
    pub is_token: Bit,
    /// The low bits of the number of the call to which the token belongs; without meaning for a credit.
    pub number: Bits<HEAD_NUMBER_WIDTH>,
}

/// Sends tokens, credits and goes.
///
/// Of up to 4 contexts.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a token, credit or go to its packet on `m_axis`, if nothing is owed before it |
/// | throughput | one packet a cycle |
/// | state | 4 entries an edge and the lists in LUT-RAM, and the token that leaves |
///
/// The sender always takes a credit. It takes a go when nothing is owed and no credit comes, and a token in all cycles in which it
/// takes neither. It has a place for all credits and tokens that can be owed. A go comes before a token, because the scheduler's
/// decision to send one comes late in the cycle: it does not choose whose row is looked up.
#[derive(LogicBlock, Default)]
pub struct TokenSender {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Rows of the lists as they are written, for this block's copy.
    pub row_write: RowWriteIn,
    /// High for a cycle: a credit is owed. It is always taken.
    pub credit: Signal<In, Bit>,
    /// Edge to which the credit goes: context above place; valid with `credit`.
    pub credit_edge: Signal<In, Bits<EDGE_WIDTH>>,
    /// A token is to be sent.
    pub token: Signal<In, Bit>,
    /// Edge to which the token goes: context above place; valid with `token`.
    pub token_edge: Signal<In, Bits<EDGE_WIDTH>>,
    /// The low bits of the number of its call; valid with `token`.
    pub token_number: Signal<In, Bits<HEAD_NUMBER_WIDTH>>,
    /// The token is taken in this cycle if `token` is high; low while `credit` is high or a go is taken.
    pub token_ready: Signal<Out, Bit>,
    /// A go is to be sent.
    pub go: Signal<In, Bit>,
    /// Edge to which the go goes: context above place; valid with `go`.
    pub go_edge: Signal<In, Bits<EDGE_WIDTH>>,
    /// The low bits of the number of the first call that it launches; valid with `go`.
    pub go_number: Signal<In, Bits<HEAD_NUMBER_WIDTH>>,
    /// The go is taken in this cycle if `go` is high.
    pub go_ready: Signal<Out, Bit>,
    /// Tokens, credits and goes for the control plane: packets of a head alone.
    pub m_axis: StreamOut<32>,
    /// One bit a context: something is owed, and has not entered the plane.
    pub owes: Signal<Out, Bits<CONTEXTS>>,
    rows: LutRam<Row, EDGE_WIDTH>,
    owed: Queue<Owed, OWED_WIDTH>,
    head: HeadEncoder,
    sent: HeadDecoder,
    buffer: SkidBuffer<32>,
    count: [DFF<Bits<OWED_WIDTH>>; CONTEXTS],
    /// Edge and number of what comes in: a credit, a go or a token.
    added: Signal<Local, Bits<EDGE_WIDTH>>,
    added_number: Signal<Local, Bits<HEAD_NUMBER_WIDTH>>,
    neighbour: Signal<Local, Bits<EDGE_WIDTH>>,
    number: Signal<Local, Bits<HEAD_NUMBER_WIDTH>>,
    adds: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    more: Signal<Local, Bits<CONTEXTS>>,
    fewer: Signal<Local, Bits<CONTEXTS>>,
    more_bit: Signal<Local, Bits<1>>,
    fewer_bit: Signal<Local, Bits<1>>,
    takes_go: Signal<Local, Bit>,
    /// The queue is empty, and the buffer has room: a token, credit or go of this cycle enters the buffer.
    passes: Signal<Local, Bit>,
    is_token: Signal<Local, Bit>,
}

impl TokenSender {
    /// For `contexts` contexts.
    pub fn new(contexts: usize) -> Self {
        let edges = contexts * NEIGHBOURS;
        Self {
            rows: LutRam::new(edges),
            owed: Queue::new(OWED * edges),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for TokenSender {
    fn update(&mut self) {
        wire!(self => owed, buffer: clk, rst);
        wire!(self => rows: clk);
        self.rows.write_enable.next = self.row_write.enable.val();
        self.rows.write_address.next = self.row_write.neighbour.val();
        self.rows.write_data.next = self.row_write.row.val();

        self.passes.next = self.owed.empty.val() & self.buffer.s_axis.tready.val();
        self.go_ready.next = self.passes.val() & !self.credit.val();
        self.takes_go.next = self.go.val() & self.go_ready.val();
        self.token_ready.next = !self.credit.val() & !self.takes_go.val();
        self.adds.next = self.credit.val() | (self.token.val() & self.token_ready.val());
        self.added.next = self.token_edge.val();
        self.added_number.next = self.token_number.val();
        if self.takes_go.val() {
            self.added.next = self.go_edge.val();
            self.added_number.next = self.go_number.val();
        }
        if self.credit.val() {
            self.added.next = self.credit_edge.val();
            self.added_number.next = 0.into();
        }
        self.owed.write.next = self.adds.val() & !self.passes.val();
        self.owed.write_data.next.neighbour = self.added.val();
        self.owed.write_data.next.is_token = !self.credit.val();
        self.owed.write_data.next.number = self.added_number.val();

        // The oldest token or credit of the queue; if the queue is empty, what comes in this cycle.
        self.neighbour.next = self.owed.read_data.val().neighbour;
        self.number.next = self.owed.read_data.val().number;
        self.is_token.next = self.owed.read_data.val().is_token;
        if self.owed.empty.val() {
            self.neighbour.next = self.added.val();
            self.number.next = self.added_number.val();
            self.is_token.next = self.token_ready.val();
        }
        self.rows.read_address.next = self.neighbour.val();
        self.head.destination.next = self.rows.read_data.val().node;
        self.head.source.next = self.node.val();
        self.head.kind.next = bits::<KIND_WIDTH>(ControlKind::Collective as u64);
        self.head.last.next = true;
        self.head.tag.next = (field::<TAG_WIDTH, PLACE_WIDTH>(self.rows.read_data.val().place, TAG_PLACE_OFFSET)
            | bit_cast::<TAG_WIDTH, CONTEXT_WIDTH>(self.neighbour.val().get_bits::<CONTEXT_WIDTH>(PLACE_WIDTH)))
        .replace_bit(TOKEN_OFFSET, self.is_token.val())
        .replace_bit(GO_OFFSET, self.takes_go.val());
        self.buffer.s_axis.tvalid.next = !self.owed.empty.val() | self.adds.val() | self.takes_go.val();
        self.buffer.s_axis.tdata.next =
            self.head.word.val() | field::<32, HEAD_NUMBER_WIDTH>(self.number.val(), HEAD_NUMBER_OFFSET);
        self.buffer.s_axis.tlast.next = true;
        self.owed.read.next = self.buffer.s_axis.tready.val();
        wire!(self <=> buffer: m_axis);
        self.sends.next = self.buffer.m_axis.tvalid.val() & self.m_axis.tready.val();
        self.sent.word.next = self.buffer.m_axis.tdata.val();

        self.more.next = 0.into();
        if self.adds.val() | self.takes_go.val() {
            self.more.next = bits::<CONTEXTS>(1) << self.added.val().get_bits::<CONTEXT_WIDTH>(PLACE_WIDTH);
        }
        self.fewer.next = 0.into();
        if self.sends.val() {
            self.fewer.next = bits::<CONTEXTS>(1) << self.sent.tag.val().get_bits::<CONTEXT_WIDTH>(0);
        }
        self.owes.next = 0.into();
        for i in 0..CONTEXTS {
            self.count[i].clock.next = self.clk.val();
            self.more_bit.next = self.more.val().get_bit(i).into();
            self.fewer_bit.next = self.fewer.val().get_bit(i).into();
            self.count[i].d.next = self.count[i].q.val() + bit_cast::<OWED_WIDTH, 1>(self.more_bit.val())
                - bit_cast::<OWED_WIDTH, 1>(self.fewer_bit.val());
            self.owes.next = self.owes.val().replace_bit(i, self.count[i].q.val().any());
            if self.rst.val() {
                self.count[i].d.next = 0.into();
            }
        }
    }
}
