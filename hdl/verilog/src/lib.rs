//! From rust-hdl's AST to clean, shared, lint-free Verilog-2005.
//!
//! rust-hdl 0.46 exposes a circuit through its `Probe` and the AST of its kernels; this crate reads both and writes the
//! Verilog that a person would have written: one module for each distinct piece of hardware, registers with a synchronous
//! reset in the module that owns them, plain connections as port connections or `assign`, sized literals, and no reserved
//! word as a name. What would make broken Verilog (an open input, an undriven output, a latch, a combinational loop, a
//! name that resolves to nothing) is an [`Error`] with the path of the block and the signal; nothing is emitted then.
//!
//! ```
//! use rust_hdl::prelude::*;
//!
//! #[derive(LogicBlock, Default)]
//! struct Inverter {
//!     pub a: Signal<In, Bits<4>>,
//!     pub y: Signal<Out, Bits<4>>,
//! }
//!
//! impl Logic for Inverter {
//!     #[hdl_gen]
//!     fn update(&mut self) {
//!         self.y.next = !self.a.val();
//!     }
//! }
//!
//! let options = portico_verilog::Options {
//!     generator: "Example 1.0".into(),
//!     prefix: "example".into(),
//!     block: "inverter".into(),
//!     configuration: vec![],
//!     keep_apart: vec![],
//! };
//! let design = portico_verilog::emit(&Inverter::default(), &options)?;
//! assert!(design.text().contains("assign y = ~a;"));
//! # Ok::<(), portico_verilog::Error>(())
//! ```
//!
//! The stages, one file each: `tree` collects blocks, `symbols` names their signals (`path` reads how kernels spell them),
//! `lower` and `value` turn kernels into statements (`stmt`) over sized expressions (`expr`), `assigned` and `loops` check
//! them, `process` and `plan` give them their shape, `print` writes them, `emit` shares what is equal.

mod assigned;
mod custom;
mod design;
mod emit;
mod error;
mod expr;
mod index;
mod known;
mod loops;
mod lower;
mod names;
mod path;
mod plan;
mod print;
mod process;
mod slice;
mod stmt;
mod symbols;
mod tree;
mod value;

pub use design::{Design, Direction, Module, Port};
pub use emit::{emit, Options};
pub use error::{Error, Result};
