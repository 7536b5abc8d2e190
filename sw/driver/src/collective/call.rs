//! Calls of a communicator: checked, then started, and waited for.

use std::sync::atomic::{AtomicU64, Ordering};

use portico_spec::{
    mpe::call::{self, Begin, Kind, Transfer},
    ni::descriptor::Command,
};

use super::{group::check_call, Communicator, Operation};
use crate::{command, Error, Fabric, Transport};

/// Where words lie in the members' memories: byte addresses, multiples of 4.
///
/// ```
/// use portico::collective::Addresses;
///
/// assert_eq!(Addresses::from(0x100), Addresses::Same(0x100));
/// assert_eq!(Addresses::from([0x100, 0x80]), Addresses::Each(vec![0x100, 0x80]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// At the same address in all members.
    Same(u32),
    /// At an address for each rank.
    Each(Vec<u32>),
}

impl From<u32> for Addresses {
    fn from(address: u32) -> Addresses {
        Addresses::Same(address)
    }
}

impl From<Vec<u32>> for Addresses {
    fn from(addresses: Vec<u32>) -> Addresses {
        Addresses::Each(addresses)
    }
}

impl<const N: usize> From<[u32; N]> for Addresses {
    fn from(addresses: [u32; N]) -> Addresses {
        Addresses::Each(addresses.to_vec())
    }
}

impl Addresses {
    /// The address of each of `size` ranks.
    pub(crate) fn by_rank(self, field: &'static str, size: usize) -> Result<Vec<u32>, Error> {
        match self {
            Addresses::Same(address) => Ok(vec![address; size]),
            Addresses::Each(addresses) => {
                check_count(field, addresses.len(), size)?;
                Ok(addresses)
            }
        }
    }
}

/// Checks that there is one of something for each of `size` members.
pub(crate) fn check_count(field: &'static str, count: usize, size: usize) -> Result<(), Error> {
    Error::check_range(field, count as u64, size as u64, size as u64)
}

/// Checks a rank of a group of `size` members.
pub(crate) fn check_rank(field: &'static str, rank: usize, size: usize) -> Result<(), Error> {
    Error::check_range(field, rank as u64, 0, size as u64 - 1)
}

/// A call that is checked and not yet started.
#[derive(Debug)]
#[must_use = "a call does nothing until it is started or waited for"]
pub struct Call<'f, T> {
    fabric: &'f mut Fabric<T>,
    prepared: Prepared,
}

/// A call that is checked, without a fabric: it can be started again and again.
///
/// One that consists of a single call of the engines is armed when it is started for the second time in a row, or the fourth if another
/// call is armed. To arm it costs as much as two calls, or more, so a call that is made once is posted.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// Another one for each call that was prepared.
    pub(super) identity: u64,
    pub(crate) group: u64,
    pub(super) what: &'static str,
    /// The calls of the engines that it consists of, each with a descriptor for each rank, without a number.
    pub(super) calls: Vec<Vec<Vec<u32>>>,
}

/// The identity of the next prepared call, shared by all fabrics.
static NEXT_PREPARED: AtomicU64 = AtomicU64::new(0);

impl Prepared {
    /// Changes the descriptors of a rank.
    #[cfg(test)]
    pub fn change(&mut self, rank: usize, change: impl Fn(&mut [u32])) {
        self.calls.iter_mut().for_each(|words| change(&mut words[rank]));
    }

    /// As [`Call::start`]. The ticket is that of what is posted, also beside an error.
    pub fn start<T: Transport>(&self, fabric: &mut Fabric<T>) -> (Option<CallTicket>, Result<(), Error>) {
        let (group, what) = (self.group, self.what);
        let mut ticket = None;
        for words in &self.calls {
            match fabric.start_call(self, words) {
                Ok((call, posted)) => {
                    // Calls of a communicator end in their order, so the last one stands for all.
                    ticket = Some(CallTicket { group, what, call });
                    if posted.is_err() {
                        return (ticket, posted);
                    }
                }
                Err(error) => return (ticket, Err(error)),
            }
        }
        (ticket, Ok(()))
    }
}

