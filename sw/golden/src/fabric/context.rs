//! Commands under way.

use portico_spec::{
    ni::{window::Mode, ErrorCode},
    Node,
};

use super::{
    core::Core,
    descriptor::Common,
    interface::Interface,
    packet::Packet,
    transfer::{Progress, Run},
};

/// A command under way, or a get of another node.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub owner: Owner,
    pub task: Task,
}

/// For whom a context works.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub destination: Node,
    pub tag: u8,
    /// Words of the remote segment.
    pub size: u64,
    pub slot: Option<u8>,
    pub common: Common,
}

/// What it does.
#[derive(Clone, Debug)]
pub(super) enum Task {
    Put(Progress),
    /// Gives the words of a window, the tag, to the destination, for its slot.
    Serve(Progress),
    Stream(Progress),
    Enqueue {
        local: u64,
        words: u64,
    },
    Fence,
    Program(Box<Core>),
}

/// What came of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Moved,
    Blocked,
    Done,
}

impl Context {
    /// Whether it works for another node, beside the micro-cores.
    pub fn serves(&self) -> bool {
        matches!(self.task, Task::Serve(_))
    }

    /// Goes on by a row, an instruction, or not at all.
    pub fn step(&mut self, at: &mut Interface) -> Step {
        let owner = self.owner;
        let Owner { destination, tag, .. } = owner;
        match &mut self.task {
            Task::Put(progress) => {
                let slot = owner.slot.expect("a put has a slot");
                each(progress, |run| {
                    let words = at.local(run.local, run.words);
                    let (offset, last) = (run.remote, run.last);
                    at.send(
                        destination,
                        Packet::Put {
                            tag,
                            slot,
                            offset,
                            words,
                            last,
                        },
                    );
                    true
                })
            }
            Task::Serve(progress) => {
                let slot = owner.slot.expect("the requester's slot");
                each(progress, |run| {
                    let reached = at.reach(tag, run.remote, run.words);
                    let packet = match reached {
                        Ok(first) => Packet::Reply {
                            slot,
                            address: run.local,
                            words: (0..run.words as u32).map(|word| at.read_word(first + word)).collect(),
                            last: run.last,
                        },
                        Err(error) => Packet::Refuse { slot, error },
                    };
                    at.send(destination, packet);
                    reached.is_ok()
                })
            }
            Task::Stream(progress) => {
                let step = each(progress, |run| {
                    let words = at.local(run.local, run.words);
                    let last = run.last;
                    at.send(destination, Packet::Stream { tag, words, last });
                    true
                });
                if step == Step::Done {
                    at.succeed(owner.common);
                }
                step
            }
            Task::Enqueue { local, words } => {
                if !at.segments[usize::from(owner.common.segment)].take_credit() {
                    return Step::Blocked;
                }
                let packet = Packet::Message {
                    tag,
                    descriptor: owner.common.word,
                    words: at.local(*local, *words),
                };
                at.send(destination, packet);
                at.succeed(owner.common);
                Step::Done
            }
            Task::Fence => {
                if at.is_busy(owner.common.segment, None) {
                    return Step::Blocked;
                }
                at.succeed(owner.common);
                Step::Done
            }
            Task::Program(core) => core.step(at, &owner),
        }
    }
}

/// The next run, if `send` wants to go on after it.
fn each(progress: &mut Progress, send: impl FnOnce(Run) -> bool) -> Step {
    let run = progress.next().expect("done at the last run");
    if send(run) && !run.last {
        Step::Moved
    } else {
        Step::Done
    }
}

