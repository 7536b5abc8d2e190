//! Counts flits and stalls on the links of one router.
//!
//! | | |
//! | --- | --- |
//! | latency | a flit shows in its counter in the next cycle; reading takes 1 cycle a monitor of the chain |
//! | throughput | every link every cycle |
//! | state | two 32-bit counters a link, and the value on its way |
//!
//! A stall is a cycle in which a flit waits: valid without ready. The counters of a whole mesh are read through one port:
//! the selection goes to every monitor, and the value comes back along a chain in which the selected one puts its own.

use super::LINKS;
use rust_hdl::prelude::*;

/// What a monitor sees of a link.
#[derive(Clone, Debug, Default, LogicInterface)]
pub struct LinkTap {
    pub valid: Signal<In, Bit>,
    pub ready: Signal<In, Bit>,
}

/// Which counter is read.
#[derive(Clone, Debug, Default, LogicInterface)]
pub struct MonitorSelect {
    /// Tile whose router is asked.
    pub tile: Signal<In, Bits<8>>,
    /// Link of the router: the outputs local, north, east, south, west are 0 to 4, the local input is 5.
    pub link: Signal<In, Bits<3>>,
    /// Stalls rather than flits.
    pub stalls: Signal<In, Bit>,
}

/// Counters of the six links that a router drives or that its tile drives into it.
#[derive(LogicBlock, Default)]
pub struct Monitor {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all counters are zero afterwards.
    pub rst: Signal<In, Bit>,
    /// Number of the tile.
    pub tile: Signal<In, Bits<8>>,
    pub tap: [LinkTap; LINKS],
    pub select: MonitorSelect,
    /// Value of the monitors before this one in the chain; zero at its start.
    pub value_in: Signal<In, Bits<32>>,
    pub value_out: Signal<Out, Bits<32>>,
    flits: [DFF<Bits<32>>; LINKS],
    stalls: [DFF<Bits<32>>; LINKS],
    value: DFF<Bits<32>>,
    chosen: Signal<Local, Bits<LINKS>>,
    own: Signal<Local, Bits<32>>,
}

impl Logic for Monitor {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, value);
        self.chosen.next = bits::<LINKS>(1) << self.select.link.val();
        self.own.next = 0.into();
        for i in 0..LINKS {
            self.flits[i].clock.next = self.clk.val();
            self.stalls[i].clock.next = self.clk.val();
            self.flits[i].d.next = self.flits[i].q.val();
            self.stalls[i].d.next = self.stalls[i].q.val();
            if self.tap[i].valid.val() & self.tap[i].ready.val() {
                self.flits[i].d.next = self.flits[i].q.val() + 1;
            }
            if self.tap[i].valid.val() & !self.tap[i].ready.val() {
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
