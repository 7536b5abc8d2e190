use crate::{
    accel::Probe,
    bus::{CommandQueue, MemoryReadOut, MemoryWriteOut, PacketArbiter, SocketOut, WriteShare},
    host::{AxiLiteIn, AxiLiteSlave},
    mpe::Mpe,
    ni::{InterfaceParameters, NetworkInterface, Scratchpad},
    prim::{StreamIn, StreamOut},
};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        build::Build,
        registers::{BASE_BYTES, SPACE_BYTES},
    },
    parts::Part,
    Config,
};
use portico_verilog::prelude::*;

/// What a tile tells at once, without being asked.
#[derive(Clone, Debug, Default, Documented, LogicInterface)]
pub struct TileStatus {
    /// An event that may interrupt has fired.
    pub irq: Signal<Out, Bit>,
    /// Events that have fired, bit 0 for event 0.
    pub fired: Signal<Out, Bits<64>>,
}

/// A tile: scratchpad, network interface, and an AXI4-Lite port for whatever computes there.
///
/// A tile of `W`-bit flits with `B` bytes.
///
/// The host node of a fabric is a tile too: what a processor is to a tile, the host is to its own.
///
/// | | |
/// | --- | --- |
/// | latency | from a descriptor's last beat to the event: see `docs/network-interface.md` |
/// | throughput | one flit a cycle in and out on each plane; one descriptor word a cycle |
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
    /// What it tells without being asked.
    pub status: TileStatus,
    ni: NetworkInterface<W, B>,
    scratchpad: Scratchpad<W, B>,
    port: AxiLiteSlave<W, B>,
    host_queue: CommandQueue,
    /// Where an accelerator has descriptors as well.
    commands: Vec<PacketArbiter<32, 2>>,
    /// Where there are engines: their writes, and those of the port.
    writes: Vec<WriteShare<W, B>>,
    probe: Vec<Probe<W, B>>,
    mpe: Vec<Mpe<W, B>>,
    _commands: usize,
    _writes: usize,
    _alone: usize,
    /// 1 where there is a source/sink core, which has seat 0.
    _probes: usize,
    /// 1 where there is a message-passing engine, which has the seat after it.
    _mpes: usize,
}

impl<const W: usize, const B: usize> Tile<W, B> {
    /// A tile of the fabric that `config` describes; `config.width` is `W`.
    pub fn new(config: &Config) -> Self {
        Self::with(config, config.build(), config.engines().copied().collect())
    }

    /// The host's node of that fabric: a tile without engines.
    pub fn host(config: &Config) -> Self {
        Self::with(config, config.build().without_engines(), vec![])
    }

