//! The Portals engine of a node, without time: a message is one packet, and its target serves it in one go.
//!
//! There are no rooms and no credits. Slots are as in hardware: a put that wants an acknowledgement, and a get, wait for a free
//! slot, and moves keep their order. So moves wait here as long as their targets do not answer, for example because they are
//! not enabled.

use portico_spec::{
    ni::ErrorCode,
    portals::engine::{Failure, Request, Status, DESCRIPTORS},
    Node,
};

use self::{
    follow::Followed, initiator::Initiator, message::Answer, reports::Reports, tables::MemoryDescriptor, target::Target,
};
use super::{command_queue::CommandQueue, descriptor::Common, memory::Memory};

mod bytes;
mod command;
mod follow;
mod initiator;
mod lists;
mod message;
mod registers;
mod reports;
mod tables;
mod target;
#[cfg(test)]
mod tests;

pub(super) use self::message::Message;

/// What an engine has done.
#[derive(Clone, Debug)]
pub(super) enum PortalsStep {
    /// A command or a message has gone on, and nothing leaves the engine.
    Moves,
    /// Sends a message.
    Sends(Node, Message),
    /// Counts in an event of the node.
    Notifies(u32),
    /// A command is over, or refused.
    Ends(Common, Option<ErrorCode>),
}

/// Register `setting`.
#[derive(Clone, Copy, Debug, Default)]
struct Setting {
    user: u16,
    /// Moves are sent and requests are served; else both wait.
    enabled: bool,
    rank: u8,
}

/// Tables, lists, and what waits.
#[derive(Clone, Debug)]
pub(super) struct Portals {
    commands: CommandQueue,
    setting: Setting,
    ranks: Vec<Option<Node>>,
    descriptors: Vec<MemoryDescriptor>,
    initiator: Initiator,
    target: Target,
    reports: Reports,
    /// What waits for steps of hardware, if the engine follows it.
    followed: Option<Followed>,
}

impl Portals {
    /// An engine after reset, with so many ranks and places of entries.
    pub fn new(ranks: usize, entries: usize) -> Portals {
        Portals {
            commands: CommandQueue::default(),
            setting: Setting::default(),
            ranks: vec![None; ranks],
            descriptors: vec![MemoryDescriptor::default(); DESCRIPTORS],
            initiator: Initiator::new(),
            target: Target::new(entries),
            reports: Reports::new(),
            followed: None,
        }
    }

    /// The queue of its descriptors.
    pub fn commands(&mut self) -> &mut CommandQueue {
        &mut self.commands
    }

    /// Whether no command and no message runs or waits. A request whose answer is to come waits.
    pub fn is_idle(&self) -> bool {
        self.commands.is_empty()
            && self.initiator.is_idle()
            && self.target.is_idle()
            && self.reports.is_empty()
            && self.followed.as_ref().is_none_or(Followed::is_empty)
    }

    /// Takes a message of another engine, or of this one; false if it is refused: its rank is of another node.
    pub fn receive(&mut self, memory: &mut Memory, source: Node, message: Message) -> bool {
        match message {
            Message::Ask(ask) => {
                let is_known = self.ranks.get(usize::from(ask.rank)) == Some(&Some(source));
                if is_known {
                    self.target.accept(source, ask);
                }
                is_known
            }
            Message::Answer(answer) => {
                if let Some(followed) = &mut self.followed {
                    followed.answers.push_back(answer);
                    return true;
                }
                self.initiator.take_answer(memory, &answer, &mut self.reports);
                true
            }
        }
    }

    /// Does one thing; nothing if there is nothing that can be done.
    pub fn step(&mut self, memory: &mut Memory) -> Option<PortalsStep> {
        if let Some(step) = self.reports.next() {
            return Some(step);
        }
        if self.followed.is_some() {
            return self.sort_descriptor(memory).then_some(PortalsStep::Moves);
        }
        let moves = self.setting.enabled && (self.serve_request(memory) || self.send_move(memory));
        (moves || self.serve_command(memory)).then_some(PortalsStep::Moves)
    }

    /// Serves the request that has waited longest; false if none waits.
    fn serve_request(&mut self, memory: &mut Memory) -> bool {
        let Some((source, ask)) = self.target.next() else {
            return false;
        };
        let request = ask.request;
        let answer = match self.target.begin(ask) {
            Ok(delivery) => self.target.complete(memory, &delivery, &mut self.reports),
            Err(failure) => refusal(request, failure),
        };
        self.reports.answer(source, answer);
        true
    }

    /// Sends the move that has waited longest; false if none waits, or if it has to go on waiting.
    fn send_move(&mut self, memory: &mut Memory) -> bool {
        self.initiator.send_next(memory, self.setting, &mut self.reports)
    }
}

/// The answer, if the request wants one, of a request that met no entry, or one that does not take it.
fn refusal(request: Request, failure: Failure) -> Option<Answer> {
    request.is_answered().then(|| Answer {
        slot: request.slot,
        status: Status {
            delivered: 0,
            failure,
            overflow: false,
            silent: false,
        },
        offset: 0,
        payload: vec![],
    })
}
