//! The Verilog of a fabric under Verilator, as a transport of the driver.

use crate::{design, Error};
use portico_sim::{build, Options, SimulatedFabric};
use portico_spec::Config;

/// The fabric of `config` as compiled Verilog, reset and with its tables cleared. `portico::Fabric::open` takes it as a transport.
/// The transport counts cycles of the fabric's clock.
///
/// Verilator and a C++ compiler make the model at the first call for a configuration. Later calls take it from the compile cache,
/// which `portico run` shares.
///
/// A memory node has no memory until [`SimulatedFabric::attach`] puts one at its ports: operations on it time out.
///
/// # Errors
/// [`Error::Config`] of a configuration that is not valid; as [`generate`](crate::generate); [`Error::Simulation`] if a tool is
/// missing or fails.
pub fn simulated(config: &Config) -> Result<SimulatedFabric, Error> {
    let config = config.fabric()?;
    let library = build(&design("fabric", &config)?, &Options::default())?;
    Ok(SimulatedFabric::new(&library, &config)?)
}
