//! Models that stand where hardware would: golden ones, naive ones, ones with a planted fault.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`golden_mesh`] | the golden network as a device by its streams |
//! | [`golden_blocks`] | the golden models of the blocks that stand alone, as devices by their ports |
//!
//! Tests of this crate have two more: a mesh told naively, and a mesh with a planted fault.

#[cfg(test)]
pub(crate) mod altered;
pub mod golden_blocks;
pub mod golden_mesh;
#[cfg(test)]
pub(crate) mod naive_mesh;
