use super::{Row, RowWriteIn, EDGES, EDGE_WIDTH};
use crate::{
    bus::{FlitsIn, HeadDecoder},
    prim::LutRam,
};
use portico_spec::mpe::call::{
    CONTEXT_WIDTH, GO_OFFSET, HEAD_NUMBER_OFFSET, HEAD_NUMBER_WIDTH, NEIGHBOURS, PLACE_WIDTH, TAG_PLACE_OFFSET,
    TAG_PLACE_WIDTH, TOKEN_OFFSET,
};
use portico_verilog::prelude::*;

/// Bits of a tag's place above those that there are.
const ABOVE_OFFSET: usize = TAG_PLACE_OFFSET + PLACE_WIDTH;
const ABOVE_WIDTH: usize = TAG_PLACE_WIDTH - PLACE_WIDTH;

/// Takes tokens, credits and goes from the control plane.
///
/// Packets of a head alone.
///
/// | | |
/// | --- | --- |
/// | latency | in the cycle of the flit |
/// | throughput | one packet a cycle |
/// | state | lists in LUT-RAM |
///
/// The receiver drops a packet if its sender is not the neighbour in its place, if words follow its head, or if it says token and
/// go at once.
#[derive(LogicBlock, Default)]
pub struct TokenReceiver {
    pub clk: Signal<In, Clock>,
    /// Flits of the control plane with the engine's kind.
    pub flits: FlitsIn<32>,
    /// Rows of the lists as they are written, for this block's copy.
    pub row_write: RowWriteIn,
    /// Edges with a neighbour.
    pub present: Signal<In, Bits<EDGES>>,
    /// High for a cycle: a token has come.
    pub token: Signal<Out, Bit>,
    /// High for a cycle: a credit has come.
    pub credit: Signal<Out, Bit>,
    /// High for a cycle: a go has come.
    pub go: Signal<Out, Bit>,
    /// The low bits of the number of its call, of a go of the first call that it launches; valid with `token` or `go`.
    pub number: Signal<Out, Bits<HEAD_NUMBER_WIDTH>>,
    /// Edge on which it has come: context above place; valid with `token`, `credit` or `go`.
    pub neighbour: Signal<Out, Bits<EDGE_WIDTH>>,
    /// High for a cycle: a packet was refused.
    pub refused: Signal<Out, Bit>,
    rows: LutRam<Row, EDGE_WIDTH>,
    head: HeadDecoder,
    named: Signal<Local, Bits<CONTEXT_WIDTH>>,
    owner: Signal<Local, Bits<CONTEXT_WIDTH>>,
    last_context: Constant<Bits<CONTEXT_WIDTH>>,
    is_known: Signal<Local, Bit>,
    on: Signal<Local, Bits<EDGE_WIDTH>>,
    is_token: Signal<Local, Bit>,
    is_go: Signal<Local, Bit>,
}

impl TokenReceiver {
    /// For `contexts` contexts.
    pub fn new(contexts: usize) -> Self {
        Self {
            rows: LutRam::new(contexts * NEIGHBOURS),
            last_context: Constant::new(bits(contexts as u64 - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for TokenReceiver {
    fn update(&mut self) {
        wire!(self => rows: clk);
        self.rows.write_enable.next = self.row_write.enable.val();
        self.rows.write_address.next = self.row_write.neighbour.val();
        self.rows.write_data.next = self.row_write.row.val();
        self.head.word.next = self.flits.data.val();
        self.named.next = self.head.tag.val().get_bits::<CONTEXT_WIDTH>(0);
        self.owner.next = self.named.val() & self.last_context.val();
        self.on.next =
            bit_cast::<EDGE_WIDTH, PLACE_WIDTH>(self.head.tag.val().get_bits::<PLACE_WIDTH>(TAG_PLACE_OFFSET))
                | field::<EDGE_WIDTH, CONTEXT_WIDTH>(self.owner.val(), PLACE_WIDTH);
        self.rows.read_address.next = self.on.val();
        self.neighbour.next = self.on.val();
        self.is_known.next = (self.named.val() == self.owner.val())
            & self.present.val().get_bit(self.on.val().index())
            & !self.head.tag.val().get_bits::<ABOVE_WIDTH>(ABOVE_OFFSET).any()
            & (self.rows.read_data.val().node == self.head.source.val())
            & self.flits.last.val();
        self.is_token.next = self.head.tag.val().get_bit(TOKEN_OFFSET);
        self.is_go.next = self.head.tag.val().get_bit(GO_OFFSET);
        self.number.next = self.flits.data.val().get_bits::<HEAD_NUMBER_WIDTH>(HEAD_NUMBER_OFFSET);
        self.token.next = false;
        self.credit.next = false;
        self.go.next = false;
        self.refused.next = false;
        if self.flits.valid.val() & self.flits.first.val() {
            self.token.next = self.is_known.val() & self.is_token.val() & !self.is_go.val();
            self.credit.next = self.is_known.val() & !self.is_token.val() & !self.is_go.val();
            self.go.next = self.is_known.val() & !self.is_token.val() & self.is_go.val();
            self.refused.next = !self.is_known.val() | (self.is_token.val() & self.is_go.val());
        }
    }
}
