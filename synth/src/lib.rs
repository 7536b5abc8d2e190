//! EDA tools: where they are, and the Yosys, nextpnr and Vivado flows.

mod area;
mod error;
mod faults;
#[cfg(test)]
mod fixtures;
mod fusesoc;
mod netlist;
mod nextpnr;
mod report;
mod scan;
mod scratch;
mod target;
mod tool;
mod tools;
mod vivado;
mod yosys;

pub use area::{area, infers_block_ram, Area};
pub use error::SynthError;
pub use faults::{Fault, Finding};
pub use fusesoc::fusesoc_core;
pub use netlist::{netlist, Netlist};
pub use nextpnr::{fmax, Placement, Timing};
pub use report::{synthesise, ModeArea, SynthOptions, SynthReport};
pub use target::{Mode, Target};
pub use tool::Tool;
pub use tools::{locate, tools_folder, Located, Origin, ToolError};
pub use vivado::vivado_project;
pub use yosys::Yosys;
