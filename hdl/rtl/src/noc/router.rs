use super::{
    route::{RouteFromLocal, RouteFromNorth, RouteFromSide, RouteFromSouth},
    Crossbar, CrossbarOut, InputUnit, Priority, PORTS,
};
use crate::prim::{StreamIn, StreamOut};
use portico_spec::flit::{DESTINATION_OFFSET, X_WIDTH, Y_WIDTH};
use portico_verilog::prelude::*;

/// The wormhole router: five ports, XY dimension order, round-robin among urgent equals, one cycle a hop.
///
/// The router for `W`-bit flits, with FIFOs of up to 2^`A` flits. Arrays run over local, north, east, south, west.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle: a flit taken in one cycle is offered in the next |
/// | throughput | one flit a cycle on every port at once, no bubble between packets |
/// | timing | every `tready` of an input comes straight from a flip-flop |
/// | state | five [`InputUnit`]s, a [`Priority`], one flip-flop a legal turn |
///
/// The head of a packet, its first flit, carries the destination (`portico_spec::flit`). An output serves one packet from
/// head to tail. Only the turns of XY routing exist (`portico_spec::routing::legal_turn`), so a destination outside the
/// mesh leads out of its east or south side.
///
/// ```text
///  s_axis_* -> route -> InputUnit (FIFO) -> Crossbar (outputs) -> m_axis_*
///                            |  busy           ^
///                            +--> Priority ----+
/// ```
#[derive(LogicBlock, Default)]
pub struct Router<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all FIFOs are empty and all outputs free afterwards.
    pub rst: Signal<In, Bit>,
    /// Coordinates of the router: x grows to the east, y to the south.
    pub x: Signal<In, Bits<X_WIDTH>>,
    pub y: Signal<In, Bits<Y_WIDTH>>,
    pub s_axis_local: StreamIn<W>,
    pub s_axis_north: StreamIn<W>,
    pub s_axis_east: StreamIn<W>,
    pub s_axis_south: StreamIn<W>,
    pub s_axis_west: StreamIn<W>,
    pub m_axis_local: StreamOut<W>,
    pub m_axis_north: StreamOut<W>,
    pub m_axis_east: StreamOut<W>,
    pub m_axis_south: StreamOut<W>,
    pub m_axis_west: StreamOut<W>,
    input: [InputUnit<W, A>; PORTS],
    from_local: RouteFromLocal,
    from_north: RouteFromNorth,
    from_east: RouteFromSide,
    from_south: RouteFromSouth,
    from_west: RouteFromSide,
    crossbar: Crossbar<W>,
    precedence: Priority,
    present: Signal<Local, Bits<PORTS>>,
    taken: Signal<Local, Bits<PORTS>>,
    busy: Signal<Local, Bits<PORTS>>,
}

impl<const W: usize, const A: usize> Router<W, A> {
    /// A router with FIFOs of `depth` flits, 2 to 2^A; panics outside that.
    pub fn new(depth: usize) -> Self {
        Self {
            input: std::array::from_fn(|_| InputUnit::new(depth)),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const A: usize> Logic for Router<W, A> {
    #[rustfmt::skip]
    fn update(&mut self) {
        wire!(self => precedence, crossbar: clk, rst);
        StreamIn::<W>::link(&mut self.s_axis_local, &mut self.input[0].s_axis);
        StreamIn::<W>::link(&mut self.s_axis_north, &mut self.input[1].s_axis);
        StreamIn::<W>::link(&mut self.s_axis_east, &mut self.input[2].s_axis);
        StreamIn::<W>::link(&mut self.s_axis_south, &mut self.input[3].s_axis);
        StreamIn::<W>::link(&mut self.s_axis_west, &mut self.input[4].s_axis);

        wire!(self => from_local: x, y);
        self.from_local.to_x.next = self.s_axis_local.tdata.val().get_bits::<X_WIDTH>(DESTINATION_OFFSET);
        self.from_local.to_y.next = self.s_axis_local.tdata.val().get_bits::<Y_WIDTH>(DESTINATION_OFFSET + X_WIDTH);
        self.input[0].code.next = self.from_local.code.val();
        self.from_north.y.next = self.y.val();
        self.from_north.to_y.next = self.s_axis_north.tdata.val().get_bits::<Y_WIDTH>(DESTINATION_OFFSET + X_WIDTH);
        self.input[1].code.next = self.from_north.code.val();
        wire!(self => from_east: x, y);
        self.from_east.to_x.next = self.s_axis_east.tdata.val().get_bits::<X_WIDTH>(DESTINATION_OFFSET);
        self.from_east.to_y.next = self.s_axis_east.tdata.val().get_bits::<Y_WIDTH>(DESTINATION_OFFSET + X_WIDTH);
        self.input[2].code.next = self.from_east.code.val();
        wire!(self => from_south: x, y);
        self.from_south.to_x.next = self.s_axis_south.tdata.val().get_bits::<X_WIDTH>(DESTINATION_OFFSET);
        self.from_south.to_y.next = self.s_axis_south.tdata.val().get_bits::<Y_WIDTH>(DESTINATION_OFFSET + X_WIDTH);
        self.input[3].code.next = self.from_south.code.val();
        wire!(self => from_west: x, y);
        self.from_west.to_x.next = self.s_axis_west.tdata.val().get_bits::<X_WIDTH>(DESTINATION_OFFSET);
        self.from_west.to_y.next = self.s_axis_west.tdata.val().get_bits::<Y_WIDTH>(DESTINATION_OFFSET + X_WIDTH);
        self.input[4].code.next = self.from_west.code.val();

        self.present.next = 0.into();
        self.taken.next = 0.into();
        self.busy.next = 0.into();
        for i in 0..PORTS {
            wire!(self => input[i]: clk, rst);
            CrossbarOut::<W>::join(&mut self.input[i].to_crossbar, &mut self.crossbar.from[i]);
            self.present.next = self.present.val().replace_bit(i, self.input[i].to_crossbar.present.val());
            self.taken.next = self.taken.val().replace_bit(i, self.crossbar.from[i].taken.val());
            self.busy.next = self.busy.val().replace_bit(i, self.input[i].busy.val());
        }
        wire!(self => precedence: present, taken, busy);

        self.crossbar.prefer.next = self.precedence.prefer.val();
        StreamOut::<W>::link(&mut self.m_axis_local, &mut self.crossbar.m_axis[0]);
        StreamOut::<W>::link(&mut self.m_axis_north, &mut self.crossbar.m_axis[1]);
        StreamOut::<W>::link(&mut self.m_axis_east, &mut self.crossbar.m_axis[2]);
        StreamOut::<W>::link(&mut self.m_axis_south, &mut self.crossbar.m_axis[3]);
        StreamOut::<W>::link(&mut self.m_axis_west, &mut self.crossbar.m_axis[4]);
    }
}
