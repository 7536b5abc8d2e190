//! Dispatch: takes descriptors and get requests, checks them, and starts programs for them.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Dispatcher`] | takes descriptors and requests, and starts programs for them |
//! | [`CommandIntake`] | the path of commands, with [`CommandLoad`], [`CommandCheck`], [`Measure`], [`CommandStart`],
//! | | [`SinglePacket`], [`Drain`], [`Launch`] |
//! | [`RequestIntake`] | the path of requests, with [`RequestLoad`] |
//! | [`RequestStart`] | what a request asks of the sequencer |
//! | [`Contexts`] | which contexts run |
//! | [`Stops`], [`EventStage`], [`Refuser`] | what follows when one stops, or a command is refused |
//! | [`SegmentTable`], [`QueueCredits`] | windows and queues of other nodes |
//! | [`LocalWindows`] | windows of this node |
//! | [`Descriptor`], [`CommandDecoder`], [`Extent`] | descriptors taken apart, and measured |
//! | [`Reach`] | whether packets come to a node |

mod command;
mod command_check;
mod command_intake;
mod command_load;
mod command_start;
mod contexts;
mod descriptor;
mod dispatcher;
mod drain;
mod extent;
mod launch;
mod local_windows;
mod measure;
mod queue_credits;
mod reach;
mod request_intake;
mod request_load;
mod request_start;
mod segment_table;
mod single_packet;
mod stops;

pub use command::{Command, CommandDecoder};
pub use command_check::CommandCheck;
pub use command_intake::{CommandIntake, CommandState};
pub use command_load::CommandLoad;
pub use command_start::CommandStart;
pub use contexts::{Contexts, Core};
pub use descriptor::{Descriptor, Operands, TARGET_WIDTH, WORDS_WIDTH};
pub use dispatcher::Dispatcher;
pub use drain::Drain;
pub use extent::{Extent, EXTENT_WIDTH};
pub use launch::Launch;
pub use local_windows::LocalWindows;
pub use measure::{Measure, MeasureState};
pub use queue_credits::QueueCredits;
pub use reach::Reach;
pub use request_intake::{RequestIntake, RequestState};
pub use request_load::RequestLoad;
pub use request_start::RequestStart;
pub use segment_table::SegmentTable;
pub use single_packet::{Payload, SinglePacket};
pub use stops::{EventStage, Refuser, Stops};
