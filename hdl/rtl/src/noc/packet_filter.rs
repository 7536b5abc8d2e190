use super::{DropCounter, DropReportIn, DropReportOut};
use crate::prim::{StreamIn, StreamOut};
use portico_spec::flit::HEAD_WIDTH;
use portico_verilog::prelude::*;

/// Lets packets through, or drops them whole.
///
/// Drops the packets whose head is refused; a refused packet never waits for `m_axis`.
///
/// | | |
/// | --- | --- |
/// | latency | 0 cycles: both directions of the handshake are combinational |
/// | throughput | one flit a cycle, dropped or not |
/// | state | 2 flip-flops |
#[derive(LogicBlock, Default)]
pub struct PacketFilter<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Read while a head stands on `s_axis`, and settled from it alone.
    pub refuse: Signal<In, Bit>,
    pub s_axis: StreamIn<W>,
    pub m_axis: StreamOut<W>,
    pub report_in: DropReportIn,
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
        DropReportIn::link(&mut self.report_in, &mut self.counter.report_in);
        DropReportOut::link(&mut self.report_out, &mut self.counter.report_out);

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        noc::testing::{Passage, WIDTH},
        prim::testing::{clock, clocked, reset, rng, settle},
    };
    use rand::Rng;

    clocked!([const W: usize] PacketFilter<W>);

    #[test]
    fn drops_refused_packets_whole_and_counts_them() {
        let mut rng = rng(0xf117);
        let mut dut = reset(PacketFilter::<WIDTH>::default());
        let mut passage = Passage::default();
        let (mut dropped, mut latest) = (0, 0);
        for _ in 0..4000 {
            // The lowest bit of a head says whether it is refused; in other flits it means nothing.
            let head = passage.drive(&mut dut.s_axis, &mut dut.m_axis, &mut rng, |rng| {
                let data = u64::from(rng.gen::<u32>());
                (data, data & 1 == 1)
            });
            dut.refuse.next = dut.s_axis.tdata.next.get_bit(0);
            settle(&mut dut);
            passage.check(&dut.s_axis, &dut.m_axis);
            clock(&mut dut);
            if let Some(head) = head {
                dropped += 1;
                latest = head % (1 << HEAD_WIDTH);
            }
        }
        dut.s_axis.tvalid.next = false;
        (0..2).for_each(|_| clock(&mut dut));
        assert_eq!(dut.report_out.packets.val().to_u64(), dropped);
        assert_eq!(dut.report_out.head.val().to_u64(), latest);
        assert!(dropped > 200 && passage.passed > 500 && passage.stalled > 100);
    }

    #[test]
    fn reset_ends_a_packet() {
        for refuse in [false, true] {
            let mut dut = reset(PacketFilter::<WIDTH>::default());
            dut.s_axis.tvalid.next = true;
            dut.m_axis.tready.next = true;
            dut.refuse.next = refuse;
            clock(&mut dut);
            dut.s_axis.tvalid.next = false;
            let mut dut = reset(dut);
            dut.s_axis.tvalid.next = true;
            dut.refuse.next = !refuse;
            settle(&mut dut);
            assert_eq!(dut.m_axis.tvalid.val(), refuse, "the next flit is a head");
            dut.s_axis.tvalid.next = false;
            (0..2).for_each(|_| clock(&mut dut));
            assert_eq!(dut.report_out.packets.val().to_u64(), 0);
        }
    }
}
