//! Packets over a mesh: the table `traffic` of a file.

use super::super::{
    grid::Job,
    values::{vary, Faults, Section},
};
use crate::{
    command::sim::{simulate, TrafficArgs, MAX_CYCLES},
    loads::{self, Loads},
    plot::{self, Simulated},
};
use indicatif::ProgressBar;
use portico_sim::Library;
use portico_spec::Config;
use portico_testbench::{
    bench::report::BenchReport,
    traffic::{Pattern, MAX_PACKET_FLITS},
};
use serde_json::Value as Json;
use toml::{Table, Value};

use super::Work;

/// Keys of the table.
const KEYS: [&str; 6] = ["pattern", "packet", "load", "cycles", "warmup", "seed"];
/// Keys that a plot has in its axes and panels; a line is named by the others that vary.
const IN_PANELS: [&str; 6] = ["cols", "rows", "pattern", "packet", "load", "seed"];

/// All combinations of the keys of the table; the seed varies fastest.
///
/// # Errors
/// Keys or values are not allowed, or there are too many.
pub fn all(table: &Table) -> Result<Vec<TrafficArgs>, Faults> {
    let mut section = Section::new("traffic", table, &KEYS);
    let patterns = section.read("pattern", pattern);
    let packets = section.numbers("packet", 1, MAX_PACKET_FLITS as u64);
    let loads = loads::rising(section.read("load", load));
    let cycles = section.numbers("cycles", 1, MAX_CYCLES);
    let warmups = section.numbers("warmup", 0, MAX_CYCLES);
    let seeds = section.numbers("seed", 0, i64::MAX as u64);
    section.check()?;

    let all = vec![TrafficArgs::default()];
    let all = vary(all, &patterns, |traffic, &pattern| traffic.traffic = pattern)?;
    let all = vary(all, &packets, |traffic, &packet| traffic.packet = packet as usize)?;
    let all = vary(all, &loads, |traffic, &load| traffic.rate = load)?;
    let all = vary(all, &cycles, |traffic, &cycles| traffic.cycles = cycles)?;
    let all = vary(all, &warmups, |traffic, &warmup| traffic.warmup = warmup)?;
    Ok(vary(all, &seeds, |traffic, &seed| traffic.seed = seed)?)
}

fn pattern(name: &str, value: &Value) -> Result<Pattern, String> {
    match value {
        Value::String(text) => text.parse().map_err(|error| format!("{name}: {error}")),
        other => Err(format!("{name} = {other}: allowed are {}", Pattern::names())),
    }
}

fn load(name: &str, value: &Value) -> Result<Loads, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    loads::loads(&text).map_err(|reason| format!("{name} = {value}: {reason}"))
}

/// The keys with their values.
pub fn entries(traffic: &TrafficArgs) -> Vec<(&'static str, Json)> {
    let values: [Json; KEYS.len()] = [
        traffic.traffic.to_string().into(),
        traffic.packet.into(),
        traffic.rate.into(),
        traffic.cycles.into(),
        traffic.warmup.into(),
        traffic.seed.into(),
    ];
    KEYS.into_iter().zip(values).collect()
}

/// Sends the packets over the mesh of `config`.
///
/// # Errors
/// The mesh did something wrong.
pub fn run(traffic: &TrafficArgs, library: &Library, config: &Config) -> anyhow::Result<BenchReport> {
    let plan = traffic.plan(config)?;
    simulate(library, config, traffic, &plan, &ProgressBar::hidden(), None)?.bench_report()
}

/// Latency and accepted load against offered load; nothing if the load does not vary.
///
/// # Errors
/// A job has no such figure, or plotting fails.
pub fn plot(jobs: &[(&Job, BenchReport)], varied: &[String]) -> anyhow::Result<Option<String>> {
    if !varied.iter().any(|key| key == "load") {
        return Ok(None);
    }
    let simulated = jobs.iter().map(|(job, report)| {
        let Work::Traffic(traffic) = &job.work else {
            unreachable!("all jobs of a sweep run the same")
        };
        let figure = |name: &str| job.figure(report, name);
        Ok(Simulated {
            config: job.config.clone(),
            pattern: traffic.traffic,
            packet: traffic.packet,
            line: job.named_without(varied, &IN_PANELS),
            load: traffic.rate,
            latency: figure("latency, mean")?,
            accepted: figure("accepted load")?,
            is_steady: figure("packets before the latency is steady")? < figure("packets measured")?,
        })
    });
    plot::sweep(&simulated.collect::<anyhow::Result<Vec<_>>>()?).map(Some)
}
