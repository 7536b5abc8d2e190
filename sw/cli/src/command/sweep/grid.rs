//! A file of a sweep, and the jobs that it comes to.

use crate::{
    command::sim::{TrafficArgs, MAX_CYCLES},
    config_args,
    design::block,
    failure::not_allowed,
    loads::{self, Loads},
};
use portico_spec::Config;
use portico_testbench::traffic::{Pattern, MAX_PACKET_FLITS};
use std::path::Path;
use toml::{Table, Value};

/// Most jobs of a sweep.
const MOST_JOBS: usize = 100_000;

/// All jobs of a sweep.
#[derive(Debug)]
pub struct Grid {
    /// Keys of the configuration that the file names.
    pub keys: Vec<String>,
    /// Keys of the configuration and of the traffic of which the jobs have different values.
    pub varied: Vec<String>,
    /// In order: the seed varies fastest.
    pub jobs: Vec<Job>,
}

/// One simulation.
#[derive(Clone, Debug)]
pub struct Job {
    /// The mesh.
    pub config: Config,
    /// What it carries.
    pub traffic: TrafficArgs,
}

impl Grid {
    /// The grid of a file.
    ///
    /// # Errors
    /// The file cannot be read, or names what is not allowed.
    pub fn read(file: &Path) -> anyhow::Result<Self> {
        let text = config_args::text(file)?;
        Grid::parse(&text).map_err(|reason| not_allowed(format!("{}: {reason}", file.display())))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut table: Table = text.parse().map_err(|error| syntax(text, &error))?;
        let config = section(&mut table, "config")?;
        let traffic = section(&mut table, "traffic")?;
        if let Some(key) = table.keys().next() {
            return Err(format!("unknown key {key}: allowed are the tables config and traffic"));
        }
        let meshes = meshes(&config)?;
        let traffics = traffics(&traffic)?;
        check_count(meshes.len().saturating_mul(traffics.len()))?;
        let mut jobs = vec![];
        for config in &meshes {
            config.validate().map_err(|error| format!("config: {error}"))?;
            for traffic in &traffics {
                traffic.plan(config).map_err(|error| format!("traffic: {error}"))?;
                jobs.push(Job {
                    config: config.clone(),
                    traffic: traffic.clone(),
                });
            }
        }
        let keys = config.keys().cloned().collect();
        // A grid may have many jobs, but they are made of fewer meshes and traffics.
        let mut varied = differing(meshes.iter().map(Config::entries));
        varied.extend(differing(traffics.iter().map(traffic_entries)));
        Ok(Grid { keys, varied, jobs })
    }
}

/// The keys of which some of `all` have different values; each of them has the same keys.
fn differing(mut all: impl Iterator<Item = Vec<(&'static str, String)>>) -> Vec<String> {
    let first = all.next().unwrap_or_default();
    let mut differs = vec![false; first.len()];
    for entries in all {
        for (at, entry) in entries.iter().enumerate() {
            differs[at] |= *entry != first[at];
        }
    }
    let keys = first.into_iter().zip(differs);
    keys.filter_map(|((key, _), differs)| differs.then(|| key.to_owned()))
        .collect()
}

/// The keys of a traffic with their values, as in a file.
fn traffic_entries(traffic: &TrafficArgs) -> Vec<(&'static str, String)> {
    vec![
        ("pattern", traffic.traffic.to_string()),
        ("packet", traffic.packet.to_string()),
        ("load", traffic.rate.to_string()),
        ("cycles", traffic.cycles.to_string()),
        ("warmup", traffic.warmup.to_string()),
        ("seed", traffic.seed.to_string()),
    ]
}

impl Job {
    /// Those of `keys` with their values, such as `fifo 4, load 0.3`.
    pub fn named(&self, keys: &[&str]) -> String {
        let entries = self.config.entries().into_iter().chain(traffic_entries(&self.traffic));
        let named = entries.filter(|(key, _)| keys.contains(key));
        let named: Vec<String> = named.map(|(key, value)| format!("{key} {value}")).collect();
        named.join(", ")
    }
}

fn syntax(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().map_or("", |span| &text[..span.start]);
    let line = before.matches('\n').count() + 1;
    let message = error.message().lines().next().unwrap_or("not TOML");
    format!("line {line}: {message}")
}

/// Takes a table out of the file; an empty one if it is not there.
fn section(file: &mut Table, name: &str) -> Result<Table, String> {
    match file.remove(name) {
        None => Ok(Table::new()),
        Some(Value::Table(table)) => Ok(table),
        Some(other) => Err(format!("{name} = {other}: allowed is a table, [{name}]")),
    }
}

/// The values of a key: its one value, or those of its list.
fn values<'a>(key: &str, value: &'a Value) -> Result<Vec<&'a Value>, String> {
    let values: Vec<&Value> = match value {
        Value::Array(list) => list.iter().collect(),
        one => vec![one],
    };
    if values.is_empty() {
        return Err(format!("{key} = []: allowed is a value, or a list of one or more"));
    }
    for (at, value) in values.iter().enumerate() {
        if values[..at].contains(value) {
            return Err(format!("{key} has {value} twice: allowed is each value once"));
        }
    }
    Ok(values)
}

