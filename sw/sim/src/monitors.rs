//! The ports through which the counters of the routers of a fabric are read.

use crate::{Input, Model, Output, SimError};
use portico::Watched;
use portico_spec::Config;

/// The planes, in the order of their monitors.
pub const PLANES: [&str; 2] = ["data", "control"];

/// Which counter is selected, and its value on both planes.
#[derive(Clone, Copy)]
pub struct Monitors {
    pub tile: Input,
    pub link: Input,
    pub stalls: Input,
    /// The selected counter of each plane.
    pub values: [Output; PLANES.len()],
}

/// A watch of a link of the data plane.
pub struct Watch {
    /// Cycles from a flit on the link to its count at the ports: one into the counter, and one for each router of the chain from that
    /// of the link on.
    pub delay: u64,
    pub count: u64,
    pub seen: Watched,
}

impl Watch {
    /// The counter shows this value in this cycle.
    pub fn observe(&mut self, count: u64, cycle: u64) {
        if count != self.count {
            let passed = cycle - self.delay;
            if self.seen.flits == 0 {
                self.seen.first = passed;
            }
            self.seen.last = passed;
            self.seen.flits += 1;
            self.count = count;
        }
    }
}

impl Monitors {
    /// Those of a fabric; `None` if it is built without.
    ///
    /// # Errors
    /// A port is missing.
    pub fn find(model: &Model, config: &Config) -> Result<Option<Self>, SimError> {
        if !config.monitors {
            return Ok(None);
        }
        Ok(Some(Monitors {
            tile: model.input("monitor_tile")?,
            link: model.input("monitor_link")?,
            stalls: model.input("monitor_stalls")?,
            values: [model.output("data_monitor")?, model.output("control_monitor")?],
        }))
    }
}
