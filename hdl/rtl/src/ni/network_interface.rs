use super::{
    control::Completions,
    memory::ReadSplitter,
    receive::DataReceiver,
    registers::{ControlRegisters, NodeMonitor, RegisterBus},
    Initialiser,
};
use crate::{
    bus::{
        AddressMatch, CommandDoor, CommandPort, CommandQueue, MemoryReadOut, MemoryWriteOut, PacketArbiter, PlaneOut,
        Planes, ReadBuffer, ReadShare, RegisterFetchIn, RegisterRequestIn, SocketOut, WriteShare,
    },
    dma::Dma,
    prim::StreamIn,
};
use portico_spec::{
    ni::{
        build::Build,
        command::PLACE_WIDTH,
        registers::{Block as Registers, BLOCK_OFFSET, IDENTITY},
    },
    parts::Part,
    Config,
};
use portico_verilog::prelude::*;

/// Sources of control packets: answers of the receiver, credits, refused get requests, requests and mail.
const CONTROL_SOURCES: usize = 4;

/// Parameters of a network interface, beside its widths.
#[derive(Clone, Debug)]
pub struct InterfaceParameters {
    /// Sizes of its tables, and what else it has.
    pub build: Build,
    /// Bytes of the memory.
    pub memory_bytes: u32,
    /// Words of the memory.
    pub memory_words: u64,
    /// Words of the address space, registers and all.
    pub space_words: u64,
    /// Word addresses with this bit are registers.
    pub register_bit: usize,
    /// The fabric.
    pub config: Config,
    /// The engines of the node, in the order of their seats.
    pub engines: Vec<Part>,
}

/// The network interface: everything between a memory, a stream of commands and the two planes of the network.
///
/// A network interface of `W`-bit flits with `B` bytes.
///
/// ```text
///  s_axis_command ---> Dma -----------------------> m_axis_data
///                        ^  |                  +--> m_axis_control
///           get requests |  | events, slots    |
///                        |  v                  |
///  s_axis_control ---> Completions         answers (PacketArbiter)
///                           ^                  ^
///  s_axis_data ------> DataReceiver -----------+--> memory, registers
/// ```
///
/// | | |
/// | --- | --- |
/// | latency | put of 8 bytes over one hop: see `docs/network-interface.md` |
/// | throughput | one flit a cycle in and out on each plane |
/// | after reset | takes nothing for 512 cycles, while it clears its tables |
#[derive(LogicBlock, Default)]
pub struct NetworkInterface<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high, for the whole fabric at once.
    pub rst: Signal<In, Bit>,
    /// The node's number, and its streams from and to both planes.
    pub planes_: Planes<W>,
    /// Descriptors.
    pub s_axis_command: StreamIn<32>,
    /// A pulse for each descriptor that was dropped on its way to `s_axis_command`; not in two cycles running.
    pub dropped: Signal<In, Bit>,
    /// Writes of the network: they win.
    pub write: MemoryWriteOut<W, B>,
    /// Reads of atomics: they win.
    pub atomic_read: MemoryReadOut<W>,
    /// Reads of the words of packets.
    pub dma_read: MemoryReadOut<W>,
    /// Reads of the words in front of messages, and of engines.
    pub release_read: MemoryReadOut<W>,
    /// Writes of engines, where there are any: one port for all.
    pub engine_write: Vec<MemoryWriteOut<W, B>>,
    /// The socket: a seat for each engine.
    pub seat: Vec<SocketOut<W, B>>,
    /// Writes of registers, by a master in the tile.
    pub local_write: RegisterRequestIn,
    /// Reads of registers, by a master in the tile.
    pub local_read: RegisterFetchIn,
    /// The sweep after reset.
    pub initialising: Signal<Out, Bit>,
    /// An event that may interrupt has fired.
    pub irq: Signal<Out, Bit>,
    /// Events that have fired.
    pub fired: Signal<Out, Bits<64>>,
    initialiser: Initialiser,
    bus: RegisterBus,
    splitter: ReadSplitter<W>,
    reads: ReadBuffer<W>,
    engine: Dma<W>,
    receiver: DataReceiver<W, B>,
    completions: Completions,
    identity: ControlRegisters,
    monitor: Vec<NodeMonitor>,
    answers: PacketArbiter<32, CONTROL_SOURCES>,
    command_match: AddressMatch<{ Registers::Command as usize }, BLOCK_OFFSET>,
    /// Descriptors of the stream, and of the network's register writes.
    streamed: CommandDoor,
    written: CommandDoor,
    port: Vec<CommandPort>,
    queue: Vec<CommandQueue>,
    /// Where there are engines: who sends, who reads and who writes.
    data_out: Vec<PlaneOut<W>>,
    control_out: Vec<PlaneOut<32>>,
    /// One an engine: its `ready` is a flip-flop, so that no grant of the scratchpad reaches the engine in the same cycle.
    engine_read: Vec<ReadBuffer<W>>,
    engine_reads: Vec<ReadShare<W>>,
    engine_writes: Vec<WriteShare<W, B>>,
    /// A dropped descriptor that is not counted yet, since another was in the same cycle.
    uncounted: DFF<Bit>,
    /// The bus has taken a write of the network; it was a word of a descriptor without room.
    written_was: DFF<Bit>,
    refused_was: DFF<Bit>,
    command_refused: Signal<Local, Bit>,
    counted: Signal<Local, Bits<32>>,
    data_offered: Signal<Local, Bit>,
    control_offered: Signal<Local, Bit>,
    engines_answer: Signal<Local, Bits<32>>,
    engines_drop: Signal<Local, Bit>,
    engines_run: Signal<Local, Bit>,
    engines_wait: Signal<Local, Bit>,
    engines_refuse: Signal<Local, Bit>,
    _monitors: usize,
    _engines: usize,
    /// 1 where there are engines.
    _shared: usize,
    _alone: usize,
}

