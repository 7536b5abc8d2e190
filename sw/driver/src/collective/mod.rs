//! Collectives: calls that groups of tiles make together, and that their message-passing engines carry out (key `mpe`).
//!
//! A [`Communicator`] is a group of tiles with a tree that joins them. Its members have *ranks*, 0 and up, in the order in which
//! they were named. Each communicator has a *context* of the engines of its members. Every tile has as many as the key `mpe`
//! says, so it can be in as many communicators at once; communicators that share no tile can have the same context.
//!
//! | call | what it does |
//! | --- | --- |
//! | [`barrier`](Communicator::barrier) | ends at a member only after all members have come |
//! | [`broadcast`](Communicator::broadcast) | words of the root to all |
//! | [`reduce`](Communicator::reduce) | the words of all, folded by an operation, to the root |
//! | [`allreduce`](Communicator::allreduce) | the same, to all |
//! | [`reduce_scatter`](Communicator::reduce_scatter) | the same, a block to each |
//! | [`allgather`](Communicator::allgather) | a block of each to all |
//!
//! Calls in which members send different blocks to different members need no engine: see [`exchange`](crate::exchange).
//!
//! The driver posts a call at all members. Any member can be the root, and another one for each call. Calls of one communicator
//! are carried out in their order, those of different communicators independently of each other. Words are 32 bits wide and lie
//! in the members' memories.
//!
//! A call that is started again and again, as a [`Request`](crate::mpi::Request) is, is *armed* at its second start in a row,
//! or its fourth if another call is armed: the engines keep it. Each start then *launches* it: the host sends one descriptor to one member and asks one event, in place of one at
//! each member. For that each member must have two free events, of which the group holds one, and the group's earlier calls must have
//! ended.
//!
//! Operands are folded along the tree: a member's own words first, then what comes from each of its neighbours, in the order of
//! [`Tree::neighbours`]. So a sum of floating-point numbers is the same in every run, but may differ in its last bits between
//! shapes and between roots.
//!
//! ```
//! use portico::{collective::{Operation, Shape}, Config, Fabric, GoldenTransport};
//!
//! let config = Config { cols: 2, rows: 2, edge_nodes: 1, mpe: 2, ..Config::default() };
//! let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
//! let all = fabric.world(&Shape::Binomial)?;
//! for tile in 0..4 {
//!     let own = [0.5, tile as f32].map(f32::to_bits);
//!     fabric.write(tile, 0x100, &own)?;
//! }
//! all.allreduce(&mut fabric, 0x100, 0x200, 2, Operation::FloatSum)?.wait(10_000)?;
//! for tile in 0..4 {
//!     assert_eq!(fabric.read(tile, 0x200, 2)?, [2.0, 6.0].map(f32::to_bits));
//! }
//! # Ok::<(), portico::Error>(())
//! ```

use std::{collections::BTreeMap, sync::Arc};

pub use portico_spec::mpe::{
    reduce::Operation,
    tree::{Shape, Tree, TreeError},
};

use crate::{Error, Fabric, Transport};

pub use self::call::{Addresses, Call, CallTicket};
pub(crate) use self::{
    call::{check_count, check_rank, Prepared},
    context::{middle, ENGINE},
    group::{Failure, Group},
};

mod armed;
mod call;
mod context;
mod group;
#[cfg(test)]
mod tests;

/// Cycles in which a host at the AXI4-Lite port puts a call into the command queue of a member, and reads the count of the event
/// that tells its completion.
const POST: u64 = 200;

/// A group of tiles that make calls together, made by [`Fabric::communicator`].
///
/// Its context is given back when it is dropped. Calls under way go on nevertheless; the context is handed on when they have
/// ended, and so are the events that its armed calls hold. After a call has failed at some member, the context is closed at all
/// others, and all later calls are refused until the communicator is [recovered](Communicator::recover).
#[derive(Debug)]
pub struct Communicator {
    /// The number of its group in the fabric.
    group: u64,
    context: u8,
    shape: Shape,
    tree: Tree,
    /// The root of calls without a root: the member that is nearest to the others.
    middle: usize,
    /// Tells the fabric, by its absence, that the communicator is gone.
    _owner: Arc<()>,
}

impl Communicator {
    /// How many members it has.
    pub fn size(&self) -> usize {
        self.tiles().len()
    }

    /// Its members, by rank.
    pub fn tiles(&self) -> &[usize] {
        self.tree.tiles()
    }

    /// The rank of a tile; none if it is not a member.
    pub fn rank(&self, tile: usize) -> Option<usize> {
        self.tiles().iter().position(|&member| member == tile)
    }

    /// The tree that joins the members.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// How the members are joined.
    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The number of its group in the fabric, which is gone when another communicator has taken its context.
    pub(crate) fn group(&self) -> u64 {
        self.group
    }

    /// Its context: an item of the registers [`MpeRegister`](crate::registers::MpeRegister) at every member.
    pub fn context(&self) -> usize {
        self.context.into()
    }

    /// Another communicator with the same members, ranks and shape, and a context of its own: calls of the two do not wait for
    /// each other.
    ///
    /// # Errors
    /// As for [`Fabric::communicator`].
    pub fn dup<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<Communicator, Error> {
        fabric.communicator(self.tiles(), &self.shape)
    }

