//! A fabric as the soak sees it: the host's port, and the tiles' command streams, ports and events.

use crate::device::beside::BesideTiles;
use portico::{Error, GoldenTransport, Transport, TransportError};
use portico_golden::fabric::StepError;
use portico_sim::{Access, Answer, Movement, SimulatedFabric};
use portico_spec::{
    ni::{
        command::first_place,
        registers::{address, CommandRegister},
    },
    portals::engine::Step,
    streams::Beat,
    Config,
};
use std::collections::VecDeque;

/// A fabric out of reset, with its tables cleared.
pub trait SoakDevice: Transport {
    /// Queues a descriptor at the command stream of a tile or, where tiles have ports alone, at the port.
    ///
    /// # Errors
    /// A port has refused a word of this descriptor or of one before it.
    fn command(&mut self, tile: usize, descriptor: &[u32]) -> Result<(), TransportError>;

    /// The events of a tile that have fired, bit 0 for event 0.
    fn fired(&mut self, tile: usize) -> u64;

    /// What stands beside the tiles.
    fn beside(&mut self) -> &mut dyn BesideTiles;

    /// The links that move and wait, for the message after a time-out; `None` for the golden model, which has no time.
    fn movement(&mut self) -> Option<Movement> {
        None
    }

    /// The simulation that it is; `None` for the golden model.
    fn simulated(&mut self) -> Option<&mut SimulatedFabric> {
        None
    }

    /// Whether time passes, so that time-outs end what stands still: not in the golden model.
    fn has_time(&self) -> bool {
        true
    }

    /// Resets the fabric in whatever it is doing, and lets its tables be cleared.
    fn reset(&mut self);
}

/// The writes of a descriptor at a port, in their order.
fn writes<'a>(config: &Config, descriptor: &'a [u32]) -> impl Iterator<Item = (u32, u32)> + use<'a> {
    let config = config.clone();
    let places = (first_place(descriptor.len())..).zip(descriptor);
    places.map(move |(place, &word)| (address(&config, CommandRegister::Word, place) as u32, word))
}

impl<D: SoakDevice + ?Sized> SoakDevice for &mut D {
    fn command(&mut self, tile: usize, descriptor: &[u32]) -> Result<(), TransportError> {
        (**self).command(tile, descriptor)
    }

    fn fired(&mut self, tile: usize) -> u64 {
        (**self).fired(tile)
    }

    fn beside(&mut self) -> &mut dyn BesideTiles {
        (**self).beside()
    }

    fn movement(&mut self) -> Option<Movement> {
        (**self).movement()
    }

    fn simulated(&mut self) -> Option<&mut SimulatedFabric> {
        (**self).simulated()
    }

    fn has_time(&self) -> bool {
        (**self).has_time()
    }

    fn reset(&mut self) {
        (**self).reset();
    }
}

impl SoakDevice for SimulatedFabric {
    fn command(&mut self, tile: usize, descriptor: &[u32]) -> Result<(), TransportError> {
        if self.config().commands {
            self.command(tile, descriptor);
            return Ok(());
        }
        // The ports of several tiles are busy at once, and answer later.
        for (address, word) in writes(self.config(), descriptor) {
            self.ask(tile, Access::write(address, word));
        }
        while let Some(answer) = self.answer(tile) {
            answer?;
        }
        Ok(())
    }

    fn fired(&mut self, tile: usize) -> u64 {
        self.fired(tile)
    }

    fn beside(&mut self) -> &mut dyn BesideTiles {
        self
    }

    fn movement(&mut self) -> Option<Movement> {
        Some(self.movement())
    }

    fn simulated(&mut self) -> Option<&mut SimulatedFabric> {
        Some(self)
    }

    fn reset(&mut self) {
        self.reset();
    }
}

/// The golden fabric with command streams. They give each descriptor at once to the node's command queue, which waits
/// only for credits of messages.
#[derive(Clone, Debug)]
pub struct GoldenDevice {
    transport: GoldenTransport,
    /// Of each tile: words that its stream may still give, and answers of its port.
    wanted: Vec<usize>,
    answers: Vec<VecDeque<Answer>>,
}

impl GoldenDevice {
    /// A fabric after reset.
    ///
    /// # Errors
    /// The configuration has no host.
    pub fn new(config: &Config) -> Result<Self, Error> {
        Ok(Self {
            transport: GoldenTransport::new(config)?,
            wanted: vec![0; config.tiles()],
            answers: vec![VecDeque::new(); config.tiles()],
        })
    }

    /// Four bytes of a node, as the host would read them.
    pub fn peek(&mut self, node: usize, address: u32) -> u32 {
        self.transport.fabric().read(node, address)
    }

    /// From now on the Portals engines of all tiles follow hardware.
    pub fn follow_portals(&mut self) {
        self.transport.fabric().follow_portals();
    }

    /// The Portals engine of a tile does what a step of hardware says.
    ///
    /// # Errors
    /// It cannot do that.
    pub fn step_portals(&mut self, tile: usize, step: Step) -> Result<(), StepError> {
        self.transport.fabric().step_portals(tile, step)
    }

    /// Whether no command runs or waits anywhere.
    pub fn is_idle(&mut self) -> bool {
        self.transport.fabric().is_idle()
    }
}

impl SoakDevice for GoldenDevice {
    fn command(&mut self, tile: usize, descriptor: &[u32]) -> Result<(), TransportError> {
        // As the model of tiles that the host commands it has a stream, too.
        if self.config().commands || !self.config().tile_ports {
            self.transport.fabric().command(tile, descriptor);
            return Ok(());
        }
        let writes = writes(self.config(), descriptor);
        let mut port = self.transport.port(tile).expect("a tile with a port");
        writes
            .into_iter()
            .try_for_each(|(address, word)| port.write(address, word))
    }

    fn fired(&mut self, tile: usize) -> u64 {
        self.transport.fabric().fired(tile)
    }

    fn beside(&mut self) -> &mut dyn BesideTiles {
        self
    }

    fn has_time(&self) -> bool {
        false
    }

    fn reset(&mut self) {
        let config = self.transport.config().clone();
        *self = GoldenDevice::new(&config).expect("the configuration was one with a host");
    }
}

impl BesideTiles for GoldenDevice {
    fn give(&mut self, tile: usize, beats: &[Beat]) {
        self.transport.give(tile, beats).expect("a tile with streams");
    }

    fn want(&mut self, tile: usize, beats: usize) {
        self.wanted[tile] += beats;
    }

    fn taken(&mut self, tile: usize) -> Vec<Beat> {
        let taken = self
            .transport
            .take(tile, self.wanted[tile])
            .expect("a tile with streams");
        self.wanted[tile] -= taken.len();
        taken
    }

    fn ask(&mut self, tile: usize, access: Access) {
        let mut port = self.transport.port(tile).expect("a tile with a port");
        self.answers[tile].push_back(match access {
            Access::Read { address } => port.read(address),
            Access::Write { address, value, .. } => port.write(address, value).map(|()| 0),
        });
    }

    fn answer(&mut self, tile: usize) -> Option<Answer> {
        self.answers[tile].pop_front()
    }
}

impl Transport for GoldenDevice {
    portico::forward_transport!(transport: config, read, write, cycles, wait, interrupt);
}
