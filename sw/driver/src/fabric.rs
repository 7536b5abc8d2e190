//! A fabric as the driver knows it: the memory and registers of every node, and their allocation.

use std::{collections::BTreeMap, ops::Range};

use portico_spec::{ni::build::Build, parts::Station, Config};

use crate::{
    collective::{Failure, Group},
    exchange::Dropped,
    host::HostPort,
    identity::compare,
    list::Notice,
    onesided::Initiator,
    portals,
    registers::{ControlRegister, Registers},
    resources::{Feature, NodeState},
    streams::STREAMS,
    Error, Transport,
};

/// Cycles that an access of the driver's own may take unless told otherwise.
const DEFAULT_TIMEOUT: u64 = 100_000;

/// Memory of a node that [`Fabric::allocate`] handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Whose memory, a terminal index.
    pub node: usize,
    /// First byte, a multiple of 8.
    pub base: u32,
    /// Bytes, a multiple of 8.
    pub bytes: u32,
}

/// The driver of one fabric. Nodes are terminal indices: tiles first, then edge nodes, the first of which is the host.
///
/// ```
/// use portico::{Config, Fabric, GoldenTransport};
///
/// let mut fabric = Fabric::open(GoldenTransport::new(&Config::default())?)?;
/// fabric.write(5, 0x100, &[1, 2, 3, 4])?;
/// assert_eq!(fabric.read(5, 0x108, 2)?, [3, 4]);
/// # Ok::<(), portico::Error>(())
/// ```
#[derive(Debug)]
pub struct Fabric<T> {
    pub(crate) port: HostPort<T>,
    pub(crate) nodes: Vec<NodeState>,
    /// The groups of communicators that have a context, by their numbers.
    pub(crate) groups: BTreeMap<u64, Group>,
    /// Failures of communicators whose context another one has taken, by the numbers of their groups: their tickets go on to tell
    /// them.
    pub(crate) past_failures: BTreeMap<u64, Vec<Failure>>,
    pub(crate) dropped: Dropped,
    /// How lists tell the host that they have ended.
    pub(crate) notices: Vec<Notice>,
    pub(crate) portals: portals::State,
}

/// An AXI4-Lite port of a tile.
const PORT: Feature = Feature {
    what: "a port",
    is_built: |build| build.tile_ports,
    tile_key: Some("tile_ports"),
    host_key: None,
};

/// Checks that there is a port at this tile.
///
/// # Errors
/// [`Error::NoSuchNode`], [`Error::NotBuilt`].
pub fn check_port(config: &Config, tile: usize) -> Result<(), Error> {
    check_tile(config, tile, &PORT)
}

/// Checks that there are streams at this tile.
///
/// # Errors
/// [`Error::NoSuchNode`], [`Error::NotBuilt`].
pub fn check_streams(config: &Config, tile: usize) -> Result<(), Error> {
    check_tile(config, tile, &STREAMS)
}

fn check_tile(config: &Config, tile: usize, feature: &Feature) -> Result<(), Error> {
    let (node, last) = (tile, config.tiles() - 1);
    if tile > last {
        return Err(Error::NoSuchNode { node, last });
    }
    if !(feature.is_built)(&config.build()) {
        return Err(feature.missing(node, Station::Tile));
    }
    Ok(())
}

/// The node that is the host, of a configuration with allowed values.
pub(crate) fn host(config: &Config) -> Result<usize, Error> {
    config.validate()?;
    if config.edge_nodes == 0 {
        return Err(Error::NoHost);
    }
    Ok(config.tiles())
}

