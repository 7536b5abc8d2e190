//! From a configuration to Verilog.

use crate::failure::not_allowed;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use portico_generate::{Error, Top, TOPS};
use portico_spec::{deadlock::Proof, Config};
use portico_verilog::Design;
use serde::Serialize;

/// Reads the name of a block.
pub fn block_parser() -> impl TypedValueParser<Value = &'static Top> {
    let names = TOPS.iter().map(|top| PossibleValue::new(top.name).help(top.about));
    PossibleValuesParser::new(names).map(|name| block(&name))
}

/// The block of this name.
///
/// # Panics
/// There is none.
pub fn block(name: &str) -> &'static Top {
    Top::named(name).expect("a name from the list of blocks")
}

/// Reads a prefix of module names: an identifier of Verilog.
pub fn prefix(text: &str) -> Result<String, String> {
    let is_word = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match is_word && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        true => Ok(text.to_owned()),
        false => Err("allowed are letters, digits and _, a digit not first".into()),
    }
}

/// Figures of a network's proof that it is free of deadlock.
#[derive(Serialize)]
pub struct ProofFigures {
    /// Channels that packets hold while they wait for others.
    channels: usize,
    /// Pairs of channels of which one waits for the other.
    dependencies: usize,
}

impl From<Proof> for ProofFigures {
    fn from(Proof { channels, dependencies }: Proof) -> Self {
        Self { channels, dependencies }
    }
}

/// Version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What the generator refuses, as an error of this program.
pub fn refusal(error: Error) -> anyhow::Error {
    match error {
        Error::Config(error) => not_allowed(error),
        Error::BoardMemories { .. } => not_allowed(error),
        error => error.into(),
    }
}

/// The Verilog of the block of this name, proven first if it is a network.
///
/// # Errors
/// The proof fails, or the backend refuses the block.
pub fn design(name: &str, config: &Config) -> anyhow::Result<Design> {
    portico_generate::design(name, config).map_err(refusal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_an_identifier() {
        for good in ["portico", "_a1", "Chip"] {
            assert_eq!(prefix(good), Ok(good.to_owned()));
        }
        for bad in ["", "1a", "a-b", "a b", "ä", "a$"] {
            assert!(prefix(bad).is_err(), "{bad}");
        }
    }
}
