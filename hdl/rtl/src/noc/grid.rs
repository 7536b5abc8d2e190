use super::{MonitorSelect, Node};
use crate::prim::{StreamIn, StreamOut};
use portico_spec::{
    flit::{X_WIDTH, Y_WIDTH},
    Config,
};
use portico_verilog::prelude::*;

/// The nodes of a mesh, each wired to its neighbours; the four sides stay open.
///
/// Nodes for `W`-bit flits, with FIFOs of up to 2^`A` flits.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle a router |
/// | throughput | one flit a cycle on every link |
/// | state | a [`Node`] a tile |
///
/// Tile `y * cols + x` is in column `x` and row `y`; y grows to the south. The chain of the monitors follows the tiles.
#[derive(LogicBlock, Default)]
pub struct Grid<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The local ports, one a tile.
    pub s_axis_local: Vec<StreamIn<W>>,
    pub m_axis_local: Vec<StreamOut<W>>,
    /// The north and south sides, one port a column.
    pub s_axis_north: Vec<StreamIn<W>>,
    pub m_axis_north: Vec<StreamOut<W>>,
    pub s_axis_south: Vec<StreamIn<W>>,
    pub m_axis_south: Vec<StreamOut<W>>,
    /// The east and west sides, one port a row.
    pub s_axis_east: Vec<StreamIn<W>>,
    pub m_axis_east: Vec<StreamOut<W>>,
    pub s_axis_west: Vec<StreamIn<W>>,
    pub m_axis_west: Vec<StreamOut<W>>,
    /// Which counter `monitor_value` shows, `tiles` cycles later; without monitors it shows 0.
    pub monitor: MonitorSelect,
    pub monitor_value: Signal<Out, Bits<32>>,
    node: Vec<Node<W, A>>,
    node_x: Vec<Constant<Bits<X_WIDTH>>>,
    node_y: Vec<Constant<Bits<Y_WIDTH>>>,
    node_tile: Vec<Constant<Bits<8>>>,
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
            s_axis_north: many(cols, |_| Default::default()),
            m_axis_north: many(cols, |_| Default::default()),
            s_axis_south: many(cols, |_| Default::default()),
            m_axis_south: many(cols, |_| Default::default()),
            s_axis_east: many(rows, |_| Default::default()),
            m_axis_east: many(rows, |_| Default::default()),
            s_axis_west: many(rows, |_| Default::default()),
            m_axis_west: many(rows, |_| Default::default()),
            node: many(tiles, |_| Node::new(config.fifo, config.monitors)),
            node_x: many(tiles, |id| Constant::new(bits(config.tile_node(id).x.into()))),
            node_y: many(tiles, |id| Constant::new(bits(config.tile_node(id).y.into()))),
            node_tile: many(tiles, |id| Constant::new(bits(id as u64))),
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
            self.node[i].x.next = self.node_x[i].val();
            self.node[i].y.next = self.node_y[i].val();
            self.node[i].tile.next = self.node_tile[i].val();
            StreamIn::<W>::link(&mut self.s_axis_local[i], &mut self.node[i].s_axis_local);
            StreamOut::<W>::link(&mut self.m_axis_local[i], &mut self.node[i].m_axis_local);
            MonitorSelect::link(&mut self.monitor, &mut self.node[i].select);
        }
        for y in 0..self._rows {
            for x in 0..self._links_in_row {
                self.node[y * self.cols.val().index() + x + 1].s_axis_west.tdata.next = self.node[y * self.cols.val().index() + x].m_axis_east.tdata.val();
                self.node[y * self.cols.val().index() + x + 1].s_axis_west.tlast.next = self.node[y * self.cols.val().index() + x].m_axis_east.tlast.val();
                self.node[y * self.cols.val().index() + x + 1].s_axis_west.tvalid.next = self.node[y * self.cols.val().index() + x].m_axis_east.tvalid.val();
                self.node[y * self.cols.val().index() + x].m_axis_east.tready.next = self.node[y * self.cols.val().index() + x + 1].s_axis_west.tready.val();
                self.node[y * self.cols.val().index() + x].s_axis_east.tdata.next = self.node[y * self.cols.val().index() + x + 1].m_axis_west.tdata.val();
                self.node[y * self.cols.val().index() + x].s_axis_east.tlast.next = self.node[y * self.cols.val().index() + x + 1].m_axis_west.tlast.val();
                self.node[y * self.cols.val().index() + x].s_axis_east.tvalid.next = self.node[y * self.cols.val().index() + x + 1].m_axis_west.tvalid.val();
                self.node[y * self.cols.val().index() + x + 1].m_axis_west.tready.next = self.node[y * self.cols.val().index() + x].s_axis_east.tready.val();
            }
            StreamIn::<W>::link(&mut self.s_axis_west[y], &mut self.node[y * self.cols.val().index()].s_axis_west);
            StreamOut::<W>::link(&mut self.m_axis_west[y], &mut self.node[y * self.cols.val().index()].m_axis_west);
            StreamIn::<W>::link(&mut self.s_axis_east[y], &mut self.node[(y + 1) * self.cols.val().index() - 1].s_axis_east);
            StreamOut::<W>::link(&mut self.m_axis_east[y], &mut self.node[(y + 1) * self.cols.val().index() - 1].m_axis_east);
        }
        for i in 0..self._links_to_south {
            self.node[i + self.cols.val().index()].s_axis_north.tdata.next = self.node[i].m_axis_south.tdata.val();
            self.node[i + self.cols.val().index()].s_axis_north.tlast.next = self.node[i].m_axis_south.tlast.val();
            self.node[i + self.cols.val().index()].s_axis_north.tvalid.next = self.node[i].m_axis_south.tvalid.val();
            self.node[i].m_axis_south.tready.next = self.node[i + self.cols.val().index()].s_axis_north.tready.val();
            self.node[i].s_axis_south.tdata.next = self.node[i + self.cols.val().index()].m_axis_north.tdata.val();
            self.node[i].s_axis_south.tlast.next = self.node[i + self.cols.val().index()].m_axis_north.tlast.val();
            self.node[i].s_axis_south.tvalid.next = self.node[i + self.cols.val().index()].m_axis_north.tvalid.val();
            self.node[i + self.cols.val().index()].m_axis_north.tready.next = self.node[i].s_axis_south.tready.val();
        }
        for x in 0..self._cols {
            StreamIn::<W>::link(&mut self.s_axis_north[x], &mut self.node[x].s_axis_north);
            StreamOut::<W>::link(&mut self.m_axis_north[x], &mut self.node[x].m_axis_north);
            StreamIn::<W>::link(&mut self.s_axis_south[x], &mut self.node[self.last_row.val().index() + x].s_axis_south);
            StreamOut::<W>::link(&mut self.m_axis_south[x], &mut self.node[self.last_row.val().index() + x].m_axis_south);
        }
        self.node[0].value_in.next = 0.into();
        for i in 0..self._links_of_chain {
            self.node[i + 1].value_in.next = self.node[i].value_out.val();
        }
        self.monitor_value.next = self.node[self.last_tile.val().index()].value_out.val();
    }
}
