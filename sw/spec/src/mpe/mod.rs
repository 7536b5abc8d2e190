//! What the message-passing engine understands.

pub mod call;
pub mod reduce;
pub mod tree;

/// Sites of an ECP5 that an engine with one context may take: a LUT4 is one, a carry cell takes two, a LUT-RAM six.
pub const SITES_BOUND: u64 = 4_400;
