use super::{MonitorSelect, RouterPlace};
use crate::prim::{StreamIn, StreamOut};
use portico_spec::{
    flit::{X_WIDTH, Y_WIDTH},
    Config,
};
use portico_verilog::prelude::*;

/// The nodes of a mesh, each wired to its neighbours; the sides to which packets are led stay open.
///
/// Nodes for `W`-bit flits, with FIFOs of up to 2^`A` flits.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle a router |
/// | throughput | one flit a cycle on every link |
/// | state | a [`RouterPlace`] a tile |
///
/// Tile `y * cols + x` is in column `x` and row `y`; y grows to the south. XY routing never leaves the mesh to the west or
/// north, and nothing comes in from the east: those ports are tied off. The chain of the monitors follows the tiles.
#[derive(LogicBlock, Default)]
pub struct Grid<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Into the local ports, one a tile.
    pub s_axis_local: Vec<StreamIn<W>>,
    /// Out of the local ports, one a tile.
    pub m_axis_local: Vec<StreamOut<W>>,
    /// Out of the east side, one port a row.
    pub m_axis_east: Vec<StreamOut<W>>,
    /// Into the south side, one port a column.
    pub s_axis_south: Vec<StreamIn<W>>,
    /// Out of the south side, one port a column.
    pub m_axis_south: Vec<StreamOut<W>>,
    /// Which counter `monitor_value` shows, `tiles` cycles later; without monitors it shows 0.
    pub monitor: MonitorSelect,
    /// Value of the counter that `monitor` selects, `tiles` cycles later; 0 without monitors.
    pub monitor_value: Signal<Out, Bits<32>>,
    node: Vec<RouterPlace<W, A>>,
    cols: Constant<Bits<8>>,
    /// First tile of the last row, and last tile of all.
    last_row: Constant<Bits<8>>,
    last_tile: Constant<Bits<8>>,
    _cols: usize,
    _rows: usize,
    _tiles: usize,
    _links_in_row: usize,
    _links_to_south: usize,
    _links_of_chain: usize,
}

/// `count` of what `make` makes of their numbers.
pub(crate) fn many<T>(count: usize, make: impl Fn(usize) -> T) -> Vec<T> {
    (0..count).map(make).collect()
}

impl<const W: usize, const A: usize> Grid<W, A> {
    /// The nodes that `config` describes; its `width` is `W`, and its `fifo` fits `A` address bits.
    pub fn new(config: &Config) -> Self {
        let (cols, rows, tiles) = (config.cols, config.rows, config.tiles());
        Self {
            s_axis_local: many(tiles, |_| Default::default()),
            m_axis_local: many(tiles, |_| Default::default()),
            m_axis_east: many(rows, |_| Default::default()),
            s_axis_south: many(cols, |_| Default::default()),
            m_axis_south: many(cols, |_| Default::default()),
            node: many(tiles, |_| RouterPlace::new(config.fifo, config.monitors)),
            cols: Constant::new(bits(cols as u64)),
            last_row: Constant::new(bits((tiles - cols) as u64)),
            last_tile: Constant::new(bits((tiles - 1) as u64)),
            _cols: cols,
            _rows: rows,
            _tiles: tiles,
            _links_in_row: cols - 1,
            _links_to_south: tiles - cols,
            _links_of_chain: tiles - 1,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const A: usize> Logic for Grid<W, A> {
    #[rustfmt::skip]
    fn update(&mut self) {
        for i in 0..self._tiles {
            wire!(self => node[i]: clk, rst);
            self.node[i].tile.next = bits::<8>(i);
            wire!(self.s_axis_local[i] <=> node[i].s_axis.local);
            wire!(self.m_axis_local[i] <=> node[i].m_axis.local);
            wire!(self.monitor <=> node[i].select);
        }
        for y in 0..self._rows {
            for x in 0..self._cols {
                self.node[y * self.cols.val().index() + x].x.next = bits::<X_WIDTH>(x);
                self.node[y * self.cols.val().index() + x].y.next = bits::<Y_WIDTH>(y);
            }
            for x in 0..self._links_in_row {
                wire!(node[y * self.cols.val().index() + x].m_axis.east
                    => node[y * self.cols.val().index() + x + 1].s_axis.west: tdata, tlast, tvalid);
                wire!(node[y * self.cols.val().index() + x + 1].s_axis.west
                    => node[y * self.cols.val().index() + x].m_axis.east: tready);
                wire!(node[y * self.cols.val().index() + x + 1].m_axis.west
                    => node[y * self.cols.val().index() + x].s_axis.east: tdata, tlast, tvalid);
                wire!(node[y * self.cols.val().index() + x].s_axis.east
                    => node[y * self.cols.val().index() + x + 1].m_axis.west: tready);
            }
            self.node[y * self.cols.val().index()].s_axis.west.tdata.next = 0.into();
            self.node[y * self.cols.val().index()].s_axis.west.tlast.next = false;
            self.node[y * self.cols.val().index()].s_axis.west.tvalid.next = false;
            self.node[y * self.cols.val().index()].m_axis.west.tready.next = true;
            self.node[(y + 1) * self.cols.val().index() - 1].s_axis.east.tdata.next = 0.into();
            self.node[(y + 1) * self.cols.val().index() - 1].s_axis.east.tlast.next = false;
            self.node[(y + 1) * self.cols.val().index() - 1].s_axis.east.tvalid.next = false;
            wire!(self.m_axis_east[y] <=> node[(y + 1) * self.cols.val().index() - 1].m_axis.east);
        }
        for i in 0..self._links_to_south {
            wire!(node[i].m_axis.south => node[i + self.cols.val().index()].s_axis.north: tdata, tlast, tvalid);
            wire!(node[i + self.cols.val().index()].s_axis.north => node[i].m_axis.south: tready);
            wire!(node[i + self.cols.val().index()].m_axis.north => node[i].s_axis.south: tdata, tlast, tvalid);
            wire!(node[i].s_axis.south => node[i + self.cols.val().index()].m_axis.north: tready);
        }
        for x in 0..self._cols {
            self.node[x].s_axis.north.tdata.next = 0.into();
            self.node[x].s_axis.north.tlast.next = false;
            self.node[x].s_axis.north.tvalid.next = false;
            self.node[x].m_axis.north.tready.next = true;
            wire!(self.s_axis_south[x] <=> node[self.last_row.val().index() + x].s_axis.south);
            wire!(self.m_axis_south[x] <=> node[self.last_row.val().index() + x].m_axis.south);
        }
        self.node[0].value_in.next = 0.into();
        for i in 0..self._links_of_chain {
            self.node[i + 1].value_in.next = self.node[i].value_out.val();
        }
        self.monitor_value.next = self.node[self.last_tile.val().index()].value_out.val();
    }
}
