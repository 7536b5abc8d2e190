//! The edge of the fabric: the access of hosts to a node, and the access of a node to external memory.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`AxiLiteIn`], [`AxiLiteOut`] | the slave and the master side of AXI4-Lite |
//! | [`AxiLiteWriteIn`], [`AxiLiteReadIn`] | their channels of writes and of reads |
//! | [`AxiLiteSlave`] | a host's reads and writes of a node's memory, registers and command stream |
//! | [`AxiOut`] | the master side of AXI4 |
//! | [`AxiWriteOut`], [`AxiReadOut`] | its channels of writes and of reads |
//! | [`AxiMemory`] | a node's memory that is external, reached in bursts |
//! | [`MemoryNode`] | external memory behind a network interface |
//! | [`uart`] | a serial line in place of a host's bus |

mod address_channel;
mod address_map;
mod axi;
mod axi_lite;
mod axi_lite_reader;
mod axi_lite_writer;
mod axi_memory;
mod axi_reads;
mod axi_writes;
mod client_choice;
mod gatherer;
mod memory_node;
mod page_table;
mod turns;
pub mod uart;
mod write_beats;

pub use address_channel::AddressChannel;
pub use address_map::AddressMap;
pub use axi::{AxiOut, AxiReadOut, AxiWriteOut};
pub use axi_lite::{
    AxiLiteIn, AxiLiteOut, AxiLiteReadIn, AxiLiteReadOut, AxiLiteSlave, AxiLiteWriteIn, AxiLiteWriteOut,
};
pub use axi_lite_reader::AxiLiteReader;
pub use axi_lite_writer::AxiLiteWriter;
pub use axi_memory::AxiMemory;
pub use axi_reads::AxiReads;
pub use axi_writes::AxiWrites;
pub use client_choice::ClientChoice;
pub use gatherer::{BurstIn, BurstOut, Gatherer};
pub use memory_node::MemoryNode;
pub use page_table::PageTable;
pub use turns::Turns;
pub use write_beats::WriteBeats;
