//! The host node: the only one whose address space the driver sees directly. It reaches the others through its own
//! network interface, with puts and gets on the window that each node has over its whole address space.

use portico_spec::{
    flit::X_WIDTH,
    ni::{
        descriptor::{Command, Geometry, Transfer},
        event::EVENTS,
        registers::{Block, SHORT_FIELD_WIDTH},
        segment::{SegmentKind, KIND_OFFSET, NODE_OFFSET, TAG_OFFSET},
        window::SYSTEM_WINDOW,
    },
    Config,
};

use crate::{
    command,
    fabric::register,
    resources::{NodeState, Space},
    Error, Fabric, Transport,
};

/// The host's event for the driver's own accesses.
const EVENT: u8 = (EVENTS - 1) as u8;
/// Segment handles of the host that stand for whole nodes, in turn for those of late.
const HANDLES: usize = 16;
/// Most bytes of the host's memory through which all else passes.
const MAX_STAGING: u32 = 8 << 10;

/// The host's address space and what the driver keeps of it for itself.
#[derive(Debug)]
pub(crate) struct HostPort<T> {
    pub transport: T,
    pub host: usize,
    pub word_bytes: u32,
    pub timeout: u64,
    memory_bytes: u32,
    staging: u32,
    staging_bytes: u32,
    /// The node of each handle.
    handles: [Option<usize>; HANDLES],
    next: usize,
}

impl<T: Transport> HostPort<T> {
    /// Waits until the host is initialised.
    pub fn open(mut transport: T, host: usize, timeout: u64) -> Result<HostPort<T>, Error> {
        let word_bytes = (transport.config().width / 8) as u32;
        let [bytes, status] = [3, 4].map(|place| register(transport.config(), host, Block::Control, place));
        let begun = transport.cycles();
        while transport.read(status)? & 1 != 0 {
            if transport.cycles() - begun >= timeout {
                let (node, what, cycles) = (host, "initialisation", timeout);
                return Err(Error::Timeout { node, what, cycles });
            }
        }
        let memory_bytes = transport.read(bytes)?;
        let staging_bytes = (memory_bytes / 4).min(MAX_STAGING) / 8 * 8;
        Ok(HostPort {
            transport,
            host,
            word_bytes,
            timeout,
            memory_bytes,
            staging: memory_bytes - staging_bytes,
            staging_bytes,
            handles: [None; HANDLES],
            next: 0,
        })
    }

    /// What of the host is left to hand out.
    pub fn state(&self) -> NodeState {
        let mut state = NodeState::new(self.memory_bytes);
        state.memory = Space::new("bytes of memory", 0, self.staging);
        state.segments.reserve(0..HANDLES);
        state.events.reserve(usize::from(EVENT)..EVENTS);
        state
    }
}

impl<T: Transport> Fabric<T> {
    /// Reads words of a node's address space.
    pub(crate) fn read_space(&mut self, node: usize, address: u32, words: &mut [u32]) -> Result<(), Error> {
        if node == self.port.host {
            return Ok(self.port.transport.read_block(address, words)?);
        }
        let staging = self.port.staging;
        let mut address = address;
        for chunk in words.chunks_mut(self.port.staging_bytes as usize / 4) {
            self.access(Command::Get, node, address, chunk.len())?;
            self.port.transport.read_block(staging, chunk)?;
            address += 4 * chunk.len() as u32;
        }
        Ok(())
    }

    /// Writes words of a node's address space.
    pub(crate) fn write_space(&mut self, node: usize, address: u32, words: &[u32]) -> Result<(), Error> {
        if node == self.port.host {
            return Ok(self.port.transport.write_block(address, words)?);
        }
        let staging = self.port.staging;
        let mut address = address;
        for chunk in words.chunks(self.port.staging_bytes as usize / 4) {
            self.port.transport.write_block(staging, chunk)?;
            self.access(Command::Put, node, address, chunk.len())?;
            address += 4 * chunk.len() as u32;
        }
        Ok(())
    }

    /// Moves words between a node's address space and the staging memory.
    fn access(
        &mut self,
        command: fn(Transfer) -> Command,
        node: usize,
        address: u32,
        words: usize,
    ) -> Result<(), Error> {
        let what = "access of the host";
        let HostPort {
            host, timeout, staging, ..
        } = self.port;
        let handle = self.handle(node)?;
        let transfer = Transfer {
            remote: address,
            local: staging,
            geometry: Geometry::Row { row: 4 * words as u32 },
        };
        let words = command::encode(self.config(), handle, command(transfer))?;
        let target = self.issue(host, EVENT, &words)?;
        let completed = self.completed(host, EVENT, target, timeout);
        match completed {
            Ok(state) => match state.error() {
                None => Ok(()),
                Some(code) => {
                    self.clear_error(host, EVENT)?;
                    Err(Error::Refused { node, what, code })
                }
            },
            Err(Error::Timeout { cycles, .. }) => Err(Error::Timeout { node, what, cycles }),
            Err(error) => Err(error),
        }
    }

    /// A segment handle for the whole address space of the node. Accesses end before the next begins, so that none is
    /// in use when another node gets it.
    fn handle(&mut self, node: usize) -> Result<u8, Error> {
        if let Some(handle) = self.port.handles.iter().position(|&of| of == Some(node)) {
            return Ok(handle as u8);
        }
        let handle = self.port.next;
        self.port.next = (handle + 1) % HANDLES;
        self.port.handles[handle] = Some(node);
        let target = segment_target(self.config(), node, SYSTEM_WINDOW as u8, SegmentKind::Window);
        let size = self.config().space_bytes(node) / self.port.word_bytes;
        let place = (handle as u32) << SHORT_FIELD_WIDTH;
        self.write_registers(self.port.host, Block::Segments, place, &[target, size])?;
        Ok(handle as u8)
    }
}

/// The target register of a segment.
pub(crate) fn segment_target(config: &Config, node: usize, tag: u8, kind: SegmentKind) -> u32 {
    node_bits(config, node) << NODE_OFFSET | u32::from(tag) << TAG_OFFSET | (kind as u32) << KIND_OFFSET
}

/// A node as packets name it.
pub(crate) fn node_bits(config: &Config, node: usize) -> u32 {
    let at = config.terminal_node(node);
    u32::from(at.x) | u32::from(at.y) << X_WIDTH
}
