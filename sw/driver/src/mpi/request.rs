//! Calls that are prepared: started, waited for, and started again.

use super::{host::HostWork, route::EngineCall, Way};
use crate::{
    collective::{CallTicket, Shape},
    exchange::{Exchange, Running},
    Error, Fabric, Region, Transport,
};

/// A call that is prepared. It can be started again and again, each time with the words that lie in memory then.
#[derive(Debug)]
#[must_use = "a request does nothing until it is started, and may take memory until it is released"]
pub struct Request {
    pub(super) what: &'static str,
    /// The state of the group.
    pub(super) running: Running,
    pub(super) estimate: u64,
    pub(super) work: Work,
}

/// The work of a call, by its way.
#[derive(Debug)]
pub(super) enum Work {
    /// The ticket is that of the last start.
    Engines(EngineCall, Option<CallTicket>),
    Puts(Exchange),
    Host(HostWork),
    Both(Box<FoldThenScatter>),
}

/// A reduce of engines into memory of the root, then a scatter from there by puts.
#[derive(Debug)]
pub(super) struct FoldThenScatter {
    reduce: EngineCall,
    /// The reduce for which the scatter waits.
    ticket: Option<CallTicket>,
    scatter: Exchange,
    /// None after the release.
    region: Option<Region>,
}

impl FoldThenScatter {
    /// The reduce writes to the region, and the scatter reads there.
    pub fn new(reduce: EngineCall, scatter: Exchange, region: Region) -> FoldThenScatter {
        FoldThenScatter {
            reduce,
            ticket: None,
            scatter,
            region: Some(region),
        }
    }

    fn start<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        if !has_ended_or_failed(self.wait(fabric, fabric.port.timeout))? {
            // A reduce that has failed is followed by no scatter.
            self.ticket = None;
        }
        let (ticket, posted) = self.reduce.start(fabric);
        self.ticket = ticket;
        posted
    }

    fn poll<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<bool, Error> {
        if let Some(ticket) = &mut self.ticket {
            if !ticket.poll(fabric)? {
                return Ok(false);
            }
            // After an error, the next poll starts it.
            self.scatter.start(fabric)?;
            self.ticket = None;
        }
        self.scatter.poll(fabric)
    }

    fn wait<T: Transport>(&mut self, fabric: &mut Fabric<T>, timeout: u64) -> Result<(), Error> {
        let begun = fabric.port.transport.cycles();
        if let Some(ticket) = &mut self.ticket {
            self.reduce.wait(fabric, ticket, timeout)?;
            self.poll(fabric)?;
        }
        let waited = fabric.port.transport.cycles() - begun;
        self.scatter.wait(fabric, timeout.saturating_sub(waited))
    }

    fn release<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        let ended = self.wait(fabric, fabric.port.timeout);
        if matches!(ended, Err(Error::Timeout { .. })) {
            return ended;
        }
        // A reduce that has failed is followed by no scatter.
        self.ticket = None;
        let released = self.scatter.release(fabric);
        let freed = self.region.take().map_or(Ok(()), |region| fabric.free(region));
        ended.and(released).and(freed)
    }
}

/// Whether an earlier start has ended well. One that has failed is over too: if its communicator is recovered, the call can start
/// again, and otherwise the start fails.
fn has_ended_or_failed(ended: Result<(), Error>) -> Result<bool, Error> {
    match ended {
        Err(Error::CommunicatorFailed { .. }) => Ok(false),
        ended => ended.map(|()| true),
    }
}

impl Request {
    /// How it is carried out.
    pub fn way(&self) -> Way {
        match self.work {
            Work::Engines(..) | Work::Both(_) => Way::Engines,
            Work::Puts(_) => Way::Puts,
            Work::Host(_) => Way::Host,
        }
    }

    /// Shape of the tree along which words travel, or along which the host folds them; none by puts. If another communicator has taken
    /// the context of the chain, the next start goes along the first tree, which then is told here.
    pub fn shape(&self) -> Option<&Shape> {
        match &self.work {
            Work::Engines(call, _) => Some(call.shape()),
            Work::Both(work) => Some(work.reduce.shape()),
            Work::Host(work) => Some(&work.shape),
            Work::Puts(_) => None,
        }
    }

