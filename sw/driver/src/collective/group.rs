//! The driver's record of a communicator: the calls under way, and their posts at each member.

use std::{collections::VecDeque, sync::Weak};

use portico_spec::{
    mpe::call::{NUMBER_WIDTH, WAITING},
    ni::ErrorCode,
};

use super::{
    armed::Armed,
    context::{middle, Joined},
    Tree,
};
use crate::{
    onesided::{Operation, Ticket},
    Error, Fabric, Transport,
};

/// The members of a communicator. It outlives the communicator until its calls have ended.
#[derive(Debug)]
pub(crate) struct Group {
    context: u8,
    pub(super) tree: Tree,
    /// By rank.
    pub(super) members: Vec<Member>,
    /// The rank that launches armed calls.
    pub(super) middle: usize,
    /// Gone when the communicator is.
    owner: Weak<()>,
    /// The communicator can do without its context, which another one may take.
    is_spare: bool,
    /// Calls so far: the ordinal of the next.
    pub(super) calls: u64,
    /// Ordinal of the call that has number 0.
    first: u64,
    /// The last one lasts until the communicator is recovered.
    pub(super) failures: Vec<Failure>,
    /// The context has been closed at all members since the last failure.
    is_closed: bool,
    /// The prepared call that was started last, and how often in a row.
    last: Option<(u64, u32)>,
    pub(super) armed: Option<Armed>,
}

#[derive(Debug)]
pub(super) struct Member {
    pub tile: usize,
    /// Calls that have not been seen to end here, in their order.
    pub posts: VecDeque<Post>,
}

/// A call at one member.
#[derive(Debug)]
pub(super) struct Post {
    /// Its ordinal among the calls of the communicator.
    call: u64,
    what: &'static str,
    words: Vec<u32>,
    pub purpose: Purpose,
    /// None while the call must be posted, or posted again.
    ticket: Option<Ticket<()>>,
}

/// The use of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It is a call.
    Call,
    /// It arms a call, and counts in an event that is held as long as the call is armed.
    Arm { event: u8 },
    /// It launches the armed calls, and counts in the same event: when it is accepted, and when the calls have ended at all members.
    Launch { event: u8 },
}

/// How a call failed, and with it all later ones up to the recovery.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failure {
    call: u64,
    /// The first call after the recovery; none before it.
    end: Option<u64>,
    what: &'static str,
    tile: usize,
    code: ErrorCode,
}

impl From<Failure> for Error {
    fn from(Failure { what, tile, code, .. }: Failure) -> Error {
        Error::CommunicatorFailed { what, tile, code }
    }
}

impl Group {
    pub fn new(context: u8, tree: Tree, owner: Weak<()>, is_spare: bool) -> Group {
        let members = tree.tiles().iter().map(|&tile| Member {
            tile,
            posts: VecDeque::new(),
        });
        Group {
            context,
            members: members.collect(),
            middle: middle(&tree),
            owner,
            is_spare,
            tree,
            calls: 0,
            first: 0,
            failures: vec![],
            is_closed: false,
            last: None,
            armed: None,
        }
    }

    pub fn context(&self) -> u8 {
        self.context
    }

    pub fn tiles(&self) -> Vec<usize> {
        self.members.iter().map(|member| member.tile).collect()
    }

    /// Whether the group has this context at one of these tiles.
    pub fn is_at(&self, context: u8, tiles: &[usize]) -> bool {
        self.context == context && self.members.iter().any(|member| tiles.contains(&member.tile))
    }

    /// Whether the communicator still exists.
    pub fn is_owned(&self) -> bool {
        self.owner.strong_count() > 0
    }

    /// Whether another communicator may take its context when no call is under way.
    pub fn is_spare(&self) -> bool {
        self.is_spare
    }

    /// Why it takes no calls.
    pub fn failure(&self) -> Option<Failure> {
        self.failures.last().copied().filter(|failure| failure.end.is_none())
    }

    /// Counts a start of a prepared call. Gives how often it was started in a row.
    pub(super) fn count_start(&mut self, identity: u64) -> u32 {
        let before = self.last.filter(|&(last, _)| last == identity);
        let starts = before.map_or(0, |(_, starts)| starts).saturating_add(1);
        self.last = Some((identity, starts));
        starts
    }

    /// Counts this number of calls as made, so that the driver is ahead of the engines.
    #[cfg(test)]
    pub fn skip(&mut self, calls: u64) {
        self.calls += calls;
    }

