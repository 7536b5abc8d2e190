//! Command lists: operations that tiles do by themselves, all started by one descriptor of the host and ended by one event.
//!
//! [`Steps`] collects the operations of each tile, in their order: an operation is prepared as ever and goes there with
//! [`Operation::add_to`](crate::onesided::Operation::add_to). [`Fabric::list`](crate::Fabric::list) writes a [command
//! list](portico_spec::ni::command_list) into the memory of each tile. The host starts the first tile, and each tile starts up to four
//! others before it does its own operations. When all of them have ended, a tile sends a mail to the host. The host's event counts
//! when the mails of all tiles are there.
//!
//! | step | cycles |
//! | --- | --- |
//! | [`List::start`] | one descriptor for the first tile |
//! | a tile starts four others | four puts |
//! | a descriptor from memory to its taker | 3 a word |
//! | [`List::wait`] | reads of one register of the host |
//!
//! ```
//! use portico::{list::Steps, onesided::{Geometry, Window}, Config, Fabric, GoldenTransport};
//!
//! let config = Config { cols: 2, rows: 2, edge_nodes: 1, ..Config::default() };
//! let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
//! // Each tile puts 32 bytes to the next one.
//! let mut steps = Steps::default();
//! for tile in 0..4 {
//!     let source = fabric.allocate(tile, 64)?;
//!     fabric.write(tile, source.base, &[tile as u32; 8])?;
//!     let next = fabric.publish((tile + 1) % 4, Window::new(32, 32))?;
//!     let remote = fabric.tile(tile)?.clone_segment(next.id())?;
//!     fabric.tile(tile)?.put(&remote, 0, source.base, Geometry::linear(32))?.add_to(&mut steps);
//! }
//! let mut list = fabric.list(steps)?;
//! list.start(&mut fabric)?;
//! list.wait(&mut fabric, 10_000)?;
//! assert_eq!(fabric.read(3, 32, 8)?, [2; 8]);
//! list.start(&mut fabric)?; // again, with the words of now
//! list.wait(&mut fabric, 10_000)?;
//! list.release(&mut fabric)?;
//! # Ok::<(), portico::Error>(())
//! ```

pub(crate) use self::steps::STARTS;
pub use self::steps::{List, Steps};
pub(crate) use self::{
    launch::{Launch, LaunchStep, Member},
    notice::Notice,
};

mod launch;
mod member;
mod notice;
mod steps;
#[cfg(test)]
mod tests;
