//! What the commands for boards share: the board, the fabric on it, and its rates.

use crate::{
    config_args::{told_of_registers, ConfigArgs, FABRIC_DECIDES},
    design,
    failure::not_allowed,
    fits, output,
};
use clap::{
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
    Arg, Args,
};
use portico_spec::{uart::DEFAULT_BAUD, Config};
use portico_synth::{board_design, Board, Rates, SynthError, Target};
use portico_verilog::Design;

/// The block that is the core on a board.
const CORE: &str = "board";

/// The board, and the fabric on it.
#[derive(Args)]
pub struct BoardArgs {
    /// Board; `portico list` tells what each is
    #[arg(long, value_parser = board_parser(&Target::ALL))]
    pub board: Board,
    #[command(flatten)]
    config: ConfigArgs,
    /// Clock of the fabric in MHz, which the PLL of the board makes [default: 50]
    #[arg(long, value_name = "MHZ")]
    clock: Option<f64>,
    /// Baud rate of the serial line
    #[arg(long, default_value_t = DEFAULT_BAUD)]
    baud: u32,
    /// Go on although the fabric takes more than the FPGA has, by the sums of docs/area.md
    #[arg(long)]
    force: bool,
}

/// A fabric for a board.
pub struct OnBoard {
    /// The board.
    pub board: Board,
    /// The configuration of the fabric.
    pub config: Config,
    /// Clock and baud rate.
    pub rates: Rates,
}

/// Reads the name of a board, and lists those with an FPGA of these families. It reads the other names too, because
/// [`BoardArgs::resolve`] tells the command for them.
pub fn board_parser(families: &[Target]) -> impl TypedValueParser<Value = Board> {
    let boards = Board::all().into_iter();
    let names = boards.map(|board| PossibleValue::new(board.name).hide(!families.contains(&board.family)));
    PossibleValuesParser::new(names.collect::<Vec<_>>()).try_map(|name| Board::named(&name))
}

/// The option `--board` of a command that is for `family` alone.
pub fn of_family(board: Arg, family: Target) -> Arg {
    board.value_parser(board_parser(&[family]))
}

impl BoardArgs {
    /// Checks all that can be checked before Verilog is generated, for the command `what` that is for `family` alone. Prints a
    /// line if there is a register before each tile, as there is unless the settings leave it out.
    ///
    /// # Errors
    /// The FPGA is of another family, the configuration is not allowed on a board, the PLL does not make the clock, the clock
    /// not the baud rate, or the FPGA does not hold the fabric.
    pub fn resolve(&self, what: &str, family: Target) -> anyhow::Result<OnBoard> {
        let board = self.board.clone();
        board.expect(family).map_err(refusal)?;
        self.config.refuse(what, &FABRIC_DECIDES)?;
        let config = self.config.on_board()?;
        if config.memories > 0 {
            return Err(not_allowed(format!(
                "memories = {} is not allowed on {}: allowed is 0, the board top connects no external memory",
                config.memories, board.name
            )));
        }
        let clock = self.clock.unwrap_or(board.clock.fabric_mhz);
        let rates = Rates::new(&board, clock, self.baud).map_err(refusal)?;
        fits::check(&board, &config, self.force)?;
        output::print(told_of_registers(&config))?;
        Ok(OnBoard { board, config, rates })
    }
}

impl OnBoard {
    /// The Verilog of the fabric within the top of the board.
    ///
    /// # Errors
    /// The generator refuses the configuration.
    pub fn design(&self) -> anyhow::Result<Design> {
        let core = design::design(CORE, &self.config)?;
        board_design(&self.board, &core, &self.rates).map_err(refusal)
    }
}

/// Tells what may not be asked for from what went wrong.
pub fn refusal(error: SynthError) -> anyhow::Error {
    match error {
        SynthError::Family { .. }
        | SynthError::ClockRange { .. }
        | SynthError::ClockNear { .. }
        | SynthError::Baud { .. }
        | SynthError::SeedCount => not_allowed(error),
        _ => error.into(),
    }
}
