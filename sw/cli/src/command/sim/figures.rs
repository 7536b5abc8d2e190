//! What a simulation came to: as a table, and in the form of all figures.

use super::traffic_args::TrafficArgs;
use crate::{
    design,
    table::{grouped, table},
};
use portico_golden::zero_load_tail_latency;
use portico_spec::Config;
use portico_synth::Tool;
use portico_testbench::{
    bench::report::{BenchReport, Better, Row},
    traffic::{plan::Plan, report::Report, Generator, Workload},
};

/// A simulation that ended as it should.
pub struct Run<'a> {
    pub config: &'a Config,
    pub traffic: &'a TrafficArgs,
    pub report: &'a Report,
    /// Mean latency that the same packets would have had on an idle mesh, in cycles.
    pub zero_load: f64,
    /// Cycles simulated in all.
    pub cycles: u64,
    /// Cycles a second that the model ran.
    pub speed: f64,
    /// Where the model came from.
    pub origin: &'static str,
}

/// Mean latency on an idle mesh of the packets that a run measures, in cycles; 0 without packets.
pub fn zero_load(config: &Config, plan: &Plan) -> f64 {
    let window = plan.window();
    let mut generator = Generator::new(&plan.workload, plan.seed);
    let (mut cycles, mut packets) = (0, 0u64);
    let mut count = |packet: portico_testbench::traffic::PacketRequest| {
        cycles += zero_load_tail_latency(config, packet.source, packet.destination, packet.flits);
        packets += 1;
    };
    match &plan.workload {
        Workload::Recorded(trace) => trace.entries().iter().for_each(|entry| count(entry.packet)),
        Workload::Random { .. } | Workload::Stream { .. } => {
            for cycle in 0..window.end {
                generator.generate(cycle, |packet| {
                    if window.contains(&cycle) {
                        count(packet);
                    }
                });
            }
        }
    }
    cycles as f64 / packets.max(1) as f64
}

impl Run<'_> {
    /// All figures, for people.
    pub fn table(&self) -> String {
        let report = self.report;
        let load = |value: f64| format!("{value:.4}");
        let cycles = |value: u64| grouped(value);
        let mut rows = vec![
            ("mesh", self.mesh(), ""),
            ("offered load", load(report.offered), "flits/node/cycle"),
            ("accepted load", load(report.accepted), "flits/node/cycle"),
            (
                "accepted from the node that came off worst",
                load(report.accepted_min),
                "flits/cycle",
            ),
            (
                "accepted from the node that came off best",
                load(report.accepted_max),
                "flits/cycle",
            ),
            ("latency, mean", format!("{:.2}", report.latency.mean), "cycles"),
            ("latency, median", cycles(report.latency.p50), "cycles"),
            ("latency, 99 % within", cycles(report.latency.p99), "cycles"),
            ("latency, most", cycles(report.latency.max), "cycles"),
            (
                "latency without the wait to enter, mean",
                format!("{:.2}", report.network_latency.mean),
                "cycles",
            ),
            (
                "latency of the same packets on an idle mesh, mean",
                format!("{:.2}", self.zero_load),
                "cycles",
            ),
            (
                "packets compared word for word, all equal",
                grouped(report.packets),
                "packets",
            ),
            ("flits of these", grouped(report.flits), "flits"),
            ("lost, doubled or left in the mesh", "none".into(), "packets"),
            (
                "dropped, as they name no terminal",
                grouped(report.misrouted),
                "packets",
            ),
            (
                "not yet in the mesh at the end",
                grouped(report.discarded as u64),
                "packets",
            ),
            ("cycles measured", grouped(report.cycles), "cycles"),
            ("cycles simulated", grouped(self.cycles), "cycles"),
            ("speed of the simulation", grouped(self.speed as u64), "cycles/s"),
            ("model", self.origin.into(), ""),
        ];
        let traffic = self.traffic.entries();
        rows.splice(1..1, traffic.into_iter().map(|(key, value)| (key, value, "")));
        let rows = rows.into_iter();
        let rows = rows.map(|(name, value, unit)| vec![name.to_owned(), value, unit.to_owned()]);
        table(&["figure", "value", "unit"], rows, &[1])
    }

    fn mesh(&self) -> String {
        let Config {
            cols,
            rows,
            width,
            fifo,
            ..
        } = self.config;
        format!("{cols}x{rows}, {width} bits, FIFO {fifo}")
    }

    /// All figures, in the form of all figures.
    ///
    /// # Errors
    /// Verilator, whose version is among them, is gone.
    pub fn bench_report(&self) -> anyhow::Result<BenchReport> {
        let report = self.report;
        let row = |name: &str, unit, better, value| Row::new("sim", name, unit, better, value);
        let rows = vec![
            row("offered load", "flits/node/cycle", Better::More, report.offered),
            row("accepted load", "flits/node/cycle", Better::More, report.accepted),
            row(
                "accepted load, worst node",
                "flits/cycle",
                Better::More,
                report.accepted_min,
            ),
            row(
                "accepted load, best node",
                "flits/cycle",
                Better::More,
                report.accepted_max,
            ),
            Row {
                limit: Some(self.zero_load),
                ..row("latency, mean", "cycles", Better::Less, report.latency.mean)
            },
            row("latency, median", "cycles", Better::Less, report.latency.p50 as f64),
            row("latency, 99 %", "cycles", Better::Less, report.latency.p99 as f64),
            row("latency, most", "cycles", Better::Less, report.latency.max as f64),
            row(
                "network latency, mean",
                "cycles",
                Better::Less,
                report.network_latency.mean,
            ),
            row("packets compared", "packets", Better::More, report.packets as f64),
            row("packets dropped", "packets", Better::Less, report.misrouted as f64),
            row("speed of the simulation", "cycles/s", Better::More, self.speed),
        ];
        let mut figures = BenchReport {
            rows,
            ..BenchReport::new(self.config)
        };
        figures.tools.insert("portico".into(), design::VERSION.into());
        let verilator = portico_synth::locate(Tool::Verilator)?;
        figures.tools.insert("verilator".into(), verilator.version);
        let traffic = self.traffic.entries().into_iter();
        figures
            .config
            .extend(traffic.map(|(key, value)| (key.to_owned(), value)));
        Ok(figures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_testbench::traffic::Trace;

    #[test]
    fn zero_load_latency_is_that_of_the_packets_measured() {
        let config = Config::default();
        // 3 + 1 cycles, and 0 + 1 with 3 flits behind the head.
        let trace = Trace::parse("0 0 3 1\n9 5 5 4\n", config.terminals()).unwrap();
        let plan = Plan::new(Workload::Recorded(trace), 0, 1, 1);
        assert_eq!(zero_load(&config, &plan), 4.0);
        let lone = Workload::stream(&config, &[(0, 15)], 2).unwrap();
        assert_eq!(zero_load(&config, &Plan::new(lone, 4, 4, 1)), 8.0);
    }
}