    /// A member with a call that the driver has not seen end.
    pub fn first_busy(&self) -> Option<usize> {
        let busy = self.members.iter().find(|member| !member.posts.is_empty());
        busy.map(|member| member.tile)
    }

    /// The oldest call that the driver has not seen end, and a member at which it is open.
    fn oldest(&self) -> Option<(u64, usize)> {
        let fronts = self.members.iter().filter_map(|member| {
            let post = member.posts.front()?;
            Some((post.call, member.tile))
        });
        fronts.min()
    }

    /// The oldest call under way, and a member at which it is open, if no call can be added behind it: four calls are under way, or
    /// calls are launched. An added call that is to be `alone` can be added behind none.
    fn blocking(&self, alone: bool) -> Option<(u64, usize)> {
        let (oldest, tile) = self.oldest()?;
        let is_full = self.calls - oldest >= WAITING as u64;
        (is_full || alone || self.is_launching()).then_some((oldest, tile))
    }

    /// Whether the driver has seen a call end at all members.
    ///
    /// # Errors
    /// [`Error::CommunicatorFailed`] if it, or one before it, has failed.
    pub fn has_ended(&self, call: u64) -> Result<bool, Error> {
        check_call(&self.failures, call)?;
        Ok(self.oldest().is_none_or(|(oldest, _)| oldest > call))
    }

    /// A member at which the driver has not seen `call` end, for errors.
    pub fn waiting_for(&self, call: u64) -> usize {
        self.oldest()
            .filter(|&(oldest, _)| oldest <= call)
            .map_or(self.members[0].tile, |(_, tile)| tile)
    }

    /// Records a call with the descriptors `words`, by rank, numbers them, and does not post it yet. Returns its ordinal.
    fn add(&mut self, what: &'static str, words: Vec<Vec<u32>>) -> u64 {
        let call = self.calls;
        self.calls += 1;
        for (rank, mut words) in words.into_iter().enumerate() {
            // The number is in the lowest bits of word 1.
            words[1] |= (call - self.first) as u32 & ((1 << NUMBER_WIDTH) - 1);
            self.add_post(rank, call, what, words, Purpose::Call);
        }
        call
    }

    /// Records a descriptor for one member.
    pub(super) fn add_post(&mut self, rank: usize, call: u64, what: &'static str, words: Vec<u32>, purpose: Purpose) {
        self.members[rank].posts.push_back(Post {
            call,
            what,
            words,
            purpose,
            ticket: None,
        });
    }

