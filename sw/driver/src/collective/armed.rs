//! Calls that are armed: the engines of all members keep a call that is started again and again, and a launch at one member begins it
//! at all.
//!
//! Behind the call a barrier is armed, whose root launches. It ends there when the call has ended at all members, so that the driver
//! asks one event.

use portico_spec::{
    mpe::call::{self, Begin, Kind, Launch, Transfer, ARMED, ARMED_OFFSET},
    ni::{descriptor::Command, ErrorCode},
    Config,
};

use super::{
    group::{Group, Purpose},
    Prepared,
};
use crate::{
    command::{self, QUIET},
    resources::Port,
    Error, Fabric, Transport,
};

/// Starts in a row of one call at the last of which it is armed. To take another call away first costs about as much as three launches
/// save.
const STARTS: u32 = 2;
const STARTS_BESIDE_ANOTHER: u32 = 4;
/// Calls that are armed together: one, and the barrier behind it.
const TOGETHER: usize = 2;
const _: () = assert!(TOGETHER <= ARMED);

/// A call that the engines of all members keep, or are about to keep.
#[derive(Debug)]
pub(super) struct Armed {
    /// The prepared call.
    identity: u64,
    /// By rank: an event that counts what is armed and launched there.
    events: Vec<u8>,
    /// The lists of some members may be written again, so that these have no armed call, and number their calls from 0 on.
    is_leaving: bool,
}

impl Group {
    /// Whether a call is about to be armed, or is launched.
    pub fn is_launching(&self) -> bool {
        let mut fronts = self.members.iter().filter_map(|member| member.posts.front());
        fronts.any(|post| !matches!(post.purpose, Purpose::Call))
    }

    /// Tile and event that tell when launched calls have ended at this tile; none if nothing is armed there.
    pub fn launcher_of(&self, tile: usize) -> Option<(usize, u8)> {
        let armed = self.armed.as_ref()?;
        let is_member = self.members.iter().any(|member| member.tile == tile);
        is_member.then(|| (self.members[self.middle].tile, armed.events[self.middle]))
    }

    /// Records descriptors that arm a call, by rank, and the barrier behind it.
    fn add_armed(&mut self, what: &'static str, identity: u64, calls: [Vec<Vec<u32>>; TOGETHER], events: Vec<u8>) {
        // They have the ordinal of the next call, which is refused if one of them fails.
        for words in calls {
            for ((rank, words), &event) in words.into_iter().enumerate().zip(&events) {
                self.add_post(rank, self.calls, what, words, Purpose::Arm { event });
            }
        }
        self.armed = Some(Armed {
            identity,
            events,
            is_leaving: false,
        });
    }

    /// Records a launch of the armed calls, which take two numbers. Returns the ordinal of the first.
    fn add_launch(&mut self, what: &'static str, words: Vec<u32>) -> u64 {
        let armed = self.armed.as_ref().expect("only what is armed is launched");
        let event = armed.events[self.middle];
        let call = self.calls;
        self.calls += TOGETHER as u64;
        self.add_post(self.middle, call, what, words, Purpose::Launch { event });
        call
    }

    /// Descriptors, by rank, that arm a call and a barrier behind it.
    fn arming(&self, config: &Config, words: &[Vec<u32>]) -> Result<[Vec<Vec<u32>>; TOGETHER], Error> {
        let mut calls = words.to_vec();
        for words in &mut calls {
            words[0] |= QUIET;
            words[1] |= 1 << ARMED_OFFSET;
        }
        let towards = self.tree.towards(self.middle);
        let barriers = towards.iter().map(|towards| {
            let call = call::Call {
                kind: Kind::Barrier,
                begin: Begin::Launched,
                number: 0,
                context: self.context(),
                towards: towards.map(|place| place as u8),
                transfer: Transfer::NONE,
            };
            let mut words = command::encode(config, 0, Command::Call(call))?;
            // The root alone tells the driver.
            if towards.is_some() {
                words[0] |= QUIET;
            }
            Ok(words)
        });
        Ok([calls, barriers.collect::<Result<_, Error>>()?])
    }
}

impl<T: Transport> Fabric<T> {
    /// Starts one call of the engines of a group: launches it if it is armed, or is now. Otherwise posts it. Gives its ordinal.
    ///
    /// An inner error is that of [`Fabric::post_call`].
    pub(super) fn start_call(
        &mut self,
        prepared: &Prepared,
        words: &[Vec<u32>],
    ) -> Result<(u64, Result<(), Error>), Error> {
        let Prepared {
            group: number, what, ..
        } = *prepared;
        let group = self.groups.get_mut(&number).ok_or(Error::WrongCommunicator)?;
        let starts = group.count_start(prepared.identity);
        if group.armed.as_ref().is_some_and(|armed| armed.is_leaving) {
            self.make_room_for_call(number, true)?;
            self.disarm(number)?;
        }
        let is_single = prepared.calls.len() == 1;
        match is_single && self.arm_if_due(prepared, words, starts)? {
            true => self.launch_call(number, what),
            false => self.post_call(number, what, words.to_vec()),
        }
    }

    /// Arms a call, if so many starts of it in a row suffice. Gives whether it is armed; then the group's earlier calls have ended.
    fn arm_if_due(&mut self, prepared: &Prepared, words: &[Vec<u32>], starts: u32) -> Result<bool, Error> {
        let armed = self.groups[&prepared.group].armed.as_ref();
        let is_armed = armed.is_some_and(|armed| armed.identity == prepared.identity);
        let least = armed.map_or(STARTS, |_| STARTS_BESIDE_ANOTHER);
        if !is_armed && starts < least {
            return Ok(false);
        }
        self.make_room_for_call(prepared.group, true)?;
        if is_armed {
            return Ok(true);
        }
        if self.groups[&prepared.group].armed.is_some() && !self.disarm(prepared.group)? {
            return Ok(false);
        }
        self.arm(prepared, words)
    }

