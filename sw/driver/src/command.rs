//! Descriptors: their first words, their way to a node, and their completion.

use std::collections::BTreeSet;

use portico_spec::{
    ni::{
        command::{first_place, DRAINED_OFFSET, EVENT_OFFSET, MAX_DESCRIPTOR_WORDS, QUIET_OFFSET, SHAPER_OFFSET},
        descriptor::{Command, Descriptor},
        event::Status,
        registers::address_at,
        ErrorCode,
    },
    Config,
};

use crate::{
    registers::{CommandRegister, EventRegister, Registers},
    resources::{Commands, Port},
    Error, Fabric, Transport, TransportError,
};

/// The words of a command on a segment, its event still 0.
pub(crate) fn encode(config: &Config, segment: u8, command: Command) -> Result<Vec<u32>, Error> {
    let descriptor = Descriptor {
        segment,
        ..Descriptor::new(command)
    };
    Ok(descriptor.encode(config)?)
}

/// The field of the packet shaper in the first word.
pub(crate) fn shaper(shaper: u8) -> u32 {
    u32::from(shaper) << SHAPER_OFFSET
}

/// In the first word: see [`crate::onesided::Operation::drained`].
pub(crate) const DRAINED: u32 = 1 << DRAINED_OFFSET;

/// In the first word: success does not count in the event.
pub(crate) const QUIET: u32 = 1 << QUIET_OFFSET;

/// Whether a counter is at `target` or beyond: a program that fails after its end of transfer counts twice.
pub(crate) fn reached(count: u16, target: u16) -> bool {
    count.wrapping_sub(target) < 1 << 15
}

/// The registers of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventRegisters {
    pub count: u16,
    pub error: Option<ErrorCode>,
    pub fired: bool,
    pub value: u64,
}

impl<T: Transport> Fabric<T> {
    /// Sends a descriptor to a node as soon as its queue is sure to have room. Returns the value that the counter of the event
    /// will have when this command and all before it have completed. An inner error means that the access timed out: the
    /// descriptor is still sent.
    pub(crate) fn issue(&mut self, node: usize, event: u8, words: &[u32]) -> Result<(u16, Result<(), Error>), Error> {
        let port = Port::of(words[0], &self.nodes[node].build);
        self.make_room(node, |commands| commands.has_room(port, words.len()))?;
        let before = match self.nodes[node].issued[usize::from(event)] {
            Some(count) => count,
            None => {
                let registers = self.read_event(node, event)?;
                // This error is not of this command: a command of an earlier program has left it, say.
                if registers.error.is_some() {
                    self.clear_error(node, event)?;
                }
                registers.count
            }
        };
        let target = before.wrapping_add(1);
        let written = self.send(node, event, words)?;
        self.nodes[node].issued[usize::from(event)] = Some(target);
        self.nodes[node].commands.push(port, event, words.len());
        Ok((target, written))
    }

    /// Sends a descriptor. The caller has made room for it, and notes it and the counts of its event. An inner error is that of
    /// [`Fabric::issue`].
    pub(crate) fn send(&mut self, node: usize, event: u8, words: &[u32]) -> Result<Result<(), Error>, Error> {
        let mut words = words.to_vec();
        words[0] |= u32::from(event) << EVENT_OFFSET;
        let first = first_place(words.len());
        let written = self.poke_once(node, CommandRegister::Word, first, &words);
        let written = written.inspect_err(|error| self.end_refused(node, error))?;
        tracing::trace!(node, event, ?words, ?written, "command");
        Ok(written)
    }

    /// Ends a descriptor after the host's queue has refused one of its words, so that the next one can begin. The queue refuses a
    /// word if another program has filled it. The last word ends a descriptor by itself.
    fn end_refused(&mut self, node: usize, error: &Error) {
        const LAST: usize = MAX_DESCRIPTOR_WORDS - 1;
        let last = address_at(self.config(), node, CommandRegister::Word, LAST);
        if let Error::Transport(TransportError::Bus { address, .. }) = error {
            if node == self.port.host && *address < last {
                // The queue refuses this word too.
                let _ = self.port.transport.write(last, 0);
            }
        }
    }

