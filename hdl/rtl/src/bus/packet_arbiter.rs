use crate::prim::{RoundRobinArbiter, StreamIn, StreamOut};
use portico_verilog::prelude::*;

/// Joins streams of packets into one, packet by packet, in turn.
///
/// Joins `N` streams of `W` bits.
///
/// | | |
/// | --- | --- |
/// | latency | combinational, both ways |
/// | throughput | one flit a cycle, no bubble in or between packets |
/// | fairness | a source that offers a packet is served within `N` packets |
/// | state | 2 `N` + 1 flip-flops |
///
/// The arbiter holds its choice from the first cycle of an offer on, so an offer never changes while its head waits.
#[derive(LogicBlock)]
pub struct PacketArbiter<const W: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Streams of packets that are joined.
    pub s_axis: [StreamIn<W>; N],
    /// Packets of all streams, each from head to tail.
    pub m_axis: StreamOut<W>,
    arbiter: RoundRobinArbiter<N>,
    locked: DFF<Bit>,
    held: DFF<Bits<N>>,
    request: Signal<Local, Bits<N>>,
    chosen: Signal<Local, Bits<N>>,
    valid: Signal<Local, Bit>,
    data: Signal<Local, Bits<W>>,
    last: Signal<Local, Bit>,
}

impl<const W: usize, const N: usize> Default for PacketArbiter<W, N> {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            s_axis: std::array::from_fn(|_| Default::default()),
            m_axis: Default::default(),
            arbiter: Default::default(),
            locked: Default::default(),
            held: Default::default(),
            request: Default::default(),
            chosen: Default::default(),
            valid: Default::default(),
            data: Default::default(),
            last: Default::default(),
        }
    }
}

#[kernel]
impl<const W: usize, const N: usize> Logic for PacketArbiter<W, N> {
    fn update(&mut self) {
        wire!(self => arbiter: clk, rst);
        dff_setup!(self, clk, locked, held);
        self.request.next = 0.into();
        for i in 0..N {
            self.request.next = self.request.val().replace_bit(i, self.s_axis[i].tvalid.val());
        }
        self.arbiter.request.next = self.request.val();
        self.arbiter.served.next = !self.locked.q.val();
        self.chosen.next = self.arbiter.grant.val();
        if self.locked.q.val() {
            self.chosen.next = self.held.q.val();
        }
        self.valid.next = (self.chosen.val() & self.request.val()).any();
        self.data.next = 0.into();
        self.last.next = false;
        for i in 0..N {
            if self.chosen.val().get_bit(i) {
                self.data.next = self.data.val() | self.s_axis[i].tdata.val();
                self.last.next = self.last.val() | self.s_axis[i].tlast.val();
            }
            self.s_axis[i].tready.next = self.chosen.val().get_bit(i) & self.m_axis.tready.val();
        }
        self.m_axis.tvalid.next = self.valid.val();
        self.m_axis.tdata.next = self.data.val();
        self.m_axis.tlast.next = self.last.val();
        self.held.d.next = self.chosen.val();
        if self.valid.val() {
            self.locked.d.next = !(self.m_axis.tready.val() & self.last.val());
        }
        if self.rst.val() {
            self.locked.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([const W: usize, const N: usize] PacketArbiter<W, N>);

    const N: usize = 3;

    #[test]
    fn packets_pass_whole_in_turn_and_offers_stand() {
        let mut rng = rng(0xa4b);
        let mut dut = reset(PacketArbiter::<32, N>::default());
        // By source: flits left of its packet, and the flit it offers. Then the source that holds the output, and the turn.
        let mut left = [0; N];
        let mut offered: [Option<u64>; N] = [None; N];
        let (mut owner, mut turn) = (None, 0);
        let (mut packets, mut stalled, mut gaps) = ([0; N], 0, 0);
        for cycle in 0..10_000 {
            let tready = rng.gen_bool(0.7);
            dut.m_axis.tready.next = tready;
            for i in 0..N {
                if offered[i].is_none() && rng.gen_bool(0.6) {
                    if left[i] == 0 {
                        left[i] = rng.gen_range(1..=5);
                    }
                    offered[i] = Some(u64::from(rng.gen::<u32>()));
                }
                let data = offered[i].unwrap_or(rng.gen::<u32>().into());
                dut.s_axis[i].tvalid.next = offered[i].is_some();
                dut.s_axis[i].tdata.next = data.into();
                dut.s_axis[i].tlast.next = left[i] == 1;
            }
            settle(&mut dut);
            if owner.is_none() {
                owner = (0..N).map(|step| (turn + step) % N).find(|i| offered[*i].is_some());
                turn = owner.map_or(turn, |i| (i + 1) % N);
            }
            let offer = owner.and_then(|i| offered[i].map(|data| (data, left[i] == 1)));
            let m_axis = &dut.m_axis;
            let seen = (m_axis.tvalid.val()).then(|| (m_axis.tdata.val().to_u64(), m_axis.tlast.val()));
            assert_eq!(seen, offer, "cycle {cycle}");
            for i in 0..N {
                assert_eq!(dut.s_axis[i].tready.val(), owner == Some(i) && tready, "cycle {cycle}");
            }
            stalled += u32::from(offer.is_some() && !tready);
            gaps += u32::from(owner.is_some() && offer.is_none());
            clock(&mut dut);
            if let (Some(i), Some((_, last)), true) = (owner, offer, tready) {
                offered[i] = None;
                left[i] -= 1;
                if last {
                    owner = None;
                    packets[i] += 1;
                }
            }
        }
        assert!(stalled > 1_000 && gaps > 500, "{stalled} stalled, {gaps} gaps");
        assert!(packets.iter().all(|count| *count > 300), "{packets:?}");
    }

    #[test]
    fn busy_sources_leave_no_bubble_and_reset_ends_a_packet() {
        let mut dut = reset(PacketArbiter::<32, N>::default());
        dut.m_axis.tready.next = true;
        for i in 0..N {
            dut.s_axis[i].tvalid.next = true;
            dut.s_axis[i].tdata.next = (i as u64).into();
            dut.s_axis[i].tlast.next = true;
        }
        for cycle in 0..20u64 {
            settle(&mut dut);
            assert!(dut.m_axis.tvalid.val());
            assert_eq!(dut.m_axis.tdata.val(), cycle % N as u64);
            clock(&mut dut);
        }
        dut.s_axis[2].tlast.next = false;
        clock(&mut dut);
        let mut dut = reset(dut);
        settle(&mut dut);
        assert_eq!(dut.m_axis.tdata.val(), 0u64, "a new packet, from source 0");
    }
}
