//! The Portals accelerator: what its blocks and their users agree on.

pub mod buddy;
pub mod engine;
pub mod list;
