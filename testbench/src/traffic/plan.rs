//! What a run is to do.

use super::Workload;
use portico_spec::Config;
use rand::{rngs::SmallRng, Rng, SeedableRng};
use std::ops::Range;
use thiserror::Error;

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What the terminals send.
    pub workload: Workload,
    /// Cycles before measurement; no matter to a recorded workload.
    pub warmup: u64,
    /// Cycles under measurement, 1 or more; no matter to a recorded workload.
    pub measure: u64,
    /// Decides all that is random.
    pub seed: u64,
    /// Probability that a terminal takes no flit in a cycle: 0 to below 1.
    pub stall: f64,
    /// Probability that a source pauses in a cycle before it offers the next flit: 0 to below 1.
    pub idle: f64,
    /// What must come out before the run ends.
    pub drain: Drain,
}

/// What must come out before a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drain {
    /// All that was generated.
    Everything,
    /// All that has entered the network; what waits in the source queues is discarded. For loads beyond saturation.
    Network,
}

/// A plan that cannot be run.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{field} {value}: allowed is {allowed}")]
pub struct PlanError {
    /// The field.
    pub field: &'static str,
    /// Its value.
    pub value: f64,
    /// What it may be.
    pub allowed: &'static str,
}

impl Plan {
    /// A run of `workload` without idle cycles and stalls that delivers everything.
    pub fn new(workload: Workload, warmup: u64, measure: u64, seed: u64) -> Self {
        Self {
            workload,
            warmup,
            measure,
            seed,
            stall: 0.0,
            idle: 0.0,
            drain: Drain::Everything,
        }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// The first that is out of range.
    pub fn check(&self) -> Result<(), PlanError> {
        for (field, value) in [("stall", self.stall), ("idle", self.idle)] {
            if !(0.0..1.0).contains(&value) {
                let allowed = "a probability from 0 to below 1";
                return Err(PlanError { field, value, allowed });
            }
        }
        if self.measure == 0 {
            return Err(PlanError {
                field: "measure",
                value: 0.0,
                allowed: "1 cycle or more",
            });
        }
        Ok(())
    }

    /// The cycles that are measured; all of them, where they end at `u64::MAX`.
    pub fn window(&self) -> Range<u64> {
        match self.workload {
            Workload::Random { .. } | Workload::Stream { .. } => self.warmup..self.warmup + self.measure,
            Workload::Recorded(_) => 0..u64::MAX,
        }
    }
}

/// Which terminals take a flit in a cycle.
#[derive(Clone, Debug)]
pub struct Readiness {
    stall: f64,
    rng: SmallRng,
    ready: Vec<bool>,
}

impl Readiness {
    /// The pattern of stalls that `plan` asks for.
    pub fn new(config: &Config, plan: &Plan) -> Self {
        Self {
            stall: plan.stall,
            rng: SmallRng::seed_from_u64(plan.seed.rotate_left(32)),
            ready: vec![true; config.terminals()],
        }
    }

    /// The next cycle, by terminal.
    pub fn draw(&mut self) -> &[bool] {
        if self.stall > 0.0 {
            self.ready.fill_with(|| !self.rng.gen_bool(self.stall));
        }
        &self.ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Trace;

    fn plan() -> Plan {
        Plan::new(Workload::Recorded(Trace::parse("", 1).unwrap()), 0, 1, 0x5eed)
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        let error = |plan: Plan| plan.check().unwrap_err().to_string();
        let allowed = "allowed is a probability from 0 to below 1";
        assert_eq!(plan().check(), Ok(()));
        assert_eq!(error(Plan { stall: 1.0, ..plan() }), format!("stall 1: {allowed}"));
        assert_eq!(error(Plan { idle: -0.5, ..plan() }), format!("idle -0.5: {allowed}"));
        assert_eq!(
            error(Plan {
                idle: f64::NAN,
                ..plan()
            }),
            format!("idle NaN: {allowed}")
        );
        assert_eq!(
            error(Plan { measure: 0, ..plan() }),
            "measure 0: allowed is 1 cycle or more"
        );
    }

    #[test]
    fn stalls_are_as_frequent_as_asked() {
        let config = Config::default();
        let stalled = |stall| {
            let mut readiness = Readiness::new(&config, &Plan { stall, ..plan() });
            (0..1_000)
                .map(|_| readiness.draw().iter().filter(|&&ready| !ready).count())
                .sum::<usize>()
        };
        assert_eq!(stalled(0.0), 0);
        assert!((4_500..5_100).contains(&stalled(0.3)), "{}", stalled(0.3));
    }
}
