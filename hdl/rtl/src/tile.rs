use crate::{
    bus::{CommandQueue, MemoryReadOut, MemoryWriteOut, PacketArbiter},
    host::{AxiLiteIn, AxiLiteSlave},
    node::{Node, NodeStatus},
    prim::{StreamIn, StreamOut},
};
use portico_spec::{flit::NODE_WIDTH, Config};
use portico_verilog::prelude::*;

/// A tile with an AXI4-Lite port for whatever computes there; also the host's node, whose port is the host's.
///
/// A tile of `W`-bit flits with `B` bytes.
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
    /// This node: x in bits 3:0, y in bits 8:4.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// From the data plane.
    pub s_axis_data: StreamIn<W>,
    /// To the data plane.
    pub m_axis_data: StreamOut<W>,
    /// From the control plane.
    pub s_axis_control: StreamIn<32>,
    /// To the control plane.
    pub m_axis_control: StreamOut<32>,
    /// Scratchpad and registers.
    pub s_axil: AxiLiteIn,
    /// Descriptors of an accelerator; never ready where none is configured.
    pub s_axis_command: StreamIn<32>,
    /// Events that have fired.
    pub status: NodeStatus,
    inner: Node<W, B>,
    port: AxiLiteSlave<W, B>,
    host_queue: CommandQueue,
    /// Where an accelerator has descriptors as well.
    commands: Vec<PacketArbiter<32, 2>>,
    _commands: usize,
}

impl<const W: usize, const B: usize> Tile<W, B> {
    /// A tile of the fabric that `config` describes; `config.width` is `W`.
    pub fn new(config: &Config) -> Self {
        Self::with(config, Node::tile(config), usize::from(config.commands))
    }

    /// The host's node of that fabric: nothing computes beside the host.
    pub fn host(config: &Config) -> Self {
        Self::with(config, Node::host(config), 0)
    }

    fn with(config: &Config, inner: Node<W, B>, commands: usize) -> Self {
        Self {
            inner,
            port: AxiLiteSlave::new(config.scratchpad << 10),
            host_queue: CommandQueue::new(),
            commands: (0..commands).map(|_| PacketArbiter::default()).collect(),
            _commands: commands,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for Tile<W, B> {
    fn update(&mut self) {
        wire!(self => inner, port, host_queue: clk, rst);
        wire!(self => inner: node);
        StreamIn::<W>::link(&mut self.s_axis_data, &mut self.inner.s_axis_data);
        StreamOut::<W>::link(&mut self.m_axis_data, &mut self.inner.m_axis_data);
        StreamIn::<32>::link(&mut self.s_axis_control, &mut self.inner.s_axis_control);
        StreamOut::<32>::link(&mut self.m_axis_control, &mut self.inner.m_axis_control);
        NodeStatus::link(&mut self.status, &mut self.inner.status);

        AxiLiteIn::link(&mut self.s_axil, &mut self.port.s_axil);
        MemoryWriteOut::<W, B>::join(&mut self.port.memory_write, &mut self.inner.memory_write);
        MemoryReadOut::<W>::join(&mut self.port.memory_read, &mut self.inner.memory_read);
        self.inner.local_write.valid.next = self.port.register_write_valid.val();
        self.inner.local_write.index.next = self.port.register_write_index.val();
        self.inner.local_write.data.next = self.port.register_write_data.val();
        self.port.register_write_ready.next = self.inner.local_write.ready.val();
        self.inner.local_read.valid.next = self.port.register_read_valid.val();
        self.inner.local_read.index.next = self.port.register_read_index.val();
        self.port.register_read_ready.next = self.inner.local_read.ready.val();
        self.port.register_read_data.next = self.inner.local_read.data.val();
        self.port.register_read_data_valid.next = self.inner.local_read.data_valid.val();

        // A host writes a descriptor word by word; the stream beside it does not wait for that.
        StreamOut::<32>::join(&mut self.port.m_axis_command, &mut self.host_queue.s_axis);
        self.port.command_refused.next = self.host_queue.refuses.val();
        StreamOut::<32>::join(&mut self.host_queue.m_axis, &mut self.inner.s_axis_command);
        self.s_axis_command.tready.next = false;
        for i in 0..self._commands {
            wire!(self => commands[i]: clk, rst);
            StreamOut::<32>::join(&mut self.host_queue.m_axis, &mut self.commands[i].s_axis[0]);
            StreamIn::<32>::link(&mut self.s_axis_command, &mut self.commands[i].s_axis[1]);
            StreamOut::<32>::join(&mut self.commands[i].m_axis, &mut self.inner.s_axis_command);
        }

        self.inner.dropped.next = self.host_queue.dropped.val();
    }
}