    /// Cycles that the cost model expects from the start to the end of a wait, with a host at the fabric's AXI4-Lite port. A line to
    /// a board is much slower.
    pub fn estimate(&self) -> u64 {
        self.estimate
    }

    /// Starts the call at all members, when an earlier start of it is complete. If the host carries it out, it is complete when this
    /// returns.
    ///
    /// A call of the engines that is started for the second time in a row in its group, or the fourth if another call is armed, is
    /// *armed*: the engines keep it. From then on each start *launches* it, which costs the host one descriptor and one event in
    /// place of one at each member. Armed calls hold an event of each member. To arm or to launch a call, the driver waits until the
    /// group's earlier calls have ended, for at most the time-out of its accesses; to start a call along one tree of its group, until
    /// the earlier calls along the other have ended. Each tree has an armed call of its own.
    ///
    /// # Errors
    /// [`Error::Released`] after its group was released; [`Error::CommunicatorFailed`] if a member refuses to keep the call, and
    /// [`Error::Timeout`] if earlier calls do not end before it is armed or launched, or along the other tree; as for
    /// [`Call::start`](crate::collective::Call::start) and [`Exchange::start`], or the fabric's.
    pub fn start<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.running.check(self.what)?;
        match &mut self.work {
            Work::Engines(call, ticket) => {
                if let Some(earlier) = ticket {
                    has_ended_or_failed(call.wait(fabric, earlier, fabric.port.timeout))?;
                }
                let (started, posted) = call.start(fabric);
                *ticket = started.or(ticket.take());
                posted
            }
            Work::Puts(exchange) => exchange.start(fabric),
            Work::Host(work) => work.run(fabric),
            Work::Both(work) => work.start(fabric),
        }
    }

    /// Whether the call has ended at all members. One that is not started has.
    ///
    /// # Errors
    /// As for [`CallTicket::poll`] and [`Exchange::poll`].
    pub fn poll<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<bool, Error> {
        match &mut self.work {
            Work::Engines(_, Some(ticket)) => ticket.poll(fabric),
            Work::Engines(_, None) | Work::Host(_) => Ok(true),
            Work::Puts(exchange) => exchange.poll(fabric),
            Work::Both(work) => work.poll(fabric),
        }
    }

    /// Waits until the call has ended at all members, for at most `timeout` cycles. After a time-out it may be waited for again. A
    /// call by the host has ended when its start returns.
    ///
    /// # Errors
    /// As for [`CallTicket::wait`] and [`Exchange::wait`].
    pub fn wait<T: Transport>(&mut self, fabric: &mut Fabric<T>, timeout: u64) -> Result<(), Error> {
        match &mut self.work {
            Work::Engines(call, Some(ticket)) => call.wait(fabric, ticket, timeout),
            Work::Engines(_, None) | Work::Host(_) => Ok(()),
            Work::Puts(exchange) => exchange.wait(fabric, timeout),
            Work::Both(work) => work.wait(fabric, timeout),
        }
    }

    /// Releases what it has taken, when it is complete.
    ///
    /// # Errors
    /// As for [`Exchange::release`], or of a call under way as for [`CallTicket::wait`].
    pub fn release<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        match &mut self.work {
            Work::Puts(exchange) => exchange.release(fabric),
            Work::Both(work) => work.release(fabric),
            Work::Engines(..) | Work::Host(_) => self.wait(fabric, fabric.port.timeout),
        }
    }

    /// Starts the call, waits for it, and releases it: the blocking call of MPI.
    ///
    /// # Errors
    /// As for [`Request::start`] and [`Request::wait`]; after a time-out as for [`Request::release`]. If the release times out too,
    /// the call never gives its events and memory back. For a call that may take longer than [`Fabric::set_timeout`] says, use
    /// [`Request::start`] and [`Request::wait`].
    pub fn run<T: Transport>(mut self, fabric: &mut Fabric<T>, timeout: u64) -> Result<(), Error> {
        let started = self.start(fabric);
        let ended = started.and_then(|()| self.wait(fabric, timeout));
        let released = self.release(fabric);
        ended.and(released)
    }
}
