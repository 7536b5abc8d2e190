//! What is sent: spatial patterns, recorded traces, the process that generates packets, and the queues that inject them; and
//! one run of it, every packet held against the golden model.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`pattern`] | who sends to whom |
//! | [`trace`] | packets recorded in a file |
//! | [`packet`] | a packet, and the words it carries |
//! | [`workload`] | when packets are generated: at random at a given rate, or from a trace |
//! | [`choice`] | a workload by the name that a user gives |
//! | [`sources`] | the queue of each terminal, from which packets enter the network flit by flit |
//! | [`plan`] | what a run is to do |
//! | [`mesh_run`] | the run |
//! | [`scoreboard`] | every packet against the golden model |
//! | [`report`] | the figures of a run |
//! | [`links`] | the flits of every link |
//! | [`bound`] | the load above which no mesh keeps up with all terminals |

pub mod bound;
pub mod choice;
pub mod links;
pub mod mesh_run;
pub mod packet;
pub mod pattern;
pub mod plan;
pub mod report;
pub mod scoreboard;
pub mod sources;
pub mod steady;
pub mod trace;
pub mod workload;

pub use bound::SaturationBound;
pub use choice::{TrafficError, TrafficName};
pub use links::{Link, LinkEnd, LinkFlits};
pub use packet::{PacketRequest, MAX_PACKET_FLITS};
pub use pattern::{Destinations, Pattern, PatternError};
pub use sources::{Departure, Sources};
pub use steady::steady_from;
pub use trace::{Trace, TraceError};
pub use workload::{Generator, Workload, WorkloadError};
