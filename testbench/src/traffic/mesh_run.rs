//! One run of traffic through a mesh: warm-up, measurement, drain, and every packet checked on the way.
//!
//! The run resets the device, injects the workload for `warmup + measure` cycles, then generates nothing more and goes on
//! until every packet under way has come out, and a while longer to see that nothing else does. A recorded workload is
//! measured whole, from cycle 0 to its last arrival.
//!
//! The generated packets depend on the workload and the seed alone, so that different devices are given the same ones.

use crate::{
    device::stream::StreamDevice,
    traffic::{
        plan::{Drain, Plan, PlanError, Readiness},
        report::{Report, Tally},
        scoreboard::{Fault, Scoreboard},
        Generator, Sources,
    },
};
use portico_spec::Config;
use thiserror::Error;

/// Cycles without any handshake after which a network with packets in it counts as stuck.
const PATIENCE: u64 = 5_000;

/// Cycles that an empty network is watched.
const QUIET: u64 = 100;

/// Terminals and pairs that an error names at most.
const NAMED: usize = 8;

/// Why a run failed. Each says which seed replays it.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RunError {
    /// The plan is out of range.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The device is not a mesh of the configuration.
    #[error("the device has {inputs} inputs and {outputs} outputs; the configuration has {terminals} terminals")]
    Shape {
        /// Its inputs.
        inputs: usize,
        /// Its outputs.
        outputs: usize,
        /// Terminals of the configuration.
        terminals: usize,
    },
    /// The scoreboard objects.
    #[error("cycle {cycle}, seed {seed:#x}: {fault}")]
    Fault {
        /// When.
        cycle: u64,
        /// Replays the run.
        seed: u64,
        /// To what.
        fault: Fault,
    },
    /// Packets are in the network or before it, and nothing moves.
    #[error(
        "cycle {cycle}, seed {seed:#x}: stuck, no flit moved for {PATIENCE} cycles; packets waiting to enter \
         (terminal: packets): {}; under way (source -> destination: packets): {}",
        stuck_sources(waiting),
        stuck_pairs(under_way)
    )]
    Stuck {
        /// When that was noticed.
        cycle: u64,
        /// Replays the run.
        seed: u64,
        /// (terminal, packets), the first few.
        waiting: Vec<(usize, usize)>,
        /// (source, destination, packets), the first few.
        under_way: Vec<(usize, usize, usize)>,
    },
}

fn stuck_sources(waiting: &[(usize, usize)]) -> String {
    listed(
        waiting
            .iter()
            .map(|(terminal, packets)| format!("{terminal}: {packets}")),
    )
}

fn stuck_pairs(pairs: &[(usize, usize, usize)]) -> String {
    listed(
        pairs
            .iter()
            .map(|(from, to, packets)| format!("{from} -> {to}: {packets}")),
    )
}

fn listed(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        "none".to_owned()
    } else {
        items.join(", ")
    }
}

/// Runs `plan` on `device`, a mesh of `config`.
///
/// # Errors
/// The plan is out of range, or the device did something wrong, or nothing at all.
pub fn run(device: &mut dyn StreamDevice, config: &Config, plan: &Plan) -> Result<Report, RunError> {
    plan.check()?;
    let terminals = config.terminals();
    let (inputs, outputs) = (device.inputs(), device.outputs());
    if (inputs, outputs) != (terminals, terminals) {
        return Err(RunError::Shape {
            inputs,
            outputs,
            terminals,
        });
    }
    device.reset();
    let mut generator = Generator::new(&plan.workload, plan.seed);
    let mut sources = Sources::new(config, plan.idle, plan.seed);
    let mut scoreboard = Scoreboard::new(config);
    let mut readiness = Readiness::new(config, plan);
    let mut tally = Tally::new(plan.window());
    let (mut draining, mut moved, mut quiet) = (false, 0, 0);
    for now in 0u64.. {
        if !draining {
            generator.generate(now, |packet| {
                tally.generated(packet.flits, now);
                sources.push(packet, now);
            });
            draining = generator.is_finished() || now + 1 == tally.window().end;
            if draining && plan.drain == Drain::Network {
                tally.discarded(sources.discard());
            }
        }
        let handshakes = device.cycle(sources.offer(), readiness.draw());
        let fail = |fault| RunError::Fault {
            cycle: now,
            seed: plan.seed,
            fault,
        };
        let mut fault = None;
        sources.accept(handshakes.accepted, |departure| {
            let entered = scoreboard.entered(departure.request.source, departure.words, departure.born, now);
            fault = fault.take().or(entered.err());
        });
        if let Some(fault) = fault {
            return Err(fail(fault));
        }
        for (terminal, flit) in handshakes.emitted.iter().enumerate() {
            let Some(flit) = *flit else { continue };
            if let Some(arrival) = scoreboard.received(terminal, flit).map_err(fail)? {
                tally.arrived(&arrival, now);
            }
        }
        let anything = handshakes.accepted.contains(&true) || handshakes.emitted.iter().any(Option::is_some);
        let work = sources.waiting() > 0 || scoreboard.outstanding() > 0;
        if anything || !work {
            moved = now;
        }
        if now - moved >= PATIENCE {
            return Err(stuck(&sources, &scoreboard, config, now, plan.seed));
        }
        quiet = if draining && !work && !anything { quiet + 1 } else { 0 };
        if quiet == QUIET {
            scoreboard.finish().map_err(fail)?;
            break;
        }
    }
    Ok(tally.report(plan.seed, &plan.workload.senders(config), config, &scoreboard))
}

