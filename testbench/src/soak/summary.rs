//! What a soak did.

use super::workload::Kind;
use std::time::Duration;

/// What a soak did without finding a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Cycles in which operations were under way.
    pub cycles: u64,
    /// Time that those took, with the golden model beside them.
    pub busy: Duration,
    /// Rounds that were compared.
    pub rounds: u64,
    /// Resets in mid-flight.
    pub resets: u64,
    /// Operations whose completion was compared; those of rounds cut off by a reset are not among them.
    pub operations: u64,
    /// Puts and gets of these.
    pub transfers: u64,
    /// Programs of the user's of these.
    pub programs: u64,
    /// Atomics of these.
    pub atomics: u64,
    /// Messages of these, all received.
    pub messages: u64,
    /// Runs of source/sink cores of these.
    pub probes: u64,
    /// Sends and receives of streams of these.
    pub streams: u64,
    /// Calls of message-passing engines of these, each counted at every member.
    pub collectives: u64,
    /// Groups whose members disagreed, each recovered.
    pub recoveries: u64,
    /// Right Portals commands of these.
    pub portals: u64,
    /// Steps of Portals engines, each replayed.
    pub steps: u64,
    /// Wrong descriptors of these, all refused.
    pub refused: u64,
    /// Lists that brought some of these.
    pub lists: u64,
    /// Words of 32 bits compared in memories.
    pub words: u64,
}

impl Summary {
    /// Cycles a second with operations under way.
    pub fn speed(&self) -> f64 {
        self.cycles as f64 / self.busy.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// A summary in the making.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub cycles: u64,
    pub busy: Duration,
    pub resets: u64,
    pub summary: Summary,
}

impl Tally {
    /// Operations have been under way for so long.
    pub fn pass(&mut self, cycles: u64, busy: Duration) {
        self.cycles += cycles;
        self.busy += busy;
    }

    /// A round has been compared in which these were done, some of them by so many lists, and so many groups recovered.
    pub fn add(&mut self, kinds: &[Kind], lists: usize, recoveries: usize) {
        self.summary.rounds += 1;
        self.summary.lists += lists as u64;
        self.summary.recoveries += recoveries as u64;
        self.summary.operations += kinds.len() as u64;
        let count = |of: &[Kind]| kinds.iter().filter(|kind| of.contains(kind)).count() as u64;
        self.summary.transfers += count(&[Kind::Put, Kind::Get]);
        self.summary.programs += count(&[Kind::Program]);
        self.summary.atomics += count(&[Kind::Atomic, Kind::Shared]);
        self.summary.messages += count(&[Kind::Enqueue]);
        self.summary.probes += count(&[Kind::Probe]);
        self.summary.streams += count(&[Kind::Send, Kind::Receive]);
        self.summary.collectives += count(&[Kind::Collective]);
        self.summary.portals += count(&[Kind::Portals]);
        self.summary.refused += count(&[Kind::Wrong]);
    }

    pub fn summary(&self) -> Summary {
        Summary {
            cycles: self.cycles,
            busy: self.busy,
            resets: self.resets,
            ..self.summary
        }
    }
}
