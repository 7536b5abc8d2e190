//! The requester of a node without programs: what the built-in programs do, in fixed logic.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`FixedSequencer`] | takes the place of micro-cores and bypass: cuts the jobs of both lanes into packets |
//! | [`Lane`] | a job, and how far it is |
//! | [`RowPlaces`] | where the walks of both lanes are |

mod fixed_sequencer;
mod lane;
mod row_places;

pub use fixed_sequencer::{FixedSequencer, Stage};
pub use lane::Lane;
pub use row_places::RowPlaces;