    /// Arms a call at all members; false if a member has too few events.
    fn arm(&mut self, prepared: &Prepared, words: &[Vec<u32>]) -> Result<bool, Error> {
        let Prepared {
            group: number,
            what,
            identity,
            ..
        } = *prepared;
        let calls = self.groups[&number].arming(self.config(), words)?;
        let Some(events) = self.take_events_to_hold(&self.groups[&number].tiles())? else {
            return Ok(false);
        };
        let mut group = self.groups.remove(&number).expect("looked for above");
        group.add_armed(what, identity, calls, events);
        let posted = group.post(self);
        self.groups.insert(number, group);
        posted?;
        self.make_room_for_call(number, true)?;
        tracing::debug!(group = number, what, "armed");
        Ok(true)
    }

    /// Takes an event of each tile; none at all if that were the last one of a tile, which a call that is posted would lack.
    fn take_events_to_hold(&mut self, tiles: &[usize]) -> Result<Option<Vec<u8>>, Error> {
        let mut taken = vec![];
        let result = tiles.iter().try_for_each(|&tile| {
            let event = self.take_event(tile)?;
            taken.push(event);
            let spare = self.take_event(tile)?;
            self.nodes[tile].events.give(spare);
            Ok(())
        });
        if result.is_ok() {
            return Ok(Some(taken));
        }
        for (&tile, event) in tiles.iter().zip(taken) {
            self.nodes[tile].events.give(event);
        }
        match result {
            Err(Error::Exhausted { .. }) => Ok(None),
            result => result.map(|()| None),
        }
    }

    /// Takes the armed calls of a group away, all of whose calls have ended: writes a row of the list of each member again.
    /// False if a member is closed, which keeps no armed call; then no call succeeds before the recovery.
    fn disarm(&mut self, number: u64) -> Result<bool, Error> {
        let begun = self.port.transport.cycles();
        let group = &self.groups[&number];
        let (context, tree) = (group.context(), group.tree.clone());
        loop {
            let statuses = self.context_statuses(tree.tiles(), context)?;
            if statuses.iter().any(|status| status.is_closed) {
                return Ok(false);
            }
            let mut found = tree.tiles().iter().zip(statuses);
            let Some((&tile, _)) = found.find(|(_, status)| !status.is_idle) else {
                break;
            };
            self.check_time(begun, self.port.timeout, tile, "credits of earlier calls")?;
        }
        let group = self.groups.get_mut(&number).expect("looked for above");
        let armed = group.armed.as_mut().expect("only what is armed is taken away");
        armed.is_leaving = true;
        // One row of each list is enough.
        self.together(|fabric| fabric.write_rows(&tree, context, 1))?;
        self.give_held_events(number);
        self.groups.get_mut(&number).expect("looked for above").number_from_0();
        Ok(true)
    }

    /// Launches the armed calls of a group, all of whose calls have ended. As for [`Fabric::post_call`].
    fn launch_call(&mut self, number: u64, what: &'static str) -> Result<(u64, Result<(), Error>), Error> {
        let context = self.groups[&number].context();
        let words = command::encode(self.config(), 0, Command::Launch(Launch { context }))?;
        // A call that is posted waits for room behind a list of its member. So does one that another member launches.
        for tile in self.groups[&number].tiles() {
            let port = Port::of(words[0], &self.nodes[tile].build);
            self.make_room(tile, |commands| commands.has_room(port, words.len()))?;
        }
        let mut group = self.groups.remove(&number).expect("looked for above");
        let call = group.add_launch(what, words);
        let posted = group.post(self);
        self.groups.insert(number, group);
        Ok((call, posted))
    }

    /// Gives back the events that count armed calls. These calls are gone, or nobody launches them any more.
    pub(super) fn give_held_events(&mut self, number: u64) {
        let group = self.groups.get_mut(&number).expect("the caller has looked for it");
        let tiles = group.tiles();
        for (tile, event) in tiles
            .into_iter()
            .zip(group.armed.take().map_or(vec![], |armed| armed.events))
        {
            // A member that has failed has counted once more.
            self.forget_counts(tile, event);
            self.nodes[tile].events.give(event);
        }
    }

    /// Looks for a member at which a launched call has failed, and gives the call up at all members then. The event of the launching
    /// member need not tell, since the barrier behind the call may wait for ever.
    pub(super) fn look_for_failure(&mut self, number: u64) -> Result<(), Error> {
        let group = &self.groups[&number];
        let (Some(armed), true) = (&group.armed, group.is_launching() && group.failure().is_none()) else {
            return Ok(());
        };
        let context = group.context();
        let events: Vec<_> = group.tiles().into_iter().zip(armed.events.clone()).collect();
        let statuses = self.context_statuses(&group.tiles(), context)?;
        let mut failed = None;
        for ((tile, event), status) in events.into_iter().zip(statuses) {
            if status.is_closed {
                // A context that was closed before it began the call has counted nothing.
                let code = self.read_event(tile, event)?.error;
                failed = failed
                    .filter(|_| code.is_none())
                    .or(Some((tile, code.unwrap_or(ErrorCode::Mismatch))));
            }
        }
        let group = self.groups.get_mut(&number).expect("looked for above");
        let Some((tile, code)) = failed else {
            return Ok(());
        };
        group.give_up_at(tile, code);
        self.close_group(number)
    }
}