fn check_count(jobs: usize) -> Result<(), String> {
    match jobs <= MOST_JOBS {
        true => Ok(()),
        false => Err(format!(
            "the grid has {jobs} jobs or more: allowed is at most {MOST_JOBS}"
        )),
    }
}

/// Each of `items` with each of `values`, which vary faster; without values, the items as they are.
fn vary<T: Clone, V>(
    items: Vec<T>,
    values: &[V],
    set: impl Fn(&mut T, &V) -> Result<(), String>,
) -> Result<Vec<T>, String> {
    if values.is_empty() {
        return Ok(items);
    }
    check_count(items.len().saturating_mul(values.len()))?;
    let pairs = items
        .iter()
        .flat_map(|item| values.iter().map(move |value| (item, value)));
    let varied = pairs.map(|(item, value)| {
        let mut item = item.clone();
        set(&mut item, value).map(|()| item)
    });
    varied.collect()
}

/// All combinations of the keys of the mesh.
fn meshes(table: &Table) -> Result<Vec<Config>, String> {
    let allowed = block("mesh").keys;
    let mut meshes = vec![Config::default()];
    for (key, value) in table {
        if !allowed.contains(&key.as_str()) {
            let allowed = allowed.join(", ");
            return Err(format!("config.{key} does not shape the mesh: allowed are {allowed}"));
        }
        let values = values(&format!("config.{key}"), value)?;
        meshes = vary(meshes, &values, |config, value| {
            let set = config.set(&format!("{key}={value}"));
            set.map_err(|error| format!("config: {error}"))
        })?;
    }
    Ok(meshes)
}

/// All combinations of the keys of the traffic.
fn traffics(table: &Table) -> Result<Vec<TrafficArgs>, String> {
    const KEYS: [&str; 6] = ["pattern", "packet", "load", "cycles", "warmup", "seed"];
    if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("unknown key traffic.{key}: allowed are {}", KEYS.join(", ")));
    }
    let patterns = read(table, "pattern", pattern)?;
    let packets = read(table, "packet", |name, value| {
        number(name, value, 1, MAX_PACKET_FLITS as u64)
    })?;
    let loads = loads::rising(read(table, "load", load)?);
    let cycles = read(table, "cycles", |name, value| number(name, value, 1, MAX_CYCLES))?;
    let warmups = read(table, "warmup", |name, value| number(name, value, 0, MAX_CYCLES))?;
    let seeds = read(table, "seed", |name, value| number(name, value, 0, i64::MAX as u64))?;

    let all = vec![TrafficArgs::default()];
    let all = vary(all, &patterns, |traffic, &pattern| set(&mut traffic.traffic, pattern))?;
    let all = vary(all, &packets, |traffic, &packet| {
        set(&mut traffic.packet, packet as usize)
    })?;
    let all = vary(all, &loads, |traffic, &load| set(&mut traffic.rate, load))?;
    let all = vary(all, &cycles, |traffic, &cycles| set(&mut traffic.cycles, cycles))?;
    let all = vary(all, &warmups, |traffic, &warmup| set(&mut traffic.warmup, warmup))?;
    vary(all, &seeds, |traffic, &seed| set(&mut traffic.seed, seed))
}

fn set<T>(place: &mut T, value: T) -> Result<(), String> {
    *place = value;
    Ok(())
}

