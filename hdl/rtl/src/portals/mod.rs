//! The Portals accelerator.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`ListManager`] | matching lists: search, insert and delete, hashed by source |
//! | [`BuddyAllocator`](buddy::BuddyAllocator) | memory in blocks of powers of two |
//! | [`Portals`](engine::Portals) | puts and gets with matching, in a seat of a tile's socket |

pub mod buddy;
pub mod engine;
pub mod list_manager;

pub use list_manager::{ListManager, ListParameters};
