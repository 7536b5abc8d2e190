use super::{
    control::{ControlReceiver, GetQueue},
    events::Events,
    memory::ReadSplitter,
    network_interface::InterfaceParameters,
    receive::DataReceiver,
    registers::{ControlRegisters, NodeMonitor, RegisterBus},
    Initialiser,
};
use crate::{
    bus::{AddressMatch, MemoryReadOut, MemoryWriteOut, PacketArbiter, Planes, ReadBuffer, RegisterWriteOut, SweepOut},
    dma::serve::GetServer,
};
use portico_spec::ni::{
    command::PLACE_WIDTH,
    registers::{Block as Registers, BLOCK_OFFSET, IDENTITY},
    GET_CREDITS,
};
use portico_verilog::prelude::*;

/// Sources of control packets: answers of the receiver, refused get requests.
const CONTROL_SOURCES: usize = 2;

/// The network interface of a node that nobody commands: a receiver and a server, between a memory and the two planes.
///
/// A network interface of `W`-bit flits with `B` bytes.
///
/// ```text
///  s_axis_control ---> ControlReceiver -> GetQueue -> GetServer ---> m_axis_data
///                                                         +--> refusals --+
///  s_axis_data ------> DataReceiver ----> memory, registers               v
///                           +-----------> answers -------------> PacketArbiter -> m_axis_control
/// ```
///
/// It takes no commands: of the control plane it takes get requests alone, and sinks what else comes. A descriptor that is
/// poked into block COMMAND is refused, and counted with its last word.
///
/// | | |
/// | --- | --- |
/// | latency | get of 8 bytes: see `docs/network-interface.md` |
/// | throughput | one flit a cycle in and out on each plane |
/// | after reset | takes nothing for 512 cycles, while it clears its tables |
#[derive(LogicBlock, Default)]
pub struct ServerInterface<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high, for the whole fabric at once.
    pub rst: Signal<In, Bit>,
    /// The node's number, and its streams from and to both planes.
    pub planes_: Planes<W>,
    /// A pulse for each error of the memory.
    pub memory_error: Signal<In, Bit>,
    /// Writes of the network.
    pub write: MemoryWriteOut<W, B>,
    /// Reads of atomics.
    pub atomic_read: MemoryReadOut<W>,
    /// Reads of gets.
    pub server_read: MemoryReadOut<W>,
    /// For registers beside the interface: every write, and the sweep after reset.
    pub register_write: RegisterWriteOut,
    /// Clears the tables after reset.
    pub sweep: SweepOut,
    initialiser: Initialiser,
    bus: RegisterBus,
    splitter: ReadSplitter<W>,
    reads: ReadBuffer<W>,
    control: ControlReceiver,
    gets: GetQueue,
    server: GetServer<W>,
    receiver: DataReceiver<W, B>,
    events: Events,
    identity: ControlRegisters,
    monitor: Vec<NodeMonitor>,
    answers: PacketArbiter<32, CONTROL_SOURCES>,
    command_match: AddressMatch<{ Registers::Command as usize }, BLOCK_OFFSET>,
    /// The bus has taken a write of the network; it was a word of a descriptor.
    written_was: DFF<Bit>,
    refused_was: DFF<Bit>,
    counted: Signal<Local, Bits<32>>,
    _monitors: usize,
}

