//! An exchange that is prepared: it is started, waited for, and started again.

use portico_golden::cost;

use super::{
    list::List,
    plan::{Plan, Step},
    Block, Peers, Running,
};
use crate::{command, Error, ErrorCode, Fabric, Transport};

/// Cycles without a count after which a member that was refused something is taken to send nothing more.
const SETTLED: u64 = 2000;

/// A prepared exchange. Its lists stay in the members' memories until it is released, so a start is a single descriptor, for the
/// first member that has a list. The members start each other along a tree.
///
/// While it is under way, the driver sends no other command to its members: a list has the whole command queue. So a start waits
/// until all earlier commands of the members are complete, and no command of a member may wait for the exchange itself.
#[derive(Debug)]
#[must_use = "an exchange does nothing until it is started, and takes memory until it is released"]
pub struct Exchange {
    what: &'static str,
    /// The lists, in the order in which their members are started; under way, with the value of each event's counter when all of
    /// its puts are complete.
    lists: Vec<(List, Option<u16>)>,
    /// The count of the group, in which it counts while it is under way.
    running: Running,
    /// The first refusal since the last start: its node and code.
    refused: Option<(usize, ErrorCode)>,
    is_released: bool,
}

impl Exchange {
    /// Starts the exchange at all members, when an earlier start is complete. The driver waits for it, and for the commands of each
    /// member, each at most as long as its accesses may take ([`Fabric::set_timeout`]).
    ///
    /// # Errors
    /// [`Error::Released`] after it or its group was released, [`Error::Timeout`] or [`Error::Refused`] of an earlier start,
    /// [`Error::Timeout`] of commands of a member, or the transport's: nothing is started. After an [`Error::Timeout`] of the
    /// access that starts it, it is started all the same, and can be waited for.
    pub fn start<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        if self.is_released {
            return Err(Error::Released { what: self.what });
        }
        self.running.check(self.what)?;
        self.wait(fabric, fabric.port.timeout)?;
        // All members are ready before the first is told, because no member waits for another one.
        for (list, _) in &self.lists {
            fabric.finish_commands(list.tile)?;
        }
        let Some((first, _)) = self.lists.first() else {
            return Ok(());
        };
        let written = fabric.send(first.tile, first.event.number(), &first.start)?;
        for (list, target) in &mut self.lists {
            let node = &mut fabric.nodes[list.tile];
            let issued = &mut node.issued[usize::from(list.event.number())];
            let count = issued.expect("the event was reset when it was taken");
            *issued = Some(count.wrapping_add(list.puts));
            *target = *issued;
            node.commands.push_list(list.event.number());
        }
        self.refused = None;
        self.running.begin();
        written
    }

    /// Whether all members have received all blocks. An exchange that is not started is complete.
    ///
    /// # Errors
    /// [`Error::Refused`] if the hardware has refused a put of a member, when that member has ended its others; or the fabric's.
    pub fn poll<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<bool, Error> {
        let mut ended = 0;
        while let Some(place) = self.last_waiting() {
            if ended == 1 {
                // Members that were started before one that has ended are likely to have ended too.
                let waiting = self.lists.iter().filter(|(_, target)| target.is_some());
                let events: Vec<_> = waiting.map(|(list, _)| (list.tile, list.event.number())).collect();
                fabric.read_events_ahead(&events)?;
            }
            ended += 1;
            let (list, target) = &mut self.lists[place];
            let state = list.event.state(fabric)?;
            if target.is_some_and(|target| !command::reached(state.count, target)) {
                return Ok(false);
            }
            if state.error.is_some() {
                fabric.clear_error(list.tile, list.event.number())?;
            }
            *target = None;
            let tile = list.tile;
            self.note_end();
            if let Some(code) = state.error {
                return Err(self.refusal(tile, code));
            }
        }
        Ok(true)
    }

    /// Waits until the exchange is complete. After a time-out it may be waited for again.
    ///
    /// # Errors
    /// [`Error::Timeout`]; or as for [`Exchange::poll`]. If a refused put has kept members from their puts, [`Error::Refused`]
    /// takes the place of the time-out. The exchange is then over, and the puts that were not sent are lost.
    pub fn wait<T: Transport>(&mut self, fabric: &mut Fabric<T>, timeout: u64) -> Result<(), Error> {
        let begun = fabric.port.transport.cycles();
        while !self.poll(fabric)? {
            let waiting = self.last_waiting().expect("it is not complete");
            let tile = self.lists[waiting].0.tile;
            if let Err(timeout) = fabric.check_time(begun, timeout, tile, self.what) {
                return Err(self.give_up(fabric)?.unwrap_or(timeout));
            }
        }
        Ok(())
    }

    /// Releases the events and the memory of the lists, when the exchange is complete.
    ///
    /// # Errors
    /// [`Error::Timeout`] if it does not complete for as long as the driver's accesses may take: nothing is released, because
    /// members may still use their lists. [`Error::Refused`] of the last start, or the fabric's: all is released.
    pub fn release<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        let mut ended = Ok(());
        while let Err(error) = self.wait(fabric, fabric.port.timeout) {
            if !matches!(error, Error::Refused { .. }) {
                return Err(error);
            }
            ended = ended.and(Err(error));
        }
        self.is_released = true;
        let lists = self.lists.drain(..).map(|(list, _)| list.release(fabric));
        lists.fold(ended, Result::and)
    }

    /// The list under way that was started last: the others are likely to end before it.
    fn last_waiting(&self) -> Option<usize> {
        self.lists.iter().rposition(|(_, target)| target.is_some())
    }

    /// Counts the exchange as ended in its group when no list is under way.
    fn note_end(&mut self) {
        if self.last_waiting().is_none() {
            self.running.end();
        }
    }

    fn refusal(&mut self, node: usize, code: ErrorCode) -> Error {
        let what = self.what;
        let (node, code) = *self.refused.get_or_insert((node, code));
        Error::Refused { node, what, code }
    }

    /// Ends the exchange if a member was refused something: it, and members that it should have started, count no more. Gives the
    /// refusal, or none if there was none.
    fn give_up<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<Option<Error>, Error> {
        for place in 0..self.lists.len() {
            let (list, target) = &self.lists[place];
            if target.is_some() {
                if let Some(code) = list.event.state(fabric)?.error {
                    let tile = list.tile;
                    self.refusal(tile, code);
                }
            }
        }
        let Some((node, code)) = self.refused else {
            return Ok(None);
        };
        while let Some(place) = self.last_waiting() {
            let (list, target) = &mut self.lists[place];
            let (tile, event) = (list.tile, list.event.number());
            let mut count = list.event.state(fabric)?.count;
            loop {
                fabric.transport().wait(SETTLED);
                let now = list.event.state(fabric)?.count;
                if now == count {
                    break;
                }
                count = now;
            }
            fabric.clear_error(tile, event)?;
            let state = &mut fabric.nodes[tile];
            state.commands.retire(event);
            state.issued[usize::from(event)] = Some(count);
            *target = None;
            self.note_end();
        }
        Ok(Some(self.refusal(node, code)))
    }
}

