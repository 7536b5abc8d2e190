//! `portico sim`: traffic on a Verilated design, every word of it compared with the golden model.

mod fabric;
mod figures;
mod traffic_args;

pub use self::{
    fabric::replayable,
    figures::Run,
    traffic_args::{quoted, TrafficArgs, MAX_CYCLES},
};
use crate::{
    config_args::{self, ConfigArgs},
    design::design,
    figure_files::FigureFiles,
    model::{self, Watched},
    output::{self, Output},
    plot, progress,
    waveform::Waveform,
};
use anyhow::{anyhow, ensure};
use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use portico_generate::Top;
use portico_sim::{Library, Options, Trace};
use portico_spec::Config;
use portico_testbench::{
    device::{
        counters,
        hardware::{self, VerilatedMesh},
        stream::StreamDevice,
        Device,
    },
    traffic::{
        mesh_run::{self, RunError},
        plan::Plan,
        report::Report,
    },
};
use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

const EXAMPLES: &str = "\
Examples:
  portico sim mesh                        uniform traffic on a 4x4 mesh
  portico sim mesh --set cols=8 --set rows=8 --traffic transpose --rate 0.2 --packet 33
  portico sim mesh --backpressure 0.3 --idle 0.2 --seed 7
  portico sim mesh --trace traffic.txt --vcd build/mesh.vcd
  portico sim mesh --csv build/mesh.csv --svg build/mesh.svg

A file of recorded traffic has a packet a line, four numbers: the cycle (never falling), the source and the \
destination (tiles y * cols + x, then edge nodes), the flits with the head. # begins a comment.

Printed are the figures, the distribution of the latencies and the busiest links. JSON and CSV have a row for every link, \
with its flits and its load; the load is the flits of the packets that were delivered in the cycles measured, by these \
cycles. --svg draws the mesh with the load of each link. In a mesh with monitors, their counters are compared with the \
flits of all packets delivered.

If a word differs from what the reference model expects, or a packet is lost, doubled or stuck, the exit status is 1 and \
the message has the command line that replays it.";

/// Simulate a design under traffic, and compare every word with the reference model
#[derive(Args)]
pub struct Sim {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Mesh(Mesh),
    Fabric(fabric::Fabric),
}

/// Simulate a mesh
#[derive(Args)]
#[command(after_help = EXAMPLES)]
struct Mesh {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    traffic: TrafficArgs,
    /// Waveform, in VCD
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    /// Waveform, in FST; needs liblz4
    #[arg(long, value_name = "FILE", conflicts_with = "vcd")]
    fst: Option<PathBuf>,
    #[command(flatten)]
    files: FigureFiles,
    /// The mesh with the load of each link, as a picture
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Folder for the Verilog and the figures, as sim.json, sim.csv and links.svg, made if need be
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Sim {
    pub fn run(self) -> anyhow::Result<()> {
        match self.what {
            What::Mesh(mesh) => mesh.run(),
            What::Fabric(fabric) => fabric.run(),
        }
    }
}

impl Mesh {
    fn run(self) -> anyhow::Result<()> {
        let config = self.config.resolve()?;
        self.config
            .warn_of_other_keys(Top::named("mesh").expect("the mesh is a block"));
        let plan = self.traffic.plan(&config)?;
        let design = design("mesh", &config)?;
        let (trace, waveform) = match (&self.vcd, &self.fst) {
            (Some(file), _) => (Trace::Vcd, Some(file)),
            (None, Some(file)) => (Trace::Fst, Some(file)),
            (None, None) => (Trace::None, None),
        };
        let options = Options {
            trace,
            ..Options::default()
        };
        let (library, _) = model::build(&design, &options)?;
        let progress = progress::cycles();
        let run = simulate(
            &library,
            &config,
            &self.traffic,
            &plan,
            &progress,
            waveform.map(|file| &**file),
        );
        progress.finish_and_clear();
        let run = run?;
        let mut output = Output::default();
        let folder = self.out.as_deref();
        if let Some(folder) = folder {
            output.add(folder.join(format!("{}.v", design.top)), design.text());
        }
        self.files.add(&mut output, folder, "sim", &run.bench_report()?);
        let picture = folder.map(|folder| folder.join("links.svg"));
        if self.svg.is_some() || picture.is_some() {
            output.add_at(self.svg, picture, plot::links(&config, &run.report)?);
        }
        output.commit()?;
        output::print(&run.text())
    }
}

/// Simulates `traffic`, whose plan is `plan`, on a mesh of `library`, and shows on `progress` how far it is; writes a waveform to
/// a file if one is named.
///
/// # Errors
/// The mesh did something wrong: told with the command line that replays it. Or the waveform cannot be written.
pub fn simulate<'a>(
    library: &Library,
    config: &'a Config,
    traffic: &'a TrafficArgs,
    plan: &Plan,
    progress: &ProgressBar,
    waveform: Option<&Path>,
) -> anyhow::Result<Run<'a>> {
    let mut mesh = Watched::new(hardware::mesh_of(library, config)?, progress.clone());
    let waveform = waveform.map(|file| Waveform::start(file, mesh.device().device().model()));
    let waveform = waveform.transpose()?;
    let outcome = run(&mut mesh, config, plan, traffic);
    // A run that failed is the one whose waveform is wanted.
    let model = mesh.device().device().model();
    waveform.map(|waveform| waveform.finish(model)).transpose()?;
    let report = outcome?;
    let dropped = dropped(&mut mesh)?;
    ensure!(
        dropped == report.misrouted as u32,
        "the mesh reports {dropped} dropped packets, expected {}: the packets that no terminal takes",
        report.misrouted
    );
    let (cycles, speed) = (mesh.cycles, mesh.speed());
    let counted = counters::link_flits(mesh.device().device(), config)?;
    counters::compare(&counted, &report.links).map_err(|miscount| replay(miscount, config, traffic))?;
    Ok(Run {
        config,
        traffic,
        report,
        zero_load: figures::zero_load(config, plan),
        cycles,
        speed,
        origin: match library.cached() {
            true => "taken from the cache",
            false => "compiled",
        },
        links_compared: counted.len(),
    })
}

