use super::*;
use crate::prim::testing::{clock, clocked, reset, rng, settle};
use portico_spec::{
    routing::{legal_turn, next_port},
    Node, Port,
};
use rand::{rngs::SmallRng, Rng};

clocked!([const W: usize] EdgeGate<W>);
clocked!([const W: usize] EdgeSink<W>);
clocked!([const W: usize] PacketFilter<W>);
clocked!([] DropCounter);

/// Data bits of a flit.
const WIDTH: usize = 32;

/// Packets at a stream that either come out of another or are dropped.
#[derive(Default)]
struct Passage {
    /// Data of the flit at the input, and flits of its packet from it on.
    waiting: Option<(u64, usize)>,
    /// Flits of the packet that are still to come.
    left: usize,
    /// Whether the packet is to be dropped.
    is_refused: bool,
    /// Flits that came out, and flits that waited for it.
    passed: usize,
    stalled: usize,
}

impl Passage {
    /// Sets the inputs. Between flits there may be none; `head` gives the head of a packet and whether it is refused. Gives
    /// the head if one comes to the input that is refused.
    fn drive(
        &mut self,
        input: &mut StreamIn<WIDTH>,
        output: &mut StreamOut<WIDTH>,
        rng: &mut SmallRng,
        head: impl Fn(&mut SmallRng) -> (u64, bool),
    ) -> Option<u64> {
        let mut refused_head = None;
        if self.waiting.is_none() && rng.gen_bool(0.7) {
            let mut data = u64::from(rng.gen::<u32>());
            if self.left == 0 {
                self.left = rng.gen_range(1..=4);
                (data, self.is_refused) = head(rng);
                refused_head = self.is_refused.then_some(data);
            }
            self.waiting = Some((data, self.left));
        }
        let (data, left) = self.waiting.unwrap_or((rng.gen::<u32>().into(), 1));
        input.tvalid.next = self.waiting.is_some();
        input.tdata.next = data.into();
        input.tlast.next = left == 1;
        output.tready.next = rng.gen_bool(0.6);
        refused_head
    }

    /// Checks the settled outputs, and takes the flit that goes with the coming clock edge.
    fn check(&mut self, input: &StreamIn<WIDTH>, output: &StreamOut<WIDTH>) {
        let shown = output
            .tvalid
            .val()
            .then(|| (output.tdata.val().to_u64(), output.tlast.val()));
        let Some((data, left)) = self.waiting else {
            assert_eq!(shown, None, "nothing was offered");
            return;
        };
        let ready = output.tready.val();
        assert_eq!(shown, (!self.is_refused).then_some((data, left == 1)));
        assert_eq!(
            input.tready.val(),
            ready || self.is_refused,
            "a refused packet never waits"
        );
        self.stalled += usize::from(!input.tready.val());
        if input.tready.val() {
            self.passed += usize::from(!self.is_refused);
            self.waiting = None;
            self.left -= 1;
        }
    }
}

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
    let any_head = |rng: &mut SmallRng| {
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

#[test]
fn a_sink_consumes_every_flit_and_counts_every_head() {
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
fn a_reset_sink_takes_the_next_flit_for_a_head() {
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

#[test]
fn a_filter_drops_refused_packets_whole_and_counts_them() {
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
fn a_reset_filter_takes_the_next_flit_for_a_head() {
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

/// One cycle of a chain, first counter first.
fn clock_chain(chain: &mut [DropCounter; 3]) {
    chain.iter_mut().for_each(settle);
    for i in 1..chain.len() {
        chain[i].report_in.packets.next = chain[i - 1].report_out.packets.val();
        chain[i].report_in.head.next = chain[i - 1].report_out.head.val();
    }
    chain.iter_mut().for_each(clock);
}

fn report(chain: &[DropCounter; 3]) -> (u64, u64) {
    let report = &chain[2].report_out;
    (report.packets.val().to_u64(), report.head.val().to_u64())
}

#[test]
fn a_chain_gives_the_sum_and_the_latest_head_of_its_last_that_dropped() {
    let mut rng = rng(0xd209);
    // The first counter alone, the first two, all three: so each has its turn to show its head.
    for active in 1..=3 {
        let mut chain = [(); 3].map(|()| reset(DropCounter::default()));
        let (mut sum, mut latest) = (0, [0; 3]);
        for _ in 0..200 {
            for (i, counter) in chain.iter_mut().enumerate() {
                let (dropped, head) = (i < active && rng.gen_bool(0.4), rng.gen_range(0..1u64 << HEAD_WIDTH));
                counter.dropped.next = dropped;
                counter.head.next = head.into();
                if dropped {
                    sum += 1;
                    latest[i] = head;
                }
            }
            clock_chain(&mut chain);
        }
        chain.iter_mut().for_each(|counter| counter.dropped.next = false);
        (0..3).for_each(|_| clock_chain(&mut chain));
        assert_eq!(report(&chain), (sum, latest[active - 1]), "{active} counters drop");
        assert!(sum > 50);

        chain = chain.map(reset);
        (0..3).for_each(|_| clock_chain(&mut chain));
        assert_eq!(report(&chain), (0, 0), "after reset");
    }
}

#[test]
fn a_packet_takes_two_cycles_and_one_more_for_each_further_counter() {
    let mut chain = [(); 3].map(|()| reset(DropCounter::default()));
    chain[0].dropped.next = true;
    chain[0].head.next = 0x1234u64.into();
    clock_chain(&mut chain);
    chain[0].dropped.next = false;
    (0..2).for_each(|_| clock_chain(&mut chain));
    assert_eq!(report(&chain), (0, 0));
    clock_chain(&mut chain);
    assert_eq!(report(&chain), (1, 0x1234));
}
