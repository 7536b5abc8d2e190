//! The jobs of a sweep: run, resumed and merged.

use super::{
    grid::{Grid, Job},
    work::Work,
};
use crate::{
    design::{block, design, VERSION},
    failure::message,
    figure_files::wide,
    output::Output,
    progress,
};
use anyhow::{anyhow, bail, Context};
use portico_sim::{Library, Options};
use portico_spec::Config;
use portico_testbench::bench::report::{settings, BenchReport, Row};
use portico_verilog::Design;
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

/// The jobs of a grid, and the folder of their figures.
pub struct Jobs<'a> {
    grid: &'a Grid,
    folder: &'a Path,
    /// One a configuration of the grid.
    blocks: Vec<Block<'a>>,
    /// The block of each job.
    block_of: Vec<usize>,
}

/// A mesh or fabric of the grid. Its Verilog and its model are made when a job first asks for them. Errors are kept as text.
struct Block<'a> {
    name: &'static str,
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

impl Block<'_> {
    fn design(&self) -> anyhow::Result<&Design> {
        let design = self
            .design
            .get_or_init(|| design(self.name, self.config).map_err(|error| message(&error)));
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
        let mut blocks: Vec<Block> = vec![];
        let mut block_of = vec![];
        for Job { config, .. } in &grid.jobs {
            // Jobs of one configuration follow each other.
            if blocks.last().is_none_or(|block| block.config != config) {
                blocks.push(Block {
                    name: grid.block,
                    config,
                    design: OnceLock::new(),
                    library: OnceLock::new(),
                });
            }
            block_of.push(blocks.len() - 1);
        }
        Self {
            grid,
            folder,
            blocks,
            block_of,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.grid.jobs.len()
    }

    fn block(&self, index: usize) -> &Block<'a> {
        &self.blocks[self.block_of[index]]
    }

    /// The file of a job: its name stands for all that decides its figures.
    ///
    /// # Errors
    /// The block has no Verilog.
    pub fn path(&self, index: usize) -> anyhow::Result<PathBuf> {
        let text = self.block(index).design()?.text();
        let entries = self.grid.jobs[index].work.entries();
        let work = entries.iter().map(|(key, value)| format!("{key}={value} "));
        let hash = portico_sim::digest([VERSION, &text, &work.collect::<String>()]);
        Ok(self.folder.join("jobs").join(format!("{}.json", &hash[..DIGITS])))
    }

    /// Runs a job unless it is done; says whether it was run.
    ///
    /// # Errors
    /// The block cannot be made or did something wrong, or the file cannot be written.
    pub fn run_one(&self, index: usize) -> anyhow::Result<bool> {
        let path = self.path(index)?;
        match figures(&path) {
            Ok(Some(_)) => return Ok(false),
            Ok(None) => {}
            Err(error) => tracing::warn!("job {} is run again: {}", index + 1, message(&error)),
        }
        let Job { config, work } = &self.grid.jobs[index];
        let report = work.run(self.block(index).library()?, config)?;
        let mut output = Output::default();
        output.add(path, report.to_json());
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

    /// Writes the figures of all jobs of a file as sweep.json, sweep.csv and, if a key varies that an axis can have, sweep.svg, and says
    /// so.
    ///
    /// # Errors
    /// A job is not done; or a file cannot be read or written.
    pub fn merge(&self, file: &Path) -> anyhow::Result<String> {
        let mut merged = BenchReport {
            command: format!("portico sweep {}", file.display()),
            ..BenchReport::default()
        };
        let (mut missing, mut done) = (vec![], vec![]);
        for (index, job) in self.grid.jobs.iter().enumerate() {
            match figures(&self.path(index)?)? {
                Some(mut report) => {
                    // Links and histograms stay in the files of the jobs: those of a large grid would fill the memory.
                    report.rows.retain(|row| !row.keys.contains_key("measure"));
                    done.push((job, report));
                }
                None => missing.push(index + 1),
            }
        }
        if let Some(first) = missing.first() {
            bail!(
                "{} of {} jobs are not done, the first is job {first}; run them with or without --only",
                missing.len(),
                self.len()
            );
        }
        for (job, report) in &done {
            merged.tools.extend(report.tools.clone());
            merged.rows.extend(self.keyed(job, &report.rows));
            merged.speed.extend(self.keyed(job, &report.speed));
        }
        let fixed = self.grid.jobs[0].config.entries().into_iter();
        let fixed = fixed.filter(|(key, _)| !self.grid.keys.iter().any(|named| named == key));
        let own = block(self.grid.block).keys;
        let fixed = fixed.filter(|(key, _)| own.contains(key));
        merged.config = settings(fixed);
        let mut files = vec![("sweep.json", merged.to_json()), ("sweep.csv", wide(merged))];
        if let Some(plot) = Work::plot(&done, &self.grid.varied)? {
            files.push(("sweep.svg", plot));
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

    /// The rows of a job with its variables.
    fn keyed(&self, job: &Job, rows: &[Row]) -> Vec<Row> {
        let work = job.work.entries();
        let is_variable =
            |key: &str| self.grid.keys.iter().any(|named| named == key) || work.iter().any(|(own, _)| *own == key);
        let variables = job.entries(is_variable);
        let keyed = |row: &Row| {
            let row = row.clone().with("measure", row.name.clone());
            let variables = variables.iter().cloned();
            variables.fold(row, |row, (key, value)| row.with(key, value))
        };
        rows.iter().map(keyed).collect()
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
