//! `portico list`: what there is to choose from.

use crate::{output, table::folded};
use clap::Args;
use portico_generate::TOPS;
use portico_spec::{config::PROFILES, Config};
use portico_synth::{Board, Target};
use portico_testbench::traffic::Pattern;

/// Widest cell of a table, so that all of it fits on a screen.
const WIDEST: usize = 44;

/// List the blocks, the keys of the configuration, the traffic patterns, and the boards
#[derive(Args)]
pub struct List {}

impl List {
    pub fn run(self) -> anyhow::Result<()> {
        output::print(&text())
    }
}

fn text() -> String {
    let blocks = TOPS.iter().map(|top| {
        let keys = if top.keys.is_empty() {
            "-".to_owned()
        } else {
            top.keys.join(", ")
        };
        vec![top.name.to_owned(), top.about.to_owned(), keys]
    });
    let keys = Config::fields().iter().map(|field| {
        vec![
            field.name.to_owned(),
            field.allowed.to_string(),
            field.default.to_owned(),
            field.doc.to_owned(),
        ]
    });
    let profiles = PROFILES.iter().map(|profile| {
        let name = profile.name.to_owned();
        vec![name, profile.doc.to_owned(), profile.settings.join(", ")]
    });
    let boards = Board::all().into_iter().map(|board| {
        let command = match board.family {
            Target::Ecp5 => "bitstream",
            Target::Xilinx => "vivado",
        };
        let clocks = format!("{} MHz", board.clock.mhz);
        vec![
            board.name.to_owned(),
            board.title,
            board.part,
            clocks,
            command.to_owned(),
        ]
    });
    let patterns = Pattern::ALL.map(|pattern| format!(" {pattern}\n"));
    format!(
        "Blocks, for `generate` and `synth`:\n\n{}\n\
         Configuration, for `--set key=value` and files of `key = value` lines:\n\n{}\n\
         Profiles, for `--set profile=name`, which makes many settings at once:\n\n{}\n\
         Boards, for `--board`:\n\n{}\n\
         Traffic patterns, for `sim --traffic`:\n\n{}",
        folded(&["block", "what it is", "keys that shape it"], blocks, &[], WIDEST),
        folded(&["key", "allowed", "default", "what it means"], keys, &[], WIDEST),
        folded(&["profile", "what it is for", "what it sets"], profiles, &[], WIDEST),
        folded(
            &["board", "what it is", "FPGA", "oscillator", "command"],
            boards,
            &[3],
            WIDEST
        ),
        patterns.concat()
    )
}
