use super::PLACE_WIDTH;
use portico_spec::ni::packet::ROW_WIDTH;
use portico_verilog::prelude::*;

/// Goes from word to word, row by row.
///
/// The place of the next word.
///
/// | | |
/// | --- | --- |
/// | latency | a step, and what leads elsewhere, show in the next cycle |
/// | throughput | one word a cycle |
/// | timing | outputs come from flip-flops |
/// | state | position, words done, row and gap |
///
/// A walk stands at `position`, with `done` words of the row in front of it. From the last word of a row, number
/// `row_last`, it goes on by `gap`, from others by 1; where there are no rows, `gap` is 1 too. Beyond all windows (top bit
/// set) it stays beyond: what runs past the end does not come back at the start.
#[derive(LogicBlock, Default)]
pub struct Walk {
    pub clk: Signal<In, Clock>,
    /// Steps on.
    pub advance: Signal<In, Bit>,
    /// Rows are of this shape from the next cycle on.
    pub reshape: Signal<In, Bit>,
    /// Number of the last word of a row, from 0; taken with `reshape`.
    pub row_last: Signal<In, Bits<ROW_WIDTH>>,
    /// Words from the last word of a row to the next row, 1 where there are no rows; taken with `reshape`.
    pub gap: Signal<In, Bits<PLACE_WIDTH>>,
    /// Is at `place` from the next cycle on, without rows.
    pub jump: Signal<In, Bit>,
    /// Place to jump to, in words from the base.
    pub place: Signal<In, Bits<PLACE_WIDTH>>,
    /// Goes on from `resumed_*` from the next cycle on.
    pub resume: Signal<In, Bit>,
    /// Place of the next word, from the base, where the walk goes on.
    pub resumed_position: Signal<In, Bits<PLACE_WIDTH>>,
    /// Words of the row in front of `resumed_position`.
    pub resumed_done: Signal<In, Bits<ROW_WIDTH>>,
    /// Number of the last word of a row, from 0, from there on.
    pub resumed_row_last: Signal<In, Bits<ROW_WIDTH>>,
    /// Words from the last word of a row to the next row, from there on.
    pub resumed_gap: Signal<In, Bits<PLACE_WIDTH>>,
    /// Place of the next word, from the base.
    pub position: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Words of the row in front of `position`.
    pub done: Signal<Out, Bits<ROW_WIDTH>>,
    held_position: DFF<Bits<PLACE_WIDTH>>,
    held_done: DFF<Bits<ROW_WIDTH>>,
    held_row_last: DFF<Bits<ROW_WIDTH>>,
    held_gap: DFF<Bits<PLACE_WIDTH>>,
    step: Signal<Local, Bits<PLACE_WIDTH>>,
}

#[kernel]
impl Logic for Walk {
    fn update(&mut self) {
        dff_setup!(self, clk, held_position, held_done, held_row_last, held_gap);
        self.position.next = self.held_position.q.val();
        self.done.next = self.held_done.q.val();
        self.step.next = 1.into();
        if self.advance.val() {
            self.held_done.d.next = self.held_done.q.val() + 1;
        }
        if self.held_done.q.val() == self.held_row_last.q.val() {
            self.step.next = self.held_gap.q.val();
            if self.advance.val() {
                self.held_done.d.next = 0.into();
            }
        }
        if self.advance.val() {
            self.held_position.d.next = (self.held_position.q.val() + self.step.val())
                | (self.held_position.q.val() & bits::<PLACE_WIDTH>(1 << (PLACE_WIDTH - 1)));
        }
        if self.reshape.val() {
            self.held_row_last.d.next = self.row_last.val();
            self.held_gap.d.next = self.gap.val();
        }
        if self.jump.val() {
            self.held_position.d.next = self.place.val();
            self.held_done.d.next = 0.into();
            self.held_gap.d.next = 1.into();
        }
        if self.resume.val() {
            self.held_position.d.next = self.resumed_position.val();
            self.held_done.d.next = self.resumed_done.val();
            self.held_row_last.d.next = self.resumed_row_last.val();
            self.held_gap.d.next = self.resumed_gap.val();
        }
    }
}
