//! The parts of the Portals accelerator.

pub mod buddy;
pub mod list;
