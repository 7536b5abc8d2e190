//! How tiles are given their descriptors: over their command streams, by masters at their ports, or by the host through the
//! registers of their command queues.

use super::{
    access::{self, Rows},
    device::SoakDevice,
    epoch::Epoch,
    operation::{Operation, Room},
    site::FENCES,
};
use portico_spec::ni::{
    command::{first_place, QUEUE_WORDS},
    registers::{CommandRegister, EventRegister},
};
use rand::{rngs::StdRng, Rng};
use std::collections::VecDeque;

/// Groups of descriptors that the command queue of a tile has room for.
const GROUPS: usize = 2;
/// Words of a group at most.
pub const GROUP_WORDS: usize = QUEUE_WORDS / GROUPS;
/// Descriptors that a stream is given at once, at most.
const MOST_AT_ONCE: usize = 12;

/// Descriptors of a round that a tile has not got yet.
pub struct Batch {
    descriptors: VecDeque<(Vec<u32>, Option<Room>)>,
    /// Of a tile without a command stream: after how many descriptors a group ends, and the count of [`FENCES`] that says
    /// that it has left the queue.
    groups: VecDeque<(usize, u16)>,
    /// Those counts, of the groups in the queue.
    queued: VecDeque<u16>,
}

impl Batch {
    /// Of these operations, the counts of [`FENCES`] with each being those that follow `count`.
    pub fn new(operations: &[Operation], mut count: u16) -> Self {
        let mut groups = VecDeque::new();
        let mut begin = 0;
        for (at, operation) in operations.iter().enumerate() {
            if operation.event == FENCES {
                count = count.wrapping_add(1);
                groups.push_back((at + 1 - begin, count));
                begin = at + 1;
            }
        }
        Batch {
            descriptors: operations
                .iter()
                .map(|operation| (operation.words.clone(), operation.room))
                .collect(),
            groups,
            queued: VecDeque::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.descriptors.len()
    }
}

impl<D: SoakDevice> Epoch<D> {
    /// Gives a descriptor to a tile, whose queue has room for it.
    pub fn command(&mut self, tile: usize, words: &[u32]) -> anyhow::Result<()> {
        if self.config.commands || self.config.tile_ports {
            return Ok(self.device.transport().command(tile, words)?);
        }
        let first = first_place(words.len());
        let place = Rows::new(&self.device, tile, CommandRegister::Word, first, 1, words.len());
        access::poke(&mut self.device, self.site.staging, place, words)
    }

    /// Gives a tile its next descriptors: some of them over a stream, which waits; a group through registers, when there is
    /// room for it.
    pub fn give(&mut self, tile: usize, batch: &mut Batch, random: &mut StdRng) -> anyhow::Result<()> {
        let some = match self.config.commands {
            true => {
                let some = random.gen_range(0..=batch.len().min(MOST_AT_ONCE));
                let rooms: Vec<_> = batch.descriptors.iter().take(some).map(|(_, room)| *room).collect();
                self.take_rooms(tile, &rooms)?
            }
            false => self.next_group(tile, batch)?,
        };
        let descriptors: Vec<_> = batch.descriptors.drain(..some).collect();
        descriptors.iter().try_for_each(|(words, _)| self.command(tile, words))
    }

    /// Takes room for the next descriptors of a tile; gives for how many of them there is.
    fn take_rooms(&mut self, tile: usize, rooms: &[Option<Room>]) -> anyhow::Result<usize> {
        for (at, room) in rooms.iter().enumerate() {
            let has_room = match *room {
                None => true,
                Some(Room::Call { context, is_taken }) => self.take_room_of_call(tile, context, is_taken)?,
                Some(Room::Queue { pair, is_message }) => self.take_room_of_queue(pair, is_message),
            };
            if !has_room {
                return Ok(at);
            }
        }
        Ok(rooms.len())
    }

    /// Descriptors of the next group, which counts as queued then; 0 while the queue has no room for it.
    fn next_group(&mut self, tile: usize, batch: &mut Batch) -> anyhow::Result<usize> {
        if batch.queued.len() == GROUPS {
            let place = Rows::new(&self.device, tile, EventRegister::Count, FENCES, 1, 1);
            let count = access::peek(&mut self.device, self.site.staging, place)?[0] as u16;
            // Counts wrap.
            batch.queued.retain(|&until| (count.wrapping_sub(until) as i16) < 0);
        }
        if batch.queued.len() == GROUPS {
            return Ok(0);
        }
        let Some(&(descriptors, until)) = batch.groups.front() else {
            return Ok(0);
        };
        // One of them at most is for a queue, the last but the fence. All calls of a round have room.
        let rooms = batch.descriptors.iter().take(descriptors).map(|(_, room)| *room);
        let of_queue = rooms.flatten().find(|room| matches!(room, Room::Queue { .. }));
        if self.take_rooms(tile, &[of_queue])? == 0 {
            return Ok(0);
        }
        batch.groups.pop_front();
        batch.queued.push_back(until);
        Ok(descriptors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soak::workload::Kind;

    #[test]
    fn groups_end_with_what_counts_in_the_event_of_fences() {
        let operation = |event| Operation::counting(Kind::Fence, event, vec![7]);
        let operations = [3, 4, FENCES, FENCES, 5, FENCES].map(operation);
        let batch = Batch::new(&operations, u16::MAX);
        assert_eq!(batch.groups, [(3, 0), (1, 1), (2, 2)]);
        assert_eq!(batch.len(), 6);
    }
}