fn stuck(sources: &Sources, scoreboard: &Scoreboard, config: &Config, cycle: u64, seed: u64) -> RunError {
    let waiting = (0..config.terminals()).map(|terminal| (terminal, sources.waiting_at(terminal)));
    RunError::Stuck {
        cycle,
        seed,
        waiting: waiting.filter(|(_, packets)| *packets > 0).take(NAMED).collect(),
        under_way: scoreboard.outstanding_pairs().take(NAMED).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{altered::Altered, golden_mesh::GoldenMesh, naive_mesh::NaiveMesh},
        traffic::{Pattern, Trace, Workload},
    };
    use portico_spec::Flit;

    fn config(cols: usize, rows: usize, edge_nodes: usize) -> Config {
        Config {
            cols,
            rows,
            edge_nodes,
            ..Config::default()
        }
    }

    fn plan(config: &Config, pattern: Pattern, rate: f64, packet: usize) -> Plan {
        let destinations = pattern.on_mesh(config.cols, config.rows, config.edge_nodes).unwrap();
        Plan::new(
            Workload::random(destinations, rate, packet).unwrap(),
            200,
            1_000,
            0x5eed,
        )
    }

    /// Runs a mesh that emits its 300th flit as `mutate` makes it.
    fn run_faulty(mutate: impl Fn(Flit) -> Option<Flit>) -> Result<Report, RunError> {
        let config = config(4, 4, 0);
        let mut emitted = 0;
        let alter = |flits: &mut [Option<Flit>]| {
            for flit in flits.iter_mut().filter(|flit| flit.is_some()) {
                emitted += 1;
                if emitted == 300 {
                    *flit = flit.and_then(&mutate);
                }
            }
        };
        let mut device = Altered::new(GoldenMesh::new(&config), alter);
        run(&mut device, &config, &plan(&config, Pattern::Uniform, 0.3, 3))
    }

    #[test]
    fn all_patterns_pass_on_golden_and_naive_meshes_with_idle_and_back_pressure() {
        for (cols, rows, edge_nodes) in [(4, 4, 0), (1, 5, 1), (6, 1, 3), (3, 2, 3)] {
            let config = config(cols, rows, edge_nodes);
            for pattern in Pattern::ALL {
                if pattern.on_mesh(cols, rows, edge_nodes).is_err() {
                    continue;
                }
                let plan = Plan {
                    stall: 0.3,
                    idle: 0.2,
                    ..plan(&config, pattern, 0.4, 5)
                };
                let golden = run(&mut GoldenMesh::new(&config), &config, &plan).unwrap();
                let naive = run(&mut NaiveMesh::new(&config), &config, &plan).unwrap();
                assert!(
                    golden.packets > 0 && golden.packets == naive.packets,
                    "{pattern} on {cols}x{rows}"
                );
                assert_eq!(
                    (golden.offered, golden.flits),
                    (naive.offered, naive.flits),
                    "{pattern} on {cols}x{rows}"
                );
            }
        }
    }

    #[test]
    fn a_lone_tile_sends_to_itself_and_to_its_edge_node() {
        let config = config(1, 1, 1);
        let trace = Trace::parse("0 0 0 1\n0 0 0 65\n0 0 1 4\n3 1 0 2\n4 1 1 3\n", config.terminals()).unwrap();
        let plan = Plan {
            workload: Workload::Recorded(trace),
            ..plan(&config, Pattern::Uniform, 0.1, 1)
        };
        for device in [
            &mut GoldenMesh::new(&config) as &mut dyn StreamDevice,
            &mut NaiveMesh::new(&config),
        ] {
            let report = run(device, &config, &plan).unwrap();
            assert_eq!((report.packets, report.flits, report.senders), (4, 72, 2));
            assert_eq!((report.misrouted, report.network_latency.min), (1, 1));
        }
    }

    #[test]
    fn figures_of_light_traffic_are_those_of_an_idle_mesh() {
        let config = config(4, 1, 0);
        let trace = Trace::parse("0 0 3 1\n100 3 0 1\n200 0 1 4\n", 4).unwrap();
        let plan = Plan {
            workload: Workload::Recorded(trace),
            ..plan(&config, Pattern::Uniform, 0.1, 1)
        };
        let report = run(&mut NaiveMesh::new(&config), &config, &plan).unwrap();
        let latency = report.network_latency;
        assert_eq!((latency.packets, latency.min, latency.p50, latency.max), (3, 4, 4, 5));
        assert_eq!(report.latency, latency);
        assert_eq!((report.cycles, report.senders), (206, 2));
        assert_eq!(report.accepted, 6.0 / 206.0 / 2.0);
    }

    #[test]
    fn the_same_seed_gives_the_same_report_and_loads_agree_below_saturation() {
        let config = config(4, 4, 0);
        let plan = Plan {
            measure: 5_000,
            ..plan(&config, Pattern::Uniform, 0.2, 4)
        };
        let report = run(&mut NaiveMesh::new(&config), &config, &plan).unwrap();
        assert_eq!(run(&mut NaiveMesh::new(&config), &config, &plan), Ok(report.clone()));
        assert!((report.offered - report.accepted).abs() < 0.01, "{report:?}");
        assert!(
            report.accepted_min < report.accepted && report.accepted < report.accepted_max,
            "{report:?}"
        );
        assert!(
            report.latency.mean > report.network_latency.mean && report.network_latency.mean > 6.0,
            "{report:?}"
        );
    }

    #[test]
    fn beyond_saturation_only_the_network_is_drained() {
        let config = config(4, 4, 0);
        let plan = Plan {
            drain: Drain::Network,
            ..plan(&config, Pattern::Uniform, 1.0, 4)
        };
        let report = run(&mut NaiveMesh::new(&config), &config, &plan).unwrap();
        assert!(report.discarded > 0 && report.accepted < report.offered, "{report:?}");
    }

    #[test]
    fn planted_faults_are_caught_and_say_how_to_replay() {
        run_faulty(Some).unwrap();
        for (what, error) in [
            ("a dropped flit", run_faulty(|_| None)),
            (
                "a turned bit",
                run_faulty(|flit| {
                    Some(Flit {
                        data: flit.data ^ 1 << 9,
                        ..flit
                    })
                }),
            ),
            (
                "a moved tail",
                run_faulty(|flit| {
                    Some(Flit {
                        last: !flit.last,
                        ..flit
                    })
                }),
            ),
        ] {
            let error = error.expect_err(what);
            assert!(error.to_string().contains("seed 0x5eed"), "{what}: {error}");
        }
    }

    #[test]
    fn a_network_that_swallows_packets_is_stuck_and_they_are_named() {
        let config = config(2, 2, 0);
        let trace = Trace::parse("0 0 3 2\n1 1 3 1\n1 1 3 1\n", 4).unwrap();
        let plan = Plan {
            workload: Workload::Recorded(trace),
            ..plan(&config, Pattern::Uniform, 0.1, 1)
        };
        let mut device = Altered::new(GoldenMesh::new(&config), |flits| flits.fill(None));
        let error = run(&mut device, &config, &plan).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cycle 5002, seed 0x5eed: stuck, no flit moved for 5000 cycles; packets waiting to enter (terminal: packets): \
             none; under way (source -> destination: packets): 0 -> 3: 1, 1 -> 3: 2"
        );
    }

    #[test]
    fn a_plan_or_a_device_that_does_not_fit_is_refused() {
        let config = config(4, 4, 0);
        let good = plan(&config, Pattern::Uniform, 0.1, 1);
        let bad = Plan {
            stall: 1.0,
            ..good.clone()
        };
        let error = run(&mut GoldenMesh::new(&config), &config, &bad).unwrap_err();
        assert!(matches!(error, RunError::Plan(_)), "{error}");
        let other = Config {
            cols: 3,
            ..config.clone()
        };
        let error = run(&mut GoldenMesh::new(&other), &config, &good).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the device has 12 inputs and 12 outputs; the configuration has 16 terminals"
        );
    }
}
