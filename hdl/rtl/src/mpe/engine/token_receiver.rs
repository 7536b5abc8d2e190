use super::{Row, RowWriteIn, EDGES, EDGE_WIDTH};
use crate::{
    bus::{FlitsIn, HeadDecoder},
    prim::LutRam,
};
use portico_spec::mpe::call::{CONTEXT_WIDTH, NEIGHBOURS, PLACE_WIDTH, TAG_PLACE_OFFSET, TOKEN_OFFSET};
use portico_verilog::prelude::*;

/// Bits of a tag between the places that there are and the token's.
const ABOVE_OFFSET: usize = TAG_PLACE_OFFSET + PLACE_WIDTH;
const ABOVE_WIDTH: usize = TOKEN_OFFSET - ABOVE_OFFSET;

/// Takes tokens and credits from the control plane.
///
/// Packets of a head alone.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from the flit to what it says |
/// | throughput | one packet a cycle |
/// | state | lists in LUT-RAM, and the token in hand |
///
/// The receiver drops a packet if its sender is not the neighbour in its place, or if words follow its head.
#[derive(LogicBlock, Default)]
pub struct TokenReceiver {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
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
    /// Edge on which it has come: context above place; valid with `token` or `credit`.
    pub neighbour: Signal<Out, Bits<EDGE_WIDTH>>,
    /// High for a cycle: a packet was refused.
    pub refused: Signal<Out, Bit>,
    rows: LutRam<Row, EDGE_WIDTH>,
    head: HeadDecoder,
    valid: DFF<Bit>,
    is_head: DFF<Bit>,
    is_tail: DFF<Bit>,
    data: DFF<Bits<32>>,
    named: Signal<Local, Bits<CONTEXT_WIDTH>>,
    owner: Signal<Local, Bits<CONTEXT_WIDTH>>,
    last_context: Constant<Bits<CONTEXT_WIDTH>>,
    is_known: Signal<Local, Bit>,
    number: Signal<Local, Bits<EDGE_WIDTH>>,
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
        dff_setup!(self, clk, valid, is_head, is_tail, data);
        self.valid.d.next = self.flits.valid.val();
        self.is_head.d.next = self.flits.first.val();
        self.is_tail.d.next = self.flits.last.val();
        self.data.d.next = self.flits.data.val();
        self.rows.write_enable.next = self.row_write.enable.val();
        self.rows.write_address.next = self.row_write.neighbour.val();
        self.rows.write_data.next = self.row_write.row.val();
        self.head.word.next = self.data.q.val();
        self.named.next = self.head.tag.val().get_bits::<CONTEXT_WIDTH>(0);
        self.owner.next = self.named.val() & self.last_context.val();
        self.number.next =
            bit_cast::<EDGE_WIDTH, PLACE_WIDTH>(self.head.tag.val().get_bits::<PLACE_WIDTH>(TAG_PLACE_OFFSET))
                | (bit_cast::<EDGE_WIDTH, CONTEXT_WIDTH>(self.owner.val()) << bits::<3>(PLACE_WIDTH as u64));
        self.rows.read_address.next = self.number.val();
        self.neighbour.next = self.number.val();
        self.is_known.next = (self.named.val() == self.owner.val())
            & self.present.val().get_bit(self.number.val().index())
            & !self.head.tag.val().get_bits::<ABOVE_WIDTH>(ABOVE_OFFSET).any()
            & (self.rows.read_data.val().node == self.head.source.val())
            & self.is_tail.q.val();
        self.token.next = false;
        self.credit.next = false;
        self.refused.next = false;
        if self.valid.q.val() & self.is_head.q.val() {
            self.token.next = self.is_known.val() & self.head.tag.val().get_bit(TOKEN_OFFSET);
            self.credit.next = self.is_known.val() & !self.head.tag.val().get_bit(TOKEN_OFFSET);
            self.refused.next = !self.is_known.val();
        }
        if self.rst.val() {
            self.valid.d.next = false;
        }
    }
}
