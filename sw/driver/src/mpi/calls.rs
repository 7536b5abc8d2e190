//! The calls: their checks, their ways, and what carries them out.

use portico_spec::mpe::{call::Kind, reduce::Operation};

use super::{
    cost,
    host::{Fold, HostWork},
    request::{FoldThenScatter, Work},
    route::{Leg, Route},
    Comm, Request, Way,
};
use crate::{
    collective::{check_rank, Addresses, Call, Communicator, Prepared},
    exchange::{offset, Block, Order, Plan, PlanStep},
    Error, Fabric, Transport,
};

/// Bytes of so many words.
fn bytes(words: u32) -> Result<u32, Error> {
    words.checked_mul(4).ok_or(Error::OutOfRange {
        field: "words",
        value: words.into(),
        min: 0,
        max: (u32::MAX / 4).into(),
    })
}

impl Comm {
    /// Prepares a barrier: it ends after all members have begun it. By engines a member begins it behind its earlier commands of the
    /// engine; by the host when all its earlier commands are complete.
    ///
    /// # Errors
    /// [`Error::NotBuilt`] and [`Error::WrongWay`] of a way that is forced, or as for [`Communicator::barrier`].
    pub fn barrier<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<Request, Error> {
        let route = self.route(fabric, &[Leg::anywhere(Kind::Barrier, 0)]);
        let cost = self.cost_of_posts(1) + route.cycles;
        self.fold(fabric, "barrier", &route, cost, vec![], |engines, fabric| {
            self.by_engines(fabric, engines, route.longest, |engines, fabric| {
                engines.barrier(fabric).map(Call::prepared)
            })
        })
    }

