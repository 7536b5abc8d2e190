use super::{Monitor, MonitorSelect, Router};
use crate::prim::{StreamIn, StreamOut};
use portico_spec::{
    flit::{X_WIDTH, Y_WIDTH},
    Port,
};
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
pub struct Node<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Coordinates of the router, and number of its tile.
    pub x: Signal<In, Bits<X_WIDTH>>,
    pub y: Signal<In, Bits<Y_WIDTH>>,
    pub tile: Signal<In, Bits<8>>,
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
    /// Reading of the counters, passed along from node to node.
    pub select: MonitorSelect,
    pub value_in: Signal<In, Bits<32>>,
    pub value_out: Signal<Out, Bits<32>>,
    router: Router<W, A>,
    monitor: Vec<Monitor>,
    _monitors: usize,
}

impl<const W: usize, const A: usize> Node<W, A> {
    /// A node with FIFOs of `depth` flits, with counters or without; without, `value_out` is `value_in`.
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
impl<const W: usize, const A: usize> Logic for Node<W, A> {
    fn update(&mut self) {
        wire!(self => router: clk, rst);
        wire!(self => router: x, y);
        StreamIn::<W>::link(&mut self.s_axis_local, &mut self.router.s_axis_local);
        StreamIn::<W>::link(&mut self.s_axis_north, &mut self.router.s_axis_north);
        StreamIn::<W>::link(&mut self.s_axis_east, &mut self.router.s_axis_east);
        StreamIn::<W>::link(&mut self.s_axis_south, &mut self.router.s_axis_south);
        StreamIn::<W>::link(&mut self.s_axis_west, &mut self.router.s_axis_west);
        StreamOut::<W>::link(&mut self.m_axis_local, &mut self.router.m_axis_local);
        StreamOut::<W>::link(&mut self.m_axis_north, &mut self.router.m_axis_north);
        StreamOut::<W>::link(&mut self.m_axis_east, &mut self.router.m_axis_east);
        StreamOut::<W>::link(&mut self.m_axis_south, &mut self.router.m_axis_south);
        StreamOut::<W>::link(&mut self.m_axis_west, &mut self.router.m_axis_west);

        self.value_out.next = self.value_in.val();
        for i in 0..self._monitors {
            wire!(self => monitor[i]: clk, rst, tile);
            MonitorSelect::link(&mut self.select, &mut self.monitor[i].select);
            self.monitor[i].value_in.next = self.value_in.val();
            self.value_out.next = self.monitor[i].value_out.val();
            self.monitor[i].tap[0].valid.next = self.router.m_axis_local.tvalid.val();
            self.monitor[i].tap[0].ready.next = self.m_axis_local.tready.val();
            self.monitor[i].tap[1].valid.next = self.router.m_axis_north.tvalid.val();
            self.monitor[i].tap[1].ready.next = self.m_axis_north.tready.val();
            self.monitor[i].tap[2].valid.next = self.router.m_axis_east.tvalid.val();
            self.monitor[i].tap[2].ready.next = self.m_axis_east.tready.val();
            self.monitor[i].tap[3].valid.next = self.router.m_axis_south.tvalid.val();
            self.monitor[i].tap[3].ready.next = self.m_axis_south.tready.val();
            self.monitor[i].tap[4].valid.next = self.router.m_axis_west.tvalid.val();
            self.monitor[i].tap[4].ready.next = self.m_axis_west.tready.val();
            self.monitor[i].tap[5].valid.next = self.s_axis_local.tvalid.val();
            self.monitor[i].tap[5].ready.next = self.router.s_axis_local.tready.val();
        }
    }
}

// The taps above follow the order of the ports.
const _: () = assert!(
    Port::Local.index() == 0
        && Port::North.index() == 1
        && Port::East.index() == 2
        && Port::South.index() == 3
        && Port::West.index() == 4
);
