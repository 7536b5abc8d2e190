//! The outputs of tiles that tell the steps of their Portals engines.

use crate::{Model, Output, SimError};
use portico_spec::{portals::engine::Step, Config};

/// A step of a tile's Portals engine, and the cycle in which the outputs tell it: the one after the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedStep {
    /// Since the model was made.
    pub cycle: u64,
    /// The tile.
    pub tile: usize,
    /// What its engine did.
    pub step: Step,
}

/// The outputs of a tile.
struct Pins {
    sends: Output,
    sends_slot: Output,
    sent: Output,
    answered: Output,
    answered_slot: Output,
    matched: Output,
    ended: Output,
    rank: Output,
    advances: Output,
    finishes: Output,
}

/// The outputs of all tiles, and what they have told.
pub struct PortalsLog {
    pins: Vec<Pins>,
    pub steps: Vec<LoggedStep>,
}

impl PortalsLog {
    /// That of a fabric; `None` if the fabric is built without key `portals_log`.
    ///
    /// # Errors
    /// A port is missing.
    pub fn find(model: &Model, config: &Config) -> Result<Option<Self>, SimError> {
        if !config.portals_log {
            return Ok(None);
        }
        let pins = (0..config.tiles()).map(|tile| {
            let output = |name| model.output(&format!("portals_log_{tile}_{name}"));
            Ok(Pins {
                sends: output("sends")?,
                sends_slot: output("sends_slot")?,
                sent: output("sent")?,
                answered: output("answered")?,
                answered_slot: output("answered_slot")?,
                matched: output("matched")?,
                ended: output("ended")?,
                rank: output("rank")?,
                advances: output("advances")?,
                finishes: output("finishes")?,
            })
        });
        Ok(Some(PortalsLog {
            pins: pins.collect::<Result<_, SimError>>()?,
            steps: vec![],
        }))
    }

    /// Notes the steps of a cycle that has settled, those of a tile in the order in which they take effect.
    pub fn observe(&mut self, model: &Model, cycle: u64) {
        for (tile, pins) in self.pins.iter().enumerate() {
            let number = |output| model.get(output) as u8;
            let told = [
                (
                    pins.sends,
                    Step::Sends {
                        slot: number(pins.sends_slot),
                    },
                ),
                (pins.sent, Step::Sent),
                (
                    pins.answered,
                    Step::Answered {
                        slot: number(pins.answered_slot),
                    },
                ),
                (
                    pins.matched,
                    Step::Matched {
                        rank: number(pins.rank),
                    },
                ),
                (
                    pins.ended,
                    Step::Ended {
                        rank: number(pins.rank),
                    },
                ),
                (pins.advances, Step::Advances),
                (pins.finishes, Step::Finishes),
            ];
            let told = told.into_iter().filter(|&(pin, _)| model.get(pin) == 1);
            self.steps
                .extend(told.map(|(_, step)| LoggedStep { cycle, tile, step }));
        }
    }
}
