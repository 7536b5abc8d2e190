//! The commands, a file each.

mod bench;
mod bitstream;
mod board;
#[cfg(unix)]
mod bridge;
mod check;
mod completions;
mod doctor;
mod figures;
mod generate;
mod list;
mod new;
mod program;
mod registers;
mod run;
mod sim;
mod sweep;
mod synth;
mod tools;
mod vivado;

use clap::{ArgAction, Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  portico list                            what there is: blocks, keys, traffic patterns
  portico generate mesh --set cols=8 --set rows=8 --out build/mesh8
  portico registers --form c              a header for software on a fabric
  portico sim mesh --traffic uniform --rate 0.3 --packet 4 --cycles 20000 --seed 1
  portico sweep examples/sweep.toml --out build/sweep --jobs 2
                                          meshes, calls or applications, resumed where it stopped
  portico sim fabric --workload soak --cycles 100000 --resets
  portico run halo                        an application on the Verilog (Verilator) of a 4x4 fabric
  portico run halo --on serial:/dev/ttyUSB0
                                          the same on a board
  portico bench noc --json build/noc.json --svg build/noc.svg
  portico synth router --target ecp5
  portico bitstream --board ulx3s-85f --set cols=2 --set rows=1 --out build/ulx3s
  portico vivado --board arty-a7-100t --set cols=2 --set rows=1 --out build/arty

Exit status: 0 done, 1 failed, 2 not allowed as asked.";

/// From one configuration to the Verilog of a message-passing fabric, to traffic on it, to its figures
#[derive(Parser)]
#[command(name = "portico", version, after_help = EXAMPLES, max_term_width = 100, arg_required_else_help = true)]
pub struct Arguments {
    /// Log each step on standard error; given twice, also log the command lines of the tools
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    List(list::List),
    New(new::New),
    Check(check::Check),
    Generate(generate::Generate),
    Registers(registers::Registers),
    Sim(sim::Sim),
    Sweep(sweep::Sweep),
    Run(run::Run),
    #[cfg(unix)]
    Bridge(bridge::Bridge),
    Bench(bench::Bench),
    // For those who write the pages of Portico, in a checkout: the list of commands leaves it out.
    #[command(hide = true)]
    Figures(figures::Figures),
    Synth(synth::Synth),
    Bitstream(bitstream::Bitstream),
    Vivado(vivado::Vivado),
    Program(program::Program),
    Doctor(doctor::Doctor),
    Tools(tools::Tools),
    Completions(completions::Completions),
}

impl Command {
    /// Does it.
    ///
    /// # Errors
    /// It fails, or is not allowed as asked: see [`crate::failure`].
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Command::List(list) => list.run(),
            Command::New(new) => new.run(),
            Command::Check(check) => check.run(),
            Command::Generate(generate) => generate.run(),
            Command::Registers(registers) => registers.run(),
            Command::Sim(sim) => sim.run(),
            Command::Sweep(sweep) => sweep.run(),
            Command::Run(run) => run.run(),
            #[cfg(unix)]
            Command::Bridge(bridge) => bridge.run(),
            Command::Bench(bench) => bench.run(),
            Command::Figures(figures) => figures.run(),
            Command::Synth(synth) => synth.run(),
            Command::Bitstream(bitstream) => bitstream.run(),
            Command::Vivado(vivado) => vivado.run(),
            Command::Program(program) => program.run(),
            Command::Doctor(doctor) => doctor.run(),
            Command::Tools(tools) => tools.run(),
            Command::Completions(completions) => completions.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn figures_work_without_a_place_in_the_list_of_commands() {
        assert!(!Arguments::command().render_help().to_string().contains("figures  "));
        let parsed = Arguments::try_parse_from(["portico", "figures", "--check"]);
        assert!(matches!(parsed.unwrap().command, Command::Figures(_)));
    }

    #[test]
    fn a_command_for_boards_lists_those_that_it_takes() {
        let program = Arguments::command();
        let listed = |command: &str| {
            let command = program.find_subcommand(command).expect("a command for boards");
            let board = command.get_arguments().find(|argument| argument.get_id() == "board");
            let values = board.expect("an option for the board").get_possible_values();
            let shown = values.into_iter().filter(|value| !value.is_hide_set());
            shown.map(|value| value.get_name().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(listed("bitstream"), ["ulx3s-85f", "ecpix5-85f"]);
        assert_eq!(listed("vivado"), ["arty-a7-35t", "arty-a7-100t"]);
        assert_eq!(
            listed("program"),
            ["ulx3s-85f", "ecpix5-85f", "arty-a7-35t", "arty-a7-100t"]
        );
    }

    #[test]
    fn a_board_of_the_other_family_is_parsed_for_a_message_that_helps() {
        let parsed = Arguments::try_parse_from(["portico", "bitstream", "--board", "arty-a7-35t"]);
        let Command::Bitstream(bitstream) = parsed.unwrap().command else {
            panic!("another command");
        };
        assert_eq!(
            bitstream.run().unwrap_err().to_string(),
            "arty-a7-35t has an FPGA of xilinx: use `portico vivado` for a project, and Vivado for the bitstream"
        );
        let parsed = Arguments::try_parse_from(["portico", "bitstream", "--board", "ulx4s-85f"]);
        let error = parsed.err().expect("no such board").to_string();
        assert!(error.contains("[possible values: ulx3s-85f, ecpix5-85f]"), "{error}");
    }
}
