//! Accelerators and masters beside the tiles of a fabric, driven by hand: several tiles in the same cycles.

use portico_sim::{Access, Answer, SimulatedFabric};
use portico_spec::streams::Beat;

/// An accelerator at the streams of each tile, and a master at its port.
pub trait BesideTiles {
    /// Queues words at the stream into a tile that has streams.
    fn give(&mut self, tile: usize, beats: &[Beat]);

    /// Lets the stream out of such a tile give so many words more.
    fn want(&mut self, tile: usize, beats: usize);

    /// What that stream has given since the last call.
    fn taken(&mut self, tile: usize) -> Vec<Beat>;

    /// Queues an access at the port of a tile that has one.
    fn ask(&mut self, tile: usize, access: Access);

    /// The oldest answer of that port that was not taken; `None` if there is none yet.
    fn answer(&mut self, tile: usize) -> Option<Answer>;
}

impl BesideTiles for SimulatedFabric {
    fn give(&mut self, tile: usize, beats: &[Beat]) {
        self.give(tile, beats).expect("a tile with streams");
    }

    fn want(&mut self, tile: usize, beats: usize) {
        self.want(tile, beats).expect("a tile with streams");
    }

    fn taken(&mut self, tile: usize) -> Vec<Beat> {
        self.taken(tile).expect("a tile with streams")
    }

    fn ask(&mut self, tile: usize, access: Access) {
        self.ask(tile, access);
    }

    fn answer(&mut self, tile: usize) -> Option<Answer> {
        self.answer(tile)
    }
}
