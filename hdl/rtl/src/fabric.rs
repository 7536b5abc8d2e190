use crate::{
    host::{AxiLiteIn, AxiOut, MemoryNode},
    noc::{many, DropReportOut, Mesh, MonitorSelect},
    node::NodeStatus,
    portals::engine::StepLogOut,
    prim::{SkidBuffer, StreamIn, StreamOut},
    tile::Tile,
};
use portico_spec::{flit::NODE_WIDTH, Config};
use portico_verilog::prelude::*;

/// The fabric: tiles on two wormhole meshes, the host node, and memory nodes.
///
/// A fabric of `W`-bit flits with `B` bytes, router FIFOs of up to 2^`A` flits, and memories with addresses of `M` bits.
///
/// ```text
///   tile 0 - tile 1 - ...        each line twice: the data plane and the control plane
///     |        |
///   tile n - tile n + 1 - ...
///     |        |
///   host    memory 0 ...         edge nodes: the host below column 0, memories below the next ones
/// ```
///
/// | | |
/// | --- | --- |
/// | latency | d + 1 cycles for d hops on each plane, a cycle more into the host node, and into tiles with a register before them; see [`Tile`] |
/// | throughput | one flit a cycle on every link of each plane |
/// | after reset | takes nothing for 512 cycles |
#[derive(LogicBlock, Default)]
pub struct Fabric<const W: usize, const B: usize, const A: usize, const M: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: restores all credits, and empties both planes.
    pub rst: Signal<In, Bit>,
    /// Scratchpad and registers of the host node; from there, everything else.
    pub s_axil: AxiLiteIn,
    /// Events of the host node.
    pub host: NodeStatus,
    /// Scratchpad and registers of each tile, where the tiles have ports.
    pub s_axil_tile: Vec<AxiLiteIn>,
    /// Descriptors for each tile; never ready where no accelerators are configured.
    pub s_axis_command: Vec<StreamIn<32>>,
    /// Words of each tile for an accelerator, where the tiles have streams.
    pub m_axis_stream: Vec<StreamOut<W>>,
    /// Words of an accelerator for each tile, where the tiles have streams.
    pub s_axis_stream: Vec<StreamIn<W>>,
    /// Steps of each tile's Portals engine, where the tiles tell them.
    pub portals_log: Vec<StepLogOut>,
    /// Events of each tile.
    pub status: Vec<NodeStatus>,
    /// External memory, one a memory node.
    pub m_axi: Vec<AxiOut<W, B, M>>,
    /// Packets for nodes that do not exist, of each plane.
    pub data_dropped: DropReportOut,
    /// The same of the control plane.
    pub control_dropped: DropReportOut,
    /// Which counter of the routers `data_monitor` and `control_monitor` show.
    pub monitor: MonitorSelect,
    /// What `monitor` selects, of the data plane.
    pub data_monitor: Signal<Out, Bits<32>>,
    /// What `monitor` selects, of the control plane.
    pub control_monitor: Signal<Out, Bits<32>>,
    data_plane: Mesh<W, A>,
    control_plane: Mesh<32, A>,
    tile: Vec<Tile<W, B>>,
    host_node: Tile<W, B>,
    /// The host node lies where its pins are, far from the mesh: the way there is a cycle of its own.
    host_data: SkidBuffer<W>,
    host_control: SkidBuffer<32>,
    /// The same before each tile, where the configuration has registers there.
    tile_data: Vec<SkidBuffer<W>>,
    tile_control: Vec<SkidBuffer<32>>,
    memory: Vec<MemoryNode<W, B, M>>,
    node: Vec<Constant<Bits<NODE_WIDTH>>>,
    tiles: Constant<Bits<16>>,
    memories_at: Constant<Bits<16>>,
    _tiles: usize,
    /// Tiles with a port, and tiles without: one of the two is all.
    _ported: usize,
    _portless: usize,
    /// Tiles with streams: all or none.
    _streamed: usize,
    /// Tiles whose Portals engine tells its steps: all or none.
    _logged: usize,
    /// Tiles with registers before them, and tiles without: one of the two is all.
    _registered: usize,
    _direct: usize,
    _memories: usize,
}