impl<T: Transport> Fabric<T> {
    /// Takes over a fabric after its reset: waits until it is initialised, and reads the identity and the memory size of every
    /// node.
    ///
    /// # Errors
    /// [`Error::Config`], [`Error::NoHost`], [`Error::WrongFabric`], [`Error::WrongBitstream`] of a memory node whose addresses have
    /// another width, [`Error::Refused`] at a node that the fabric does not have, [`Error::Timeout`], or the transport's.
    pub fn open(transport: T) -> Result<Fabric<T>, Error> {
        let config = transport.config().clone();
        let host = host(&config)?;
        let port = HostPort::open(transport, host, DEFAULT_TIMEOUT)?;
        let nodes = vec![port.state(); config.terminals()];
        let mut fabric = Fabric {
            port,
            nodes,
            groups: BTreeMap::new(),
            past_failures: BTreeMap::new(),
            dropped: Dropped::default(),
            notices: vec![],
            portals: portals::State::default(),
        };
        for node in 0..config.terminals() {
            let registers: Registers<ControlRegister> = fabric.peek_item(node, 0)?;
            let found = registers[ControlRegister::Node];
            let expected = config.terminal_node(node).number().into();
            if found != expected {
                return Err(Error::WrongFabric { node, found, expected });
            }
            if node != host {
                let [build, engines] =
                    [ControlRegister::Build, ControlRegister::BuildEngines].map(|register| registers[register]);
                let station = config.station(node);
                if station == Station::Memory {
                    // A page goes where the configuration says that there are addresses.
                    let expected = config.build_at(station).engines_register();
                    compare(ControlRegister::BuildEngines, engines, expected)?;
                }
                let build = Build::from_registers(build, engines);
                let bytes = registers[ControlRegister::Memory];
                fabric.nodes[node] = NodeState::new(station, bytes, bytes, &build);
            }
        }
        tracing::debug!(nodes = fabric.nodes.len(), host, "fabric open");
        Ok(fabric)
    }

    /// The configuration of the fabric.
    pub fn config(&self) -> &Config {
        self.port.transport.config()
    }

    /// The node through which the driver works.
    pub fn host_node(&self) -> usize {
        self.port.host
    }

    /// The transport of the accesses.
    pub fn transport(&mut self) -> &mut T {
        &mut self.port.transport
    }

    /// Sets the cycles that an access of the driver may take: to the memory and registers of nodes, and to get room for a command.
    /// An access that times out is still completed, before the next access. Up to 16 accesses to several tiles travel together, and
    /// have this time in all.
    pub fn set_timeout(&mut self, cycles: u64) {
        self.port.timeout = cycles;
    }

    /// Bytes of a word. Addresses and lengths are multiples of it.
    pub fn word_bytes(&self) -> u32 {
        self.port.word_bytes
    }

    /// Bytes of a node's memory.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`].
    pub fn memory_bytes(&self, node: usize) -> Result<u32, Error> {
        self.check_node(node)?;
        Ok(self.nodes[node].memory_bytes)
    }

