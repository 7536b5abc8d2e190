//! The host node: the only one whose address space the driver sees directly. It reaches the others through its own
//! network interface, with puts and gets on the window that each node has over its whole address space.

use portico_spec::{
    flit::X_WIDTH,
    ni::{
        build::Build,
        descriptor::{Command, Geometry, Transfer},
        registers::{address_at, INITIALISING_OFFSET},
        segment::{SegmentKind, KIND_OFFSET, NODE_OFFSET, TAG_OFFSET},
        window::SYSTEM_WINDOW,
    },
    Config,
};

use crate::{
    command,
    registers::{ControlRegister, SegmentRegister},
    resources::{NodeState, Space},
    Error, Fabric, Transport,
};

/// Most segment handles of the host that stand for whole nodes. A further node replaces the others in turn.
const MAX_HANDLES: usize = 16;
/// Name of the driver's accesses in error messages.
const ACCESS: &str = "access of the host";
/// Name of an access that timed out and delays the next one.
const EARLIER: &str = "earlier access of the host";
/// Most bytes of the host's memory that serve as staging memory for accesses to other nodes.
const MAX_STAGING: u32 = 8 << 10;

/// The host's address space, and the parts of it that the driver reserves.
#[derive(Debug)]
pub(crate) struct HostPort<T> {
    pub transport: T,
    pub host: usize,
    pub word_bytes: u32,
    pub timeout: u64,
    memory_bytes: u32,
    build: Build,
    staging: u32,
    staging_bytes: u32,
    /// The node of each handle.
    handles: Vec<Option<usize>>,
    next: usize,
    /// An access that has begun and not ended.
    under_way: Option<Access>,
}

#[derive(Clone, Copy, Debug)]
struct Access {
    node: usize,
    /// The value of the event's counter when the access has ended.
    target: u16,
}

impl<T: Transport> HostPort<T> {
    /// Waits until the host is initialised.
    pub fn open(mut transport: T, host: usize, timeout: u64) -> Result<HostPort<T>, Error> {
        let word_bytes = (transport.config().width / 8) as u32;
        let [bytes, build, status] = [ControlRegister::Memory, ControlRegister::Build, ControlRegister::Status]
            .map(|register| address_at(transport.config(), host, register, 0));
        let begun = transport.cycles();
        while transport.read(status)? >> INITIALISING_OFFSET & 1 != 0 {
            if transport.cycles() - begun >= timeout {
                let (node, what, cycles) = (host, "initialisation", timeout);
                return Err(Error::Timeout { node, what, cycles });
            }
        }
        let memory_bytes = transport.read(bytes)?;
        let build = Build::from_register(transport.read(build)?);
        let staging_bytes = (memory_bytes / 4).min(MAX_STAGING) / 8 * 8;
        Ok(HostPort {
            transport,
            host,
            word_bytes,
            timeout,
            memory_bytes,
            build,
            staging: memory_bytes - staging_bytes,
            staging_bytes,
            handles: vec![None; MAX_HANDLES.min(build.segments / 2)],
            next: 0,
            under_way: None,
        })
    }

    /// Whether an access has timed out and has not ended yet.
    pub fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// The host's event for the driver's own accesses: the last.
    fn event(&self) -> u8 {
        (self.build.events - 1) as u8
    }

    /// The resources of the host that are left to allocate.
    pub fn state(&self) -> NodeState {
        let mut state = NodeState::new(self.memory_bytes, &self.build);
        state.memory = Space::new("bytes of memory", 0, self.staging);
        state.segments.reserve(0..self.handles.len());
        state.events.reserve(usize::from(self.event())..self.build.events);
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
        self.end_earlier_access()?;
        for chunk in words.chunks(self.port.staging_bytes as usize / 4) {
            self.port.transport.write_block(staging, chunk)?;
            self.access(Command::Put, node, address, chunk.len())?;
            address += 4 * chunk.len() as u32;
        }
        Ok(())
    }

