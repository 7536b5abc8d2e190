//! The message-passing engine of a node, without time: no call times out.
//!
//! Members of a call tell each other words, tokens, credits and goes. An engine takes whatever comes at once, into room that its
//! neighbours know of, and does one thing at a time: [`Mpe::step`].

use portico_spec::{
    mpe::call::{Kind, Launch, Marks, Sign, Tag, CONTEXT_OFFSET, CONTEXT_WIDTH, GO_OFFSET},
    ni::{
        command::opcode,
        registers::{MpeRegister, Place},
        ErrorCode,
    },
    Config, Node,
};

use self::{
    context::{Accepted, Context},
    edge::Words,
};
use super::{bits::field, command_queue::CommandQueue, descriptor::Common, memory::Memory, packet::Packet};

mod call;
mod context;
mod edge;
#[cfg(test)]
mod tests;

/// What an engine has done.
#[derive(Debug)]
pub(super) enum MpeStep {
    /// Sends a packet of either plane.
    Sends(Node, Packet),
    /// Words, tokens or a descriptor have moved, and nothing leaves the engine.
    Moves,
    /// A call is over, kept or refused, or a launch is accepted.
    Ends(Common, Option<ErrorCode>),
}

/// Contexts, and the descriptors that wait for them.
#[derive(Clone, Debug)]
pub(super) struct Mpe {
    commands: CommandQueue,
    contexts: Vec<Context>,
    /// The context that is asked first.
    turn: usize,
}

impl Mpe {
    /// An engine of so many contexts, after reset.
    pub fn new(config: &Config, contexts: usize) -> Mpe {
        Mpe {
            commands: CommandQueue::default(),
            contexts: (0..contexts)
                .map(|number| Context::new(number as u8, config.mpe_neighbours))
                .collect(),
            turn: 0,
        }
    }

    /// The queue of its descriptors.
    pub fn commands(&mut self) -> &mut CommandQueue {
        &mut self.commands
    }

    /// Whether no call runs or waits. One that waits for another member is not over.
    pub fn is_idle(&self) -> bool {
        self.commands.is_empty() && !self.contexts.iter().any(Context::has_calls)
    }

    /// Does one thing; nothing if there is nothing that can be done.
    pub fn step(&mut self, memory: &mut Memory) -> Option<MpeStep> {
        if let Some(words) = self.commands.pop() {
            let common = Common::of(words[0]);
            return Some(match self.post(&words, memory.words()) {
                Ok(Accepted::Waits) => MpeStep::Moves,
                // `quiet` of an armed call is that of its ends.
                Ok(Accepted::Armed) => MpeStep::Ends(Common { quiet: false, ..common }, None),
                Ok(Accepted::Launched) => MpeStep::Ends(common, None),
                Err(error) => MpeStep::Ends(common, Some(error)),
            });
        }
        // Who has done something is asked last the next time, so that no context starves.
        let count = self.contexts.len();
        for context in (self.turn..self.turn + count).map(|turn| turn % count) {
            let step = self.contexts[context].step(memory);
            if step.is_some() {
                self.turn = context + 1;
                return step;
            }
        }
        None
    }

    /// Gives a descriptor to its context.
    ///
    /// # Errors
    /// Why it is refused.
    fn post(&mut self, words: &[u32], memory_words: u64) -> Result<Accepted, ErrorCode> {
        let kind = Kind::ALL[usize::from(opcode(words[0])) % Kind::ALL.len()];
        if words.len() != kind.words() {
            return Err(ErrorCode::Malformed);
        }
        let context = field(words[1], CONTEXT_OFFSET, CONTEXT_WIDTH) as usize;
        let context = self.contexts.get_mut(context).ok_or(ErrorCode::NotBuilt)?;
        match Launch::decode(&words[1..]) {
            Some(_) => context.launch(),
            None => context.post(kind, words, memory_words),
        }
    }

    /// Takes words of a neighbour; false if they are refused.
    pub fn take_words(&mut self, source: Node, tag: u8, marks: Marks, words: Vec<u64>) -> bool {
        // The bits of a sign mean nothing with words.
        let found = self.sent_by(source, tag & ((1 << GO_OFFSET) - 1));
        found.is_some_and(|(context, tag)| context.edge(tag.place).take_words(Words { marks, words }))
    }

    /// Takes a token, a credit or a go of a neighbour, with the number of a token or a go; false if it is refused.
    pub fn take_control(&mut self, source: Node, tag: u8, number: u8) -> bool {
        let Some((context, tag)) = self.sent_by(source, tag) else {
            return false;
        };
        match tag.sign {
            Sign::Credit => context.edge(tag.place).take_credit(),
            Sign::Token => context.take_token(tag.place, number),
            Sign::Go => {
                context.take_go(usize::from(tag.place), number);
                true
            }
        }
    }

    /// The context for which a packet is, and what its tag says; none if `source` is not the neighbour in this place.
    fn sent_by(&mut self, source: Node, tag: u8) -> Option<(&mut Context, Tag)> {
        let tag = Tag::decode(tag)?;
        let context = self.contexts.get_mut(usize::from(tag.context))?;
        context.is_neighbour(source, tag.place).then_some((context, tag))
    }

    /// A register of a context.
    ///
    /// # Panics
    /// If there is no such context.
    pub fn read(&self, context: usize, register: MpeRegister) -> u32 {
        match register {
            MpeRegister::Status => self.contexts[context].status(),
            MpeRegister::Timeout | MpeRegister::Control => 0,
            neighbour => self.contexts[context].read_row(neighbour.number()),
        }
    }

    /// Writes a register of a context; false if the row of a neighbour is refused, or the context does not open.
    ///
    /// # Panics
    /// If there is no such context.
    pub fn write(&mut self, context: usize, register: MpeRegister, data: u32) -> bool {
        match register {
            // Without time there is no time-out.
            MpeRegister::Status | MpeRegister::Timeout => true,
            MpeRegister::Control => self.contexts[context].control(data),
            neighbour => self.contexts[context].write_row(neighbour.number(), data),
        }
    }
}
