//! Latency against offered load, and throughput at saturation.
//!
//! The traffic is random, a Bernoulli trial a cycle and tile, with unbounded source queues; loads are in flits per sending
//! tile and cycle. The load rises until the mesh no longer accepts it; saturation is what it accepts at a load of 1.

use super::{mesh, BENCH};
use crate::{
    bench::report::{Better, Row},
    device::stream::StreamDevice,
    traffic::{
        mesh_run::run,
        plan::{Drain, Plan},
        report::Report,
        Pattern, PatternError, Workload, WorkloadError, MAX_PACKET_FLITS,
    },
};
use portico_golden::uniform_saturation_bound;
use portico_spec::{Config, ConfigError};
use std::fmt;
use thiserror::Error;

const MESHES: [(usize, usize); 2] = [(4, 4), (8, 8)];
const FIFOS: [usize; 3] = [2, 4, 8];
const PATTERNS: [Pattern; 4] = [
    Pattern::Uniform,
    Pattern::Transpose,
    Pattern::BitComplement,
    Pattern::Hotspot,
];
const PACKETS: [usize; 3] = [1, 4, 33];

/// Share of the offered load below which a mesh counts as saturated, once its latency has grown too: few long packets in a
/// short window may well miss the load by more.
const KEEPS_UP: f64 = 0.95;

/// Mean latency of a saturated mesh, as a multiple of that at the lowest load.
const GROWN: f64 = 2.0;

/// Saturation throughput under uniform traffic of the best open routers with one cycle a hop and one virtual channel,
/// measured in the same way: side of the mesh, FIFO depth, flits of a packet, flits per tile and cycle.
const BEST_OPEN: [(usize, usize, usize, f64); 8] = [
    (4, 2, 1, 0.551),
    (4, 2, 4, 0.482),
    (4, 4, 1, 0.639),
    (4, 4, 4, 0.551),
    (4, 8, 1, 0.692),
    (4, 8, 4, 0.613),
    (8, 4, 1, 0.358),
    (8, 4, 4, 0.305),
];

/// How long to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Cycles before each measurement.
    pub warmup: u64,
    /// Cycles of each point of a curve.
    pub measure: u64,
    /// Cycles of each measurement of saturation.
    pub saturation: u64,
    /// Offered loads of the points, rising.
    pub loads: Vec<f64>,
    /// Of all runs.
    pub seed: u64,
}

impl Default for Effort {
    /// Enough for two steady digits of a curve, and three of saturation.
    fn default() -> Self {
        let fine = (1..5).map(|step| f64::from(step) * 0.02);
        let coarse = (2..20).map(|step| f64::from(step) * 0.05);
        Self {
            warmup: 2_000,
            measure: 5_000,
            saturation: 100_000,
            loads: fine.chain(coarse).collect(),
            seed: 1,
        }
    }
}

/// Whether a mesh does not keep up with a load: it accepts less than is offered, and its mean latency has grown beyond that at the
/// `lowest` load.
pub fn is_saturated(offered: f64, accepted: f64, latency: f64, lowest: f64) -> bool {
    accepted < KEEPS_UP * offered && latency > GROWN * lowest
}

/// One mesh under one kind of traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The mesh.
    pub config: Config,
    /// Who sends to whom.
    pub pattern: Pattern,
    /// Flits of every packet.
    pub packet: usize,
}

/// What was measured of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What was measured.
    pub case: Case,
    /// Up to the first load that the mesh does not keep up with, which is the last.
    pub points: Vec<Point>,
    /// Flits accepted per sending tile and cycle at an offered load of 1.
    pub saturation: f64,
}

/// One run of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Offered load asked for; the report has the one that came of it.
    pub load: f64,
    /// All figures of the run.
    pub report: Report,
}

/// Which cases to measure: each mesh with each FIFO depth, pattern and packet length. The default is the standard set.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// Columns and rows.
    pub meshes: Vec<(usize, usize)>,
    /// FIFO depths, in flits.
    pub fifos: Vec<usize>,
    /// Who sends to whom.
    pub patterns: Vec<Pattern>,
    /// Flits of every packet, with the head.
    pub packets: Vec<usize>,
}

/// A selection that cannot be measured.
#[derive(Debug, Error)]
pub enum SelectionError {
    /// There is no such mesh.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The pattern is not defined on one of the meshes.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// There is no such packet.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            meshes: MESHES.to_vec(),
            fifos: FIFOS.to_vec(),
            patterns: PATTERNS.to_vec(),
            packets: PACKETS.to_vec(),
        }
    }
}

