//! The Portals accelerator.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`ListManager`] | matching lists: search, insert and delete, hashed by source |
//! | [`BuddyAllocator`](buddy::BuddyAllocator) | memory in blocks of powers of two |

pub mod buddy;
pub mod list_manager;

pub use list_manager::{ListManager, ListParameters};
