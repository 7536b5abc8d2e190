//! `portico run`: an application on a fabric, through the driver.

use crate::{
    config_args::{ConfigArgs, FABRIC_DECIDES},
    design::design,
    failure::not_allowed,
    model,
    on_board::{self, OnArgs, Port},
    output::{self, Output},
    progress,
    table::{grouped, table},
    waveform::Waveform,
};
use anyhow::{ensure, Context};
use clap::{builder::PossibleValuesParser, builder::TypedValueParser, Args};
use portico::{
    examples::{self, Failure, Figures},
    portals::Event,
    Fabric, GoldenTransport, Transport,
};
use portico_sim::{Library, Options, Trace};
use portico_spec::{portals::engine::RANKS, Config};
use portico_testbench::device::hardware;
use std::{ops::Range, path::PathBuf};
use traffic::TrafficArgs;

mod steps;
mod traffic;
mod unexpected;

const EXAMPLES: &str = "\
Examples:
  portico run --list                      what there is
  portico run halo                        on the Verilog (Verilator) of a fabric of 4x4 tiles
  portico run transpose --set cols=2 --set rows=2 --vcd build/transpose.vcd
  portico run queue --golden              on the reference model, which has no time
  portico run halo --on serial:/dev/ttyUSB0:115200 --set cols=2 --set rows=2
                                          on a board, through the UART bridge of its bitstream
  portico run halo --on uio:/dev/uio0     on a board, through memory that a UIO driver maps
  portico run allreduce                   in message-passing engines
  portico run mpi --set mpe=1             MPI-like calls, some of them by the engines
  portico run portals --golden            puts and gets that Portals engines match; prints the events of tile 0
  portico run portals --unexpected --golden
                                          half of the messages come before their receives; prints the lists of tile 0, too
  portico run portals --set cols=2 --set rows=2 --log build/steps.csv
                                          each step of each Portals engine with its cycle
  portico run traffic                     a fabric measures its own throughput and latency
  portico run traffic --pattern transpose --words 31 --loads 0.2,0.5,1 --set cols=8 --set rows=8

Every example checks its result word by word. In Verilog (Verilator) and on a board the memories of all tiles are compared \
with those of the reference model on which the same example ran, too; but for tile 0 with the ring of a queue or of \
events, which lie in the order in which they came. With --unexpected this order is fixed, and tile 0 is compared.

A board must hold the configuration that --config and --set name: its registers are checked first. Through the UART bridge \
the fabric is reset before the example runs. `portico bridge --golden` serves the reference model in place of a board.";

/// An application that moves data over a fabric and checks itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Example {
    Halo,
    Transpose,
    Buffer,
    Queue,
    Allreduce,
    Alltoall,
    Mpi,
    Portals { unexpected: bool },
    Traffic,
}

impl Example {
    const APPLICATIONS: [Example; 8] = [
        Example::Halo,
        Example::Transpose,
        Example::Buffer,
        Example::Queue,
        Example::Allreduce,
        Example::Alltoall,
        Example::Mpi,
        Example::Portals { unexpected: false },
    ];

    /// Those that a command line names.
    fn all() -> impl Iterator<Item = Example> {
        Self::APPLICATIONS.into_iter().chain([Example::Traffic])
    }

