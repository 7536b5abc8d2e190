//! What random operations are drawn from.

use super::{
    device::GoldenDevice,
    site::{singles, Pair, Site, MOST_EVENTS},
};
use portico_spec::Config;
use rand::Rng;

/// What the generator knows of a pair.
#[derive(Default)]
pub struct PairState {
    /// In this round the zone is read, and so not written.
    pub is_read: bool,
    /// Words in the stream's window since it was rewound.
    pub streamed: u32,
    /// Something is on its way to the mailbox in this round.
    pub mailed: bool,
    /// Messages of this round: drawn, given to the tile, and received.
    pub messages: u32,
    pub given: u32,
    pub received: u32,
}

/// What the generator knows of a tile.
#[derive(Default)]
pub struct TileState {
    /// Events of this round that belong to one descriptor.
    pub singles: usize,
    /// Runs of the source/sink core in this round.
    pub probes: usize,
    /// Sends and receives of this round.
    pub moves: [usize; 2],
    /// How often each event of its own must have counted.
    pub counts: [u16; MOST_EVENTS],
}

impl TileState {
    /// An event that one descriptor of this round has to itself, if there is one left.
    pub fn single_event(&mut self, config: &Config) -> Option<usize> {
        let singles = singles(config);
        let event = singles.start + self.singles;
        self.singles += 1;
        singles.contains(&event).then_some(event)
    }
}

/// All that operations of a pair are drawn from.
pub struct Draw<'a, R> {
    pub config: &'a Config,
    pub site: &'a Site,
    pub pair: &'a Pair,
    pub state: &'a mut PairState,
    pub tile: &'a mut TileState,
    /// The model, which has done all operations of the pair that came before.
    pub golden: &'a mut GoldenDevice,
    pub random: &'a mut R,
}

impl<R: Rng> Draw<'_, R> {
    pub fn word(&self) -> u32 {
        (self.config.width / 8) as u32
    }
}
