use crate::dma::ports::REPEAT_WIDTH;
use portico_spec::ni::packet::{OFFSET_WIDTH, ROW_WIDTH, STRIDE_WIDTH};
use portico_verilog::prelude::*;

/// Width of an extent, in bits. Its highest bit tells that the extent is larger than any memory; the others then mean nothing.
pub const EXTENT_WIDTH: usize = OFFSET_WIDTH + 1;
const HIGHEST: usize = EXTENT_WIDTH - 1;

/// How far a strided transfer reaches: `(rows - 1) row_stride + (planes - 1) plane_stride + row` words, and `address` if it is
/// built to add that.
///
/// Measures one transfer at a time.
///
/// | | |
/// | --- | --- |
/// | latency | from `start` to `done`: 1 cycle, and one for each bit of `rows - 1`; with several planes 1 more, and one for each bit of `planes - 1`; with an address 2 more |
/// | throughput | one at a time |
/// | state | 65 flip-flops |
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
    /// Rows of a plane, at least 1; taken as 1 if 0.
    pub rows: Signal<In, Bits<REPEAT_WIDTH>>,
    /// Planes, at least 1; taken as 1 if 0.
    pub planes: Signal<In, Bits<REPEAT_WIDTH>>,
    /// Words of a row.
    pub row: Signal<In, Bits<ROW_WIDTH>>,
    /// Words from row to row.
    pub row_stride: Signal<In, Bits<STRIDE_WIDTH>>,
    /// Words from plane to plane.
    pub plane_stride: Signal<In, Bits<STRIDE_WIDTH>>,
    /// There is no word: the extent is 0, or the address.
    pub nothing: Signal<In, Bit>,
    /// Address of the first word, in words; counts only if the extent is built to add it.
    pub address: Signal<In, Bits<OFFSET_WIDTH>>,
    /// High for one cycle, in which `reach` is the result.
    pub done: Signal<Out, Bit>,
    /// Words to the end of the transfer, valid with `done`; with the highest bit set, more than any memory has.
    pub reach: Signal<Out, Bits<EXTENT_WIDTH>>,
    busy: DFF<Bit>,
    in_planes: DFF<Bit>,
    in_address: DFF<Bit>,
    sum: DFF<Bits<EXTENT_WIDTH>>,
    term: DFF<Bits<EXTENT_WIDTH>>,
    factor: DFF<Bits<REPEAT_WIDTH>>,
    added: Signal<Local, Bits<EXTENT_WIDTH>>,
    shifted: Signal<Local, Bits<EXTENT_WIDTH>>,
    repeats: Signal<Local, Bits<REPEAT_WIDTH>>,
    more_planes: Signal<Local, Bit>,
    more: Signal<Local, Bit>,
    adds_address: Constant<Bit>,
}

impl Extent {
    /// `adds_address`: the address counts.
    pub fn new(adds_address: bool) -> Self {
        Self {
            adds_address: Constant::new(adds_address),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Extent {
    fn update(&mut self) {
        dff_setup!(self, clk, busy, in_planes, in_address, sum, term, factor);
        self.reach.next = self.sum.q.val();
        self.more_planes.next =
            !self.in_planes.q.val() & !self.in_address.q.val() & !self.nothing.val() & (self.planes.val() > 1);
        self.more.next = self.more_planes.val() | (self.adds_address.val() & !self.in_address.q.val());
        self.done.next = self.busy.q.val() & !self.factor.q.val().any() & !self.more.val();
        self.repeats.next = self.planes.val();
        if self.start.val() {
            self.repeats.next = self.rows.val();
        }
        // The highest bit, once set, stays set.
        self.added.next = bit_cast::<EXTENT_WIDTH, OFFSET_WIDTH>(self.sum.q.val().get_bits::<OFFSET_WIDTH>(0))
            + bit_cast::<EXTENT_WIDTH, OFFSET_WIDTH>(self.term.q.val().get_bits::<OFFSET_WIDTH>(0));
        self.shifted.next = self.term.q.val() << 1;
        if self.factor.q.val().any() {
            self.term.d.next = self.shifted.val().replace_bit(
                HIGHEST,
                self.shifted.val().get_bit(HIGHEST) | self.term.q.val().get_bit(HIGHEST),
            );
            self.factor.d.next = self.factor.q.val() >> 1;
            if self.factor.q.val().get_bit(0) {
                self.sum.d.next = self.added.val().replace_bit(
                    HIGHEST,
                    self.added.val().get_bit(HIGHEST)
                        | self.sum.q.val().get_bit(HIGHEST)
                        | self.term.q.val().get_bit(HIGHEST),
                );
            }
        } else if self.more_planes.val() {
            self.in_planes.d.next = true;
            self.term.d.next = bit_cast::<EXTENT_WIDTH, STRIDE_WIDTH>(self.plane_stride.val());
            self.factor.d.next = self.repeats.val() - 1;
        } else if self.more.val() {
            self.in_address.d.next = true;
            self.term.d.next = bit_cast::<EXTENT_WIDTH, OFFSET_WIDTH>(self.address.val());
            self.factor.d.next = 1.into();
        } else {
            self.busy.d.next = false;
        }
        if self.start.val() {
            self.busy.d.next = true;
            self.in_planes.d.next = false;
            self.in_address.d.next = false;
            self.sum.d.next = bit_cast::<EXTENT_WIDTH, ROW_WIDTH>(self.row.val());
            self.term.d.next = bit_cast::<EXTENT_WIDTH, STRIDE_WIDTH>(self.row_stride.val());
            self.factor.d.next = self.repeats.val() - 1;
            if self.nothing.val() | !self.rows.val().any() {
                self.factor.d.next = 0.into();
            }
            if self.nothing.val() {
                self.sum.d.next = 0.into();
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

    fn measure(dut: &mut Extent, inputs: [u64; 5], address: u64) -> (u64, u64) {
        let [rows, planes, row, row_stride, plane_stride] = inputs;
        dut.address.next = address.into();
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
        let mut duts = [false, true].map(|adds_address| reset(Extent::new(adds_address)));
        let mut beyond = 0;
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
            let (address, nothing) = (rng.gen_range(0..1u64 << OFFSET_WIDTH), rng.gen_bool(0.1));
            for (dut, adds_address) in duts.iter_mut().zip([0, 1]) {
                dut.nothing.next = nothing;
                let (extent, cycles) = measure(dut, inputs, address);
                let (words, steps) = match nothing {
                    true => (0, 0),
                    false => (
                        rounds * row_stride + layers * plane_stride + row,
                        bit_length(rounds) + planes_cycles,
                    ),
                };
                let expected = words + adds_address * address;
                if expected < 1 << OFFSET_WIDTH {
                    assert_eq!(extent, expected, "{inputs:?}");
                } else {
                    assert_eq!(extent >> OFFSET_WIDTH, 1, "{inputs:?}");
                    beyond += 1;
                }
                assert_eq!(cycles, 1 + steps + 2 * adds_address, "{inputs:?}");
            }
        }
        assert!(beyond > 100, "{beyond} extents beyond any memory");
    }
}
