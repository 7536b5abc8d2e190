//! The jobs of a sweep: run, resumed and merged.

use super::grid::{Grid, Job};
use crate::{
    command::sim::simulate,
    design::{block, design, VERSION},
    failure::message,
    output::Output,
    plot::{self, Simulated},
    progress,
};
use anyhow::{anyhow, bail, Context};
use indicatif::ProgressBar;
use portico_sim::{Library, Options};
use portico_spec::Config;
use portico_testbench::bench::report::{BenchReport, Row};
use portico_verilog::Design;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicUsize, Ordering},
        Mutex, OnceLock, PoisonError,
    },
    thread,
};

/// Digits of the hash in the name of a job's file.
const DIGITS: usize = 16;
/// Keys that a plot of the sweep has in its axes and panels; a line is named by the others that vary.
const IN_PANELS: [&str; 6] = ["cols", "rows", "pattern", "packet", "load", "seed"];

/// The jobs of a grid, and the folder of their figures.
pub struct Jobs<'a> {
    grid: &'a Grid,
    folder: &'a Path,
    /// One a mesh of the grid.
    meshes: Vec<Mesh<'a>>,
    /// The mesh of each job.
    mesh_of: Vec<usize>,
}

/// A mesh; its Verilog and its model are made when they are first asked for. Errors are kept as text.
struct Mesh<'a> {
    config: &'a Config,
    design: OnceLock<Result<Design, String>>,
    library: OnceLock<Result<Library, String>>,
}

/// What came of all jobs.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Jobs that were run and are done; the others were done before.
    pub run: usize,
    /// Jobs that failed, by index, and why.
    pub failures: Vec<(usize, String)>,
}

impl Mesh<'_> {
    fn design(&self) -> anyhow::Result<&Design> {
        let design = self
            .design
            .get_or_init(|| design("mesh", self.config).map_err(|error| message(&error)));
        design.as_ref().map_err(|error| anyhow!(error.clone()))
    }

    fn library(&self) -> anyhow::Result<&Library> {
        let design = self.design()?;
        let library = self
            .library
            .get_or_init(|| portico_sim::build(design, &Options::default()).map_err(|error| message(&error.into())));
        library.as_ref().map_err(|error| anyhow!(error.clone()))
    }
}

impl<'a> Jobs<'a> {
    /// The jobs of `grid`, whose figures are in `folder`.
    pub fn new(grid: &'a Grid, folder: &'a Path) -> Self {
        let mut meshes: Vec<Mesh> = vec![];
        let mut mesh_of = vec![];
        for Job { config, .. } in &grid.jobs {
            // Jobs of one mesh follow each other.
            if meshes.last().is_none_or(|mesh| mesh.config != config) {
                meshes.push(Mesh {
                    config,
                    design: OnceLock::new(),
                    library: OnceLock::new(),
                });
            }
            mesh_of.push(meshes.len() - 1);
        }
        Self {
            grid,
            folder,
            meshes,
            mesh_of,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.grid.jobs.len()
    }

    fn mesh(&self, index: usize) -> &Mesh<'a> {
        &self.meshes[self.mesh_of[index]]
    }

    /// The file of a job: its name stands for all that decides its figures.
    ///
    /// # Errors
    /// The mesh has no Verilog.
    pub fn path(&self, index: usize) -> anyhow::Result<PathBuf> {
        let text = self.mesh(index).design()?.text();
        let traffic = self.grid.jobs[index].traffic.arguments();
        let hash = portico_sim::digest([VERSION, &text, &traffic]);
        Ok(self.folder.join("jobs").join(format!("{}.json", &hash[..DIGITS])))
    }

    /// Runs a job unless it is done; says whether it was run.
    ///
    /// # Errors
    /// The mesh cannot be made or did something wrong, or the file cannot be written.
    pub fn run_one(&self, index: usize) -> anyhow::Result<bool> {
        let path = self.path(index)?;
        match figures(&path) {
            Ok(Some(_)) => return Ok(false),
            Ok(None) => {}
            Err(error) => tracing::warn!("job {} is run again: {}", index + 1, message(&error)),
        }
        let Job { config, traffic } = &self.grid.jobs[index];
        let library = self.mesh(index).library()?;
        let plan = traffic.plan(config)?;
        let run = simulate(library, config, traffic, &plan, &ProgressBar::hidden(), None)?;
        let mut output = Output::default();
        output.add(path, run.bench_report()?.to_json());
        output.commit()?;
        Ok(true)
    }

