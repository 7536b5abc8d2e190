//! Trees along which calls go.
//!
//! A member serves its children one after the other. So a chain moves long vectors fastest, since each member has one child, and a tree
//! of few levels short ones. A group holds both, as long as its members have a second context that nobody else needs.

use std::{iter, ops::Range};

use portico_spec::mpe::{call::Kind, tree::Tree};

use super::{cost, Comm};
use crate::{
    collective::{middle, CallTicket, Communicator, Prepared, Shape},
    Error, Fabric, Transport,
};

/// A call of the engines, for the choice of its tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leg {
    /// None if any rank will do.
    root: Option<usize>,
    kind: Kind,
    words: u32,
}

impl Leg {
    /// With this rank as root.
    pub fn at(root: usize, kind: Kind, words: u32) -> Leg {
        let root = Some(root);
        Leg { root, kind, words }
    }

    /// With a root that the tree has for such calls: see [`Route::roots`].
    pub fn anywhere(kind: Kind, words: u32) -> Leg {
        let root = None;
        Leg { root, kind, words }
    }
}

/// The tree of a call.
#[derive(Clone)]
pub(super) struct Route<'a> {
    pub tree: &'a Tree,
    pub shape: &'a Shape,
    /// Ranks that may be the root of a call that can have any: the middle, so that sums along a tree have one order; along a chain all,
    /// because a root in the middle of it serves two children.
    roots: Range<usize>,
    /// The root of the first leg.
    pub root: usize,
    /// Cycles in which engines carry out the legs, without the host.
    pub cycles: u64,
    /// Cycles of the longest leg.
    pub longest: u64,
    /// The communicator of this tree; none without engines.
    engines: Option<&'a Communicator>,
}

/// Whether two trees join the same members.
fn have_same_edges(one: &Tree, other: &Tree) -> bool {
    (0..one.tiles().len()).all(|rank| {
        let mut lists = [one, other].map(|tree| tree.neighbours(rank).to_vec());
        lists.iter_mut().for_each(|list| list.sort_unstable());
        lists[0] == lists[1]
    })
}

/// A chain beside the tree of a communicator: none if they are equal, or if the members have no second context that is free.
pub(super) fn chain<T: Transport>(
    fabric: &mut Fabric<T>,
    engines: &Communicator,
) -> Result<Option<Communicator>, Error> {
    let chain = Tree::new(fabric.config(), engines.tiles(), &Shape::Linear)?;
    match have_same_edges(&chain, engines.tree()) {
        true => Ok(None),
        false => fabric.spare_communicator(chain, &Shape::Linear),
    }
}

impl Comm {
    /// The communicators that the group has: the second one as long as no other communicator has taken its context.
    pub(super) fn communicators<T: Transport>(&self, fabric: &Fabric<T>) -> Vec<&Communicator> {
        let chain = self.chain.as_ref();
        let chain = chain.filter(|chain| fabric.groups.contains_key(&chain.group()));
        self.engines.iter().chain(chain).collect()
    }

    /// The tree along which engines carry out these legs in the fewest cycles, with the best root that it has for the first leg if any
    /// will do.
    pub(super) fn route<T: Transport>(&self, fabric: &Fabric<T>, legs: &[Leg]) -> Route<'_> {
        let first = Route::of(&self.tree, &self.shape, self.engines.as_ref());
        let chain = self.communicators(fabric).into_iter().skip(1);
        let chain = chain.map(|chain| Route::of(chain.tree(), chain.shape(), Some(chain)));
        let mut routes: Vec<Route> = iter::once(first).chain(chain).collect();
        let is_forced = |route: &Route| Some(route.shape) == self.forced_shape.as_ref();
        if routes.iter().any(is_forced) {
            routes.retain(is_forced);
        }
        let routes = routes.into_iter().map(|route| route.weighed(fabric, legs));
        let shortest = routes.min_by_key(|route| route.cycles);
        shortest.expect("a group has a tree")
    }

    /// Prepares a call of the engines along a route. By the model they take `cycles` at least.
    pub(super) fn prepare_along<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        engines: &Communicator,
        cycles: u64,
        prepare: impl Fn(&Communicator, &mut Fabric<T>) -> Result<Prepared, Error>,
    ) -> Result<EngineCall, Error> {
        let own = engines.group();
        let mut communicators = self.communicators(fabric).into_iter();
        let other = communicators.find(|other| other.group() != own);
        if let Some(other) = other {
            fabric.check_usable(other)?;
        }
        let along = Along {
            call: prepare(engines, fabric)?,
            shape: engines.shape().clone(),
        };
        let first = self.engines.as_ref().filter(|first| first.group() != own);
        let instead = first.map(|first| {
            Ok::<_, Error>(Along {
                call: prepare(first, fabric)?,
                shape: first.shape().clone(),
            })
        });
        Ok(EngineCall {
            along,
            instead: instead.transpose()?,
            other: other.map(Communicator::group),
            cycles,
            due: 0,
        })
    }
}

