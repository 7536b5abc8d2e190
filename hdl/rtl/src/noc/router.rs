use super::{Crossbar, InputUnit, Priority, EAST, LOCAL, NORTH, PORTS, SOUTH, WEST};
use crate::prim::StreamIn;
use portico_spec::flit::{X_WIDTH, Y_WIDTH};
use portico_verilog::prelude::*;

/// The streams into a router.
#[interface(mirror = PortsOut)]
pub struct PortsIn<const W: usize> {
    /// Flits at the local port, which is the tile's.
    pub local: StreamIn<W>,
    /// Flits at the north side, towards smaller y.
    pub north: StreamIn<W>,
    /// Flits at the east side, towards larger x.
    pub east: StreamIn<W>,
    /// Flits at the south side, towards larger y.
    pub south: StreamIn<W>,
    /// Flits at the west side, towards smaller x.
    pub west: StreamIn<W>,
}

/// The wormhole router: five ports, XY dimension order, round-robin among urgent equals, one cycle a hop.
///
/// The router for `W`-bit flits, with FIFOs of up to 2^`A` flits.
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
///  s_axis_* -> InputUnit (route, FIFO) -> Crossbar (outputs) -> m_axis_*
///                  |  busy                   ^
///                  +-----> Priority ---------+
/// ```
#[derive(LogicBlock, Default)]
pub struct Router<const W: usize, const A: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all FIFOs are empty and all outputs free afterwards.
    pub rst: Signal<In, Bit>,
    /// Coordinates of the router: x grows to the east, y to the south.
    pub x: Signal<In, Bits<X_WIDTH>>,
    /// See `x`.
    pub y: Signal<In, Bits<Y_WIDTH>>,
    /// What comes in, by the side that it comes from; `local` is the tile.
    pub s_axis: PortsIn<W>,
    /// What goes out, by the side that it goes to.
    pub m_axis: PortsOut<W>,
    from_local: InputUnit<W, A, LOCAL>,
    from_north: InputUnit<W, A, NORTH>,
    from_east: InputUnit<W, A, EAST>,
    from_south: InputUnit<W, A, SOUTH>,
    from_west: InputUnit<W, A, WEST>,
    crossbar: Crossbar<W>,
    precedence: Priority,
}

impl<const W: usize, const A: usize> Router<W, A> {
    /// A router with FIFOs of `depth` flits, 2 to 2^A; panics outside that.
    pub fn new(depth: usize) -> Self {
        Self {
            from_local: InputUnit::new(depth),
            from_north: InputUnit::new(depth),
            from_east: InputUnit::new(depth),
            from_south: InputUnit::new(depth),
            from_west: InputUnit::new(depth),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const A: usize> Logic for Router<W, A> {
    fn update(&mut self) {
        wire!(self => from_local, from_north, from_east, from_south, from_west: clk, rst, x, y);
        wire!(self => precedence, crossbar: clk, rst);
        wire!(self.s_axis.local <=> from_local.s_axis);
        wire!(self.s_axis.north <=> from_north.s_axis);
        wire!(self.s_axis.east <=> from_east.s_axis);
        wire!(self.s_axis.south <=> from_south.s_axis);
        wire!(self.s_axis.west <=> from_west.s_axis);

        wire!(from_local.oldest <=> crossbar.from[LOCAL]);
        wire!(from_north.oldest <=> crossbar.from[NORTH]);
        wire!(from_east.oldest <=> crossbar.from[EAST]);
        wire!(from_south.oldest <=> crossbar.from[SOUTH]);
        wire!(from_west.oldest <=> crossbar.from[WEST]);
        wire!(self <=> crossbar: m_axis);

        wire!(precedence => crossbar: prefer);
        self.precedence.waits.next = bits::<PORTS>(0)
            .replace_bit(LOCAL, self.from_local.waits.val())
            .replace_bit(NORTH, self.from_north.waits.val())
            .replace_bit(EAST, self.from_east.waits.val())
            .replace_bit(SOUTH, self.from_south.waits.val())
            .replace_bit(WEST, self.from_west.waits.val());
        self.precedence.busy.next = bits::<PORTS>(0)
            .replace_bit(LOCAL, self.from_local.busy.val())
            .replace_bit(NORTH, self.from_north.busy.val())
            .replace_bit(EAST, self.from_east.busy.val())
            .replace_bit(SOUTH, self.from_south.busy.val())
            .replace_bit(WEST, self.from_west.busy.val());
    }
}
