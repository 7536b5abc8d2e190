//! `portico bench noc`: the network.

use super::{compile, sign, tables};
use crate::{
    config_args::ConfigArgs,
    design::design,
    failure::not_allowed,
    figure_files::BenchFiles,
    loads::{self, Loads},
    model::Watched,
    output::{self, Output},
    plot, progress,
};
use clap::Args;
use indicatif::ProgressBar;
use portico_sim::{Library, Options};
use portico_spec::Config;
use portico_synth::Tool;
use portico_testbench::{
    bench::{
        noc::{
            self,
            load::{Case, Effort, Selection},
        },
        report::{BenchReport, Better, Row},
    },
    device::{hardware, stream::StreamDevice},
    traffic::{
        mesh_run,
        plan::{Drain, Plan},
        Pattern, Workload,
    },
};
use std::{path::PathBuf, time::Instant};

const EXAMPLES: &str = "\
Examples:
  portico bench noc                       all figures: some minutes
  portico bench noc --quick               coarse ones: the curves and shares are rough
  portico bench noc --json build/noc.json --svg build/noc.svg
  portico bench noc --set width=64 --out build/noc64
  portico bench noc --mesh 4x4,8x4 --pattern uniform,tornado --load 0.1:0.9:0.1 --out build/curves

Measured are the latency of every pair of tiles of an idle 8x8 mesh; the use of links under full streams; latency \
against offered load and throughput at saturation of 4x4 and 8x8 meshes with FIFOs of 2, 4 and 8 flits under four \
patterns and packets of 1, 4 and 33 flits; and what the generator and the simulator need for an 8x8 mesh. The \
scoreboard compares every word of it. Figures of time hold for this machine alone.

With --mesh, --fifo, --pattern, --packet or --load, only latency against load and saturation are measured, of each mesh with \
each FIFO depth, pattern and packet length; what is not given is as above. Loads are flits per sending tile and cycle; a \
curve ends at the first that the mesh does not keep up with.

--out also writes a plot for each mesh and pattern. Above its dashed lines no mesh keeps up with all tiles: at that load \
the links between the halves of the mesh are full (bisection), or a link of the busiest terminal if it is full before.

Columns: paper is the figure of the paper that described it, limit is what no implementation can pass, bound is what \
Portico must reach.";

/// Settings that the benchmark varies itself.
const VARIED: [&str; 4] = ["cols", "rows", "fifo", "edge_nodes"];

