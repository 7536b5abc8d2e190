//! Benchmarks: each figure beside its bound.
//!
//! | module | measures |
//! | --- | --- |
//! | [`noc`] | the network |
//! | [`onesided`] | the one-sided operations |
//! | [`collectives`] | the message-passing engines |
//! | [`exchange`] | alltoall by command lists |
//! | [`lists`] | applications that tiles do by themselves |
//! | [`mpi`] | MPI-like calls, in every way |
//! | [`portals`] | the Portals engine |
//! | [`blocks`] | the blocks that are useful alone |
//!
//! The form of every benchmark's figures is in [`report`].

pub mod blocks;
pub mod collectives;
pub mod exchange;
pub mod lists;
pub mod mpi;
pub mod noc;
pub mod onesided;
pub mod portals;
pub mod report;
