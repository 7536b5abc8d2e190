//! Groups of tiles that make MPI-like calls.

use std::iter;

use portico_spec::{
    mpe::tree::{Shape, Tree},
    parts::Station,
};

use super::{route, Way};
use crate::{
    collective::{Communicator, ENGINE},
    exchange::Peers,
    Error, Fabric, Transport,
};

/// A group of tiles that make MPI-like calls, made by [`Fabric::mpi`]. Members have *ranks*, 0 and up, in the order in which they
/// were named. A group that is dropped gives segments and contexts back: see [`Peers`].
#[derive(Debug)]
#[must_use = "segments and contexts are taken until the group is released or dropped"]
pub struct Comm {
    pub(super) peers: Peers,
    /// None if some member has no engine.
    pub(super) engines: Option<Communicator>,
    /// A second one on a chain. It is gone when another communicator has taken its context.
    pub(super) chain: Option<Communicator>,
    /// The first tree, and its shape.
    pub(super) tree: Tree,
    pub(super) shape: Shape,
    forced: Option<Way>,
    pub(super) forced_shape: Option<Shape>,
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

    /// Its communicator, on its first tree; none if some member has no message-passing engine. Calls that are made with it directly do
    /// not wait for those of the group along the chain.
    pub fn engines(&self) -> Option<&Communicator> {
        self.engines.as_ref()
    }

    /// Carries out later calls in this way; with none, in the cheapest.
    pub fn force(&mut self, way: Option<Way>) {
        self.forced = way;
    }

    /// Shapes of its trees: that of [`Fabric::mpi`], and [`Shape::Linear`] as long as it holds a second context for the chain.
    pub fn shapes<T: Transport>(&self, fabric: &Fabric<T>) -> Vec<Shape> {
        let chain = self.communicators(fabric).into_iter().skip(1).map(Communicator::shape);
        iter::once(&self.shape).chain(chain).cloned().collect()
    }

    /// Carries out later calls along its tree of this shape; with none, or if it has no such tree, along the one that takes fewer cycles.
    pub fn force_shape(&mut self, shape: Option<Shape>) {
        self.forced_shape = shape;
    }

    /// Sets the time-out of its engines, along both trees: see [`Communicator::timeout`]. A call that does not end holds up all other
    /// calls until then, or until the group is [recovered](Comm::recover). Does nothing without engines.
    ///
    /// # Errors
    /// As for [`Communicator::timeout`].
    pub fn timeout<T: Transport>(&self, fabric: &mut Fabric<T>, cycles: u32) -> Result<(), Error> {
        let mut engines = self.communicators(fabric).into_iter();
        engines.try_for_each(|engines| engines.timeout(fabric, cycles))
    }

    /// Recovers the communicators of its engines of which a call has failed or is under way, or all if there is none such: see
    /// [`Communicator::recover`]. Requests stay usable.
    ///
    /// # Errors
    /// As for [`Communicator::recover`]. The second communicator is recovered also if the first one cannot be.
    pub fn recover<T: Transport>(&self, fabric: &mut Fabric<T>, cycles: u64) -> Result<(), Error> {
        let begun = fabric.port.transport.cycles();
        let all = self.communicators(fabric);
        let mut failed = vec![];
        for &engines in &all {
            if engines.needs_recovery(fabric)? {
                failed.push(engines);
            }
        }
        let recovered = if failed.is_empty() { all } else { failed }.into_iter().map(|engines| {
            let spent = fabric.port.transport.cycles() - begun;
            engines.recover(fabric, cycles.saturating_sub(spent))
        });
        recovered.fold(Ok(()), Result::and)
    }

    /// Releases segments and contexts. Requests that were not released can only be released.
    ///
    /// # Errors
    /// As for [`Peers::release`].
    pub fn release<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.peers.release(fabric)?;
        (self.engines, self.chain) = (None, None);
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
    /// engines.
    ///
    /// If a second context is free at all members, the group holds it with a chain, which is faster for long vectors. The cost
    /// model chooses the tree of each call: along it operands are folded, by engines or by the host. A communicator that finds no
    /// context free takes the second one, and the group goes on with its first tree.
    ///
    /// # Errors
    /// As for [`Fabric::peers`], and if all members have engines as for [`Fabric::communicator`]: nothing stays taken.
    pub fn mpi(&mut self, tiles: &[usize], shape: &Shape) -> Result<Comm, Error> {
        let tree = Tree::new(self.config(), tiles, shape)?;
        let have_engines = tiles.iter().all(|&tile| self.nodes[tile].build.mpe > 0);
        let engines = have_engines.then(|| self.communicator(tiles, shape)).transpose()?;
        // If this fails, the communicator is dropped, and its context is free again.
        let peers = self.peers(tiles)?;
        let chain = engines
            .as_ref()
            .map(|engines| route::chain(self, engines))
            .transpose()?;
        Ok(Comm {
            peers,
            engines,
            chain: chain.flatten(),
            tree,
            shape: shape.clone(),
            forced: None,
            forced_shape: None,
        })
    }
}
