use super::PLACE_WIDTH;
use crate::bus::GeometryDecoder;
use portico_spec::ni::packet::{ROW_WIDTH, STRIDE_WIDTH};
use portico_verilog::prelude::*;

/// How a walk goes through rows, from the word that describes them.
///
/// Turns row and stride into the terms of [`super::Walk`].
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct Shape {
    /// A GEOMETRY word; a row of 0 words means that there are no rows.
    pub word: Signal<In, Bits<32>>,
    pub row_last: Signal<Out, Bits<ROW_WIDTH>>,
    /// Negative, in two's complement, where rows overlap.
    pub gap: Signal<Out, Bits<PLACE_WIDTH>>,
    geometry: GeometryDecoder,
}

#[kernel]
impl Logic for Shape {
    fn update(&mut self) {
        self.geometry.word.next = self.word.val();
        self.row_last.next = self.geometry.row.val() - 1;
        self.gap.next = bit_cast::<PLACE_WIDTH, STRIDE_WIDTH>(self.geometry.stride.val())
            - bit_cast::<PLACE_WIDTH, ROW_WIDTH>(self.geometry.row.val())
            + 1;
        if !self.geometry.row.val().any() {
            self.gap.next = 1.into();
        }
    }
}
