use crate::{
    accel::{Probe, Streams},
    bus::{MemoryReadIn, MemoryWriteIn, Planes, RegisterFetchIn, RegisterRequestIn, WriteShare},
    mpe::Mpe,
    ni::{InterfaceParameters, NetworkInterface, Scratchpad},
    portals::engine::{Portals, StepLogOut},
    prim::{StreamIn, StreamOut},
};
use portico_spec::{
    ni::registers::{BASE_BYTES, SPACE_BYTES},
    parts::{Part, Station},
    Config,
};
use portico_verilog::prelude::*;

/// Outputs that show the events of a node, without an access to its registers.
#[interface]
pub struct NodeStatus {
    /// An event that may interrupt has fired.
    pub irq: Signal<Out, Bit>,
    /// Events that have fired, bit 0 for event 0.
    pub fired: Signal<Out, Bits<64>>,
}

/// A node that takes commands: network interface, scratchpad and engines, with what a master beside it may use.
///
/// A node of `W`-bit flits with `B` bytes.
///
/// [`Tile`](crate::tile::Tile) adds an AXI4-Lite port, where the configuration has ports of tiles.
///
/// | | |
/// | --- | --- |
/// | latency | from a descriptor's last beat to the event: see `docs/network-interface.md` |
/// | throughput | one flit a cycle in and out on each plane; one descriptor word a cycle |
/// | after reset | takes nothing for 512 cycles, while it clears its tables; the scratchpad keeps its content |
#[derive(LogicBlock, Default)]
pub struct Node<const W: usize, const B: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high, for the whole fabric at once.
    pub rst: Signal<In, Bit>,
    /// The node's number, and its streams from and to both planes.
    pub planes_: Planes<W>,
    /// Descriptors of a master.
    pub s_axis_command: StreamIn<32>,
    /// A master dropped a descriptor that did not fit its queue: the node counts it.
    pub dropped: Signal<In, Bit>,
    /// Writes of registers, by a master beside the node.
    pub local_write: RegisterRequestIn,
    /// Reads of registers, by a master beside the node.
    pub local_read: RegisterFetchIn,
    /// Writes of the scratchpad, by a master beside the node.
    pub memory_write: MemoryWriteIn<W, B>,
    /// Reads of the scratchpad, by a master beside the node.
    pub memory_read: MemoryReadIn<W>,
    /// Words for an accelerator, where there are streams.
    pub m_axis_stream: Vec<StreamOut<W>>,
    /// Words of an accelerator, where there are streams.
    pub s_axis_stream: Vec<StreamIn<W>>,
    /// Steps of the Portals engine, where it tells them.
    pub portals_log: Vec<StepLogOut>,
    /// Events that have fired.
    pub status: NodeStatus,
    ni: NetworkInterface<W, B>,
    scratchpad: Scratchpad<W, B>,
    /// Where there are engines: their writes, and those of the master.
    writes: Vec<WriteShare<W, B>>,
    probe: Vec<Probe<W, B>>,
    mpe: Vec<Mpe<W, B>>,
    portals: Vec<Portals<W, B>>,
    streams: Vec<Streams<W, B>>,
    _writes: usize,
    _alone: usize,
    /// 1 where there is a source/sink core, which has seat 0.
    _probes: usize,
    /// 1 where there is a message-passing engine, which has the seat after it.
    _mpes: usize,
    /// 1 where there is a Portals engine; its seat, after those.
    _portals: usize,
    _portals_seat: usize,
    /// 1 where it tells its steps.
    _portals_logs: usize,
    /// 1 where there is an engine for streams; its seat, after those.
    _streams: usize,
    _streams_seat: usize,
}

impl<const W: usize, const B: usize> Node<W, B> {
    /// A tile's node of the fabric that `config` describes; `config.width` is `W`.
    pub fn tile(config: &Config) -> Self {
        Self::with(config, Station::Tile, config.engines().copied().collect())
    }

    /// The host's node of that fabric.
    pub fn host(config: &Config) -> Self {
        Self::with(config, Station::Host, vec![])
    }

    fn with(config: &Config, station: Station, engines: Vec<Part>) -> Self {
        let build = config.build_at(station);
        let shared = usize::from(!engines.is_empty());
        let (probes, mpes) = (usize::from(build.probe), usize::from(build.mpe > 0));
        let (portals, streams) = (usize::from(build.portals > 0), usize::from(build.streams));
        let logs = usize::from(build.portals_log);
        let memory_bytes = config.memory_bytes_of(station) as usize;
        Self {
            scratchpad: Scratchpad::new(memory_bytes, build.banks()),
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
            portals: (0..portals).map(|_| Portals::new(config)).collect(),
            streams: (0..streams).map(|_| Streams::new(config)).collect(),
            m_axis_stream: (0..streams).map(|_| Default::default()).collect(),
            s_axis_stream: (0..streams).map(|_| Default::default()).collect(),
            _writes: shared,
            _alone: 1 - shared,
            _probes: probes,
            _mpes: mpes,
            _streams: streams,
            _portals: portals,
            _portals_seat: probes + mpes,
            portals_log: (0..logs).map(|_| Default::default()).collect(),
            _portals_logs: logs,
            _streams_seat: probes + mpes + portals,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for Node<W, B> {
    fn update(&mut self) {
        wire!(self => ni, scratchpad: clk, rst);
        wire!(self => ni: dropped);
        wire!(self <=> ni: planes_, s_axis_command, local_write, local_read);
        wire!(ni => status: irq, fired);

        wire!(ni.write <=> scratchpad.write[0]);
        wire!(ni.atomic_read <=> scratchpad.read[0]);
        wire!(ni.dma_read <=> scratchpad.read[1]);
        wire!(ni.release_read <=> scratchpad.read[2]);
        wire!(self.memory_read <=> scratchpad.read[3]);
        for _i in 0..self._alone {
            wire!(self.memory_write <=> scratchpad.write[1]);
        }
        for i in 0..self._writes {
            wire!(self => writes[i]: clk, rst);
            wire!(self.memory_write <=> writes[i].writer[0]);
            wire!(ni.engine_write[i] <=> writes[i].writer[1]);
            wire!(writes[i].memory <=> scratchpad.write[1]);
        }
        for i in 0..self._probes {
            wire!(self => probe[i]: clk, rst);
            wire!(ni.seat[i] <=> probe[i].socket);
        }
        for i in 0..self._mpes {
            wire!(self => mpe[i]: clk, rst);
            wire!(ni.seat[i + self._probes] <=> mpe[i].socket);
        }
        for i in 0..self._portals {
            wire!(self => portals[i]: clk, rst);
            wire!(ni.seat[i + self._portals_seat] <=> portals[i].socket);
        }
        for i in 0..self._portals_logs {
            wire!(self.portals_log[i] <=> portals[i].log);
        }
        for i in 0..self._streams {
            wire!(self => streams[i]: clk, rst);
            wire!(ni.seat[i + self._streams_seat] <=> streams[i].socket);
            wire!(self.m_axis_stream[i] <=> streams[i].m_axis_stream);
            wire!(self.s_axis_stream[i] <=> streams[i].s_axis_stream);
        }
    }
}