/// Runs the traffic.
///
/// # Errors
/// The mesh did something wrong: told with the command line that replays it.
fn run(device: &mut dyn StreamDevice, config: &Config, plan: &Plan, traffic: &TrafficArgs) -> anyhow::Result<Report> {
    mesh_run::run(device, config, plan).map_err(|error| match error {
        RunError::Fault { .. } | RunError::Stuck { .. } => replay(error, config, traffic),
        RunError::Plan(_) | RunError::Shape { .. } => anyhow!(error),
    })
}

/// The command line of a simulation.
fn command_line(config: &Config, traffic: &TrafficArgs) -> String {
    format!(
        "portico sim mesh{}{}",
        config_args::settings(config),
        traffic.arguments()
    )
}

/// What the mesh did wrong, with the command line that replays it.
fn replay(error: impl Display, config: &Config, traffic: &TrafficArgs) -> anyhow::Error {
    anyhow!("{error}\nreplay with: {} --vcd wave.vcd", command_line(config, traffic))
}

/// Packets that the mesh says it dropped.
fn dropped(mesh: &mut Watched<VerilatedMesh>) -> anyhow::Result<u32> {
    let device = mesh.device().device();
    let packets = device.require_output("dropped_packets")?;
    device.settle();
    Ok(device.get(packets) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_spec::Flit;
    use portico_testbench::{device::stream::Handshakes, model::golden_mesh::GoldenMesh};

    /// A mesh that changes a bit of one word.
    struct Faulty {
        mesh: GoldenMesh,
        emitted: Vec<Option<Flit>>,
        at: usize,
    }

    impl StreamDevice for Faulty {
        fn inputs(&self) -> usize {
            self.mesh.inputs()
        }

        fn outputs(&self) -> usize {
            self.mesh.outputs()
        }

        fn reset(&mut self) {
            self.mesh.reset();
        }

        fn cycle(&mut self, offered: &[Option<Flit>], ready: &[bool]) -> Handshakes<'_> {
            let handshakes = self.mesh.cycle(offered, ready);
            self.emitted = handshakes.emitted.to_vec();
            for flit in self.emitted.iter_mut().flatten() {
                flit.data ^= u64::from(self.at == 0) << 20;
                self.at = self.at.wrapping_sub(1);
            }
            Handshakes {
                emitted: &self.emitted,
                ..handshakes
            }
        }
    }

    #[test]
    fn a_changed_word_is_told_with_the_command_that_replays_it() {
        let config = Config {
            cols: 2,
            ..Config::default()
        };
        let traffic = TrafficArgs {
            cycles: 500,
            seed: 9,
            ..TrafficArgs::default()
        };
        let plan = traffic.plan(&config).unwrap();
        let mut faulty = Faulty {
            mesh: GoldenMesh::new(&config),
            emitted: vec![],
            at: 40,
        };
        let error = run(&mut faulty, &config, &plan, &traffic).unwrap_err().to_string();
        let (fault, replay) = error.split_once('\n').unwrap();
        assert!(fault.contains("seed 0x9: "), "{fault}");
        assert_eq!(
            replay,
            "replay with: portico sim mesh --set cols=2 --traffic uniform --rate 0.3 --packet 4 --cycles 500 \
             --warmup 1000 --seed 9 --vcd wave.vcd"
        );
        let report = run(&mut GoldenMesh::new(&config), &config, &plan, &traffic).unwrap();
        assert!(report.packets > 0);
    }
}
