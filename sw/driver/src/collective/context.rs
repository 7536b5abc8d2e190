//! Contexts: finds one that is free at all members of a group, and prepares it.

use std::{
    collections::BTreeMap,
    sync::{
        atomic::{AtomicU64, Ordering},
        Arc,
    },
};

use portico_spec::{
    mpe::call::{Row, NEIGHBOURS},
    ni::registers::{Place, MPE_CLOSED_OFFSET, MPE_CLOSE_OFFSET, MPE_DRAINED_OFFSET, MPE_IDLE_OFFSET, MPE_OPEN_OFFSET},
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

/// The time-out of a new communicator, in cycles.
const TIMEOUT: u32 = 1_000_000;
/// It is this many times as long as the host takes to write the lists of all members, at least. To post a call takes about as long as
/// that, so a slow host has time to post some calls.
const SLOW_HOST: u64 = 16;

/// The member that is nearest to the others: the root of calls without a root.
pub(crate) fn middle(tree: &Tree) -> usize {
    let ranks = 0..tree.tiles().len();
    ranks.min_by_key(|&rank| tree.depth(rank)).expect("a group has members")
}

/// Contexts that a group may take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Take {
    /// Those that no communicator has.
    Free,
    /// These, and those that their communicators can do without.
    Spare,
}

/// State of a context, for a group.
enum Found {
    /// Free at all members.
    Free,
    /// Given back, but a call of it is under way at this tile.
    Busy(usize),
    /// Not idle at this tile, where no communicator has a call under way: an earlier program may have left one.
    Leftover(usize),
    /// Another communicator of some member has it.
    InUse,
    /// Closed at some member: a communicator that has failed has it, or it could not be recovered.
    Retired,
}

/// Tiles, and the pairs of them that are neighbours in a context.
pub(super) struct Joined {
    pub tiles: Vec<usize>,
    pub edges: Vec<(usize, usize)>,
}

impl Joined {
    /// Those of a tree.
    pub fn of(tree: &Tree) -> Joined {
        let tiles = tree.tiles();
        let ranks = 0..tiles.len();
        let pairs = ranks.flat_map(|rank| tree.neighbours(rank).iter().map(move |&other| (rank, other)));
        let edges = pairs.filter(|(rank, other)| rank < other);
        Joined {
            tiles: tiles.to_vec(),
            edges: edges.map(|(rank, other)| (tiles[rank], tiles[other])).collect(),
        }
    }
}

/// The status of a context.
#[derive(Clone, Copy)]
pub(super) struct Status {
    pub is_idle: bool,
    pub is_closed: bool,
    pub is_drained: bool,
}

impl Status {
    fn of(status: u32) -> Status {
        Status {
            is_idle: status >> MPE_IDLE_OFFSET & 1 == 1,
            is_closed: status >> MPE_CLOSED_OFFSET & 1 == 1,
            is_drained: status >> MPE_DRAINED_OFFSET & 1 == 1,
        }
    }
}

/// A context of several tiles, as items of registers.
fn at_tiles(tiles: &[usize], context: u8) -> Vec<(usize, usize)> {
    tiles.iter().map(|&tile| (tile, context.into())).collect()
}

impl<T: Transport> Fabric<T> {
    /// A communicator of these tiles, in the order of their ranks, joined by a tree of this shape.
    ///
    /// The communicator gets a context that no other communicator has at any of the tiles. If none is free, it takes the second context
    /// of an [`mpi`](crate::mpi) group whose calls along its second tree have ended. While such calls are under way, or calls of a
    /// dropped communicator or of an earlier program, the driver waits for the first of these contexts that becomes idle, for at most
    /// the time-out of its accesses. If calls of an earlier program are left then, it recovers their contexts one after the other, as
    /// [`Fabric::recover_context`] does, each within this time, until one is free.
    ///
    /// # Errors
    /// [`Error::Tree`] of tiles that are no group, of pairs that are no tree, and of a member with more neighbours than the
    /// engine has room for (key `mpe_neighbours`); [`Error::NotBuilt`] where a tile has no message-passing engine: nothing is
    /// sent. [`Error::NoContext`] if all contexts are in use at some of the tiles, [`Error::Timeout`] if none becomes idle and none
    /// can be recovered, or the fabric's.
    pub fn communicator(&mut self, tiles: &[usize], shape: &Shape) -> Result<Communicator, Error> {
        let tree = Tree::new(self.config(), tiles, shape)?;
        for &tile in tiles {
            self.nodes[tile].check_built(tile, &ENGINE)?;
        }
        tree.check(self.config().mpe_neighbours)?;
        let context = self.find_context(tiles)?;
        self.prepare_context(context, tree, shape, false)
    }

