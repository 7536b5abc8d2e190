//! The DMA: commands, and get requests of other nodes, become packets.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Dma`] | the whole of it |
//! | [`dispatch`] | takes descriptors and requests, checks them, and starts programs for them |
//! | [`serve`] | serves get requests without micro-cores, at a node that nobody commands |
//! | [`transmit`] | micro-cores that run the programs, packet shapers, and what sends the packets |
//! | [`ports`] | what these say to each other: interfaces, records and widths |

pub mod dispatch;
pub mod ports;
pub mod serve;
pub mod transmit;

use self::{dispatch::Dispatcher, transmit::Transmitter};
use crate::{
    bus::{
        ClaimOut, CommandQueue, CompletionOut, CreditIn, EventOut, FenceOut, LookOut, MemoryReadOut, RegisterWriteIn,
        SweepIn,
    },
    prim::{StreamIn, StreamOut},
};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{build::Build, firmware::firmware, MAX_CORES},
    Config,
};
use portico_verilog::prelude::*;

/// From descriptors to packets: the dispatcher that admits commands and requests, the micro-cores that run them.
///
/// The DMA of a node, `W` bits wide.
///
/// | | |
/// | --- | --- |
/// | latency | from a descriptor's last beat to the head flit: 4 cycles for a short put |
/// | throughput | one descriptor word a cycle in, one flit a cycle out |
#[derive(LogicBlock, Default)]
pub struct Dma<const W: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Descriptors of a local processor or accelerator.
    pub s_axis_command: StreamIn<32>,
    /// Words of descriptors that the network writes; always ready.
    pub written_command: StreamIn<32>,
    /// Get requests of other nodes.
    pub s_axis_request: StreamIn<32>,
    /// Writes of registers.
    pub register_write: RegisterWriteIn,
    /// One of them is not done; the next must wait.
    pub register_busy: Signal<Out, Bit>,
    /// Words of packets, from the node's own memory.
    pub memory_read: MemoryReadOut<W>,
    /// Packets for the data plane.
    pub m_axis: StreamOut<W>,
    /// Get requests and mail.
    pub m_axis_control: StreamOut<32>,
    /// Refusals of get requests.
    pub m_axis_refuse: StreamOut<32>,
    /// A slot for a command that is started.
    pub claim: ClaimOut,
    /// Transactions that end here, well or not.
    pub completion: CompletionOut,
    /// Events of commands that were refused, or that failed after their start.
    pub refused: EventOut,
    /// A transaction slot is open; a cycle late.
    pub any_open: Signal<In, Bit>,
    /// Asks for the error of an event.
    pub look: LookOut,
    /// Counted by micro-cores.
    pub notified: EventOut,
    /// Events that have fired.
    pub fired: Signal<In, Bits<64>>,
    /// Credits of segments that come back.
    pub credit_return: CreditIn,
    /// Fences that wait for the open transactions of their segments.
    pub fence: FenceOut,
    /// The next word of `written_command` would not be kept.
    pub command_refused: Signal<Out, Bit>,
    /// A descriptor did not fit and was dropped.
    pub dropped: Signal<Out, Bit>,
    /// A micro-core runs.
    pub running: Signal<Out, Bit>,
    /// Every active micro-core waits.
    pub waiting: Signal<Out, Bit>,
    commands: CommandQueue,
    dispatcher: Dispatcher<W>,
    transmitter: Transmitter<W>,
}

impl<const W: usize> Dma<W> {
    /// A DMA as in `build`, of 1 to 8 micro-cores, in the fabric of `config`, at a memory of `memory_words`.
    pub fn new(build: &Build, config: &Config, memory_words: u64, space_words: u64) -> Self {
        let cores = build.cores;
        assert!(
            (1..=MAX_CORES).contains(&cores),
            "micro-cores: cores = {cores}, allowed: 1..={MAX_CORES}"
        );
        let firmware = firmware();
        Self {
            commands: CommandQueue::new(),
            dispatcher: Dispatcher::new(build, config, memory_words, space_words, &firmware.entries),
            transmitter: Transmitter::new(build, &firmware),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Dma<W> {
    fn update(&mut self) {
        wire!(self => commands, dispatcher, transmitter: clk, rst);
        wire!(self.written_command <=> commands.s_axis);
        self.dropped.next = self.commands.dropped.val();
        self.command_refused.next = self.commands.refuses.val();

        wire!(self => dispatcher: node);
        wire!(self <=> dispatcher: sweep);
        wire!(commands.m_axis <=> dispatcher.queued);
        wire!(self <=> dispatcher: s_axis_command, s_axis_request, register_write, claim, completion);
        wire!(self.refused <=> dispatcher.event);
        self.dispatcher.any_open.next = self.any_open.val();
        wire!(self <=> dispatcher: look, m_axis_refuse, credit_return);

        wire!(self => transmitter: node);
        wire!(self <=> transmitter: sweep, register_write);
        wire!(dispatcher <=> transmitter: start, serve, argument);
        wire!(transmitter <=> dispatcher: stop, park);
        wire!(self <=> transmitter: memory_read);
        wire!(self.notified <=> transmitter.event);
        self.transmitter.fired.next = self.fired.val();
        wire!(transmitter <=> dispatcher: credit_take);
        self.register_busy.next = self.dispatcher.busy.val();
        wire!(self <=> transmitter: fence, m_axis, m_axis_control);
        wire!(transmitter => self: running, waiting);
    }
}
