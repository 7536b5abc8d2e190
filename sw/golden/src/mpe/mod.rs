//! What the parts of the message-passing engine do.

pub mod reduce;
