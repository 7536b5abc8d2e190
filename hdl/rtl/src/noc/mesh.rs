use super::{many, DropReportOut, EdgeGate, EdgeSink, Grid, MonitorSelect};
use crate::prim::{StreamIn, StreamOut};
use portico_spec::{
    flit::{X_WIDTH, Y_WIDTH},
    Config,
};
use portico_verilog::prelude::*;

/// The wormhole mesh: a grid of nodes with its sides closed.
///
/// A mesh of `W`-bit flits, with FIFOs of up to 2^`A` flits.
///
/// | | |
/// | --- | --- |
/// | latency | hops + 1 cycles from the handshake of a flit on `s_axis` to its handshake on `m_axis`, at zero load |
/// | throughput | one flit a cycle on every link |
/// | state | a [`Grid`], an [`EdgeSink`] a row and an [`EdgeGate`] a column |
///
/// Streams have the numbers of the terminals: first the tiles, `y * cols + x`, then the edge nodes. A packet that leaves to the
/// east or south is for an edge node or for a node that does not exist. The mesh consumes the latter, counts it and reports it
/// in `dropped`.
#[derive(LogicBlock, Default)]
pub struct Mesh<const W: usize, const A: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; empties the whole mesh.
    pub rst: Signal<In, Bit>,
    /// Injection, one a terminal.
    pub s_axis: Vec<StreamIn<W>>,
    /// Ejection, one a terminal.
    pub m_axis: Vec<StreamOut<W>>,
    /// Packets that no terminal takes; settled `rows + 2 * cols + 1` cycles after the last of them.
    pub dropped: DropReportOut,
    /// Which counter `monitor_value` shows, `tiles` cycles later; without monitors it shows 0.
    pub monitor: MonitorSelect,
    /// The counter that `monitor` selects.
    pub monitor_value: Signal<Out, Bits<32>>,
    grid: Grid<W, A>,
    sink: Vec<EdgeSink<W>>,
    gate: Vec<EdgeGate<W>>,
    gate_y: Constant<Bits<Y_WIDTH>>,
    tiles: Constant<Bits<16>>,
    last_sink: Constant<Bits<8>>,
    last_gate: Constant<Bits<8>>,
    _cols: usize,
    _rows: usize,
    _tiles: usize,
    _edge_nodes: usize,
    _links_of_sinks: usize,
    _links_of_gates: usize,
}

impl<const W: usize, const A: usize> Mesh<W, A> {
    /// The mesh that `config` describes; its `width` is `W`, and its `fifo` fits `A` address bits.
    pub fn new(config: &Config) -> Self {
        let (cols, rows) = (config.cols, config.rows);
        Self {
            s_axis: many(config.terminals(), |_| Default::default()),
            m_axis: many(config.terminals(), |_| Default::default()),
            grid: Grid::new(config),
            sink: many(rows, |_| Default::default()),
            gate: many(cols, |_| Default::default()),
            gate_y: Constant::new(bits(rows as u64)),
            tiles: Constant::new(bits(config.tiles() as u64)),
            last_sink: Constant::new(bits((rows - 1) as u64)),
            last_gate: Constant::new(bits((cols - 1) as u64)),
            _cols: cols,
            _rows: rows,
            _tiles: config.tiles(),
            _edge_nodes: config.edge_nodes,
            _links_of_sinks: rows - 1,
            _links_of_gates: cols - 1,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const A: usize> Logic for Mesh<W, A> {
    fn update(&mut self) {
        wire!(self => grid: clk, rst);
        wire!(self <=> grid: monitor);
        self.monitor_value.next = self.grid.monitor_value.val();
        for i in 0..self._tiles {
            wire!(self.s_axis[i] <=> grid.s_axis_local[i]);
            wire!(self.m_axis[i] <=> grid.m_axis_local[i]);
        }
        for y in 0..self._rows {
            wire!(self => sink[y]: clk, rst);
            wire!(grid.m_axis_east[y] <=> sink[y].s_axis);
        }
        for x in 0..self._cols {
            wire!(self => gate[x]: clk, rst);
            self.gate[x].x.next = bits::<X_WIDTH>(x);
            self.gate[x].y.next = self.gate_y.val();
            wire!(gate[x].to_mesh <=> grid.s_axis_south[x]);
            wire!(grid.m_axis_south[x] <=> gate[x].from_mesh);
        }
        for x in 0..self._edge_nodes {
            self.gate[x].open.next = true;
            wire!(self.s_axis[self.tiles.val().index() + x] <=> gate[x].s_axis);
            wire!(self.m_axis[self.tiles.val().index() + x] <=> gate[x].m_axis);
        }
        for x in self._edge_nodes..self._cols {
            self.gate[x].open.next = false;
            self.gate[x].s_axis.tdata.next = 0.into();
            self.gate[x].s_axis.tlast.next = false;
            self.gate[x].s_axis.tvalid.next = false;
            self.gate[x].m_axis.tready.next = true;
        }

        self.sink[0].report_in.packets.next = 0.into();
        self.sink[0].report_in.head.next = 0.into();
        for y in 0..self._links_of_sinks {
            wire!(sink[y].report_out => sink[y + 1].report_in: packets, head);
        }
        wire!(sink[self.last_sink.val().index()].report_out <=> gate[0].report_in);
        for x in 0..self._links_of_gates {
            wire!(gate[x].report_out => gate[x + 1].report_in: packets, head);
        }
        wire!(self.dropped <=> gate[self.last_gate.val().index()].report_out);
    }
}
