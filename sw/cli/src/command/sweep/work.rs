//! Traffic, collective calls and applications: each has a table in the file of a sweep, and makes jobs of it.

pub mod application;
pub mod collective;
pub mod traffic;

use super::{grid::Job, values::Faults};
use crate::{
    command::sim::TrafficArgs,
    config_args::FABRIC_DECIDES,
    design::block,
    plot::{self, Measured},
};
use application::Application;
use collective::Collective;
use portico_sim::Library;
use portico_spec::{config::PROFILE_KEY, Config};
use portico_testbench::bench::report::BenchReport;
use serde_json::Value;
use std::collections::BTreeSet;
use toml::Table;

/// Keys that a plot of cycles has in its axes and panels, or takes the mean of; a line is named by the others that vary.
const IN_PANELS: [&str; 6] = ["application", "call", "words", "cols", "rows", "seed"];

/// Where the figures of a job stand in a plot.
pub struct Place {
    /// Title of the panel.
    panel: String,
    /// Quantity of the horizontal axis, and its value.
    x: (&'static str, usize),
    /// The figure of the job that is plotted.
    figure: &'static str,
}

/// Traffic, a collective call or an application: what a job simulates on its block.
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
    /// Keys or values are not allowed.
    pub fn all(name: &str, table: &Table) -> Result<Vec<Work>, Faults> {
        Ok(match name {
            "collective" => collective::all(table)?.into_iter().map(Work::Collective).collect(),
            "run" => application::all(table)?.into_iter().map(Work::Application).collect(),
            _ => traffic::all(table)?.into_iter().map(Work::Traffic).collect(),
        })
    }

    /// The block that runs what the table `name` says.
    pub fn block(name: &str) -> &'static str {
        match name {
            "collective" | "run" => "fabric",
            _ => "mesh",
        }
    }

    /// Keys of the configuration that shape this block, and that the block does not decide itself; of a fabric a profile, too.
    pub fn config_keys(name: &str) -> Vec<&'static str> {
        let top = Work::block(name);
        let keys = block(top).keys.iter().copied();
        match top {
            "fabric" => {
                let named = keys.filter(|key| !FABRIC_DECIDES.contains(key));
                named.chain([PROFILE_KEY]).collect()
            }
            _ => keys.collect(),
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
        let calls = jobs.iter().filter_map(|(job, _)| match &job.work {
            Work::Collective(call) => call.words(),
            _ => None,
        });
        let words: BTreeSet<usize> = calls.collect();
        let varies = |key: &str| match key {
            // The 0 of a barrier makes `words` vary, too.
            "words" => words.len() > 1,
            _ => varied.iter().any(|varied| varied == key),
        };
        let mut figures = vec![];
        for (job, report) in jobs {
            let place = match &job.work {
                Work::Traffic(_) => return traffic::plot(jobs, varied),
                Work::Collective(call) => call.place(&job.config, &varies),
                Work::Application(application) => application.place(&job.config, &varies),
            };
            if let Some(Place { panel, x, figure }) = place {
                figures.push(Measured {
                    panel,
                    line: job.named_without(varied, &IN_PANELS),
                    x,
                    cycles: job.figure(report, figure)?,
                });
            }
        }
        (!figures.is_empty()).then(|| plot::measured(&figures)).transpose()
    }
}
