//! The tags of a node: what each stands for, and how far it has come.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`TagTables`] | all of it |
//! | [`TagUpdate`] | writes of software to a tag, and the clearing after reset |
//! | [`WindowTable`], [`RowGeometry`] | what software has set up for each tag |
//! | [`TagState`], [`ForwardingTable`] | how far each tag has come |

mod tag_state;
mod tag_tables;
mod tag_update;
mod window_table;

pub use tag_state::{ForwardingTable, TagState};
pub use tag_tables::TagTables;
pub use tag_update::TagUpdate;
pub use window_table::{RowGeometry, WindowTable};