impl Peers {
    /// Cycles that the cost model expects, from the descriptor that starts the root to the last acknowledgement.
    pub(crate) fn cost<T: Transport>(&self, fabric: &Fabric<T>, plan: &Plan) -> u64 {
        let steps = plan.steps.iter().map(|steps| {
            let steps = steps.iter().map(|step| match *step {
                Step::Start(rank) => cost::Step::Start(rank),
                Step::Send(Block { to, bytes, .. }) => cost::Step::Send { to, bytes },
            });
            steps.collect()
        });
        let steps: Vec<Vec<cost::Step>> = steps.collect();
        cost::exchange(fabric.config(), self.tiles(), &[plan.root], &steps)
    }

    /// Writes the lists of a plan whose blocks are checked.
    pub(crate) fn prepare<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        what: &'static str,
        plan: &Plan,
    ) -> Result<Exchange, Error> {
        self.running().check(what)?;
        let mut lists: Vec<Option<List>> = (0..self.size()).map(|_| None).collect();
        // The list of a member names those of the members that it starts.
        let written = fabric.together(|fabric| {
            plan.order().rev().try_for_each(|rank| {
                lists[rank] = List::new(fabric, self, (rank, &plan.steps[rank]), &lists)?;
                Ok(())
            })
        });
        // The root's comes first.
        lists.rotate_left(plan.root);
        let mut exchange = Exchange {
            what,
            lists: lists.into_iter().flatten().map(|list| (list, None)).collect(),
            running: self.running().clone(),
            refused: None,
            is_released: false,
        };
        if let Err(error) = written {
            // The first error tells the cause.
            let _ = exchange.release(fabric);
            return Err(error);
        }
        Ok(exchange)
    }
}
