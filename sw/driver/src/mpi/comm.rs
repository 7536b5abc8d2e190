//! Groups of tiles that make MPI-like calls.

use portico_spec::{
    mpe::tree::{Shape, Tree},
    parts::Station,
};

use super::Way;
use crate::{
    collective::{Communicator, ENGINE},
    exchange::Peers,
    Error, Fabric, Transport,
};

/// A group of tiles that make MPI-like calls, made by [`Fabric::mpi`]. Members have *ranks*, 0 and up, in the order in which they
/// were named. A group that is dropped gives segments and context back: see [`Peers`].
#[derive(Debug)]
#[must_use = "segments and a context are taken until the group is released or dropped"]
pub struct Comm {
    pub(super) peers: Peers,
    /// None if some member has no engine.
    pub(super) engines: Option<Communicator>,
    pub(super) tree: Tree,
    forced: Option<Way>,
}

impl Comm {
    /// How many members it has.
    pub fn size(&self) -> usize {
        self.peers.size()
    }

    /// Its members, by rank.
    pub fn tiles(&self) -> &[usize] {
        self.peers.tiles()
    }

    /// The rank of a tile; none if it is not a member.
    pub fn rank(&self, tile: usize) -> Option<usize> {
        self.tiles().iter().position(|&member| member == tile)
    }

    /// Its communicator; none if some member has no message-passing engine. A call of the engines that
    /// does not end holds up all other ways until the group is [recovered](Comm::recover), or until its
    /// [time-out](Communicator::timeout).
    pub fn engines(&self) -> Option<&Communicator> {
        self.engines.as_ref()
    }

    /// Carries out later calls in this way; with none, in the cheapest.
    pub fn force(&mut self, way: Option<Way>) {
        self.forced = way;
    }

    /// Recovers the communicator of its engines, if it has one: see [`Communicator::recover`]. Requests stay usable.
    ///
    /// # Errors
    /// As for [`Communicator::recover`].
    pub fn recover<T: Transport>(&self, fabric: &mut Fabric<T>, cycles: u64) -> Result<(), Error> {
        self.engines
            .iter()
            .try_for_each(|engines| engines.recover(fabric, cycles))
    }

    /// Releases segments and context. Requests that were not released can only be released.
    ///
    /// # Errors
    /// As for [`Peers::release`].
    pub fn release<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.peers.release(fabric)?;
        self.engines = None;
        Ok(())
    }

    /// The way of a call, with its estimate: of these, the one that is forced or the cheapest. A call that engines can carry out
    /// has [`Way::Engines`] among them only if the members have engines.
    pub(super) fn choose(&self, what: &'static str, ways: &[(Way, u64)]) -> Result<(Way, u64), Error> {
        self.peers.running().check(what)?;
        let Some(forced) = self.forced else {
            let cheapest = ways.iter().copied().min_by_key(|&(_, cycles)| cycles);
            return Ok(cheapest.expect("a call has a way"));
        };
        let found = ways.iter().copied().find(|&(way, _)| way == forced);
        found.ok_or_else(|| match forced {
            Way::Engines if self.engines.is_none() => ENGINE.missing(self.tiles()[0], Station::Tile),
            _ => Error::WrongWay {
                what,
                way: forced.name(),
                allowed: ways.iter().map(|(way, _)| way.name()).collect::<Vec<_>>().join(", "),
            },
        })
    }
}

impl<T: Transport> Fabric<T> {
    /// A group of these tiles, in the order of their ranks, that can make MPI-like calls. Each member takes a segment handle for
    /// each member. If all members have message-passing engines, it takes a context of them too. A tree of this shape joins the
    /// engines; along this tree operands are folded, by engines or by the host.
    ///
    /// # Errors
    /// As for [`Fabric::peers`], and if all members have engines as for [`Fabric::communicator`]: nothing stays taken.
    pub fn mpi(&mut self, tiles: &[usize], shape: &Shape) -> Result<Comm, Error> {
        let tree = Tree::new(self.config(), tiles, shape)?;
        let have_engines = tiles.iter().all(|&tile| self.nodes[tile].build.mpe > 0);
        let engines = have_engines.then(|| self.communicator(tiles, shape)).transpose()?;
        // If this fails, the communicator is dropped, and its context is free again.
        let peers = self.peers(tiles)?;
        Ok(Comm {
            peers,
            engines,
            tree,
            forced: None,
        })
    }
}
