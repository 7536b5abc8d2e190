use crate::prim::LutRam;
use portico_spec::ni::{
    instruction::COUNT_WIDTH,
    packet::{OFFSET_WIDTH, ROW_WIDTH, STRIDE_WIDTH},
    CONTEXT_WIDTH,
};
use portico_verilog::prelude::*;

/// An offset, or one beyond every segment.
pub(super) const ORIGIN_WIDTH: usize = OFFSET_WIDTH + 1;

/// Where the contexts are in their transfers: the remote row, and the place in it.
///
/// The cursor of every context.
///
/// | | |
/// | --- | --- |
/// | latency | read: combinational; what a cycle does is seen in the next |
/// | throughput | one step a cycle |
/// | state | origin, position, row and stride by context, in LUT-RAM |
#[derive(LogicBlock, Default)]
pub struct Cursor {
    pub clk: Signal<In, Clock>,
    /// The context that runs, whose cursor is read and moves.
    pub current: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// A context begins. Never together with a step.
    pub started: Signal<In, Bit>,
    /// The context that begins, valid with `started`.
    pub start_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Remote offset of the first row of the context that begins, in words.
    pub start_offset: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Words of a row of the context that begins.
    pub start_row: Signal<In, Bits<ROW_WIDTH>>,
    /// Words from row to row at the remote side, of the context that begins.
    pub start_stride: Signal<In, Bits<STRIDE_WIDTH>>,
    /// `words` of a row, or a literal, go into a packet.
    pub step: Signal<In, Bit>,
    /// With `step`: it is a literal, not words of a row.
    pub literal: Signal<In, Bit>,
    /// Words of the row that go with `step`.
    pub words: Signal<In, Bits<COUNT_WIDTH>>,
    /// With `step`: the words are the last of the row.
    pub finishes: Signal<In, Bit>,
    /// Payload takes up room at the remote side.
    pub placed: Signal<In, Bit>,
    /// TO: the remote offset of the row becomes `a`.
    pub moves: Signal<In, Bit>,
    /// SHAPE: rows become `a` words long and `b` words apart at the remote side.
    pub shapes: Signal<In, Bit>,
    /// Register a: the offset of TO, the words of a row of SHAPE.
    pub a: Signal<In, Bits<32>>,
    /// Operand b: the words from row to row of SHAPE.
    pub b: Signal<In, Bits<32>>,
    /// Remote offset of the row.
    pub origin: Signal<Out, Bits<ORIGIN_WIDTH>>,
    /// Words of the row that have gone.
    pub position: Signal<Out, Bits<ROW_WIDTH>>,
    /// Words of a row of `current`.
    pub row: Signal<Out, Bits<ROW_WIDTH>>,
    /// Words from row to row at the remote side, of `current`.
    pub stride: Signal<Out, Bits<STRIDE_WIDTH>>,
    origins: LutRam<Bits<ORIGIN_WIDTH>, CONTEXT_WIDTH>,
    positions: LutRam<Bits<ROW_WIDTH>, CONTEXT_WIDTH>,
    rows: LutRam<Bits<ROW_WIDTH>, CONTEXT_WIDTH>,
    strides: LutRam<Bits<STRIDE_WIDTH>, CONTEXT_WIDTH>,
    changed: Signal<Local, Bits<CONTEXT_WIDTH>>,
}

#[kernel]
impl Logic for Cursor {
    fn update(&mut self) {
        wire!(self => origins, positions, rows, strides: clk);
        self.origins.read_address.next = self.current.val();
        self.positions.read_address.next = self.current.val();
        self.rows.read_address.next = self.current.val();
        self.strides.read_address.next = self.current.val();
        self.origin.next = self.origins.read_data.val();
        self.position.next = self.positions.read_data.val();
        self.row.next = self.rows.read_data.val();
        self.stride.next = self.strides.read_data.val();

        self.changed.next = self.current.val();
        if self.started.val() {
            self.changed.next = self.start_context.val();
        }
        self.origins.write_address.next = self.changed.val();
        self.positions.write_address.next = self.changed.val();
        self.rows.write_address.next = self.changed.val();
        self.strides.write_address.next = self.changed.val();

        self.origins.write_enable.next = self.started.val()
            | self.moves.val()
            | (self.step.val() & self.placed.val() & (self.finishes.val() | self.literal.val()));
        self.origins.write_data.next =
            self.origins.read_data.val() + bit_cast::<ORIGIN_WIDTH, STRIDE_WIDTH>(self.strides.read_data.val());
        if self.literal.val() {
            self.origins.write_data.next = self.origins.read_data.val() + 1;
        }
        if self.moves.val() {
            self.origins.write_data.next =
                bit_cast::<ORIGIN_WIDTH, 32>(self.a.val()) & (bits::<ORIGIN_WIDTH>(1 << OFFSET_WIDTH) - 1);
            if (self.a.val() >> bits::<6>(OFFSET_WIDTH)).any() {
                self.origins.write_data.next = bits::<ORIGIN_WIDTH>(1 << OFFSET_WIDTH);
            }
        }
        if self.started.val() {
            self.origins.write_data.next = bit_cast::<ORIGIN_WIDTH, OFFSET_WIDTH>(self.start_offset.val());
        }

        self.positions.write_enable.next = self.started.val() | self.step.val();
        self.positions.write_data.next =
            self.positions.read_data.val() + bit_cast::<ROW_WIDTH, COUNT_WIDTH>(self.words.val());
        if self.started.val() | self.finishes.val() | self.literal.val() {
            self.positions.write_data.next = 0.into();
        }

        self.rows.write_enable.next = self.started.val() | self.shapes.val();
        self.rows.write_data.next = bit_cast::<ROW_WIDTH, 32>(self.a.val());
        self.strides.write_enable.next = self.started.val() | self.shapes.val();
        self.strides.write_data.next = bit_cast::<STRIDE_WIDTH, 32>(self.b.val());
        if self.started.val() {
            self.rows.write_data.next = self.start_row.val();
            self.strides.write_data.next = self.start_stride.val();
        }
    }
}
