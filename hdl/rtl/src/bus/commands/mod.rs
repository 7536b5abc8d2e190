//! Descriptors on their way to their takers, by opcode.
//!
//! ```text
//!  stream ----> CommandDoor --+------------------> CommandPort of the requester
//!                             |                       and of each engine
//!  registers -> CommandDoor --+--> CommandQueue ------->
//! ```
//!
//! | block | what it is |
//! | --- | --- |
//! | [`CommandDoor`] | gives each descriptor to the port of its opcode |
//! | [`CommandPort`] | joins the two ways to a taker |
//! | [`CommandQueue`] | takes descriptors word by word, gives them out whole |
//! | [`CommandSelect`] | chooses between the two ways |
//! | [`PadMatch`] | recognises pads in front of a descriptor |
//!
//! Each taker has its own queue and its own port. A taker that is full or waits holds up descriptors for other takers only if
//! they are behind its own in the same stream.

mod door;
mod pad_match;
mod port;
mod queue;
mod select;

pub use door::CommandDoor;
pub use pad_match::PadMatch;
pub use port::CommandPort;
pub use queue::CommandQueue;
pub use select::CommandSelect;
