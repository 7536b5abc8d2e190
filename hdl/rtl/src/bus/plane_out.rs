use crate::prim::{ParkedArbiter, StreamIn, StreamOut};
use portico_spec::parts::SEATS;
use portico_verilog::prelude::*;

/// Sources of a plane at most: the requester and the engines.
const SOURCES: usize = 1 + SEATS;

/// Gives a plane to one of several sources at a time, for a whole packet.
///
/// Joins streams of `W` bits.
///
/// | | |
/// | --- | --- |
/// | latency | combinational while no other source sends or waits |
/// | throughput | one flit a cycle, none lost between packets of sources that take turns |
/// | fairness | a source that offers a packet is served within as many packets as there are others |
/// | timing | the choice of a source, and a multiplexer, behind the sources' `tvalid` |
/// | state | a [`ParkedArbiter`], and whether a packet is midway |
///
/// The source that sent last has the turn. While it offers nothing, the plane belongs to the source that gets the turn next, in the
/// same cycle: a source that sends seldom loses no cycle to one that has sent before.
#[derive(LogicBlock, Default)]
pub struct PlaneOut<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no packet is begun.
    pub rst: Signal<In, Bit>,
    /// Up to 7 sources.
    pub s_axis: Vec<StreamIn<W>>,
    /// Packets for the plane, each from head to tail.
    pub m_axis: StreamOut<W>,
    turns: ParkedArbiter<SOURCES>,
    midway: DFF<Bit>,
    request: Signal<Local, Bits<SOURCES>>,
    /// The source that has the turn offers nothing, and has no packet midway.
    is_idle: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<SOURCES>>,
    valid: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    data: Signal<Local, Bits<W>>,
    passes: Signal<Local, Bit>,
    _sources: usize,
}

impl<const W: usize> PlaneOut<W> {
    /// For 1 to 7 sources.
    pub fn new(sources: usize) -> Self {
        assert!(
            (1..=SOURCES).contains(&sources),
            "sources of a plane: sources = {sources}, allowed: 1..={SOURCES}"
        );
        Self {
            s_axis: (0..sources).map(|_| Default::default()).collect(),
            _sources: sources,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for PlaneOut<W> {
    fn update(&mut self) {
        wire!(self => turns: clk, rst);
        dff_setup!(self, clk, midway);
        self.request.next = 0.into();
        self.valid.next = false;
        self.last.next = false;
        self.data.next = 0.into();
        for i in 0..self._sources {
            self.request.next = self.request.val().replace_bit(i, self.s_axis[i].tvalid.val());
        }
        self.turns.request.next = self.request.val();
        self.is_idle.next = !(self.request.val() & self.turns.grant.val()).any() & !self.midway.q.val();
        self.chosen.next = self.turns.grant.val();
        if self.is_idle.val() {
            self.chosen.next = self.turns.follower.val();
        }
        for i in 0..self._sources {
            self.s_axis[i].tready.next = self.chosen.val().get_bit(i) & self.m_axis.tready.val();
            if self.chosen.val().get_bit(i) {
                self.valid.next = self.valid.val() | self.s_axis[i].tvalid.val();
                self.last.next = self.last.val() | self.s_axis[i].tlast.val();
                self.data.next = self.data.val() | self.s_axis[i].tdata.val();
            }
        }
        self.m_axis.tvalid.next = self.valid.val();
        self.m_axis.tlast.next = self.last.val();
        self.m_axis.tdata.next = self.data.val();
        self.passes.next = self.valid.val() & self.m_axis.tready.val();
        if self.passes.val() {
            self.midway.d.next = !self.last.val();
        }
        self.turns.yields.next = (self.passes.val() & self.last.val()) | self.is_idle.val();
        if self.rst.val() {
            self.midway.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([const W: usize] PlaneOut<W>);

    #[test]
    fn packets_stay_whole_and_sources_take_turns_without_a_gap() {
        for sources in 1..=SOURCES {
            let mut rng = rng(0x91a + sources as u64);
            let mut dut = reset(PlaneOut::<32>::new(sources));
            // Of each source: the number of its packet, of its flit, how many flits the packet has.
            let mut next: Vec<(u64, u64, u64)> = vec![(0, 0, 1); sources];
            let mut offers = vec![false; sources];
            let (mut current, mut held, mut gaps, mut sent): (Option<usize>, _, _, _) =
                (None, None, 0, vec![0; sources]);
            let (mut streak, mut longest) = (vec![0; sources], 0);
            let mut idle = 0;
            for cycle in 0..12_000 {
                let busy = cycle >= 6_000;
                for (source, offer) in offers.iter_mut().enumerate() {
                    let (packet, flit, flits) = next[source];
                    // Then few packets, so that the plane is idle before most of them.
                    let is_rare = cycle >= 3_000 && flit == 0;
                    *offer |= busy || rng.gen_bool(if is_rare { 0.005 } else { 0.4 });
                    let port = &mut dut.s_axis[source];
                    port.tvalid.next = *offer;
                    port.tdata.next = ((source as u64) << 28 | (packet & 0xffff) << 8 | flit).into();
                    port.tlast.next = flit + 1 == flits;
                }
                dut.m_axis.tready.next = busy || rng.gen_bool(0.7);
                settle(&mut dut);
                let out = dut
                    .m_axis
                    .tvalid
                    .val()
                    .then(|| (dut.m_axis.tdata.val().to_u64(), dut.m_axis.tlast.val()));
                if held.is_some() {
                    assert_eq!(out, held, "an offer changed in cycle {cycle}");
                }
                held = out.filter(|_| !dut.m_axis.tready.next);
                gaps += usize::from(offers.contains(&true) && current.is_none() && out.is_none());
                idle += usize::from(!offers.contains(&true));
                if let Some((data, last)) = out.filter(|_| dut.m_axis.tready.next) {
                    let source = (data >> 28) as usize;
                    let (packet, flit, flits) = next[source];
                    assert_eq!(data, (source as u64) << 28 | (packet & 0xffff) << 8 | flit);
                    assert!(current.is_none_or(|current| current == source), "packets were mixed");
                    assert!(dut.s_axis[source].tready.val());
                    offers[source] = false;
                    current = (!last).then_some(source);
                    next[source] = if last {
                        (packet + 1, 0, rng.gen_range(1..6))
                    } else {
                        (packet, flit + 1, flits)
                    };
                    if last {
                        sent[source] += 1;
                        for (other, packets) in streak.iter_mut().enumerate() {
                            *packets = if other == source || !busy { 0 } else { *packets + 1 };
                            longest = longest.max(*packets);
                        }
                    }
                }
                clock(&mut dut);
            }
            assert_eq!(
                gaps, 0,
                "cycles in which a packet was offered and none began, of {sources}"
            );
            assert!(idle > 20, "{idle} cycles without an offer, of {sources}");
            assert!(
                longest < sources && sent.iter().all(|packets| *packets > 200),
                "{longest}, {sent:?}"
            );
        }
    }

    #[test]
    #[should_panic(expected = "sources of a plane: sources = 8, allowed: 1..=7")]
    fn too_many_sources_are_refused() {
        PlaneOut::<32>::new(SOURCES + 1);
    }
}
