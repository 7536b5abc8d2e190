//! The traffic that a simulation is asked for.

use crate::{failure::not_allowed, loads::pattern_parser};
use clap::Args;
use portico_spec::Config;
use portico_testbench::traffic::{
    plan::{Drain, Plan},
    Pattern, Trace, TraceError, Workload,
};
use std::path::PathBuf;

/// Most cycles of a simulation: years of them.
pub const MAX_CYCLES: u64 = 1_000_000_000_000;

/// Who sends how much to whom, for how long, and what stands in the way.
#[derive(Args, Clone, Debug)]
pub struct TrafficArgs {
    /// Traffic pattern
    #[arg(long, value_name = "PATTERN", default_value_t = TrafficArgs::default().traffic, value_parser = pattern_parser())]
    pub traffic: Pattern,
    /// Offered load in flits per sending terminal and cycle, above 0 and at most 1
    #[arg(long, default_value_t = TrafficArgs::default().rate)]
    pub rate: f64,
    /// Flits of every packet, with its head
    #[arg(long, value_name = "FLITS", default_value_t = TrafficArgs::default().packet)]
    pub packet: usize,
    /// Cycles that are measured
    #[arg(long, default_value_t = TrafficArgs::default().cycles, value_parser = clap::value_parser!(u64).range(1..=MAX_CYCLES))]
    pub cycles: u64,
    /// Cycles before those that are measured
    #[arg(long, value_name = "CYCLES", default_value_t = TrafficArgs::default().warmup, value_parser = clap::value_parser!(u64).range(..=MAX_CYCLES))]
    pub warmup: u64,
    /// Decides all that is random: the same seed, the same run
    #[arg(long, default_value_t = TrafficArgs::default().seed)]
    pub seed: u64,
    /// Probability that a terminal takes no flit in a cycle
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.0, value_parser = probability)]
    pub backpressure: f64,
    /// Probability that a terminal pauses in a cycle before it offers its next flit
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.0, value_parser = probability)]
    pub idle: f64,
    /// Recorded traffic to play instead, whole
    #[arg(long, value_name = "FILE", conflicts_with_all = ["traffic", "rate", "packet", "cycles", "warmup"])]
    pub trace: Option<PathBuf>,
}

fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..1.0).contains(number));
    number.ok_or_else(|| "allowed is 0 to below 1".into())
}

impl Default for TrafficArgs {
    /// Uniform traffic of short packets below saturation.
    fn default() -> Self {
        Self {
            traffic: Pattern::Uniform,
            rate: 0.3,
            packet: 4,
            cycles: 10_000,
            warmup: 1_000,
            seed: 1,
            backpressure: 0.0,
            idle: 0.0,
            trace: None,
        }
    }
}

impl TrafficArgs {
    /// The run on a mesh of `config`. Random traffic leaves behind what has not entered the network at the end: there is
    /// no end to it beyond saturation.
    ///
    /// # Errors
    /// The mesh has no such traffic, or the file of recorded traffic cannot be read.
    pub fn plan(&self, config: &Config) -> anyhow::Result<Plan> {
        let (workload, drain) = match &self.trace {
            Some(file) => {
                let trace = Trace::read(file, config.terminals()).map_err(|error| match error {
                    TraceError::Line { .. } => not_allowed(format!("{}: {error}", file.display())),
                    TraceError::Unreadable { .. } => error.into(),
                })?;
                (Workload::Recorded(trace), Drain::Everything)
            }
            None => {
                let destinations = self.traffic.on_mesh(config.cols, config.rows, config.edge_nodes);
                let workload = Workload::random(destinations.map_err(not_allowed)?, self.rate, self.packet);
                (workload.map_err(not_allowed)?, Drain::Network)
            }
        };
        let plan = Plan {
            stall: self.backpressure,
            idle: self.idle,
            drain,
            ..Plan::new(workload, self.warmup, self.cycles, self.seed)
        };
        plan.check().map_err(not_allowed)?;
        Ok(plan)
    }

    /// Keys and values that say what this traffic is, as on a command line.
    pub fn entries(&self) -> Vec<(&'static str, String)> {
        let mut entries = match &self.trace {
            Some(file) => vec![("trace", file.display().to_string())],
            None => vec![
                ("traffic", self.traffic.to_string()),
                ("rate", self.rate.to_string()),
                ("packet", self.packet.to_string()),
                ("cycles", self.cycles.to_string()),
                ("warmup", self.warmup.to_string()),
            ],
        };
        entries.push(("seed", self.seed.to_string()));
        let obstacles = [("backpressure", self.backpressure), ("idle", self.idle)];
        let obstacles = obstacles.into_iter().filter(|(_, probability)| *probability > 0.0);
        entries.extend(obstacles.map(|(key, probability)| (key, probability.to_string())));
        entries
    }

    /// The arguments that ask for this traffic.
    pub fn arguments(&self) -> String {
        let entries = self.entries().into_iter();
        entries
            .map(|(key, value)| format!(" --{key} {}", quoted(&value)))
            .collect()
    }
}

/// A word of a command line, for a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./".contains(c);
    match word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
#[derive(clap::Parser)]
struct Wrapper {
    #[command(flatten)]
    traffic: TrafficArgs,
}

#[cfg(test)]
impl Wrapper {
    fn of(arguments: &str) -> Self {
        use clap::Parser;
        Wrapper::parse_from(std::iter::once("sim").chain(arguments.split_whitespace()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_replay_the_traffic() {
        for arguments in [
            "--traffic tornado --rate 0.25 --packet 33 --cycles 7 --warmup 0 --seed 18446744073709551615",
            "--backpressure 0.5 --idle 0.125",
            "--trace some/trace.txt --seed 4 --idle 0.5",
        ] {
            let traffic = Wrapper::of(arguments).traffic;
            let again = Wrapper::of(&traffic.arguments()).traffic;
            assert_eq!(format!("{traffic:?}"), format!("{again:?}"));
            for argument in arguments.split_whitespace() {
                assert!(traffic.arguments().contains(argument), "{argument}");
            }
        }
    }

    #[test]
    fn a_name_with_a_blank_is_quoted() {
        assert_eq!(quoted("a/b-c.txt"), "a/b-c.txt");
        assert_eq!(quoted("it's mine"), r"'it'\''s mine'");
    }

    #[test]
    fn what_the_mesh_cannot_have_is_not_allowed() {
        let config = Config {
            cols: 3,
            ..Config::default()
        };
        for (arguments, message) in [
            (
                "--traffic transpose",
                "traffic `transpose` needs a square mesh of 2x2 or more; the mesh is 3x4",
            ),
            (
                "--rate 1.5",
                "rate 1.5: allowed is more than 0, at most 1 flit per terminal and cycle",
            ),
            ("--packet 66", "packet 66: allowed is 1 to 65 flits"),
        ] {
            let error = Wrapper::of(arguments).traffic.plan(&config).unwrap_err();
            assert_eq!(error.to_string(), message);
            assert_eq!(crate::failure::status(&error), std::process::ExitCode::from(2));
        }
    }
}
