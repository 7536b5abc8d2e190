//! The message-passing engine: what computes in collectives.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`FpAdder`], [`FpAdderCore`] | floating-point addition, behind streams and as a bare pipeline |
//! | [`ReduceAlu`] | sum, minimum, maximum and logic of two streams |

pub mod fp_adder;
pub mod reduce_alu;

pub use fp_adder::{FpAdder, FpAdderCore};
pub use reduce_alu::ReduceAlu;