    /// A communicator that can do without its context: it loses it to the next communicator that finds none, and is gone then. None
    /// without a context that is free at all tiles, or if a member has too many neighbours.
    ///
    /// # Errors
    /// The fabric's.
    pub(crate) fn spare_communicator(&mut self, tree: Tree, shape: &Shape) -> Result<Option<Communicator>, Error> {
        if tree.check(self.config().mpe_neighbours).is_err() {
            return Ok(None);
        }
        for context in 0..self.contexts(tree.tiles()) {
            if matches!(self.look_at(tree.tiles(), context, Take::Free)?, Found::Free) {
                return self.prepare_context(context, tree, shape, true).map(Some);
            }
        }
        Ok(None)
    }

    /// Makes a communicator with a context that is free.
    fn prepare_context(
        &mut self,
        context: u8,
        tree: Tree,
        shape: &Shape,
        is_spare: bool,
    ) -> Result<Communicator, Error> {
        let begun = self.port.transport.cycles();
        self.together(|fabric| fabric.write_rows(&tree, context, NEIGHBOURS))?;
        let writing = self.port.transport.cycles() - begun;
        let timeout = u64::from(TIMEOUT).max(SLOW_HOST * writing).min(u32::MAX.into()) as u32;
        self.write_timeout(tree.tiles(), context, timeout)?;
        let owner = Arc::new(());
        let group = NEXT_GROUP.fetch_add(1, Ordering::Relaxed);
        self.groups.insert(
            group,
            Group::new(context, tree.clone(), Arc::downgrade(&owner), is_spare),
        );
        tracing::debug!(group, context, tiles = ?tree.tiles(), is_spare, "communicator");
        Ok(Communicator {
            group,
            context,
            shape: shape.clone(),
            middle: middle(&tree),
            tree,
            _owner: owner,
        })
    }

