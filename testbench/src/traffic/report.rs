//! What a run of traffic measured.

use super::{
    links::{Deliveries, LinkFlits},
    scoreboard::{Arrival, Scoreboard},
    steady_from,
};
use portico_spec::Config;
use std::ops::Range;

/// Most bins of a histogram that are equally wide.
const BINS: u64 = 20;

/// Figures of one run; loads are in flits per sending terminal and cycle, latencies in cycles.
///
/// Loads are counted in the window of measurement; latencies are those of the packets generated in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Replays the run.
    pub seed: u64,
    /// Length of the window.
    pub cycles: u64,
    /// Terminals that send.
    pub senders: usize,
    /// Load generated.
    pub offered: f64,
    /// Load delivered.
    pub accepted: f64,
    /// Load delivered of the sender that came off worst.
    pub accepted_min: f64,
    /// Load delivered of the sender that came off best.
    pub accepted_max: f64,
    /// From generation to the handshake that ejects the tail: with the wait in the source queue.
    pub latency: Latency,
    /// How these latencies are distributed.
    pub histogram: Vec<Bin>,
    /// Of the packets measured, in the order in which they came out: how many come before the latencies are steady. None if they do
    /// not become so, or are too few to tell; see [`steady_from`].
    pub steady_from: Option<usize>,
    /// From the handshake that injects the head to the one that ejects the tail.
    pub network_latency: Latency,
    /// Packets delivered and compared, in the whole run.
    pub packets: u64,
    /// Their flits.
    pub flits: u64,
    /// Packets that no terminal takes, in the whole run.
    pub misrouted: u64,
    /// Packets discarded in the source queues when draining began.
    pub discarded: usize,
    /// Flits of every link.
    pub links: Vec<LinkFlits>,
}

/// A distribution of latencies, in cycles; all zero without packets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Latency {
    /// Packets measured.
    pub packets: usize,
    /// Their mean.
    pub mean: f64,
    /// The shortest.
    pub min: u64,
    /// Half of the packets took no longer; percentiles are by nearest rank.
    pub p50: u64,
    /// 95 % of the packets took no longer.
    pub p95: u64,
    /// 99 % of the packets took no longer.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

/// Packets whose latency is in a range of cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// Least latency.
    pub from: u64,
    /// Greatest latency.
    pub to: u64,
    /// Packets.
    pub packets: usize,
}

impl Bin {
    /// The distribution of `cycles`, which it sorts. Up to the 99th percentile the bins are equally wide: 1, 2 or 5 times
    /// a power of ten, so that there are at most 20. One more bin has what is above them, up to the longest.
    pub fn histogram(cycles: &mut [u64]) -> Vec<Self> {
        let Latency { packets, min, p99, .. } = Latency::of(cycles);
        if packets == 0 {
            return vec![];
        }
        let mut widths = (0..).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u64.pow(power)));
        let width = widths.find(|width| p99 / width - min / width < BINS);
        let width = width.expect("some width is great enough");
        let (mut bins, mut left) = (vec![], &*cycles);
        let mut from = min / width * width;
        while from <= p99 {
            let to = from + width - 1;
            let inside = left.partition_point(|&latency| latency <= to);
            bins.push(Bin {
                from,
                to,
                packets: inside,
            });
            left = &left[inside..];
            from += width;
        }
        bins.extend(left.last().map(|&to| Bin {
            from,
            to,
            packets: left.len(),
        }));
        bins
    }
}

impl Latency {
    /// The distribution of `cycles`, which it sorts.
    pub fn of(cycles: &mut [u64]) -> Self {
        cycles.sort_unstable();
        let packets = cycles.len();
        let (Some(&min), Some(&max)) = (cycles.first(), cycles.last()) else {
            return Self::default();
        };
        let percentile = |percent: usize| cycles[(packets * percent).div_ceil(100) - 1];
        Self {
            packets,
            mean: cycles.iter().sum::<u64>() as f64 / packets as f64,
            min,
            p50: percentile(50),
            p95: percentile(95),
            p99: percentile(99),
            max,
        }
    }
}

/// What a run counts for its report.
#[derive(Clone, Debug)]
pub struct Tally {
    window: Range<u64>,
    offered: u64,
    /// Flits delivered in the window, by source.
    accepted: Vec<u64>,
    latency: Vec<u64>,
    network_latency: Vec<u64>,
    flits: u64,
    last_arrival: u64,
    discarded: usize,
    deliveries: Deliveries,
}

