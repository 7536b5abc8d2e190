//! Applications: the table `run` of a file.

use super::{
    super::values::{Faults, Section},
    Place,
};
use crate::{
    command::run::{self, Example},
    model,
};
use portico_sim::Library;
use portico_spec::Config;
use portico_testbench::bench::report::{BenchReport, Better, Row};
use serde_json::Value as Json;
use toml::Table;

/// Keys of the table.
const KEYS: [&str; 1] = ["application"];
/// The time of every application, whatever `portico run` calls it: it is plotted.
const PLOTTED: &str = "cycles";

/// An application.
#[derive(Clone, Debug)]
pub struct Application(Example);

/// All values of the keys of the table.
///
/// # Errors
/// Keys or values are not allowed.
pub fn all(table: &Table) -> Result<Vec<Application>, Faults> {
    let mut section = Section::new("run", table, &KEYS);
    let compared: Vec<(&str, Example)> = Example::compared().map(|example| (example.name(), example)).collect();
    let named = section.named(KEYS[0], &compared);
    section.check()?;
    if named.is_empty() {
        let names: Vec<&str> = compared.iter().map(|&(name, _)| name).collect();
        return Err(format!("run.application is missing: allowed are {}", names.join(", ")).into());
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
        let outcome = run::on_library(self.0, config, library, run::Records::default())?;
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
        Ok(BenchReport {
            tools: model::tools()?,
            rows,
            ..BenchReport::default()
        })
    }

    /// Against tiles if these vary, in a panel an application.
    pub fn place(&self, config: &Config, varies: &dyn Fn(&str) -> bool) -> Option<Place> {
        (varies("cols") || varies("rows")).then(|| Place {
            panel: self.0.name().to_owned(),
            x: ("tiles", config.tiles()),
            figure: PLOTTED,
        })
    }
}
