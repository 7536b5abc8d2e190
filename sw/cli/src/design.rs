//! From a configuration to Verilog.

use crate::failure::not_allowed;
use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use portico_hdl::top::{Top, TOPS};
use portico_spec::{
    deadlock::{self, Proof},
    Config,
};
use portico_verilog::{Design, Options};

/// Prefix of all module names unless the user gives another.
pub const PREFIX: &str = "portico";

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

/// Name and version of this program, as Verilog and reports state it.
pub fn generator() -> String {
    format!("Portico {}", env!("CARGO_PKG_VERSION"))
}

/// The keys of `config` that shape `top`, with their values.
pub fn configuration(top: &Top, config: &Config) -> Vec<(String, String)> {
    let entries = config.entries().into_iter();
    let own = entries.filter(|(key, _)| top.keys.contains(key));
    own.map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Shows that a network of this configuration is free of deadlock.
///
/// # Errors
/// The cycle in which packets could wait for each other.
pub fn prove(config: &Config) -> anyhow::Result<Proof> {
    deadlock::prove(config).context("the mesh is not free of deadlock")
}

/// What a proof says, in one line.
pub fn proof_line(proof: &Proof) -> String {
    let Proof { channels, dependencies } = proof;
    format!("free of deadlock: {channels} channels, {dependencies} dependencies between them, no cycle")
}

/// The Verilog of `top`.
///
/// # Errors
/// The backend refuses the block.
pub fn emit(top: &Top, config: &Config, prefix: &str) -> anyhow::Result<Design> {
    let options = Options {
        generator: generator(),
        prefix: prefix.to_owned(),
        block: top.name.to_owned(),
        configuration: configuration(top, config),
        keep_apart: top.keep_apart.iter().map(|&path| path.to_owned()).collect(),
    };
    let block = top.elaborate(config);
    portico_verilog::emit(&*block, &options).with_context(|| format!("no Verilog of {}", top.name))
}

/// The Verilog of the mesh, once it is shown to be free of deadlock.
///
/// # Errors
/// It is not, or the backend refuses it.
pub fn mesh(config: &Config) -> anyhow::Result<Design> {
    prove(config)?;
    emit(block("mesh"), config, PREFIX)
}

/// Refuses settings that `what` decides itself.
///
/// # Errors
/// One of `keys` is among `decided`.
pub fn refuse_decided<'a>(what: &str, decided: &[&str], mut keys: impl Iterator<Item = &'a str>) -> anyhow::Result<()> {
    match keys.find(|key| decided.contains(key)) {
        Some(key) => Err(not_allowed(format!(
            "{what} decides {key} itself: leave out --set {key}=..."
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_keys_that_shape_a_block_are_recorded() {
        let keys = |name| {
            let entries = configuration(block(name), &Config::default());
            entries.into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        };
        assert_eq!(keys("fifo"), ["width", "fifo"]);
        assert_eq!(keys("credit-counter"), [""; 0]);
    }

    #[test]
    fn keys_of_blocks_are_keys_of_the_configuration() {
        for top in TOPS {
            assert_eq!(
                configuration(top, &Config::default()).len(),
                top.keys.len(),
                "{}",
                top.name
            );
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