impl<T: Transport> Call<'_, T> {
    /// Posts the call at all members and waits until it has ended at all of them, for at most `timeout` cycles. After a
    /// time-out the call continues.
    ///
    /// # Errors
    /// As for [`Call::start`] and [`CallTicket::wait`].
    pub fn wait(mut self, timeout: u64) -> Result<(), Error> {
        self.begin()?.wait(self.fabric, timeout)
    }

    /// Posts the call at all members; the ticket tells when it has ended. Four calls of a communicator can be under way. A fifth
    /// first waits for the oldest, for at most the time-out of the driver's accesses ([`Fabric::set_timeout`]).
    ///
    /// A call that is prepared anew for each start is posted each time. A [`Request`](crate::mpi::Request) is armed at its second
    /// start: see the [module](crate::collective).
    ///
    /// [`reduce_scatter`](Communicator::reduce_scatter) and [`allgather`](Communicator::allgather) post a call a member. An error
    /// of a later one leaves those before it posted. They still end; do not start a reduce_scatter in place again then, because
    /// some blocks are folded already.
    ///
    /// # Errors
    /// The call is posted at no member: [`Error::CommunicatorFailed`] if an earlier call has failed, [`Error::Timeout`] if four
    /// calls stay under way, [`Error::Exhausted`] if all events of a member are taken.
    ///
    /// The call may be posted at some members: [`Error::Timeout`] if the command queue of a member gets no room, or the
    /// transport's. The driver posts it at the others with the next call, or when you ask a ticket of the communicator.
    pub fn start(mut self) -> Result<CallTicket, Error> {
        self.begin()
    }

    fn begin(&mut self) -> Result<CallTicket, Error> {
        let (ticket, posted) = self.prepared.start(self.fabric);
        posted?;
        Ok(ticket.expect("a call that is posted has a ticket"))
    }

    /// The call without the fabric.
    pub(crate) fn prepared(self) -> Prepared {
        self.prepared
    }
}

/// A call under way. If you drop the ticket, the call continues. The driver releases its events when you ask about a later call
/// of the same communicator.
#[derive(Debug)]
#[must_use = "only its ticket tells whether a call succeeded"]
pub struct CallTicket {
    group: u64,
    what: &'static str,
    call: u64,
}

impl CallTicket {
    /// Whether it has ended at all members.
    ///
    /// # Errors
    /// [`Error::CommunicatorFailed`] if it, or one before it, has failed at some member; or the fabric's. Of a launched call it asks
    /// one member alone: see [`CallTicket::wait`].
    pub fn poll<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<bool, Error> {
        fabric.advance(self.group, self.call)?;
        match fabric.groups.get(&self.group) {
            Some(group) => group.has_ended(self.call),
            // All calls of a group have ended when another one takes its context.
            None => {
                let failures = fabric.past_failures.get(&self.group);
                failures.map_or(Ok(()), |failures| check_call(failures, self.call))?;
                Ok(true)
            }
        }
    }

    /// Waits until it has ended at all members. After a time-out it may be waited for again.
    ///
    /// # Errors
    /// [`Error::Timeout`] after so many cycles, or as for [`CallTicket::poll`]. If a launched call has failed at another member than
    /// the one that launches it, [`Error::CommunicatorFailed`] takes the place of the time-out.
    pub fn wait<T: Transport>(&mut self, fabric: &mut Fabric<T>, timeout: u64) -> Result<(), Error> {
        let begun = fabric.port.transport.cycles();
        while !self.poll(fabric)? {
            let tile = fabric.groups[&self.group].waiting_for(self.call);
            if let Err(timeout) = fabric.check_time(begun, timeout, tile, self.what) {
                fabric.look_for_failure(self.group)?;
                return self.poll(fabric)?.then_some(()).ok_or(timeout);
            }
        }
        Ok(())
    }
}