    /// Groups of members with the same color, in the order of the colors; in a group, members are in the order of their keys,
    /// and those with the same key in the order of their ranks. `by` gives color and key of a rank, or none for a member that
    /// will be in no group.
    pub fn groups<C: Ord, K: Ord>(&self, by: impl Fn(usize) -> Option<(C, K)>) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<C, Vec<(K, usize)>> = BTreeMap::new();
        for (rank, &tile) in self.tiles().iter().enumerate() {
            if let Some((color, key)) = by(rank) {
                groups.entry(color).or_default().push((key, tile));
            }
        }
        let sorted = groups.into_values().map(|mut group| {
            // A stable sort leaves members with the same key in the order of their ranks.
            group.sort_by(|(one, _), (other, _)| one.cmp(other));
            group.into_iter().map(|(_, tile)| tile).collect()
        });
        sorted.collect()
    }

    /// A communicator of this shape for each of the [`groups`](Communicator::groups), in their order. This one stays as it is.
    ///
    /// ```
    /// use portico::{collective::Shape, Config, Fabric, GoldenTransport};
    ///
    /// let config = Config { cols: 4, rows: 2, edge_nodes: 1, mpe: 2, ..Config::default() };
    /// let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
    /// let all = fabric.world(&Shape::Linear)?;
    /// // One for each row of tiles, ranks from east to west.
    /// let rows = all.split(&mut fabric, &Shape::Linear, |rank| Some((rank / 4, 3 - rank % 4)))?;
    /// assert_eq!(rows[1].tiles(), [7, 6, 5, 4]);
    /// # Ok::<(), portico::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Fabric::communicator`]; then none is made.
    pub fn split<T: Transport, C: Ord, K: Ord>(
        &self,
        fabric: &mut Fabric<T>,
        shape: &Shape,
        by: impl Fn(usize) -> Option<(C, K)>,
    ) -> Result<Vec<Communicator>, Error> {
        let groups = self.groups(by);
        groups.iter().map(|tiles| fabric.communicator(tiles, shape)).collect()
    }

    /// How long a call may stand still at a member before it fails there with
    /// [`ErrorCode::TimedOut`](crate::ErrorCode::TimedOut): in cycles of the fabric, which counts in steps of four; 0 for ever.
    /// After the communicator was made it is 1,000,000 cycles, or more if the host is slow. Take it away if programs beside the
    /// tiles post or launch the calls, since a member may be late then. A call stands still while the context of that member
    /// neither takes nor sends. A golden fabric has no time, and no time-out.
    ///
    /// The first member waits while the host posts the call at the others: [`least_timeout`](Self::least_timeout) allows for
    /// that.
    ///
    /// # Errors
    /// [`Error::ShortTimeout`] below the least, [`Error::WrongCommunicator`], or the fabric's.
    pub fn timeout<T: Transport>(&self, fabric: &mut Fabric<T>, cycles: u32) -> Result<(), Error> {
        fabric.check_communicator(self)?;
        let (least, posting) = (self.least_timeout(), self.posting());
        if (1..least).contains(&cycles) {
            return Err(Error::ShortTimeout { cycles, least, posting });
        }
        fabric.write_timeout(self.tiles(), self.context, cycles)
    }

    /// The least time-out, in cycles: twice the time in which a host at the AXI4-Lite port posts a call at all members. A host
    /// behind a serial line is slower, and needs a longer one.
    pub fn least_timeout(&self) -> u32 {
        2 * self.posting() as u32
    }

    /// Cycles in which a host at the AXI4-Lite port posts a call at all members, one after the other.
    fn posting(&self) -> u64 {
        POST * self.size() as u64
    }

    /// Makes the communicator usable again after a call of it has failed, or does not end. Calls that are under way fail with
    /// [`ErrorCode::Closed`](crate::ErrorCode::Closed), unless they have failed otherwise; what they have written is undefined. The
    /// context is closed at all members, gives back what is left of these calls, and opens when all members have done so: then its
    /// calls are numbered from 0 on. Lists and time-outs stay; no call is armed any more. Calls of other communicators go on.
    ///
    /// ```
    /// use portico::{collective::Shape, Config, Error, Fabric, GoldenTransport};
    ///
    /// let config = Config { cols: 2, rows: 1, edge_nodes: 1, mpe: 1, ..Config::default() };
    /// let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
    /// let both = fabric.world(&Shape::Linear)?;
    /// let mut given_up = both.barrier(&mut fabric)?.start()?;
    /// both.recover(&mut fabric, 10_000)?;
    /// // It had ended by then, or it is closed.
    /// assert!(matches!(given_up.poll(&mut fabric), Ok(true) | Err(Error::CommunicatorFailed { .. })));
    /// both.barrier(&mut fabric)?.wait(10_000)?;
    /// # Ok::<(), portico::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Timeout`] if that takes more than so many cycles, because a packet of a member does not get through: the
    /// communicator stays out of use, and may be recovered again. [`Error::WrongCommunicator`], [`Error::Exhausted`] of segment
    /// handles or events of a member, or the fabric's.
    pub fn recover<T: Transport>(&self, fabric: &mut Fabric<T>, cycles: u64) -> Result<(), Error> {
        fabric.check_communicator(self)?;
        fabric.recover_group(self.group, cycles)
    }

    /// Whether it has to be [recovered](Communicator::recover): a call of it has failed, or has not been seen to end.
    pub(crate) fn needs_recovery<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<bool, Error> {
        fabric.needs_recovery(self.group)
    }

    /// Gives its context back, as dropping it does. Tickets of its calls stay valid.
    pub fn free(self) {}
}
