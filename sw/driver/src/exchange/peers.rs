//! Groups of tiles that exchange blocks: windows, and segments for them.

use std::sync::{
    atomic::{AtomicBool, Ordering},
    Arc,
};

use portico_spec::{
    exchange::{self, Order},
    mpe::tree::{Shape, Tree},
};

use crate::{
    onesided::{Remote, Segment, Window},
    Error, Fabric, Transport,
};

/// A group of tiles that exchange blocks, made by [`Fabric::peers`]. Members have *ranks*, 0 and up, in the order in which they
/// were named.
#[derive(Debug)]
#[must_use = "windows and segments are taken until the group is released"]
pub struct Peers {
    tiles: Vec<usize>,
    /// The other ranks, in the order of sending, for each order and rank.
    orders: Vec<Vec<Vec<usize>>>,
    pub(super) windows: Vec<Segment>,
    /// The segments of each member: the windows of all members, by rank.
    remotes: Vec<Vec<Remote>>,
    /// The segment of each member for its own address space, where its command queue is.
    own: Vec<Remote>,
    /// Whether the group is not yet released.
    is_open: Arc<AtomicBool>,
}

impl Peers {
    /// How many members it has.
    pub fn size(&self) -> usize {
        self.tiles.len()
    }

    /// Its members, by rank.
    pub fn tiles(&self) -> &[usize] {
        &self.tiles
    }

    /// Releases windows and segments. Its exchanges should be complete; none of them can be started again.
    ///
    /// # Errors
    /// The fabric's.
    pub fn release<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.is_open.store(false, Ordering::Relaxed);
        for remote in self.remotes.into_iter().flatten().chain(self.own) {
            remote.release(fabric)?;
        }
        self.windows.into_iter().try_for_each(|window| window.withdraw(fabric))
    }

    /// The other ranks, in the order in which a member sends to them.
    pub(super) fn order(&self, order: Order, rank: usize) -> Vec<usize> {
        self.orders[order as usize][rank].clone()
    }

    /// The handle that a member has of the window of another one.
    pub(super) fn handle(&self, rank: usize, to: usize) -> u8 {
        self.remotes[rank][to].handle()
    }

    /// The handle that a member has of its own address space.
    pub(super) fn own(&self, rank: usize) -> u8 {
        self.own[rank].handle()
    }

    pub(super) fn is_open(&self) -> Arc<AtomicBool> {
        self.is_open.clone()
    }

    fn take<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        for &tile in &self.tiles {
            let whole = Window::new(0, fabric.memory_bytes(tile)?);
            self.windows.push(fabric.publish(tile, whole)?);
        }
        for &tile in &self.tiles {
            self.own.push(fabric.clone_space(tile, tile)?);
            self.remotes.push(vec![]);
            let remotes = self.remotes.last_mut().expect("just pushed");
            for window in &self.windows {
                remotes.push(fabric.tile(tile)?.clone_segment(window.id())?);
            }
        }
        Ok(())
    }
}

impl<T: Transport> Fabric<T> {
    /// A group of these tiles, in the order of their ranks, that can exchange blocks. Each member takes a window over its whole
    /// memory, and one segment handle more than the group has members.
    ///
    /// # Errors
    /// [`Error::Tree`] of tiles that are no group: nothing is sent. [`Error::Exhausted`] if a member has too few windows or
    /// segment handles, or the fabric's; then nothing stays taken.
    pub fn peers(&mut self, tiles: &[usize]) -> Result<Peers, Error> {
        // A chain joins any tiles that are a group.
        Tree::new(self.config(), tiles, &Shape::Linear)?;
        let orders = Order::ALL.map(|order| {
            let ranks = 0..tiles.len();
            ranks
                .map(|rank| exchange::order(self.config(), tiles, order, rank))
                .collect()
        });
        let mut peers = Peers {
            tiles: tiles.to_vec(),
            orders: orders.into(),
            windows: vec![],
            remotes: vec![],
            own: vec![],
            is_open: Arc::new(AtomicBool::new(true)),
        };
        match peers.take(self) {
            Ok(()) => Ok(peers),
            Err(error) => {
                // The first error tells the cause.
                let _ = peers.release(self);
                Err(error)
            }
        }
    }
}
