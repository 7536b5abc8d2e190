use super::{Cursor, Cutter, Packet, Transfer};
use crate::dma::ports::{ChunkOut, HeaderOut};
use portico_spec::{
    flit::{KIND_WIDTH, MAX_PAYLOAD_FLITS},
    ni::{
        instruction::COUNT_WIDTH,
        packet::{DataKind, ERROR_WIDTH, OFFSET_WIDTH, ROW_WIDTH, SLOT_WIDTH, STRIDE_WIDTH},
        CONTEXT_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Builds the packets of a transfer: cuts rows into chunks, and puts chunks together.
///
/// | | |
/// | --- | --- |
/// | latency | that of [`Cutter`] from an instruction to `joins`, `finishes` and the errors; chunk and header are combinational |
/// | throughput | one chunk, one header a cycle |
/// | state | that of its parts |
#[derive(LogicBlock, Default)]
pub struct PacketBuilder {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no packet is open.
    pub rst: Signal<In, Bit>,
    /// A context begins.
    pub started: Signal<In, Bit>,
    /// The context that begins, valid with `started`.
    pub start_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Remote offset of the first row of the context that begins, in words.
    pub start_offset: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Words of a row of the context that begins.
    pub start_row: Signal<In, Bits<ROW_WIDTH>>,
    /// Words from row to row at the remote side, of the context that begins.
    pub start_stride: Signal<In, Bits<STRIDE_WIDTH>>,
    /// The context that runs.
    pub current: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// What the instructions need of the job of the context that runs.
    pub transfer: Signal<In, Transfer>,
    /// Most words of payload of a packet of the shaper.
    pub maximum: Signal<In, Bits<COUNT_WIDTH>>,
    /// A chunk is to be cut.
    pub cuts: Signal<In, Bit>,
    /// The instruction puts a word that is no row's.
    pub literal: Signal<In, Bit>,
    /// The literal: register a as payload of WORD.
    pub literal_word: Signal<In, Bits<32>>,
    /// Register a: the local pointer of RUN, the offset of TO, the words of a row of SHAPE.
    pub a: Signal<In, Bits<32>>,
    /// Operand b: the words from row to row of SHAPE.
    pub b: Signal<In, Bits<32>>,
    /// TO: the remote offset of the row becomes `a`.
    pub moves: Signal<In, Bit>,
    /// SHAPE: rows become `a` words long and `b` words apart at the remote side.
    pub shapes: Signal<In, Bit>,
    /// A chunk is to go into the packet, whether or not it can in this cycle.
    pub wanted: Signal<In, Bit>,
    /// The chunk goes into the packet in this cycle.
    pub push: Signal<In, Bit>,
    /// The packet closes, with this cycle's chunk if there is one.
    pub close: Signal<In, Bit>,
    /// The packet ends the transfer.
    pub last: Signal<In, Bit>,
    /// The packet ends the transfer before its time, for `error`.
    pub breaks_off: Signal<In, Bit>,
    /// Error that takes the place of the slot in the header, with `breaks_off`.
    pub error: Signal<In, Bits<ERROR_WIDTH>>,
    /// A row has words; a cycle after the row.
    pub has_row: Signal<Out, Bit>,
    /// As the cutter says: the chunk may go into the open packet.
    pub joins: Signal<Out, Bit>,
    /// As the cutter says: the chunk is the last of its row, or a literal.
    pub finishes: Signal<Out, Bit>,
    /// As the cutter says: the chunk ends beyond the memory that the context may read.
    pub out_of_memory: Signal<Out, Bit>,
    /// As the cutter says: the chunk ends beyond the remote segment.
    pub out_of_segment: Signal<Out, Bit>,
    /// A packet is open.
    pub is_open: Signal<Out, Bit>,
    /// The open packet takes no more but whole rows.
    pub rows: Signal<Out, Bit>,
    /// Chunks of payload, in the order of their packets.
    pub chunk: ChunkOut,
    /// Headers of closed packets, each in the cycle of the last chunk of its packet or later.
    pub header: HeaderOut,
    /// Flits of the packet of `header`.
    pub flits: Signal<Out, Bits<COUNT_WIDTH>>,
    cursor: Cursor,
    cutter: Cutter,
    packet: Packet,
    any_row: DFF<Bit>,
    placed: Signal<Local, Bit>,
}

#[kernel]
impl Logic for PacketBuilder {
    fn update(&mut self) {
        wire!(self => packet: clk, rst);
        wire!(self => cursor, cutter: clk);
        dff_setup!(self, clk, any_row);
        self.placed.next = !self.transfer.val().control
            & ((self.transfer.val().kind == bits::<KIND_WIDTH>(DataKind::Put as u64))
                | (self.transfer.val().kind == bits::<KIND_WIDTH>(DataKind::Reply as u64)));

        wire!(self => cursor: started, start_context, start_offset, start_row, start_stride, current);
        wire!(self => cursor: literal, moves, shapes, a, b, placed);
        self.cursor.step.next = self.push.val();
        wire!(cutter => cursor: words, finishes);
        self.any_row.d.next = self.cursor.row.val().any();
        self.has_row.next = self.any_row.q.val();

        wire!(self => cutter: cuts);
        self.cutter.literal.next = self.literal.val();
        self.cutter.pointer.next = self.a.val();
        self.cutter.base.next = self.transfer.val().base;
        self.cutter.limit.next = self.transfer.val().limit;
        self.cutter.size.next = self.transfer.val().size;
        self.cutter.placed.next = self.placed.val();
        wire!(cursor => cutter: origin, position, row, stride);
        self.cutter.maximum.next = bits::<COUNT_WIDTH>(MAX_PAYLOAD_FLITS);
        if self.transfer.val().kind <= bits::<KIND_WIDTH>(DataKind::Stream as u64) {
            self.cutter.maximum.next = self.maximum.val();
        }
        wire!(packet => cutter: is_open, filled, rows);
        wire!(cutter => self: joins, finishes, out_of_memory, out_of_segment);

        wire!(self => packet: wanted, push, close);
        wire!(cutter => packet: words, remote, whole, jumps);
        wire!(packet => self: is_open, rows);

        self.chunk.valid.next = self.push.val();
        self.chunk.literal.next = self.literal.val();
        self.chunk.words.next = self.cutter.words.val();
        self.chunk.value.next = bit_cast::<32, OFFSET_WIDTH>(self.cutter.address.val());
        if self.literal.val() {
            self.chunk.value.next = self.literal_word.val();
        }

        self.header.valid.next = self.close.val();
        self.header.control.next = self.transfer.val().control;
        self.header.bare.next = self.transfer.val().bare;
        self.header.destination.next = self.transfer.val().destination;
        self.header.tag.next = self.transfer.val().tag;
        self.header.kind.next = self.transfer.val().kind;
        self.header.last.next = self.last.val();
        self.header.offset.next = self.packet.offset.val();
        self.header.slot.next = self.transfer.val().slot;
        if self.breaks_off.val() {
            self.header.slot.next = bit_cast::<SLOT_WIDTH, ERROR_WIDTH>(self.error.val());
        }
        self.header.has_geometry.next = self.packet.strided.val();
        self.header.strided.next = self.packet.strided.val();
        if self.transfer.val().kind == bits::<KIND_WIDTH>(DataKind::Atomic as u64) {
            self.header.strided.next = self.transfer.val().half;
        }
        self.header.operation.next = self.transfer.val().operation;
        self.header.wide.next = self.transfer.val().wide;
        wire!(cursor => header: row, stride);
        self.header.words.next = self.packet.total.val();
        self.flits.next = self.packet.total.val() + !self.transfer.val().bare + self.packet.strided.val() + 1;
    }
}