impl Tally {
    /// Measures the cycles of `window`; one that ends at `u64::MAX` ends with the last arrival.
    pub fn new(window: Range<u64>) -> Self {
        Self {
            window,
            offered: 0,
            accepted: vec![],
            latency: vec![],
            network_latency: vec![],
            flits: 0,
            last_arrival: 0,
            discarded: 0,
            deliveries: Deliveries::default(),
        }
    }

    /// The cycles measured.
    pub fn window(&self) -> &Range<u64> {
        &self.window
    }

    /// A packet of `flits` flits was generated in cycle `now`.
    pub fn generated(&mut self, flits: usize, now: u64) {
        if self.window.contains(&now) {
            self.offered += flits as u64;
        }
    }

    /// So many packets were discarded.
    pub fn discarded(&mut self, packets: usize) {
        self.discarded += packets;
    }

    /// A tail came out in cycle `now`.
    pub fn arrived(&mut self, arrival: &Arrival, now: u64) {
        self.flits += arrival.flits as u64;
        self.last_arrival = now;
        let measured = self.window.contains(&now);
        let Arrival {
            source, destination, ..
        } = *arrival;
        self.deliveries.add(source, destination, arrival.flits, measured);
        if measured {
            if self.accepted.len() <= arrival.source {
                self.accepted.resize(arrival.source + 1, 0);
            }
            self.accepted[arrival.source] += arrival.flits as u64;
        }
        if self.window.contains(&arrival.born) {
            self.latency.push(now - arrival.born);
            self.network_latency.push(now - arrival.entered);
        }
    }

    /// The figures of a run on a mesh of `config`; `senders` are the terminals that send.
    pub fn report(mut self, seed: u64, senders: &[usize], config: &Config, scoreboard: &Scoreboard) -> Report {
        let end = match self.window.end {
            u64::MAX => self.last_arrival + 1,
            end => end,
        };
        let cycles = end - self.window.start;
        let load = |flits: u64| flits as f64 / cycles as f64;
        let share = |flits: u64| load(flits) / senders.len().max(1) as f64;
        let delivered = |&source: &usize| self.accepted.get(source).copied().unwrap_or(0);
        Report {
            // The latencies are in their order until a distribution sorts them.
            steady_from: steady_from(&self.latency),
            seed,
            cycles,
            senders: senders.len(),
            offered: share(self.offered),
            accepted: share(self.accepted.iter().sum()),
            accepted_min: senders.iter().map(delivered).min().map_or(0.0, load),
            accepted_max: senders.iter().map(delivered).max().map_or(0.0, load),
            latency: Latency::of(&mut self.latency),
            histogram: Bin::histogram(&mut self.latency),
            network_latency: Latency::of(&mut self.network_latency),
            packets: scoreboard.delivered(),
            flits: self.flits,
            misrouted: scoreboard.misrouted(),
            discarded: self.discarded,
            links: self.deliveries.links(config),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let mut cycles: Vec<u64> = (1..=200).rev().collect();
        let latency = Latency::of(&mut cycles);
        assert_eq!(
            latency,
            Latency {
                packets: 200,
                mean: 100.5,
                min: 1,
                p50: 100,
                p95: 190,
                p99: 198,
                max: 200
            }
        );
    }

    #[test]
    fn one_packet_is_every_percentile_and_none_is_zero() {
        let one = Latency::of(&mut [7]);
        assert_eq!((one.min, one.p50, one.p99, one.max, one.mean), (7, 7, 7, 7, 7.0));
        assert_eq!(Latency::of(&mut []), Latency::default());
    }

    #[test]
    fn a_histogram_has_every_packet_once_and_few_bins() {
        let bins = |cycles: &mut [u64]| {
            let bins = Bin::histogram(cycles);
            bins.iter()
                .map(|bin| (bin.from, bin.to, bin.packets))
                .collect::<Vec<_>>()
        };
        assert_eq!(bins(&mut []), []);
        assert_eq!(bins(&mut [7, 5, 5]), [(5, 5, 2), (6, 6, 0), (7, 7, 1)]);
        // Two of 200 are beyond the 99th percentile, far away.
        let mut cycles: Vec<u64> = (1..=198).chain([5_000, 7_000]).collect();
        let wide = bins(&mut cycles);
        assert_eq!(wide.len(), 21);
        assert_eq!(
            (wide[0], wide[19], wide[20]),
            ((0, 9, 9), (190, 199, 9), (200, 7_000, 2))
        );
        assert_eq!(wide.iter().map(|(.., packets)| packets).sum::<usize>(), 200);
    }
}
