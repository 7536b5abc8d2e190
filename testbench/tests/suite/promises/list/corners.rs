//! What a run of the suite has met.

use anyhow::{ensure, Result};
use portico_hdl::portals::ListParameters;
use portico_spec::portals::list::Status;

/// How often each corner was met.
#[derive(Debug, Default)]
pub struct Corners {
    /// Results by status.
    pub by_status: [usize; Status::ALL.len()],
    /// Commands, those with several results, and results of those.
    pub several: usize,
    pub most_results: usize,
    /// Cycles in which a result was held back, and no command offered.
    pub stalled: usize,
    pub idle: usize,
    pub resets: usize,
    /// Resets that lost something.
    pub lost: usize,
    /// Commands with a bound on their cycles.
    pub timed: usize,
    /// Times that sequence numbers ran out, and that commands were held off while the entries were numbered.
    pub ran_out: usize,
    pub numbered: usize,
    pub stale: usize,
    pub filled: usize,
    pub left_headers: usize,
    /// Resolutions that gave an offset, detached, removed, left a header.
    pub resolved: [usize; 4],
}

impl Corners {
    /// Holds a whole run to have met everything.
    pub fn check_all(&self, shape: &ListParameters, seed: u64) -> Result<()> {
        // A run fills the table three times in a row.
        let runs_out = shape.buckets > 0 && shape.sequence_limit <= 3 * shape.entries as u64;
        let met = [
            self.several,
            self.most_results / 3,
            self.stalled,
            self.idle,
            self.resets,
            self.lost,
            self.timed,
            self.stale,
            self.filled,
            self.left_headers,
            self.ran_out + usize::from(!runs_out),
        ];
        self.check(&[met.as_slice(), &self.resolved].concat(), &self.by_status, seed)
    }

    /// Holds a short run of a large list manager to have met what concerns its size.
    pub fn check_size(&self, shape: &ListParameters, seed: u64) -> Result<()> {
        let runs_out = shape.buckets > 0 && shape.sequence_limit < u64::from(u32::MAX);
        let met = [
            self.filled,
            self.by_status[Status::Full as usize],
            self.timed,
            self.ran_out + usize::from(!runs_out),
        ];
        self.check(&met, &[], seed)
    }

    fn check(&self, met: &[usize], by_status: &[usize], seed: u64) -> Result<()> {
        let corners = [met, by_status].concat();
        ensure!(!corners.contains(&0), "seed {seed:#x} misses a corner: {self:?}");
        // Whenever numbers ran out the entries were numbered, unless a reset came first, and at no other time.
        let [most, least] = [self.ran_out, self.ran_out.saturating_sub(self.resets)];
        ensure!(
            (least..=most).contains(&self.numbered),
            "seed {seed:#x}: numbers ran out {most} times, and entries were numbered {} times",
            self.numbered
        );
        Ok(())
    }
}
