//! The network interface: what joins a memory and a stream of commands to the two planes of the network.

pub mod ports;
pub mod words;
