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
//!     licence: "Apache-2.0".into(),
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
//! # What rust-hdl's AST does not tell
//!
//! Five things look the same in the AST though they differ in Rust, so that no check can find them:
//! - `for i in 0..=3` arrives as `0..3`: write `0..4`.
//! - `a.val().index() + 1 < b.val().index()` arrives without `.index()`: operands of comparisons are computed at the width of
//!   the signals, where Rust computes with `usize`. Indices (`get_bit(a.val().index() + 1)`) are computed as `usize`.
//! - `signed_bit_cast::<M, N>(x)` arrives without `M`: its place, or the operand beside it, must tell the width.
//! - `println!("text")` arrives as `comment!("text")` does, and becomes a comment.
//! - a value of an enumeration arrives with the last name of its type alone; two types of one name must agree.
//!
//! # Stages
//!
//! One file each: `tree` collects blocks, `symbols` names their signals (`path` reads how kernels spell them), `lower`,
//! `value`, `signed`, `index` and `comment` turn kernels into statements (`stmt`) over sized expressions (`expr`, `fold`,
//! `slice`), `assigned` and `loops` check them, `known` settles what is constant, `process` and `plan` give them their
//! shape, `print` writes them, `custom` takes blocks given as text, `emit` shares what is equal,
//! `modules` names it.

extern crate self as portico_verilog;

mod assigned;
mod comment;
mod constant;
mod custom;
pub mod describe;
mod design;
mod emit;
mod error;
mod expr;
mod fold;
mod index;
mod known;
mod loops;
mod lower;
mod modules;
mod names;
mod path;
mod plan;
pub mod prelude;
mod print;
mod process;
mod signed;
mod slice;
mod stmt;
mod symbols;
mod tree;
mod value;

pub use design::{Design, Direction, Module, Port};
pub use emit::{emit, Options};
pub use error::{Error, Result};
