//! Members whose lists are written: they are started by one descriptor, waited for by one event, and started again.

use super::member::{Handles, Member as Loaded, OfEngines};
use crate::{
    command,
    event::{Event, EventState},
    Error, ErrorCode, Fabric, Transport,
};

/// Least cycles without a count after which a member is taken to send nothing more.
const SETTLED: u64 = 2000;

/// A step of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LaunchStep {
    /// Starts the list of another member, by its place in the launch.
    Start(usize),
    /// Sends this descriptor, whose event is still 0.
    Command(Vec<u32>),
}

/// A member of a launch to be prepared.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub tile: usize,
    pub steps: Vec<LaunchStep>,
}

/// A prepared launch. While it is under way, the driver sends no other command to its members: a list has the whole command queue.
#[derive(Debug)]
pub(crate) struct Launch {
    pub what: &'static str,
    members: Vec<Loaded>,
    notice: Option<usize>,
    /// The count of the host's event at which the launch that is under way has ended.
    target: Option<u16>,
    /// The host's event has counted it.
    is_told: bool,
    refused: Option<(usize, ErrorCode)>,
    is_released: bool,
}

impl Launch {
    /// Writes the lists of these members. Each but the first is started by one before it. `handle` gives the segment of a member's
    /// tile for the address space of another, by their places.
    pub fn new<T: Transport>(
        fabric: &mut Fabric<T>,
        what: &'static str,
        members: &[Member],
        handle: impl Fn(usize, usize) -> u8,
    ) -> Result<Launch, Error> {
        let mut launch = Launch {
            what,
            members: vec![],
            notice: None,
            target: None,
            is_told: false,
            refused: None,
            is_released: false,
        };
        match launch.load(fabric, members, handle) {
            Ok(()) => Ok(launch),
            Err(error) => {
                // The first error tells the cause.
                let _ = launch.release(fabric);
                Err(error)
            }
        }
    }

    fn load<T: Transport>(
        &mut self,
        fabric: &mut Fabric<T>,
        members: &[Member],
        handle: impl Fn(usize, usize) -> u8,
    ) -> Result<(), Error> {
        if members.is_empty() {
            return Ok(());
        }
        let notice = fabric.take_notice()?;
        self.notice = Some(notice);
        let mail = fabric.mail_of_notice(notice)?;
        let mut loaded: Vec<Option<Loaded>> = members.iter().map(|_| None).collect();
        // The list of a member names those of the members that it starts.
        let written = fabric.together(|fabric| {
            for (place, Member { tile, steps }) in members.iter().enumerate().rev() {
                let handles: Handles = &|other| handle(place, other);
                let member = Loaded::new(fabric, *tile, place, steps, handles, mail.clone(), &loaded)?;
                loaded[place] = Some(member);
            }
            Ok(())
        });
        self.members = loaded.into_iter().flatten().collect();
        written
    }

    /// Whether it is started and was not seen to end.
    pub fn is_under_way(&self) -> bool {
        self.target.is_some()
    }

    /// Whether it was released.
    pub fn is_released(&self) -> bool {
        self.is_released
    }

