//! One-sided operations: their initiators, their segments, and their completion.
//!
//! A node *publishes* memory as a [`Segment`]; others *clone* it by its [`GlobalId`] and then put into it, get from it
//! and change it atomically without the owner's help. The driver checks every operation against the segment and the
//! initiator's memory before it sends anything. If the hardware refuses an operation nevertheless, the error is
//! [`Error::Refused`](crate::Error::Refused).
//!
//! Puts of one initiator to one segment complete in order, and an atomic is seen only after them. Between a put and a get, wait
//! for the put or issue a [`fence`](Initiator::fence).
//!
//! ```
//! use portico::{onesided::{Geometry, Window}, Config, Fabric, GoldenTransport};
//!
//! let config = Config { edge_nodes: 1, ..Config::default() };
//! let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
//! let segment = fabric.publish(0, Window::new(0x100, 0x80))?;
//! let remote = fabric.tile(3)?.clone_segment(segment.id())?;
//!
//! fabric.write(3, 0x40, &[10, 20, 30])?;
//! fabric.tile(3)?.put(&remote, 0, 0x40, Geometry::linear(12))?.wait(1000)?;
//! assert_eq!(fabric.read(0, 0x100, 3)?, [10, 20, 30]);
//!
//! let mut ticket = fabric.tile(3)?.fetchadd(&remote, 4, 5u32)?.start()?;
//! assert_eq!(ticket.wait(&mut fabric, 1000)?, 20);
//! assert_eq!(fabric.read(0, 0x104, 1)?, [25]);
//!
//! let beyond = fabric.tile(3)?.put(&remote, 0x7c, 0x40, Geometry::linear(8)).unwrap_err();
//! assert_eq!(beyond.to_string(), "bytes 0x7c..0x84 of a segment of 0x80 bytes");
//! # Ok::<(), portico::Error>(())
//! ```

pub use self::{
    atomic::Atom,
    geometry::{Geometry, Strides},
    initiator::Initiator,
    operation::{Operation, Outcome, Ticket},
    segment::{GlobalId, Remote, Segment, Window},
    shaper::Shaper,
};
pub(crate) use segment::Kind;

mod atomic;
mod geometry;
mod initiator;
mod operation;
mod segment;
mod shaper;
