//! `portico bench`: figures, each beside the bound that it is held against.

mod blocks;
mod blocks_tables;
mod noc;
mod onesided;
mod onesided_tables;
mod tables;

use clap::{Args, Subcommand};

/// Measure, and print each figure beside its bound
#[derive(Args)]
pub struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Blocks(blocks::Blocks),
    Noc(noc::Noc),
    Onesided(onesided::Onesided),
}

impl Bench {
    pub fn run(self) -> anyhow::Result<()> {
        match self.what {
            What::Blocks(blocks) => blocks.run(),
            What::Noc(noc) => noc.run(),
            What::Onesided(onesided) => onesided.run(),
        }
    }
}
