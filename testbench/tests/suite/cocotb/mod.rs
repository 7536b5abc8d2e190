//! The emitted Verilog under cocotb, before models of buses that others wrote.

mod blocks;
mod bridge;
mod fabric;
mod python;

pub use self::python::package;
