//! The server of a node that nobody commands: get requests of other nodes become replies, without micro-cores.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`GetServer`] | the whole of it |
//! | [`RowWalk`] | where a get is: counters of words, rows and planes |
//! | [`ReplyCutter`] | cuts rows into packets, and ends the replies |

mod get_server;
mod reply_cutter;
mod row_walk;
#[cfg(test)]
mod tests;

pub use get_server::GetServer;
pub use reply_cutter::{ReplyCutter, ServeState};
pub use row_walk::RowWalk;
