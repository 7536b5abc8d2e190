use crate::bus::SweepIn;
use crate::{bus::RegisterWriteIn, prim::LutRam};
use portico_spec::ni::{
    page::{ALIGNMENT_WIDTH, HALF_BASE_WIDTH, HALF_WIDTH, PAGE_OFFSET_WIDTH, PAGE_WIDTH},
    registers::{Block as RegisterBlock, BLOCK_OFFSET, BLOCK_WIDTH},
};
use portico_verilog::prelude::*;

/// Where the pages of a memory node begin in external memory.
///
/// The PAGES block of registers: place `2 * page + half`, write-only. Words have `W` bits, and addresses in external memory `A`:
/// with 32, writes of the high half change nothing.
///
/// | | |
/// | --- | --- |
/// | latency | a base is used from the cycle after its write; a look-up is combinational |
/// | state | 8 bases of `A` bits in LUT-RAM |
#[derive(LogicBlock)]
pub struct PageTable<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Writes to registers, of which those to block PAGES change the bases.
    pub registers: RegisterWriteIn,
    /// Gives the pages their first bases after reset, one after the other.
    pub sweep: SweepIn,
    /// Number of the page to look up.
    pub page: Signal<In, Bits<PAGE_WIDTH>>,
    /// In bytes, a multiple of 4096.
    pub base: Signal<Out, Bits<A>>,
    low: LutRam<Bits<HALF_BASE_WIDTH>, PAGE_WIDTH>,
    /// One where addresses have a high half, else none.
    high: Vec<LutRam<Bits<HALF_BASE_WIDTH>, PAGE_WIDTH>>,
    written: Signal<Local, Bit>,
    high_half: Signal<Local, Bits<HALF_BASE_WIDTH>>,
    _high_halves: usize,
}

impl<const W: usize, const A: usize> PageTable<W, A> {
    /// Bits that count the bytes of a page.
    const PAGE_BYTES_WIDTH: u32 = ((W / 8) << PAGE_OFFSET_WIDTH).ilog2();
}

impl<const W: usize, const A: usize> Default for PageTable<W, A> {
    /// With the halves that an address of `A` bits has.
    fn default() -> Self {
        let high_halves = usize::from(A > HALF_BASE_WIDTH);
        Self {
            clk: Default::default(),
            registers: Default::default(),
            sweep: Default::default(),
            page: Default::default(),
            base: Default::default(),
            low: Default::default(),
            high: (0..high_halves).map(|_| Default::default()).collect(),
            written: Default::default(),
            high_half: Default::default(),
            _high_halves: high_halves,
        }
    }
}

#[kernel]
impl<const W: usize, const A: usize> Logic for PageTable<W, A> {
    fn update(&mut self) {
        wire!(self => low: clk);
        self.written.next = self.registers.enable.val()
            & (self.registers.index.val().get_bits::<BLOCK_WIDTH>(BLOCK_OFFSET)
                == bits::<BLOCK_WIDTH>(RegisterBlock::Pages as u64));
        self.low.write_enable.next = self.written.val() & !self.registers.index.val().get_bit(0);
        self.low.write_address.next = self.registers.index.val().get_bits::<PAGE_WIDTH>(HALF_WIDTH);
        self.low.write_data.next =
            self.registers.data.val() & bits::<HALF_BASE_WIDTH>((1u64 << HALF_BASE_WIDTH) - (1 << ALIGNMENT_WIDTH));
        if self.sweep.active.val() {
            self.low.write_enable.next = true;
            self.low.write_address.next = self.sweep.place.val().get_bits::<PAGE_WIDTH>(0);
            self.low.write_data.next = field::<HALF_BASE_WIDTH, PAGE_WIDTH>(
                self.sweep.place.val().get_bits::<PAGE_WIDTH>(0),
                Self::PAGE_BYTES_WIDTH,
            );
        }
        self.low.read_address.next = self.page.val();

        self.high_half.next = 0.into();
        for i in 0..self._high_halves {
            wire!(self => high[i]: clk);
            self.high[i].write_enable.next = self.written.val() & self.registers.index.val().get_bit(0);
            self.high[i].write_address.next = self.registers.index.val().get_bits::<PAGE_WIDTH>(HALF_WIDTH);
            self.high[i].write_data.next = self.registers.data.val();
            if self.sweep.active.val() {
                self.high[i].write_enable.next = true;
                self.high[i].write_address.next = self.sweep.place.val().get_bits::<PAGE_WIDTH>(0);
                self.high[i].write_data.next = 0.into();
            }
            self.high[i].read_address.next = self.page.val();
            self.high_half.next = self.high[i].read_data.val();
        }
        self.base.next = field::<A, HALF_BASE_WIDTH>(self.high_half.val(), HALF_BASE_WIDTH)
            | bit_cast::<A, HALF_BASE_WIDTH>(self.low.read_data.val());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng, settle};
    use portico_spec::{flit::NODE_WIDTH, ni::page::last_address};
    use rand::Rng;

    #[test]
    fn pages_follow_each_other_until_they_are_moved() {
        follow_each_other::<32, 64>();
        follow_each_other::<64, 64>();
    }

    #[test]
    fn addresses_of_32_bits_have_no_high_half() {
        follow_each_other::<32, 32>();
        follow_each_other::<64, 32>();
        assert!(PageTable::<32, 32>::default().high.is_empty());
    }

    fn follow_each_other<const W: usize, const A: usize>() {
        let mut rng = rng(0xba5e);
        let mut dut = PageTable::<W, A>::default();
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
            *base &= last_address(A);
            let page = rng.gen_range(0..8);
            dut.page.next = (page as u64).into();
            settle(&mut dut);
            assert_eq!(dut.base.val().to_u64(), model[page], "page {page}");
        }
    }
}
