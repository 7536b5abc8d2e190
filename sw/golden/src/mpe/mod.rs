//! The parts of the message-passing engine.

pub mod reduce;
