use super::{
    route::CODE_WIDTH,
    switch::{LocalOutput, SideOutput, VerticalOutput},
    Preferences, PORTS,
};
use crate::prim::StreamOut;
use portico_verilog::prelude::*;

/// The oldest flit of an input, with the code of its route.
#[derive(Clone, Debug, Default, Documented, LogicInterface)]
#[join = "CrossbarIn"]
pub struct CrossbarOut<const W: usize> {
    pub present: Signal<Out, Bit>,
    pub data: Signal<Out, Bits<W>>,
    pub last: Signal<Out, Bit>,
    pub code: Signal<Out, Bits<CODE_WIDTH>>,
    /// The flit leaves in this cycle.
    pub taken: Signal<In, Bit>,
}

/// The mirror of [`CrossbarOut`].
#[derive(Clone, Debug, Default, Documented, LogicInterface)]
#[join = "CrossbarOut"]
pub struct CrossbarIn<const W: usize> {
    pub present: Signal<In, Bit>,
    pub data: Signal<In, Bits<W>>,
    pub last: Signal<In, Bit>,
    pub code: Signal<In, Bits<CODE_WIDTH>>,
    pub taken: Signal<Out, Bit>,
}

/// The crossbar of a router: what each input offers, led to the outputs that XY routing allows from there.
///
/// The crossbar for `W`-bit flits. Arrays run over the ports: local, north, east, south, west.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | throughput | one flit a cycle on every output at once |
/// | state | that of the outputs: one flip-flop a legal turn |
#[derive(LogicBlock, Default)]
pub struct Crossbar<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub from: [CrossbarIn<W>; PORTS],
    pub m_axis: [StreamOut<W>; PORTS],
    pub prefer: Signal<In, Preferences>,
    local_output: LocalOutput<W>,
    /// North, south.
    vertical_output: [VerticalOutput<W>; 2],
    /// East, west.
    side_output: [SideOutput<W>; 2],
    /// Outputs that each input wants, one-hot.
    wants: [Signal<Local, Bits<PORTS>>; PORTS],
}

