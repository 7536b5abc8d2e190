use crate::bus::SweepIn;
use crate::{bus::RegisterWriteIn, prim::LutRam};
use portico_spec::ni::{
    page::{ALIGNMENT_WIDTH, HALF_WIDTH, PAGE_OFFSET_WIDTH, PAGE_WIDTH},
    registers::{Block as RegisterBlock, BLOCK_OFFSET, BLOCK_WIDTH},
};
use portico_verilog::prelude::*;

/// Where the pages of a memory node begin in external memory.
///
/// The PAGES block of registers: place `2 * page + half`, write-only.
///
/// | | |
/// | --- | --- |
/// | latency | a base is used from the cycle after its write; a look-up is combinational |
/// | state | 8 bases of 64 bits in LUT-RAM |
#[derive(LogicBlock, Default)]
pub struct PageTable<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Writes to registers, of which those to block PAGES change the bases.
    pub registers: RegisterWriteIn,
    /// Gives the pages their first bases after reset, one after the other.
    pub sweep: SweepIn,
    /// Number of the page to look up.
    pub page: Signal<In, Bits<PAGE_WIDTH>>,
    /// In bytes, a multiple of 4096.
    pub base: Signal<Out, Bits<64>>,
    low: LutRam<Bits<32>, PAGE_WIDTH>,
    high: LutRam<Bits<32>, PAGE_WIDTH>,
    written: Signal<Local, Bit>,
}

impl<const W: usize> PageTable<W> {
    /// Bits that count the bytes of a page.
    const PAGE_BYTES_WIDTH: u32 = ((W / 8) << PAGE_OFFSET_WIDTH).ilog2();
}

#[kernel]
impl<const W: usize> Logic for PageTable<W> {
    fn update(&mut self) {
        wire!(self => low, high: clk);
        self.written.next = self.registers.enable.val()
            & (self.registers.index.val().get_bits::<BLOCK_WIDTH>(BLOCK_OFFSET)
                == bits::<BLOCK_WIDTH>(RegisterBlock::Pages as u64));
        self.low.write_enable.next = self.written.val() & !self.registers.index.val().get_bit(0);
        self.low.write_address.next = self.registers.index.val().get_bits::<PAGE_WIDTH>(HALF_WIDTH);
        self.low.write_data.next = self.registers.data.val() & bits::<32>((1u64 << 32) - (1 << ALIGNMENT_WIDTH));
        self.high.write_enable.next = self.written.val() & self.registers.index.val().get_bit(0);
        self.high.write_address.next = self.registers.index.val().get_bits::<PAGE_WIDTH>(HALF_WIDTH);
        self.high.write_data.next = self.registers.data.val();
        if self.sweep.active.val() {
            self.low.write_enable.next = true;
            self.low.write_address.next = self.sweep.place.val().get_bits::<PAGE_WIDTH>(0);
            self.low.write_data.next =
                field::<32, PAGE_WIDTH>(self.sweep.place.val().get_bits::<PAGE_WIDTH>(0), Self::PAGE_BYTES_WIDTH);
            self.high.write_enable.next = true;
            self.high.write_address.next = self.sweep.place.val().get_bits::<PAGE_WIDTH>(0);
            self.high.write_data.next = 0.into();
        }
        self.low.read_address.next = self.page.val();
        self.high.read_address.next = self.page.val();
        self.base.next = field::<64, 32>(self.high.read_data.val(), 32) | bit_cast::<64, 32>(self.low.read_data.val());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng, settle};
    use portico_spec::flit::NODE_WIDTH;
    use rand::Rng;

    #[test]
    fn pages_follow_each_other_until_they_are_moved() {
        follow_each_other::<32>();
        follow_each_other::<64>();
    }

    fn follow_each_other<const W: usize>() {
        {
            let mut rng = rng(0xba5e);
            let mut dut = PageTable::<W>::default();
            dut.connect_all();
            dut.sweep.active.next = true;
            for sweep in 0..1 << NODE_WIDTH {
                dut.sweep.place.next = sweep.into();
                clock_edge!(dut);
            }
            dut.sweep.active.next = false;
            let mut model: Vec<u64> = (0..8).map(|page| (page * (W as u64 / 8)) << 18).collect();
            for _ in 0..2000 {
                let (block, place, data): (u64, u64, u32) = (rng.gen_range(8..12), rng.gen_range(0..16), rng.gen());
                let enable = rng.gen();
                dut.registers.enable.next = enable;
                dut.registers.index.next = (block << 12 | place).into();
                dut.registers.data.next = u64::from(data).into();
                clock_edge!(dut);
                let base = &mut model[place as usize / 2];
                match (enable && block == 10, place % 2) {
                    (true, 0) => *base = *base >> 32 << 32 | u64::from(data) & !0xfff,
                    (true, _) => *base = *base & 0xffff_ffff | u64::from(data) << 32,
                    _ => (),
                }
                let page = rng.gen_range(0..8);
                dut.page.next = (page as u64).into();
                settle(&mut dut);
                assert_eq!(dut.base.val().to_u64(), model[page], "page {page}");
            }
        }
    }
}