    /// Moves words between a node's address space and the staging memory. A caller that first fills the staging memory must end
    /// the earlier access before.
    fn access(
        &mut self,
        command: fn(Transfer) -> Command,
        node: usize,
        address: u32,
        words: usize,
    ) -> Result<(), Error> {
        self.end_earlier_access()?;
        let HostPort { host, staging, .. } = self.port;
        let handle = self.handle(node)?;
        let transfer = Transfer {
            remote: address,
            local: staging,
            geometry: Geometry::Row { row: 4 * words as u32 },
        };
        let words = command::encode(self.config(), handle, command(transfer))?;
        let (target, written) = self.issue(host, self.port.event(), &words)?;
        written?;
        self.port.under_way = Some(Access { node, target });
        self.end_access(ACCESS)
    }

    /// Waits until no access is under way: an access that timed out still uses the staging memory.
    ///
    /// # Errors
    /// [`Error::Timeout`] and [`Error::Refused`] name the node of the earlier access, because its caller did not learn its result.
    pub(crate) fn end_earlier_access(&mut self) -> Result<(), Error> {
        self.end_access(EARLIER)
    }

    fn end_access(&mut self, what: &'static str) -> Result<(), Error> {
        let Some(Access { node, target }) = self.port.under_way else {
            return Ok(());
        };
        let HostPort { host, timeout, .. } = self.port;
        let registers = self
            .completed(host, self.port.event(), target, timeout)
            .map_err(|error| match error {
                Error::Timeout { cycles, .. } => Error::Timeout { node, what, cycles },
                error => error,
            })?;
        if registers.error.is_some() {
            self.clear_error(host, self.port.event())?;
        }
        self.port.under_way = None;
        match registers.error {
            None => Ok(()),
            Some(code) => Err(Error::Refused { node, what, code }),
        }
    }

    /// A segment handle for the whole address space of the node. Accesses end before the next begins, so that none is
    /// in use when another node gets it.
    fn handle(&mut self, node: usize) -> Result<u8, Error> {
        if let Some(handle) = self.port.handles.iter().position(|&of| of == Some(node)) {
            return Ok(handle as u8);
        }
        let handle = self.port.next;
        self.port.next = (handle + 1) % self.port.handles.len();
        // The handle has no node until its registers are written, so that an error in between leaves no wrong node.
        self.port.handles[handle] = None;
        let target = segment_target(self.config(), node, SYSTEM_WINDOW as u8, SegmentKind::Window);
        let size = self.config().space_bytes(node) / self.port.word_bytes;
        let registers = [(SegmentRegister::Target, target), (SegmentRegister::Size, size)];
        self.poke_item(self.port.host, handle, registers)?;
        self.port.handles[handle] = Some(node);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{testing::Failing, TransportError};

    #[test]
    fn a_handle_that_could_not_be_written_stands_for_nobody() {
        let config = Config {
            cols: 5,
            rows: 4,
            edge_nodes: 1,
            ..Config::default()
        };
        for register in [SegmentRegister::Target, SegmentRegister::Size] {
            let mut fabric = Fabric::open(Failing::new(&config)).unwrap();
            // More nodes than handles, so that the next node gets one that another has had.
            for node in 0..config.tiles() {
                fabric.write(node, 0x40, &[node as u32]).unwrap();
            }
            let handle = fabric.port.next;
            let address = address_at(&config, config.tiles(), register, handle);
            fabric.transport().refused = Some(address);
            let failed = fabric.write(2, 0x40, &[100]).unwrap_err();
            assert!(
                matches!(failed, Error::Transport(TransportError::Bus { .. })),
                "{failed}"
            );
            fabric.write(2, 0x40, &[100]).unwrap();
            for node in 0..config.tiles() {
                let expected = if node == 2 { 100 } else { node as u32 };
                assert_eq!(fabric.read(node, 0x40, 1), Ok(vec![expected]), "node {node}");
            }
        }
    }
}
