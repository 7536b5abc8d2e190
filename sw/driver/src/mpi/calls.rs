//! The calls: their checks, their ways, and what carries them out.

use portico_golden::cost;
use portico_spec::mpe::{call::Kind, reduce::Operation};

use super::{
    host::{Fold, HostWork},
    request::Work,
    Comm, Request, Way,
};
use crate::{
    collective::{check_rank, middle, Addresses, Call},
    exchange::Exchange,
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

/// Cycles of an exchange for the host: the start, the first event, and the others together.
fn cost_of_puts(cycles: u64, members: usize) -> u64 {
    cycles + cost::host(2 + usize::from(members > 1), 1 + members)
}

impl Comm {
    /// Prepares a barrier: it ends after all members have begun it. By engines a member begins it behind its earlier commands of the
    /// engine; by the host when all its earlier commands are complete.
    ///
    /// # Errors
    /// [`Error::NotBuilt`] and [`Error::WrongWay`] of a way that is forced, or as for [`Communicator::barrier`](crate::collective::Communicator::barrier).
    pub fn barrier<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<Request, Error> {
        let ways = self.ways_of_folds(fabric, &[(middle(&self.tree), Kind::Barrier, 0)]);
        let (way, estimate) = self.choose("barrier", &ways)?;
        let work = match (way, &self.engines) {
            (Way::Engines, Some(engines)) => of_engines(engines.barrier(fabric)?),
            _ => self.of_host(vec![]),
        };
        Ok(self.request("barrier", estimate, work))
    }

    /// Prepares a broadcast of `words` words from the address of the root, a rank, to the addresses of all others.
    ///
    /// # Errors
    /// As for [`Communicator::broadcast`](crate::collective::Communicator::broadcast) and [`Peers::broadcast`](crate::exchange::Peers::broadcast), and [`Error::NotBuilt`] and
    /// [`Error::WrongWay`] of a way that is forced.
    pub fn bcast<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        root: usize,
        address: impl Into<Addresses>,
        words: u32,
    ) -> Result<Request, Error> {
        check_rank("root", root, self.size())?;
        let addresses = address.into().by_rank("addresses", self.size())?;
        let plan = self.peers.broadcast_plan(fabric, root, &addresses, bytes(words)?)?;
        let puts_cost = cost_of_puts(self.peers.cost(fabric, &plan), plan.members());
        let mut ways = vec![(Way::Puts, puts_cost)];
        ways.extend(self.cost_of_engines(fabric, &[(root, Kind::Broadcast, words)]));
        match (self.choose("bcast", &ways)?, &self.engines) {
            ((Way::Engines, estimate), Some(engines)) => {
                let work = of_engines(engines.broadcast(fabric, root, addresses, words)?);
                Ok(self.request("bcast", estimate, work))
            }
            _ => Ok(self.of_puts("bcast", self.peers.prepare(fabric, "bcast", &plan)?)),
        }
    }

    /// Prepares an allgather in place: a block of `words` words of every member goes to all members. That of rank r lies at the
    /// address of each member + 4 r `words`.
    ///
    /// # Errors
    /// As for [`Communicator::allgather`](crate::collective::Communicator::allgather) and [`Peers::allgather`](crate::exchange::Peers::allgather), and [`Error::NotBuilt`] and
    /// [`Error::WrongWay`] of a way that is forced.
    pub fn allgather<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        address: impl Into<Addresses>,
        words: u32,
    ) -> Result<Request, Error> {
        let addresses = address.into().by_rank("addresses", self.size())?;
        let length = bytes(words)?;
        let mut sources = vec![];
        for (rank, &address) in addresses.iter().enumerate() {
            let source = u64::from(address) + rank as u64 * u64::from(length);
            sources.push(u32::try_from(source).map_err(|_| Error::OutOfRange {
                field: "address of a block",
                value: source,
                min: 0,
                max: u32::MAX.into(),
            })?);
        }
        let plan = self.peers.allgather_plan(fabric, &sources, &addresses, length)?;
        let puts_cost = cost_of_puts(self.peers.cost(fabric, &plan), plan.members());
        let calls: Vec<_> = (0..self.size()).map(|root| (root, Kind::Broadcast, words)).collect();
        let mut ways = vec![(Way::Puts, puts_cost)];
        ways.extend(self.cost_of_engines(fabric, &calls));
        match (self.choose("allgather", &ways)?, &self.engines) {
            ((Way::Engines, estimate), Some(engines)) => {
                let work = of_engines(engines.allgather(fabric, addresses, words)?);
                Ok(self.request("allgather", estimate, work))
            }
            _ => Ok(self.of_puts("allgather", self.peers.prepare(fabric, "allgather", &plan)?)),
        }
    }

    /// Prepares a fold of `words` words from the source addresses of all members into the address `result` of the root, a rank. That
    /// address is the root's source or apart from it.
    ///
    /// # Errors
    /// As for [`Communicator::reduce`](crate::collective::Communicator::reduce), [`Error::Overlap`] where the host folds, and [`Error::NotBuilt`] and [`Error::WrongWay`] of
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
        let ways = self.ways_of_folds(fabric, &[(root, Kind::Reduce, words)]);
        let (way, estimate) = self.choose("reduce", &ways)?;
        let work = match (way, &self.engines) {
            (Way::Engines, Some(engines)) => {
                of_engines(engines.reduce(fabric, root, sources, result, words, operation)?)
            }
            _ => {
                let results = vec![(root, result)];
                self.check_words(fabric, &sources, &results, (words, words))?;
                self.of_host(vec![Fold {
                    root,
                    sources,
                    results,
                    words: words as usize,
                    operation,
                }])
            }
        };
        Ok(self.request("reduce", estimate, work))
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
        let root = middle(&self.tree);
        let ways = self.ways_of_folds(fabric, &[(root, Kind::Allreduce, words)]);
        let (way, estimate) = self.choose("allreduce", &ways)?;
        let work = match (way, &self.engines) {
            (Way::Engines, Some(engines)) => of_engines(engines.allreduce(fabric, sources, results, words, operation)?),
            _ => {
                let results: Vec<_> = results.into_iter().enumerate().collect();
                self.check_words(fabric, &sources, &results, (words, words))?;
                self.of_host(vec![Fold {
                    root,
                    sources,
                    results,
                    words: words as usize,
                    operation,
                }])
            }
        };
        Ok(self.request("allreduce", estimate, work))
    }

    /// Prepares a fold of as many blocks of `words` words as there are members, which leaves at each member the block of its rank:
    /// that of rank r lies at the source address of each member + 4 r `words`, and goes to the result address of member r. That
    /// address is the place of its block in its source, or apart from its source.
    ///
    /// # Errors
    /// As for [`Communicator::reduce_scatter`](crate::collective::Communicator::reduce_scatter), and [`Error::NotBuilt`] and [`Error::WrongWay`] of a way that is forced.
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
        let calls: Vec<_> = (0..self.size()).map(|root| (root, Kind::Reduce, words)).collect();
        let ways = self.ways_of_folds(fabric, &calls);
        let (way, estimate) = self.choose("reduce_scatter", &ways)?;
        let work = match (way, &self.engines) {
            (Way::Engines, Some(engines)) => {
                of_engines(engines.reduce_scatter(fabric, sources, results, words, operation)?)
            }
            _ => {
                let all = words.saturating_mul(self.size() as u32);
                let places: Vec<_> = results.iter().copied().enumerate().collect();
                self.check_words(fabric, &sources, &places, (all, words))?;
                let folds = results.into_iter().enumerate().map(|(root, result)| Fold {
                    root,
                    sources: sources.iter().map(|source| source + 4 * words * root as u32).collect(),
                    results: vec![(root, result)],
                    words: words as usize,
                    operation,
                });
                self.of_host(folds.collect())
            }
        };
        Ok(self.request("reduce_scatter", estimate, work))
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
        self.choose("scatter", &[(Way::Puts, 0)])?;
        let exchange = self.peers.scatter(fabric, root, source, result, bytes(words)?)?;
        Ok(self.of_puts("scatter", exchange))
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
        self.choose("gather", &[(Way::Puts, 0)])?;
        let exchange = self.peers.gather(fabric, root, source, result, bytes(words)?)?;
        Ok(self.of_puts("gather", exchange))
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
        self.choose("alltoall", &[(Way::Puts, 0)])?;
        let exchange = self.peers.alltoall(fabric, source, result, bytes(words)?)?;
        Ok(self.of_puts("alltoall", exchange))
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
        self.choose("alltoallv", &[(Way::Puts, 0)])?;
        let rows = words.iter().map(|row| row.iter().copied().map(bytes).collect());
        let lengths = rows.collect::<Result<Vec<Vec<u32>>, Error>>()?;
        let exchange = self.peers.alltoallv(fabric, source, result, &lengths)?;
        Ok(self.of_puts("alltoallv", exchange))
    }

    /// What engines take for these calls, one after the other, each of a root.
    fn cost_of_engines<T: Transport>(&self, fabric: &Fabric<T>, calls: &[(usize, Kind, u32)]) -> Option<(Way, u64)> {
        self.engines.as_ref()?;
        // The host posts a call at all members, and reads their events.
        let host = cost::host(2, 2 * self.size());
        let cycles = calls
            .iter()
            .map(|&(root, kind, words)| host + cost::call(fabric.config(), &self.tree, root, kind, words as usize));
        Some((Way::Engines, cycles.sum()))
    }

    /// The ways of calls that fold, or of a barrier.
    fn ways_of_folds<T: Transport>(&self, fabric: &Fabric<T>, calls: &[(usize, Kind, u32)]) -> Vec<(Way, u64)> {
        let accesses = calls.iter().map(|&(_, kind, words)| match kind {
            Kind::Barrier => 0,
            Kind::Allreduce => cost::words(2 * self.size(), words as usize),
            Kind::Broadcast | Kind::Reduce => cost::words(self.size() + 1, words as usize),
        });
        let mut ways = vec![(Way::Host, accesses.sum())];
        ways.extend(self.cost_of_engines(fabric, calls));
        ways
    }

    fn request(&self, what: &'static str, estimate: u64, work: Work) -> Request {
        Request {
            what,
            running: self.peers.running(),
            estimate,
            work,
        }
    }

    /// A request that puts carry out.
    fn of_puts(&self, what: &'static str, exchange: Exchange) -> Request {
        let estimate = cost_of_puts(exchange.estimate(), exchange.members());
        self.request(what, estimate, Work::Puts(exchange))
    }

    fn of_host(&self, folds: Vec<Fold>) -> Work {
        Work::Host(HostWork {
            tree: self.tree.clone(),
            folds,
        })
    }

    /// Checks what the host will read, `lengths.0` words at every source, and write, `lengths.1` words at every result. Of several
    /// blocks at a source, a result is that of its rank, or apart from all.
    fn check_words<T: Transport>(
        &self,
        fabric: &Fabric<T>,
        sources: &[u32],
        results: &[(usize, u32)],
        lengths: (u32, u32),
    ) -> Result<(), Error> {
        let [read, written] = [lengths.0, lengths.1].map(|words| 4 * u64::from(words));
        for (&tile, &source) in self.tiles().iter().zip(sources) {
            fabric.check_local(tile, "source", source, "words", read)?;
        }
        for &(rank, result) in results {
            let (node, source) = (self.tiles()[rank], u64::from(sources[rank]));
            fabric.check_local(node, "result", result, "words", written)?;
            let own = if read > written {
                source + written * rank as u64
            } else {
                source
            };
            let first = u64::from(result);
            if first != own && first < source + read && source < first + written {
                return Err(Error::Overlap { node, address: result });
            }
        }
        Ok(())
    }
}

/// What engines carry out.
fn of_engines<T: Transport>(call: Call<T>) -> Work {
    Work::Engines(call.prepared(), None)
}
