//! A soak of the whole fabric: random operations of all tiles at once, and all that they leave behind against the golden
//! model.
//!
//! Tiles are initiators; tiles and memory nodes are targets.
//!
//! Operations of different tiles race, and still the outcome is exact. Every initiator has a zone of its own at each of its
//! targets, so that the order within the pair decides what is in the end there. What all share is a pair of counters at
//! every node: their sums are exact, and the values fetched from them must follow each other without overlap. Messages of a
//! queue come in any order, but those of one sender in the order in which they were sent.
//!
//! A run is a row of rounds. In each of them every tile gets a batch of descriptors, right and wrong ones, over its command
//! stream or, without one, through its registers. Meanwhile the host reads the events of one node after the other, which
//! keeps their register buses busy. Then come fences. When these have completed, every event must have counted as often as
//! descriptors wanted it, with the error and the value that the golden model has, and the memory of a node is compared. All
//! memories are compared at the end, and before a round that a reset cuts off; what that round did is not compared, and
//! everything is set up anew.
//!
//! Where tiles have message-passing engines, groups of them make calls too, beside all else; see the module `calls`.
//! When a round is over, all contexts are idle, with all credits at home. In some rounds the members of one context disagree,
//! and the host recovers it; see the module `failing`. Where tiles have Portals engines, they put and get to entries of each
//! other; see the module `portals`.
//!
//! In a round some tiles work by lists, which their own command queue or another tile's list starts; see the module `lists`.
//!
//! Where tiles have streams, an accelerator beside each takes and gives words, some at a time. Where they have ports beside
//! command streams, a master at each writes and reads words of its own.
//!
//! At the end every queue gets as many messages as its senders have credits before one is received, so that all of them must
//! have come back. Transaction slots come back in every round, as a fence on each segment waits until none is busy with it.
//! Credits of gets show by their effect alone: gets to a node end no more once both are lost.
//!
//! Files, the lowest first. Each uses only those above its row:
//!
//! | files | what they have |
//! | --- | --- |
//! | `access`, `device`, `geometry`, `sizes` | registers and shapes, without the soak |
//! | `list_site` | what a tile has for lists |
//! | `workload` | who sends what to whom |
//! | `operation`, `summary` | what an operation must come to, and how many did |
//! | `site`, `portals/site` | what the fabric is set up with |
//! | `draw`, `beside` | what is known of tiles and pairs, and what stands beside a tile |
//! | `wrong` | operations that must be refused |
//! | `descriptors`, `collectives` | operations that are drawn, and groups of engines with their calls |
//! | `episode` | calls on which members disagree, and what must hold when they have ended |
//! | `epoch` | site and model from one reset to the next |
//! | `calls`, `check`, `lists` | calls of a round, what is compared, and lists |
//! | `failing` | how the host drives such calls, and recovers their context |
//! | `portals` | Portals commands of a round, and what is compared of them |
//! | `credits` | credits of queues |
//! | `replay` | Portals commands that race, replayed in the order of hardware |
//! | `batch` | how a tile is given its descriptors |
//! | `rounds` | rounds |
//!
//! ```
//! use portico_spec::Config;
//! use portico_testbench::soak::{run, GoldenDevice, Soak, Workload};
//!
//! let config = Config { cols: 2, rows: 2, scratchpad: 8, ..Config::default() }.fabric()?;
//! let soak = Soak { workload: Workload::Neighbours, cycles: 20_000, seed: 1, resets: 0.4 };
//! let summary = run(&mut GoldenDevice::new(&config)?, &soak, &mut |_| {})?;
//! assert!(summary.operations > 100 && summary.resets > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use self::{check::late, epoch::Epoch, summary::Tally};
pub use self::{
    device::{GoldenDevice, SoakDevice},
    sizes::draw_sizes,
    summary::Summary,
    workload::{Soak, Workload},
};
use crate::device::hardware::with_movement;
use anyhow::{anyhow, Context};
use portico_spec::Config;
use rand::{rngs::StdRng, SeedableRng};

mod access;
mod batch;
mod beside;
mod calls;
mod check;
mod collectives;
mod credits;
mod descriptors;
mod device;
mod draw;
mod episode;
mod epoch;
mod failing;
mod geometry;
mod list_site;
mod lists;
mod operation;
mod portals;
mod replay;
mod rounds;
mod site;
mod sizes;
mod summary;
#[cfg(test)]
mod tests;
mod workload;
mod wrong;

/// Checks that a fabric of this configuration can have this soak.
///
/// # Errors
/// The workload needs another value of a key, or allows no resets.
pub fn check(config: &Config, soak: &Soak) -> anyhow::Result<()> {
    match soak.workload {
        Workload::Replay => replay::check(config, soak),
        _ => Ok(()),
    }
}

/// Runs a soak. `progress` is told after every round how many of its cycles are done.
///
/// # Errors
/// The fabric did something wrong, which is told with the seed; or it has no host.
pub fn run<D: SoakDevice>(device: &mut D, soak: &Soak, progress: &mut dyn FnMut(u64)) -> anyhow::Result<Summary> {
    let outcome = match soak.workload {
        Workload::Replay => match device.simulated() {
            Some(fabric) => replay::run(fabric, soak, progress),
            None => Err(anyhow!("workload replay needs a simulation")),
        },
        _ => rounds(device, soak, progress),
    };
    let outcome = outcome.map_err(|error| match late(&error).then(|| device.movement()).flatten() {
        Some(movement) => with_movement(&error, &movement),
        None => error,
    });
    outcome.with_context(|| format!("seed {:#x}", soak.seed))
}

fn rounds<D: SoakDevice>(device: &mut D, soak: &Soak, progress: &mut dyn FnMut(u64)) -> anyhow::Result<Summary> {
    let mut tally = Tally::default();
    let mut random = StdRng::seed_from_u64(soak.seed);
    loop {
        let mut running = Epoch::new(&mut *device, soak.workload, &mut random)
            .with_context(|| format!("setting up after {} cycles", tally.cycles))?;
        if running.run(soak, &mut random, &mut tally, progress)? {
            return Ok(tally.summary());
        }
        device.reset();
        tally.resets += 1;
    }
}
