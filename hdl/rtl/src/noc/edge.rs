//! The blocks that close the sides of the mesh and count the packets that no node takes.

use crate::prim::{StreamIn, StreamOut};
use portico_spec::flit::{DESTINATION_OFFSET, HEAD_WIDTH, X_WIDTH, Y_WIDTH};
use portico_verilog::prelude::*;

#[cfg(test)]
mod tests;

/// Lowest bit of the destination's row.
const Y_OFFSET: usize = DESTINATION_OFFSET + X_WIDTH;

/// Closes the south side of one column: a gate to its edge node, or a sink where there is none.
///
/// The gate to the place of the edge node in column `x` and row `y`.
///
/// | | |
/// | --- | --- |
/// | latency | 0 cycles both ways |
/// | throughput | one flit a cycle both ways |
/// | state | two [`PacketFilter`]s |
///
/// Towards the edge node, the gate passes only packets for its row: the edge node would take a packet for a further
/// row as its own. From the edge node, it drops packets that would turn straight back south: no router has this turn,
/// so such a packet would block the port for ever. Without an edge node the gate stays shut: it drops and counts every
/// packet.
#[derive(LogicBlock, Default)]
pub struct EdgeGate<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Whether there is an edge node.
    pub open: Signal<In, Bit>,
    /// Coordinate x of the edge node: its column.
    pub x: Signal<In, Bits<X_WIDTH>>,
    /// Coordinate y of the edge node: its row.
    pub y: Signal<In, Bits<Y_WIDTH>>,
    /// Packets from the edge node, for the mesh.
    pub s_axis: StreamIn<W>,
    /// Packets of the edge node that pass into the mesh.
    pub to_mesh: StreamOut<W>,
    /// Packets from the mesh, for the edge node.
    pub from_mesh: StreamIn<W>,
    /// Packets of the mesh that pass to the edge node.
    pub m_axis: StreamOut<W>,
    /// Report of the counters before this block in the chain.
    pub report_in: DropReportIn,
    /// Report of the chain up to this block.
    pub report_out: DropReportOut,
    inward: PacketFilter<W>,
    outward: PacketFilter<W>,
}

#[kernel]
impl<const W: usize> Logic for EdgeGate<W> {
    fn update(&mut self) {
        wire!(self => inward, outward: clk, rst);
        wire!(self <=> inward: s_axis);
        wire!(self.to_mesh <=> inward.m_axis);
        self.inward.refuse.next = !self.open.val()
            | (self.s_axis.tdata.val().get_bits::<X_WIDTH>(DESTINATION_OFFSET) == self.x.val())
                & (self.s_axis.tdata.val().get_bits::<Y_WIDTH>(Y_OFFSET) >= self.y.val());

        wire!(self.from_mesh <=> outward.s_axis);
        wire!(self <=> outward: m_axis);
        self.outward.refuse.next =
            !self.open.val() | (self.from_mesh.tdata.val().get_bits::<Y_WIDTH>(Y_OFFSET) != self.y.val());

        wire!(self <=> inward: report_in);
        wire!(inward.report_out <=> outward.report_in);
        wire!(self <=> outward: report_out);
    }
}

/// Ties off a side of the mesh: consumes, counts and reports what should not have come.
///
/// Consumes every packet.
///
/// | | |
/// | --- | --- |
/// | latency | always ready |
/// | throughput | one flit a cycle |
/// | state | whether a packet is midway, and a [`DropCounter`] |
///
/// Coordinates are unsigned and grow to the east and the south, so XY routing carries a packet for a node that does not
/// exist out of the east or the south side; there it ends, and blocks nothing (`portico_spec::routing::Exit`).
#[derive(LogicBlock, Default)]
pub struct EdgeSink<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Packets that no node takes; always ready.
    pub s_axis: StreamIn<W>,
    /// Report of the counters before this block in the chain.
    pub report_in: DropReportIn,
    /// Report of the chain up to this block.
    pub report_out: DropReportOut,
    in_packet: DFF<Bit>,
    counter: DropCounter,
}

#[kernel]
impl<const W: usize> Logic for EdgeSink<W> {
    fn update(&mut self) {
        wire!(self => counter: clk, rst);
        dff_setup!(self, clk, in_packet);
        wire!(self <=> counter: report_in, report_out);

        self.s_axis.tready.next = true;
        self.counter.head.next = bit_cast::<HEAD_WIDTH, W>(self.s_axis.tdata.val());
        self.counter.dropped.next = self.s_axis.tvalid.val() & !self.in_packet.q.val();
        if self.s_axis.tvalid.val() {
            self.in_packet.d.next = !self.s_axis.tlast.val();
        }
        if self.rst.val() {
            self.in_packet.d.next = false;
        }
    }
}