    /// A tile as the initiator of operations.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`].
    pub fn tile(&mut self, tile: usize) -> Result<Initiator<'_, T>, Error> {
        let last = self.config().tiles() - 1;
        if tile > last {
            return Err(Error::NoSuchNode { node: tile, last });
        }
        Ok(Initiator::new(self, tile))
    }

    /// The host as the initiator of operations. They use the same command queue and micro-cores as the driver's accesses to other
    /// nodes. A message without a credit would be parked and keep one of these micro-cores, so the driver refuses it
    /// ([`Error::NoCredit`]). It does not check programs and raw descriptors: no operation of the host may wait for an action of
    /// the driver.
    pub fn host(&mut self) -> Initiator<'_, T> {
        let host = self.port.host;
        Initiator::new(self, host)
    }

    /// Reads 32-bit words of a node's memory.
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::OutOfMemory`], [`Error::NoSuchNode`], [`Error::Timeout`], [`Error::Transport`].
    pub fn read(&mut self, node: usize, address: u32, words: usize) -> Result<Vec<u32>, Error> {
        self.check_local(node, "address", address, "length", 4 * words as u64)?;
        let mut read = vec![0; words];
        self.read_space(node, address, &mut read)?;
        Ok(read)
    }

    /// Writes 32-bit words of a node's memory.
    ///
    /// # Errors
    /// As for [`Fabric::read`]; nothing is written unless the fabric itself fails.
    pub fn write(&mut self, node: usize, address: u32, words: &[u32]) -> Result<(), Error> {
        self.check_local(node, "address", address, "length", 4 * words.len() as u64)?;
        self.write_space(node, address, words)
    }

    /// Takes memory of a node, in multiples of 8 bytes.
    ///
    /// # Errors
    /// [`Error::Exhausted`], [`Error::NoSuchNode`].
    pub fn allocate(&mut self, node: usize, bytes: u32) -> Result<Region, Error> {
        self.check_node(node)?;
        Error::check_range("bytes", bytes.into(), 1, self.nodes[node].memory_bytes.into())?;
        let bytes = bytes.next_multiple_of(8);
        let base = self.nodes[node].memory.take(node, bytes)?;
        Ok(Region { node, base, bytes })
    }

    /// Gives memory back.
    ///
    /// # Errors
    /// [`Error::NotAllocated`].
    pub fn free(&mut self, region: Region) -> Result<(), Error> {
        let Region { node, base, .. } = region;
        self.check_node(node)?;
        self.nodes[node].memory.give(node, base)
    }

    /// Leaves windows, segments, events and bytes of memory of a tile to a master at its port: the driver hands none of them
    /// out, until the fabric is opened anew. `bytes` begins and ends at a multiple of 8. The driver still writes where it is told
    /// to.
    ///
    /// The driver counts the room in the command queue of the tile as if it alone sent descriptors there. So either the driver
    /// commands the tile or the master does. Who counts nothing takes an SLVERR, or COMMAND_FULL, for a full queue.
    ///
    /// ```
    /// use portico::{registers::EventRegister, Config, Fabric, GoldenTransport, Transport};
    /// use portico_spec::ni::registers::address;
    ///
    /// let config = Config { edge_nodes: 1, tile_ports: true, ..Config::default() };
    /// let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
    /// fabric.reserve(3, 0..0, 0..1, 0..1, 0..0x400)?;
    /// assert_eq!(fabric.allocate(3, 64)?.base, 0x400);
    /// assert_eq!(fabric.event(3)?.number(), 1);
    ///
    /// // The master at tile 3 counts in its own event.
    /// let count = address(&config, EventRegister::Count, 0) as u32;
    /// fabric.transport().port(3)?.write(count, 7)?;
    /// assert_eq!(fabric.peek(3, EventRegister::Count, 0)?, 7);
    /// # Ok::<(), portico::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoSuchNode`] of a node that is no tile, [`Error::NotBuilt`] if the tiles have no ports, [`Error::OutOfRange`] and
    /// [`Error::OutOfMemory`] of what the tile does not have, [`Error::Misaligned`], [`Error::Taken`] of what the driver has handed
    /// out. Nothing is reserved then.
    pub fn reserve(
        &mut self,
        tile: usize,
        windows: Range<usize>,
        segments: Range<usize>,
        events: Range<usize>,
        bytes: Range<u32>,
    ) -> Result<(), Error> {
        check_port(self.config(), tile)?;
        for (field, value) in [("first byte", bytes.start), ("end of bytes", bytes.end)] {
            if !value.is_multiple_of(8) {
                let (value, unit) = (value.into(), 8);
                return Err(Error::Misaligned { field, value, unit });
            }
        }
        let length = bytes.end.saturating_sub(bytes.start);
        self.check_local(tile, "first byte", bytes.start, "bytes", length.into())?;
        let node = &mut self.nodes[tile];
        let numbers = [
            (&mut node.windows, windows),
            (&mut node.segments, segments),
            (&mut node.events, events),
        ];
        for (numbers, wanted) in &numbers {
            numbers.check_free(tile, wanted)?;
        }
        if !node.memory.is_free(bytes.start, length) {
            let resource = "bytes of memory";
            return Err(Error::Taken { node: tile, resource });
        }
        node.memory.reserve(bytes.start, length);
        for (numbers, wanted) in numbers {
            numbers.reserve(wanted);
        }
        Ok(())
    }

    pub(crate) fn check_node(&self, node: usize) -> Result<(), Error> {
        let last = self.nodes.len() - 1;
        if node > last {
            return Err(Error::NoSuchNode { node, last });
        }
        Ok(())
    }

    /// Checks that packets get from one node to the other.
    pub(crate) fn check_way(&self, from: usize, to: usize) -> Result<(), Error> {
        if from == to && to >= self.config().tiles() {
            return Err(Error::NoWay { node: to });
        }
        Ok(())
    }

    /// Checks a piece of a node's memory.
    pub(crate) fn check_local(
        &self,
        node: usize,
        field: &'static str,
        address: u32,
        length_field: &'static str,
        bytes: u64,
    ) -> Result<(), Error> {
        self.check_node(node)?;
        self.check_aligned(field, address)?;
        let size = self.nodes[node].memory_bytes;
        let end = u64::from(address) + bytes;
        if end > u64::from(size) {
            return Err(Error::OutOfMemory {
                node,
                address,
                end,
                size,
            });
        }
        self.check_aligned(length_field, bytes as u32)
    }

    pub(crate) fn check_aligned(&self, field: &'static str, value: u32) -> Result<(), Error> {
        let unit = self.word_bytes();
        if !value.is_multiple_of(unit) {
            let value = value.into();
            return Err(Error::Misaligned { field, value, unit });
        }
        Ok(())
    }
}
