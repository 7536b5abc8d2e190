//! The Verilog of a top under a configuration.

use crate::{proof, Error, Top};
use portico_spec::{deadlock::Proof, Config};
use portico_verilog::{emit, Design, Options};

/// Beginning of every module's name unless another is asked for.
pub const PREFIX: &str = "portico";

/// A block as Verilog.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The text.
    pub design: Design,
    /// Why packets in it never wait for each other, if it is a network.
    pub proof: Option<Proof>,
}

/// Proves `top` free of deadlock if it is a network, then writes its Verilog. `prefix` begins every module's name;
/// without one, [`PREFIX`] does.
///
/// `config` must be valid.
///
/// # Errors
/// The network is not free of deadlock, or the backend refuses the block.
pub fn generate(top: &Top, config: &Config, prefix: Option<&str>) -> Result<Generated, Error> {
    if top.name == "board" && config.memories > 0 {
        return Err(Error::BoardMemories {
            memories: config.memories,
        });
    }
    let proof = proof::of(top, config)?;
    let options = Options {
        generator: format!("Portico {}", env!("CARGO_PKG_VERSION")),
        licence: env!("CARGO_PKG_LICENSE").into(),
        prefix: prefix.unwrap_or(PREFIX).to_owned(),
        block: top.name.to_owned(),
        configuration: top.configuration(config),
        keep_apart: top.keep_apart.iter().map(|&path| path.to_owned()).collect(),
    };
    let design = emit(&*top.elaborate(config), &options).map_err(|source| Error::Backend {
        block: top.name,
        source,
    })?;
    Ok(Generated { design, proof })
}

/// The Verilog of the block of this name; [`PREFIX`] begins every module's name.
///
/// # Errors
/// There is no such block; or as [`generate`].
pub fn design(name: &str, config: &Config) -> Result<Design, Error> {
    let top = Top::named(name).ok_or_else(|| Error::UnknownBlock(name.to_owned()))?;
    Ok(generate(top, config, None)?.design)
}