impl Selection {
    /// The cases, those of one configuration together; `base` gives width and monitors.
    ///
    /// # Errors
    /// One of them cannot be measured.
    pub fn cases(&self, base: &Config) -> Result<Vec<Case>, SelectionError> {
        let mut cases = vec![];
        for &sides in &self.meshes {
            for &fifo in &self.fifos {
                let config = Config {
                    fifo,
                    ..mesh(base, sides)
                };
                config.validate()?;
                for &pattern in &self.patterns {
                    pattern.on_mesh(config.cols, config.rows, config.edge_nodes)?;
                    for &packet in &self.packets {
                        if !(1..=MAX_PACKET_FLITS).contains(&packet) {
                            return Err(WorkloadError::Packet(packet).into());
                        }
                        cases.push(Case {
                            config: config.clone(),
                            pattern,
                            packet,
                        });
                    }
                }
            }
        }
        Ok(cases)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Config { cols, rows, fifo, .. } = self.config;
        let Self { pattern, packet, .. } = self;
        write!(f, "{cols}x{rows}, FIFO {fifo}, {pattern}, packets of {packet}")
    }
}

impl Case {
    /// Measures the curve and the saturation of a mesh of this configuration.
    ///
    /// # Errors
    /// The device did something wrong, or the pattern is not defined on its mesh.
    pub fn measure(self, effort: &Effort, device: &mut dyn StreamDevice) -> anyhow::Result<Curve> {
        let mut points: Vec<Point> = vec![];
        for &load in &effort.loads {
            let report = self.run(load, effort.measure, effort, device)?;
            let lowest = points.first().map_or(&report, |point| &point.report).latency.mean;
            let is_over = is_saturated(report.offered, report.accepted, report.latency.mean, lowest);
            points.push(Point { load, report });
            if is_over {
                break;
            }
        }
        let saturation = self.run(1.0, effort.saturation, effort, device)?.accepted;
        Ok(Curve {
            case: self,
            points,
            saturation,
        })
    }

    fn run(&self, load: f64, measure: u64, effort: &Effort, device: &mut dyn StreamDevice) -> anyhow::Result<Report> {
        let Config {
            cols, rows, edge_nodes, ..
        } = self.config;
        let workload = Workload::random(self.pattern.on_mesh(cols, rows, edge_nodes)?, load, self.packet)?;
        let plan = Plan {
            drain: Drain::Network,
            ..Plan::new(workload, effort.warmup, measure, effort.seed)
        };
        Ok(run(device, &self.config, &plan)?)
    }
}

impl Curve {
    /// Latency and accepted load of each point, and the saturation; under uniform traffic also its share of what the bisection allows.
    pub fn rows(&self) -> Vec<Row> {
        let Self { case, saturation, .. } = self;
        let keyed = |measure: &str, row: Row| {
            let Config {
                cols,
                rows,
                width,
                fifo,
                ..
            } = case.config;
            row.with("measure", measure)
                .with("mesh", format!("{cols}x{rows}"))
                .on_mesh((cols, rows))
                .with("width", width)
                .with("fifo", fifo)
                .with("pattern", case.pattern.to_string())
                .with("packet", case.packet)
        };
        let mut rows: Vec<Row> = (self.points.iter())
            .flat_map(|Point { load, report }| {
                let name = |what| format!("{what} at {load:.2} offered, {case}");
                let latency = Row::new(BENCH, name("latency"), "cycles", Better::Less, report.latency.mean);
                let accepted = name("accepted load");
                let accepted = Row::new(BENCH, accepted, "flits/node/cycle", Better::More, report.accepted);
                [("latency", latency), ("accepted load", accepted)]
                    .map(|(measure, row)| keyed(measure, row).with("load", *load))
            })
            .collect();
        let mut throughput = Row::new(
            BENCH,
            format!("saturation, {case}"),
            "flits/node/cycle",
            Better::More,
            *saturation,
        );
        let uniform = case.pattern == Pattern::Uniform;
        throughput.limit = uniform.then(|| uniform_saturation_bound(case.config.cols, case.config.rows));
        throughput.bound = best_open(case);
        let share = throughput.limit.map(|limit| Row {
            limit: Some(100.0),
            ..Row::new(
                BENCH,
                format!("saturation as a share of the bisection bound, {case}"),
                "%",
                Better::More,
                100.0 * saturation / limit,
            )
        });
        rows.push(keyed("saturation", throughput));
        rows.extend(share.map(|share| keyed("share of the bisection bound", share)));
        rows
    }
}