    /// Posts what is not posted.
    pub(super) fn post<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        let mut posts = self.members.iter().flat_map(|member| &member.posts);
        if posts.all(|post| post.ticket.is_some()) {
            return Ok(());
        }
        fabric.end_earlier_access()?;
        let posted = fabric.together(|fabric| self.members.iter_mut().try_for_each(|member| member.post(fabric)));
        if let Err(Error::Refused { node, code, .. }) = posted {
            // The queue of some member was full, because another program fills it. Which member lacks its call is not known.
            if let Some(post) = self
                .members
                .iter()
                .flat_map(|member| member.posts.back())
                .max_by_key(|post| post.call)
            {
                let failure = post.failure(node, code);
                self.fail(failure);
                return Err(failure.into());
            }
        }
        posted
    }

    /// Checks the progress of each member with the calls up to `last`. Posts a call again at a member that refused it because it
    /// came too early.
    fn advance<T: Transport>(&mut self, fabric: &mut Fabric<T>, last: u64) -> Result<(), Error> {
        // An earlier error of the fabric may have left posts behind.
        self.post(fabric)?;
        while self.end_first_calls(fabric, last)? {}
        Ok(())
    }

    /// The same for the first open call of each member. Returns whether one has ended, so that the next one may have ended too.
    fn end_first_calls<T: Transport>(&mut self, fabric: &mut Fabric<T>, last: u64) -> Result<bool, Error> {
        let fronts = self.members.iter().filter_map(|member| member.posts.front());
        let tickets = fronts
            .filter(|post| post.call <= last)
            .filter_map(|post| post.ticket.as_ref());
        let open: Vec<_> = tickets.filter_map(Ticket::open_event).collect();
        fabric.read_events_ahead(&open)?;
        let mut has_ended = false;
        for at in 0..self.members.len() {
            let member = &mut self.members[at];
            let Some(post) = member.posts.front_mut().filter(|post| post.call <= last) else {
                continue;
            };
            let Some(ticket) = &mut post.ticket else { continue };
            let may_lack_calls = self.is_closed && matches!(post.purpose, Purpose::Launch { .. });
            let outcome = match may_lack_calls && fabric.context_status(member.tile, self.context)?.is_drained {
                // The context was closed before it began the calls, so their event does not count.
                true => ticket.end_early(fabric, ErrorCode::Closed)?,
                false => ticket.outcome(fabric)?,
            };
            let may_repeat =
                !matches!(post.purpose, Purpose::Arm { .. }) && check_call(&self.failures, post.call).is_ok();
            match outcome {
                None => {}
                Some(Ok(_)) => {
                    member.posts.pop_front();
                    has_ended = true;
                }
                Some(Err(ErrorCode::OutOfTurn | ErrorCode::TooManyCalls)) if may_repeat => {
                    post.ticket = None;
                    member.post(fabric)?;
                }
                Some(Err(code)) => {
                    let failure = post.failure(member.tile, code);
                    member.posts.pop_front();
                    has_ended = true;
                    self.fail(failure);
                }
            }
        }
        Ok(has_ended)
    }

    /// Gives up a call and all later ones, and posts none of them any more. Earlier calls may still succeed.
    fn fail(&mut self, failure: Failure) {
        if check_call(&self.failures, failure.call).is_err() {
            return;
        }
        tracing::warn!(?failure, "a communicator is out of use");
        for member in &mut self.members {
            member
                .posts
                .retain(|post| post.call < failure.call || post.ticket.is_some());
        }
        // The same failure, found earlier.
        self.failures.retain(|failure| failure.end.is_some());
        self.failures.push(failure);
    }

    /// Gives up all calls that are under way.
    fn give_up(&mut self) {
        if let Some((_, tile)) = self.oldest() {
            self.give_up_at(tile, ErrorCode::Closed);
        }
    }

    /// The same because of this tile.
    pub(super) fn give_up_at(&mut self, tile: usize, code: ErrorCode) {
        let fronts = self.members.iter().filter_map(|member| member.posts.front());
        if let Some(post) = fronts.min_by_key(|post| post.call) {
            self.fail(post.failure(tile, code));
        }
    }

    /// Whether a call has failed, and those before it have ended, so that the members that do not know it can be closed.
    fn must_close(&self) -> bool {
        let failure = self.failure().filter(|_| !self.is_closed);
        failure.is_some_and(|failure| self.oldest().is_none_or(|(oldest, _)| oldest >= failure.call))
    }

    /// The next call has number 0.
    pub(super) fn number_from_0(&mut self) {
        self.first = self.calls;
    }

    /// The engines are as after reset.
    fn restart(&mut self) {
        self.number_from_0();
        self.is_closed = false;
        self.last = None;
        if let Some(failure) = self.failures.last_mut() {
            failure.end.get_or_insert(self.calls);
        }
    }
}

/// Checks that a call is not among those that have failed.
///
/// # Errors
/// [`Error::CommunicatorFailed`].
pub(super) fn check_call(failures: &[Failure], call: u64) -> Result<(), Error> {
    let mut failures = failures.iter();
    let failure = failures.find(|failure| failure.call <= call && failure.end.is_none_or(|end| call < end));
    failure.map_or(Ok(()), |&failure| Err(failure.into()))
}

impl Post {
    fn failure(&self, tile: usize, code: ErrorCode) -> Failure {
        Failure {
            call: self.call,
            end: None,
            what: self.what,
            tile,
            code,
        }
    }
}

impl Member {
    /// Posts what is not posted, in the order of the calls.
    fn post<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        for post in self.posts.iter_mut().filter(|post| post.ticket.is_none()) {
            let (tile, what) = (self.tile, post.what);
            let (ticket, written) = match post.purpose {
                Purpose::Call => Operation::new(fabric, tile, what, post.words.clone()).post()?,
                Purpose::Arm { event } => fabric.post_kept(tile, what, event, 1, &post.words)?,
                Purpose::Launch { event } => fabric.post_kept(tile, what, event, 2, &post.words)?,
            };
            // It is sent, or will be, even if the access has failed. It must not be sent twice.
            post.ticket = Some(ticket);
            written?;
        }
        Ok(())
    }
}

