//! What a simulation came to: as a table, and in the form of all figures.

use super::{command_line, traffic_args::TrafficArgs};
use crate::{
    model,
    table::{grouped, table},
};
use portico_golden::zero_load_tail_latency;
use portico_spec::Config;
use portico_testbench::{
    bench::report::{settings, BenchReport, Better, Row},
    traffic::{
        plan::Plan,
        report::{Bin, Report},
        Generator, LinkFlits, Workload,
    },
};

/// Links that are printed.
const BUSIEST: usize = 8;
/// Signs of the longest bar of the histogram.
const BAR: usize = 40;

/// A simulation that ended as it should.
pub struct Run<'a> {
    pub config: &'a Config,
    pub traffic: &'a TrafficArgs,
    pub report: Report,
    /// Mean latency that the same packets would have had on an idle mesh, in cycles.
    pub zero_load: f64,
    /// Cycles simulated in all.
    pub cycles: u64,
    /// Cycles a second that the model ran.
    pub speed: f64,
    /// Where the model came from.
    pub origin: &'static str,
    /// Links whose flits the monitors counted as they were delivered; none in a mesh without monitors.
    pub links_compared: usize,
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
    pub fn text(&self) -> String {
        format!(
            "{}\nLatencies:\n\n{}\nBusiest links:\n\n{}",
            self.table(),
            histogram(&self.report.histogram),
            self.busiest()
        )
    }

    fn table(&self) -> String {
        let report = &self.report;
        let load = |value: f64| format!("{value:.4}");
        let cycles = |value: u64| grouped(value);
        let mut rows = vec![
            ("mesh", self.mesh(), ""),
            ("offered load", load(report.offered), "flits/node/cycle"),
            ("accepted load", load(report.accepted), "flits/node/cycle"),
            ("accepted load, worst node", load(report.accepted_min), "flits/cycle"),
            ("accepted load, best node", load(report.accepted_max), "flits/cycle"),
            ("latency, mean", format!("{:.2}", report.latency.mean), "cycles"),
            ("latency is steady", self.steady(), ""),
            ("latency, median", cycles(report.latency.p50), "cycles"),
            ("latency, 99 %", cycles(report.latency.p99), "cycles"),
            ("latency, most", cycles(report.latency.max), "cycles"),
            (
                "network latency, mean",
                format!("{:.2}", report.network_latency.mean),
                "cycles",
            ),
            ("zero-load latency, mean", format!("{:.2}", self.zero_load), "cycles"),
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
        if self.links_compared > 0 {
            let links = grouped(self.links_compared as u64);
            rows.push(("flits as the monitors of the mesh counted them", links, "links"));
        }
        let traffic = self.traffic.entries();
        rows.splice(1..1, traffic.into_iter().map(|(key, value)| (key, value, "")));
        let rows = rows.into_iter();
        let rows = rows.map(|(name, value, unit)| vec![name.to_owned(), value, unit.to_owned()]);
        table(&["figure", "value", "unit"], rows, &[1])
    }

    /// From which packet on the latency is steady, in words.
    fn steady(&self) -> String {
        match self.report.steady_from {
            Some(0) => "from the first packet on".to_owned(),
            Some(from) => format!("from packet {} on", grouped(from as u64 + 1)),
            None => "no: warm up or measure longer".to_owned(),
        }
    }

    /// The links that carried most.
    fn busiest(&self) -> String {
        let mut links: Vec<&LinkFlits> = self.report.links.iter().collect();
        links.sort_by_key(|flits| std::cmp::Reverse(flits.measured));
        let rows = links.into_iter().take(BUSIEST).map(|flits| {
            let [from, to] = self.ends(flits);
            let share = format!("{:.1}", 100.0 * self.load(flits));
            vec![from, to, grouped(flits.measured), share]
        });
        table(&["from", "to", "flits", "% of the cycles"], rows, &[2, 3])
    }

    fn ends(&self, flits: &LinkFlits) -> [String; 2] {
        flits.link.ends(self.config).map(|end| end.name(self.config))
    }

    /// Flits a cycle of a link.
    fn load(&self, flits: &LinkFlits) -> f64 {
        flits.measured as f64 / self.report.cycles as f64
    }

    /// Rows of the histogram and of every link. The form of all figures wants a direction in which each gets better: low
    /// latencies, and links in use.
    fn distributions(&self) -> impl Iterator<Item = Row> + '_ {
        let bins = self.report.histogram.iter().map(|bin| {
            let name = format!("packets with a latency of {} cycles", range(bin));
            Row::new("sim", name, "packets", Better::Less, bin.packets as f64)
                .with("measure", "latency histogram")
                .with("least_cycles", bin.from)
                .with("most_cycles", bin.to)
        });
        let links = self.report.links.iter().map(|flits| {
            let [from, to] = self.ends(flits);
            let name = format!("load of the link from {from} to {to}");
            let row = Row {
                limit: Some(1.0),
                ..Row::new("sim", name, "flits/cycle", Better::More, self.load(flits))
            };
            row.with("measure", "link load")
                .with("from", from)
                .with("to", to)
                .with("flits", flits.measured)
        });
        bins.chain(links)
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
        let report = &self.report;
        let row = |name: &str, unit, better, value| Row::new("sim", name, unit, better, value);
        let unsteady = report.steady_from.unwrap_or(report.latency.packets);
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
            row("latency, mean", "cycles", Better::Less, report.latency.mean),
            row("latency, median", "cycles", Better::Less, report.latency.p50 as f64),
            row("latency, 99 %", "cycles", Better::Less, report.latency.p99 as f64),
            row("latency, most", "cycles", Better::Less, report.latency.max as f64),
            row(
                "network latency, mean",
                "cycles",
                Better::Less,
                report.network_latency.mean,
            ),
            row("zero-load latency, mean", "cycles", Better::Less, self.zero_load),
            row(
                "packets measured",
                "packets",
                Better::More,
                report.latency.packets as f64,
            ),
            row(
                "packets before the latency is steady",
                "packets",
                Better::Less,
                unsteady as f64,
            ),
            row("packets compared", "packets", Better::More, report.packets as f64),
            row("packets dropped", "packets", Better::Less, report.misrouted as f64),
        ];
        let rows = rows.into_iter().chain(self.distributions()).collect();
        let mut figures = BenchReport {
            rows,
            speed: vec![row("speed of the simulation", "cycles/s", Better::More, self.speed)],
            command: command_line(self.config, self.traffic),
            tools: model::tools()?,
            ..BenchReport::new(self.config)
        };
        figures.config.extend(settings(self.traffic.entries()));
        Ok(figures)
    }
}