impl<const W: usize, const B: usize> ServerInterface<W, B> {
    /// A network interface with these parameters, at a memory that answers late; without queues and engines.
    pub fn new(parameters: &InterfaceParameters) -> Self {
        let (build, config) = (&parameters.build, &parameters.config);
        let monitors = usize::from(build.monitors);
        Self {
            bus: RegisterBus::new(build),
            splitter: ReadSplitter::new(parameters.register_bit),
            control: ControlReceiver::new(&[]),
            gets: GetQueue::new(GET_CREDITS * config.terminals()),
            server: GetServer::new(build, parameters.space_words),
            receiver: DataReceiver::new(
                build,
                parameters.memory_words,
                parameters.space_words,
                parameters.register_bit,
                true,
                &[],
            ),
            events: Events::new(build.events),
            identity: ControlRegisters::new(IDENTITY, config.tiles_register(), parameters.memory_bytes, build),
            monitor: (0..monitors).map(|_| NodeMonitor::default()).collect(),
            _monitors: monitors,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for ServerInterface<W, B> {
    fn update(&mut self) {
        wire!(self => initialiser, bus, splitter, reads, control, gets: clk, rst);
        wire!(self => server, receiver, events, answers: clk, rst);
        wire!(self => identity: clk);
        dff_setup!(self, clk, written_was, refused_was);
        wire!(self <=> initialiser: sweep);

        // Only get requests are used; the other packets are dropped.
        wire!(self.planes_.s_axis_control <=> control.s_axis);
        self.control.initialising.next = self.initialiser.sweep.active.val();
        self.control.completion.ready.next = true;
        wire!(control.m_axis_request <=> gets.s_axis);

        wire!(initialiser <=> server: sweep);
        wire!(planes_ => server: node);
        wire!(gets.m_axis <=> server.s_axis);
        wire!(self.planes_.m_axis_data <=> server.m_axis);
        wire!(server.memory_read <=> splitter.reader);
        wire!(splitter.memory <=> reads.reader);
        wire!(self.server_read <=> reads.memory);
        wire!(splitter.fetch <=> bus.dma_read);

        wire!(initialiser <=> receiver: sweep);
        wire!(planes_ => receiver: node);
        wire!(self.planes_.s_axis_data <=> receiver.s_axis);
        wire!(self.write <=> receiver.memory_write);
        wire!(self.atomic_read <=> receiver.memory_read);
        // There are no queues.
        self.receiver.release_read.ready.next = false;
        self.receiver.release_read.data.next = 0.into();
        self.receiver.release_read.data_valid.next = false;
        self.receiver.m_axis_credit.tready.next = false;
        // A reply was asked for by nobody.
        self.receiver.gets.next = 0.into();
        self.receiver.completion.ready.next = true;
        wire!(initialiser <=> events: sweep);
        wire!(receiver.event <=> events.update);
        self.events.asks.next = false;

        wire!(receiver.register_write => bus.network_write: valid, index, data);
        // A cycle late, as at a node that takes commands.
        self.written_was.d.next = self.bus.network_write.ready.val();
        self.receiver.register_write.ready.next = self.written_was.q.val();
        self.receiver.register_refused.next = self.refused_was.q.val();
        self.bus.local_write.valid.next = false;
        self.bus.local_write.index.next = 0.into();
        self.bus.local_write.data.next = 0.into();
        self.bus.local_read.valid.next = false;
        self.bus.local_read.index.next = 0.into();
        self.bus.release_ready.next = self.receiver.release_ready.val();
        self.bus.hold.next = false;
        self.register_write.enable.next = self.bus.access.write.val();
        wire!(bus.access => register_write: index, data);
        self.server.register_write.enable.next = self.bus.access.write.val();
        wire!(bus.access => server.register_write: index, data);
        wire!(bus.access => receiver.access: write, read, index, data);
        wire!(bus.access => events.register: write, read, index, data);
        self.identity.register_read.index.next = self.bus.access.index.val();
        self.command_match.index.next = self.bus.access.index.val();
        self.refused_was.d.next = self.bus.network_write.ready.val() & self.command_match.hit.val();
        self.counted.next = 0.into();
        for i in 0..self._monitors {
            wire!(self => monitor[i]: clk, rst);
            self.monitor[i].asked.next = self.bus.access.read.val();
            self.monitor[i].register_read.index.next = self.bus.access.index.val();
            self.counted.next = self.monitor[i].register_read.data.val();
            wire!(initialiser <=> monitor[i]: sweep);
            self.monitor[i].cycle.next = true;
            self.monitor[i].data_in.next = self.planes_.s_axis_data.tvalid.val() & self.receiver.s_axis.tready.val();
            self.monitor[i].data_out.next = self.server.m_axis.tvalid.val() & self.planes_.m_axis_data.tready.val();
            self.monitor[i].control_in.next =
                self.planes_.s_axis_control.tvalid.val() & self.control.s_axis.tready.val();
            self.monitor[i].control_out.next =
                self.answers.m_axis.tvalid.val() & self.planes_.m_axis_control.tready.val();
            self.monitor[i].data_stall.next = self.server.m_axis.tvalid.val() & !self.planes_.m_axis_data.tready.val();
            self.monitor[i].refused.next = self.receiver.refused.val();
            self.monitor[i].dropped.next = self.bus.access.write.val()
                & self.command_match.hit.val()
                & self.bus.access.index.val().get_bits::<PLACE_WIDTH>(0).all();
            wire!(server => monitor[i]: running);
            self.monitor[i].waiting.next = false;
            self.monitor[i].engines_run.next = false;
            self.monitor[i].engines_wait.next = false;
            self.monitor[i].memory_error.next = self.memory_error.val();
        }
        self.bus.access.answer.next = self.receiver.access.answer.val()
            | self.events.register.answer.val()
            | self.identity.register_read.data.val()
            | self.counted.val();

        wire!(planes_ => identity: node);
        self.identity.initialising.next = self.initialiser.sweep.active.val();
        self.identity.pending.next = self.events.pending.val();

        wire!(receiver.m_axis_control <=> answers.s_axis[0]);
        wire!(server.m_axis_refuse <=> answers.s_axis[1]);
        wire!(self.planes_.m_axis_control <=> answers.m_axis);
    }
}
