//! The tags of a node: what each stands for, and how far it has come.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Windows`] | all of it |
//! | [`TagUpdate`], [`TagIndex`] | writes of software to a tag, and the clearing after reset |
//! | [`WindowTable`], [`Shape`] | what software has set up for each tag |
//! | [`TagState`], [`Table`] | how far each tag has come |

mod tag_state;
mod tag_update;
mod window_table;
mod windows;

pub use tag_state::{Table, TagState};
pub use tag_update::{TagIndex, TagUpdate};
pub use window_table::{Shape, WindowTable};
pub use windows::Windows;
