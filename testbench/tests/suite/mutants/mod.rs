//! A suite proves itself: hardware with a planted fault does not pass it.

mod buddy;
pub mod caught;
pub mod fault;
mod fp_adder;
mod list_manager;
mod reduce_alu;
mod streams_and_routers;
