//! Which output a head asks for, worked out where it arrives.
//!
//! Every input has its own few legal turns, so each has its own computer and its own code of two or three bits; the code
//! travels through the FIFO beside the flit, and what reads the FIFO need not look at coordinates again.

mod comparator;
mod from_local;
mod from_north;
mod from_side;
mod from_south;

pub use comparator::Comparator;
pub use from_local::RouteFromLocal;
pub use from_north::RouteFromNorth;
pub use from_side::RouteFromSide;
pub use from_south::RouteFromSouth;

/// Bits of a route code, at any input.
pub const CODE_WIDTH: usize = 3;
