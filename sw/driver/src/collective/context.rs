//! Contexts: finds one that is free at all members of a group, and prepares it.

use std::sync::{
    atomic::{AtomicU64, Ordering},
    Arc,
};

use portico_spec::{
    mpe::call::Row,
    ni::registers::{MPE_CLOSED_OFFSET, MPE_IDLE_OFFSET},
};

use super::{Communicator, Group, Shape, Tree};
use crate::{registers::MpeRegister, resources::Feature, Error, Fabric, Transport};

/// The message-passing engine.
pub(crate) const ENGINE: Feature = Feature {
    what: "a message-passing engine",
    is_built: |build| build.mpe > 0,
    tile_key: Some("mpe"),
    host_key: None,
};

/// The number of the next group, shared by all fabrics, so that a fabric recognises the communicators of another one.
static NEXT_GROUP: AtomicU64 = AtomicU64::new(0);

/// The member that is nearest to the others: the root of calls without a root.
pub(crate) fn middle(tree: &Tree) -> usize {
    let ranks = 0..tree.tiles().len();
    ranks.min_by_key(|&rank| tree.depth(rank)).expect("a group has members")
}

/// State of a context, for a group.
enum Found {
    /// Free at all members.
    Free,
    /// Given back, but not yet idle at this tile.
    Busy(usize),
    /// Another communicator of some member has it.
    InUse,
    /// Closed at some member.
    Retired,
}

/// The status of a context.
#[derive(Clone, Copy)]
struct Status {
    is_idle: bool,
    is_closed: bool,
}

impl<T: Transport> Fabric<T> {
    /// A communicator of these tiles, in the order of their ranks, joined by a tree of this shape.
    ///
    /// The communicator gets a context that no other communicator has at any of the tiles. If there is none, the driver waits
    /// for the first context of a dropped communicator that becomes idle, for at most the time-out of its accesses.
    ///
    /// # Errors
    /// [`Error::Tree`] of tiles that are no group, of pairs that are no tree, and of a member with more neighbours than the
    /// engine has room for (key `mpe_neighbours`); [`Error::NotBuilt`] where a tile has no message-passing engine: nothing is
    /// sent. [`Error::NoContext`] if all contexts are in use at some of the tiles, [`Error::Timeout`] if none becomes idle, or
    /// the fabric's.
    pub fn communicator(&mut self, tiles: &[usize], shape: &Shape) -> Result<Communicator, Error> {
        let tree = Tree::new(self.config(), tiles, shape)?;
        for &tile in tiles {
            self.nodes[tile].check_built(tile, &ENGINE)?;
        }
        tree.check(self.config().mpe_neighbours)?;
        let context = self.find_context(tiles)?;
        self.write_rows(&tree, context)?;
        let owner = Arc::new(());
        let group = NEXT_GROUP.fetch_add(1, Ordering::Relaxed);
        self.groups
            .insert(group, Group::new(context, tiles, Arc::downgrade(&owner)));
        tracing::debug!(group, context, ?tiles, "communicator");
        Ok(Communicator {
            group,
            context,
            shape: shape.clone(),
            middle: middle(&tree),
            tree,
            _owner: owner,
        })
    }

    /// A communicator of all tiles. The rank of a tile is its number.
    ///
    /// # Errors
    /// As for [`Fabric::communicator`].
    pub fn world(&mut self, shape: &Shape) -> Result<Communicator, Error> {
        let tiles: Vec<usize> = (0..self.config().tiles()).collect();
        self.communicator(&tiles, shape)
    }

    /// A context for a group.
    fn find_context(&mut self, tiles: &[usize]) -> Result<u8, Error> {
        let counts = tiles.iter().map(|&tile| self.nodes[tile].build.mpe);
        let contexts = counts.min().unwrap_or(0);
        let begun = self.port.transport.cycles();
        loop {
            let (mut in_use, mut busy) = (0, None);
            for context in 0..contexts as u8 {
                match self.look_at(tiles, context)? {
                    Found::Free => return Ok(context),
                    Found::Busy(tile) => busy = Some(tile),
                    Found::InUse => in_use += 1,
                    Found::Retired => {}
                }
            }
            let Some(tile) = busy else {
                return Err(Error::NoContext {
                    contexts,
                    in_use,
                    retired: contexts - in_use,
                });
            };
            self.check_time(begun, self.port.timeout, tile, "calls of a communicator that was freed")?;
        }
    }

    /// State of a context for a group.
    fn look_at(&mut self, tiles: &[usize], context: u8) -> Result<Found, Error> {
        let groups = self.groups.iter().filter(|(_, group)| group.is_at(context, tiles));
        let others: Vec<u64> = groups.map(|(&number, _)| number).collect();
        if others.iter().any(|number| self.groups[number].failure().is_some()) {
            return Ok(Found::Retired);
        }
        if others.iter().any(|number| self.groups[number].is_owned()) {
            return Ok(Found::InUse);
        }
        for number in others {
            // Members outside the new group may still send to members inside it.
            let found = self.look_at_freed(number)?;
            if !matches!(found, Found::Free) {
                return Ok(found);
            }
            self.groups.remove(&number);
        }
        self.look_at_members(tiles, context)
    }

    /// State of the context of a group without a communicator.
    fn look_at_freed(&mut self, number: u64) -> Result<Found, Error> {
        self.advance(number, u64::MAX)?;
        let group = &self.groups[&number];
        if group.failure().is_some() {
            return Ok(Found::Retired);
        }
        if let Some(tile) = group.first_busy() {
            return Ok(Found::Busy(tile));
        }
        self.look_at_members(&group.tiles(), group.context())
    }

    /// State of a context that no communicator has at these tiles.
    fn look_at_members(&mut self, tiles: &[usize], context: u8) -> Result<Found, Error> {
        for &tile in tiles {
            let status = self.context_status(tile, context)?;
            if status.is_closed {
                return Ok(Found::Retired);
            }
            if !status.is_idle {
                return Ok(Found::Busy(tile));
            }
        }
        Ok(Found::Free)
    }

    fn context_status(&mut self, tile: usize, context: u8) -> Result<Status, Error> {
        let status = self.peek(tile, MpeRegister::Status, context.into())?;
        Ok(Status {
            is_idle: status >> MPE_IDLE_OFFSET & 1 == 1,
            is_closed: status >> MPE_CLOSED_OFFSET & 1 == 1,
        })
    }

    /// Writes the neighbours of every member, which restarts the numbers of its calls at 0. Sets no time-out for calls.
    fn write_rows(&mut self, tree: &Tree, context: u8) -> Result<(), Error> {
        for (rank, &tile) in tree.tiles().iter().enumerate() {
            let neighbours = tree.neighbours(rank).iter().enumerate();
            let rows = neighbours.map(|(place, &neighbour)| {
                let row = Row {
                    node: self.config().terminal_node(tree.tiles()[neighbour]),
                    place: tree.place_at(rank, place) as u8,
                };
                Row::encode(Some(row))
            });
            let mut rows = rows.collect::<Result<Vec<u32>, _>>()?;
            // Rows that are not built refuse to be written.
            rows.resize(self.config().mpe_neighbours, 0);
            self.poke(tile, MpeRegister::Neighbour0, context.into(), &rows)?;
            self.poke(tile, MpeRegister::Timeout, context.into(), &[0])?;
        }
        Ok(())
    }
}
