//! What must have come back when all is over: the credits of queues.

use super::{
    check,
    device::SoakDevice,
    epoch::{Epoch, ROUND_CYCLES},
    operation::Operation,
    site::{CREDITS, FENCES},
    workload::Kind,
    Late,
};
use anyhow::ensure;
use portico_spec::ni::descriptor::{Command, Descriptor};

/// Sends as many messages to every queue as its senders have credits, before one of them is received. A sender without one
/// of its credits would wait for ever. All of them together fit the command queue of a tile.
pub fn spend<D: SoakDevice>(epoch: &mut Epoch<D>) -> anyhow::Result<()> {
    if !epoch.config.queues {
        return Ok(());
    }
    let begun = epoch.device.transport().cycles();
    let mut batches = vec![vec![]; epoch.config.tiles()];
    for at in 0..epoch.site.pairs.len() {
        let pair = &epoch.site.pairs[at];
        let Some(segment) = pair.queue else { continue };
        let (initiator, target) = (pair.initiator, pair.target);
        let enqueue = Descriptor {
            segment,
            event: FENCES as u8,
            ..Descriptor::new(Command::Enqueue {
                local: epoch.site.initiators[initiator].source.base,
                bytes: 0,
            })
        };
        let operation = Operation::counting(Kind::Enqueue, FENCES, enqueue.encode(&epoch.config)?);
        for _ in 0..CREDITS {
            epoch.model(initiator, &operation)?;
            epoch.expect_message(initiator, target)?;
            batches[initiator].push(operation.words.clone());
        }
    }
    for (tile, batch) in batches.into_iter().enumerate().filter(|(_, batch)| !batch.is_empty()) {
        epoch.await_fences(tile)?;
        for words in batch {
            epoch.command(tile, &words)?;
        }
    }
    let end = begun + ROUND_CYCLES;
    for tile in 0..epoch.config.tiles() {
        while epoch.device.transport().fired(tile) >> FENCES & 1 == 0 {
            epoch.device.transport().wait(20);
            ensure!(
                epoch.device.transport().cycles() < end,
                Late(format!("tile {tile}: a queue's credit has not come back"))
            );
        }
    }
    check::arrivals(epoch, end)
}
