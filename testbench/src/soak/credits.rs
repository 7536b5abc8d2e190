//! The credits of queues: messages that a tile may be given without one, and credits that must have come back at the end.

use super::{
    check::{self, Late},
    device::SoakDevice,
    draw::PairState,
    epoch::{Epoch, ROUND_CYCLES},
    operation::Operation,
    site::{CREDITS, FENCES},
    workload::Kind,
};
use anyhow::ensure;
use portico_spec::ni::descriptor::{Command, Descriptor};

impl<D: SoakDevice> Epoch<D> {
    /// Takes room for a command to the queue of a pair; gives whether there is any.
    ///
    /// The tile parks a message without a credit, and refuses one more than it parks. How many have a credit is known at
    /// least: all that were received, and as many as there are credits, which are all at home when a round begins.
    pub fn take_room_of_queue(&mut self, pair: usize, is_message: bool) -> bool {
        let without = |state: &PairState| state.given.saturating_sub(state.received.max(CREDITS)) as usize;
        let state = &mut self.pairs[pair];
        if !is_message {
            // A command that is refused would be parked behind a message that waits, and take its room for a while.
            return without(state) == 0;
        }
        state.given += 1;
        let tile = self.site.pairs[pair].initiator;
        let own = self.site.pairs.iter().zip(&self.pairs);
        let own = own.filter(|(pair, _)| pair.initiator == tile);
        let parked: usize = own.map(|(_, state)| without(state)).sum();
        let has_room = parked < self.config.cores;
        self.pairs[pair].given -= u32::from(!has_room);
        has_room
    }
}

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
