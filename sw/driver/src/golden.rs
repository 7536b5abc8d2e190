//! The golden fabric as a transport, in this process.

use portico_golden::{
    bridge::{Bus, Refused},
    GoldenFabric,
};
use portico_spec::{ni::registers::SPACE_BYTES, streams::Beat, Config};

use crate::{
    fabric::{check_port, check_streams},
    Error, Transport, TransportError,
};

/// Drives a [`GoldenFabric`] through its host node. It has no time: a cycle is an access.
///
/// ```
/// use portico::{GoldenTransport, Transport};
/// use portico_spec::Config;
///
/// let mut transport = GoldenTransport::new(&Config::default())?;
/// transport.write(0x40, 7)?;
/// assert_eq!((transport.read(0x40)?, transport.cycles()), (7, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GoldenTransport {
    fabric: GoldenFabric,
    host: usize,
    cycles: u64,
}

impl GoldenTransport {
    /// A fabric after reset, with as many edge nodes as host and memories take, whatever `edge_nodes` of the configuration.
    ///
    /// # Errors
    /// [`Error::Config`] if a value is not allowed.
    pub fn new(config: &Config) -> Result<GoldenTransport, Error> {
        let config = config.fabric()?;
        Ok(GoldenTransport {
            fabric: GoldenFabric::new(&config),
            host: config.tiles(),
            cycles: 0,
        })
    }

    /// The fabric itself, to inspect the effects of the driver.
    pub fn fabric(&mut self) -> &mut GoldenFabric {
        &mut self.fabric
    }

    /// The port of a tile, for the memory and the registers of the tile.
    ///
    /// A driver that commands the same tile counts the room in its command queue alone: see [`Fabric::reserve`].
    ///
    /// # Errors
    /// [`Error::NoSuchNode`], [`Error::NotBuilt`] if the tiles have no ports.
    ///
    /// [`Fabric::reserve`]: crate::Fabric::reserve
    pub fn port(&mut self, tile: usize) -> Result<GoldenPort<'_>, Error> {
        check_port(self.fabric.config(), tile)?;
        Ok(GoldenPort { golden: self, tile })
    }

    /// Gives words to the stream into a tile: they wait until a receive takes them.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`], [`Error::NotBuilt`] if the tiles have no streams.
    pub fn give(&mut self, tile: usize, beats: &[Beat]) -> Result<(), Error> {
        check_streams(self.fabric.config(), tile)?;
        self.fabric.give(tile, beats);
        Ok(())
    }

    /// Takes up to `most` words from the stream out of a tile: as many as sends have.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`], [`Error::NotBuilt`] if the tiles have no streams.
    pub fn take(&mut self, tile: usize, most: usize) -> Result<Vec<Beat>, Error> {
        check_streams(self.fabric.config(), tile)?;
        Ok(self.fabric.take(tile, most))
    }

    fn check(&mut self, address: u32) -> Result<(), TransportError> {
        let limit = SPACE_BYTES as u32;
        if address >= limit || !address.is_multiple_of(4) {
            return Err(TransportError::Address { address, limit });
        }
        self.cycles += 1;
        Ok(())
    }

    fn read_at(&mut self, node: usize, address: u32) -> Result<u32, TransportError> {
        self.check(address)?;
        Ok(self.fabric.read(node, address))
    }

    fn write_at(&mut self, node: usize, address: u32, value: u32) -> Result<(), TransportError> {
        self.check(address)?;
        if !self.fabric.write(node, address, value) {
            return Err(TransportError::slave_error(address));
        }
        Ok(())
    }
}

impl Transport for GoldenTransport {
    fn config(&self) -> &Config {
        self.fabric.config()
    }

    fn read(&mut self, address: u32) -> Result<u32, TransportError> {
        self.read_at(self.host, address)
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError> {
        self.write_at(self.host, address, value)
    }

    fn cycles(&self) -> u64 {
        self.cycles
    }

    fn wait(&mut self, cycles: u64) {
        self.cycles += cycles;
    }

    fn interrupt(&mut self) -> bool {
        self.fabric.interrupt(self.host)
    }
}

/// The port of a tile of a golden fabric: see [`GoldenTransport::port`].
#[derive(Debug)]
pub struct GoldenPort<'a> {
    golden: &'a mut GoldenTransport,
    tile: usize,
}

