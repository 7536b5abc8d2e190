use super::{Leg, Pick4};
use crate::prim::StreamOut;
use portico_verilog::prelude::*;

/// North or south output of a router: what goes straight on, what turns in from the east or west, what the tile sends.
///
/// The output for `W`-bit flits.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | throughput | one flit a cycle, no bubble between packets |
/// | state | 4 flip-flops |
///
/// Two pairs compete, (through, local) and (east, west): so the two selects of a [`Pick4`] fall out of the arbitration.
/// The locks are those of [`SideOutput`](super::SideOutput).
#[derive(LogicBlock, Default)]
pub struct VerticalOutput<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub through: Leg<W>,
    pub east: Leg<W>,
    pub west: Leg<W>,
    pub local: Leg<W>,
    /// Ties, from the [`Priority`](crate::noc::Priority) of the router.
    pub turning_before_through: Signal<In, Bit>,
    pub west_before_east: Signal<In, Bit>,
    pub local_first: Signal<In, Bit>,
    pub m_axis: StreamOut<W>,
    may_through: DFF<Bit>,
    may_east: DFF<Bit>,
    may_west: DFF<Bit>,
    may_local: DFF<Bit>,
    data: Pick4<W>,
    last: Pick4<1>,
    ask_through: Signal<Local, Bit>,
    ask_east: Signal<Local, Bit>,
    ask_west: Signal<Local, Bit>,
    ask_local: Signal<Local, Bit>,
    turning: Signal<Local, Bit>,
    straight_wins: Signal<Local, Bit>,
    high: Signal<Local, Bit>,
    high_or_idle: Signal<Local, Bit>,
    odd: Signal<Local, Bit>,
    valid: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize> Logic for VerticalOutput<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, may_through, may_east, may_west, may_local);
        self.ask_through.next = self.through.wanted.val() & self.may_through.q.val();
        self.ask_east.next = self.east.wanted.val() & self.may_east.q.val();
        self.ask_west.next = self.west.wanted.val() & self.may_west.q.val();
        self.ask_local.next = self.local.wanted.val() & self.may_local.q.val();

        self.turning.next = self.ask_east.val() | self.ask_west.val();
        self.straight_wins.next = (self.local_first.val() & self.ask_local.val())
            | (self.ask_through.val() & !self.turning_before_through.val());
        self.high.next = self.turning.val() & !self.straight_wins.val();
        self.high_or_idle.next =
            !(self.ask_through.val() | self.ask_local.val()) | (self.turning.val() & !self.straight_wins.val());
        self.odd.next = self.ask_local.val() & (self.local_first.val() | !self.ask_through.val());
        if self.high.val() {
            self.odd.next = self.ask_west.val() & (self.west_before_east.val() | !self.ask_east.val());
        }

        self.data.a.next = self.through.data.val();
        self.data.b.next = self.local.data.val();
        self.data.c.next = self.east.data.val();
        self.data.d.next = self.west.data.val();
        wire!(self => data: high, high_or_idle, odd);
        self.last.a.next = self.through.last.val().into();
        self.last.b.next = self.local.last.val().into();
        self.last.c.next = self.east.last.val().into();
        self.last.d.next = self.west.last.val().into();
        wire!(self => last: high, high_or_idle, odd);
        self.valid.next = self.turning.val() | self.ask_through.val() | self.ask_local.val();
        self.m_axis.tvalid.next = self.valid.val();
        self.m_axis.tdata.next = self.data.picked.val();
        self.m_axis.tlast.next = self.last.picked.val().any();

        self.through.taken.next =
            self.ask_through.val() & !self.high.val() & !self.odd.val() & self.m_axis.tready.val();
        self.local.taken.next = !self.high.val() & self.odd.val() & self.m_axis.tready.val();
        self.east.taken.next = self.high.val() & !self.odd.val() & self.m_axis.tready.val();
        self.west.taken.next = self.high.val() & self.odd.val() & self.m_axis.tready.val();

        self.leaves.next = self.last.picked.val().any() & self.m_axis.tready.val();
        if self.valid.val() {
            self.may_through.d.next = self.leaves.val() | (!self.high.val() & !self.odd.val());
            self.may_local.d.next = self.leaves.val() | (!self.high.val() & self.odd.val());
            self.may_east.d.next = self.leaves.val() | (self.high.val() & !self.odd.val());
            self.may_west.d.next = self.leaves.val() | (self.high.val() & self.odd.val());
        }
        if self.rst.val() {
            self.may_through.d.next = true;
            self.may_east.d.next = true;
            self.may_west.d.next = true;
            self.may_local.d.next = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        noc::switch::testing::{locks_from_head_to_tail, Output, WIDTH},
        prim::testing::clocked,
    };
    use rand::{rngs::SmallRng, Rng};

    clocked!([const W: usize] VerticalOutput<W>);

    impl Output for VerticalOutput<WIDTH> {
        fn legs(&mut self) -> Vec<&mut Leg<WIDTH>> {
            vec![&mut self.through, &mut self.east, &mut self.west, &mut self.local]
        }

        fn m_axis(&mut self) -> &mut StreamOut<WIDTH> {
            &mut self.m_axis
        }

        fn set_ties(&mut self, rng: &mut SmallRng) -> Vec<usize> {
            let (turning, west, local) = (rng.gen(), rng.gen(), rng.gen());
            self.turning_before_through.next = turning;
            self.west_before_east.next = west;
            self.local_first.next = local;
            let mut order = if west { vec![2, 1] } else { vec![1, 2] };
            order.insert(if turning { 2 } else { 0 }, 0);
            order.insert(if local { 0 } else { 3 }, 3);
            order
        }
    }

    #[test]
    fn serves_one_packet_at_a_time_in_the_order_of_the_ties() {
        locks_from_head_to_tail(VerticalOutput::default(), 0x0e27);
    }
}
