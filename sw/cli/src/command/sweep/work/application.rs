//! Applications: the table `run` of a file.

use super::super::{grid::Job, values::Section};
use crate::{
    command::run::{self, Example},
    plot::Measured,
};
use portico_sim::Library;
use portico_spec::Config;
use portico_testbench::bench::report::{BenchReport, Better, Row};
use serde_json::Value as Json;
use toml::Table;

use super::Work;

/// Keys of the table.
const KEYS: [&str; 1] = ["application"];
/// Keys that a plot has in its axes and panels.
const IN_PANELS: [&str; 3] = ["application", "cols", "rows"];
/// The figure that is plotted.
const PLOTTED: &str = "cycles";

/// An application.
#[derive(Clone, Debug)]
pub struct Application(Example);

/// All values of the keys of the table.
///
/// # Errors
/// A key or a value is not allowed.
pub fn all(table: &Table) -> Result<Vec<Application>, String> {
    let section = Section::new("run", table, &KEYS)?;
    let compared = Example::COMPARED.map(|example| (example.name(), example));
    let named = section.named(KEYS[0], &compared)?;
    if named.is_empty() {
        let names = compared.map(|(name, _)| name).join(", ");
        return Err(format!("run.application is missing: allowed are {names}"));
    }
    Ok(named.into_iter().map(Application).collect())
}

impl Application {
    /// The configuration with the engines that it needs.
    ///
    /// # Errors
    /// A fabric cannot have it.
    pub fn on(&self, config: &Config) -> Result<Config, String> {
        let config = config.fabric().map(|config| self.0.on(config));
        let config = config.and_then(|config| config.validate().map(|()| config));
        config.map_err(|error| format!("config: {error}"))
    }

    /// Its keys with their values.
    pub fn entries(&self) -> Vec<(&'static str, Json)> {
        vec![(KEYS[0], self.0.name().into())]
    }

    /// Runs it on the fabric of `config`, and compares what it leaves in memories.
    ///
    /// # Errors
    /// The fabric did something wrong.
    pub fn run(&self, library: &Library, config: &Config) -> anyhow::Result<BenchReport> {
        let outcome = run::on_library(self.0, config, library, None)?;
        let row = |measure: run::Measure| {
            let better = if measure.unit == "cycles" {
                Better::Less
            } else {
                Better::More
            };
            Row::new(
                "sweep",
                measure.name.trim().to_owned(),
                measure.unit,
                better,
                measure.value,
            )
        };
        let mut rows: Vec<Row> = outcome.measures().into_iter().map(row).collect();
        rows.push(Row::new(
            "sweep",
            PLOTTED.to_owned(),
            "cycles",
            Better::Less,
            outcome.figures.cycles as f64,
        ));
        super::report(rows)
    }
}

/// Cycles of the applications against tiles, a panel each; none if the mesh does not vary.
///
/// # Errors
/// A job has no such figure.
pub fn points(jobs: &[(&Job, BenchReport)], varied: &[String]) -> anyhow::Result<Vec<Measured>> {
    if !varied.iter().any(|key| key == "cols" || key == "rows") {
        return Ok(vec![]);
    }
    let points = jobs.iter().map(|(job, report)| {
        let Work::Application(Application(example)) = &job.work else {
            unreachable!("all jobs of a sweep run the same")
        };
        Ok(Measured {
            panel: example.name().to_owned(),
            line: job.named_without(varied, &IN_PANELS),
            x: ("tiles", job.config.tiles()),
            cycles: job.figure(report, PLOTTED)?,
        })
    });
    points.collect()
}
