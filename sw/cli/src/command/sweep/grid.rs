//! A file of a sweep, and the jobs that it comes to.

use super::{
    values::{check_count, values, vary, Faults},
    work::Work,
};
use crate::{config_args, failure, loads};
use anyhow::Context;
use portico_spec::{
    config::{did_you_mean, PROFILE_KEY},
    Config,
};
use portico_testbench::bench::report::{setting, BenchReport};
use serde_json::Value as Json;
use std::path::Path;
use toml::{Table, Value};

/// Key of a mesh by its sides, such as `8x4`: it sets these two.
const MESH_KEY: &str = "mesh";
const SIDES: [&str; 2] = ["cols", "rows"];

/// All jobs of a sweep.
#[derive(Debug)]
pub struct Grid {
    /// The block that all jobs simulate.
    pub block: &'static str,
    /// Keys of the configuration that the file names, and others of which the jobs have different values: a profile sets them, or what
    /// runs needs them.
    pub keys: Vec<String>,
    /// Keys of the configuration and of what runs of which the jobs have different values.
    pub varied: Vec<String>,
    /// In order: the last key of what runs varies fastest.
    pub jobs: Vec<Job>,
}

/// One simulation.
#[derive(Clone, Debug)]
pub struct Job {
    /// The block that is simulated.
    pub config: Config,
    /// The traffic, call or application that is simulated on the block.
    pub work: Work,
}

impl Grid {
    /// The grid of a file.
    ///
    /// # Errors
    /// The file cannot be read. A key or value is not allowed: the error has a line for each of them. Each key and value is allowed,
    /// but a combination is not: the error has the first one.
    pub fn read(file: &Path) -> anyhow::Result<Self> {
        let text = config_args::text(file)?;
        Grid::parse(&text).map_err(|Faults(faults)| {
            failure::faults(faults.iter().map(|fault| format!("{}: {fault}", file.display())))
        })
    }