    /// Prepares a broadcast of `words` words from the address of the root, a rank, to the addresses of all others.
    ///
    /// # Errors
    /// As for [`Communicator::broadcast`] and [`Peers::broadcast`](crate::exchange::Peers::broadcast), and [`Error::NotBuilt`] and
    /// [`Error::WrongWay`] of a way that is forced.
    pub fn bcast<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        root: usize,
        address: impl Into<Addresses>,
        words: u32,
    ) -> Result<Request, Error> {
        let address = address.into();
        let plan = self
            .peers
            .broadcast_plan(fabric, root, address.clone(), bytes(words)?)?;
        let leg = Leg::at(root, Kind::Broadcast, words);
        self.copy(fabric, "bcast", &plan, &[leg], |engines, fabric| {
            let call = engines.broadcast(fabric, root, address.clone(), words);
            call.map(Call::prepared)
        })
    }

    /// Prepares an allgather in place: a block of `words` words of every member goes to all members. That of rank r lies at the
    /// address of each member + 4 r `words`.
    ///
    /// # Errors
    /// As for [`Communicator::allgather`] and [`Peers::allgather`](crate::exchange::Peers::allgather), and [`Error::NotBuilt`] and
    /// [`Error::WrongWay`] of a way that is forced.
    pub fn allgather<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        address: impl Into<Addresses>,
        words: u32,
    ) -> Result<Request, Error> {
        let addresses = address.into().by_rank("addresses", self.size())?;
        let length = bytes(words)?;
        let sources = addresses.iter().zip(0..);
        let sources = sources.map(|(&address, rank)| offset(address, rank, length));
        let sources = sources.collect::<Result<Vec<_>, _>>()?;
        let plan = self.peers.allgather_plan(fabric, sources, addresses.clone(), length)?;
        let legs = (0..self.size()).map(|root| Leg::at(root, Kind::Broadcast, words));
        let legs: Vec<Leg> = legs.collect();
        self.copy(fabric, "allgather", &plan, &legs, |engines, fabric| {
            let call = engines.allgather(fabric, addresses.clone(), words);
            call.map(Call::prepared)
        })
    }

    /// Prepares a fold of `words` words from the source addresses of all members into the address `result` of the root, a rank. That
    /// address is the root's source or apart from it.
    ///
    /// # Errors
    /// As for [`Communicator::reduce`], [`Error::Overlap`] where the host folds, and [`Error::NotBuilt`] and [`Error::WrongWay`] of
    /// a way that is forced.
    pub fn reduce<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        root: usize,
        source: impl Into<Addresses>,
        result: u32,
        words: u32,
        operation: Operation,
    ) -> Result<Request, Error> {
        check_rank("root", root, self.size())?;
        let sources = source.into().by_rank("source addresses", self.size())?;
        let fold = Fold {
            root,
            sources: sources.clone(),
            results: vec![(root, result)],
            words,
            operation,
        };
        let route = self.route(fabric, &[Leg::at(root, Kind::Reduce, words)]);
        let cost = self.cost_of_posts(1) + route.cycles;
        self.fold(fabric, "reduce", &route, cost, vec![fold], |engines, fabric| {
            self.by_engines(fabric, engines, route.longest, |engines, fabric| {
                let call = engines.reduce(fabric, root, sources.clone(), result, words, operation);
                call.map(Call::prepared)
            })
        })
    }

    /// Prepares a fold of `words` words from the source addresses of all members into the result addresses of all members. A
    /// member's result address is its source or apart from it.
    ///
    /// # Errors
    /// As for [`Comm::reduce`].
    pub fn allreduce<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        source: impl Into<Addresses>,
        result: impl Into<Addresses>,
        words: u32,
        operation: Operation,
    ) -> Result<Request, Error> {
        let sources = source.into().by_rank("source addresses", self.size())?;
        let results = result.into().by_rank("result addresses", self.size())?;
        let route = self.route(fabric, &[Leg::anywhere(Kind::Allreduce, words)]);
        let root = route.root;
        let fold = Fold {
            root,
            sources: sources.clone(),
            results: results.iter().copied().enumerate().collect(),
            words,
            operation,
        };
        let cost = self.cost_of_posts(1) + route.cycles;
        self.fold(fabric, "allreduce", &route, cost, vec![fold], |engines, fabric| {
            self.by_engines(fabric, engines, route.longest, |engines, fabric| {
                let (sources, results) = (sources.clone(), results.clone());
                let call = engines.allreduce_at(fabric, root, sources, results, words, operation);
                call.map(Call::prepared)
            })
        })
    }

    /// Prepares a fold of as many blocks of `words` words as there are members, which leaves at each member the block of its rank:
    /// that of rank r lies at the source address of each member + 4 r `words`, and goes to the result address of member r. That
    /// address is the place of its block in its source, or apart from its source.
    ///
    /// The engines reduce all blocks at the member that is nearest to the others, along a chain where that takes the fewest cycles, in
    /// memory that the request takes there. Puts scatter them from there.
    ///
    /// # Errors
    /// As for [`Comm::reduce`] and [`Comm::scatter`], and [`Error::Exhausted`] if that member lacks the memory.
    pub fn reduce_scatter<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        source: impl Into<Addresses>,
        result: impl Into<Addresses>,
        words: u32,
        operation: Operation,
    ) -> Result<Request, Error> {
        let sources = source.into().by_rank("source addresses", self.size())?;
        let results = result.into().by_rank("result addresses", self.size())?;
        let length = bytes(words)?;
        let all = words.saturating_mul(self.size() as u32);
        let route = self.route(fabric, &[Leg::anywhere(Kind::Reduce, all)]);
        let root = route.root;
        let folds = results.iter().enumerate().map(|(rank, &result)| {
            let blocks = sources.iter().map(|&source| offset(source, rank, length));
            Ok(Fold {
                root,
                sources: blocks.collect::<Result<_, Error>>()?,
                results: vec![(rank, result)],
                words,
                operation,
            })
        });
        let folds = folds.collect::<Result<_, Error>>()?;
        let scatter = Plan::blocks(&self.peers.scatter_blocks(fabric, root, 0, &results, length)?);
        let cost = self.cost_of_posts(1) + route.cycles + self.cost_of_puts(fabric, &scatter);
        self.fold(fabric, "reduce_scatter", &route, cost, folds, |engines, fabric| {
            let region = fabric.allocate(self.tiles()[root], bytes(all.max(1))?)?;
            let reduce = self.prepare_along(fabric, engines, route.longest, |engines, fabric| {
                let call = engines.reduce(fabric, root, sources.clone(), region.base, all, operation);
                call.map(Call::prepared)
            });
            let work = reduce.and_then(|reduce| {
                let scatter = self.peers.scatter(fabric, root, region.base, results, length)?;
                Ok((reduce, scatter))
            });
            match work {
                Ok((reduce, scatter)) => Ok(Work::Both(Box::new(FoldThenScatter::new(reduce, scatter, region)))),
                Err(error) => {
                    fabric.free(region)?;
                    Err(error)
                }
            }
        })
    }

    /// Prepares a scatter: the block of `words` words for rank r lies at `source` + 4 r `words` of the root, a rank, and goes to the
    /// result address of member r.
    ///
    /// # Errors
    /// As for [`Peers::scatter`](crate::exchange::Peers::scatter), and [`Error::WrongWay`] of a way that is forced.
    pub fn scatter<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        root: usize,
        source: u32,
        result: impl Into<Addresses>,
        words: u32,
    ) -> Result<Request, Error> {
        let plan = self.peers.scatter_plan(fabric, root, source, result, bytes(words)?)?;
        self.by_puts(fabric, "scatter", &plan)
    }

    /// Prepares a gather: the block of `words` words at the source address of rank r goes to `result` + 4 r `words` of the root, a
    /// rank.
    ///
    /// # Errors
    /// As for [`Peers::gather`](crate::exchange::Peers::gather), and [`Error::WrongWay`] of a way that is forced.
    pub fn gather<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        root: usize,
        source: impl Into<Addresses>,
        result: u32,
        words: u32,
    ) -> Result<Request, Error> {
        let plan = self.peers.gather_plan(fabric, root, source, result, bytes(words)?)?;
        self.by_puts(fabric, "gather", &plan)
    }

    /// Prepares an alltoall: member r sends the block of `words` words at its source address + 4 s `words` to rank s, and gets the
    /// block from rank s at its result address + 4 s `words`.
    ///
    /// # Errors
    /// As for [`Peers::alltoall`](crate::exchange::Peers::alltoall), and [`Error::WrongWay`] of a way that is forced.
    pub fn alltoall<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        source: impl Into<Addresses>,
        result: impl Into<Addresses>,
        words: u32,
    ) -> Result<Request, Error> {
        let plan = self
            .peers
            .alltoall_plan(fabric, Order::default(), source, result, bytes(words)?)?;
        self.by_puts(fabric, "alltoall", &plan)
    }

    /// Prepares an alltoall of blocks of different lengths: `words[r][s]` is that of the block from rank r to rank s. At a sender the
    /// blocks lie behind each other in the order of their receivers, at a receiver in the order of their senders.
    ///
    /// # Errors
    /// As for [`Peers::alltoallv`](crate::exchange::Peers::alltoallv), and [`Error::WrongWay`] of a way that is forced.
    pub fn alltoallv<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        source: impl Into<Addresses>,
        result: impl Into<Addresses>,
        words: &[Vec<u32>],
    ) -> Result<Request, Error> {
        let rows = words.iter().map(|row| row.iter().copied().map(bytes).collect());
        let lengths = rows.collect::<Result<Vec<Vec<u32>>, Error>>()?;
        let plan = self
            .peers
            .alltoallv_plan(fabric, Order::default(), source, result, &lengths)?;
        self.by_puts(fabric, "alltoallv", &plan)
    }

    /// A call that only puts can carry out.
    fn by_puts<T: Transport>(&self, fabric: &mut Fabric<T>, what: &'static str, plan: &Plan) -> Result<Request, Error> {
        let (_, estimate) = self.choose(what, &[(Way::Puts, self.cost_of_puts(fabric, plan))])?;
        let exchange = self.peers.prepare(fabric, what, plan)?;
        Ok(self.request(what, estimate, Work::Puts(exchange)))
    }

    /// A call that copies words, in these calls of the engines.
    fn copy<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        what: &'static str,
        plan: &Plan,
        legs: &[Leg],
        prepare: impl Fn(&Communicator, &mut Fabric<T>) -> Result<Prepared, Error>,
    ) -> Result<Request, Error> {
        let route = self.route(fabric, legs);
        let cost = self.cost_of_posts(legs.len()) + route.cycles;
        let mut ways = vec![(Way::Puts, self.cost_of_puts(fabric, plan))];
        ways.extend(route.engines().map(|_| (Way::Engines, cost)));
        let (way, estimate) = self.choose(what, &ways)?;
        let work = match (way, route.engines()) {
            (Way::Engines, Some(engines)) => self.by_engines(fabric, engines, route.longest, prepare)?,
            _ => Work::Puts(self.peers.prepare(fabric, what, plan)?),
        };
        Ok(self.request(what, estimate, work))
    }

    /// A call that consists of these folds along a route, or is a barrier. Engines carry it out in `cost` cycles, if there are engines.
    fn fold<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        what: &'static str,
        route: &Route,
        cost: u64,
        folds: Vec<Fold>,
        by_engines: impl FnOnce(&Communicator, &mut Fabric<T>) -> Result<Work, Error>,
    ) -> Result<Request, Error> {
        let mut ways = vec![(Way::Host, self.cost_of_host(&folds))];
        ways.extend(route.engines().map(|_| (Way::Engines, cost)));
        let (way, estimate) = self.choose(what, &ways)?;
        let work = HostWork {
            tree: route.tree.clone(),
            shape: route.shape.clone(),
            folds,
        };
        work.check(fabric)?;
        let work = match (way, route.engines()) {
            (Way::Engines, Some(engines)) => by_engines(engines, fabric)?,
            _ => Work::Host(work),
        };
        Ok(self.request(what, estimate, work))
    }

    /// A call of the engines. By the model they take `cycles` at least.
    fn by_engines<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        engines: &Communicator,
        cycles: u64,
        prepare: impl Fn(&Communicator, &mut Fabric<T>) -> Result<Prepared, Error>,
    ) -> Result<Work, Error> {
        let call = self.prepare_along(fabric, engines, cycles, prepare)?;
        Ok(Work::Engines(call, None))
    }

    /// Cycles in which the host posts so many calls at all members, and reads their events.
    fn cost_of_posts(&self, calls: usize) -> u64 {
        calls as u64 * cost::host(2, 2 * self.size())
    }

    /// Cycles in which the host folds, or without folds makes a barrier.
    fn cost_of_host(&self, folds: &[Fold]) -> u64 {
        let Some(first) = folds.first() else {
            // It asks all members for the end of their commands.
            return cost::host(1, self.size());
        };
        // It reads a piece of each member, and writes each result.
        let pieces = folds.iter().map(|fold| fold.sources.len() + fold.results.len());
        cost::words(pieces.sum(), first.words as usize)
    }

    /// Cycles in which puts carry out a plan, from the descriptor that starts the root to the last notice. The host starts one member,
    /// and reads its own event.
    fn cost_of_puts<T: Transport>(&self, fabric: &Fabric<T>, plan: &Plan) -> u64 {
        let steps = plan.steps.iter().map(|steps| {
            let notice = (!steps.is_empty()).then_some(cost::MemberCommand::Notice);
            let steps = steps.iter().map(|step| match *step {
                PlanStep::Start(rank) => cost::MemberCommand::Start(rank),
                PlanStep::Send(Block { to, bytes, .. }) => cost::MemberCommand::Send { to, bytes },
            });
            steps.chain(notice).collect()
        });
        let steps: Vec<Vec<cost::MemberCommand>> = steps.collect();
        cost::exchange(fabric.config(), self.peers.tiles(), &[plan.root], &steps) + cost::host(1, 1)
    }

    fn request(&self, what: &'static str, estimate: u64, work: Work) -> Request {
        Request {
            what,
            running: self.peers.running().clone(),
            estimate,
            work,
        }
    }
}
