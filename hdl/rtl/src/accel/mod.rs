//! Engines beside the network interface, each in a seat of its socket.
//!
//! | engine | what it is |
//! | --- | --- |
//! | [`Probe`] | source/sink core: traffic, and its measurement |
//! | [`Streams`] | streams of words out of and into the scratchpad |

mod probe;
mod streams;

pub use probe::{ContentSeed, Probe, ProbeRegisters, ProbeSink, ProbeSource, Xorshift};
pub use streams::{
    MoveIn, MoveOut, StreamFields, StreamIntake, StreamReceiver, StreamRegisters, StreamSender, Streams,
};
