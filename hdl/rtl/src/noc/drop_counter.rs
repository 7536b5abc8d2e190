use portico_spec::flit::HEAD_WIDTH;
use portico_verilog::prelude::*;

/// What a chain of counters says, as its last one gives it.
#[derive(Clone, Debug, Default, Documented, LogicInterface)]
#[join = "DropReportIn"]
pub struct DropReportOut {
    /// Packets dropped since reset, modulo 2^32.
    pub packets: Signal<Out, Bits<32>>,
    /// Head of a dropped packet: the latest of the last counter that dropped any.
    pub head: Signal<Out, Bits<HEAD_WIDTH>>,
}

/// The mirror of [`DropReportOut`]; all zero at the start of a chain.
#[derive(Clone, Debug, Default, Documented, LogicInterface)]
#[join = "DropReportOut"]
pub struct DropReportIn {
    pub packets: Signal<In, Bits<32>>,
    pub head: Signal<In, Bits<HEAD_WIDTH>>,
}

/// Counts packets that nobody takes, and hands the sum on along a chain.
///
/// One counter of the chain.
///
/// | | |
/// | --- | --- |
/// | latency | a packet shows in `report_out` after 2 cycles, and one more for each further counter of the chain |
/// | throughput | one packet a cycle |
/// | state | a 32-bit counter, a head, and the report |
///
/// A mesh has many places where a packet may come to nothing and one port to tell of them. A chain costs two numbers and a
/// clock cycle a place, whatever the size of the mesh; the sum is exact once the chain has been quiet for its length.
#[derive(LogicBlock, Default)]
pub struct DropCounter {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// High for one cycle a dropped packet.
    pub dropped: Signal<In, Bit>,
    /// Its head, in that cycle.
    pub head: Signal<In, Bits<HEAD_WIDTH>>,
    pub report_in: DropReportIn,
    pub report_out: DropReportOut,
    packets: DFF<Bits<32>>,
    latest: DFF<Bits<HEAD_WIDTH>>,
    total: DFF<Bits<32>>,
    shown: DFF<Bits<HEAD_WIDTH>>,
}

#[kernel]
impl Logic for DropCounter {
    fn update(&mut self) {
        dff_setup!(self, clk, packets, latest, total, shown);
        if self.dropped.val() {
            self.packets.d.next = self.packets.q.val() + 1;
            self.latest.d.next = self.head.val();
        }
        self.total.d.next = self.report_in.packets.val() + self.packets.q.val();
        self.shown.d.next = self.report_in.head.val();
        if self.packets.q.val().any() {
            self.shown.d.next = self.latest.q.val();
        }
        self.report_out.packets.next = self.total.q.val();
        self.report_out.head.next = self.shown.q.val();
        if self.rst.val() {
            self.packets.d.next = 0.into();
            self.latest.d.next = 0.into();
            self.total.d.next = 0.into();
            self.shown.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([] DropCounter);

    /// One cycle of a chain, first counter first.
    fn clock_chain(chain: &mut [DropCounter; 3]) {
        chain.iter_mut().for_each(settle);
        for i in 1..chain.len() {
            chain[i].report_in.packets.next = chain[i - 1].report_out.packets.val();
            chain[i].report_in.head.next = chain[i - 1].report_out.head.val();
        }
        chain.iter_mut().for_each(clock);
    }

    fn report(chain: &[DropCounter; 3]) -> (u64, u64) {
        let report = &chain[2].report_out;
        (report.packets.val().to_u64(), report.head.val().to_u64())
    }

    #[test]
    fn a_chain_gives_the_sum_and_the_latest_head_of_its_last_that_dropped() {
        let mut rng = rng(0xd209);
        // The first counter alone, the first two, all three: so each has its turn to show its head.
        for active in 1..=3 {
            let mut chain = [(); 3].map(|()| reset(DropCounter::default()));
            let (mut sum, mut latest) = (0, [0; 3]);
            for _ in 0..200 {
                for (i, counter) in chain.iter_mut().enumerate() {
                    let (dropped, head) = (i < active && rng.gen_bool(0.4), rng.gen_range(0..1u64 << HEAD_WIDTH));
                    counter.dropped.next = dropped;
                    counter.head.next = head.into();
                    if dropped {
                        sum += 1;
                        latest[i] = head;
                    }
                }
                clock_chain(&mut chain);
            }
            chain.iter_mut().for_each(|counter| counter.dropped.next = false);
            (0..3).for_each(|_| clock_chain(&mut chain));
            assert_eq!(report(&chain), (sum, latest[active - 1]), "{active} counters drop");
            assert!(sum > 50);

            chain = chain.map(reset);
            (0..3).for_each(|_| clock_chain(&mut chain));
            assert_eq!(report(&chain), (0, 0), "after reset");
        }
    }

    #[test]
    fn a_packet_takes_two_cycles_and_one_more_for_each_further_counter() {
        let mut chain = [(); 3].map(|()| reset(DropCounter::default()));
        chain[0].dropped.next = true;
        chain[0].head.next = 0x1234u64.into();
        clock_chain(&mut chain);
        chain[0].dropped.next = false;
        (0..2).for_each(|_| clock_chain(&mut chain));
        assert_eq!(report(&chain), (0, 0));
        clock_chain(&mut chain);
        assert_eq!(report(&chain), (1, 0x1234));
    }
}