impl Communicator {
    /// Ends at a member only after all members have begun it.
    ///
    /// # Errors
    /// [`Error::CommunicatorFailed`] if an earlier call has failed, [`Error::WrongCommunicator`]: nothing is sent.
    pub fn barrier<'f, T: Transport>(&self, fabric: &'f mut Fabric<T>) -> Result<Call<'f, T>, Error> {
        self.call(fabric, "barrier", Kind::Barrier, self.middle, |_| Transfer::NONE)
    }

    /// Copies `words` words from the address of the root, which is a rank, to the addresses of all others.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] of the root, and of a number of addresses that is not the number of members;
    /// [`Error::Misaligned`], [`Error::OutOfMemory`], [`Error::Descriptor`] of too many words,
    /// [`Error::CommunicatorFailed`], [`Error::WrongCommunicator`]: nothing is sent.
    pub fn broadcast<'f, T: Transport>(
        &self,
        fabric: &'f mut Fabric<T>,
        root: usize,
        address: impl Into<Addresses>,
        words: u32,
    ) -> Result<Call<'f, T>, Error> {
        self.check_root(root)?;
        let addresses = address.into().by_rank("addresses", self.size())?;
        self.check_memory(fabric, "address", &addresses, words)?;
        self.call(fabric, "broadcast", Kind::Broadcast, root, |rank| Transfer {
            length: words,
            source: addresses[rank],
            result: addresses[rank],
            ..Transfer::NONE
        })
    }

    /// Folds `words` words from the source addresses of all members, each with those in the same place, and writes them to the
    /// address `result` of the root, which is a rank. That address is the root's source or apart from it.
    ///
    /// # Errors
    /// As for [`Communicator::broadcast`], and [`Error::Descriptor`] if result and source of the root overlap without being the
    /// same.
    pub fn reduce<'f, T: Transport>(
        &self,
        fabric: &'f mut Fabric<T>,
        root: usize,
        source: impl Into<Addresses>,
        result: u32,
        words: u32,
        operation: Operation,
    ) -> Result<Call<'f, T>, Error> {
        self.check_root(root)?;
        let sources = source.into().by_rank("source addresses", self.size())?;
        // The other members write no result, so their result address is their source, which passes all checks.
        let mut results = sources.clone();
        results[root] = result;
        self.check_memory(fabric, "source", &sources, words)?;
        self.check_memory(fabric, "result", &results, words)?;
        self.call(fabric, "reduce", Kind::Reduce, root, |rank| Transfer {
            length: words,
            source: sources[rank],
            result: results[rank],
            operation,
        })
    }

    /// Folds `words` words from the source addresses of all members, each with those in the same place, and writes them to the
    /// result addresses of all members. A member's result address is its source or apart from it.
    ///
    /// # Errors
    /// As for [`Communicator::broadcast`], and [`Error::Descriptor`] if result and source of a member overlap without being the
    /// same.
    pub fn allreduce<'f, T: Transport>(
        &self,
        fabric: &'f mut Fabric<T>,
        source: impl Into<Addresses>,
        result: impl Into<Addresses>,
        words: u32,
        operation: Operation,
    ) -> Result<Call<'f, T>, Error> {
        self.allreduce_at(fabric, self.middle, source, result, words, operation)
    }

    /// The same, folded towards this rank.
    pub(crate) fn allreduce_at<'f, T: Transport>(
        &self,
        fabric: &'f mut Fabric<T>,
        root: usize,
        source: impl Into<Addresses>,
        result: impl Into<Addresses>,
        words: u32,
        operation: Operation,
    ) -> Result<Call<'f, T>, Error> {
        let sources = source.into().by_rank("source addresses", self.size())?;
        let results = result.into().by_rank("result addresses", self.size())?;
        self.check_memory(fabric, "source", &sources, words)?;
        self.check_memory(fabric, "result", &results, words)?;
        self.call(fabric, "allreduce", Kind::Allreduce, root, |rank| Transfer {
            length: words,
            source: sources[rank],
            result: results[rank],
            operation,
        })
    }

    /// Folds as many blocks of `words` words as there are members, as [`reduce`](Communicator::reduce) does, and leaves at each
    /// member the block of its rank: that of rank r lies at the source address of each member + 4 r `words`, and goes to the result
    /// address of member r. That address is the place of its block in its source, or apart from its source. One reduce a member.
    ///
    /// # Errors
    /// As for [`Communicator::broadcast`], and [`Error::Overlap`] of source and result of a member.
    pub fn reduce_scatter<'f, T: Transport>(
        &self,
        fabric: &'f mut Fabric<T>,
        source: impl Into<Addresses>,
        result: impl Into<Addresses>,
        words: u32,
        operation: Operation,
    ) -> Result<Call<'f, T>, Error> {
        let sources = source.into().by_rank("source addresses", self.size())?;
        let results = result.into().by_rank("result addresses", self.size())?;
        let all = words.saturating_mul(self.size() as u32);
        self.check_memory(fabric, "source", &sources, all)?;
        self.check_memory(fabric, "result", &results, words)?;
        for (rank, (&source, &result)) in sources.iter().zip(&results).enumerate() {
            let in_place = result == source + 4 * words * rank as u32;
            if !in_place && result < source + 4 * all && source < result + 4 * words {
                let (node, address) = (self.tiles()[rank], result);
                return Err(Error::Overlap { node, address });
            }
        }
        let ranks = 0..self.size();
        self.calls(fabric, "reduce_scatter", Kind::Reduce, ranks, |root, rank| {
            let source = sources[rank] + 4 * words * root as u32;
            let result = if rank == root { results[root] } else { source };
            Transfer {
                length: words,
                source,
                result,
                operation,
            }
        })
    }

    /// Copies a block of `words` words of every member to all members: that of rank r lies at the address of each member + 4 r
    /// `words`. One broadcast a member.
    ///
    /// # Errors
    /// As for [`Communicator::broadcast`].
    pub fn allgather<'f, T: Transport>(
        &self,
        fabric: &'f mut Fabric<T>,
        address: impl Into<Addresses>,
        words: u32,
    ) -> Result<Call<'f, T>, Error> {
        let addresses = address.into().by_rank("addresses", self.size())?;
        self.check_memory(fabric, "address", &addresses, words.saturating_mul(self.size() as u32))?;
        let ranks = 0..self.size();
        self.calls(fabric, "allgather", Kind::Broadcast, ranks, |root, rank| {
            let block = addresses[rank] + 4 * words * root as u32;
            Transfer {
                length: words,
                source: block,
                result: block,
                ..Transfer::NONE
            }
        })
    }

    /// Prepares a call; `transfer` gives the words that each rank moves.
    fn call<'f, T: Transport>(
        &self,
        fabric: &'f mut Fabric<T>,
        what: &'static str,
        kind: Kind,
        root: usize,
        transfer: impl Fn(usize) -> Transfer,
    ) -> Result<Call<'f, T>, Error> {
        self.calls(fabric, what, kind, root..root + 1, |_, rank| transfer(rank))
    }

    /// Prepares a call for each root; `transfer` gives the words that each rank moves in the call of a root.
    fn calls<'f, T: Transport>(
        &self,
        fabric: &'f mut Fabric<T>,
        what: &'static str,
        kind: Kind,
        roots: std::ops::Range<usize>,
        transfer: impl Fn(usize, usize) -> Transfer,
    ) -> Result<Call<'f, T>, Error> {
        fabric.check_usable(self)?;
        let mut calls = vec![];
        for root in roots {
            let towards = self.tree.towards(root);
            let descriptors = towards.iter().enumerate().map(|(rank, towards)| {
                let call = call::Call {
                    kind,
                    begin: Begin::InTurn,
                    // The group numbers its calls when they are posted.
                    number: 0,
                    context: self.context,
                    towards: towards.map(|place| place as u8),
                    transfer: transfer(root, rank),
                };
                command::encode(fabric.config(), 0, Command::Call(call))
            });
            calls.push(descriptors.collect::<Result<Vec<_>, _>>()?);
        }
        let prepared = Prepared {
            identity: NEXT_PREPARED.fetch_add(1, Ordering::Relaxed),
            group: self.group,
            what,
            calls,
        };
        Ok(Call { fabric, prepared })
    }

    fn check_root(&self, root: usize) -> Result<(), Error> {
        check_rank("root", root, self.size())
    }

    /// Checks the words of each member at its address.
    fn check_memory<T: Transport>(
        &self,
        fabric: &Fabric<T>,
        field: &'static str,
        addresses: &[u32],
        words: u32,
    ) -> Result<(), Error> {
        // A tile of another fabric may not exist in this one.
        fabric.check_communicator(self)?;
        let mut members = self.tiles().iter().zip(addresses);
        members
            .try_for_each(|(&tile, &address)| fabric.check_local(tile, field, address, "words", 4 * u64::from(words)))
    }
}

impl<T: Transport> Fabric<T> {
    /// Checks that no call of a communicator has failed since its last recovery.
    ///
    /// # Errors
    /// [`Error::CommunicatorFailed`], [`Error::WrongCommunicator`].
    pub(crate) fn check_usable(&self, communicator: &Communicator) -> Result<(), Error> {
        let failure = self.check_communicator(communicator)?.failure();
        failure.map_or(Ok(()), |failure| Err(failure.into()))
    }

    /// The group of a communicator.
    pub(crate) fn check_communicator(&self, communicator: &Communicator) -> Result<&super::Group, Error> {
        self.groups.get(&communicator.group).ok_or(Error::WrongCommunicator)
    }
}