impl<const W: usize, const B: usize, const A: usize, const M: usize> Fabric<W, B, A, M> {
    /// The fabric that `config` describes; `config.width` is `W`, `config.fifo` fits `A` address bits, `config.memory_address` is
    /// `M`, and `config.edge_nodes` counts the host and the memories.
    pub fn new(config: &Config) -> Self {
        let node = |terminal: usize| {
            let node = config.terminal_node(terminal);
            Constant::new(bits(u64::from(node.number())))
        };
        let ported = if config.tile_ports { config.tiles() } else { 0 };
        let streamed = if config.streams { config.tiles() } else { 0 };
        let logged = if config.portals_log { config.tiles() } else { 0 };
        let registered = if config.registers_at_tiles { config.tiles() } else { 0 };
        Self {
            s_axil_tile: many(ported, |_| Default::default()),
            s_axis_command: many(config.tiles(), |_| Default::default()),
            m_axis_stream: many(streamed, |_| Default::default()),
            s_axis_stream: many(streamed, |_| Default::default()),
            portals_log: many(logged, |_| Default::default()),
            status: many(config.tiles(), |_| Default::default()),
            m_axi: many(config.memories, |_| Default::default()),
            data_plane: Mesh::new(config),
            control_plane: Mesh::new(config),
            tile: many(config.tiles(), |_| Tile::of_fabric(config)),
            host_node: Tile::host(config),
            tile_data: many(registered, |_| Default::default()),
            tile_control: many(registered, |_| Default::default()),
            memory: many(config.memories, |_| MemoryNode::new(config)),
            node: many(config.terminals(), node),
            tiles: Constant::new(bits(config.tiles() as u64)),
            memories_at: Constant::new(bits(config.tiles() as u64 + 1)),
            _tiles: config.tiles(),
            _ported: ported,
            _portless: config.tiles() - ported,
            _streamed: streamed,
            _logged: logged,
            _registered: registered,
            _direct: config.tiles() - registered,
            _memories: config.memories,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize, const A: usize, const M: usize> Logic for Fabric<W, B, A, M> {
    fn update(&mut self) {
        wire!(self => data_plane, control_plane, host_node, host_data, host_control: clk, rst);
        wire!(self <=> data_plane, control_plane: monitor);
        self.data_monitor.next = self.data_plane.monitor_value.val();
        self.control_monitor.next = self.control_plane.monitor_value.val();
        wire!(self.data_dropped <=> data_plane.dropped);
        wire!(self.control_dropped <=> control_plane.dropped);

        for i in 0..self._tiles {
            wire!(self => tile[i]: clk, rst);
            self.tile[i].planes_.node.next = self.node[i].val();
            wire!(tile[i].planes_.m_axis_data <=> data_plane.s_axis[i]);
            wire!(tile[i].planes_.m_axis_control <=> control_plane.s_axis[i]);
            wire!(self.status[i] <=> tile[i].status);
            wire!(self.s_axis_command[i] <=> tile[i].s_axis_command);
        }
        for i in 0..self._registered {
            wire!(self => tile_data[i], tile_control[i]: clk, rst);
            wire!(data_plane.m_axis[i] <=> tile_data[i].s_axis);
            wire!(tile_data[i].m_axis <=> tile[i].planes_.s_axis_data);
            wire!(control_plane.m_axis[i] <=> tile_control[i].s_axis);
            wire!(tile_control[i].m_axis <=> tile[i].planes_.s_axis_control);
        }
        for i in 0..self._direct {
            wire!(data_plane.m_axis[i] <=> tile[i].planes_.s_axis_data);
            wire!(control_plane.m_axis[i] <=> tile[i].planes_.s_axis_control);
        }
        for i in 0..self._ported {
            wire!(self.s_axil_tile[i] <=> tile[i].s_axil);
        }
        for i in 0..self._streamed {
            wire!(self.m_axis_stream[i] <=> tile[i].m_axis_stream[0]);
            wire!(self.s_axis_stream[i] <=> tile[i].s_axis_stream[0]);
        }
        for i in 0..self._logged {
            wire!(self.portals_log[i] <=> tile[i].portals_log[0]);
        }
        for i in 0..self._portless {
            self.tile[i].s_axil.write_.awaddr.next = 0.into();
            self.tile[i].s_axil.write_.awprot.next = 0.into();
            self.tile[i].s_axil.write_.awvalid.next = false;
            self.tile[i].s_axil.write_.wdata.next = 0.into();
            self.tile[i].s_axil.write_.wstrb.next = 0.into();
            self.tile[i].s_axil.write_.wvalid.next = false;
            self.tile[i].s_axil.write_.bready.next = false;
            self.tile[i].s_axil.read_.araddr.next = 0.into();
            self.tile[i].s_axil.read_.arprot.next = 0.into();
            self.tile[i].s_axil.read_.arvalid.next = false;
            self.tile[i].s_axil.read_.rready.next = false;
        }

        self.host_node.planes_.node.next = self.node[self.tiles.val().index()].val();
        wire!(data_plane.m_axis[self.tiles.val().index()] <=> host_data.s_axis);
        wire!(host_data.m_axis <=> host_node.planes_.s_axis_data);
        wire!(host_node.planes_.m_axis_data <=> data_plane.s_axis[self.tiles.val().index()]);
        wire!(control_plane.m_axis[self.tiles.val().index()] <=> host_control.s_axis);
        wire!(host_control.m_axis <=> host_node.planes_.s_axis_control);
        wire!(host_node.planes_.m_axis_control <=> control_plane.s_axis[self.tiles.val().index()]);
        wire!(self <=> host_node: s_axil);
        wire!(self.host <=> host_node.status);
        self.host_node.s_axis_command.tdata.next = 0.into();
        self.host_node.s_axis_command.tlast.next = false;
        self.host_node.s_axis_command.tvalid.next = false;

        for i in 0..self._memories {
            wire!(self => memory[i]: clk, rst);
            self.memory[i].planes_.node.next = self.node[self.memories_at.val().index() + i].val();
            wire!(data_plane.m_axis[self.memories_at.val().index() + i] <=> memory[i].planes_.s_axis_data);
            wire!(memory[i].planes_.m_axis_data <=> data_plane.s_axis[self.memories_at.val().index() + i]);
            wire!(control_plane.m_axis[self.memories_at.val().index() + i] <=> memory[i].planes_.s_axis_control);
            wire!(memory[i].planes_.m_axis_control <=> control_plane.s_axis[self.memories_at.val().index() + i]);
            wire!(self.m_axi[i] <=> memory[i].m_axi);
        }
    }
}
