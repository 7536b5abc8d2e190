//! An exchange that is prepared: it is started, waited for, and started again.

use std::sync::{
    atomic::{AtomicBool, Ordering},
    Arc,
};

use super::{list::List, Block, Peers};
use crate::{command, Error, Fabric, Transport};

/// A prepared exchange. Its lists stay in the members' memories until it is released, so a start sends one descriptor to each
/// member that sends something.
///
/// While it is under way, the driver sends no other command to these members: the list has their whole command queue.
#[derive(Debug)]
#[must_use = "an exchange does nothing until it is started, and takes memory until it is released"]
pub struct Exchange {
    what: &'static str,
    /// Each list, and under way the value of its event's counter when all of its puts are complete.
    lists: Vec<(List, Option<u16>)>,
    is_open: Arc<AtomicBool>,
}

impl Exchange {
    /// Starts the exchange at all members, when an earlier start is complete. The driver waits for it, and for room in each
    /// command queue, at most as long as its accesses may take ([`Fabric::set_timeout`]).
    ///
    /// # Errors
    /// [`Error::Released`] after the group was released, [`Error::Timeout`] or [`Error::Refused`] of an earlier start: nothing is
    /// started. [`Error::Timeout`] if a command queue gets no room, or the transport's: it may be started at some members.
    pub fn start<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        if !self.is_open.load(Ordering::Relaxed) {
            return Err(Error::Released { what: self.what });
        }
        self.wait(fabric, fabric.port.timeout)?;
        for (list, target) in &mut self.lists {
            let (reached, written) =
                fabric.issue_list(list.tile, list.event.number(), &list.start, (list.room, list.puts))?;
            *target = Some(reached);
            written?;
        }
        Ok(())
    }

    /// Whether all members have received all blocks. An exchange that is not started is complete.
    ///
    /// # Errors
    /// [`Error::Refused`] if the hardware has refused a put of a member, after that member has ended all others; or the fabric's.
    pub fn poll<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<bool, Error> {
        for (list, target) in &mut self.lists {
            let Some(reached) = *target else { continue };
            let state = list.event.state(fabric)?;
            if !command::reached(state.count, reached) {
                return Ok(false);
            }
            *target = None;
            if let Some(code) = state.error {
                fabric.clear_error(list.tile, list.event.number())?;
                let (node, what) = (list.tile, self.what);
                return Err(Error::Refused { node, what, code });
            }
        }
        Ok(true)
    }

    /// Waits until the exchange is complete. After a time-out it may be waited for again.
    ///
    /// # Errors
    /// [`Error::Refused`] instead of [`Error::Timeout`] if the hardware has refused a put; or as for [`Exchange::poll`].
    pub fn wait<T: Transport>(&mut self, fabric: &mut Fabric<T>, timeout: u64) -> Result<(), Error> {
        let begun = fabric.port.transport.cycles();
        while !self.poll(fabric)? {
            let waiting = self.lists.iter().find(|(_, target)| target.is_some());
            let (list, _) = waiting.expect("it is not complete");
            if let Err(timeout) = fabric.check_time(begun, timeout, list.tile, self.what) {
                // A member whose list was refused never counts all of its puts.
                let error = list.event.state(fabric)?.error;
                let (node, what) = (list.tile, self.what);
                return Err(error.map_or(timeout, |code| Error::Refused { node, what, code }));
            }
        }
        Ok(())
    }

    /// Releases the events and the memory of the lists, when the exchange is complete.
    ///
    /// # Errors
    /// As for [`Exchange::wait`], for as long as the driver's accesses may take: then nothing is released, because members may
    /// still use their lists. Or the fabric's.
    pub fn release<T: Transport>(mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.wait(fabric, fabric.port.timeout)?;
        let mut lists = self.lists.into_iter();
        lists.try_for_each(|(list, _)| list.release(fabric))
    }
}

impl Peers {
    /// Checks the blocks and writes the lists.
    pub(super) fn prepare<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        what: &'static str,
        blocks: &[Vec<Block>],
    ) -> Result<Exchange, Error> {
        let blocks: Vec<Vec<Block>> = (blocks.iter().enumerate())
            .map(|(rank, blocks)| blocks.iter().copied().filter(|block| block.moves(rank)).collect())
            .collect();
        let pieces = self.check_blocks(fabric, &blocks)?;
        let mut exchange = Exchange {
            what,
            lists: vec![],
            is_open: self.is_open(),
        };
        let senders = blocks.iter().enumerate().filter(|(_, blocks)| !blocks.is_empty());
        for (rank, blocks) in senders {
            match List::new(fabric, self, rank, blocks, &pieces) {
                Ok(list) => exchange.lists.push((list, None)),
                Err(error) => {
                    // The first error tells the cause.
                    let _ = exchange.release(fabric);
                    return Err(error);
                }
            }
        }
        Ok(exchange)
    }
}
