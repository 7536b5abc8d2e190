use super::{DropReportIn, DropReportOut, PacketFilter};
use crate::prim::{StreamIn, StreamOut};
use portico_spec::flit::{DESTINATION_OFFSET, X_WIDTH, Y_WIDTH};
use portico_verilog::prelude::*;

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
/// Into the edge node: only what is for its row; a packet for a row beyond would be taken for its own. Out of the edge
/// node: nothing that would turn straight back south, a turn that no router has and that would block the port for ever.
/// Without an edge node the gate stays shut: whatever comes is dropped and counted.
#[derive(LogicBlock, Default)]
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
}

#[kernel]
impl<const W: usize> Logic for EdgeGate<W> {
    fn update(&mut self) {
        wire!(self => inward, outward: clk, rst);
        StreamIn::<W>::link(&mut self.s_axis, &mut self.inward.s_axis);
        StreamOut::<W>::link(&mut self.to_mesh, &mut self.inward.m_axis);
        self.inward.refuse.next = !self.open.val()
            | (self.s_axis.tdata.val().get_bits::<X_WIDTH>(DESTINATION_OFFSET) == self.x.val())
                & (self
                    .s_axis
                    .tdata
                    .val()
                    .get_bits::<Y_WIDTH>(DESTINATION_OFFSET + X_WIDTH)
                    >= self.y.val());

        StreamIn::<W>::link(&mut self.from_mesh, &mut self.outward.s_axis);
        StreamOut::<W>::link(&mut self.m_axis, &mut self.outward.m_axis);
        self.outward.refuse.next = !self.open.val()
            | (self
                .from_mesh
                .tdata
                .val()
                .get_bits::<Y_WIDTH>(DESTINATION_OFFSET + X_WIDTH)
                != self.y.val());

        DropReportIn::link(&mut self.report_in, &mut self.inward.report_in);
        DropReportOut::join(&mut self.inward.report_out, &mut self.outward.report_in);
        DropReportOut::link(&mut self.report_out, &mut self.outward.report_out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        noc::testing::{Passage, WIDTH},
        prim::testing::{clock, clocked, reset, rng, settle},
    };
    use portico_spec::{
        routing::{legal_turn, next_port},
        Node, Port,
    };
    use rand::Rng;

    clocked!([const W: usize] EdgeGate<W>);

    /// Traffic both ways through the gate to an edge node; gives the packets dropped on the way in and on the way out.
    fn guards(node: Node, open: bool) -> [u64; 2] {
        let mut rng = rng(0xed6e + u64::from(node.x) * 32 + u64::from(node.y));
        let mut dut = reset(EdgeGate::<WIDTH>::default());
        dut.open.next = open;
        dut.x.next = u64::from(node.x).into();
        dut.y.next = u64::from(node.y).into();
        let router = Node { y: node.y - 1, ..node };
        let [mut inward, mut outward] = [(); 2].map(|()| Passage::default());
        let mut dropped = [0; 2];
        let any_head = |rng: &mut rand::rngs::SmallRng| {
            let x = if rng.gen() {
                node.x
            } else {
                rng.gen_range(0..1 << X_WIDTH)
            };
            let y = if rng.gen() {
                node.y
            } else {
                rng.gen_range(0..1 << Y_WIDTH)
            };
            let above = u64::from(rng.gen::<u32>()) << (X_WIDTH + Y_WIDTH);
            let data = (above | u64::from(y) << X_WIDTH | u64::from(x)) % (1 << WIDTH);
            (data, Node { x, y })
        };
        for _ in 0..2000 {
            let into_mesh = inward.drive(&mut dut.s_axis, &mut dut.to_mesh, &mut rng, |rng| {
                let (data, to) = any_head(rng);
                (data, !open || !legal_turn(Port::South, next_port(router, to)))
            });
            let out_of_mesh = outward.drive(&mut dut.from_mesh, &mut dut.m_axis, &mut rng, |rng| {
                let (data, to) = any_head(rng);
                (data, !open || to.y != node.y)
            });
            settle(&mut dut);
            inward.check(&dut.s_axis, &dut.to_mesh);
            outward.check(&dut.from_mesh, &dut.m_axis);
            clock(&mut dut);
            dropped[0] += u64::from(into_mesh.is_some());
            dropped[1] += u64::from(out_of_mesh.is_some());
        }
        dut.s_axis.tvalid.next = false;
        dut.from_mesh.tvalid.next = false;
        (0..3).for_each(|_| clock(&mut dut));
        assert_eq!(
            dut.report_out.packets.val().to_u64(),
            dropped.iter().sum::<u64>(),
            "{node}"
        );
        for passage in [inward, outward] {
            assert_eq!(passage.passed > 100, open, "{node}: {} flits passed", passage.passed);
            assert_eq!(passage.stalled > 50, open, "{node}: {} flits waited", passage.stalled);
        }
        dropped
    }

    #[test]
    fn an_open_gate_keeps_out_what_is_not_for_its_node_and_in_what_would_turn_back() {
        for node in [(0, 1), (3, 4), (15, 16)].map(|(x, y)| Node { x, y }) {
            let [inward, outward] = guards(node, true);
            assert!(inward > 50 && outward > 50, "{node}: {inward} and {outward} dropped");
        }
    }

    #[test]
    fn a_shut_gate_drops_everything() {
        let [inward, outward] = guards(Node { x: 2, y: 3 }, false);
        assert!(inward > 300 && outward > 300, "{inward} and {outward} dropped");
    }
}
