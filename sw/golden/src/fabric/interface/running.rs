//! What the contexts of a node do, step by step.

use portico_spec::ni::{event::EVENTS, window::Mode, ErrorCode};

use super::{
    super::{
        context::{Context, Owner, Task},
        cutter::{Cut, Outlet},
        event::Event,
        micro_core::{MicroCore, Progress, Surroundings},
        packet::{Answer, DataPacket, Packet, Place},
        transfer::{Run, Runs},
    },
    Interface,
};

impl Interface {
    /// Goes on by a row, an instruction, or not at all.
    pub(super) fn step(&mut self, context: &mut Context) -> Progress {
        let owner = context.owner;
        let Owner { destination, tag, .. } = owner;
        match &mut context.task {
            Task::Put(runs) => {
                let slot = owner.slot.expect("a put has a slot");
                each(runs, |run| {
                    let packet = DataPacket::Put {
                        tag,
                        slot,
                        place: Place::from(run.remote),
                        words: self.local(run.local, run.words),
                        last: run.last,
                    };
                    self.send(destination, Packet::Data(packet));
                    true
                })
            }
            Task::Serve(runs) => {
                let slot = owner.slot.expect("the requester's slot");
                each(runs, |run| {
                    let reached = self.reach(tag, run.remote, run.words);
                    let packet = match reached {
                        Ok(first) => Packet::Data(DataPacket::Reply {
                            slot,
                            place: Place::from(run.local),
                            words: (0..run.words as u32).map(|word| self.read_word(first + word)).collect(),
                            last: run.last,
                            error: 0,
                        }),
                        Err(error) => Packet::Answer(Answer::Refuse {
                            slot,
                            error,
                            last: true,
                        }),
                    };
                    self.send(destination, packet);
                    reached.is_ok()
                })
            }
            Task::Stream(runs) => {
                let progress = each(runs, |run| {
                    let words = self.local(run.local, run.words);
                    let last = run.last;
                    self.send(destination, Packet::Data(DataPacket::Stream { tag, words, last }));
                    true
                });
                if progress == Progress::Stopped {
                    self.succeed(owner.common);
                }
                progress
            }
            Task::Enqueue { local, words } => {
                let handle = owner.common.segment;
                if !self.segments[usize::from(handle)].take_credit() {
                    return Progress::Blocked;
                }
                let words = self.local(*local, *words);
                self.send(destination, Packet::Data(DataPacket::Message { tag, handle, words }));
                self.succeed(owner.common);
                Progress::Stopped
            }
            Task::Fence => {
                if self.is_busy(owner.common.segment, None) {
                    return Progress::Blocked;
                }
                self.succeed(owner.common);
                Progress::Stopped
            }
            Task::Program(core) => self.step_program(core, &owner),
        }
    }

    fn step_program(&mut self, core: &mut MicroCore, owner: &Owner) -> Progress {
        let result = core.step(&mut Commanded { at: self, owner });
        let slot = owner.slot.filter(|_| !core.cutter().has_ended());
        match result {
            Ok(Progress::Stopped) => {
                if let Some(slot) = slot {
                    self.complete(slot, None);
                }
            }
            Ok(progress) => return progress,
            // After an end of transfer the slot is the target's to complete.
            Err(error) => match slot {
                Some(slot) => self.complete(slot, Some(error)),
                None => self.notify(owner.common.event, Some(error)),
            },
        }
        Progress::Stopped
    }

    /// Words of the node's own memory.
    fn local(&self, address: u64, words: u64) -> Vec<u64> {
        (address..address + words)
            .map(|address| self.memory.read(address as u32))
            .collect()
    }

    /// Where `words` words of a window are, if all exist.
    ///
    /// # Errors
    /// Why the window does not give them.
    fn reach(&self, tag: u8, offset: u64, words: u64) -> Result<u32, ErrorCode> {
        let window = &self.windows[self.build.window_row(tag)];
        window.expect(Mode::Window)?;
        let first = window.address(offset, words)?;
        let exist = words == 0 || self.has_word(first) && self.has_word(first + words as u32 - 1);
        exist.then_some(first).ok_or(ErrorCode::OutOfWindow)
    }
}

/// The next run, if `send` wants to go on after it.
fn each(runs: &mut Runs, send: impl FnOnce(Run) -> bool) -> Progress {
    let run = runs.next().expect("stopped at the last run");
    if send(run) && !run.last {
        Progress::Moved
    } else {
        Progress::Stopped
    }
}

/// The node of a program, and the command that started it.
struct Commanded<'a> {
    at: &'a mut Interface,
    owner: &'a Owner,
}

impl Outlet for Commanded<'_> {
    fn read(&self, address: u64) -> u64 {
        self.at.memory.read(address as u32)
    }

    fn send(&mut self, Cut { place, words, last }: Cut) {
        let packet = DataPacket::Put {
            tag: self.owner.tag,
            slot: self.owner.slot.expect("a program has a slot"),
            place,
            words,
            last,
        };
        self.at.send(self.owner.destination, Packet::Data(packet));
    }
}

impl Surroundings for Commanded<'_> {
    fn instruction(&self, place: usize) -> u32 {
        self.at.program[place]
    }

    fn has_fired(&self, event: u32) -> bool {
        let event = self.at.events.get(event as usize % EVENTS);
        event.is_some_and(Event::fired)
    }

    fn take_credit(&mut self) -> bool {
        self.at.segments[usize::from(self.owner.common.segment)].take_credit()
    }

    fn is_busy(&self, has_ended: bool) -> bool {
        let own = self.owner.slot.filter(|_| !has_ended);
        self.at.is_busy(self.owner.common.segment, own)
    }

    fn notify(&mut self, event: u32) {
        let event = event % self.at.events.len() as u32;
        self.at.notify(event, None);
    }

    fn notify_own(&mut self) {
        self.at.succeed(self.owner.common);
    }
}
