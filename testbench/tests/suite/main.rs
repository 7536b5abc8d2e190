//! Every test of whole blocks and fabrics, in one program; `cargo test -p portico-testbench fabric::` runs those of a module.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `promises` | what blocks and the driver promise, for any device |
//! | `mutants` | planted faults that these suites must find |
//! | `cocotb` | tests in Python |
//! | all others | a block each: its promises on every device that applies |

// One arm of `rtl_device` a port, and a router has 40.
#![recursion_limit = "256"]

mod axi_lite;
mod axi_memory;
mod board;
mod buddy;
mod cocotb;
mod emission;
mod fabric;
mod families;
mod fp_adder;
mod house;
mod list_manager;
mod litex;
mod long;
mod memories;
mod mesh;
mod models;
mod mpe;
mod mutants;
mod primitives;
mod probe;
mod promises;
mod reduce_alu;
mod router;
mod serial;
mod soak;
mod streams;
mod streams_engine;
mod tile_ports;
