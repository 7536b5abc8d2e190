//! Closes the south side of one column: a gate to its edge node, or a sink where there is none.
//!
//! | | |
//! | --- | --- |
//! | latency | 0 cycles both ways |
//! | throughput | one flit a cycle both ways |
//! | state | two [`PacketFilter`]s |
//!
//! Into the edge node: only what is for its row; a packet for a row beyond would be taken for its own. Out of the edge
//! node: nothing that would turn straight back south, a turn that no router has and that would block the port for ever.
//! Without an edge node the gate stays shut: whatever comes is dropped and counted.

use super::{DropReportIn, DropReportOut, PacketFilter};
use crate::prim::{StreamIn, StreamOut};
use portico_spec::flit::{DESTINATION_OFFSET, X_WIDTH, Y_WIDTH};
use rust_hdl::prelude::*;

/// The gate to the place of the edge node in column `x` and row `y`.
#[derive(LogicBlock)]
pub struct EdgeGate<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Whether there is an edge node.
    pub open: Signal<In, Bit>,
    /// Its coordinates.
    pub x: Signal<In, Bits<X_WIDTH>>,
    pub y: Signal<In, Bits<Y_WIDTH>>,
    /// From the edge node, into the mesh.
    pub s_axis: StreamIn<W>,
    pub to_mesh: StreamOut<W>,
    /// From the mesh, to the edge node.
    pub from_mesh: StreamIn<W>,
    pub m_axis: StreamOut<W>,
    pub report_in: DropReportIn,
    pub report_out: DropReportOut,
    inward: PacketFilter<W>,
    outward: PacketFilter<W>,
    x_offset: Constant<Bits<6>>,
    y_offset: Constant<Bits<6>>,
}

impl<const W: usize> Default for EdgeGate<W> {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            open: Default::default(),
            x: Default::default(),
            y: Default::default(),
            s_axis: Default::default(),
            to_mesh: Default::default(),
            from_mesh: Default::default(),
            m_axis: Default::default(),
            report_in: Default::default(),
            report_out: Default::default(),
            inward: Default::default(),
            outward: Default::default(),
            x_offset: Constant::new(bits(DESTINATION_OFFSET as u64)),
            y_offset: Constant::new(bits((DESTINATION_OFFSET + X_WIDTH) as u64)),
        }
    }
}

impl<const W: usize> Logic for EdgeGate<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.inward.clk.next = self.clk.val();
        self.inward.rst.next = self.rst.val();
        StreamIn::<W>::link(&mut self.s_axis, &mut self.inward.s_axis);
        StreamOut::<W>::link(&mut self.to_mesh, &mut self.inward.m_axis);
        self.inward.refuse.next = !self.open.val()
            | (self.s_axis.tdata.val().get_bits::<X_WIDTH>(self.x_offset.val().index()) == self.x.val())
                & (self.s_axis.tdata.val().get_bits::<Y_WIDTH>(self.y_offset.val().index()) >= self.y.val());

        self.outward.clk.next = self.clk.val();
        self.outward.rst.next = self.rst.val();
        StreamIn::<W>::link(&mut self.from_mesh, &mut self.outward.s_axis);
        StreamOut::<W>::link(&mut self.m_axis, &mut self.outward.m_axis);
        self.outward.refuse.next = !self.open.val()
            | (self
                .from_mesh
                .tdata
                .val()
                .get_bits::<Y_WIDTH>(self.y_offset.val().index())
                != self.y.val());

        DropReportIn::link(&mut self.report_in, &mut self.inward.report_in);
        DropReportOut::join(&mut self.inward.report_out, &mut self.outward.report_in);
        DropReportOut::link(&mut self.report_out, &mut self.outward.report_out);
    }
}
