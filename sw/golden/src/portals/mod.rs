//! The Portals accelerator, said without hardware.

pub mod buddy;
pub mod list;
