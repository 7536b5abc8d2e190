//! Segments: memory that a node publishes, and the records of it at other nodes.

use std::fmt;

use portico_spec::ni::{
    packet::{ROW_OFFSET, ROW_WIDTH, STRIDE_OFFSET},
    segment::{self, SegmentKind},
    window::{Mode, EVENT_ENABLE_OFFSET, EVENT_OFFSET, MODE_OFFSET, SYSTEM_WINDOW},
};

use crate::{
    event::Event,
    registers::{SegmentRegister, TagRegister},
    Error, Fabric, Transport,
};

use super::{Initiator, Operation, Ticket};

/// The operations that a published segment takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Puts, gets and atomics.
    Window,
    /// Streams.
    Stream,
    /// Messages.
    Queue,
}

/// The name of a segment in the whole fabric. Any node can clone the segment by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GlobalId {
    pub(crate) node: usize,
    pub(crate) tag: u8,
    pub(crate) bytes: u32,
    pub(crate) kind: Kind,
}

impl GlobalId {
    /// The node that published it.
    pub fn node(&self) -> usize {
        self.node
    }

    /// Its bytes.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }
}

/// Node and tag, for example `5:3`.
impl fmt::Display for GlobalId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", self.node, self.tag)
    }
}

/// The memory to publish.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    base: u32,
    bytes: u32,
    kind: Kind,
    event: Option<(usize, u8)>,
    row: u32,
    stride: u32,
}

impl Window {
    /// A window for puts, gets and atomics, over bytes of the node's memory.
    pub fn new(base: u32, bytes: u32) -> Window {
        Window {
            base,
            bytes,
            kind: Kind::Window,
            event: None,
            row: 0,
            stride: 0,
        }
    }

    /// A window that streams fill one after the other.
    pub fn stream(base: u32, bytes: u32) -> Window {
        Window {
            kind: Kind::Stream,
            ..Window::new(base, bytes)
        }
    }

    /// Streams fill rows of `row` bytes, `stride` bytes apart.
    pub fn rows(self, row: u32, stride: u32) -> Window {
        Window { row, stride, ..self }
    }

    /// Ends of transfers count in an event of the same node.
    pub fn notifying(self, event: &Event) -> Window {
        Window {
            event: Some((event.node(), event.number())),
            ..self
        }
    }
}

/// A segment, as the node that published it has it.
#[derive(Debug)]
#[must_use = "a published segment is taken until it is withdrawn"]
pub struct Segment {
    id: GlobalId,
}

impl Segment {
    /// Its name for others.
    pub fn id(&self) -> GlobalId {
        self.id
    }

    /// Ends of transfers since it was published, modulo 65,536.
    ///
    /// # Errors
    /// The fabric's.
    pub fn ends<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<u16, Error> {
        Ok(fabric.peek(self.id.node, TagRegister::Ends, self.id.tag.into())? as u16)
    }

    /// Puts the pointer of a stream back to the first byte.
    ///
    /// # Errors
    /// [`Error::WrongKind`] if the segment takes no streams, or the fabric's.
    pub fn rewind<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.id.expect("rewind", Kind::Stream)?;
        fabric.poke(self.id.node, TagRegister::Pointer, self.id.tag.into(), &[0])
    }

    /// Closes the window: it refuses all later packets.
    ///
    /// # Errors
    /// The fabric's.
    pub fn withdraw<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        fabric.close_window(self.id)
    }
}

/// A segment of another node, as an initiator has it.
#[derive(Debug)]
#[must_use = "a segment handle is taken until it is released"]
pub struct Remote {
    pub(crate) initiator: usize,
    pub(crate) handle: u8,
    pub(crate) id: GlobalId,
}

impl Remote {
    /// The node that may use it.
    pub fn initiator(&self) -> usize {
        self.initiator
    }

    /// The name of the segment.
    pub fn id(&self) -> GlobalId {
        self.id
    }

    /// Its handle at the initiator, as descriptors name it.
    pub fn handle(&self) -> u8 {
        self.handle
    }