    /// Those of which the memories are compared with golden's.
    pub fn compared() -> impl Iterator<Item = Example> {
        let unexpected = Example::Portals { unexpected: true };
        Self::APPLICATIONS.into_iter().chain([unexpected])
    }

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Example::Halo => "halo",
            Example::Transpose => "transpose",
            Example::Buffer => "buffer",
            Example::Queue => "queue",
            Example::Allreduce => "allreduce",
            Example::Alltoall => "alltoall",
            Example::Mpi => "mpi",
            Example::Portals { unexpected: false } => "portals",
            Example::Portals { unexpected: true } => "portals --unexpected",
            Example::Traffic => "traffic",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Example::Halo => "tiles with blocks of 16x16 words put their edges into their neighbours' borders",
            Example::Transpose => "tiles with rows of a matrix get the same rows of its transpose from each other",
            Example::Buffer => "a tile of 16x16 words goes into the middle of a buffer of 18x18, with one put",
            Example::Queue => "every tile sends messages to a queue of the first one, which the host empties at once",
            Example::Allreduce => {
                "message-passing engines add vectors of 1,024 numbers of all tiles, and all get the sum"
            }
            Example::Alltoall => "every tile sends a block to every tile, by a command list in its memory; twice",
            Example::Mpi => "MPI-like calls scatter, transpose, add and gather a matrix, by engines, puts or the host",
            Example::Portals { .. } => {
                "Portals engines match puts and gets of all tiles, of odd lengths, with wildcards"
            }
            Example::Traffic => "source/sink cores of all tiles send and check packets, and count and time them",
        }
    }

    /// Gives its figures, and lines about what has happened.
    fn run<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(Figures, Vec<String>), Failure> {
        let figures = match self {
            Example::Halo => examples::halo_exchange(fabric),
            Example::Transpose => examples::transpose(fabric),
            Example::Buffer => examples::tile_in_buffer(fabric),
            Example::Queue => examples::many_to_one(fabric),
            Example::Allreduce => examples::allreduce(fabric),
            Example::Alltoall => examples::alltoall(fabric),
            Example::Mpi => examples::mpi(fabric),
            Example::Portals { unexpected: false } => {
                let (figures, events) = examples::portals(fabric)?;
                return Ok((figures, events.iter().map(Event::to_string).collect()));
            }
            Example::Portals { unexpected: true } => {
                let (figures, events) = examples::unexpected(fabric)?;
                return Ok((figures, unexpected::lines(&events)));
            }
            Example::Traffic => unreachable!("measured, not compared"),
        };
        Ok((figures?, vec![]))
    }

    /// A fabric with the engines that it needs.
    pub fn on(self, config: Config) -> Config {
        match self {
            Example::Allreduce => Config {
                mpe: config.mpe.max(1),
                ..config
            },
            Example::Portals { .. } if config.portals == 0 => {
                let enough = RANKS.into_iter().find(|&ranks| ranks >= config.tiles());
                Config {
                    portals: enough.unwrap_or(RANKS[RANKS.len() - 1]),
                    ..config
                }
            }
            _ => config,
        }
    }

    /// The tiles whose memory does not depend on who came first.
    fn ordered_tiles(self, config: &Config) -> Range<usize> {
        let first = usize::from(matches!(self, Example::Queue | Example::Portals { unexpected: false }));
        first..config.tiles()
    }
}

fn example_parser() -> impl TypedValueParser<Value = Example> {
    let names = PossibleValuesParser::new(Example::all().map(Example::name));
    names.map(|name| {
        let named = Example::all().find(|example| example.name() == name);
        named.expect("a name from the list")
    })
}

/// Run an application on Verilog (Verilator), the reference model or a board, and compare what it leaves in memories
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Run {
    /// The application
    #[arg(value_name = "EXAMPLE", value_parser = example_parser(), required_unless_present = "list")]
    example: Option<Example>,
    /// List the applications
    #[arg(long, conflicts_with_all = ["example", "unexpected", "golden", "vcd", "log", "on"])]
    list: bool,
    /// Of portals: half of the messages come before their receives, which find them by their headers
    #[arg(long)]
    unexpected: bool,
    #[command(flatten)]
    config: ConfigArgs,
    /// On the reference model instead, without hardware
    #[arg(long, conflicts_with = "vcd")]
    golden: bool,
    #[command(flatten)]
    board: OnArgs,
    /// Waveform, in VCD
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    /// Of portals in Verilog (Verilator): each step of each engine with its cycle, in CSV
    #[arg(long, value_name = "FILE", conflicts_with_all = ["golden", "on"])]
    log: Option<PathBuf>,
    // The last, since its heading goes over all options behind it.
    #[command(flatten)]
    traffic: TrafficArgs,
}

/// What a run came to.
pub struct Outcome {
    pub figures: Figures,
    /// Cycles with all that went before and after.
    cycles: u64,
    /// Words that are as on a golden fabric; none were compared if the fabric is the golden one.
    compared: Option<usize>,
    /// Lines about what has happened.
    lines: Vec<String>,
}

/// Files of a run on Verilog: written also if it fails.
#[derive(Default)]
pub struct Records {
    /// Waveform; the library is built for one.
    pub vcd: Option<PathBuf>,
    /// Steps of Portals engines; the configuration has key `portals_log`.
    pub log: Option<PathBuf>,
}

/// A figure of a run on a fabric with a clock.
pub struct Measure {
    pub name: &'static str,
    pub value: f64,
    pub unit: &'static str,
}

