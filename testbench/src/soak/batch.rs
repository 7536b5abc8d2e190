//! How tiles are given their descriptors: over their command streams, by masters at their ports, by the host through the
//! registers of their command queues, or as lists.

use super::{
    access::{self, Rows},
    device::SoakDevice,
    epoch::Epoch,
    operation::{Operation, Room},
    site::FENCES,
};
use portico_spec::ni::{command::QUEUE_WORDS, registers::EventRegister};
use rand::{rngs::StdRng, Rng};
use std::collections::VecDeque;

/// Groups of descriptors that the command queue of a tile has room for.
const GROUPS: usize = 2;
/// Words of a group at most.
pub const GROUP_WORDS: usize = QUEUE_WORDS / GROUPS;

/// How a tile is given its descriptors in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Some at a time over its command stream, which waits.
    Stream,
    /// In groups through registers, for which its queue has room.
    Registers,
    /// In groups that are lists in its memory: each has the whole queue.
    Lists,
}

impl Way {
    /// Groups that the command queue of the tile has room for.
    pub fn groups(self) -> usize {
        match self {
            Way::Lists => 1,
            Way::Stream | Way::Registers => GROUPS,
        }
    }
}

/// Operations of a tile in a round; but for a stream, in groups that end with a fence.
#[derive(Default)]
pub struct Drawn {
    pub operations: Vec<Operation>,
    /// Operations up to the end of each group.
    ends: Vec<usize>,
}

impl Drawn {
    /// The group that has not ended: for a stream all operations.
    pub fn open(&self) -> &[Operation] {
        &self.operations[self.ends.last().copied().unwrap_or(0)..]
    }

    /// Ends the group.
    pub fn end(&mut self) {
        self.ends.push(self.operations.len());
    }
}

/// Descriptors of a round that a tile has not got yet.
pub struct Batch {
    pub way: Way,
    descriptors: VecDeque<(Vec<u32>, Option<Room>)>,
    /// How many descriptors a group has, and the count of [`FENCES`] that says that it has left the queue.
    groups: VecDeque<(usize, u16)>,
    /// Those counts, of the groups in the queue.
    queued: VecDeque<u16>,
    /// Descriptors of the next group for which room is taken.
    roomed: usize,
}

impl Batch {
    /// Of these operations, the counts of [`FENCES`] with each being those that follow `count`.
    pub fn new(way: Way, drawn: &Drawn, mut count: u16) -> Self {
        let mut begin = 0;
        let mut group = |&end: &usize| {
            let own = &drawn.operations[begin..end];
            let fences = own.iter().filter(|operation| operation.event == FENCES).count();
            (begin, count) = (end, count.wrapping_add(fences as u16));
            (own.len(), count)
        };
        let operations = drawn.operations.iter();
        Batch {
            way,
            groups: drawn.ends.iter().map(&mut group).collect(),
            descriptors: operations
                .map(|operation| (operation.words.clone(), operation.room))
                .collect(),
            queued: VecDeque::new(),
            roomed: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.descriptors.len()
    }
}

impl<D: SoakDevice> Epoch<D> {
    /// Gives a tile its next descriptors: some of them over a stream, which waits; a group through registers, when there is
    /// room for it.
    pub fn give(&mut self, tile: usize, batch: &mut Batch, random: &mut StdRng) -> anyhow::Result<()> {
        let descriptors = match batch.way {
            Way::Stream => {
                let some = random.gen_range(0..=batch.len().min(self.workload.most_at_once()));
                let rooms: Vec<_> = batch.descriptors.iter().take(some).map(|(_, room)| *room).collect();
                let some = self.take_rooms(tile, &rooms)?;
                batch.descriptors.drain(..some).map(|(words, _)| words).collect()
            }
            Way::Registers | Way::Lists => self.next_group(tile, batch)?,
        };
        descriptors.iter().try_for_each(|words| self.command(tile, words))
    }

    /// Takes room for the next descriptors of a tile; gives for how many of them there is.
    fn take_rooms(&mut self, tile: usize, rooms: &[Option<Room>]) -> anyhow::Result<usize> {
        for (at, room) in rooms.iter().enumerate() {
            let has_room = match *room {
                None => true,
                Some(Room::Call { context, is_taken, .. }) => self.take_room_of_call(tile, context, is_taken)?,
                Some(Room::Queue { pair, is_message }) => self.take_room_of_queue(pair, is_message),
            };
            if !has_room {
                return Ok(at);
            }
        }
        Ok(rooms.len())
    }

    /// The next group, which counts as queued then; none while the queue has no room for it.
    pub fn next_group(&mut self, tile: usize, batch: &mut Batch) -> anyhow::Result<Vec<Vec<u32>>> {
        if batch.queued.len() == batch.way.groups() {
            let place = Rows::new(&self.device, tile, EventRegister::Count, FENCES, 1, 1);
            let count = access::peek(&mut self.device, self.site.staging, place)?[0] as u16;
            // Counts wrap.
            batch.queued.retain(|&until| (count.wrapping_sub(until) as i16) < 0);
        }
        if batch.queued.len() == batch.way.groups() {
            return Ok(vec![]);
        }
        let Some(&(descriptors, until)) = batch.groups.front() else {
            return Ok(vec![]);
        };
        // One at most is for a queue, the last but fences. Without a stream all calls of a round have room.
        let rooms = batch.descriptors.iter().take(descriptors).skip(batch.roomed);
        let rooms =
            rooms.map(|(_, room)| room.filter(|room| self.config.commands || matches!(room, Room::Queue { .. })));
        let rooms: Vec<Option<Room>> = rooms.collect();
        batch.roomed += self.take_rooms(tile, &rooms)?;
        if batch.roomed < descriptors {
            return Ok(vec![]);
        }
        batch.roomed = 0;
        batch.groups.pop_front();
        batch.queued.push_back(until);
        Ok(batch.descriptors.drain(..descriptors).map(|(words, _)| words).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soak::workload::Kind;

    #[test]
    fn a_group_has_left_the_queue_when_its_fences_have_counted() {
        let mut drawn = Drawn::default();
        for event in [3, 4, FENCES, FENCES, 5, FENCES, FENCES] {
            drawn.operations.push(Operation::counting(Kind::Fence, event, vec![7]));
            if event == FENCES && drawn.operations.len() < 6 || drawn.operations.len() == 7 {
                drawn.end();
            }
        }
        assert!(drawn.open().is_empty());
        let batch = Batch::new(Way::Registers, &drawn, u16::MAX);
        assert_eq!(batch.groups, [(3, 0), (1, 1), (3, 3)]);
        assert_eq!(batch.len(), 7);
    }
}
