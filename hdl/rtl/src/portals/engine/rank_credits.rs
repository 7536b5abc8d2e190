use super::{data_door::COUNT_WIDTH, data_door::MOST_RANKS};
use crate::{bus::SweepIn, prim::LutRam};
use portico_spec::portals::engine::RANK_WIDTH;
use portico_verilog::prelude::*;

/// Credits of all ranks: two each, taken for packets and given back.
///
/// Up to 64 ranks.
///
/// | | |
/// | --- | --- |
/// | latency | a credit that is given back can be taken 1 cycle later |
/// | throughput | one taken and one given back a cycle |
/// | state | two counts modulo four a rank in LUT-RAM, one of them twice |
#[derive(LogicBlock, Default)]
pub struct RankCredits {
    pub clk: Signal<In, Clock>,
    /// Clears the counts after reset.
    pub sweep: SweepIn,
    /// High for a cycle: a credit comes back.
    pub give: Signal<In, Bit>,
    /// Rank whose credit comes back; valid with `give`.
    pub given: Signal<In, Bits<RANK_WIDTH>>,
    /// Rank whose credits are asked for, taken or renewed.
    pub asked: Signal<In, Bits<RANK_WIDTH>>,
    /// There is a credit of the rank `asked`, in the same cycle.
    pub available: Signal<Out, Bit>,
    /// High for a cycle: a credit of the rank `asked` is taken.
    pub take: Signal<In, Bit>,
    /// High for a cycle: both credits of the rank `asked` are at hand from now on.
    pub renew: Signal<In, Bit>,
    returned: LutRam<Bits<COUNT_WIDTH>, RANK_WIDTH>,
    /// The same, for the rank that is asked for.
    mirrored: LutRam<Bits<COUNT_WIDTH>, RANK_WIDTH>,
    sent: LutRam<Bits<COUNT_WIDTH>, RANK_WIDTH>,
    away: Signal<Local, Bits<COUNT_WIDTH>>,
    writes: Signal<Local, Bit>,
    place: Signal<Local, Bits<RANK_WIDTH>>,
    count: Signal<Local, Bits<COUNT_WIDTH>>,
}

impl RankCredits {
    /// For `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        assert!(
            ranks <= MOST_RANKS,
            "rank credits: ranks = {ranks}, allowed: 1..={MOST_RANKS}"
        );
        Self {
            returned: LutRam::new(ranks),
            mirrored: LutRam::new(ranks),
            sent: LutRam::new(ranks),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for RankCredits {
    fn update(&mut self) {
        wire!(self => returned, mirrored, sent: clk);
        // Credits that come back.
        self.returned.read_address.next = self.given.val();
        self.writes.next = self.give.val() | self.sweep.active.val();
        self.place.next = self.given.val();
        self.count.next = self.returned.read_data.val() + 1;
        if self.sweep.active.val() {
            self.place.next = self.sweep.place.val().get_bits::<RANK_WIDTH>(0);
            self.count.next = 0.into();
        }
        self.returned.write_enable.next = self.writes.val();
        self.returned.write_address.next = self.place.val();
        self.returned.write_data.next = self.count.val();
        self.mirrored.write_enable.next = self.writes.val();
        self.mirrored.write_address.next = self.place.val();
        self.mirrored.write_data.next = self.count.val();

        // Credits that are at hand.
        self.mirrored.read_address.next = self.asked.val();
        self.sent.read_address.next = self.asked.val();
        self.away.next = self.sent.read_data.val() - self.mirrored.read_data.val();
        self.available.next = !self.away.val().get_bit(COUNT_WIDTH - 1);
        self.sent.write_enable.next = self.take.val() | self.renew.val() | self.sweep.active.val();
        self.sent.write_address.next = self.asked.val();
        self.sent.write_data.next = self.sent.read_data.val() + 1;
        if self.renew.val() {
            self.sent.write_data.next = self.mirrored.read_data.val();
        }
        if self.sweep.active.val() {
            self.sent.write_address.next = self.place.val();
            self.sent.write_data.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng, settle};
    use portico_spec::portals::engine::ROOMS;
    use rand::Rng;

    const RANKS: usize = 4;

    #[test]
    fn two_credits_a_rank_are_taken_given_back_and_renewed() {
        let mut rng = rng(0xc4ed);
        let mut dut = RankCredits::new(RANKS);
        dut.connect_all();
        dut.sweep.active.next = true;
        for place in 0..RANKS {
            dut.sweep.place.next = (place as u64).into();
            clock_edge!(dut);
        }
        dut.sweep.active.next = false;
        let mut model = [ROOMS; RANKS];
        let (mut empty, mut renewed) = (0, 0);
        for cycle in 0..6_000 {
            let (asked, given) = (rng.gen_range(0..RANKS), rng.gen_range(0..RANKS));
            let give = model[given] < ROOMS && rng.gen_bool(0.4);
            dut.give.next = give;
            dut.given.next = (given as u64).into();
            dut.asked.next = (asked as u64).into();
            dut.take.next = false;
            dut.renew.next = false;
            settle(&mut dut);
            assert_eq!(dut.available.val(), model[asked] > 0, "cycle {cycle}");
            // A credit that comes back and one that is renewed never meet at a rank.
            let renew = rng.gen_bool(0.1) && !(give && given == asked);
            let take = !renew && model[asked] > 0 && rng.gen_bool(0.7);
            dut.take.next = take;
            dut.renew.next = renew;
            clock_edge!(dut);
            empty += u32::from(model[asked] == 0);
            renewed += u32::from(renew && model[asked] < ROOMS);
            model[given] += usize::from(give);
            model[asked] -= usize::from(take);
            if renew {
                model[asked] = ROOMS;
            }
        }
        assert!(empty > 500 && renewed > 100, "{empty} {renewed}");
    }
}
