//! `portico bridge`: a simulated board behind a pseudo-terminal.

use crate::{
    config_args::{settings, told_of_registers, ConfigArgs, FABRIC_DECIDES},
    design::{design, refusal},
    failure::not_allowed,
    model,
    on_board::SIMULATED_PATIENCE,
    output,
};
use clap::Args;
use portico::{
    serial::{Board, Terminal},
    GoldenTransport,
};
use portico_golden::Bridge as GoldenBridge;
use portico_sim::SimulatedBoard;
use portico_spec::ni::registers::SPACE_BYTES;

const EXAMPLES: &str = "\
Examples:
  portico bridge --set cols=2 --set rows=1    the Verilog of a board
  portico bridge --golden                     the reference model, which is faster and has no time
  portico bridge --golden --once --set cols=2 --set rows=2

It prints the path of the terminal and the command of a host that uses it. Hosts use it one after the other, with frames of \
Portico or as LiteX's UARTBone, until Ctrl-C.";

/// Serve a board behind a pseudo-terminal, in Verilog (Verilator) or the reference model: to try the serial driver without hardware
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Bridge {
    /// The reference models of fabric and bridge, without hardware
    #[arg(long)]
    golden: bool,
    /// End when the first host closes the terminal
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

impl Bridge {
    pub fn run(self) -> anyhow::Result<()> {
        self.config.refuse("bridge", &FABRIC_DECIDES)?;
        let config = self.config.on_board()?;
        let mut set = settings(&config);
        if !self.golden {
            set += &format!(" --patience {SIMULATED_PATIENCE}");
        }
        let config = config.fabric().map_err(not_allowed)?;
        if config.memories > 0 {
            return Err(refusal(portico_generate::Error::BoardMemories {
                memories: config.memories,
            }));
        }
        let mut board: Box<dyn Board> = match self.golden {
            true => Box::new(GoldenBridge::new(GoldenTransport::new(&config)?, SPACE_BYTES as u32)),
            false => {
                let (library, _) = model::build(&design("board", &config)?, &Default::default())?;
                Box::new(SimulatedBoard::new(&library)?)
            }
        };
        let mut terminal = Terminal::open()?;
        output::print(&format!(
            "serving the {} of {}x{} tiles; a host begins with:\n  portico run halo --on serial:{}{set}\n{}",
            if self.golden {
                "reference model"
            } else {
                "Verilog (Verilator)"
            },
            config.cols,
            config.rows,
            terminal.path(),
            told_of_registers(&config)
        ))?;
        serve(&mut terminal, &mut *board, self.once)
    }
}

/// Serves `board`, until its first host has gone if `once`.
fn serve(terminal: &mut Terminal, board: &mut dyn Board, once: bool) -> anyhow::Result<()> {
    let mut was_open = false;
    loop {
        let is_open = terminal.serve(board)?;
        if once && was_open && !is_open {
            return Ok(());
        }
        was_open |= is_open;
    }
}
