use portico_spec::{flit::TAG_WIDTH, ni::build::Build};
use portico_verilog::prelude::*;

/// The row of the window table for a tag.
///
/// A table of fewer than 256 rows keeps its last row but one closed. Tags beyond the table map to that row.
///
/// | | |
/// | --- | --- |
/// | latency | combinational: a LUT, two for bit 0 |
/// | state | none |
///
/// The tag of a head comes from the crossbar of a router, and the row goes to the address of a block RAM in the same cycle. So
/// no carry chain compares: a number lies beyond the table if it has one of the upper bits, and the closed and the system row
/// differ in bit 0 alone.
#[derive(LogicBlock, Default)]
pub struct WindowRow {
    /// Tag of a head.
    pub tag: Signal<In, Bits<TAG_WIDTH>>,
    /// Row of the window table for the tag, in the same cycle.
    pub row: Signal<Out, Bits<TAG_WIDTH>>,
    closed: Vec<Constant<Bits<TAG_WIDTH>>>,
    /// The bits of a tag above those of a row.
    upper: Vec<Constant<Bits<TAG_WIDTH>>>,
    _tables: usize,
}

impl WindowRow {
    /// Of the window table of `build`.
    pub fn new(build: &Build) -> Self {
        // In a table with all rows every tag is its row.
        let tables = usize::from(build.windows < Build::FULL.windows);
        let constant = |value: usize| vec![Constant::new(bits(value as u64)); tables];
        Self {
            closed: constant(build.windows - 2),
            upper: constant(Build::FULL.windows - build.windows),
            _tables: tables,
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for WindowRow {
    fn update(&mut self) {
        self.row.next = self.tag.val();
        for i in 0..self._tables {
            if (self.tag.val() & self.upper[i].val()).any() {
                self.row.next = self.closed[i].val();
            }
            if (self.tag.val() | self.upper[i].val()).all() {
                self.row.next = self.row.val().replace_bit(0, self.tag.val().all());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::settle;

    #[test]
    fn every_tag_stands_for_the_row_of_the_contract() {
        for windows in [16, 64, 256] {
            let build = Build { windows, ..Build::FULL };
            let mut dut = WindowRow::new(&build);
            dut.connect_all();
            for tag in 0..=u8::MAX {
                dut.tag.next = u64::from(tag).into();
                settle(&mut dut);
                assert_eq!(
                    dut.row.val().to_u64() as usize,
                    build.window_row(tag),
                    "{windows}, tag {tag}"
                );
            }
        }
    }
}
