//! What the message-passing engine understands.

pub mod reduce;
pub mod tree;