    /// Waits until the queues of a node are sure to have room.
    pub(crate) fn make_room(&mut self, node: usize, has_room: impl Fn(&Commands) -> bool) -> Result<(), Error> {
        let begun = self.port.transport.cycles();
        while !has_room(&self.nodes[node].commands) {
            for event in self.nodes[node].commands.events() {
                self.read_event(node, event)?;
            }
            self.check_time(begun, self.port.timeout, node, "room for a command")?;
        }
        Ok(())
    }

    /// Waits until all commands of these nodes that the driver has sent are complete, and calls that another node has launched there.
    /// The nodes are asked together.
    pub(crate) fn finish_commands(&mut self, nodes: &[usize]) -> Result<(), Error> {
        nodes.iter().try_for_each(|&node| self.check_node(node))?;
        let begun = self.port.transport.cycles();
        while let Some(&node) = nodes.iter().find(|&&node| self.open_command(node).is_some()) {
            // A launch works at several nodes.
            let open: BTreeSet<_> = nodes.iter().filter_map(|&node| self.open_command(node)).collect();
            self.read_events_ahead(&open.iter().copied().collect::<Vec<_>>())?;
            for (at, event) in open {
                self.read_event(at, event)?;
            }
            self.check_time(begun, self.port.timeout, node, "earlier commands")?;
        }
        Ok(())
    }

    /// Node and event of a command that was not seen complete and works at this node.
    fn open_command(&self, node: usize) -> Option<(usize, u8)> {
        let own = self.nodes[node].commands.open_event().map(|event| (node, event));
        let mut launches = self.groups.values().filter_map(|group| group.launcher_of(node));
        own.or_else(|| launches.find(|&(at, event)| self.nodes[at].commands.is_open(event)))
    }

    /// Reads an event. Frees the room of its commands if all of them have completed.
    pub(crate) fn read_event(&mut self, node: usize, event: u8) -> Result<EventRegisters, Error> {
        let registers: Registers<EventRegister> = match self.port.seen.remove(&(node, event)) {
            Some(seen) => seen,
            None => self.peek_item(node, event.into())?,
        };
        let count = registers[EventRegister::Count] as u16;
        let Status { error, fired } = Status::decode(registers[EventRegister::Status])?;
        if self.nodes[node].issued[usize::from(event)].is_some_and(|target| reached(count, target)) {
            self.nodes[node].commands.retire(event);
        }
        let value =
            u64::from(registers[EventRegister::ValueHigh]) << 32 | u64::from(registers[EventRegister::ValueLow]);
        Ok(EventRegisters {
            count,
            error,
            fired,
            value,
        })
    }

    /// Reads several events of tiles, faster than one by one. The next [`Fabric::read_event`] of each gives what was read now, unless
    /// another access comes first.
    pub(crate) fn read_events_ahead(&mut self, events: &[(usize, u8)]) -> Result<(), Error> {
        if events.len() < 2 {
            return Ok(());
        }
        let items: Vec<(usize, usize)> = events.iter().map(|&(node, event)| (node, event.into())).collect();
        let registers = self.peek_items(&items)?;
        self.port.seen = events.iter().copied().zip(registers).collect();
        Ok(())
    }

    /// Waits until the event's counter has reached `target`.
    pub(crate) fn completed(
        &mut self,
        node: usize,
        event: u8,
        target: u16,
        timeout: u64,
    ) -> Result<EventRegisters, Error> {
        let begun = self.port.transport.cycles();
        loop {
            let registers = self.read_event(node, event)?;
            if reached(registers.count, target) {
                return Ok(registers);
            }
            self.check_time(begun, timeout, node, "command")?;
        }
    }

    pub(crate) fn clear_error(&mut self, node: usize, event: u8) -> Result<(), Error> {
        self.poke(node, EventRegister::Status, event.into(), &[0])
    }

    pub(crate) fn check_time(&self, begun: u64, timeout: u64, node: usize, what: &'static str) -> Result<(), Error> {
        if self.port.transport.cycles() - begun >= timeout {
            let cycles = timeout;
            return Err(Error::Timeout { node, what, cycles });
        }
        Ok(())
    }
}