    fn with(config: &Config, build: Build, engines: Vec<Part>) -> Self {
        let shared = usize::from(!engines.is_empty());
        let (probes, mpes) = (usize::from(build.probe), usize::from(build.mpe > 0));
        let memory_bytes = config.scratchpad << 10;
        let commands = usize::from(config.commands);
        Self {
            ni: NetworkInterface::new(&InterfaceParameters {
                build,
                memory_bytes: memory_bytes as u32,
                memory_words: (memory_bytes / B) as u64,
                space_words: (SPACE_BYTES / B) as u64,
                register_bit: (BASE_BYTES / B).ilog2() as usize,
                config: config.clone(),
                engines,
            }),
            writes: (0..shared).map(|_| WriteShare::new(2)).collect(),
            probe: (0..probes).map(|_| Probe::new(config)).collect(),
            mpe: (0..mpes).map(|_| Mpe::new(config)).collect(),
            scratchpad: Scratchpad::new(memory_bytes),
            port: AxiLiteSlave::new(memory_bytes),
            host_queue: CommandQueue::new(),
            commands: (0..commands).map(|_| PacketArbiter::default()).collect(),
            _commands: commands,
            _writes: shared,
            _alone: 1 - shared,
            _probes: probes,
            _mpes: mpes,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for Tile<W, B> {
    fn update(&mut self) {
        wire!(self => ni, scratchpad, port, host_queue: clk, rst);

        self.ni.node.next = self.node.val();
        StreamIn::<W>::link(&mut self.s_axis_data, &mut self.ni.s_axis_data);
        StreamOut::<W>::link(&mut self.m_axis_data, &mut self.ni.m_axis_data);
        StreamIn::<32>::link(&mut self.s_axis_control, &mut self.ni.s_axis_control);
        StreamOut::<32>::link(&mut self.m_axis_control, &mut self.ni.m_axis_control);

        MemoryWriteOut::<W, B>::join(&mut self.ni.write, &mut self.scratchpad.write[0]);
        MemoryReadOut::<W>::join(&mut self.ni.atomic_read, &mut self.scratchpad.read[0]);
        MemoryReadOut::<W>::join(&mut self.ni.dma_read, &mut self.scratchpad.read[1]);
        MemoryReadOut::<W>::join(&mut self.ni.release_read, &mut self.scratchpad.read[2]);

        AxiLiteIn::link(&mut self.s_axil, &mut self.port.s_axil);
        for _i in 0..self._alone {
            MemoryWriteOut::<W, B>::join(&mut self.port.memory_write, &mut self.scratchpad.write[1]);
        }
        for i in 0..self._writes {
            wire!(self => writes[i]: clk, rst);
            MemoryWriteOut::<W, B>::join(&mut self.port.memory_write, &mut self.writes[i].writer[0]);
            MemoryWriteOut::<W, B>::join(&mut self.ni.engine_write[i], &mut self.writes[i].writer[1]);
            MemoryWriteOut::<W, B>::join(&mut self.writes[i].memory, &mut self.scratchpad.write[1]);
        }
        for i in 0..self._probes {
            wire!(self => probe[i]: clk, rst);
            SocketOut::<W, B>::join(&mut self.ni.seat[i], &mut self.probe[i].socket);
        }
        for i in 0..self._mpes {
            wire!(self => mpe[i]: clk, rst);
            SocketOut::<W, B>::join(&mut self.ni.seat[i + self._probes], &mut self.mpe[i].socket);
        }
        MemoryReadOut::<W>::join(&mut self.port.memory_read, &mut self.scratchpad.read[3]);
        self.ni.local_write.valid.next = self.port.register_write_valid.val();
        self.ni.local_write.index.next = self.port.register_write_index.val();
        self.ni.local_write.data.next = self.port.register_write_data.val();
        self.port.register_write_ready.next = self.ni.local_write.ready.val();
        self.ni.local_read.valid.next = self.port.register_read_valid.val();
        self.ni.local_read.index.next = self.port.register_read_index.val();
        self.port.register_read_ready.next = self.ni.local_read.ready.val();
        self.port.register_read_data.next = self.ni.local_read.data.val();
        self.port.register_read_data_valid.next = self.ni.local_read.data_valid.val();

        // A host writes a descriptor word by word; the stream beside it does not wait for that.
        StreamOut::<32>::join(&mut self.port.m_axis_command, &mut self.host_queue.s_axis);
        self.port.command_refused.next = self.host_queue.refuses.val();
        StreamOut::<32>::join(&mut self.host_queue.m_axis, &mut self.ni.s_axis_command);
        self.s_axis_command.tready.next = false;
        for i in 0..self._commands {
            wire!(self => commands[i]: clk, rst);
            StreamOut::<32>::join(&mut self.host_queue.m_axis, &mut self.commands[i].s_axis[0]);
            StreamIn::<32>::link(&mut self.s_axis_command, &mut self.commands[i].s_axis[1]);
            StreamOut::<32>::join(&mut self.commands[i].m_axis, &mut self.ni.s_axis_command);
        }

        self.ni.dropped.next = self.host_queue.dropped.val();
        wire!(ni => status: irq, fired);
    }
}
