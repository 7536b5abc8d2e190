//! Generates the Verilog of a block from a configuration.
//!
//! [`TOPS`] lists the blocks by name. [`generate`] proves a mesh or fabric free of deadlock before it writes any text.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`top`] | the blocks that can be emitted as a top of their own |
//! | [`proof`] | freedom from deadlock, for the blocks that are networks |
//! | [`emission`] | the Verilog of a top under a configuration |
//! | [`simulation`] | the Verilog of a fabric under Verilator, as a transport of the driver |
//!
//! ```
//! use portico_generate::{generate, Top};
//! use portico_spec::Config;
//!
//! let mesh = Top::named("mesh").expect("the mesh is a block");
//! let generated = generate(mesh, &Config::default(), None)?;
//! assert_eq!(generated.design.top, "portico_mesh");
//! assert!(generated.proof.is_some_and(|proof| proof.channels > 0));
//! # Ok::<(), portico_generate::Error>(())
//! ```

#![warn(missing_docs)]

pub mod emission;
mod error;
pub mod proof;
pub mod simulation;
pub mod top;

pub use emission::{design, generate, Generated, PREFIX};
pub use error::Error;
pub use simulation::simulated;
pub use top::{Top, TOPS};
