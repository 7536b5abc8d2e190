//! What is sent: spatial patterns, recorded traces, the process that generates packets, and the queues that inject them.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`pattern`] | who sends to whom |
//! | [`trace`] | packets recorded in a file |
//! | [`packet`] | a packet, and the words it carries |
//! | [`workload`] | when packets are generated: at random at a given rate, or from a trace |
//! | [`choice`] | a workload by the name that a user gives |
//! | [`sources`] | the queue of each terminal, from which packets enter the network flit by flit |

pub mod choice;
pub mod packet;
pub mod pattern;
pub mod sources;
pub mod trace;
pub mod workload;

pub use choice::{TrafficError, TrafficName};
pub use packet::{PacketRequest, MAX_PACKET_FLITS};
pub use pattern::{Destinations, Pattern, PatternError};
pub use sources::{Departure, Sources};
pub use trace::{Trace, TraceError};
pub use workload::{Generator, Workload, WorkloadError};
