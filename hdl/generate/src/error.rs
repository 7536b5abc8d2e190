//! Why a block has no Verilog, or none that runs.

use portico_spec::{deadlock::Cycle, ConfigError};
use thiserror::Error;

/// Why a block has no Verilog, or none that runs.
#[derive(Debug, Error)]
pub enum Error {
    /// No block has this name.
    #[error("there is no block {0}")]
    UnknownBlock(String),
    /// The configuration is not valid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A board has no external memory.
    #[error("memories = {memories} is not allowed on a board: allowed is 0, since a board has no external memory")]
    BoardMemories {
        /// Memory nodes of the configuration.
        memories: usize,
    },
    /// Packets could wait for each other in a circle.
    #[error("the {network} is not free of deadlock")]
    Deadlock {
        /// Name of the block.
        network: &'static str,
        /// The circle.
        source: Cycle,
    },
    /// The backend refuses the block.
    #[error("cannot generate the Verilog of {block}")]
    Backend {
        /// Name of the block.
        block: &'static str,
        /// What is wrong with it.
        source: portico_verilog::Error,
    },
    /// The Verilog cannot be simulated.
    #[error(transparent)]
    Simulation(#[from] portico_sim::SimError),
}
