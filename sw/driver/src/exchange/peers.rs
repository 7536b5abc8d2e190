//! Groups of tiles that exchange blocks: segments of each member for all others.

use std::{
    mem,
    sync::{
        atomic::{AtomicUsize, Ordering},
        Arc, Mutex, MutexGuard, PoisonError,
    },
};

use portico_spec::mpe::tree::{Shape, Tree};

use crate::{onesided::Remote, Error, Fabric, Transport};

/// A group of tiles that exchange blocks, made by [`Fabric::peers`]. Members have *ranks*, 0 and up, in the order in which they
/// were named.
///
/// A group that is dropped gives its segment handles back once its exchanges are dropped, too, and none is under way: the next
/// time that a handle is taken.
#[derive(Debug)]
#[must_use = "segments are taken until the group is released or dropped"]
pub struct Peers {
    tiles: Vec<usize>,
    /// The segments of each member, by rank of the other one: whole address spaces, memory and command queue.
    remotes: Vec<Vec<Remote>>,
    running: Running,
    dropped: Dropped,
}

impl Drop for Peers {
    fn drop(&mut self) {
        let remotes: Vec<Remote> = self.remotes.drain(..).flatten().collect();
        if !remotes.is_empty() {
            self.dropped.lock().push((self.running.clone(), remotes));
        }
    }
}

/// The handles of groups that were dropped without a release, which needs the fabric.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dropped(Arc<Mutex<Vec<Left>>>);

/// What a dropped group has left.
type Left = (Running, Vec<Remote>);

impl Dropped {
    fn lock(&self) -> MutexGuard<'_, Vec<Left>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The exchanges of a group that are under way, and whether the group is released. Group and exchanges share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Running(Arc<AtomicUsize>);

impl Running {
    /// The count of a group that is released.
    const RELEASED: usize = usize::MAX;

    /// Refuses `what` after the release of the group.
    pub fn check(&self, what: &'static str) -> Result<(), Error> {
        match self.0.load(Ordering::Relaxed) {
            Running::RELEASED => Err(Error::Released { what }),
            _ => Ok(()),
        }
    }

    pub fn begin(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub fn end(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    fn check_idle(&self) -> Result<(), Error> {
        match self.0.load(Ordering::Relaxed) {
            0 | Running::RELEASED => Ok(()),
            exchanges => Err(Error::UnderWay { exchanges }),
        }
    }

    /// Whether no exchange can use the group again, and none is under way.
    fn is_over(&self) -> bool {
        Arc::strong_count(&self.0) == 1 && self.check_idle().is_ok()
    }

    fn release(&self) {
        self.0.store(Running::RELEASED, Ordering::Relaxed);
    }
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

    /// Releases the segments. Its exchanges cannot be started any more.
    ///
    /// # Errors
    /// [`Error::UnderWay`] if one of its exchanges is started and was not seen complete: nothing is released. Or the fabric's:
    /// all others are released.
    pub fn release<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.running.check_idle()?;
        // Its error is not one of the release, which can be repeated.
        fabric.end_earlier_access()?;
        self.running.release();
        let remotes = self.remotes.drain(..).flatten();
        fabric.together(|fabric| remotes.map(|remote| remote.release(fabric)).fold(Ok(()), Result::and))
    }

    /// The handle that a member has of another one.
    pub(super) fn handle(&self, rank: usize, to: usize) -> u8 {
        self.remotes[rank][to].handle()
    }

    pub(crate) fn running(&self) -> &Running {
        &self.running
    }

    fn take<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        let (tiles, remotes) = (&self.tiles, &mut self.remotes);
        fabric.together(|fabric| {
            for &tile in tiles {
                // The group notes each handle when it is taken, so that a failure releases it.
                remotes.push(vec![]);
                let own = remotes.last_mut().expect("pushed");
                for &to in tiles {
                    own.push(fabric.clone_space(tile, to)?);
                }
            }
            Ok(())
        })
    }
}

impl<T: Transport> Fabric<T> {
    /// Releases the handles of groups that were dropped, unless an exchange may still use them.
    ///
    /// # Errors
    /// The fabric's; what was not released then is kept for the next time.
    pub(crate) fn release_dropped(&mut self) -> Result<(), Error> {
        let mut groups = mem::take(&mut *self.dropped.lock());
        let released = groups.iter_mut().filter(|(running, _)| running.is_over());
        let mut remotes = released.flat_map(|(_, remotes)| mem::take(remotes)).collect::<Vec<_>>();
        groups.retain(|(_, remotes)| !remotes.is_empty());
        self.dropped.lock().extend(groups);
        while let Some(remote) = remotes.pop() {
            if let Err(error) = remote.give(self) {
                remotes.push(remote);
                self.dropped.lock().push((Running::default(), remotes));
                return Err(error);
            }
        }
        Ok(())
    }

    /// A group of these tiles, in the order of their ranks, that can exchange blocks. Each member takes a segment handle for
    /// each member.
    ///
    /// # Errors
    /// [`Error::Tree`] of tiles that are no group: nothing is sent. [`Error::Exhausted`] if a member has too few segment
    /// handles: then nothing stays taken. Or the fabric's.
    pub fn peers(&mut self, tiles: &[usize]) -> Result<Peers, Error> {
        // A chain joins any tiles that are a group.
        Tree::new(self.config(), tiles, &Shape::Linear)?;
        self.release_dropped()?;
        let mut peers = Peers {
            tiles: tiles.to_vec(),
            remotes: vec![],
            running: Running::default(),
            dropped: self.dropped.clone(),
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
