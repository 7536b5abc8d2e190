//! Verilog backend: turns a rust-hdl 0.46 block into readable, lint-free Verilog-2005.
//!
//! It reads the block through rust-hdl's `Probe` and the AST of its kernels. It writes one module for each distinct piece
//! of hardware, with registers and a synchronous reset in the module that owns them. A fault that would make broken Verilog
//! (an open input, an undriven output, a latch, a combinational loop, an unknown name) is an [`Error`] with the path of the
//! block and the signal, and [`emit()`] then returns no design.
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
//! Rust tells these five cases apart, and the AST does not. So no check can find them:
//! - `for i in 0..=3` arrives as `0..3`: write `0..4`.
//! - `a.val().index() + 1 < b.val().index()` arrives without `.index()`: operands of comparisons are computed at the width of
//!   the signals, where Rust computes with `usize`. Indices (`get_bit(a.val().index() + 1)`) are computed as `usize`.
//! - `signed_bit_cast::<M, N>(x)` arrives without `M`: its target, or the operand beside it, must give the width.
//! - `println!("text")` arrives as `comment!("text")` does, and becomes a comment.
//! - a value of an enumeration arrives with the last part of its type's path alone; two types of one name must agree.
//!
//! # Stages
//!
//! Each name is a file. `tree` collects blocks. `symbols` names their signals; `path` reads how kernels spell them. `lower`,
//! `value`, `index`, `signed` and `comment` turn kernels into statements (`stmt`) over sized expressions (`expr`, `fold`,
//! `slice`); `kernel` has what they share. `assigned` and `loops` check the statements. `known` folds constants. `process` and
//! `plan` choose `always` blocks and `assign`s. `print` writes the text. `custom` takes blocks that are given as text. `emit`
//! shares equal modules, and `modules` names them.

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
mod kernel;
mod known;
mod loops;
mod lower;
pub mod mirror;
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
pub mod wire;

pub use design::{Design, Direction, Module, Port};
pub use emit::{configuration_hash, emit, Options};
pub use error::{Error, Result};
