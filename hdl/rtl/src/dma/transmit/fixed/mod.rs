//! Fixed logic that sends the packets of the built-in programs, in a node without programs of the user's.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`FixedSequencer`] | takes the place of micro-cores and bypass: cuts the jobs of both lanes into packets |
//! | [`Lane`] | a job, and how far it is |
//! | [`RowPlaces`] | where the walks of both lanes are |

mod fixed_sequencer;
mod lane;
mod row_places;

pub use fixed_sequencer::{FixedSequencer, JobStage};
pub use lane::Lane;
pub use row_places::RowPlaces;
