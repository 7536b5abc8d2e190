//! What the message-passing engine understands.

pub mod call;
pub mod reduce;
pub mod tree;
