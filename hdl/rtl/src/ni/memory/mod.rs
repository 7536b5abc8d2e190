//! The memory of a tile.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Scratchpad`] | the memory, with its [`ScratchpadBank`]s and [`LaneMerge`] |
//! | [`ReadSplitter`] | sends reads to the memory or to the registers |

mod read_splitter;
mod scratchpad;
mod scratchpad_bank;

pub use read_splitter::ReadSplitter;
pub use scratchpad::Scratchpad;
pub use scratchpad_bank::{LaneMerge, ScratchpadBank};
