//! rust-hdl's prelude, with the macros of this project in place of rust-hdl's own.
//!
//! `#[derive(LogicBlock)]` and `#[interface]` tell the backend names and documentation; `#[kernel]` stands in place of
//! `#[hdl_gen]`; [`Constant`] has a default.

pub use crate::constant::Constant;
pub use portico_macros::{interface, kernel, Documented, LogicBlock};
pub use rust_hdl::prelude::*;
