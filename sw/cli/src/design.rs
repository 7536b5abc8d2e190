//! From a configuration to Verilog.

use crate::failure::not_allowed;
use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use portico_hdl::top::{Top, TOPS};
use portico_spec::{
    deadlock::{self, Proof},
    Config,
};
use portico_testbench::hardware;
use portico_verilog::Design;

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

/// Version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Shows that a mesh of this configuration is free of deadlock.
///
/// # Errors
/// The cycle in which packets could wait for each other.
pub fn prove_mesh(config: &Config) -> anyhow::Result<Proof> {
    deadlock::prove(config).context("the mesh is not free of deadlock")
}

/// Shows that a fabric of this configuration is free of deadlock, with the waits of its nodes.
///
/// # Errors
/// The cycle in which packets could wait for each other; or the configuration is not valid.
pub fn prove_fabric(config: &Config) -> anyhow::Result<Proof> {
    let config = config.fabric().map_err(not_allowed)?;
    deadlock::fabric::prove_fabric(&config).context("the fabric is not free of deadlock")
}

/// The proof of a block that is a network.
///
/// # Errors
/// As [`prove_mesh`] and [`prove_fabric`].
pub fn prove(block: &Top, config: &Config) -> anyhow::Result<Option<Proof>> {
    match block.name {
        "mesh" => prove_mesh(config).map(Some),
        "fabric" => prove_fabric(config).map(Some),
        _ => Ok(None),
    }
}

/// What a proof of a block says, in one line.
pub fn proof_line(block: &str, proof: &Proof) -> String {
    let Proof { channels, dependencies } = proof;
    format!("{block} free of deadlock: {channels} channels, {dependencies} dependencies between them, no cycle")
}

/// The Verilog of the mesh, once it is shown to be free of deadlock.
///
/// # Errors
/// It is not, or the backend refuses it.
pub fn mesh(config: &Config) -> anyhow::Result<Design> {
    prove_mesh(config)?;
    hardware::emit(block("mesh"), config, hardware::PREFIX)
}

/// The Verilog of the fabric, once it is shown to be free of deadlock with the waits of its nodes.
///
/// # Errors
/// It is not, or the backend refuses it.
pub fn fabric(config: &Config) -> anyhow::Result<Design> {
    prove_fabric(config)?;
    hardware::emit(block("fabric"), config, hardware::PREFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_blocks_are_keys_of_the_configuration() {
        for top in TOPS {
            let recorded = hardware::configuration(top, &Config::default());
            assert_eq!(recorded.len(), top.keys.len(), "{}", top.name);
        }
    }

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
