//! Following hardware: the engine does what the log of hardware tells, step by step, and nothing else.
//!
//! So the model has the outcome of races of hardware: which message meets an entry first, and which append comes between. Moves do
//! not wait for commands here, and no move waits for a place: both are matters of hardware.

use std::collections::{BTreeMap, VecDeque};

use portico_spec::{
    ni::command::{opcode, Opcode},
    portals::engine::{Command, Control, Failure, Request, Step},
    Node,
};

use super::{
    super::{descriptor::Common, memory::Memory},
    command::Progress,
    initiator::Waiting,
    message::Answer,
    refusal,
    target::Delivery,
    Portals, PortalsStep,
};

/// Why the model cannot do what hardware has done.
pub(super) type Cause = &'static str;

/// What has begun, and waits for a step of hardware.
#[derive(Clone, Debug, Default)]
pub(super) struct Followed {
    /// Descriptors of commands, the oldest first.
    commands: VecDeque<Vec<u32>>,
    /// The oldest command has advanced.
    has_advanced: bool,
    /// Moves that leave, the oldest first.
    leaving: VecDeque<Waiting>,
    /// Answers that have come.
    pub answers: VecDeque<Answer>,
    /// By rank the message that has been matched, and the node that it came from.
    messages: BTreeMap<u8, (Node, Matched)>,
}

/// A message that has met its entry, or has failed.
type Matched = Result<Delivery, (Request, Failure)>;

impl Followed {
    /// Whether nothing waits for a step.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.leaving.is_empty() && self.answers.is_empty() && self.messages.is_empty()
    }
}

impl Portals {
    /// From now on the engine follows hardware.
    pub fn begin_to_follow(&mut self) {
        self.followed = Some(Followed::default());
    }

    /// Takes the oldest descriptor to the moves or to the commands that wait; false if there is none.
    pub(super) fn sort_descriptor(&mut self, memory: &mut Memory) -> bool {
        let Some(words) = self.commands.pop() else {
            return false;
        };
        if opcode(words[0]) == Opcode::Move as u8 {
            if let Err(error) = self.carry_out(memory, &words, false) {
                self.reports.push(PortalsStep::Ends(Common::of(words[0]), Some(error)));
            }
        } else if let Some(followed) = &mut self.followed {
            followed.commands.push_back(words);
        }
        true
    }

    /// Does what a step of hardware says.
    ///
    /// # Errors
    /// Why that cannot be.
    pub fn follow(&mut self, memory: &mut Memory, step: Step) -> Result<(), Cause> {
        let followed = self.followed.as_mut().ok_or("the engine does not follow")?;
        match step {
            Step::Sends { slot } => {
                let sent = self.initiator.send(memory, self.setting, slot, &mut self.reports);
                followed
                    .leaving
                    .push_back(sent.ok_or("no move waits, or it cannot have the slot")?);
            }
            Step::Sent => {
                let sent = followed.leaving.pop_front().ok_or("no move leaves")?;
                sent.report(memory, &mut self.reports);
            }
            Step::Answered { slot } => {
                let of_slot = followed.answers.iter().position(|answer| answer.slot == slot);
                let answer = of_slot.and_then(|at| followed.answers.remove(at));
                let answer = answer.ok_or("no answer of this slot has come")?;
                self.initiator.take_answer(memory, &answer, &mut self.reports);
            }
            Step::Matched { rank } => {
                let (source, ask) = self.target.next_of(rank).ok_or("no message of this rank waits")?;
                let request = ask.request;
                let matched = self.target.begin(ask).map_err(|failure| (request, failure));
                let served = matched.as_ref().ok().filter(|delivery| delivery.is_served());
                let answer = served.and_then(|delivery| self.target.answer(memory, delivery));
                self.reports.answer(source, answer);
                let before = followed.messages.insert(rank, (source, matched));
                if before.is_some() {
                    return Err("the message of this rank before it is not over");
                }
            }
            Step::Ended { rank } => {
                let (source, matched) = followed
                    .messages
                    .remove(&rank)
                    .ok_or("no message of this rank is matched")?;
                let answer = match matched {
                    Ok(delivery) => {
                        let answer = self.target.complete(memory, &delivery, &mut self.reports);
                        answer.filter(|_| !delivery.is_served())
                    }
                    Err((request, failure)) => refusal(request, failure),
                };
                self.reports.answer(source, answer);
            }
            Step::Advances => {
                followed.has_advanced = true;
                let words = followed.commands.front().cloned().ok_or("no command waits")?;
                self.advance(memory, &words)?;
            }
            Step::Finishes => {
                let words = followed.commands.pop_front().ok_or("no command waits")?;
                let has_advanced = std::mem::take(&mut followed.has_advanced);
                self.finish(memory, &words, has_advanced)?;
            }
        }
        Ok(())
    }

    /// A command goes on, and is not over.
    fn advance(&mut self, memory: &mut Memory, words: &[u32]) -> Result<(), Cause> {
        match Command::decode(opcode(words[0]), words) {
            Some(Command::Append(append)) => self.target.advance_append(memory, &append, &mut self.reports),
            Some(Command::Search(search)) => self.target.advance_search(memory, &search, &mut self.reports),
            Some(Command::Control(Control::Disable(portal))) => {
                let portal = self
                    .allocated(portal)
                    .map_err(|_| "its portal index is not allocated")?;
                portal.disable();
                Ok(())
            }
            _ => Err("the command has one step"),
        }
    }

    /// A command ends.
    fn finish(&mut self, memory: &mut Memory, words: &[u32], has_advanced: bool) -> Result<(), Cause> {
        let headers = self.target.headers_left();
        let error = match self.carry_out(memory, words, has_advanced) {
            Ok(Progress::Done) => None,
            Ok(Progress::Accepted | Progress::Stalled) => return Err("messages of the portal index are in progress"),
            Err(error) => Some(error),
        };
        if self.target.headers_left() != headers {
            return Err("a header is left that the command consumes");
        }
        self.reports.push(PortalsStep::Ends(Common::of(words[0]), error));
        Ok(())
    }
}
