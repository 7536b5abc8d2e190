//! Freedom from deadlock: shown of a network before any text of it is written.

use crate::{Error, Top};
use portico_spec::{
    deadlock::{self, Proof},
    Config,
};

/// Shows that a mesh of this configuration is free of deadlock.
///
/// # Errors
/// The cycle in which packets could wait for each other.
pub fn mesh(config: &Config) -> Result<Proof, Error> {
    deadlock::prove(config).map_err(|source| Error::Deadlock {
        network: "mesh",
        source,
    })
}

/// Shows that a fabric of this configuration is free of deadlock, with the waits of its nodes.
///
/// # Errors
/// The cycle in which packets could wait for each other; or the configuration is not valid.
pub fn fabric(config: &Config) -> Result<Proof, Error> {
    deadlock::fabric::prove_fabric(&config.fabric()?).map_err(|source| Error::Deadlock {
        network: "fabric",
        source,
    })
}

/// The proof of a block that is a network.
///
/// # Errors
/// As [`mesh`] and [`fabric`].
pub fn of(top: &Top, config: &Config) -> Result<Option<Proof>, Error> {
    match top.name {
        "mesh" => mesh(config).map(Some),
        "fabric" | "board" => fabric(config).map(Some),
        _ => Ok(None),
    }
}

/// What a proof of a block says, in one line.
pub fn line(block: &str, proof: &Proof) -> String {
    let Proof { channels, dependencies } = proof;
    format!("{block} free of deadlock: {channels} channels, {dependencies} dependencies between them, no cycle")
}