    /// Starts the members, when an earlier start is complete and they have ended all earlier commands.
    ///
    /// # Errors
    /// [`Error::Released`]; [`Error::Timeout`] or [`Error::Refused`] of an earlier start, of an earlier command of a member, or of
    /// another launch with the same notice; or the fabric's: nothing is started. After an [`Error::Timeout`] of the access that starts
    /// it, it is started all the same.
    pub fn start<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        if self.is_released {
            return Err(Error::Released { what: self.what });
        }
        self.wait(fabric, fabric.port.timeout)?;
        // All members are ready before the first is told, because no member waits for another one.
        for member in &self.members {
            fabric.finish_commands(&[member.tile])?;
        }
        let (Some(first), Some(notice)) = (self.members.first(), self.notice) else {
            return Ok(());
        };
        let target = fabric.expect_mails(notice, self.members.len())?;
        let written = fabric.send(first.tile, first.event.number(), &first.start)?;
        fabric.notices[notice].target = target;
        for member in &self.members {
            let node = &mut fabric.nodes[member.tile];
            for (event, count, port) in member.counts() {
                let issued = &mut node.issued[usize::from(event.number())];
                *issued = issued.map(|before| before.wrapping_add(count));
                node.commands.push_list(port, event.number());
            }
        }
        self.is_told = false;
        self.refused = None;
        self.target = Some(target);
        written
    }

    /// Whether all members have ended. A launch that is not started has ended.
    ///
    /// # Errors
    /// [`Error::Refused`] of an engine's descriptor, or the fabric's.
    pub fn poll<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<bool, Error> {
        let (Some(target), Some(notice)) = (self.target, self.notice) else {
            return Ok(true);
        };
        if !self.is_told {
            self.is_told = fabric.is_told(notice, target)?;
            if !self.is_told {
                return Ok(false);
            }
            for member in &self.members {
                fabric.nodes[member.tile].commands.retire(member.event.number());
            }
        }
        for member in &self.members {
            let Some(OfEngines { event, .. }) = &member.of_engines else {
                continue;
            };
            let state = event.state(fabric)?;
            let issued = fabric.nodes[member.tile].issued[usize::from(event.number())];
            if issued.is_some_and(|target| !command::reached(state.count, target)) {
                return Ok(false);
            }
            if let Some(code) = state.error {
                fabric.clear_error(member.tile, event.number())?;
                self.refused.get_or_insert((member.tile, code));
            }
        }
        self.target = None;
        match self.refused {
            None => Ok(true),
            Some(_) => Err(self.refusal()),
        }
    }

    /// Waits until all members have ended. After a time-out it may be waited for again.
    ///
    /// # Errors
    /// [`Error::Timeout`]; if a member was refused a command, [`Error::Refused`] takes the place of the time-out: the launch is then
    /// over, and the commands that were not sent are lost. Or as for [`Launch::poll`].
    pub fn wait<T: Transport>(&mut self, fabric: &mut Fabric<T>, timeout_cycles: u64) -> Result<(), Error> {
        let begun = fabric.port.transport.cycles();
        while !self.poll(fabric)? {
            let tile = self.members[0].tile;
            if let Err(timeout) = fabric.check_time(begun, timeout_cycles, tile, self.what) {
                return Err(match self.is_told {
                    // The requesters have ended well; an engine has not.
                    true => timeout,
                    false => self.give_up(fabric, timeout_cycles)?.unwrap_or(timeout),
                });
            }
        }
        Ok(())
    }

    /// Releases what it has taken, when it is complete.
    ///
    /// # Errors
    /// [`Error::Timeout`] if it does not complete for as long as the driver's accesses may take: nothing is released, because members
    /// may still use their lists. [`Error::Refused`] of the last start: all is released. After an error of the fabric a release goes
    /// on where this one has ended.
    pub fn release<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        let mut ended = Ok(());
        while let Err(error) = self.wait(fabric, fabric.port.timeout) {
            if !matches!(error, Error::Refused { .. }) {
                return Err(error);
            }
            ended = ended.and(Err(error));
        }
        self.is_released = true;
        if let Some(notice) = self.notice.take() {
            fabric.give_notice(notice);
        }
        let members = self.members.drain(..).map(|member| member.release(fabric));
        members.fold(ended, Result::and)
    }

    fn refusal(&self) -> Error {
        let (node, code) = self.refused.expect("a member was refused something");
        let what = self.what;
        Error::Refused { node, what, code }
    }

    /// Ends the launch if a member was refused something: it, and the members that it should have started, count no more. Gives the
    /// refusal, or none if there was none. A member that counts nothing for as long as all should have taken does nothing any more.
    fn give_up<T: Transport>(&mut self, fabric: &mut Fabric<T>, cycles: u64) -> Result<Option<Error>, Error> {
        let mut states = self.states(fabric)?;
        let failed = states.iter().filter_map(|(tile, state)| Some((*tile, state.error?)));
        self.refused = self.refused.or(failed.min_by_key(|&(tile, _)| tile));
        if self.refused.is_none() {
            return Ok(None);
        }
        // Members that are still at work end first.
        loop {
            fabric.transport().wait(cycles.max(SETTLED));
            let before = std::mem::replace(&mut states, self.states(fabric)?);
            if states == before {
                break;
            }
        }
        for member in &self.members {
            for (event, ..) in member.counts() {
                let count = event.state(fabric)?.count;
                fabric.clear_error(member.tile, event.number())?;
                let node = &mut fabric.nodes[member.tile];
                node.commands.retire(event.number());
                node.issued[usize::from(event.number())] = Some(count);
            }
        }
        if let Some(notice) = self.notice {
            fabric.forget_mails(notice)?;
        }
        self.target = None;
        Ok(Some(self.refusal()))
    }

    /// The events of all members, each with its tile.
    fn states<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<Vec<(usize, EventState)>, Error> {
        let counts = self.members.iter().flat_map(Loaded::counts);
        let events: Vec<&Event> = counts.map(|(event, ..)| event).collect();
        let numbers: Vec<(usize, u8)> = events.iter().map(|event| (event.node(), event.number())).collect();
        fabric.read_events_ahead(&numbers)?;
        events
            .into_iter()
            .map(|event| Ok((event.node(), event.state(fabric)?)))
            .collect()
    }
}
