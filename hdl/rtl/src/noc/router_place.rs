use super::{Monitor, MonitorSelect, PortsIn, PortsOut, Router, EAST, LOCAL, LOCAL_INPUT, NORTH, SOUTH, WEST};
use portico_spec::flit::{X_WIDTH, Y_WIDTH};
use portico_verilog::prelude::*;

/// One place of the mesh: a router, and its monitor if the configuration has monitors.
///
/// A router of `W`-bit flits with FIFOs of up to 2^`A` flits, and its counters.
///
/// | | |
/// | --- | --- |
/// | latency | that of the router, 1 cycle |
/// | throughput | one flit a cycle on every port |
/// | state | a [`Router`] and a [`Monitor`] |
#[derive(LogicBlock, Default)]
pub struct RouterPlace<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Coordinate x of the router: its column; grows to the east.
    pub x: Signal<In, Bits<X_WIDTH>>,
    /// Coordinate y of the router: its row; grows to the south.
    pub y: Signal<In, Bits<Y_WIDTH>>,
    /// Number of the router's tile.
    pub tile: Signal<In, Bits<8>>,
    /// What comes in, by the side that it comes from; `local` is the tile.
    pub s_axis: PortsIn<W>,
    /// What goes out, by the side that it goes to; `local` is the tile.
    pub m_axis: PortsOut<W>,
    /// Which counter is read, of which router.
    pub select: MonitorSelect,
    /// Value of a counter, passed along from place to place: that of the place before this one; zero at the start.
    pub value_in: Signal<In, Bits<32>>,
    /// Value for the next place: with a monitor a cycle later, and its counter if it is selected; else `value_in`.
    pub value_out: Signal<Out, Bits<32>>,
    router: Router<W, A>,
    monitor: Vec<Monitor>,
    _monitors: usize,
}

impl<const W: usize, const A: usize> RouterPlace<W, A> {
    /// A place with FIFOs of `depth` flits, with counters or without; without, `value_out` is `value_in`.
    pub fn new(depth: usize, monitored: bool) -> Self {
        let monitors = usize::from(monitored);
        Self {
            router: Router::new(depth),
            monitor: (0..monitors).map(|_| Monitor::default()).collect(),
            _monitors: monitors,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const A: usize> Logic for RouterPlace<W, A> {
    fn update(&mut self) {
        wire!(self => router: clk, rst, x, y);
        wire!(self <=> router: s_axis, m_axis);

        self.value_out.next = self.value_in.val();
        for i in 0..self._monitors {
            wire!(self => monitor[i]: clk, rst, tile, value_in);
            wire!(self <=> monitor[i]: select);
            wire!(monitor[i] => self: value_out);
            wire!(m_axis.local => monitor[i].tap[LOCAL]: tvalid, tready);
            wire!(m_axis.north => monitor[i].tap[NORTH]: tvalid, tready);
            wire!(m_axis.east => monitor[i].tap[EAST]: tvalid, tready);
            wire!(m_axis.south => monitor[i].tap[SOUTH]: tvalid, tready);
            wire!(m_axis.west => monitor[i].tap[WEST]: tvalid, tready);
            wire!(s_axis.local => monitor[i].tap[LOCAL_INPUT]: tvalid, tready);
        }
    }
}
