//! What blocks promise, for any device, and what the driver promises, for any transport.

pub mod axi_lite;
pub mod buddy;
pub mod counters;
pub mod driver;
pub mod external_memory;
pub mod fabric;
pub mod fp_adder;
pub mod list;
pub mod memory;
pub mod mpe;
pub mod ports;
pub mod probe;
pub mod queue;
pub mod reduce_alu;
pub mod router;
pub mod routing;
pub mod streams;
