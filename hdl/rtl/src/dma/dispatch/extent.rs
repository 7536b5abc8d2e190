use portico_spec::ni::packet::{ROW_WIDTH, STRIDE_WIDTH};
use portico_verilog::prelude::*;

/// Width of rows and planes, in bits.
pub const REPEAT_WIDTH: usize = 16;
/// A shifted stride.
const TERM_WIDTH: usize = STRIDE_WIDTH + REPEAT_WIDTH;
/// Width of an extent, in bits: no values of the inputs reach beyond.
pub const EXTENT_WIDTH: usize = TERM_WIDTH + 1;

/// How far a strided transfer reaches: `(rows - 1) row_stride + (planes - 1) plane_stride + row` words.
///
/// Measures one transfer at a time.
///
/// | | |
/// | --- | --- |
/// | latency | from `start` to `done`: 1 cycle, and one for each bit of `rows - 1`; with several planes 1 more, and one for each bit of `planes - 1` |
/// | throughput | one at a time |
/// | state | 83 flip-flops |
///
/// One adder, by shifting and adding: a transfer of few rows is measured in a few cycles, and a multiplier that is idle
/// nearly always would not be worth its area.
#[derive(LogicBlock, Default)]
pub struct Extent {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Begins to measure; the inputs below stay until `done`.
    pub start: Signal<In, Bit>,
    /// At least 1, as `planes`; taken as 1 if 0.
    pub rows: Signal<In, Bits<REPEAT_WIDTH>>,
    pub planes: Signal<In, Bits<REPEAT_WIDTH>>,
    /// In words, as what follows.
    pub row: Signal<In, Bits<ROW_WIDTH>>,
    pub row_stride: Signal<In, Bits<STRIDE_WIDTH>>,
    pub plane_stride: Signal<In, Bits<STRIDE_WIDTH>>,
    /// High for one cycle, in which `reach` is the result.
    pub done: Signal<Out, Bit>,
    pub reach: Signal<Out, Bits<EXTENT_WIDTH>>,
    busy: DFF<Bit>,
    in_planes: DFF<Bit>,
    sum: DFF<Bits<EXTENT_WIDTH>>,
    term: DFF<Bits<TERM_WIDTH>>,
    factor: DFF<Bits<REPEAT_WIDTH>>,
    more_planes: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Extent {
    fn update(&mut self) {
        dff_setup!(self, clk, busy, in_planes, sum, term, factor);
        self.reach.next = self.sum.q.val();
        self.more_planes.next = !self.in_planes.q.val() & (self.planes.val() > 1);
        self.done.next = self.busy.q.val() & !self.factor.q.val().any() & !self.more_planes.val();
        if self.factor.q.val().any() {
            self.term.d.next = self.term.q.val() << 1;
            self.factor.d.next = self.factor.q.val() >> 1;
            if self.factor.q.val().get_bit(0) {
                self.sum.d.next = self.sum.q.val() + bit_cast::<EXTENT_WIDTH, TERM_WIDTH>(self.term.q.val());
            }
        } else if self.more_planes.val() {
            self.in_planes.d.next = true;
            self.term.d.next = bit_cast::<TERM_WIDTH, STRIDE_WIDTH>(self.plane_stride.val());
            self.factor.d.next = self.planes.val() - 1;
        } else {
            self.busy.d.next = false;
        }
        if self.start.val() {
            self.busy.d.next = true;
            self.in_planes.d.next = false;
            self.sum.d.next = bit_cast::<EXTENT_WIDTH, ROW_WIDTH>(self.row.val());
            self.term.d.next = bit_cast::<TERM_WIDTH, STRIDE_WIDTH>(self.row_stride.val());
            self.factor.d.next = 0.into();
            if self.rows.val().any() {
                self.factor.d.next = self.rows.val() - 1;
            }
        }
        if self.rst.val() {
            self.busy.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([] Extent);

    fn measure(dut: &mut Extent, [rows, planes, row, row_stride, plane_stride]: [u64; 5]) -> (u64, u64) {
        dut.rows.next = rows.into();
        dut.planes.next = planes.into();
        dut.row.next = row.into();
        dut.row_stride.next = row_stride.into();
        dut.plane_stride.next = plane_stride.into();
        dut.start.next = true;
        settle(dut);
        assert!(!dut.done.val(), "done before it began");
        let mut cycles = 0;
        while !dut.done.val() {
            clock(dut);
            dut.start.next = false;
            cycles += 1;
            assert!(cycles < 100, "never done");
        }
        let result = (dut.reach.val().to_u64(), cycles);
        clock(dut);
        assert!(!dut.done.val(), "done twice");
        result
    }

    #[test]
    fn measures_exactly_and_in_the_promised_time() {
        let mut rng = rng(0xe7);
        let mut dut = reset(Extent::default());
        let most = u64::from(u16::MAX);
        let corners = [
            [most; 5],
            [1, 1, 5, most, most],
            [0, 0, 7, 9, 9],
            [2, 2, 0, most, most],
            [1, 3, 4, 9, 10],
        ];
        let random = (0..400).map(|_| [(); 5].map(|()| rng.gen_range(0..=most) >> rng.gen_range(0..16)));
        for inputs in corners.into_iter().chain(random.collect::<Vec<_>>()) {
            let [rows, planes, row, row_stride, plane_stride] = inputs;
            let (rounds, layers) = (rows.saturating_sub(1), planes.saturating_sub(1));
            let bit_length = |value: u64| u64::from(64 - value.leading_zeros());
            let planes_cycles = if layers > 0 { 1 + bit_length(layers) } else { 0 };
            let (extent, cycles) = measure(&mut dut, inputs);
            assert_eq!(extent, rounds * row_stride + layers * plane_stride + row, "{inputs:?}");
            assert_eq!(cycles, 1 + bit_length(rounds) + planes_cycles, "{inputs:?}");
        }
    }
}
