use super::{Output, PortsOut, Preferences, EAST, LOCAL, NORTH, PORTS, SOUTH, WEST};
use portico_verilog::prelude::*;

/// The oldest flit of an input, and the output that it wants.
#[interface(mirror = FlitIn)]
pub struct FlitOut<const W: usize> {
    /// The oldest flit; valid while `wants` is not zero.
    pub data: Signal<Out, Bits<W>>,
    /// The flit is the tail of its packet.
    pub last: Signal<Out, Bit>,
    /// One-hot; zero without a flit.
    pub wants: Signal<Out, Bits<PORTS>>,
    /// The flit leaves in this cycle.
    pub taken: Signal<In, Bit>,
}

/// The crossbar of a router: every input stands before every output.
///
/// The crossbar for `W`-bit flits.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | throughput | one flit a cycle on every output at once |
/// | state | that of the outputs: one flip-flop a legal turn |
///
/// Turns that XY routing does not have cost nothing: synthesis removes their legs.
#[derive(LogicBlock, Default)]
pub struct Crossbar<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The oldest flit of each input, in the order local, north, east, south, west.
    pub from: [FlitIn<W>; PORTS],
    /// Flits that leave, by the side that they go to.
    pub m_axis: PortsOut<W>,
    /// The inputs that win where two want the same output, decided a cycle before.
    pub prefer: Signal<In, Preferences>,
    to_local: Output<W, LOCAL>,
    to_north: Output<W, NORTH>,
    to_east: Output<W, EAST>,
    to_south: Output<W, SOUTH>,
    to_west: Output<W, WEST>,
}

#[kernel]
impl<const W: usize> Logic for Crossbar<W> {
    #[rustfmt::skip]
    fn update(&mut self) {
        wire!(self => to_local, to_north, to_east, to_south, to_west: clk, rst, prefer);
        for i in 0..PORTS {
            wire!(from[i] => to_local.from[i], to_north.from[i], to_east.from[i], to_south.from[i], to_west.from[i]:
                data, last, wants);
            self.from[i].taken.next = self.to_local.from[i].taken.val()
                | self.to_north.from[i].taken.val()
                | self.to_east.from[i].taken.val()
                | self.to_south.from[i].taken.val()
                | self.to_west.from[i].taken.val();
        }
        wire!(self.m_axis.local <=> to_local.m_axis);
        wire!(self.m_axis.north <=> to_north.m_axis);
        wire!(self.m_axis.east <=> to_east.m_axis);
        wire!(self.m_axis.south <=> to_south.m_axis);
        wire!(self.m_axis.west <=> to_west.m_axis);
    }
}
