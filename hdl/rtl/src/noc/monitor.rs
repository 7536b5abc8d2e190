use super::LINKS;
use portico_verilog::prelude::*;

/// The signals of a link that a monitor watches.
#[interface]
pub struct LinkTap {
    /// There is a flit on the link.
    pub tvalid: Signal<In, Bit>,
    /// A flit on the link is taken; `tvalid` without `tready` is a stall.
    pub tready: Signal<In, Bit>,
}

/// Which counter is read.
#[interface]
pub struct MonitorSelect {
    /// Tile of the router.
    pub tile: Signal<In, Bits<8>>,
    /// Link of the router: the outputs local, north, east, south, west are 0 to 4, the local input is 5.
    pub link: Signal<In, Bits<3>>,
    /// High selects the stalls, low the flits.
    pub stalls: Signal<In, Bit>,
}

/// Counts flits and stalls on the links of one router.
///
/// Counters of the six links that a router drives or that its tile drives into it.
///
/// | | |
/// | --- | --- |
/// | latency | a flit shows in its counter in the next cycle; reading takes 1 cycle a monitor of the chain |
/// | throughput | every link every cycle |
/// | state | two 32-bit counters a link, and the value on its way |
///
/// A stall is a cycle in which a flit waits: valid without ready. One port reads the counters of a whole mesh: the selection
/// reaches every monitor, and the selected monitor puts its value on a chain that leads back.
#[derive(LogicBlock, Default)]
pub struct Monitor {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all counters are zero afterwards.
    pub rst: Signal<In, Bit>,
    /// Number of the tile.
    pub tile: Signal<In, Bits<8>>,
    /// The links: the outputs local, north, east, south, west, then the local input.
    pub tap: [LinkTap; LINKS],
    /// Which counter is read, of which router.
    pub select: MonitorSelect,
    /// Value of the monitors before this one in the chain; zero at its start.
    pub value_in: Signal<In, Bits<32>>,
    /// A cycle later: the selected counter if it is one of this router, else `value_in`.
    pub value_out: Signal<Out, Bits<32>>,
    flits: [DFF<Bits<32>>; LINKS],
    stalls: [DFF<Bits<32>>; LINKS],
    value: DFF<Bits<32>>,
    chosen: Signal<Local, Bits<LINKS>>,
    own: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for Monitor {
    fn update(&mut self) {
        dff_setup!(self, clk, value);
        self.chosen.next = bits::<LINKS>(1) << self.select.link.val();
        self.own.next = 0.into();
        for i in 0..LINKS {
            self.flits[i].clock.next = self.clk.val();
            self.stalls[i].clock.next = self.clk.val();
            self.flits[i].d.next = self.flits[i].q.val();
            self.stalls[i].d.next = self.stalls[i].q.val();
            if self.tap[i].tvalid.val() & self.tap[i].tready.val() {
                self.flits[i].d.next = self.flits[i].q.val() + 1;
            }
            if self.tap[i].tvalid.val() & !self.tap[i].tready.val() {
                self.stalls[i].d.next = self.stalls[i].q.val() + 1;
            }
            if self.chosen.val().get_bit(i) {
                self.own.next = self.flits[i].q.val();
                if self.select.stalls.val() {
                    self.own.next = self.stalls[i].q.val();
                }
            }
        }
        self.value.d.next = self.value_in.val();
        if self.select.tile.val() == self.tile.val() {
            self.value.d.next = self.own.val();
        }
        self.value_out.next = self.value.q.val();
        if self.rst.val() {
            self.value.d.next = 0.into();
            for i in 0..LINKS {
                self.flits[i].d.next = 0.into();
                self.stalls[i].d.next = 0.into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng};
    use rand::Rng;

    clocked!([] Monitor);

    const TILE: u64 = 37;

    /// The counters by link, flits before stalls, as the port gives them.
    fn counters(dut: &mut Monitor) -> [[u64; 2]; LINKS] {
        dut.select.tile.next = TILE.into();
        std::array::from_fn(|link| {
            [false, true].map(|stalls| {
                dut.select.link.next = (link as u64).into();
                dut.select.stalls.next = stalls;
                clock(dut);
                dut.value_out.val().to_u64()
            })
        })
    }

    #[test]
    fn counts_flits_and_stalls_of_every_link_until_reset() {
        let mut rng = rng(0x303);
        let mut dut = reset(Monitor::default());
        dut.tile.next = TILE.into();
        let mut model = [[0; 2]; LINKS];
        for _ in 0..500 {
            for (tap, [flits, stalls]) in dut.tap.iter_mut().zip(&mut model) {
                let (valid, ready) = (rng.gen_bool(0.6), rng.gen_bool(0.7));
                tap.tvalid.next = valid;
                tap.tready.next = ready;
                *flits += u64::from(valid && ready);
                *stalls += u64::from(valid && !ready);
            }
            clock(&mut dut);
        }
        dut.tap.iter_mut().for_each(|tap| tap.tvalid.next = false);
        assert_eq!(counters(&mut dut), model);
        assert!(model.iter().flatten().all(|&count| count > 0));
        assert_eq!(counters(&mut reset(dut)), [[0; 2]; LINKS]);
    }

    #[test]
    fn hands_on_the_value_of_others_unless_it_is_asked() {
        let mut dut = reset(Monitor::default());
        dut.tile.next = TILE.into();
        dut.tap[5].tvalid.next = true;
        dut.tap[5].tready.next = true;
        (0..3).for_each(|_| clock(&mut dut));
        dut.tap[5].tvalid.next = false;
        dut.value_in.next = 0xdead_beefu64.into();
        dut.select.link.next = 5u64.into();
        for (tile, value) in [(TILE + 1, 0xdead_beef), (TILE, 3), (TILE - 1, 0xdead_beef)] {
            dut.select.tile.next = tile.into();
            clock(&mut dut);
            assert_eq!(dut.value_out.val().to_u64(), value, "tile {tile} is asked");
        }
    }
}