    /// Writes the time-out of a context at these tiles.
    pub(super) fn write_timeout(&mut self, tiles: &[usize], context: u8, cycles: u32) -> Result<(), Error> {
        self.together(|fabric| {
            let mut tiles = tiles.iter();
            tiles.try_for_each(|&tile| fabric.poke(tile, MpeRegister::Timeout, context.into(), &[cycles]))
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

    /// How many contexts all of these tiles have.
    fn contexts(&self, tiles: &[usize]) -> u8 {
        let counts = tiles.iter().map(|&tile| self.nodes[tile].build.mpe);
        counts.min().unwrap_or(0) as u8
    }

    /// A context for a group.
    fn find_context(&mut self, tiles: &[usize]) -> Result<u8, Error> {
        let contexts = self.contexts(tiles);
        let begun = self.port.transport.cycles();
        let mut recovered = vec![];
        loop {
            let (mut in_use, mut busy, mut left) = (0, None, vec![]);
            for take in [Take::Free, Take::Spare] {
                (in_use, left) = (0, vec![]);
                for context in 0..contexts {
                    match self.look_at(tiles, context, take)? {
                        Found::Free => return Ok(context),
                        Found::Busy(tile) => busy = Some(tile),
                        Found::Leftover(tile) => left.push((tile, context)),
                        Found::InUse => in_use += 1,
                        Found::Retired => {}
                    }
                }
            }
            let leftover = left.first().map(|&(tile, _)| tile);
            let Some(tile) = busy.or(leftover) else {
                let contexts = contexts.into();
                return Err(Error::NoContext {
                    contexts,
                    in_use,
                    retired: contexts - in_use,
                });
            };
            let whose = match busy {
                Some(_) => "calls of another communicator",
                None => "calls of an earlier program",
            };
            let in_time = self.check_time(begun, self.port.timeout, tile, whose);
            let next = left.into_iter().find(|place| !recovered.contains(place));
            match next.filter(|_| in_time.is_err()) {
                Some((tile, context)) => {
                    recovered.push((tile, context));
                    ended_in_time(self.recover_context(tile, context.into(), self.port.timeout))?;
                }
                None => in_time?,
            }
        }
    }

    /// State of a context for a group.
    fn look_at(&mut self, tiles: &[usize], context: u8, take: Take) -> Result<Found, Error> {
        let groups = self.groups.iter().filter(|(_, group)| group.is_at(context, tiles));
        let others: Vec<u64> = groups.map(|(&number, _)| number).collect();
        let mut groups = others.iter().map(|number| &self.groups[number]);
        let gives = |group: &Group| !group.is_owned() || take == Take::Spare && group.is_spare();
        if let Some(group) = groups.find(|group| !gives(group)) {
            return Ok(match group.failure() {
                Some(_) => Found::Retired,
                None => Found::InUse,
            });
        }
        for &number in &others {
            // Members outside the new group may still send to members inside it.
            let found = self.look_at_given(number)?;
            if !matches!(found, Found::Free) {
                return Ok(found);
            }
        }
        for number in others {
            self.give_held_events(number);
            let failures = self.groups.remove(&number).expect("found above").failures;
            if !failures.is_empty() {
                self.past_failures.insert(number, failures);
            }
        }
        self.look_at_members(tiles, context)
    }

    /// State of the context of a group that gives it away.
    fn look_at_given(&mut self, number: u64) -> Result<Found, Error> {
        self.advance(number, u64::MAX)?;
        self.look_for_failure(number)?;
        if self.groups[&number].failure().is_some() {
            if self.groups[&number].is_owned() {
                // Its calls tell of the failure until the communicator is recovered.
                return Ok(Found::Retired);
            }
            if !ended_in_time(self.recover_group(number, self.port.timeout))? {
                return Ok(Found::Retired);
            }
        }
        let group = &self.groups[&number];
        if let Some(tile) = group.first_busy() {
            return Ok(Found::Busy(tile));
        }
        self.look_at_members(&group.tiles(), group.context())
    }

    /// State of a context that no communicator has at these tiles.
    fn look_at_members(&mut self, tiles: &[usize], context: u8) -> Result<Found, Error> {
        let statuses = self.context_statuses(tiles, context)?;
        for (&tile, mut status) in tiles.iter().zip(statuses) {
            if status.is_closed {
                // No communicator of this program has closed it: an earlier program may have.
                if !ended_in_time(self.recover_listed(tile, context, self.port.timeout))? {
                    return Ok(Found::Retired);
                }
                status = self.context_status(tile, context)?;
            }
            if !status.is_idle {
                return Ok(Found::Leftover(tile));
            }
        }
        Ok(Found::Free)
    }

    pub(super) fn context_status(&mut self, tile: usize, context: u8) -> Result<Status, Error> {
        Ok(Status::of(self.peek(tile, MpeRegister::Status, context.into())?))
    }

    /// The same at several tiles. The reads travel together.
    pub(super) fn context_statuses(&mut self, tiles: &[usize], context: u8) -> Result<Vec<Status>, Error> {
        let found = self.peek_items(&at_tiles(tiles, context))?;
        Ok(found
            .iter()
            .map(|registers| Status::of(registers[MpeRegister::Status]))
            .collect())
    }

    /// Recovers a context of a tile, and of all tiles that its engines' lists join with it, within so many cycles: calls that run or
    /// wait there end with [`ErrorCode::Closed`](crate::ErrorCode::Closed). For calls that this driver did not post: those of an
    /// earlier program of the host, or of a processor beside a tile.
    ///
    /// A context of this driver's communicators is recovered with them: see [`Communicator::recover`].
    ///
    /// # Errors
    /// [`Error::NoSuchNode`], [`Error::NotBuilt`] without an engine, [`Error::OutOfRange`] of the context: nothing is sent.
    /// [`Error::Timeout`] if it is not drained in time: call again. Or the fabric's.
    pub fn recover_context(&mut self, tile: usize, context: usize, cycles: u64) -> Result<(), Error> {
        self.check_node(tile)?;
        self.nodes[tile].check_built(tile, &ENGINE)?;
        Error::check_range("context", context as u64, 0, self.nodes[tile].build.mpe as u64 - 1)?;
        let context = context as u8;
        let mut groups = self.groups.iter();
        match groups
            .find(|(_, group)| group.is_at(context, &[tile]))
            .map(|(&number, _)| number)
        {
            Some(number) => self.recover_group(number, cycles),
            None => self.recover_listed(tile, context, cycles),
        }
    }

    fn recover_listed(&mut self, tile: usize, context: u8, cycles: u64) -> Result<(), Error> {
        let begun = self.port.transport.cycles();
        let joined = self.listed(tile, context)?;
        self.close_contexts(context, &joined.tiles)?;
        self.drain_and_open(context, &joined, begun, cycles)
    }

    /// The tiles that the engines' lists join with `tile` in a context, and the pairs of them that are neighbours: each has a row
    /// that names the other.
    fn listed(&mut self, tile: usize, context: u8) -> Result<Joined, Error> {
        let mut lists = BTreeMap::new();
        let mut joined = Joined {
            tiles: vec![tile],
            edges: vec![],
        };
        let mut seen = 0;
        while let Some(&own) = joined.tiles.get(seen) {
            seen += 1;
            for (place, row) in self.rows(&mut lists, own, context)?.into_iter().enumerate() {
                let Some(row) = row else { continue };
                let other = self.config().node_id(row.node).unwrap_or(usize::MAX);
                let contexts = self.nodes.get(other).map_or(0, |node| node.build.mpe);
                if contexts <= usize::from(context) {
                    continue;
                }
                let back = Row {
                    node: self.config().terminal_node(own),
                    place: place as u8,
                };
                if self.rows(&mut lists, other, context)?.get(usize::from(row.place)) != Some(&Some(back)) {
                    continue;
                }
                if own < other {
                    joined.edges.push((own, other));
                }
                if !joined.tiles.contains(&other) {
                    joined.tiles.push(other);
                }
            }
        }
        Ok(joined)
    }

    /// The list of a context at a tile; `lists` has those that were read before.
    fn rows(
        &mut self,
        lists: &mut BTreeMap<usize, Vec<Option<Row>>>,
        tile: usize,
        context: u8,
    ) -> Result<Vec<Option<Row>>, Error> {
        if let Some(rows) = lists.get(&tile) {
            return Ok(rows.clone());
        }
        let places = 0..self.config().mpe_neighbours;
        let registers = &self.peek_items(&at_tiles(&[tile], context))?[0];
        let rows = places.map(|place| MpeRegister::from_number(place).expect("rows are the first registers"));
        let rows: Vec<_> = rows.map(|register| Row::decode(registers[register])).collect();
        lists.insert(tile, rows.clone());
        Ok(rows)
    }

    pub(super) fn close_contexts(&mut self, context: u8, tiles: &[usize]) -> Result<(), Error> {
        self.together(|fabric| {
            let mut tiles = tiles.iter();
            tiles
                .try_for_each(|&tile| fabric.poke(tile, MpeRegister::Control, context.into(), &[1 << MPE_CLOSE_OFFSET]))
        })
    }

    /// Waits until a context that is closed at these tiles is drained, and opens it. Credits of packets are home then; tokens that
    /// were under way have come when each neighbour has heard of the other.
    pub(super) fn drain_and_open(
        &mut self,
        context: u8,
        joined: &Joined,
        begun: u64,
        cycles: u64,
    ) -> Result<(), Error> {
        loop {
            let statuses = self.context_statuses(&joined.tiles, context)?;
            let mut found = joined.tiles.iter().zip(statuses);
            let Some((&tile, _)) = found.find(|(_, status)| !status.is_drained) else {
                break;
            };
            self.check_time(begun, cycles, tile, "credits of a context that was closed")?;
        }
        let spent = self.port.transport.cycles() - begun;
        let ways: Vec<_> = joined
            .edges
            .iter()
            .flat_map(|&(one, other)| [(one, other), (other, one)])
            .collect();
        self.hear_of(&ways, cycles.saturating_sub(spent))?;
        self.together(|fabric| {
            let mut tiles = joined.tiles.iter();
            tiles.try_for_each(|&tile| fabric.poke(tile, MpeRegister::Control, context.into(), &[1 << MPE_OPEN_OFFSET]))
        })
    }

    /// Writes the first rows of every member's list, `most` at most, which restarts the numbers of its calls at 0 and takes its armed
    /// calls away.
    pub(super) fn write_rows(&mut self, tree: &Tree, context: u8, most: usize) -> Result<(), Error> {
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
            rows.resize(self.config().mpe_neighbours.min(most), 0);
            self.poke(tile, MpeRegister::Neighbour0, context.into(), &rows)?;
        }
        Ok(())
    }
}

/// Whether a recovery has ended in time.
///
/// # Errors
/// That of the recovery, if it is no [`Error::Timeout`].
fn ended_in_time(outcome: Result<(), Error>) -> Result<bool, Error> {
    match outcome {
        Err(Error::Timeout { .. }) => Ok(false),
        outcome => outcome.map(|()| true),
    }
}