fn best_open(case: &Case) -> Option<f64> {
    let Config { cols, rows, fifo, .. } = case.config;
    let published = BEST_OPEN.iter().find(|&&(side, depth, packet, _)| {
        (Pattern::Uniform, side, side, depth, packet) == (case.pattern, cols, rows, fifo, case.packet)
    });
    published.map(|&(.., figure)| figure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::naive_mesh::NaiveMesh;

    fn effort() -> Effort {
        Effort {
            warmup: 500,
            measure: 2_000,
            saturation: 3_000,
            loads: vec![0.05, 0.2, 0.4, 0.6, 0.8],
            ..Effort::default()
        }
    }

    fn case(side: usize, fifo: usize, pattern: Pattern, packet: usize) -> Case {
        Case {
            config: Config {
                fifo,
                ..mesh(&Config::default(), (side, side))
            },
            pattern,
            packet,
        }
    }

    fn measure(case: Case) -> Curve {
        let mut device = NaiveMesh::new(&case.config);
        case.measure(&effort(), &mut device).unwrap()
    }

    #[test]
    fn latency_rises_with_the_load_from_that_of_an_idle_mesh_to_saturation() {
        let curve = measure(case(4, 4, Pattern::Uniform, 1));
        let latencies: Vec<f64> = curve.points.iter().map(|point| point.report.latency.mean).collect();
        // An idle 4x4 mesh without self traffic: 8/3 hops on average, and one.
        assert!((3.6..4.2).contains(&latencies[0]), "{latencies:?}");
        assert!(latencies.windows(2).all(|pair| pair[0] < pair[1]), "{latencies:?}");
        let last = &curve.points.last().unwrap().report;
        assert!(
            last.accepted < KEEPS_UP * last.offered && curve.points.len() >= 3,
            "{last:?}"
        );
        assert!((0.4..0.8).contains(&curve.saturation), "{}", curve.saturation);
    }

    #[test]
    fn deeper_fifos_and_shorter_packets_carry_more() {
        let saturation = |fifo, packet| measure(case(4, fifo, Pattern::Uniform, packet)).saturation;
        let (shallow, deep, long) = (saturation(2, 1), saturation(8, 1), saturation(8, 4));
        assert!(shallow < deep && long < deep, "{shallow}, {deep}, {long}");
    }

    #[test]
    fn rows_have_limit_and_bound_where_there_is_one() {
        let curve = measure(case(4, 4, Pattern::Uniform, 4));
        let rows = curve.rows();
        let points = 2 * curve.points.len();
        assert_eq!(rows.len(), points + 2);
        assert_eq!(
            rows[0].name,
            "latency at 0.05 offered, 4x4, FIFO 4, uniform, packets of 4"
        );
        assert_eq!(
            (&*rows[1].name, rows[1].value),
            (
                "accepted load at 0.05 offered, 4x4, FIFO 4, uniform, packets of 4",
                curve.points[0].report.accepted
            )
        );
        let saturation = &rows[points];
        assert_eq!((saturation.limit, saturation.bound), (Some(15.0 / 16.0), Some(0.551)));
        let share = &rows[points + 1];
        assert!(
            (share.value - 100.0 * curve.saturation * 16.0 / 15.0).abs() < 1e-9,
            "{share:?}"
        );

        let hotspot = measure(case(4, 4, Pattern::Hotspot, 4)).rows();
        assert!(
            hotspot.iter().all(|row| row.limit.is_none() && row.bound.is_none()),
            "{hotspot:?}"
        );
    }

    #[test]
    fn each_published_figure_belongs_to_a_case() {
        let cases = Selection::default().cases(&Config::default()).unwrap();
        let bounds = cases.iter().filter_map(best_open).count();
        assert_eq!(bounds, BEST_OPEN.len());
    }

    #[test]
    fn a_selection_is_the_product_of_its_lists_and_names_what_does_not_exist() {
        let few = Selection {
            meshes: vec![(3, 2), (2, 2)],
            fifos: vec![2, 8],
            patterns: vec![Pattern::Uniform],
            packets: vec![1, 65],
        };
        let cases = few.cases(&Config::default()).unwrap();
        let names: Vec<String> = cases.iter().map(Case::to_string).collect();
        assert_eq!(names.len(), 8);
        assert_eq!(names[1], "3x2, FIFO 2, uniform, packets of 65");
        let error = |selection: Selection| selection.cases(&Config::default()).unwrap_err().to_string();
        for (selection, message) in [
            (
                Selection {
                    meshes: vec![(17, 2)],
                    ..few.clone()
                },
                "cols = 17 is not allowed: allowed is 1..=16",
            ),
            (
                Selection {
                    fifos: vec![1],
                    ..few.clone()
                },
                "fifo = 1 is not allowed: allowed is 2..=16",
            ),
            (
                Selection {
                    patterns: vec![Pattern::Transpose],
                    ..few.clone()
                },
                "traffic `transpose` needs a square mesh of 2x2 or more; the mesh is 3x2",
            ),
            (
                Selection {
                    packets: vec![66],
                    ..few.clone()
                },
                "packet 66: allowed is 1 to 65 flits",
            ),
        ] {
            assert_eq!(error(selection), message);
        }
    }

    #[test]
    fn a_pattern_that_does_not_fit_is_an_error() {
        let mut wide = case(4, 4, Pattern::Transpose, 1);
        wide.config.rows = 2;
        let mut device = NaiveMesh::new(&wide.config);
        let error = wide.measure(&effort(), &mut device).unwrap_err();
        assert_eq!(
            error.to_string(),
            "traffic `transpose` needs a square mesh of 2x2 or more; the mesh is 4x2"
        );
    }
}
