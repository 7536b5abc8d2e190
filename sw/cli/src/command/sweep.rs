//! `portico sweep`: a grid of configurations and what runs on them, job by job, resumed where it stopped.

mod grid;
mod jobs;
mod scripts;
mod values;
mod work;

use self::{grid::Grid, jobs::Jobs};
use crate::{
    failure::not_allowed,
    output::{self, Output},
    table::counted,
};
use anyhow::bail;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico sweep examples/sweep.toml --out build/sweep --jobs 2
  portico sweep examples/sweep.toml --out build/sweep     again: what is done is not run again
  portico sweep examples/sweep.toml --out build/sweep --only 3
  portico sweep examples/collectives.toml --out build/collectives
  portico sweep examples/applications.toml --out build/applications
  portico sweep grid.toml --out build/grid --slurm grid.sh && sbatch grid.sh
  portico sweep grid.toml --out build/grid --makefile grid.mk && make -f grid.mk -j 8
  portico sweep grid.toml --out build/grid --merge        after the last job of a Slurm array

A file has the keys of a configuration and of what runs on it, each with one value or a list; the jobs are all combinations. \
What runs is one of three tables:

  [config]                      keys of the block; mesh = [\"4x4\", \"8x4\"] sets cols and rows
  cols = [4, 8]
  fifo = [2, 4]

  [traffic]                     packets over a mesh, as portico sim mesh sends them:
  pattern = \"uniform\"           pattern, packet, load, cycles, warmup, seed
  load = \"0.1:0.9:0.2\"

  [collective]                  a call of the engines of all tiles of a fabric, made several times:
  call = [\"barrier\", \"reduce\"]  barrier, broadcast, reduce, allreduce
  tree = [\"linear\", \"quad\"]     linear, binomial, mapped, quad, star
  words = [1, 256]              calls = 10, seed = 1

  [run]                         an application on a fabric, as portico run runs it:
  application = [\"halo\", \"transpose\"]

What is left out has its default, and every word of each job is compared. Jobs count from 1; the last key of what runs varies \
fastest, and the keys of the configuration slowest. The engines that a fabric needs are built unless the file sets mpe or \
portals.

The figures of a job are DIR/jobs/HASH.json. HASH stands for all that decides them: the version of Portico, the Verilog, what \
runs. A job whose file is there is done; one whose inputs changed has another name and is run. DIR/sweep.json and DIR/sweep.csv \
hold the figures of all jobs, without links and histograms. The CSV is for data frames: a line a job, a column a key or a \
measure. DIR/sweep.svg plots mean latency and accepted load against load, or cycles against words or tiles, where these vary: a \
line for each combination of the other keys. A point is the mean of all seeds, with a bar from the least to the most of them.";

/// Simulate a grid of meshes, collectives or applications, in parallel, resumed where it stopped
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Sweep {
    /// The grid (TOML)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Folder of the figures, made if need be
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Jobs at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: u16,
    /// Run this job alone, from 1, and merge nothing
    #[arg(long, value_name = "INDEX", conflicts_with = "jobs")]
    only: Option<usize>,
    /// Merge the figures of all jobs, and run none
    #[arg(long, conflicts_with_all = ["jobs", "only"])]
    merge: bool,
    /// Write the jobs as a Slurm array, and run none
    #[arg(long, value_name = "FILE", conflicts_with_all = ["jobs", "only", "merge"])]
    slurm: Option<PathBuf>,
    /// Write the jobs as a makefile, and run none
    #[arg(long, value_name = "FILE", conflicts_with_all = ["jobs", "only", "merge"])]
    makefile: Option<PathBuf>,
}

impl Sweep {
    pub fn run(self) -> anyhow::Result<()> {
        let grid = Grid::read(&self.file)?;
        if self.slurm.is_some() || self.makefile.is_some() {
            return self.write_scripts(grid.jobs.len());
        }
        let jobs = Jobs::new(&grid, &self.out);
        if self.merge {
            return output::print(&jobs.merge(&self.file)?);
        }
        if let Some(only) = self.only {
            return run_one(&jobs, only);
        }
        let outcome = jobs.run(self.jobs.into());
        if let Some((index, error)) = outcome.failures.first() {
            bail!(
                "{} of {} failed, the first is job {}: {error}",
                outcome.failures.len(),
                counted(jobs.len(), "job"),
                index + 1
            );
        }
        let merged = jobs.merge(&self.file)?;
        let (run, done) = (outcome.run, jobs.len() - outcome.run);
        output::print(&format!("{} run, {done} done before; {merged}", counted(run, "job")))
    }

    fn write_scripts(self, jobs: usize) -> anyhow::Result<()> {
        let mut output = Output::default();
        let mut said = String::new();
        for (file, script) in [
            (self.slurm, scripts::slurm as fn(_, _, _) -> _),
            (self.makefile, scripts::makefile),
        ] {
            if let Some(file) = file {
                said += &format!("wrote {}: {}\n", file.display(), counted(jobs, "job"));
                output.add(file, script(&self.file, &self.out, jobs));
            }
        }
        output.commit()?;
        output::print(&said)
    }
}

fn run_one(jobs: &Jobs, number: usize) -> anyhow::Result<()> {
    let index = number.checked_sub(1).filter(|&index| index < jobs.len());
    let index = index.ok_or_else(|| not_allowed(format!("only = {number}: allowed is 1 to {}", jobs.len())))?;
    let state = match jobs.run_one(index)? {
        true => "done",
        false => "was done before",
    };
    let of = jobs.len();
    output::print(&format!(
        "job {number} of {of}: {state}: {}\n",
        jobs.path(index)?.display()
    ))
}