    fn parse(text: &str) -> Result<Self, Faults> {
        let mut table: Table = text.parse().map_err(|error| syntax(text, &error))?;
        let mut faults = Faults::default();
        let named: Vec<&str> = Work::TABLES
            .into_iter()
            .filter(|&name| table.contains_key(name))
            .collect();
        let name = named.first().copied().unwrap_or(Work::TABLES[0]);
        let allowed = Work::TABLES.join(", ");
        // Which keys are allowed depends on the table.
        if let [one, other, ..] = named[..] {
            return Err(format!("tables {one} and {other}: allowed is one of {allowed}").into());
        }
        let config = faults.keep(section(&mut table, "config"));
        let configs = config.and_then(|config| faults.keep(configs(&config, name)));
        let work = faults.keep(section(&mut table, name));
        let works = work.and_then(|work| faults.keep(Work::all(name, &work)));
        for key in table.keys().filter(|key| !named.contains(&key.as_str())) {
            let hint = did_you_mean(key, Work::TABLES.into_iter().chain(["config"]));
            faults.0.push(format!(
                "unknown key {key}: {hint}allowed are the tables config and one of {allowed}"
            ));
        }
        let (Some((mut keys, configs)), Some(works), true) = (configs, works, faults.0.is_empty()) else {
            return Err(faults);
        };
        check_count(configs.len().saturating_mul(works.len()))?;
        let mut jobs = vec![];
        for config in &configs {
            config.validate().map_err(|error| format!("config: {error}"))?;
            for work in &works {
                jobs.push(Job {
                    config: work.on(config, &keys)?,
                    work: work.clone(),
                });
            }
        }
        // A grid may have many jobs, but they are made of fewer configurations and works; jobs of one configuration follow each other.
        let of_jobs = jobs.chunk_by(|one, other| one.config == other.config);
        let of_configs = differing(of_jobs.map(|jobs| jobs[0].config.entries()));
        for key in &of_configs {
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        let of_works = differing(works.iter().map(Work::entries));
        let varied = [of_configs, of_works].concat();
        Ok(Grid {
            block: Work::block(name),
            keys,
            varied,
            jobs,
        })
    }
}

/// The keys of which some of `all` have different values; each of them has the same keys.
fn differing<V: PartialEq>(mut all: impl Iterator<Item = Vec<(&'static str, V)>>) -> Vec<String> {
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

impl Job {
    /// The keys for which `is_wanted` holds, with their values.
    pub fn entries(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<(&'static str, Json)> {
        let config = self.config.entries().into_iter().filter(|(key, _)| is_wanted(key));
        let config = config.map(|(key, text)| (key, setting(text)));
        let work = self.work.entries().into_iter().filter(|(key, _)| is_wanted(key));
        config.chain(work).collect()
    }

    /// Those of `keys` with their values, such as `fifo 4, load 0.3`.
    pub fn named(&self, keys: &[&str]) -> String {
        let named = self.entries(|key| keys.contains(&key)).into_iter();
        let named: Vec<String> = named
            .map(|(key, value)| match value {
                Json::String(text) => format!("{key} {text}"),
                other => format!("{key} {other}"),
            })
            .collect();
        named.join(", ")
    }

    /// The keys of `varied` that are not in `without`, with their values: they name a line of a plot.
    pub fn named_without(&self, varied: &[String], without: &[&str]) -> String {
        let varied = varied.iter().map(String::as_str);
        let others: Vec<&str> = varied.filter(|key| !without.contains(key)).collect();
        match others.is_empty() {
            true => "all".to_owned(),
            false => self.named(&others),
        }
    }

    /// A figure of the job's report.
    ///
    /// # Errors
    /// The report has none of this name.
    pub fn figure(&self, report: &BenchReport, name: &str) -> anyhow::Result<f64> {
        let row = report.rows.iter().find(|row| row.name == name);
        let row = row.with_context(|| format!("a job has no figure `{name}`: remove it, and run it again"))?;
        Ok(row.value)
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

/// All combinations of the keys of the configuration, and the keys that they set; `work` is the table of what runs.
fn configs(table: &Table, work: &str) -> Result<(Vec<String>, Vec<Config>), Faults> {
    let allowed = Work::config_keys(work);
    let mut faults = Faults::default();
    let mut keys = vec![];
    let mut all: Vec<Vec<String>> = vec![vec![]];
    // The keys beside a profile are said of it.
    let (profile, others): (Vec<_>, Vec<_>) = table.iter().partition(|(key, _)| *key == PROFILE_KEY);
    for (key, value) in profile.into_iter().chain(others) {
        let given = faults.keep(values(&format!("config.{key}"), value)).unwrap_or_default();
        let settings: Vec<Vec<String>> = match key.as_str() {
            MESH_KEY => {
                if let Some(side) = SIDES.iter().find(|side| table.contains_key(**side)) {
                    faults.0.push(format!(
                        "config.{side} beside config.{MESH_KEY}: allowed is one of the two"
                    ));
                }
                keys.extend(SIDES.map(str::to_owned));
                given.iter().filter_map(|value| faults.keep(sides(value))).collect()
            }
            own if allowed.contains(&own) => {
                keys.push(own.to_owned());
                given.iter().map(|value| vec![format!("{key}={value}")]).collect()
            }
            _ => {
                let block = Work::block(work);
                let hint = did_you_mean(key, allowed.iter().copied().chain([MESH_KEY]));
                let allowed = allowed.join(", ");
                faults.0.push(format!(
                    "config.{key} does not shape the {block}: {hint}allowed are {MESH_KEY}, {allowed}"
                ));
                vec![]
            }
        };
        for setting in settings.iter().flatten() {
            faults.keep(set(&mut Config::default(), setting));
        }
        all = vary(all, &settings, |all, settings| all.extend(settings.iter().cloned()))?;
    }
    faults.check()?;
    let configs = all.iter().map(|settings| {
        let mut config = Config::default();
        settings
            .iter()
            .try_for_each(|setting| set(&mut config, setting))
            .map(|()| config)
    });
    Ok((keys, configs.collect::<Result<_, String>>()?))
}

/// Applies a setting of the table `config`.
fn set(config: &mut Config, setting: &str) -> Result<(), String> {
    config.set(setting).map_err(|error| format!("config: {error}"))
}

/// The settings of a mesh by its sides.
fn sides(value: &Value) -> Result<Vec<String>, String> {
    let text = value.as_str().unwrap_or_default();
    let (cols, rows) = loads::mesh(text).map_err(|reason| format!("config.{MESH_KEY} = {value}: {reason}"))?;
    Ok(SIDES
        .into_iter()
        .zip([cols, rows])
        .map(|(key, side)| format!("{key}={side}"))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::sim::TrafficArgs;
    use portico_testbench::bench::report::{Better, Row};

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
        let traffic = |job: &Job| match &job.work {
            Work::Traffic(traffic) => traffic.clone(),
            other => panic!("{other:?}"),
        };
        let of = |index: usize| {
            let (config, traffic) = (&grid.jobs[index].config, traffic(&grid.jobs[index]));
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
            .all(|job| traffic(job).cycles == 500 && job.config.rows == 2));
        // Nothing said is one job: that of `portico sim mesh`.
        let plain = Grid::parse("").unwrap();
        assert_eq!((plain.jobs.len(), plain.varied.len()), (1, 0));
        assert_eq!(traffic(&plain.jobs[0]).arguments(), TrafficArgs::default().arguments());
    }

    /// Columns, rows and the named keys of each job.
    fn named(text: &str, keys: &[&str]) -> Vec<String> {
        let grid = Grid::parse(text).unwrap();
        let keys = [&["cols", "rows"], keys].concat();
        grid.jobs.iter().map(|job| job.named(&keys)).collect()
    }

    #[test]
    fn a_barrier_has_no_words_and_a_mesh_has_two_sides() {
        let text = "
            [config]
            mesh = [\"2x2\", \"3x1\"]
            [collective]
            call = [\"barrier\", \"reduce\"]
            words = [8, 1]
            calls = 3";
        let jobs = |mesh: &str| {
            ["barrier, words 0", "reduce, words 8", "reduce, words 1"].map(|call| format!("{mesh}, call {call}"))
        };
        let all = [jobs("cols 2, rows 2"), jobs("cols 3, rows 1")].concat();
        assert_eq!(named(text, &["call", "words"]), all);
        let grid = Grid::parse(text).unwrap();
        assert_eq!(
            (&grid.keys[..], &grid.varied[..]),
            (
                &["cols".to_owned(), "rows".into()][..],
                &["cols", "rows", "call", "words"].map(str::to_owned)[..]
            )
        );
        // An application with engines beside one without.
        let mixed = Grid::parse("[run]\napplication = [\"halo\", \"allreduce\"]").unwrap();
        assert_eq!(
            (&mixed.keys[..], &mixed.varied[..]),
            (&["mpe".to_owned()][..], &["mpe".to_owned(), "application".into()][..])
        );
        // The engine that a call needs, and the host of a fabric.
        assert_eq!(
            grid.jobs[0].named(&["mpe", "edge_nodes", "calls", "seed"]),
            "edge_nodes 1, mpe 1, calls 3, seed 1"
        );
        let plain = named("[collective]", &["call", "tree", "words", "calls"]);
        assert_eq!(plain, ["cols 4, rows 4, call allreduce, tree quad, words 1, calls 10"]);
    }

    #[test]
    fn calls_are_plotted_against_words_where_these_vary_or_else_against_tiles() {
        let report = || BenchReport {
            rows: vec![Row::new("sweep", "cycles, mean", "cycles", Better::Less, 30.0)],
            ..BenchReport::default()
        };
        let plot = |grid: Grid| {
            let jobs: Vec<_> = grid.jobs.iter().map(|job| (job, report())).collect();
            Work::plot(&jobs, &grid.varied).unwrap().unwrap()
        };
        let axes = |svg: &str| ["tiles", "words"].map(|x| svg.matches(&format!("\n{x}\n")).count());
        // Its barriers have no words, its other calls 16.
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sizes.toml");
        let sizes = plot(Grid::read(&example).unwrap());
        assert_eq!(axes(&sizes), [4, 0]);
        assert!(sizes.contains("\nreduce\n") && !sizes.contains("reduce, 2x2"));
        let text = "
            [config]
            mesh = [\"2x2\", \"3x1\"]
            [collective]
            call = [\"barrier\", \"reduce\"]
            words = [8, 1]";
        let both = plot(Grid::parse(text).unwrap());
        assert_eq!(axes(&both), [1, 2]);
        assert!(both.contains("reduce, 2x2") && both.contains("reduce, 3x1"));
    }

    #[test]
    fn keys_beside_a_profile_are_said_of_it() {
        let text = "
            [config]
            cores = [2, 4]
            profile = [\"full\", \"leaf\"]
            [run]
            application = \"allreduce\"";
        let jobs = named(text, &["cores", "windows", "mpe", "application"]);
        assert_eq!(
            jobs,
            [
                "cores 2, windows 256",
                "cores 4, windows 256",
                "cores 2, windows 16",
                "cores 4, windows 16"
            ]
            .map(|job| format!("cols 4, rows 4, {job}, mpe 1, application allreduce"))
        );
        let grid = Grid::parse(text).unwrap();
        assert!(grid.keys.contains(&"windows".to_owned()) && grid.varied.contains(&"cores".to_owned()));
    }

    #[test]
    fn what_is_not_allowed_is_told_with_its_key() {
        for (text, reason) in [
            (
                "[traffic]\n[collective]",
                "tables traffic and collective: allowed is one of traffic, collective, run",
            ),
            (
                "[config]\nmesh = \"4\"",
                "config.mesh = \"4\": allowed is COLSxROWS, such as 8x4",
            ),
            (
                "[config]\nmesh = \"2x2\"\nrows = 3",
                "config.rows beside config.mesh: allowed is one of the two",
            ),
            (
                "[config]\nmesh = \"2x99\"",
                "config: rows = 99 is not allowed: allowed is 1..=16",
            ),
            (
                "[config]\nedge_nodes = 1\n[collective]",
                "config.edge_nodes does not shape the fabric: allowed are mesh, cols, ",
            ),
            (
                "[config]\nmpe = 0\n[collective]",
                "collective: calls are measured with mpe, which the configuration leaves out",
            ),
            (
                "[config]\nprofile = \"leaf\"\n[collective]",
                "collective: calls are measured with monitors, which",
            ),
            (
                "[config]\nprofile = \"leaf\"\nmonitors = true\ncommands = true\nscratchpad = 16\n[collective]",
                "config.segments = 16: calls on 17 nodes are measured with 35 or more",
            ),
            (
                "[config]\nmesh = \"1x1\"\n[collective]",
                "collective: a fabric of one tile cannot be measured",
            ),
            (
                "[config]\nmpe_neighbours = 3\n[collective]\ntree = \"mapped\"",
                "collective: mapped tree: tile 5 needs 4 neighbours",
            ),
            (
                "[collective]\ncall = \"gather\"",
                "collective.call = \"gather\": allowed are barrier, broadcast, reduce, allreduce",
            ),
            (
                "[collective]\ntree = 3",
                "collective.tree = 3: allowed are linear, binomial, mapped, quad, star",
            ),
            (
                "[collective]\nwords = 0",
                "collective.words = 0: allowed is an integer from 1 to 65536",
            ),
            (
                "[collective]\nwords = 4097",
                "collective.words = 4097 with scratchpad = 64: so many words need 128 or more",
            ),
            (
                "[collective]\nload = 1",
                "unknown key collective.load: allowed are call, tree, words, calls, seed",
            ),
            ("[run]", "run.application is missing: allowed are halo, transpose, "),
            (
                "[run]\napplication = \"traffic\"",
                "run.application = \"traffic\": allowed are halo, transpose, ",
            ),
            ("[config]\nwidth = 64\n[run]\napplication = \"allreduce\"", "config: "),
            ("[config\n", "line 1: "),
            (
                "cols = 2",
                "unknown key cols: allowed are the tables config and one of traffic, collective, run",
            ),
            ("config = 2", "config = 2: allowed is a table, [config]"),
            (
                "[config]\ncores = 2",
                "config.cores does not shape the mesh: allowed are mesh, cols, rows, width, fifo, edge_nodes, monitors",
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
            let Faults(faults) = Grid::parse(text).unwrap_err();
            assert!(faults.len() == 1 && faults[0].starts_with(reason), "{text}: {faults:?}");
        }
    }

    #[test]
    fn every_fault_of_a_file_is_told_with_the_key_that_was_meant() {
        let text = "
            [config]
            colls = 4
            fifo = [1, 2, 17]
            rows = []
            [traffic]
            seeds = 1
            packet = [0, 1]
            pattern = \"storm\"
            [trafic]";
        let Faults(faults) = Grid::parse(text).unwrap_err();
        let told = [
            "config.colls does not shape the mesh: did you mean cols? allowed are mesh, cols, ",
            "config: fifo = 1 is not allowed: allowed is 2..=16",
            "config: fifo = 17 is not allowed: allowed is 2..=16",
            "config.rows = []: allowed is a value, or a list of one or more",
            "unknown key traffic.seeds: did you mean seed? allowed are pattern, packet, ",
            "traffic.pattern: traffic `storm` is not known; allowed are uniform, ",
            "traffic.packet = 0: allowed is an integer from 1 to 65",
            "unknown key trafic: did you mean traffic? allowed are the tables config and one of traffic, ",
        ];
        assert_eq!(faults.len(), told.len(), "{faults:?}");
        for (fault, told) in faults.iter().zip(told) {
            assert!(fault.starts_with(told), "{fault}");
        }
    }
}
