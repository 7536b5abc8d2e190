use super::{Leg, Pick3};
use crate::prim::StreamOut;
use portico_verilog::prelude::*;

/// East or west output of a router: what goes straight on, what an edge node sends along the row, what the tile sends.
///
/// The output for `W`-bit flits.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | throughput | one flit a cycle, no bubble between packets |
/// | state | 3 flip-flops |
///
/// `may` says which legs may go on: all of them between packets, and within a packet the one that has the output. So a
/// flip-flop a leg is both the lock of the packet and the memory of who holds it. An output that has offered a flit keeps
/// offering it: the lock closes when the flit is presented, not when it leaves.
#[derive(LogicBlock, Default)]
pub struct SideOutput<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub through: Leg<W>,
    pub south: Leg<W>,
    pub local: Leg<W>,
    /// Ties between two legs, from the [`Priority`](crate::noc::Priority) of the router.
    pub south_before_through: Signal<In, Bit>,
    pub local_first: Signal<In, Bit>,
    pub m_axis: StreamOut<W>,
    may_through: DFF<Bit>,
    may_south: DFF<Bit>,
    may_local: DFF<Bit>,
    data: Pick3<W>,
    last: Pick3<1>,
    ask_through: Signal<Local, Bit>,
    ask_south: Signal<Local, Bit>,
    ask_local: Signal<Local, Bit>,
    grant_south: Signal<Local, Bit>,
    grant_local: Signal<Local, Bit>,
    valid: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize> Logic for SideOutput<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, may_through, may_south, may_local);
        self.ask_through.next = self.through.wanted.val() & self.may_through.q.val();
        self.ask_south.next = self.south.wanted.val() & self.may_south.q.val();
        self.ask_local.next = self.local.wanted.val() & self.may_local.q.val();
        self.grant_local.next =
            self.ask_local.val() & (self.local_first.val() | !(self.ask_through.val() | self.ask_south.val()));
        self.grant_south.next = self.ask_south.val() & (self.south_before_through.val() | !self.ask_through.val());

        self.data.a.next = self.through.data.val();
        self.data.b.next = self.south.data.val();
        self.data.c.next = self.local.data.val();
        self.data.pick_b.next = self.grant_south.val();
        self.data.pick_c.next = self.grant_local.val();
        self.last.a.next = self.through.last.val().into();
        self.last.b.next = self.south.last.val().into();
        self.last.c.next = self.local.last.val().into();
        self.last.pick_b.next = self.grant_south.val();
        self.last.pick_c.next = self.grant_local.val();
        self.valid.next = self.ask_through.val() | self.ask_south.val() | self.ask_local.val();
        self.m_axis.tvalid.next = self.valid.val();
        self.m_axis.tdata.next = self.data.picked.val();
        self.m_axis.tlast.next = self.last.picked.val().any();

        self.through.taken.next =
            self.ask_through.val() & !self.grant_local.val() & !self.grant_south.val() & self.m_axis.tready.val();
        self.south.taken.next = !self.grant_local.val() & self.grant_south.val() & self.m_axis.tready.val();
        self.local.taken.next = self.grant_local.val() & self.m_axis.tready.val();

        self.leaves.next = self.last.picked.val().any() & self.m_axis.tready.val();
        if self.valid.val() {
            self.may_through.d.next = self.leaves.val() | (!self.grant_local.val() & !self.grant_south.val());
            self.may_south.d.next = self.leaves.val() | (!self.grant_local.val() & self.grant_south.val());
            self.may_local.d.next = self.leaves.val() | self.grant_local.val();
        }
        if self.rst.val() {
            self.may_through.d.next = true;
            self.may_south.d.next = true;
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

    clocked!([const W: usize] SideOutput<W>);

    impl Output for SideOutput<WIDTH> {
        fn legs(&mut self) -> Vec<&mut Leg<WIDTH>> {
            vec![&mut self.through, &mut self.south, &mut self.local]
        }

        fn m_axis(&mut self) -> &mut StreamOut<WIDTH> {
            &mut self.m_axis
        }

        fn set_ties(&mut self, rng: &mut SmallRng) -> Vec<usize> {
            let (south, local) = (rng.gen(), rng.gen());
            self.south_before_through.next = south;
            self.local_first.next = local;
            let mut order = if south { vec![1, 0] } else { vec![0, 1] };
            order.insert(if local { 0 } else { 2 }, 2);
            order
        }
    }

    #[test]
    fn serves_one_packet_at_a_time_in_the_order_of_the_ties() {
        locks_from_head_to_tail(SideOutput::default(), 0x51de);
    }
}