    /// Releases the handle of the initiator. Its operations should be complete: see [`Initiator::fence`].
    ///
    /// # Errors
    /// The fabric's.
    pub fn release<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        let (node, item) = (self.initiator, self.handle.into());
        let written = fabric.poke_once(node, SegmentRegister::Target, item, &[0])?;
        fabric.nodes[node].segments.give(self.handle);
        written
    }

    /// As [`Remote::release`], for callers that keep the handle and try again after a time-out.
    pub(crate) fn give<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        fabric.poke(self.initiator, SegmentRegister::Target, self.handle.into(), &[0])?;
        fabric.nodes[self.initiator].segments.give(self.handle);
        Ok(())
    }
}

impl GlobalId {
    pub(crate) fn expect(&self, what: &'static str, kind: Kind) -> Result<(), Error> {
        if self.kind == kind {
            return Ok(());
        }
        let wanted = match kind {
            Kind::Window => "window",
            Kind::Stream => "stream window",
            Kind::Queue => "queue",
        };
        Err(Error::WrongKind { what, wanted })
    }
}

impl<T: Transport> Fabric<T> {
    /// Opens a window of a node.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Misaligned`], [`Error::WrongNode`] of the event, [`Error::Exhausted`], or the
    /// fabric's.
    pub fn publish(&mut self, node: usize, window: Window) -> Result<Segment, Error> {
        let Window {
            base,
            bytes,
            kind,
            event,
            row,
            stride,
        } = window;
        self.check_local(node, "base", base, "bytes", u64::from(bytes))?;
        for (field, value) in [("row", row), ("stride", stride)] {
            self.check_aligned(field, value)?;
            let max = u64::from(self.word_bytes()) * ((1 << ROW_WIDTH) - 1);
            Error::check_range(field, value.into(), 0, max)?;
        }
        if let Some((owner, _)) = event.filter(|&(owner, _)| owner != node) {
            let what = "event";
            return Err(Error::WrongNode { what, owner, node });
        }
        let mode = match kind {
            Kind::Window => Mode::Window,
            Kind::Stream => Mode::Pointer,
            Kind::Queue => Mode::Queue,
        };
        let event = event.map_or(0, |(_, event)| {
            1 << EVENT_ENABLE_OFFSET | u32::from(event) << EVENT_OFFSET
        });
        let (row, stride) = (row / self.word_bytes(), stride / self.word_bytes());
        let geometry = row << ROW_OFFSET | stride << STRIDE_OFFSET;
        let control = (mode as u32) << MODE_OFFSET | event;
        let tag = self.open_window(node, (base, bytes), kind, control, geometry)?;
        let id = GlobalId { node, tag, bytes, kind };
        tracing::debug!(%id, base, bytes, "published");
        Ok(Segment { id })
    }

    /// Takes a tag of a node and sets it up; the control register last, because it opens the window.
    pub(crate) fn open_window(
        &mut self,
        node: usize,
        (base, bytes): (u32, u32),
        kind: Kind,
        control: u32,
        geometry: u32,
    ) -> Result<u8, Error> {
        let tag = self.nodes[node].windows.take(node)?;
        let item = usize::from(tag);
        let (base, size) = (base / self.word_bytes(), bytes / self.word_bytes());
        self.poke_item(node, item, [(TagRegister::Base, base), (TagRegister::Size, size)])?;
        let pointer = match kind {
            Kind::Window | Kind::Stream => 0,
            // An earlier queue of the tag has left a count of released messages: the new queue starts from this count.
            Kind::Queue => self.peek(node, TagRegister::Released, item)?,
        };
        let registers = [
            (TagRegister::Pointer, pointer),
            (TagRegister::Geometry, geometry),
            (TagRegister::Ends, 0),
        ];
        self.poke_item(node, item, registers)?;
        self.poke(node, TagRegister::Control, item, &[control])?;
        Ok(tag)
    }

    pub(crate) fn close_window(&mut self, id: GlobalId) -> Result<(), Error> {
        let written = self.poke_once(id.node, TagRegister::Control, id.tag.into(), &[0])?;
        self.nodes[id.node].windows.give(id.tag);
        written
    }

