//! An exchange that is prepared: it is started, waited for, and started again.

use portico_spec::ni::descriptor::{Command, Geometry, Transfer};

use super::{
    plan::{Plan, PlanStep},
    Peers, Running,
};
use crate::{
    command,
    list::{self, Launch, Member},
    Error, Fabric, Transport,
};

/// A prepared exchange. Its lists stay in the members' memories until it is released, so a start is a single descriptor, for the
/// first member that has a list. The members start each other along a tree.
///
/// While it is under way, the driver sends no other command to its members: a list has the whole command queue. So a start waits
/// until all earlier commands of the members are complete, and no command of a member may wait for the exchange itself.
#[derive(Debug)]
#[must_use = "an exchange does nothing until it is started, and takes memory until it is released"]
pub struct Exchange {
    launch: Launch,
    running: Running,
}

impl Exchange {
    /// Starts all members, when an earlier start of the exchange is complete and the members have ended all earlier commands.
    ///
    /// # Errors
    /// [`Error::Released`]; [`Error::Timeout`] or [`Error::Refused`] of an earlier start, of an earlier command of a member, or of
    /// another exchange that tells the host by the same mailbox; or the fabric's: nothing is started. After an [`Error::Timeout`] of
    /// the access that starts it, it is started all the same, and can be waited for.
    pub fn start<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        if !self.launch.is_released() {
            self.running.check(self.launch.what)?;
        }
        self.noting(|launch| launch.start(fabric))
    }

    /// Whether all members have received all blocks; one access. An exchange that is not started is complete.
    ///
    /// # Errors
    /// The fabric's. A refusal is told by [`Exchange::wait`] alone.
    pub fn poll<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<bool, Error> {
        self.noting(|launch| launch.poll(fabric))
    }

    /// Waits until the exchange is complete. After a time-out it may be waited for again.
    ///
    /// # Errors
    /// [`Error::Timeout`]. If a member was refused a put, [`Error::Refused`] with tile and code takes the place of the time-out: the
    /// exchange is then over, and the puts that were not sent are lost. Or the fabric's.
    pub fn wait<T: Transport>(&mut self, fabric: &mut Fabric<T>, timeout: u64) -> Result<(), Error> {
        self.noting(|launch| launch.wait(fabric, timeout))
    }

    /// Releases the events and the memory of the lists, when the exchange is complete.
    ///
    /// # Errors
    /// [`Error::Timeout`] if it does not complete for as long as the driver's accesses may take: nothing is released, because
    /// members may still use their lists. [`Error::Refused`] of the last start: all is released. After an error of the fabric a
    /// release goes on where this one has ended.
    pub fn release<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.noting(|launch| launch.release(fabric))
    }

    /// Counts the exchange in its group while it is under way.
    fn noting<R>(&mut self, work: impl FnOnce(&mut Launch) -> R) -> R {
        let was_under_way = self.launch.is_under_way();
        let result = work(&mut self.launch);
        match (was_under_way, self.launch.is_under_way()) {
            (false, true) => self.running.begin(),
            (true, false) => self.running.end(),
            _ => {}
        }
        result
    }
}

impl Peers {
    /// Writes the lists of a plan whose blocks are checked.
    pub(crate) fn prepare<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        what: &'static str,
        plan: &Plan,
    ) -> Result<Exchange, Error> {
        self.running().check(what)?;
        // A member with nothing to do is none of the launch.
        let ranks: Vec<usize> = plan.order().filter(|&rank| !plan.steps[rank].is_empty()).collect();
        let place = |of: usize| {
            ranks
                .iter()
                .position(|&rank| rank == of)
                .expect("a member that is started has steps")
        };
        let member = |&rank: &usize| {
            let steps = plan.steps[rank].iter().map(|step| {
                Ok(match *step {
                    PlanStep::Start(child) => list::LaunchStep::Start(place(child)),
                    PlanStep::Send(block) => {
                        let put = Command::Put(Transfer {
                            remote: block.result,
                            local: block.source,
                            geometry: Geometry::Row { row: block.bytes },
                        });
                        list::LaunchStep::Command(command::encode(fabric.config(), self.handle(rank, block.to), put)?)
                    }
                })
            });
            Ok(Member {
                tile: self.tiles()[rank],
                steps: steps.collect::<Result<_, Error>>()?,
            })
        };
        let members = ranks.iter().map(member).collect::<Result<Vec<_>, Error>>()?;
        let handle = |place: usize, other: usize| self.handle(ranks[place], ranks[other]);
        Ok(Exchange {
            launch: Launch::new(fabric, what, &members, handle)?,
            running: self.running().clone(),
        })
    }
}
