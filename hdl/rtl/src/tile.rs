use crate::{
    bus::{CommandQueue, PacketArbiter, Planes},
    host::{AxiLiteIn, AxiLiteSlave},
    node::{Node, NodeStatus},
    portals::engine::StepLogOut,
    prim::{StreamIn, StreamOut},
};
use portico_spec::{parts::Station, Config};
use portico_verilog::prelude::*;

/// A tile, with an AXI4-Lite port for whatever computes there or without; also the host's node, whose port is the host's.
///
/// A tile of `W`-bit flits with `B` bytes. Without a port it is a [`Node`] and no more.
///
/// | | |
/// | --- | --- |
/// | latency | that of [`Node`]; the port's is that of [`AxiLiteSlave`] |
/// | throughput | that of [`Node`] |
/// | after reset | takes nothing for 512 cycles, while it clears its tables; the scratchpad keeps its content |
#[derive(LogicBlock, Default)]
pub struct Tile<const W: usize, const B: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high, for the whole fabric at once.
    pub rst: Signal<In, Bit>,
    /// The node's number, and its streams from and to both planes.
    pub planes_: Planes<W>,
    /// Scratchpad and registers; never ready where no port is configured.
    pub s_axil: AxiLiteIn,
    /// Descriptors of an accelerator; never ready where none is configured.
    pub s_axis_command: StreamIn<32>,
    /// Words for an accelerator, where streams are configured.
    pub m_axis_stream: Vec<StreamOut<W>>,
    /// Words of an accelerator, where streams are configured.
    pub s_axis_stream: Vec<StreamIn<W>>,
    /// Steps of the Portals engine, where it tells them.
    pub portals_log: Vec<StepLogOut>,
    /// Events that have fired.
    pub status: NodeStatus,
    inner: Node<W, B>,
    /// Where there is a port: it, and the descriptors that come through it.
    port: Vec<AxiLiteSlave<W, B>>,
    host_queue: Vec<CommandQueue>,
    /// Where an accelerator has descriptors as well.
    commands: Vec<PacketArbiter<32, 2>>,
    _ports: usize,
    _alone: usize,
    /// 1 where descriptors come through the port and in a stream, in a stream alone, and in neither.
    _commands: usize,
    _streamed: usize,
    _silent: usize,
    /// 1 where there are streams of words.
    _streams: usize,
    /// 1 where the Portals engine tells its steps.
    _logs: usize,
}

impl<const W: usize, const B: usize> Tile<W, B> {
    /// A tile that stands alone: that of a fabric as `config` describes it, with a port; `config.width` is `W`.
    pub fn new(config: &Config) -> Self {
        Self::of_fabric(&Config {
            tile_ports: true,
            ..config.clone()
        })
    }

    /// A tile of the fabric that `config` describes, with a port where the tiles have one.
    pub fn of_fabric(config: &Config) -> Self {
        let memory_bytes = config.memory_bytes_of(Station::Tile);
        Self::with(Node::tile(config), memory_bytes, config.tile_ports, config.commands)
    }

    /// The host's node of that fabric: nothing computes beside the host.
    pub fn host(config: &Config) -> Self {
        Self::with(Node::host(config), config.memory_bytes_of(Station::Host), true, false)
    }

    fn with(inner: Node<W, B>, memory_bytes: u32, has_port: bool, is_commanded: bool) -> Self {
        let ports = usize::from(has_port);
        let (streams, logs) = (inner.m_axis_stream.len(), inner.portals_log.len());
        let commands = usize::from(has_port && is_commanded);
        Self {
            inner,
            port: (0..ports).map(|_| AxiLiteSlave::new(memory_bytes as usize)).collect(),
            host_queue: (0..ports).map(|_| CommandQueue::new()).collect(),
            commands: (0..commands).map(|_| PacketArbiter::default()).collect(),
            _ports: ports,
            _alone: 1 - ports,
            _commands: commands,
            _streamed: usize::from(!has_port && is_commanded),
            _silent: usize::from(!has_port && !is_commanded),
            m_axis_stream: (0..streams).map(|_| Default::default()).collect(),
            s_axis_stream: (0..streams).map(|_| Default::default()).collect(),
            _streams: streams,
            portals_log: (0..logs).map(|_| Default::default()).collect(),
            _logs: logs,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for Tile<W, B> {
    fn update(&mut self) {
        wire!(self => inner: clk, rst);
        wire!(self <=> inner: planes_, status);

        for i in 0..self._streams {
            wire!(self.m_axis_stream[i] <=> inner.m_axis_stream[i]);
            wire!(self.s_axis_stream[i] <=> inner.s_axis_stream[i]);
        }

        for i in 0..self._logs {
            wire!(self.portals_log[i] <=> inner.portals_log[i]);
        }

        self.s_axis_command.tready.next = false;
        for i in 0..self._ports {
            wire!(self => port[i], host_queue[i]: clk, rst);
            wire!(self <=> port[i]: s_axil);
            wire!(port[i] <=> inner: memory_write, memory_read);
            wire!(port[i].register_write <=> inner.local_write);
            wire!(port[i].register_read <=> inner.local_read);

            // A master writes a descriptor word by word; the stream beside it does not wait for that.
            wire!(port[i].m_axis_command <=> host_queue[i].s_axis);
            self.port[i].command_refused.next = self.host_queue[i].refuses.val();
            wire!(host_queue[i].m_axis <=> inner.s_axis_command);
            self.inner.dropped.next = self.host_queue[i].dropped.val();
        }
        for i in 0..self._commands {
            wire!(self => commands[i]: clk, rst);
            wire!(host_queue[i].m_axis <=> commands[i].s_axis[0]);
            wire!(self.s_axis_command <=> commands[i].s_axis[1]);
            wire!(commands[i].m_axis <=> inner.s_axis_command);
        }

        for _i in 0..self._alone {
            self.s_axil.write_.awready.next = false;
            self.s_axil.write_.wready.next = false;
            self.s_axil.write_.bresp.next = 0.into();
            self.s_axil.write_.bvalid.next = false;
            self.s_axil.read_.arready.next = false;
            self.s_axil.read_.rdata.next = 0.into();
            self.s_axil.read_.rresp.next = 0.into();
            self.s_axil.read_.rvalid.next = false;
            self.inner.memory_write.valid.next = false;
            self.inner.memory_write.address.next = 0.into();
            self.inner.memory_write.data.next = 0.into();
            self.inner.memory_write.lanes.next = 0.into();
            self.inner.memory_read.valid.next = false;
            self.inner.memory_read.address.next = 0.into();
            self.inner.local_write.valid.next = false;
            self.inner.local_write.index.next = 0.into();
            self.inner.local_write.data.next = 0.into();
            self.inner.local_read.valid.next = false;
            self.inner.local_read.index.next = 0.into();
            self.inner.dropped.next = false;
        }
        for _i in 0..self._streamed {
            wire!(self <=> inner: s_axis_command);
        }
        for _i in 0..self._silent {
            self.inner.s_axis_command.tdata.next = 0.into();
            self.inner.s_axis_command.tlast.next = false;
            self.inner.s_axis_command.tvalid.next = false;
        }
    }
}
