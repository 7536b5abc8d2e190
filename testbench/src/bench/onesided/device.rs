//! A fabric as the benchmark sees it: the host's port, the tiles' command streams and events, and time.

use crate::device::beside::BesideTiles;
use portico::TransportError;
use portico_sim::SimulatedFabric;
use portico_spec::Config;

/// A fabric out of reset, with its tables cleared.
pub trait FabricDevice {
    /// The configuration.
    fn config(&self) -> &Config;

    /// Cycles so far; the number of the one that is under way.
    fn cycles(&self) -> u64;

    /// Lets a cycle pass.
    fn cycle(&mut self);

    /// Queues a descriptor at the command stream of a tile: its first word is offered in the cycle that is under way if
    /// nothing waits before it.
    fn command(&mut self, tile: usize, descriptor: &[u32]);

    /// Descriptors of this tile that were accepted whole, and the cycle in which the last beat of the latest was.
    fn accepted(&self, tile: usize) -> (u64, u64);

    /// The events of a tile that show in this cycle that they have fired, bit 0 for event 0.
    fn fired(&mut self, tile: usize) -> u64;

    /// Those of the host node.
    fn host_fired(&mut self) -> u64;

    /// What stands beside the tiles, if anything may.
    fn beside(&mut self) -> Option<&mut dyn BesideTiles>;

    /// Writes four bytes at a byte address of the host node.
    ///
    /// # Errors
    /// The response is not OKAY.
    fn write(&mut self, address: u32, word: u32) -> Result<(), TransportError>;

    /// Reads four bytes at a byte address of the host node.
    ///
    /// # Errors
    /// The response is not OKAY.
    fn read(&mut self, address: u32) -> Result<u32, TransportError>;
}

impl FabricDevice for SimulatedFabric {
    fn config(&self) -> &Config {
        self.config()
    }

    fn cycles(&self) -> u64 {
        self.cycles()
    }

    fn cycle(&mut self) {
        self.cycle();
    }

    fn command(&mut self, tile: usize, descriptor: &[u32]) {
        self.command(tile, descriptor);
    }

    fn accepted(&self, tile: usize) -> (u64, u64) {
        self.accepted(tile)
    }

    fn fired(&mut self, tile: usize) -> u64 {
        self.fired(tile)
    }

    fn host_fired(&mut self) -> u64 {
        self.host_fired()
    }

    fn beside(&mut self) -> Option<&mut dyn BesideTiles> {
        Some(self)
    }

    fn write(&mut self, address: u32, word: u32) -> Result<(), TransportError> {
        self.write_word(address, word)
    }

    fn read(&mut self, address: u32) -> Result<u32, TransportError> {
        self.read_word(address)
    }
}
