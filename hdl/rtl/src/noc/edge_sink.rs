use super::{DropCounter, DropReportIn, DropReportOut};
use crate::prim::StreamIn;
use portico_spec::flit::HEAD_WIDTH;
use portico_verilog::prelude::*;

/// Ties off a side of the mesh: consumes, counts and reports what should not have come.
///
/// Consumes every packet.
///
/// | | |
/// | --- | --- |
/// | latency | always ready |
/// | throughput | one flit a cycle |
/// | state | 1 flip-flop, and a [`DropCounter`] |
///
/// Coordinates are unsigned and grow to the east and the south, so XY routing carries a packet for a node that does not
/// exist out of the east or the south side; there it ends, and blocks nothing (`portico_spec::routing::Exit`).
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

#[kernel]
impl<const W: usize> Logic for EdgeSink<W> {
    fn update(&mut self) {
        wire!(self => counter: clk, rst);
        dff_setup!(self, clk, in_packet);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng};
    use rand::Rng;

    clocked!([const W: usize] EdgeSink<W>);

    #[test]
    fn consumes_every_flit_and_counts_every_head() {
        let mut rng = rng(0x51c4);
        let mut dut = reset(EdgeSink::<32>::default());
        let (mut packets, mut latest, mut in_packet) = (0, 0, false);
        for _ in 0..1000 {
            let (valid, last, data) = (rng.gen_bool(0.7), rng.gen_bool(0.3), u64::from(rng.gen::<u32>()));
            dut.s_axis.tvalid.next = valid;
            dut.s_axis.tlast.next = last;
            dut.s_axis.tdata.next = data.into();
            clock(&mut dut);
            assert!(dut.s_axis.tready.val());
            if valid && !in_packet {
                packets += 1;
                latest = data % (1 << HEAD_WIDTH);
            }
            in_packet = if valid { !last } else { in_packet };
        }
        dut.s_axis.tvalid.next = false;
        (0..2).for_each(|_| clock(&mut dut));
        assert_eq!(dut.report_out.packets.val().to_u64(), packets);
        assert_eq!(dut.report_out.head.val().to_u64(), latest);
        assert!(packets > 100);
    }

    #[test]
    fn reset_ends_a_packet() {
        let mut dut = reset(EdgeSink::<32>::default());
        dut.s_axis.tvalid.next = true;
        clock(&mut dut);
        dut.s_axis.tvalid.next = false;
        let mut dut = reset(dut);
        dut.s_axis.tvalid.next = true;
        clock(&mut dut);
        dut.s_axis.tvalid.next = false;
        (0..2).for_each(|_| clock(&mut dut));
        assert_eq!(
            dut.report_out.packets.val().to_u64(),
            1,
            "the flit after a reset is a head"
        );
    }
}
