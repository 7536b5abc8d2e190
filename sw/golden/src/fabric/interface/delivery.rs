//! What a node does with what comes to it.

use portico_spec::{ni::ErrorCode, Node};

use super::{
    super::{
        context::{Owner, Task},
        descriptor::Common,
        packet::{Answer, DataPacket, Packet},
        reception::{receive, Cell, Target},
        transfer::Runs,
        window::Window,
    },
    Interface, Way,
};

impl Interface {
    /// Takes what another node, or this one, has sent.
    pub fn deliver(&mut self, source: Node, packet: Packet) {
        match packet {
            // Of no kind that the node knows.
            Packet::Data(DataPacket::Message { .. }) if !self.build.queues => self.refuse(1),
            Packet::Data(DataPacket::Probe { tag, words }) if self.probe.is_some() => {
                let probe = self.probe.as_mut().expect("just seen");
                probe.receive(source, tag, &words);
            }
            Packet::Data(DataPacket::Collective { tag, marks, words }) if self.mpe.is_some() => {
                let mpe = self.mpe.as_mut().expect("just seen");
                let is_taken = mpe.take_words(source, tag, marks, words);
                self.refuse(u32::from(!is_taken));
            }
            Packet::Data(packet) => receive(self, source, packet),
            Packet::Answer(Answer::Ack { slot }) => self.take_answer(slot, None, true),
            Packet::Answer(Answer::Refuse { slot, error, last }) => self.take_answer(slot, Some(error), last),
            Packet::Answer(Answer::Value { slot, value }) => self.complete_with(slot, value),
            Packet::Answer(Answer::Credit { segment }) => {
                if let Some(segment) = self.segments.get_mut(usize::from(segment)) {
                    segment.give_credit();
                }
            }
            Packet::Mail { mailbox, value } => {
                let mailbox = self.mailboxes.get_mut(mailbox as usize);
                if let Some(event) = mailbox.and_then(|mailbox| mailbox.take(value)) {
                    self.notify(event, None);
                }
            }
            Packet::Collective { tag, number } => {
                // A node without the engine sinks a control packet that it does not know.
                let mpe = self.mpe.as_mut();
                let is_taken = mpe.is_none_or(|mpe| mpe.take_control(source, tag, number));
                self.refuse(u32::from(!is_taken));
            }
            Packet::Portals(message) => {
                let packets = message.packets();
                let engine = self.portals.as_mut();
                let is_taken = engine.is_some_and(|engine| engine.receive(&mut self.memory, source, message));
                self.refuse(if is_taken { 0 } else { packets });
            }
            Packet::Get { tag, slot, transfer } => {
                let owner = Owner {
                    destination: source,
                    tag,
                    slot: Some(slot),
                    common: Common::of(0),
                };
                let task = Task::Serve(Runs::new(transfer));
                self.run(owner, task, false);
            }
        }
    }
}

impl Target for Interface {
    fn awaits(&self, slot: u8) -> bool {
        let slot = self.slots.get(usize::from(slot)).copied().flatten();
        slot.is_some_and(|slot| slot.is_get)
    }

    fn has_pairs(&self) -> bool {
        self.build.wide_atomics
    }

    fn width(&self) -> usize {
        8 * self.word_bytes as usize
    }

    fn window(&mut self, tag: u8) -> &mut Window {
        &mut self.windows[self.build.window_row(tag)]
    }

    fn cell(&self, address: u32) -> Cell {
        match address {
            _ if self.is_register(address) => Cell::Register,
            _ if u64::from(address) < self.memory.words() => Cell::Memory,
            _ => Cell::Nothing,
        }
    }

    fn read(&self, address: u32) -> u64 {
        self.memory.read(address)
    }

    fn write(&mut self, address: u32, word: u64) -> bool {
        self.write_word(Way::Network, address, word)
    }

    fn write_half(&mut self, address: u32, upper: bool, half: u32) {
        let shift = if upper { 32 } else { 0 };
        let kept = self.memory.read(address) & !(u64::from(u32::MAX) << shift);
        self.memory.write(address, kept | u64::from(half) << shift);
    }

    fn answer(&mut self, to: Node, answer: Answer) {
        self.send(to, Packet::Answer(answer));
    }

    fn complete(&mut self, slot: u8, error: u8) {
        Interface::complete(self, slot, ErrorCode::from_code(error.into()));
    }

    fn notify(&mut self, event: u32, error: Option<ErrorCode>) {
        Interface::notify(self, event, error);
    }

    fn refuse(&mut self, words: u32) {
        self.refused += words;
    }
}
