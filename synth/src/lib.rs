//! EDA tools: where they are, and the Yosys, nextpnr and Vivado flows.

mod tool;
mod tools;

pub use tool::Tool;
pub use tools::{locate, tools_folder, Located, Origin, ToolError};
