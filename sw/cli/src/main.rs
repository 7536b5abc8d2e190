//! The program `portico`.
//!
//! It generates the Verilog of a block from a configuration, simulates, measures and synthesises it. Each subcommand has
//! a file in `command`. `portico --help` lists the subcommands.

mod command;
mod config_args;
mod design;
mod failure;
mod figure_files;
mod fits;
mod loads;
mod model;
mod on_board;
mod output;
mod plot;
mod progress;
mod table;
mod waveform;

use clap::Parser;
use std::{io::IsTerminal, process::ExitCode};
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let arguments = command::Arguments::parse();
    let level = ["warn", "info", "debug", "trace"][usize::from(arguments.verbose).min(3)];
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(level))
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .without_time()
        .with_target(false)
        .init();
    match arguments.command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", failure::message(&error));
            failure::status(&error)
        }
    }
}
