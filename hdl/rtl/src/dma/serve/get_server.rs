use super::{ReplyCutter, RowWalk};
use crate::{
    bus::{MemoryReadOut, RegisterWriteIn, SweepIn},
    dma::{
        dispatch::{LocalWindows, Refuser, RequestIntake},
        transmit::PacketSender,
    },
    prim::{StreamIn, StreamOut},
};
use portico_spec::{flit::NODE_WIDTH, ni::build::Build};
use portico_verilog::prelude::*;

/// Serves the get requests of other nodes, and nothing else: the DMA of a node that nobody commands.
///
/// The server of a node with words of `W` bits.
///
/// | | |
/// | --- | --- |
/// | latency | from a request's last word to its first read 3 cycles; the head of a reply goes when all of its payload is there |
/// | throughput | one flit a cycle, from rows of two words on |
/// | state | that of its parts |
///
/// Requests go one after the other. No shaper limits the replies.
#[derive(LogicBlock, Default)]
pub struct GetServer<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Get requests, whole packets.
    pub s_axis: StreamIn<32>,
    /// Writes of registers.
    pub register_write: RegisterWriteIn,
    /// Reads of the payload of replies.
    pub memory_read: MemoryReadOut<W>,
    /// Replies, for the data plane.
    pub m_axis: StreamOut<W>,
    /// Refusals, for the control plane.
    pub m_axis_refuse: StreamOut<32>,
    /// A request is served.
    pub running: Signal<Out, Bit>,
    windows: LocalWindows,
    requests: RequestIntake,
    refuser: Refuser,
    walk: RowWalk,
    cutter: ReplyCutter,
    sender: PacketSender<W>,
}

impl<const W: usize> GetServer<W> {
    /// For the windows of `build` in an address space of `space_words` words, as [`LocalWindows::new`] takes them; at a memory
    /// of long latency.
    pub fn new(build: &Build, space_words: u64) -> Self {
        Self {
            windows: LocalWindows::new(build, space_words),
            sender: PacketSender::new(true),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for GetServer<W> {
    fn update(&mut self) {
        wire!(self => requests, refuser, cutter, sender: clk, rst);
        wire!(self => windows, walk: clk);

        wire!(self <=> windows: register_write, sweep);
        self.windows.lookup.next = self.requests.lookup.val();
        self.windows.tag.next = self.requests.window_tag.val();

        wire!(self <=> requests: s_axis);
        wire!(windows => requests: lookup_ready, size, mode);
        // A request is not taken before it is served.
        self.requests.active.next = false;
        self.requests.grant.next = true;
        self.requests.taken.next = self.cutter.served.val();

        wire!(self => refuser: node);
        self.refuser.valid.next = self.requests.refuse.val();
        self.refuser.destination.next = self.requests.request.val().source;
        self.refuser.slot.next = self.requests.request.val().slot;
        self.refuser.error.next = self.requests.refuse_error.val();
        self.requests.refuse_ready.next = self.refuser.ready.val();
        wire!(self.m_axis_refuse <=> refuser.m_axis);

        wire!(requests <=> walk: argument);
        wire!(requests => walk: request);
        wire!(windows => walk: base, size);
        wire!(cutter => walk: entered, step, words, finishes, row_over, turn);

        wire!(requests => cutter: offer, request);
        wire!(walk => cutter: left, at_start, last_row, last_plane, address, remote, beyond);
        self.running.next = self.requests.offer.val();

        wire!(self => sender: node);
        wire!(cutter <=> sender: chunk, header);
        // Replies are all that it sends.
        self.sender.notice.valid.next = false;
        self.sender.notice.event.next = 0.into();
        self.sender.notice.error.next = 0.into();
        self.sender.event.ready.next = false;
        self.sender.m_axis_control.tready.next = false;
        wire!(self <=> sender: memory_read, m_axis);
    }
}