impl Interface {
    /// Takes what another node, or this one, has sent.
    pub fn deliver(&mut self, source: Node, packet: Packet) {
        match packet {
            Packet::Put {
                tag,
                slot,
                offset,
                words,
                last,
            } => self.deliver_put(source, (tag, slot), offset, &words, last),
            Packet::Reply {
                slot,
                address,
                words,
                last,
            } => {
                for (at, word) in (address as u32..).zip(words) {
                    self.write_word(at, word);
                }
                if last {
                    self.complete(slot, None);
                }
            }
            Packet::Stream { tag, words, last } => self.deliver_stream(tag, &words, last),
            Packet::Atomic(atomic) => {
                let slot = atomic.slot;
                let answer = match self.execute(&atomic) {
                    Ok(None) => Packet::Ack { slot },
                    Ok(Some(value)) => Packet::Value { slot, value },
                    Err(error) => Packet::Refuse { slot, error },
                };
                self.send(source, answer);
            }
            Packet::Message { tag, descriptor, words } => self.deliver_message(source, tag, descriptor, &words),
            Packet::Ack { slot } => self.complete(slot, None),
            Packet::Refuse { slot, error } => self.complete(slot, Some(error)),
            Packet::Value { slot, value } => self.complete_with(slot, value),
            Packet::Mail { mailbox, value } => {
                if let Some(event) = self.mailboxes[mailbox as usize].take(value) {
                    self.notify(event, None);
                }
            }
            Packet::Get { tag, slot, transfer } => {
                let owner = Owner {
                    destination: source,
                    tag,
                    size: 0,
                    slot: Some(slot),
                    common: Common::of(0),
                };
                self.run(owner, Task::Serve(Progress::new(transfer)));
            }
            Packet::Credit { segment } => self.segments[usize::from(segment)].give_credit(),
        }
    }

    fn deliver_put(&mut self, source: Node, (tag, slot): (u8, u8), offset: u64, words: &[u64], last: bool) {
        if let Err(error) = self.windows[usize::from(tag)].expect(Mode::Window) {
            self.refused += words.len() as u32;
            let window = &mut self.windows[usize::from(tag)];
            window.fail(error);
            if last {
                window.end();
                self.send(source, Packet::Refuse { slot, error });
            }
            return;
        }
        for (at, &word) in (offset..).zip(words) {
            match self.reach(tag, at, 1) {
                Ok(address) => self.write_word(address, word),
                Err(error) => {
                    self.refused += 1;
                    self.windows[usize::from(tag)].refuse(error);
                }
            }
        }
        if last {
            let window = &mut self.windows[usize::from(tag)];
            let (fault, event) = (window.end(), window.event());
            let answer = match fault {
                None => Packet::Ack { slot },
                Some(error) => Packet::Refuse { slot, error },
            };
            if let Some(event) = event.filter(|_| fault.is_none()) {
                self.notify(event, None);
            }
            self.send(source, answer);
        }
    }

    fn deliver_stream(&mut self, tag: u8, words: &[u64], last: bool) {
        if self.windows[usize::from(tag)].expect(Mode::Pointer).is_err() {
            self.refused += words.len() as u32;
            return;
        }
        for &word in words {
            match self.windows[usize::from(tag)].advance() {
                Ok(address) if self.has_word(address) => self.write_word(address, word),
                _ => {
                    self.refused += 1;
                    self.windows[usize::from(tag)].refuse(ErrorCode::OutOfWindow);
                }
            }
        }
        if last {
            // A stream has nobody to answer to: the target's own event takes the reason.
            let window = &mut self.windows[usize::from(tag)];
            let (fault, event) = (window.end(), window.event());
            if let Some(event) = event {
                self.notify(event, fault);
            }
        }
    }

    fn deliver_message(&mut self, source: Node, tag: u8, descriptor: u32, words: &[u64]) {
        let window = &self.windows[usize::from(tag)];
        if window.expect(Mode::Queue).is_err() {
            self.refused += 1;
            return;
        }
        // Like a stream, a message has nobody to answer to.
        let event = window.event();
        let first = match window.slot_for(words.len()) {
            Ok(first) if self.is_memory(first, words.len() as u32 + 1) => first,
            other => {
                self.refused += 1;
                if let Some(event) = event {
                    self.notify(event, Some(other.err().unwrap_or(ErrorCode::OutOfWindow)));
                }
                return;
            }
        };
        let header = super::window::MessageHeader {
            words: words.len() as u32,
            source,
            segment: Common::of(descriptor).segment,
        };
        self.write_word(first, header.encode());
        for (at, &word) in (first + 1..).zip(words) {
            self.write_word(at, word);
        }
        self.windows[usize::from(tag)].enqueue();
        if let Some(event) = event {
            self.notify(event, None);
        }
    }
}
