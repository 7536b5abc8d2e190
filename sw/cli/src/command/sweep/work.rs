//! What the jobs of a sweep run: a table of the file each.

pub mod application;
pub mod collective;
pub mod traffic;

use super::grid::Job;
use crate::{
    command::sim::TrafficArgs,
    config_args::FABRIC_DECIDES,
    design::{block, VERSION},
    plot,
};
use application::Application;
use collective::Collective;
use portico_sim::Library;
use portico_spec::Config;
use portico_synth::Tool;
use portico_testbench::bench::report::{BenchReport, Row};
use serde_json::Value;
use toml::Table;

/// The figures of a fabric, with the version of each tool that has a part in them.
///
/// # Errors
/// A tool is missing.
fn report(rows: Vec<Row>) -> anyhow::Result<BenchReport> {
    let verilator = portico_synth::locate(Tool::Verilator)?;
    let tools = [("portico", VERSION.to_owned()), ("verilator", verilator.version)];
    Ok(BenchReport {
        tools: tools.map(|(name, version)| (name.to_owned(), version)).into(),
        rows,
        ..BenchReport::default()
    })
}

/// What a job runs.
#[derive(Clone, Debug)]
pub enum Work {
    /// Packets over a mesh, as `portico sim mesh` sends them.
    Traffic(TrafficArgs),
    /// A call of the message-passing engines of a fabric, several times.
    Collective(Collective),
    /// An application on a fabric, as `portico run` runs it.
    Application(Application),
}

impl Work {
    /// The tables of a file, of which it has one at most; the first stands for a file without any.
    pub const TABLES: [&'static str; 3] = ["traffic", "collective", "run"];

    /// All combinations of the keys of the table `name`.
    ///
    /// # Errors
    /// A key or a value is not allowed.
    pub fn all(name: &str, table: &Table) -> Result<Vec<Work>, String> {
        Ok(match name {
            "collective" => collective::all(table)?.into_iter().map(Work::Collective).collect(),
            "run" => application::all(table)?.into_iter().map(Work::Application).collect(),
            _ => traffic::all(table)?.into_iter().map(Work::Traffic).collect(),
        })
    }

    /// The block that it runs on.
    pub fn block(&self) -> &'static str {
        match self {
            Work::Traffic(_) => "mesh",
            Work::Collective(_) | Work::Application(_) => "fabric",
        }
    }

    /// Keys of the configuration that shape this block, and that the block does not decide itself.
    pub fn config_keys(&self) -> Vec<&'static str> {
        let keys = block(self.block()).keys.iter().copied();
        match self {
            Work::Traffic(_) => keys.collect(),
            Work::Collective(_) | Work::Application(_) => keys.filter(|key| !FABRIC_DECIDES.contains(key)).collect(),
        }
    }

    /// The configuration with the engines that it needs; `named` are the keys that the file names.
    ///
    /// # Errors
    /// It cannot run with this configuration.
    pub fn on(&self, config: &Config, named: &[String]) -> Result<Config, String> {
        match self {
            Work::Traffic(traffic) => {
                let error = traffic.plan(config).err();
                error.map_or(Ok(config.clone()), |error| Err(format!("traffic: {error}")))
            }
            Work::Collective(call) => call.on(config, named),
            Work::Application(application) => application.on(config),
        }
    }

    /// Its keys with their values, as in a file.
    pub fn entries(&self) -> Vec<(&'static str, Value)> {
        match self {
            Work::Traffic(traffic) => traffic::entries(traffic),
            Work::Collective(call) => call.entries(),
            Work::Application(application) => application.entries(),
        }
    }

    /// Runs it on the block of `config`, compiled.
    ///
    /// # Errors
    /// The block did something wrong.
    pub fn run(&self, library: &Library, config: &Config) -> anyhow::Result<BenchReport> {
        match self {
            Work::Traffic(traffic) => traffic::run(traffic, library, config),
            Work::Collective(call) => call.run(library, config),
            Work::Application(application) => application.run(library, config),
        }
    }

    /// The plot of all jobs and their figures; none if no key that an axis can have is in `varied`.
    ///
    /// # Errors
    /// A job has no such figure, or plotting fails.
    pub fn plot(jobs: &[(&Job, BenchReport)], varied: &[String]) -> anyhow::Result<Option<String>> {
        let points = match &jobs[0].0.work {
            Work::Traffic(_) => return traffic::plot(jobs, varied),
            Work::Collective(_) => collective::points(jobs, varied)?,
            Work::Application(_) => application::points(jobs, varied)?,
        };
        (!points.is_empty()).then(|| plot::measured(&points)).transpose()
    }
}