impl Outcome {
    /// The figures of time and rate, as they are printed.
    pub fn measures(&self) -> Vec<Measure> {
        let Figures { cycles, parts, .. } = self.figures;
        let measure = |name, value, unit| Measure { name, value, unit };
        let whole = match parts {
            Some(_) => "from the launch to the host's knowledge",
            None => "from the first command to the last completion",
        };
        let mut measures = vec![measure(whole, cycles as f64, "cycles")];
        if let Some(parts) = parts {
            measures.extend([
                measure(
                    "  until the first flit on the link that limits",
                    parts.start as f64,
                    "cycles",
                ),
                measure("  from its first to its last flit", parts.transfer as f64, "cycles"),
                measure(
                    "  from its last flit to the host's knowledge",
                    parts.notice as f64,
                    "cycles",
                ),
                measure("share of that link, first to last flit", 100.0 * parts.share(), "%"),
            ]);
        }
        measures.push(measure("rate", self.figures.rate(), "bytes/cycle"));
        measures.push(measure("simulated in all", self.cycles as f64, "cycles"));
        measures
    }
}

impl Measure {
    /// Its value, as it is printed.
    fn text(&self) -> String {
        match self.unit {
            "%" => format!("{:.0}", self.value),
            "cycles" => grouped(self.value as u64),
            _ => format!("{:.2}", self.value),
        }
    }
}

/// Which fabric the example ran on.
#[derive(Clone, Copy)]
enum Place<'a> {
    Golden,
    Verilated,
    Board(&'a Port),
}

impl Run {
    pub fn run(self) -> anyhow::Result<()> {
        let Some(example) = self.example else {
            let rows = Example::all().map(|example| vec![example.name().to_owned(), example.about().to_owned()]);
            return output::print(&table(&["example", "what it does"], rows, &[]));
        };
        let of_portals = [("--unexpected", self.unexpected), ("--log", self.log.is_some())];
        let given = of_portals.into_iter().find(|(_, is_given)| *is_given);
        let example = match (example, given) {
            (Example::Portals { .. }, _) => Example::Portals {
                unexpected: self.unexpected,
            },
            (_, None) => example,
            (_, Some((option, _))) => {
                return Err(not_allowed(format!(
                    "{option} is an option of portals, not of {}",
                    example.name()
                )))
            }
        };
        self.config.refuse("run", &FABRIC_DECIDES)?;
        let config = match self.board.is_serial() {
            true => self.config.on_board()?,
            false => self.config.resolve()?,
        };
        let config = config.fabric().map_err(not_allowed)?;
        if example == Example::Traffic {
            return traffic::run(&self.traffic, &config, self.golden, &self.board, self.vcd);
        }
        if let Some(option) = self.traffic.given() {
            return Err(not_allowed(format!(
                "{option} is an option of traffic, not of {}",
                example.name()
            )));
        }
        let config = example.on(config);
        let config = Config {
            portals_log: config.portals_log || self.log.is_some(),
            ..config
        };
        config.validate().map_err(not_allowed)?;
        let (place, outcome) = match self.board.open(&config)? {
            Some((port, transport)) => (Place::Board(port), on_board(example, &config, transport)),
            None if self.golden => (Place::Golden, golden(example, &config).map(|(outcome, _)| outcome)),
            None => {
                let records = Records {
                    vcd: self.vcd,
                    log: self.log,
                };
                (Place::Verilated, verilated(example, &config, records))
            }
        };
        let outcome = outcome.with_context(|| format!("example {} fails", example.name()))?;
        output::print(&text(example, &config, place, &outcome))
    }
}

fn golden(example: Example, config: &Config) -> anyhow::Result<(Outcome, Fabric<GoldenTransport>)> {
    let mut fabric = Fabric::open(GoldenTransport::new(config)?)?;
    let (figures, lines) = example.run(&mut fabric)?;
    let outcome = Outcome {
        figures,
        cycles: fabric.transport().cycles(),
        compared: None,
        lines,
    };
    Ok((outcome, fabric))
}

fn verilated(example: Example, config: &Config, records: Records) -> anyhow::Result<Outcome> {
    let options = Options {
        trace: records.vcd.as_ref().map_or(Trace::None, |_| Trace::Vcd),
        ..Options::default()
    };
    let design = design("fabric", config)?;
    let (library, _) = model::build(&design, &options)?;
    let spinner = progress::spinner(format!("running {}", example.name()));
    let outcome = on_library(example, config, &library, records);
    spinner.finish_and_clear();
    outcome
}