#[kernel]
impl<const W: usize> Logic for Crossbar<W> {
    fn update(&mut self) {
        wire!(self => local_output: clk, rst);
        // Codes are those of the blocks in `route`.
        for i in 0..PORTS {
            self.wants[i].next = 0.into();
        }
        if self.from[0].present.val() {
            self.wants[0].next = bits::<PORTS>(0)
                .replace_bit(0, self.from[0].code.val() == 7)
                .replace_bit(
                    1,
                    self.from[0].code.val().get_bit(2) & !self.from[0].code.val().get_bit(1),
                )
                .replace_bit(
                    2,
                    !self.from[0].code.val().get_bit(2) & !self.from[0].code.val().get_bit(1),
                )
                .replace_bit(3, self.from[0].code.val() == 6)
                .replace_bit(
                    4,
                    !self.from[0].code.val().get_bit(2) & self.from[0].code.val().get_bit(1),
                );
        }
        if self.from[1].present.val() {
            self.wants[1].next = bits::<PORTS>(0)
                .replace_bit(0, self.from[1].code.val().get_bit(0))
                .replace_bit(3, !self.from[1].code.val().get_bit(0));
        }
        if self.from[2].present.val() {
            self.wants[2].next = bits::<PORTS>(0)
                .replace_bit(0, self.from[2].code.val().get_bits::<2>(0) == 3)
                .replace_bit(1, self.from[2].code.val().get_bits::<2>(0) == 1)
                .replace_bit(3, self.from[2].code.val().get_bits::<2>(0) == 2)
                .replace_bit(4, self.from[2].code.val().get_bits::<2>(0) == 0);
        }
        if self.from[3].present.val() {
            self.wants[3].next = bits::<PORTS>(0)
                .replace_bit(0, self.from[3].code.val().get_bits::<2>(0) == 1)
                .replace_bit(1, self.from[3].code.val().get_bits::<2>(0) == 0)
                .replace_bit(2, self.from[3].code.val().get_bits::<2>(0) == 2)
                .replace_bit(4, self.from[3].code.val().get_bits::<2>(0) == 3);
        }
        if self.from[4].present.val() {
            self.wants[4].next = bits::<PORTS>(0)
                .replace_bit(0, self.from[4].code.val().get_bits::<2>(0) == 3)
                .replace_bit(1, self.from[4].code.val().get_bits::<2>(0) == 1)
                .replace_bit(2, self.from[4].code.val().get_bits::<2>(0) == 0)
                .replace_bit(3, self.from[4].code.val().get_bits::<2>(0) == 2);
        }

        self.local_output.row_before_column.next = self.prefer.val().row_before_column;
        self.local_output.west_before_east.next = self.prefer.val().west_before_east;
        self.local_output.south_before_north.next = self.prefer.val().south_before_north;
        self.local_output.local_first.next = self.prefer.val().local_to_local;
        StreamOut::<W>::link(&mut self.m_axis[0], &mut self.local_output.m_axis);
        for i in 0..PORTS {
            wire!(from[i] => local_output.leg[i]: data, last);
            self.local_output.leg[i].wanted.next = self.wants[i].val().get_bit(0);
        }

        self.vertical_output[0].turning_before_through.next = self.prefer.val().turning_to_north;
        self.vertical_output[0].local_first.next = self.prefer.val().local_to_north;
        self.vertical_output[1].turning_before_through.next = self.prefer.val().turning_to_south;
        self.vertical_output[1].local_first.next = self.prefer.val().local_to_south;
        for i in 0..2 {
            wire!(self => vertical_output[i]: clk, rst);
            self.vertical_output[i].west_before_east.next = self.prefer.val().west_before_east;
            StreamOut::<W>::link(&mut self.m_axis[1 + 2 * i], &mut self.vertical_output[i].m_axis);
            wire!(from[3 - 2 * i] => vertical_output[i].through: data, last);
            self.vertical_output[i].through.wanted.next = self.wants[3 - 2 * i].val().get_bit(1 + 2 * i);
            wire!(from[2] => vertical_output[i].east: data, last);
            self.vertical_output[i].east.wanted.next = self.wants[2].val().get_bit(1 + 2 * i);
            wire!(from[4] => vertical_output[i].west: data, last);
            self.vertical_output[i].west.wanted.next = self.wants[4].val().get_bit(1 + 2 * i);
            wire!(from[0] => vertical_output[i].local: data, last);
            self.vertical_output[i].local.wanted.next = self.wants[0].val().get_bit(1 + 2 * i);
        }

        // What goes east comes from the west.
        self.side_output[0].south_before_through.next = self.prefer.val().south_before_west;
        self.side_output[0].local_first.next = self.prefer.val().local_to_east;
        self.side_output[1].south_before_through.next = self.prefer.val().south_before_east;
        self.side_output[1].local_first.next = self.prefer.val().local_to_west;
        for i in 0..2 {
            wire!(self => side_output[i]: clk, rst);
            StreamOut::<W>::link(&mut self.m_axis[2 + 2 * i], &mut self.side_output[i].m_axis);
            wire!(from[4 - 2 * i] => side_output[i].through: data, last);
            self.side_output[i].through.wanted.next = self.wants[4 - 2 * i].val().get_bit(2 + 2 * i);
            wire!(from[3] => side_output[i].south: data, last);
            self.side_output[i].south.wanted.next = self.wants[3].val().get_bit(2 + 2 * i);
            wire!(from[0] => side_output[i].local: data, last);
            self.side_output[i].local.wanted.next = self.wants[0].val().get_bit(2 + 2 * i);
        }

        self.from[0].taken.next = self.local_output.leg[0].taken.val()
            | self.vertical_output[0].local.taken.val()
            | self.vertical_output[1].local.taken.val()
            | self.side_output[0].local.taken.val()
            | self.side_output[1].local.taken.val();
        self.from[1].taken.next = self.local_output.leg[1].taken.val() | self.vertical_output[1].through.taken.val();
        self.from[2].taken.next = self.local_output.leg[2].taken.val()
            | self.vertical_output[0].east.taken.val()
            | self.vertical_output[1].east.taken.val()
            | self.side_output[1].through.taken.val();
        self.from[3].taken.next = self.local_output.leg[3].taken.val()
            | self.vertical_output[0].through.taken.val()
            | self.side_output[0].south.taken.val()
            | self.side_output[1].south.taken.val();
        self.from[4].taken.next = self.local_output.leg[4].taken.val()
            | self.vertical_output[0].west.taken.val()
            | self.vertical_output[1].west.taken.val()
            | self.side_output[0].through.taken.val();
    }
}
