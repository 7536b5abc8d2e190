use super::PLACE_WIDTH;
use portico_spec::ni::packet::ROW_WIDTH;
use portico_verilog::prelude::*;

/// Goes from word to word, row by row.
///
/// The place of the next word.
///
/// | | |
/// | --- | --- |
/// | latency | combinational where a walk goes on from the tables, else from flip-flops |
/// | throughput | one word a cycle |
/// | state | position, words done, row and gap |
///
/// A walk stands at `position`, with `done` words of the row in front of it. From the last word of a row, number
/// `row_last`, it goes on by `gap`, from others by 1; where there are no rows, `gap` is 1 too. Beyond all windows (top bit
/// set) it stays beyond: what runs past the end does not come back at the start.
#[derive(LogicBlock, Default)]
pub struct Walk {
    pub clk: Signal<In, Clock>,
    /// Goes on from `resumed_*` in this cycle.
    pub resume: Signal<In, Bit>,
    pub resumed_position: Signal<In, Bits<PLACE_WIDTH>>,
    pub resumed_done: Signal<In, Bits<ROW_WIDTH>>,
    pub resumed_row_last: Signal<In, Bits<ROW_WIDTH>>,
    pub resumed_gap: Signal<In, Bits<PLACE_WIDTH>>,
    /// Is at `place` from the next cycle on, without rows.
    pub jump: Signal<In, Bit>,
    pub place: Signal<In, Bits<PLACE_WIDTH>>,
    /// Rows are of this shape from the next cycle on.
    pub reshape: Signal<In, Bit>,
    pub row_last: Signal<In, Bits<ROW_WIDTH>>,
    pub gap: Signal<In, Bits<PLACE_WIDTH>>,
    /// Steps on.
    pub advance: Signal<In, Bit>,
    pub position: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Where a step leads.
    pub next_position: Signal<Out, Bits<PLACE_WIDTH>>,
    pub next_done: Signal<Out, Bits<ROW_WIDTH>>,
    held_position: DFF<Bits<PLACE_WIDTH>>,
    held_done: DFF<Bits<ROW_WIDTH>>,
    held_row_last: DFF<Bits<ROW_WIDTH>>,
    held_gap: DFF<Bits<PLACE_WIDTH>>,
    here: Signal<Local, Bits<PLACE_WIDTH>>,
    done: Signal<Local, Bits<ROW_WIDTH>>,
    end_of_row: Signal<Local, Bits<ROW_WIDTH>>,
    to_next_row: Signal<Local, Bits<PLACE_WIDTH>>,
    step: Signal<Local, Bits<PLACE_WIDTH>>,
}

#[kernel]
impl Logic for Walk {
    fn update(&mut self) {
        dff_setup!(self, clk, held_position, held_done, held_row_last, held_gap);
        self.here.next = self.held_position.q.val();
        self.done.next = self.held_done.q.val();
        self.end_of_row.next = self.held_row_last.q.val();
        self.to_next_row.next = self.held_gap.q.val();
        if self.resume.val() {
            self.here.next = self.resumed_position.val();
            self.done.next = self.resumed_done.val();
            self.end_of_row.next = self.resumed_row_last.val();
            self.to_next_row.next = self.resumed_gap.val();
        }
        self.step.next = 1.into();
        self.next_done.next = self.done.val() + 1;
        if self.done.val() == self.end_of_row.val() {
            self.step.next = self.to_next_row.val();
            self.next_done.next = 0.into();
        }
        self.position.next = self.here.val();
        self.next_position.next =
            (self.here.val() + self.step.val()) | (self.here.val() & bits::<PLACE_WIDTH>(1 << (PLACE_WIDTH - 1)));

        if self.advance.val() {
            self.held_position.d.next = self.next_position.val();
            self.held_done.d.next = self.next_done.val();
            self.held_row_last.d.next = self.end_of_row.val();
            self.held_gap.d.next = self.to_next_row.val();
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
    }
}