/// The values of a key of the traffic; none if it is not there.
fn read<T>(table: &Table, key: &str, one: impl Fn(&str, &Value) -> Result<T, String>) -> Result<Vec<T>, String> {
    let name = format!("traffic.{key}");
    let given = table.get(key).map_or(Ok(vec![]), |value| values(&name, value))?;
    given.into_iter().map(|value| one(&name, value)).collect()
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

fn number(name: &str, value: &Value, least: u64, most: u64) -> Result<u64, String> {
    let number = value.as_integer().and_then(|number| u64::try_from(number).ok());
    let number = number.filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("{name} = {value}: allowed is an integer from {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_all_combinations_and_the_seed_varies_fastest() {
        let text = "
            [config]
            cols = [2, 3]
            rows = 2
            [traffic]
            pattern = [\"uniform\", \"neighbour\"]
            load = [0.5, \"0.1:0.2:0.1\"]
            seed = [1, 7]
            cycles = 500";
        let grid = Grid::parse(text).unwrap();
        assert_eq!(grid.keys, ["cols", "rows"]);
        assert_eq!(grid.varied, ["cols", "pattern", "load", "seed"]);
        assert_eq!(
            grid.jobs[6].named(&["seed", "rows", "pattern"]),
            "rows 2, pattern neighbour, seed 1"
        );
        assert_eq!(grid.jobs.len(), 2 * 2 * 3 * 2);
        let of = |index: usize| {
            let Job { config, traffic } = &grid.jobs[index];
            (config.cols, traffic.traffic.name(), traffic.rate, traffic.seed)
        };
        assert_eq!(of(0), (2, "uniform", 0.1, 1));
        assert_eq!(of(1), (2, "uniform", 0.1, 7));
        assert_eq!(of(2), (2, "uniform", 0.2, 1));
        assert_eq!(of(6), (2, "neighbour", 0.1, 1));
        assert_eq!(of(23), (3, "neighbour", 0.5, 7));
        assert!(grid
            .jobs
            .iter()
            .all(|job| job.traffic.cycles == 500 && job.config.rows == 2));
        // Nothing said is one job: that of `portico sim mesh`.
        let plain = Grid::parse("").unwrap();
        assert_eq!((plain.jobs.len(), plain.varied.len()), (1, 0));
        assert_eq!(plain.jobs[0].traffic.arguments(), TrafficArgs::default().arguments());
    }

    #[test]
    fn what_is_not_allowed_is_told_with_its_key() {
        for (text, reason) in [
            ("[config\n", "line 1: "),
            (
                "cols = 2",
                "unknown key cols: allowed are the tables config and traffic",
            ),
            ("config = 2", "config = 2: allowed is a table, [config]"),
            (
                "[config]\ncores = 2",
                "config.cores does not shape the mesh: allowed are cols, rows, width, fifo, edge_nodes, monitors",
            ),
            (
                "[config]\ncols = [2, 17]",
                "config: cols = 17 is not allowed: allowed is 1..=16",
            ),
            (
                "[config]\ncols = []",
                "config.cols = []: allowed is a value, or a list of one or more",
            ),
            (
                "[config]\ncols = [2, 2]",
                "config.cols has 2 twice: allowed is each value once",
            ),
            (
                "[config]\ncols = 2\nedge_nodes = 3",
                "config: edge_nodes = 3 is not allowed with cols = 2: allowed is 0..=2",
            ),
            (
                "[traffic]\nrate = 1",
                "unknown key traffic.rate: allowed are pattern, packet, load, cycles, warmup, seed",
            ),
            (
                "[traffic]\nload = 1.5",
                "traffic.load = 1.5: allowed is above 0, at most 1",
            ),
            (
                "[traffic]\npacket = 66",
                "traffic.packet = 66: allowed is an integer from 1 to 65",
            ),
            (
                "[traffic]\nseed = -1",
                "traffic.seed = -1: allowed is an integer from 0 to 9223372036854775807",
            ),
            (
                "[traffic]\npattern = \"storm\"",
                "traffic.pattern: traffic `storm` is not known; allowed are uniform, ",
            ),
            (
                "[config]\ncols = 3\n[traffic]\npattern = \"transpose\"",
                "traffic: traffic `transpose` needs a square mesh of 2x2 or more; the mesh is 3x4",
            ),
            (
                "[traffic]\nload = \"0.001:1:0.001\"\nseed = [1, 2]\nwarmup = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n\
                 cycles = [1, 2, 3, 4, 5, 6]",
                "the grid has 120000 jobs or more: allowed is at most 100000",
            ),
        ] {
            let error = Grid::parse(text).unwrap_err();
            assert!(error.starts_with(reason), "{text}: {error}");
        }
    }
}
