use portico_spec::ni::{
    build::Build,
    registers::{Block as Registers, BLOCK_OFFSET, BLOCK_WIDTH, FIELD_WIDTH, INDEX_WIDTH},
    window::SYSTEM_WINDOW,
};
use portico_verilog::prelude::*;

/// Whether a register belongs to an item that is built.
///
/// Looks at the index of a register.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
///
/// Tables that are smaller than the map get no access behind their last item, so that none of them has to look. The system
/// window is there whatever the number of windows.
#[derive(LogicBlock, Default)]
pub struct RegisterRange {
    /// Index of a register: the low bits of its address.
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    /// The register belongs to an item that is built; in the same cycle.
    pub built: Signal<Out, Bit>,
    /// Blocks with fewer items than the map, and the first index behind their last.
    block: Vec<Constant<Bits<BLOCK_WIDTH>>>,
    end: Vec<Constant<Bits<INDEX_WIDTH>>>,
    _blocks: usize,
}

impl RegisterRange {
    /// For the tables of `build`.
    pub fn new(build: &Build) -> Self {
        let smaller: Vec<Registers> = Registers::ALL
            .iter()
            .copied()
            .filter(|&block| build.items(block) < Build::FULL.items(block))
            .collect();
        let end = |block: Registers| (block as usize) << BLOCK_OFFSET | build.items(block) << block.map().number_width;
        Self {
            block: smaller.iter().map(|&block| Constant::new(bits(block as u64))).collect(),
            end: smaller
                .iter()
                .map(|&block| Constant::new(bits(end(block) as u64)))
                .collect(),
            _blocks: smaller.len(),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for RegisterRange {
    fn update(&mut self) {
        self.built.next = true;
        for i in 0..self._blocks {
            if (self.index.val().get_bits::<BLOCK_WIDTH>(BLOCK_OFFSET) == self.block[i].val())
                & (self.index.val() >= self.end[i].val())
            {
                self.built.next = false;
            }
        }
        if (self.index.val() >> bits::<5>(FIELD_WIDTH))
            == bits::<INDEX_WIDTH>(
                (((Registers::Tags as usize) << (BLOCK_OFFSET - FIELD_WIDTH)) | SYSTEM_WINDOW) as u64,
            )
        {
            self.built.next = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::settle;
    use portico_spec::{ni::registers::locate, Config};

    #[test]
    fn registers_are_there_up_to_the_last_item_that_is_built() {
        let mut small = Config::default();
        small.set("profile=leaf").unwrap();
        for build in [Build::FULL, small.build()] {
            let mut dut = RegisterRange::new(&build);
            dut.connect_all();
            for index in 0..=u16::MAX {
                let Some((block, item, _)) = locate(index) else {
                    continue;
                };
                dut.index.next = u64::from(index).into();
                settle(&mut dut);
                let system = block == Registers::Tags && item == SYSTEM_WINDOW;
                // No queue has the number of the system window, and nobody looks.
                let unasked = block == Registers::Release && build.windows == Build::FULL.windows;
                let expected = item < build.items(block) || system || unasked;
                assert_eq!(dut.built.val(), expected, "{} {item}, {build:?}", block.name());
            }
        }
    }
}
