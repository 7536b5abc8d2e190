//! Verilator bridge: compiles Verilog to machine code, keeps it in a cache, and drives it from Rust cycle by cycle.
//!
//! [`build`] compiles a [`Source`] (an emitted design, or any Verilog with known ports) into a [`Library`]. Verilator
//! translates it to C++, a generated shim adds a C interface, and the C++ compiler makes a shared object. A [`Library`]
//! makes any number of independent [`Model`]s.
//!
//! ```no_run
//! use portico_sim::{build, Options, Source};
//!
//! let text = "module inverter (input wire a, output wire y); assign y = ~a; endmodule";
//! let source = Source::new("inverter", text).input("a", 1).output("y", 1);
//! let library = build(source, &Options::default())?;
//! let mut model = library.model();
//! let (a, y) = (model.input("a")?, model.output("y")?);
//! model.set(a, 0);
//! model.settle();
//! assert_eq!(model.get(y), 1);
//! # Ok::<(), portico_sim::SimError>(())
//! ```
//!
//! # Time
//! A design has one clock, the input `clk`, which the bridge drives. [`Model::settle`] lets the logic follow the inputs
//! while the clock is low. [`Model::tick`] ends the cycle with the rising edge. A testbench sets inputs, settles, reads
//! outputs, perhaps sets inputs that depend on them, and ticks. Outputs read after a tick are still those of the cycle
//! that the tick ended. A design without `clk` is combinational, and a tick only counts.
//!
//! # Cache
//! The folder is [`Options::cache`], else `PORTICO_CACHE`, else `build/sim-cache` beside the project's `.tools` where that can
//! be written and has no space or colon in its path, else `portico` in the user's cache folder (`XDG_CACHE_HOME`, else `~/.cache`). With `PORTICO_CACHE=off` no
//! process uses what another has compiled. An entry's name is the SHA-256 of
//! everything that determines the compiled model: Verilog, ports, options, flags, the shim, the version of the C++ compiler,
//! and the pins of Verilator (of one outside `.tools`, its program and include files). No path is part of it, so checkouts may
//! share a cache, and so may processes: entries are built in a separate place and renamed under a file lock. An entry has a
//! digest of its files, and one with a changed byte is made anew. Entries that nobody has used for 30 days are removed. You may
//! delete any entry at any time. Each [`build`] adds the path of its entry to the file that `PORTICO_MODEL_LOG` names.

mod axi_lite;
mod board;
mod cache;
mod compile;
mod compiler;
mod error;
mod fabric;
mod library;
mod loaded;
mod model;
mod monitors;
mod movement;
mod options;
mod port;
mod portals_log;
mod shim;
mod source;
mod stream;
mod trace;

#[cfg(test)]
mod fixtures;

pub use axi_lite::{Access, Answer};
pub use board::{SimulatedBoard, BIT_CYCLES};
pub use cache::{digest, keep, Kept};
pub use compile::identity;
pub use compiler::working_compiler;
pub use error::SimError;
pub use fabric::{Peripheral, SimulatedFabric, TilePort};
pub use library::{build, Library};
pub use model::Model;
pub use movement::Movement;
pub use options::{Optimise, Options, Trace};
pub use port::{Input, Output};
pub use portals_log::LoggedStep;
pub use portico_verilog::{Direction, Port};
pub use source::Source;
