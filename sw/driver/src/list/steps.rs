//! The operations that tiles do by a list, and the list that is written.

use super::launch::{Launch, LaunchStep, Member};
use crate::{onesided::Remote, Error, Fabric, Transport};

/// Members that a member starts, at most. A member that starts two sends its first blocks before members further down have their
/// lists, and blocks that wait for a list hold up the starts of others: 16 tiles then need a third more cycles.
pub(crate) const STARTS: usize = 4;

/// Operations for tiles, in the order in which each tile begins them. An engine works beside the other operations of its tile, and
/// tiles work at the same time.
#[derive(Debug, Default)]
#[must_use = "steps do nothing until they are a list"]
pub struct Steps {
    members: Vec<Member>,
    /// Nodes and handles of queues whose credits the operations use, once each.
    credits: Vec<(usize, u8)>,
}

impl Steps {
    /// Adds a descriptor of a tile, behind those that it has.
    pub(crate) fn add(&mut self, tile: usize, words: Vec<u32>, queue: Option<u8>) {
        self.credits.extend(queue.map(|handle| (tile, handle)));
        let step = LaunchStep::Command(words);
        match self.members.iter_mut().find(|member| member.tile == tile) {
            Some(member) => member.steps.push(step),
            None => self.members.push(Member {
                tile,
                steps: vec![step],
            }),
        }
    }
}

/// A list that lies in the memories of its tiles. It can be started again and again; an operation then moves the words that lie in
/// memory at that time.
///
/// While it is under way, the driver sends no other command to its tiles, because the list has the whole command queue. So a start
/// waits until all earlier commands of the tiles have ended, and no operation of them may wait for an action of the driver.
#[derive(Debug)]
#[must_use = "a list does nothing until it is started, and takes memory until it is released"]
pub struct List {
    launch: Launch,
    remotes: Vec<Remote>,
    credits: Vec<(usize, u8)>,
}

impl List {
    /// Starts it, with one descriptor for the first tile.
    ///
    /// # Errors
    /// [`Error::Released`]; [`Error::Timeout`] or [`Error::Refused`] of an earlier start, of an earlier command of a tile, or of
    /// another list that tells the host by the same mailbox; or the fabric's: nothing is started. After an [`Error::Timeout`] of the
    /// access that starts it, it is started all the same, and can be waited for.
    pub fn start<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.launch.wait(fabric, fabric.port.timeout)?;
        let started = self.launch.start(fabric);
        if self.launch.is_under_way() {
            for &(node, handle) in &self.credits {
                fabric.nodes[node].credits(handle).used += 1;
            }
        }
        started
    }

    /// Whether all operations of all tiles have ended; one access, and one more a tile with operations of engines. A list that is not
    /// started has ended.
    ///
    /// # Errors
    /// [`Error::Refused`] of an engine's operation, or the fabric's. A refusal of another operation is told by [`List::wait`] alone.
    pub fn poll<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<bool, Error> {
        self.launch.poll(fabric)
    }

    /// Waits until all operations of all tiles have ended, for at most `timeout` cycles. After a time-out it may be waited for again.
    ///
    /// # Errors
    /// [`Error::Timeout`]. If an operation was refused, [`Error::Refused`] with tile and code takes the place of the time-out: the
    /// list is over, the operations that were not sent are lost, and the next start works. Or as for [`List::poll`].
    pub fn wait<T: Transport>(&mut self, fabric: &mut Fabric<T>, timeout: u64) -> Result<(), Error> {
        self.launch.wait(fabric, timeout)
    }

    /// Releases events, segments and memory, when it is complete.
    ///
    /// # Errors
    /// [`Error::Timeout`] if it does not complete for as long as the driver's accesses may take: nothing is released, because the
    /// tiles may still use it. [`Error::Refused`] of the last start: all is released. After an error of the fabric a release goes on
    /// where this one has ended.
    pub fn release<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        let ended = self.launch.release(fabric);
        if !self.launch.is_released() {
            return ended;
        }
        let remotes = self.remotes.drain(..).map(|remote| remote.release(fabric));
        remotes.fold(ended, Result::and)
    }
}

impl<T: Transport> Fabric<T> {
    /// Writes a list of these steps into the memories of their tiles. Each tile takes an event, one more for operations of engines,
    /// memory, and up to five segments; the host takes a mailbox and an event, which several lists share if it has few.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`] of operations of the host, which needs its queue itself; [`Error::OutOfRange`] of more than 64 words of
    /// descriptors for one engine of a tile; [`Error::Exhausted`] if a tile or the host has too few of what it takes; or the fabric's.
    /// Then nothing stays taken.
    pub fn list(&mut self, steps: Steps) -> Result<List, Error> {
        let Steps { mut members, credits } = steps;
        let last = self.config().tiles() - 1;
        if let Some(Member { tile: node, .. }) = members.iter().find(|member| member.tile > last) {
            return Err(Error::NoSuchNode { node: *node, last });
        }
        let size = members.len();
        for (place, member) in members.iter_mut().enumerate() {
            let children = STARTS * place + 1..(STARTS * (place + 1) + 1).min(size);
            member.steps.splice(0..0, children.map(LaunchStep::Start));
        }
        let mut remotes: Vec<Vec<(usize, Remote)>> = vec![];
        let taken = self.together(|fabric| {
            for (place, member) in members.iter().enumerate() {
                remotes.push(vec![]);
                let own = remotes.last_mut().expect("pushed");
                let children = member.steps.iter().filter_map(|step| match step {
                    LaunchStep::Start(child) => Some(*child),
                    LaunchStep::Command(_) => None,
                });
                for other in children.chain([place]) {
                    own.push((other, fabric.clone_space(member.tile, members[other].tile)?));
                }
            }
            Ok(())
        });
        let launch = taken.and_then(|()| {
            Launch::new(self, "list", &members, |place, other| {
                let own = remotes[place].iter().find(|(to, _)| *to == other);
                own.expect("a member has a handle of those that it starts").1.handle()
            })
        });
        let remotes = remotes.into_iter().flatten().map(|(_, remote)| remote);
        match launch {
            Ok(launch) => Ok(List {
                launch,
                remotes: remotes.collect(),
                credits,
            }),
            Err(error) => {
                for remote in remotes {
                    // The first error tells the cause.
                    let _ = remote.release(self);
                }
                Err(error)
            }
        }
    }
}