    /// The system window of a node, which covers its memory and its registers, as a segment of an initiator.
    pub(crate) fn clone_space(&mut self, initiator: usize, node: usize) -> Result<Remote, Error> {
        let id = GlobalId {
            node,
            tag: SYSTEM_WINDOW as u8,
            bytes: self.config().space_bytes(node),
            kind: Kind::Window,
        };
        self.clone_segment(initiator, id, 0)
    }

    /// Waits until each first node of `ways` has all that the second one has sent to it on the control plane so far: the first
    /// peeks at the second, whose answer does not overtake what was sent before. Each waits for at most `timeout` cycles.
    pub(crate) fn hear_of(&mut self, ways: &[(usize, usize)], timeout: u64) -> Result<(), Error> {
        let (mut left, mut heard) = (ways, Ok(()));
        while heard.is_ok() && !left.is_empty() {
            let mut open = vec![];
            // All at once, as far as there are handles and events.
            let begun = self.together(|fabric| {
                while let [(node, other), rest @ ..] = left {
                    match fabric.peek_ahead(*node, *other) {
                        Ok(peek) => open.push(peek),
                        Err(Error::Exhausted { .. }) if !open.is_empty() => break,
                        Err(error) => return Err(error),
                    }
                    left = rest;
                }
                Ok(())
            });
            let ended = self.end_peeks(open, timeout);
            heard = begun.and(ended);
        }
        heard
    }

    /// Starts a peek of a node at another one, and of what it needs.
    fn peek_ahead(&mut self, node: usize, other: usize) -> Result<(Remote, Ticket<u32>), Error> {
        let word = GlobalId {
            node: other,
            tag: SYSTEM_WINDOW as u8,
            bytes: self.word_bytes(),
            kind: Kind::Window,
        };
        let remote = self.clone_segment(node, word, 0)?;
        match Initiator::new(self, node).peek(&remote, 0).and_then(Operation::start) {
            Ok(ticket) => Ok((remote, ticket)),
            Err(error) => {
                remote.release(self)?;
                Err(error)
            }
        }
    }

    /// Waits for the answers of these peeks, and gives back what they have taken.
    fn end_peeks(&mut self, mut peeks: Vec<(Remote, Ticket<u32>)>, timeout: u64) -> Result<(), Error> {
        let events: Vec<_> = peeks.iter().filter_map(|(_, ticket)| ticket.open_event()).collect();
        let mut answered = self.read_events_ahead(&events);
        for (_, ticket) in &mut peeks {
            let answer = ticket.wait(self, timeout);
            answered = answered.and(answer.map(|_| ()));
        }
        self.together(|fabric| peeks.into_iter().try_for_each(|(remote, _)| remote.release(fabric)))?;
        answered
    }

    pub(crate) fn clone_segment(&mut self, initiator: usize, id: GlobalId, credits: u32) -> Result<Remote, Error> {
        let kind = match id.kind {
            Kind::Window | Kind::Stream => SegmentKind::Window,
            Kind::Queue => SegmentKind::Queue,
        };
        self.check_way(initiator, id.node)?;
        let target = segment::target(self.config(), id.node, id.tag, kind);
        let size = id.bytes / self.word_bytes();
        self.release_dropped()?;
        let handle = self.nodes[initiator].segments.take(initiator)?;
        let registers = [
            (SegmentRegister::Target, target),
            (SegmentRegister::Size, size),
            (SegmentRegister::Credits, credits),
        ];
        self.poke_item(initiator, handle.into(), registers)?;
        Ok(Remote { initiator, handle, id })
    }
}

impl<T: Transport> Initiator<'_, T> {
    /// Makes a published segment known to this node.
    ///
    /// # Errors
    /// [`Error::WrongKind`] for a queue, [`Error::Exhausted`], or the fabric's.
    pub fn clone_segment(&mut self, id: GlobalId) -> Result<Remote, Error> {
        if id.kind == Kind::Queue {
            id.expect("clone_segment", Kind::Window)?;
        }
        self.fabric.clone_segment(self.node, id, 0)
    }
}