impl<T: Transport> Fabric<T> {
    /// Advances the calls of a group up to `last`, as far as possible without waiting. Does nothing if the group is gone.
    pub(crate) fn advance(&mut self, number: u64, last: u64) -> Result<(), Error> {
        let Some(mut group) = self.groups.remove(&number) else {
            return Ok(());
        };
        let advanced = group.advance(self, last);
        self.groups.insert(number, group);
        advanced?;
        match self.groups[&number].must_close() {
            true => self.close_group(number),
            false => Ok(()),
        }
    }

    /// Closes the context of a group at all members, so that their calls end.
    pub(super) fn close_group(&mut self, number: u64) -> Result<(), Error> {
        let group = &self.groups[&number];
        let (context, tiles) = (group.context, group.tiles());
        self.close_contexts(context, &tiles)?;
        self.groups.get_mut(&number).expect("looked for above").is_closed = true;
        Ok(())
    }

    /// Posts a call at all members of a group, as soon as fewer than four are under way and none is launched. Gives its ordinal.
    ///
    /// An inner error means that the call is posted at some members only: the others follow.
    pub(crate) fn post_call(
        &mut self,
        number: u64,
        what: &'static str,
        words: Vec<Vec<u32>>,
    ) -> Result<(u64, Result<(), Error>), Error> {
        self.make_room_for_call(number, false)?;
        // A call that lacks an event at one member would hold up the others.
        for tile in self.groups[&number].tiles() {
            let event = self.take_event(tile)?;
            self.nodes[tile].events.give(event);
        }
        let mut group = self.groups.remove(&number).expect("looked for above");
        let call = group.add(what, words);
        let posted = group.post(self);
        self.groups.insert(number, group);
        Ok((call, posted))
    }

    /// Whether a call of a group has failed since its last recovery, or has not been seen to end.
    pub(crate) fn needs_recovery(&mut self, number: u64) -> Result<bool, Error> {
        self.advance(number, u64::MAX)?;
        let group = self.groups.get(&number).ok_or(Error::WrongCommunicator)?;
        Ok(group.failure().is_some() || group.is_closed || group.first_busy().is_some())
    }

    /// Ends all calls of a group, and brings its context back to the state after reset at all members, within so many cycles.
    ///
    /// No descriptor of the group is left when the context opens: each has ended with its event.
    pub(crate) fn recover_group(&mut self, number: u64, cycles: u64) -> Result<(), Error> {
        let begun = self.port.transport.cycles();
        // Calls that have succeeded by now stay successes.
        self.advance(number, u64::MAX)?;
        let group = self.groups.get_mut(&number).ok_or(Error::WrongCommunicator)?;
        group.give_up();
        let (context, joined) = (group.context, Joined::of(&group.tree));
        if !self.groups[&number].is_closed {
            self.close_group(number)?;
        }
        loop {
            self.advance(number, u64::MAX)?;
            let Some(tile) = self.groups[&number].first_busy() else {
                break;
            };
            self.check_time(begun, cycles, tile, "a call of a context that was closed")?;
        }
        self.drain_and_open(context, &joined, begun, cycles)?;
        self.give_held_events(number);
        self.groups.get_mut(&number).expect("looked for above").restart();
        tracing::debug!(group = number, context, "recovered");
        Ok(())
    }

    /// Waits until all calls of a group have ended. Does nothing if the group is gone, which it is only after them.
    ///
    /// # Errors
    /// As for [`CallTicket::wait`](super::CallTicket::wait).
    pub(crate) fn finish_calls(&mut self, number: u64) -> Result<(), Error> {
        match self.groups.contains_key(&number) {
            true => self.make_room_for_call(number, true),
            false => Ok(()),
        }
    }

    /// Waits until a call can be added to a group; until all earlier calls have ended if it is to be `alone`.
    pub(super) fn make_room_for_call(&mut self, number: u64, alone: bool) -> Result<(), Error> {
        let begun = self.port.transport.cycles();
        loop {
            let group = &self.groups[&number];
            if let Some(failure) = group.failure() {
                return Err(failure.into());
            }
            let Some((oldest, tile)) = group.blocking(alone) else {
                return Ok(());
            };
            let what = match alone || group.is_launching() {
                true => "earlier calls",
                false => "the oldest of four calls",
            };
            if let Err(timeout) = self.check_time(begun, self.port.timeout, tile, what) {
                self.look_for_failure(number)?;
                let failure = self.groups[&number].failure();
                return Err(failure.map_or(timeout, Error::from));
            }
            self.advance(number, oldest)?;
        }
    }
}
