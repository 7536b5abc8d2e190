//! EDA tools, the Yosys, nextpnr and Vivado flows, and the FPGA boards.
//!
//! [`locate`] finds a tool in `.tools` or through its environment variable. [`area()`] counts cells with Yosys, and
//! [`fmax`] gives the clock with nextpnr. [`bitstream()`] builds a fabric for an ECP5 [`Board`], and
//! [`vivado_board_project`] writes a project for a Xilinx board.

mod area;
mod bitstream;
mod board;
mod board_top;
mod error;
mod faults;
#[cfg(test)]
mod fixtures;
mod fusesoc;
mod hierarchy;
mod install;
mod mapping;
mod netlist;
mod nextpnr;
mod parts;
mod pll;
mod report;
mod scan;
mod scratch;
mod target;
mod tool;
mod tools;
mod vivado;
mod yosys;

pub use area::{area, infers_block_ram, mapped_area, Area};
pub use bitstream::{bitstream, Bitstream, BitstreamOptions, BitstreamReport, ClockFigures, PlacementFigures, Verdict};
pub use board::{Active, Board, Button, Capacity, Clock, Ecp5, Leds, Uart};
pub use board_top::{board_design, Rates};
pub use error::SynthError;
pub use faults::{Fault, Finding};
pub use fusesoc::fusesoc_core;
pub use install::install;
pub use mapping::Mapping;
pub use netlist::{netlist, netlist_recipe, Memories, Netlist};
pub use nextpnr::{fmax, instance_of, PathEnd, Placement, Timing, SLOWEST_ENDS};
pub use parts::{parts, Part, PartsReport};
pub use pll::{Dividers, Pll, CLOCK_TOLERANCE};
pub use report::{synthesise, ModeArea, SynthOptions, SynthReport};
pub use target::{Mode, Target};
pub use tool::Tool;
pub use tools::{locate, tools_folder, user_tools, Located, Origin, ToolError};
pub use vivado::{vivado_board_project, vivado_project};
pub use yosys::Yosys;
