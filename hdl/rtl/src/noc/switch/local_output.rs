use super::{Leg, Pick5};
use crate::{noc::PORTS, prim::StreamOut};
use portico_verilog::prelude::*;

/// Local output of a router: what has arrived, from any side or from the tile itself.
///
/// The output for `W`-bit flits.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | throughput | one flit a cycle, no bubble between packets |
/// | state | 5 flip-flops |
///
/// The pairs (north, south) and (east, west) compete within and against each other, the tile's own packets with all. The
/// locks are those of [`SideOutput`](super::SideOutput).
#[derive(LogicBlock, Default)]
pub struct LocalOutput<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// From local, north, east, south, west.
    pub leg: [Leg<W>; PORTS],
    /// Ties, from the [`Priority`](crate::noc::Priority) of the router.
    pub row_before_column: Signal<In, Bit>,
    pub west_before_east: Signal<In, Bit>,
    pub south_before_north: Signal<In, Bit>,
    pub local_first: Signal<In, Bit>,
    pub m_axis: StreamOut<W>,
    may: DFF<Bits<PORTS>>,
    data: Pick5<W>,
    last: Pick5<1>,
    ask: [Signal<Local, Bit>; PORTS],
    column: Signal<Local, Bit>,
    row: Signal<Local, Bit>,
    others_wait: Signal<Local, Bit>,
    row_waits: Signal<Local, Bit>,
    column_waits: Signal<Local, Bit>,
    grant: Signal<Local, Bits<PORTS>>,
    valid: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize> Logic for LocalOutput<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, may);
        for i in 0..PORTS {
            self.ask[i].next = self.leg[i].wanted.val() & self.may.q.val().get_bit(i);
        }
        self.column.next = self.ask[1].val() | self.ask[3].val();
        self.row.next = self.ask[2].val() | self.ask[4].val();
        self.others_wait.next = self.ask[0].val() & self.local_first.val();
        self.row_waits.next = self.others_wait.val() | (self.column.val() & !self.row_before_column.val());
        self.column_waits.next = self.others_wait.val() | (self.row.val() & self.row_before_column.val());
        self.grant.next = bits::<PORTS>(0)
            .replace_bit(
                0,
                self.ask[0].val() & (self.local_first.val() | !(self.column.val() | self.row.val())),
            )
            .replace_bit(
                1,
                self.ask[1].val() & !(self.ask[3].val() & self.south_before_north.val()) & !self.column_waits.val(),
            )
            .replace_bit(
                2,
                self.ask[2].val() & !(self.ask[4].val() & self.west_before_east.val()) & !self.row_waits.val(),
            )
            .replace_bit(
                3,
                self.ask[3].val() & (self.south_before_north.val() | !self.ask[1].val()) & !self.column_waits.val(),
            )
            .replace_bit(
                4,
                self.ask[4].val() & (self.west_before_east.val() | !self.ask[2].val()) & !self.row_waits.val(),
            );

        for i in 0..PORTS {
            self.data.value[i].next = self.leg[i].data.val();
            self.last.value[i].next = self.leg[i].last.val().into();
            self.leg[i].taken.next = self.grant.val().get_bit(i) & self.m_axis.tready.val();
        }
        self.data.pick.next = self.grant.val();
        self.last.pick.next = self.grant.val();
        self.valid.next = self.column.val() | self.row.val() | self.ask[0].val();
        self.m_axis.tvalid.next = self.valid.val();
        self.m_axis.tdata.next = self.data.picked.val();
        self.m_axis.tlast.next = self.last.picked.val().any();

        if self.valid.val() {
            self.may.d.next = self.grant.val();
            if self.last.picked.val().any() & self.m_axis.tready.val() {
                self.may.d.next = !bits::<PORTS>(0);
            }
        }
        if self.rst.val() {
            self.may.d.next = !bits::<PORTS>(0);
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

    clocked!([const W: usize] LocalOutput<W>);

    impl Output for LocalOutput<WIDTH> {
        fn legs(&mut self) -> Vec<&mut Leg<WIDTH>> {
            self.leg.iter_mut().collect()
        }

        fn m_axis(&mut self) -> &mut StreamOut<WIDTH> {
            &mut self.m_axis
        }

        fn set_ties(&mut self, rng: &mut SmallRng) -> Vec<usize> {
            let (row, west, south, local) = (rng.gen(), rng.gen(), rng.gen(), rng.gen());
            self.row_before_column.next = row;
            self.west_before_east.next = west;
            self.south_before_north.next = south;
            self.local_first.next = local;
            let mut order = if west { vec![4, 2] } else { vec![2, 4] };
            let column = if south { [3, 1] } else { [1, 3] };
            let place = if row { 2 } else { 0 };
            order.splice(place..place, column);
            order.insert(if local { 0 } else { 4 }, 0);
            order
        }
    }

    #[test]
    fn serves_one_packet_at_a_time_in_the_order_of_the_ties() {
        locks_from_head_to_tail(LocalOutput::default(), 0x10ca);
    }
}