impl<'a> Route<'a> {
    fn of(tree: &'a Tree, shape: &'a Shape, engines: Option<&'a Communicator>) -> Route<'a> {
        let middle = middle(tree);
        Route {
            tree,
            shape,
            roots: match shape {
                Shape::Linear => 0..tree.tiles().len(),
                _ => middle..middle + 1,
            },
            root: middle,
            cycles: 0,
            longest: 0,
            engines,
        }
    }

    /// The communicator of its tree; none without engines.
    pub fn engines(&self) -> Option<&'a Communicator> {
        self.engines
    }

    /// With root and cycles for these legs.
    fn weighed<T: Transport>(self, fabric: &Fabric<T>, legs: &[Leg]) -> Route<'a> {
        let legs = legs.iter().map(|leg| self.best_root(fabric, leg));
        let legs: Vec<(u64, usize)> = legs.collect();
        Route {
            root: legs.first().map_or(0, |&(_, root)| root),
            cycles: legs.iter().map(|&(cycles, _)| cycles).sum(),
            longest: legs.iter().map(|&(cycles, _)| cycles).max().unwrap_or(0),
            ..self
        }
    }

    /// The fewest cycles of a leg along this tree, and the root with which it takes them.
    fn best_root<T: Transport>(&self, fabric: &Fabric<T>, leg: &Leg) -> (u64, usize) {
        let roots = leg.root.map_or(self.roots.clone(), |root| root..root + 1);
        let costs = roots.map(|root| {
            let cycles = cost::call(fabric.config(), self.tree, root, leg.kind, leg.words as usize);
            (cycles, root)
        });
        costs.min().expect("a group has members")
    }
}

/// A call of the engines, prepared along the tree that it takes.
#[derive(Debug)]
pub(super) struct EngineCall {
    along: Along,
    /// The same along the first tree, for when the second is gone.
    instead: Option<Along>,
    /// The group of the other tree.
    other: Option<u64>,
    /// Cycles that the engines take at least, by the model.
    cycles: u64,
    /// The cycle in which they may have carried out the last start.
    due: u64,
}

/// A call prepared along a tree.
#[derive(Debug)]
struct Along {
    call: Prepared,
    shape: Shape,
}

impl EngineCall {
    /// The shape of its tree.
    pub fn shape(&self) -> &Shape {
        &self.along.shape
    }

    /// The call along its tree.
    #[cfg(test)]
    pub fn prepared(&mut self) -> &mut Prepared {
        &mut self.along.call
    }

    /// As [`Prepared::start`], when the earlier calls of the group along its other tree have ended. The ticket is that of what is posted,
    /// also beside an error.
    pub fn start<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> (Option<CallTicket>, Result<(), Error>) {
        let is_gone = !fabric.groups.contains_key(&self.along.call.group);
        let has_first = |first: &mut Along| is_gone && fabric.groups.contains_key(&first.call.group);
        if let Some(first) = self.instead.take_if(has_first) {
            self.along = first;
            self.other = None;
            // Those of the other tree.
            self.cycles = 0;
        }
        if let Some(other) = self.other {
            if let Err(error) = fabric.finish_calls(other) {
                return (None, Err(error));
            }
        }
        // The model may exceed the cycles of a call by a tenth.
        self.due = fabric.port.transport.cycles() + self.cycles - self.cycles / 8;
        self.along.call.start(fabric)
    }

    /// As [`CallTicket::wait`]. Each question of the host takes cycles of the member that it asks, which may be the busiest one. So it
    /// asks once, and then not before the call can have ended.
    pub fn wait<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        ticket: &mut CallTicket,
        timeout: u64,
    ) -> Result<(), Error> {
        let begun = fabric.port.transport.cycles();
        if ticket.poll(fabric)? {
            return Ok(());
        }
        let now = fabric.port.transport.cycles();
        let left = timeout.saturating_sub(now - begun);
        fabric.port.transport.wait(self.due.saturating_sub(now).min(left));
        let waited = fabric.port.transport.cycles() - begun;
        ticket.wait(fabric, timeout.saturating_sub(waited))
    }
}