    /// Runs all jobs that are not done, `workers` at once. A job that fails stops no other.
    pub fn run(&self, workers: usize) -> Outcome {
        let bar = progress::bar(self.len() as u64);
        let next = AtomicUsize::new(0);
        let outcome = Mutex::new(Outcome::default());
        let varied: Vec<&str> = self.grid.varied.iter().map(String::as_str).collect();
        let work = || loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = self.grid.jobs.get(index) else {
                return;
            };
            bar.set_message(job.named(&varied));
            let result = self.run_one(index);
            bar.inc(1);
            let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
            match result {
                Ok(run) => outcome.run += usize::from(run),
                Err(error) => {
                    let error = message(&error);
                    tracing::info!("job {} failed: {error}", index + 1);
                    outcome.failures.push((index, error));
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..workers.min(self.len()) {
                scope.spawn(work);
            }
        });
        bar.finish_and_clear();
        let mut outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.failures.sort_by_key(|(index, _)| *index);
        outcome
    }

    /// Writes the figures of all jobs as sweep.json, sweep.csv and, if loads vary, sweep.svg, and says so.
    ///
    /// # Errors
    /// A job is not done; or a file cannot be read or written.
    pub fn merge(&self) -> anyhow::Result<String> {
        let mut merged = BenchReport::default();
        let (mut missing, mut simulated) = (vec![], vec![]);
        for (index, job) in self.grid.jobs.iter().enumerate() {
            let path = self.path(index)?;
            let Some(report) = figures(&path)? else {
                missing.push(index + 1);
                continue;
            };
            simulated.push(self.simulated(&report, job)?);
            merged.tools.extend(report.tools);
            let rows = report.rows.into_iter().filter(|row| !row.keys.contains_key("measure"));
            merged.rows.extend(rows.map(|row| self.keyed(row, job)));
        }
        if let Some(first) = missing.first() {
            bail!(
                "{} of {} jobs are not done, the first is job {first}; run them with or without --only",
                missing.len(),
                self.len()
            );
        }
        let fixed = self.grid.jobs[0].config.entries().into_iter();
        let fixed = fixed.filter(|(key, _)| !self.grid.keys.iter().any(|named| named == key));
        let own = block("mesh").keys;
        let fixed = fixed.filter(|(key, _)| own.contains(key));
        merged.config = fixed.map(|(key, value)| (key.to_owned(), value)).collect();
        let mut files = vec![("sweep.json", merged.to_json())];
        merged.config.insert("version".into(), VERSION.into());
        files.push(("sweep.csv", merged.to_wide_csv()));
        if self.grid.varied.iter().any(|key| key == "load") {
            files.push(("sweep.svg", plot::sweep(&simulated)?));
        }
        let mut output = Output::default();
        let mut said = vec![];
        for (name, text) in files {
            let path = self.folder.join(name);
            said.push(path.display().to_string());
            output.add(path, text);
        }
        output.commit()?;
        Ok(format!("wrote {}\n", said.join(", ")))
    }

    /// The job as a plot shows it.
    fn simulated(&self, report: &BenchReport, job: &Job) -> anyhow::Result<Simulated> {
        let figure = |name: &str| {
            let row = report.rows.iter().find(|row| row.name == name);
            let row = row.with_context(|| format!("a job has no figure `{name}`: remove it, and run it again"))?;
            anyhow::Ok(row.value)
        };
        let varied = self.grid.varied.iter().map(String::as_str);
        let others: Vec<&str> = varied.filter(|key| !IN_PANELS.contains(key)).collect();
        let line = job.named(&others);
        Ok(Simulated {
            config: job.config.clone(),
            pattern: job.traffic.traffic,
            packet: job.traffic.packet,
            line: if line.is_empty() { "all".to_owned() } else { line },
            load: job.traffic.rate,
            latency: figure("latency, mean")?,
            accepted: figure("accepted load")?,
            is_steady: figure("packets before the latency is steady")? < figure("packets measured")?,
        })
    }

    /// A row with the variables of its job.
    fn keyed(&self, row: Row, job: &Job) -> Row {
        let Job { config, traffic } = job;
        let measure = row.name.clone();
        let mut row = row
            .with("measure", measure)
            .with("pattern", traffic.traffic.to_string())
            .with("packet", traffic.packet)
            .with("load", traffic.rate)
            .with("cycles", traffic.cycles)
            .with("warmup", traffic.warmup)
            .with("seed", traffic.seed);
        for (key, value) in config.entries() {
            if self.grid.keys.iter().any(|named| named == key) {
                // Numbers and booleans as such.
                let value = serde_json::from_str(&value).unwrap_or(Value::String(value));
                row = row.with(key, value);
            }
        }
        row
    }
}

/// The figures of a job; `None` if it is not done.
fn figures(path: &Path) -> anyhow::Result<Option<BenchReport>> {
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let report = serde_json::from_str(&text);
    let report = report.with_context(|| format!("{} holds no figures", path.display()))?;
    Ok(Some(report))
}