/// Runs the example on a fabric of `library`, and compares what is in memories afterwards with golden's.
///
/// # Errors
/// The fabric or the example does something wrong, or a record cannot be written.
pub fn on_library(example: Example, config: &Config, library: &Library, records: Records) -> anyhow::Result<Outcome> {
    let mut fabric = hardware::fabric_of(library, config, hardware::MEMORY)?;
    let waveform = records.vcd.map(|file| Waveform::start(&file, fabric.model()));
    let waveform = waveform.transpose()?;
    if records.log.is_some() {
        fabric.log_portals();
    }
    let outcome = Fabric::open(&mut fabric).map_err(Into::into);
    let outcome = outcome.and_then(|fabric| compared(example, config, fabric));
    // A run that failed is the one whose records are wanted.
    waveform.map(|waveform| waveform.finish(fabric.model())).transpose()?;
    if let Some(file) = records.log {
        let mut output = Output::default();
        output.add(file, steps::csv(&fabric.portals_steps()));
        output.commit()?;
    }
    outcome.map_err(|error| match hardware::timed_out(&error) {
        true => hardware::with_movement(&error, &fabric.movement()),
        false => error,
    })
}

fn on_board(example: Example, config: &Config, mut transport: Box<dyn Transport>) -> anyhow::Result<Outcome> {
    let fabric = on_board::fabric(&mut *transport)?;
    let spinner = progress::spinner(format!("running {}", example.name()));
    let outcome = compared(example, config, fabric);
    spinner.finish_and_clear();
    outcome
}

/// Words behind the last that golden has written that must have stayed as they were.
const MARGIN: usize = 64;

/// Runs the example on a golden fabric and on `fabric`, and compares what is in memories afterwards.
fn compared<T: Transport>(example: Example, config: &Config, mut fabric: Fabric<T>) -> anyhow::Result<Outcome> {
    let (golden, mut model) = golden(example, config)?;
    let mut memories = vec![];
    for tile in example.ordered_tiles(config) {
        let mut expected = model.read(tile, 0, model.memory_bytes(tile)? as usize / 4)?;
        let used = expected.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        let used = used.next_multiple_of(2);
        expected.truncate(used + MARGIN);
        // A word that golden leaves 0 may be one that the example never writes. A board can still have one of an earlier example.
        for zeros in with_zeros(&expected) {
            fabric.write(tile, 4 * zeros.start as u32, &vec![0; zeros.len()])?;
        }
        memories.push((tile, expected));
    }
    let (figures, lines) = example.run(&mut fabric)?;
    let cycles = fabric.transport().cycles();
    ensure!(
        figures.bytes == golden.figures.bytes,
        "{} bytes were moved, expected {}",
        figures.bytes,
        golden.figures.bytes
    );
    let mut words = 0;
    for (tile, expected) in memories {
        let found = fabric.read(tile, 0, expected.len())?;
        if let Some(at) = (0..found.len()).find(|&at| found[at] != expected[at]) {
            anyhow::bail!(
                "tile {tile}, byte {:#x}: found {:#x}, on the reference model {:#x}",
                4 * at,
                found[at],
                expected[at]
            );
        }
        words += found.len();
    }
    Ok(Outcome {
        figures,
        cycles,
        compared: Some(words),
        lines,
    })
}

/// The pieces of `words` in which some word of each pair is 0. A pair is a word of a fabric of 64 bits.
fn with_zeros(words: &[u32]) -> Vec<Range<usize>> {
    let mut pieces: Vec<Range<usize>> = vec![];
    for (at, pair) in words.chunks(2).enumerate().filter(|(_, pair)| pair.contains(&0)) {
        let (first, end) = (2 * at, 2 * at + pair.len());
        match pieces.last_mut().filter(|piece| piece.end == first) {
            Some(piece) => piece.end = end,
            None => pieces.push(first..end),
        }
    }
    pieces
}