/// Measure the network: latency, throughput, and the speed of its tools
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Noc {
    #[command(flatten)]
    config: ConfigArgs,
    /// Few loads and short runs, no build from nothing: about a minute once the models are in the cache
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    files: BenchFiles,
    /// Latency and accepted load against offered load of all meshes and patterns, as a plot
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Folder for all four, as noc.json, noc.csv, noc-wide.csv and noc.svg, and for a plot of each mesh and pattern, such as
    /// noc-4x4-uniform.svg; made if need be
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What to measure in place of the standard set.
#[derive(Args)]
struct SelectionArgs {
    /// Meshes [default: 4x4,8x8]
    #[arg(long, value_name = "COLSxROWS,...", value_delimiter = ',', value_parser = loads::mesh)]
    mesh: Option<Vec<(usize, usize)>>,
    /// FIFO depths of the routers, in flits [default: 2,4,8]
    #[arg(long, value_name = "FLITS,...", value_delimiter = ',')]
    fifo: Option<Vec<usize>>,
    /// Traffic patterns [default: uniform,transpose,bit-complement,hotspot]
    #[arg(long, value_name = "PATTERN,...", value_delimiter = ',', value_parser = loads::pattern_parser())]
    pattern: Option<Vec<Pattern>>,
    /// Flits of every packet, with its head [default: 1,4,33]
    #[arg(long, value_name = "FLITS,...", value_delimiter = ',')]
    packet: Option<Vec<usize>>,
    /// Offered loads, above 0 and at most 1; FIRST:LAST:STEP is a range
    #[arg(long, value_name = "LOAD,...", value_delimiter = ',', value_parser = loads::loads)]
    load: Option<Vec<Loads>>,
}

impl SelectionArgs {
    /// The cases and the loads asked for; `None` if the whole benchmark is.
    ///
    /// # Errors
    /// One of them cannot be measured.
    fn chosen(self, base: &Config, effort: &mut Effort) -> anyhow::Result<Option<Vec<Case>>> {
        let SelectionArgs {
            mesh,
            fifo,
            pattern,
            packet,
            load,
        } = self;
        let any = mesh.is_some() || fifo.is_some() || pattern.is_some() || packet.is_some() || load.is_some();
        if !any {
            return Ok(None);
        }
        if let Some(load) = load {
            effort.loads = loads::rising(load);
        }
        let standard = Selection::default();
        let selection = Selection {
            meshes: mesh.unwrap_or(standard.meshes),
            fifos: fifo.unwrap_or(standard.fifos),
            patterns: pattern.unwrap_or(standard.patterns),
            packets: packet.unwrap_or(standard.packets),
        };
        selection.cases(base).map(Some).map_err(not_allowed)
    }
}

impl Noc {
    pub fn run(self) -> anyhow::Result<()> {
        self.config.refuse("bench noc", &VARIED)?;
        let base = self.config.resolve()?;
        let mut effort = effort(self.quick);
        let chosen = self.selection.chosen(&base, &mut effort)?;
        let whole = chosen.is_none();
        let bar = progress::bar(0);
        let mut make = |config: &Config| -> anyhow::Result<Box<dyn StreamDevice>> {
            Ok(Box::new(hardware::mesh_of(&compiled(config, &bar)?, config)?))
        };
        let mut steps = progress::steps(&bar);
        let figures = match chosen {
            Some(cases) => noc::curves(cases, &effort, &mut make, &mut steps),
            None => noc::run(&base, &effort, &mut make, &mut steps),
        };
        bar.finish_and_clear();
        let noc::Figures { rows, curves } = figures?;
        let speed = match whole {
            true => tools(&base, self.quick)?,
            false => vec![],
        };

        let mut report = BenchReport {
            rows,
            speed,
            ..BenchReport::new(&base)
        };
        VARIED.iter().for_each(|key| drop(report.config.remove(*key)));
        sign(&mut report, effort.seed, [Tool::Verilator])?;

        let mut output = Output::default();
        let folder = self.out.as_deref();
        self.files.add(&mut output, folder, "noc", &report);
        let all = folder.map(|folder| folder.join("noc.svg"));
        if self.svg.is_some() || all.is_some() {
            output.add_at(self.svg, all, plot::latency(&curves)?);
        }
        if let Some(folder) = folder {
            for (name, plot) in plot::of_one(&curves)? {
                output.add(folder.join(format!("noc-{name}.svg")), plot);
            }
        }
        output.commit()?;
        output::print(&tables::text(&report, &curves))
    }
}

/// How much to measure.
fn effort(quick: bool) -> Effort {
    match quick {
        false => Effort::default(),
        true => Effort {
            warmup: 300,
            measure: 1_500,
            saturation: 1_500,
            loads: vec![0.05, 0.15, 0.25, 0.35, 0.5, 0.7],
            ..Effort::default()
        },
    }
}

/// A compiled mesh, made while `bar` is on the screen.
fn compiled(config: &Config, bar: &ProgressBar) -> anyhow::Result<Library> {
    let design = design("mesh", config)?;
    let Config { cols, rows, fifo, .. } = config;
    bar.set_message(format!("compiling {cols}x{rows}, FIFO {fifo}"));
    Ok(portico_sim::build(&design, &Options::default())?)
}

/// What the generator and the simulator need for an 8x8 mesh.
fn tools(base: &Config, quick: bool) -> anyhow::Result<Vec<Row>> {
    let config = Config {
        cols: 8,
        rows: 8,
        edge_nodes: 0,
        ..base.clone()
    };
    let row = |name: &str, unit, better, value, bound| Row {
        bound,
        ..Row::new("noc", name, unit, better, value).on_mesh((config.cols, config.rows))
    };
    let mut rows = vec![];

    let begun = Instant::now();
    let design = design("mesh", &config)?;
    let emission = begun.elapsed().as_secs_f64() * 1e3;
    rows.push(row(
        "emission of an 8x8 mesh",
        "ms",
        Better::Less,
        emission,
        Some(1_000.0),
    ));

    let (library, took) = compile(&design, quick)?;
    if let Some(took) = took {
        let name = "build of an 8x8 mesh by Verilator, from nothing";
        rows.push(row(name, "s", Better::Less, took, Some(40.0)));
    }

    let mut mesh = Watched::new(hardware::mesh_of(&library, &config)?, ProgressBar::hidden());
    let uniform = Pattern::Uniform.on_mesh(config.cols, config.rows, config.edge_nodes)?;
    let cycles = if quick { 5_000 } else { 50_000 };
    let plan = Plan {
        drain: Drain::Network,
        ..Plan::new(Workload::random(uniform, 0.2, 4)?, 0, cycles, 1)
    };
    let begun = Instant::now();
    mesh_run::run(&mut mesh, &config, &plan)?;
    let whole = mesh.cycles as f64 / begun.elapsed().as_secs_f64();
    let speed = |name: &str, value, bound| {
        let name = format!("{name}, 8x8 mesh, uniform traffic at 0.2, packets of 4");
        row(&name, "cycles/s", Better::More, value, bound)
    };
    rows.push(speed("speed of the model", mesh.speed(), Some(60_000.0)));
    rows.push(speed("speed with traffic and scoreboard", whole, None));
    Ok(rows)
}
