//! The tags of a node: what each stands for, and how far it has come.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`TagTables`] | all of it |
//! | [`TagTable`], [`RowGeometry`] | the table, a row a tag |
//! | [`TagReads`] | who reads and who writes a row in a cycle |
//! | [`TagUpdate`], [`TagReader`] | registers of tags: writes, with the clearing after reset, and reads |
//! | [`PacketTag`] | what is known of the tag of the packet in hand |

mod packet_tag;
mod tag_reader;
mod tag_reads;
mod tag_table;
mod tag_tables;
mod tag_update;

pub use packet_tag::PacketTag;
pub use tag_reader::TagReader;
pub use tag_reads::TagReads;
pub use tag_table::{RowGeometry, TagTable};
pub use tag_tables::TagTables;
pub use tag_update::TagUpdate;
