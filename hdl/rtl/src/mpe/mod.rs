//! The message-passing engine and its arithmetic.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`FpAdder`], [`FpAdderCore`] | floating-point addition, behind streams and as a bare pipeline |
//! | [`Mpe`] | barrier, broadcast, reduce and allreduce, in a seat of the socket |
//! | [`ReduceAlu`] | sum, minimum, maximum and logic of two streams |

pub mod engine;
pub mod fp_adder;
pub mod reduce_alu;

pub use engine::Mpe;
pub use fp_adder::{FpAdder, FpAdderCore};
pub use reduce_alu::ReduceAlu;