fn text(example: Example, config: &Config, place: Place, outcome: &Outcome) -> String {
    let Outcome {
        figures,
        compared,
        lines: events,
        ..
    } = outcome;
    let Config { cols, rows, width, .. } = config;
    let on = match place {
        Place::Golden => "reference model, without time".to_owned(),
        Place::Verilated => "Verilog (Verilator)".to_owned(),
        Place::Board(port) => format!("on a board, {port}"),
    };
    let mut lines = vec![
        ("example", example.name().to_owned(), ""),
        ("fabric", format!("{cols}x{rows}, {width} bits, {on}"), ""),
        ("payload moved", grouped(figures.bytes), "bytes"),
    ];
    // The golden model has no time, and the driver does not see the clock of a board.
    if matches!(place, Place::Verilated) {
        lines.extend(
            outcome
                .measures()
                .iter()
                .map(|measure| (measure.name, measure.text(), measure.unit)),
        );
    }
    lines.push(("result checked by the example", "all equal".to_owned(), ""));
    match compared {
        Some(0) => lines.push((
            "memories checked against the reference model",
            "none: their contents depend on the order of arrival".to_owned(),
            "",
        )),
        Some(words) => lines.push((
            "memories checked against the reference model, all equal",
            grouped(*words as u64),
            "words",
        )),
        None => {}
    }
    let lines = lines
        .into_iter()
        .map(|(name, value, unit)| vec![name.to_owned(), value, unit.to_owned()]);
    let mut text = table(&["figure", "value", "unit"], lines, &[1]);
    if !events.is_empty() {
        let what = match example {
            Example::Portals { unexpected: true } => "Events of tile 0, in their order, and its lists after each",
            _ => "Events of tile 0, in their order",
        };
        text += &format!("\n{what}:\n\n  {}\n", events.join("\n  "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico::TransportError;

    fn config() -> Config {
        let small = Config {
            cols: 2,
            rows: 2,
            scratchpad: 16,
            ..Config::default()
        };
        small.fabric().unwrap()
    }

    /// A golden fabric that changes a word behind the driver's back, at one of the host's writes.
    struct Faulty {
        transport: GoldenTransport,
        writes: usize,
        fault: usize,
        address: u32,
    }

    impl Faulty {
        fn new(example: Example, fault: usize, address: u32) -> Self {
            Faulty {
                transport: GoldenTransport::new(&example.on(config())).unwrap(),
                writes: 0,
                fault,
                address,
            }
        }
    }

    impl Transport for Faulty {
        portico::forward_transport!(transport: config, read, cycles, wait, interrupt);

        fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError> {
            self.writes += 1;
            if self.writes == self.fault {
                self.transport.fabric().write(3, self.address, 0xbad);
            }
            self.transport.write(address, value)
        }
    }

    #[test]
    fn pieces_with_zeros_are_whole_pairs() {
        assert_eq!(with_zeros(&[1, 2, 0, 3, 4, 0, 5, 6, 7, 0]), [2..6, 8..10]);
        assert!(with_zeros(&[1, 2]).is_empty());
        assert_eq!(with_zeros(&[0; 5])[0], 0..5);
    }

    #[test]
    fn every_example_is_as_on_the_golden_fabric() {
        for example in Example::compared() {
            let config = example.on(config());
            let transport = GoldenTransport::new(&config).unwrap();
            let outcome = compared(example, &config, Fabric::open(transport).unwrap()).unwrap();
            assert!(outcome.compared.unwrap() > 50, "{example:?}");
            assert!(text(example, &config, Place::Verilated, &outcome).contains("checked against the reference model"));
            let (outcome, _) = golden(example, &config).unwrap();
            assert!(!text(example, &config, Place::Golden, &outcome).contains("against the reference model"));
        }
    }

    #[test]
    fn a_word_that_no_example_looks_at_is_compared_too() {
        let mut good = Faulty::new(Example::Transpose, 0, 0x40);
        compared(Example::Transpose, &config(), Fabric::open(&mut good).unwrap()).unwrap();
        // Shortly before the end the example has ended, and the last tile's memory is not yet read.
        let mut faulty = Faulty::new(Example::Transpose, good.writes - 5, 0x40);
        let error = compared(Example::Transpose, &config(), Fabric::open(&mut faulty).unwrap())
            .err()
            .unwrap();
        let text = error.to_string();
        assert!(
            text.starts_with("tile 3, byte 0x40: found 0xbad, on the reference model 0x"),
            "{text}"
        );
    }

    /// Tile 3 has its first block of Overflow at 0x180, its first receive for a later message at 0x280.
    #[test]
    fn bytes_of_expected_and_of_unexpected_messages_are_checked() {
        let example = Example::Portals { unexpected: true };
        let mut good = Faulty::new(example, 0, 0);
        example.run(&mut Fabric::open(&mut good).unwrap()).unwrap();
        for address in [0x188, 0x288] {
            // All messages have come, and the interfaces are not yet closed.
            let mut faulty = Faulty::new(example, good.writes * 3 / 4, address);
            let failure = example.run(&mut Fabric::open(&mut faulty).unwrap()).err().unwrap();
            let text = failure.to_string();
            assert!(
                text.starts_with(&format!("node 3, byte {address:#x}: found 0xbad, expected 0x")),
                "{text}"
            );
        }
    }
}