impl Transport for GoldenPort<'_> {
    fn config(&self) -> &Config {
        self.golden.config()
    }

    fn read(&mut self, address: u32) -> Result<u32, TransportError> {
        self.golden.read_at(self.tile, address)
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError> {
        self.golden.write_at(self.tile, address, value)
    }

    fn cycles(&self) -> u64 {
        self.golden.cycles
    }

    fn wait(&mut self, cycles: u64) {
        self.golden.cycles += cycles;
    }

    fn interrupt(&mut self) -> bool {
        self.golden.fabric.interrupt(self.tile)
    }
}

/// A golden fabric behind a golden [bridge](portico_golden::bridge).
impl Bus for GoldenTransport {
    fn read(&mut self, address: u32) -> Result<u32, Refused> {
        Transport::read(self, address).map_err(|_| Refused)
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), Refused> {
        Transport::write(self, address, value).map_err(|_| Refused)
    }

    fn reset(&mut self) {
        self.fabric = GoldenFabric::new(self.fabric.config());
    }

    fn interrupt(&mut self) -> bool {
        Transport::interrupt(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fabric;

    #[test]
    fn a_configuration_opens_as_it_is_or_is_refused_with_its_key() {
        let transport = GoldenTransport::new(&Config::default()).unwrap();
        assert_eq!(transport.config().edge_nodes, 1);
        assert_eq!(Fabric::open(transport).unwrap().host_node(), 16);
        let memories = Config {
            memories: 2,
            ..Config::default()
        };
        assert_eq!(GoldenTransport::new(&memories).unwrap().config().edge_nodes, 3);
        for (setting, message) in [
            (
                Config {
                    cols: 0,
                    ..Config::default()
                },
                "cols = 0 is not allowed: allowed is 1..=16",
            ),
            (
                Config {
                    memories: 4,
                    ..Config::default()
                },
                "memories = 4",
            ),
            (
                Config {
                    width: 48,
                    ..Config::default()
                },
                "width = 48",
            ),
        ] {
            let refused = GoldenTransport::new(&setting).unwrap_err();
            assert!(matches!(refused, Error::Config(_)), "{refused:?}");
            assert!(refused.to_string().starts_with(message), "{refused}");
        }
    }

    #[test]
    fn a_port_reaches_its_tile_and_there_is_none_without_the_key() {
        let config = Config {
            edge_nodes: 1,
            tile_ports: true,
            ..Config::default()
        };
        let mut transport = GoldenTransport::new(&config).unwrap();
        for tile in 0..16 {
            transport.port(tile).unwrap().write(0x40, 100 + tile as u32).unwrap();
        }
        for tile in 0..16 {
            assert_eq!(transport.fabric().read(tile, 0x40), 100 + tile as u32);
        }
        assert_eq!(Transport::read(&mut transport, 0x40), Ok(0), "the host's memory");
        let (node, last) = (16, 15);
        assert_eq!(transport.port(16).err(), Some(Error::NoSuchNode { node, last }));
        let without = Config {
            tile_ports: false,
            ..config
        };
        let mut without = GoldenTransport::new(&without).unwrap();
        assert_eq!(
            without.port(3).unwrap_err().to_string(),
            "node 3 is built without a port: set the key tile_ports"
        );
    }

    #[test]
    fn a_transport_takes_words_of_the_hosts_space() {
        let config = Config {
            edge_nodes: 1,
            ..Config::default()
        };
        let mut transport = GoldenTransport::new(&config).unwrap();
        for address in [2, 0x10_0000] {
            let limit = 0x10_0000;
            assert_eq!(
                Transport::read(&mut transport, address),
                Err(TransportError::Address { address, limit })
            );
            assert_eq!(
                Transport::write(&mut transport, address, 0),
                Err(TransportError::Address { address, limit })
            );
        }
    }
}
