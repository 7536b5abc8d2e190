//! Engines beside the network interface, each in a seat of its socket.
//!
//! | engine | what it is |
//! | --- | --- |
//! | [`Probe`] | source/sink core: traffic, and its measurement |

mod probe;

pub use probe::{ContentSeed, Probe, ProbeRegisters, ProbeSink, ProbeSource, Xorshift};