impl<const W: usize, const B: usize> NetworkInterface<W, B> {
    /// A network interface with these parameters.
    pub fn new(parameters: &InterfaceParameters) -> Self {
        let (build, config) = (&parameters.build, &parameters.config);
        let monitors = usize::from(build.monitors);
        let engines = &parameters.engines[..];
        let shared = usize::from(!engines.is_empty());
        Self {
            seat: engines.iter().map(|_| Default::default()).collect(),
            streamed: CommandDoor::new(engines),
            written: CommandDoor::new(engines),
            port: engines.iter().map(|_| CommandPort::default()).collect(),
            queue: engines.iter().map(|_| CommandQueue::new()).collect(),
            data_out: (0..shared).map(|_| PlaneOut::new(1 + engines.len())).collect(),
            control_out: (0..shared).map(|_| PlaneOut::new(1 + engines.len())).collect(),
            engine_read: engines.iter().map(|_| ReadBuffer::default()).collect(),
            engine_reads: (0..shared).map(|_| ReadShare::new(1 + engines.len())).collect(),
            engine_writes: (0..shared).map(|_| WriteShare::new(engines.len())).collect(),
            engine_write: (0..shared).map(|_| Default::default()).collect(),
            _engines: engines.len(),
            _shared: shared,
            _alone: 1 - shared,
            bus: RegisterBus::new(build),
            splitter: ReadSplitter::new(parameters.register_bit),
            engine: Dma::new(build, config, parameters.memory_words, parameters.space_words),
            receiver: DataReceiver::new(
                build,
                parameters.memory_words,
                parameters.space_words,
                parameters.register_bit,
                false,
                engines,
            ),
            completions: Completions::new(build, config.terminals(), config.node_numbers(), engines),
            identity: ControlRegisters::new(IDENTITY, config.tiles_register(), parameters.memory_bytes, build),
            monitor: (0..monitors).map(|_| NodeMonitor::default()).collect(),
            _monitors: monitors,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for NetworkInterface<W, B> {
    fn update(&mut self) {
        wire!(self => initialiser, bus, engine, completions, receiver, splitter, reads, answers: clk, rst);
        wire!(self => streamed, written: clk, rst);
        wire!(self => identity: clk);
        dff_setup!(self, clk, uncounted, written_was, refused_was);
        self.initialising.next = self.initialiser.sweep.active.val();

        wire!(initialiser <=> engine: sweep);
        wire!(planes_ => engine: node);
        self.engine.fired.next = self.completions.fired.val();
        wire!(completions <=> engine: credit_return);
        wire!(self.s_axis_command <=> streamed.s_axis);
        wire!(streamed.m_axis <=> engine.s_axis_command);
        self.command_match.index.next = self.bus.access.index.val();
        self.written.s_axis.tvalid.next = self.bus.access.write.val() & self.command_match.hit.val();
        self.written.s_axis.tdata.next = self.bus.access.data.val();
        self.written.s_axis.tlast.next = self.bus.access.index.val().get_bits::<PLACE_WIDTH>(0).all();
        wire!(written.m_axis <=> engine.written_command);
        wire!(engine.memory_read <=> splitter.reader);

        wire!(initialiser <=> completions: sweep);
        wire!(engine <=> completions: fence);
        wire!(self.planes_.s_axis_control <=> completions.s_axis);
        wire!(completions.m_axis_request <=> engine.s_axis_request);
        wire!(engine <=> completions: claim);
        wire!(receiver.completion <=> completions.data_completion);
        wire!(engine.completion <=> completions.own_completion);
        wire!(receiver.event <=> completions.received);
        wire!(engine <=> completions: notified, refused, look);
        self.engine.any_open.next = self.completions.any_open.val();
        wire!(completions => self: irq, fired);

        wire!(initialiser <=> receiver: sweep);
        wire!(planes_ => receiver: node);
        self.receiver.gets.next = self.completions.awaited.val();
        wire!(self.planes_.s_axis_data <=> receiver.s_axis);
        wire!(self.write <=> receiver.memory_write);
        wire!(self.atomic_read <=> receiver.memory_read);

        wire!(splitter.memory <=> reads.reader);
        wire!(self.dma_read <=> reads.memory);
        wire!(splitter.fetch <=> bus.dma_read);
        wire!(self <=> bus: local_read, local_write);
        wire!(receiver.register_write => bus.network_write: valid, index, data);
        // A cycle late, so that it is known whether the word is kept; the bus takes no other access meanwhile.
        self.written_was.d.next = self.bus.network_write.ready.val();
        self.receiver.register_write.ready.next = self.written_was.q.val();
        self.receiver.register_refused.next = self.refused_was.q.val();
        self.bus.release_ready.next = self.receiver.release_ready.val();
        self.bus.hold.next = self.engine.register_busy.val();
        self.engine.register_write.enable.next = self.bus.access.write.val();
        wire!(bus.access => engine.register_write: index, data);
        wire!(bus.access => receiver.access: write, read, index, data);
        wire!(bus.access => completions.register: write, read, index, data);
        self.identity.register_read.index.next = self.bus.access.index.val();
        self.data_offered.next = self.engine.m_axis.tvalid.val();
        self.control_offered.next = self.answers.m_axis.tvalid.val();
        for i in 0..self._shared {
            self.data_offered.next = self.data_out[i].m_axis.tvalid.val();
            self.control_offered.next = self.control_out[i].m_axis.tvalid.val();
        }
        self.command_refused.next = self.written.m_axis.tvalid.val() & self.engine.command_refused.val();
        self.engines_answer.next = 0.into();
        self.engines_drop.next = false;
        self.engines_run.next = false;
        self.engines_wait.next = false;
        self.engines_refuse.next = false;
        for i in 0..self._engines {
            wire!(self => port[i], queue[i], engine_read[i]: clk, rst);
            wire!(streamed.engine[i] <=> port[i].s_axis_command);
            wire!(written.engine[i] <=> queue[i].s_axis);
            wire!(queue[i].m_axis <=> port[i].queued);
            wire!(self.seat[i].commands <=> port[i].m_axis);
            wire!(self.seat[i] <=> initialiser: sweep);
            wire!(planes_ => seat[i]: node);
            self.seat[i].fired.next = self.completions.fired.val();
            wire!(self.seat[i].data_in <=> receiver.engine[i]);
            wire!(self.seat[i].control_in <=> completions.engine[i]);
            wire!(self.seat[i].data_out <=> data_out[0].s_axis[1 + i]);
            wire!(self.seat[i].control_out <=> control_out[0].s_axis[1 + i]);
            wire!(self.seat[i].event <=> completions.ended[i]);
            wire!(bus.access => seat[i].register: write, read, index, data);
            wire!(self.seat[i].memory_read <=> engine_read[i].reader);
            wire!(engine_read[i].memory <=> engine_reads[0].reader[1 + i]);
            wire!(self.seat[i].memory_write <=> engine_writes[0].writer[i]);
            self.engines_answer.next = self.engines_answer.val() | self.seat[i].register.answer.val();
            self.engines_drop.next = self.engines_drop.val() | self.queue[i].dropped.val();
            self.command_refused.next =
                self.command_refused.val() | (self.written.engine[i].tvalid.val() & self.queue[i].refuses.val());
            self.engines_run.next = self.engines_run.val() | self.seat[i].running.val();
            self.engines_wait.next = self.engines_wait.val() | self.seat[i].waiting.val();
            self.engines_refuse.next = self.engines_refuse.val() | self.seat[i].refused.val();
        }
        self.refused_was.d.next = self.bus.network_write.ready.val() & self.command_refused.val();
        self.counted.next = 0.into();
        for i in 0..self._monitors {
            wire!(self => monitor[i]: clk, rst);
            self.monitor[i].asked.next = self.bus.access.read.val();
            self.monitor[i].register_read.index.next = self.bus.access.index.val();
            self.counted.next = self.monitor[i].register_read.data.val();
            wire!(initialiser <=> monitor[i]: sweep);
            self.monitor[i].cycle.next = true;
            self.monitor[i].data_in.next = self.planes_.s_axis_data.tvalid.val() & self.receiver.s_axis.tready.val();
            self.monitor[i].data_out.next = self.data_offered.val() & self.planes_.m_axis_data.tready.val();
            self.monitor[i].control_in.next =
                self.planes_.s_axis_control.tvalid.val() & self.completions.s_axis.tready.val();
            self.monitor[i].control_out.next = self.control_offered.val() & self.planes_.m_axis_control.tready.val();
            self.monitor[i].data_stall.next = self.data_offered.val() & !self.planes_.m_axis_data.tready.val();
            self.monitor[i].refused.next = self.receiver.refused.val() | self.engines_refuse.val();
            self.monitor[i].dropped.next =
                self.engine.dropped.val() | self.engines_drop.val() | self.dropped.val() | self.uncounted.q.val();
            wire!(engine => monitor[i]: running, waiting);
            self.monitor[i].engines_run.next = self.engines_run.val();
            self.monitor[i].engines_wait.next = self.engines_wait.val();
            self.monitor[i].memory_error.next = false;
        }
        self.bus.access.answer.next = self.receiver.access.answer.val()
            | self.completions.register.answer.val()
            | self.identity.register_read.data.val()
            | self.engines_answer.val()
            | self.counted.val();

        wire!(planes_ => identity: node);
        self.identity.initialising.next = self.initialiser.sweep.active.val();
        self.identity.pending.next = self.completions.pending.val();

        self.uncounted.d.next =
            (self.engine.dropped.val() | self.engines_drop.val()) & (self.dropped.val() | self.uncounted.q.val());
        wire!(receiver.m_axis_control <=> answers.s_axis[0]);
        wire!(receiver.m_axis_credit <=> answers.s_axis[1]);
        wire!(engine.m_axis_refuse <=> answers.s_axis[2]);
        wire!(engine.m_axis_control <=> answers.s_axis[3]);
        // A node without engines has no more sources than these.
        for _i in 0..self._alone {
            wire!(self.planes_.m_axis_data <=> engine.m_axis);
            wire!(self.planes_.m_axis_control <=> answers.m_axis);
            wire!(self <=> receiver: release_read);
        }
        for i in 0..self._shared {
            wire!(self => data_out[i], control_out[i], engine_reads[i], engine_writes[i]: clk, rst);
            wire!(engine.m_axis <=> data_out[i].s_axis[0]);
            wire!(self.planes_.m_axis_data <=> data_out[i].m_axis);
            wire!(answers.m_axis <=> control_out[i].s_axis[0]);
            wire!(self.planes_.m_axis_control <=> control_out[i].m_axis);
            wire!(receiver.release_read <=> engine_reads[i].reader[0]);
            wire!(self.release_read <=> engine_reads[i].memory);
            wire!(self.engine_write[i] <=> engine_writes[i].memory);
        }
        if self.rst.val() {
            self.uncounted.d.next = false;
        }
    }
}
