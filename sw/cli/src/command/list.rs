//! `portico list`: what there is to choose from.

use crate::{output, table::folded};
use clap::Args;
use portico_generate::TOPS;
use portico_spec::{config::PROFILES, Config};
use portico_synth::{Board, Target};
use portico_testbench::{
    bench::report::{setting, settings},
    traffic::Pattern,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Widest cell of a table, so that all of it fits on a screen.
const WIDEST: usize = 44;

const EXAMPLES: &str = "\
Examples:
  portico list                            tables
  portico list --json                     the same for programs";

/// List the blocks, the keys of the configuration, the traffic patterns, and the boards
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct List {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// All that there is.
#[derive(Serialize)]
struct Choices {
    blocks: Vec<BlockChoice>,
    keys: Vec<KeyChoice>,
    profiles: Vec<ProfileChoice>,
    boards: Vec<BoardChoice>,
    patterns: Vec<&'static str>,
}

#[derive(Serialize)]
struct BlockChoice {
    name: &'static str,
    about: &'static str,
    /// Keys that shape it.
    keys: &'static [&'static str],
}

#[derive(Serialize)]
struct KeyChoice {
    name: &'static str,
    allowed: String,
    default: Value,
    about: &'static str,
}

#[derive(Serialize)]
struct ProfileChoice {
    name: &'static str,
    about: &'static str,
    /// Values of the keys that it sets.
    settings: BTreeMap<String, Value>,
}

#[derive(Serialize)]
struct BoardChoice {
    name: String,
    about: String,
    fpga: String,
    oscillator_mhz: f64,
    /// The command that serves it.
    command: &'static str,
}

impl List {
    pub fn run(self) -> anyhow::Result<()> {
        let choices = choices();
        match self.json {
            true => output::print(&(serde_json::to_string_pretty(&choices)? + "\n")),
            false => output::print(&text(choices)),
        }
    }
}

fn choices() -> Choices {
    let blocks = TOPS.iter().map(|top| BlockChoice {
        name: top.name,
        about: top.about,
        keys: top.keys,
    });
    let keys = Config::fields().iter().map(|field| KeyChoice {
        name: field.name,
        allowed: field.allowed.to_string(),
        default: setting(field.default.to_owned()),
        about: field.doc,
    });
    let profiles = PROFILES.iter().map(|profile| ProfileChoice {
        name: profile.name,
        about: profile.doc,
        settings: settings(profile.settings.iter().map(|setting| {
            let (key, value) = setting.split_once('=').expect("a setting of a key");
            (key, value.to_owned())
        })),
    });
    let boards = Board::all().into_iter().map(|board| BoardChoice {
        name: board.name.to_owned(),
        about: board.title,
        fpga: board.part,
        oscillator_mhz: board.clock.mhz,
        command: match board.family {
            Target::Ecp5 => "bitstream",
            Target::Xilinx => "vivado",
        },
    });
    Choices {
        blocks: blocks.collect(),
        keys: keys.collect(),
        profiles: profiles.collect(),
        boards: boards.collect(),
        patterns: Pattern::ALL.map(Pattern::name).to_vec(),
    }
}

fn text(choices: Choices) -> String {
    let blocks = choices.blocks.iter().map(|block| {
        let keys = match block.keys.is_empty() {
            true => "-".to_owned(),
            false => block.keys.join(", "),
        };
        vec![block.name.to_owned(), block.about.to_owned(), keys]
    });
    let keys = choices.keys.into_iter().map(|key| {
        vec![
            key.name.to_owned(),
            key.allowed,
            key.default.to_string(),
            key.about.to_owned(),
        ]
    });
    let profiles = PROFILES.iter().map(|profile| {
        let name = profile.name.to_owned();
        vec![name, profile.doc.to_owned(), profile.settings.join(", ")]
    });
    let boards = choices.boards.into_iter().map(|board| {
        vec![
            board.name,
            board.about,
            board.fpga,
            format!("{} MHz", board.oscillator_mhz),
            board.command.to_owned(),
        ]
    });
    let patterns: String = choices.patterns.iter().map(|pattern| format!(" {pattern}\n")).collect();
    format!(
        "Blocks, for `generate` and `synth`:\n\n{}\n\
         Configuration, for `--set key=value` and files of `key = value` lines:\n\n{}\n\
         Profiles, for `--set profile=name`, which makes many settings at once:\n\n{}\n\
         Boards, for `--board`:\n\n{}\n\
         Traffic patterns, for `sim --traffic`:\n\n{patterns}",
        folded(&["block", "what it is", "keys that shape it"], blocks, &[], WIDEST),
        folded(&["key", "allowed", "default", "what it means"], keys, &[], WIDEST),
        folded(&["profile", "what it is for", "what it sets"], profiles, &[], WIDEST),
        folded(
            &["board", "what it is", "FPGA", "oscillator", "command"],
            boards,
            &[3],
            WIDEST
        ),
    )
}