/// Lets packets through, or drops them whole.
///
/// Drops the packets whose head is refused; a refused packet never waits for `m_axis`.
///
/// | | |
/// | --- | --- |
/// | latency | 0 cycles: both directions of the handshake are combinational |
/// | throughput | one flit a cycle, dropped or not |
/// | state | whether a packet is midway, whether it is refused, and a [`DropCounter`] |
#[derive(LogicBlock, Default)]
pub struct PacketFilter<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Read while a head stands on `s_axis`, and settled from it alone.
    pub refuse: Signal<In, Bit>,
    /// Packets that pass or are dropped.
    pub s_axis: StreamIn<W>,
    /// Packets that pass.
    pub m_axis: StreamOut<W>,
    /// Report of the counters before this block in the chain.
    pub report_in: DropReportIn,
    /// Report of the chain up to this block.
    pub report_out: DropReportOut,
    in_packet: DFF<Bit>,
    refused: DFF<Bit>,
    dropping: Signal<Local, Bit>,
    counter: DropCounter,
}

#[kernel]
impl<const W: usize> Logic for PacketFilter<W> {
    fn update(&mut self) {
        wire!(self => counter: clk, rst);
        dff_setup!(self, clk, in_packet, refused);
        wire!(self <=> counter: report_in, report_out);

        self.dropping.next = self.refuse.val();
        if self.in_packet.q.val() {
            self.dropping.next = self.refused.q.val();
        }
        wire!(s_axis => m_axis: tdata, tlast);
        self.m_axis.tvalid.next = self.s_axis.tvalid.val() & !self.dropping.val();
        self.s_axis.tready.next = self.m_axis.tready.val() | self.dropping.val();

        self.counter.head.next = bit_cast::<HEAD_WIDTH, W>(self.s_axis.tdata.val());
        self.counter.dropped.next = self.s_axis.tvalid.val() & self.dropping.val() & !self.in_packet.q.val();
        if self.s_axis.tvalid.val() & (self.m_axis.tready.val() | self.dropping.val()) {
            self.in_packet.d.next = !self.s_axis.tlast.val();
            self.refused.d.next = self.dropping.val();
        }
        if self.rst.val() {
            self.in_packet.d.next = false;
            self.refused.d.next = false;
        }
    }
}

/// The report of a chain of counters, as its last counter gives it.
#[interface(mirror = DropReportIn)]
pub struct DropReportOut {
    /// Packets dropped since reset, modulo 2^32.
    pub packets: Signal<Out, Bits<32>>,
    /// Head of a dropped packet: the latest of the last counter that dropped any.
    pub head: Signal<Out, Bits<HEAD_WIDTH>>,
}

/// Counts packets that no node takes, and passes the sum along a chain.
///
/// One counter of the chain.
///
/// | | |
/// | --- | --- |
/// | latency | a packet shows in `report_out` after 2 cycles, and one more for each further counter of the chain |
/// | throughput | one packet a cycle |
/// | state | a 32-bit counter, a head, and the report |
///
/// A mesh drops packets in many places and reports them through one port. A chain costs two numbers and a clock cycle
/// a place, whatever the size of the mesh; the sum is exact once the chain has been quiet for its length.
#[derive(LogicBlock, Default)]
pub struct DropCounter {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// High for one cycle a dropped packet.
    pub dropped: Signal<In, Bit>,
    /// Its head, in that cycle.
    pub head: Signal<In, Bits<HEAD_WIDTH>>,
    /// Report of the counters before this block in the chain.
    pub report_in: DropReportIn,
    /// Report of the chain up to this block.
    pub report_out: DropReportOut,
    packets: DFF<Bits<32>>,
    latest: DFF<Bits<HEAD_WIDTH>>,
    total: DFF<Bits<32>>,
    shown: DFF<Bits<HEAD_WIDTH>>,
}

#[kernel]
impl Logic for DropCounter {
    fn update(&mut self) {
        dff_setup!(self, clk, packets, latest, total, shown);
        if self.dropped.val() {
            self.packets.d.next = self.packets.q.val() + 1;
            self.latest.d.next = self.head.val();
        }
        self.total.d.next = self.report_in.packets.val() + self.packets.q.val();
        self.shown.d.next = self.report_in.head.val();
        if self.packets.q.val().any() {
            self.shown.d.next = self.latest.q.val();
        }
        self.report_out.packets.next = self.total.q.val();
        self.report_out.head.next = self.shown.q.val();
        if self.rst.val() {
            self.packets.d.next = 0.into();
            self.latest.d.next = 0.into();
            self.total.d.next = 0.into();
            self.shown.d.next = 0.into();
        }
    }
}