/// The bins as a table, with a bar each.
fn histogram(bins: &[Bin]) -> String {
    let all: usize = bins.iter().map(|bin| bin.packets).sum();
    let most = bins.iter().map(|bin| bin.packets).max().unwrap_or(0);
    let rows = bins.iter().map(|bin| {
        let share = 100.0 * bin.packets as f64 / all as f64;
        vec![
            range(bin),
            grouped(bin.packets as u64),
            format!("{share:.1}"),
            "#".repeat((BAR * bin.packets).div_ceil(most)),
        ]
    });
    table(&["cycles", "packets", "%", ""], rows, &[0, 1, 2])
}

fn range(bin: &Bin) -> String {
    match bin.from == bin.to {
        true => bin.from.to_string(),
        false => format!("{} to {}", bin.from, bin.to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_testbench::{
        model::golden_mesh::GoldenMesh,
        traffic::{mesh_run, Trace},
    };

    #[test]
    fn the_histogram_has_a_bar_where_there_are_packets() {
        let bin = |from, to, packets| Bin { from, to, packets };
        assert_eq!(
            histogram(&[bin(5, 5, 3), bin(6, 6, 0), bin(7, 1_200, 1)]),
            concat!(
                "    cycles | packets |    % |\n",
                "-----------+---------+------+------------------------------------------\n",
                "         5 |       3 | 75.0 | ########################################\n",
                "         6 |       0 |  0.0 |\n",
                " 7 to 1200 |       1 | 25.0 | ##############\n",
            )
        );
    }

    #[test]
    fn rows_have_every_packet_and_every_link() {
        let config = Config {
            cols: 2,
            rows: 1,
            ..Config::default()
        };
        let trace = Trace::parse("0 0 1 4\n0 1 0 2\n", config.terminals()).unwrap();
        let plan = Plan::new(Workload::Recorded(trace), 0, 1, 1);
        let report = mesh_run::run(&mut GoldenMesh::new(&config), &config, &plan).unwrap();
        let run = Run {
            config: &config,
            traffic: &TrafficArgs::default(),
            cycles: report.cycles,
            report,
            zero_load: zero_load(&config, &plan),
            speed: 1.0,
            origin: "compiled",
            links_compared: 0,
        };
        let rows: Vec<Row> = run.distributions().collect();
        let of = |measure: &'static str| rows.iter().filter(move |row| row.keys["measure"] == measure);
        assert_eq!(of("latency histogram").map(|row| row.value).sum::<f64>(), 2.0);
        let links: Vec<_> = of("link load")
            .map(|row| (&row.keys["from"], &row.keys["flits"]))
            .collect();
        assert_eq!(links.len(), 6);
        assert!(links.contains(&(&"tile 0".into(), &4.into())), "{links:?}");
        let text = run.text();
        assert!(text.contains(" tile 0        | router (0, 0) |     4 |"), "{text}");
    }

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
