//! Ties off a side of the mesh: consumes, counts and reports what should not have come.
//!
//! | | |
//! | --- | --- |
//! | latency | always ready |
//! | throughput | one flit a cycle |
//! | state | 1 flip-flop, and a [`DropCounter`] |
//!
//! Coordinates are unsigned and grow to the east and the south, so XY routing carries a packet for a node that does not
//! exist out of the east or the south side; there it ends, and blocks nothing (`portico_spec::routing::Exit`).

use super::{DropCounter, DropReportIn, DropReportOut};
use crate::prim::StreamIn;
use portico_spec::flit::HEAD_WIDTH;
use rust_hdl::prelude::*;

/// Consumes every packet.
#[derive(LogicBlock, Default)]
pub struct EdgeSink<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub s_axis: StreamIn<W>,
    pub report_in: DropReportIn,
    pub report_out: DropReportOut,
    in_packet: DFF<Bit>,
    counter: DropCounter,
}

impl<const W: usize> Logic for EdgeSink<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, in_packet);
        self.counter.clk.next = self.clk.val();
        self.counter.rst.next = self.rst.val();
        DropReportIn::link(&mut self.report_in, &mut self.counter.report_in);
        DropReportOut::link(&mut self.report_out, &mut self.counter.report_out);

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
