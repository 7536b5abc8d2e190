//! From one reset to the next: a site, and the model beside it.

use super::{
    access::{self, Rows},
    beside::Beside,
    collectives::Collectives,
    device::{GoldenDevice, SoakDevice},
    draw::{PairState, TileState},
    episode::Failing,
    operation::Operation,
    portals::Portals,
    site::{Choices, Site, FENCES},
    workload::Workload,
};
use anyhow::ensure;
use portico::Fabric;
use portico_spec::{
    ni::{
        command::first_place,
        event::{Compare, Control},
        registers::{CommandRegister, EventRegister},
    },
    Config,
};
use rand::rngs::StdRng;
use std::collections::VecDeque;

/// Longest time of a round after its last descriptor was given.
pub const ROUND_CYCLES: u64 = 300_000;

/// A fabric that is set up, and the model of it.
pub struct Epoch<D> {
    pub config: Config,
    pub device: Fabric<D>,
    pub site: Site,
    pub golden: Fabric<GoldenDevice>,
    pub golden_site: Site,
    pub pairs: Vec<PairState>,
    pub tiles: Vec<TileState>,
    /// What stands beside each tile.
    pub beside: Vec<Beside>,
    pub collectives: Collectives,
    pub failing: Failing,
    pub portals: Portals,
    /// Messages on the way, by target, a node, and initiator, a tile.
    pub messages: Vec<Vec<VecDeque<Vec<u32>>>>,
    pub workload: Workload,
    /// Of the queues.
    pub turn: usize,
}

impl<D: SoakDevice> Epoch<D> {
    /// Sets up a device that comes from its reset.
    ///
    /// # Errors
    /// It does not do what it is told.
    pub fn new(device: D, workload: Workload, random: &mut StdRng) -> anyhow::Result<Self> {
        let config = device.config().clone();
        let mut golden = Fabric::open(GoldenDevice::new(&config)?)?;
        let mut device = Fabric::open(device)?;
        let choices = Choices::new(&golden, workload, random);
        let golden_site = Site::new(&mut golden, &choices)?;
        let site = Site::new(&mut device, &choices)?;
        let tiles = config.tiles();
        let mut epoch = Epoch {
            pairs: site.pairs.iter().map(|_| PairState::default()).collect(),
            tiles: (0..tiles).map(|_| TileState::default()).collect(),
            beside: (0..tiles).map(Beside::new).collect(),
            collectives: Collectives::default(),
            failing: Failing::default(),
            portals: Portals::default(),
            messages: vec![vec![VecDeque::new(); tiles]; config.terminals()],
            config,
            device,
            site,
            golden,
            golden_site,
            workload,
            turn: 0,
        };
        epoch.begin_portals(&choices.portals, random)?;
        Ok(epoch)
    }

    /// The message that a tile has just sent to another's queue will come.
    pub fn expect_message(&mut self, tile: usize, target: usize) -> anyhow::Result<()> {
        let own = self.golden_site.nodes.get_mut(&target).expect("it has a queue");
        let Some(queue) = &mut own.queue else { return Ok(()) };
        let message = queue.receive(&mut self.golden)?;
        let message = message.filter(|message| message.source == tile);
        let message = message.expect("the model delivers a message at once");
        queue.release(&mut self.golden, 1)?;
        self.messages[target][tile].push_back(message.words);
        Ok(())
    }

    /// The model does what the tile is to do.
    pub fn model(&mut self, tile: usize, operation: &Operation) -> anyhow::Result<()> {
        self.golden.transport().command(tile, &operation.words)?;
        let count = &mut self.tiles[tile].counts[operation.event];
        *count = count.wrapping_add(u16::from(operation.counts));
        Ok(())
    }

    /// Lets the event of fences fire when all of them have completed.
    pub fn await_fences(&mut self, tile: usize) -> anyhow::Result<()> {
        let control = Control {
            threshold: self.tiles[tile].counts[FENCES],
            compare: Compare::Equal,
            interrupt: false,
        };
        let place = Rows::new(&self.device, tile, EventRegister::Control, FENCES, 1, 1);
        access::poke(&mut self.device, self.site.staging, place, &[control.encode()])?;
        let fired = self.device.transport().fired(tile) >> FENCES & 1;
        ensure!(
            fired == 0,
            "tile {tile}: the event of fences has fired before there were any"
        );
        Ok(())
    }

    /// Gives a descriptor to a tile, whose queue has room for it.
    pub fn command(&mut self, tile: usize, words: &[u32]) -> anyhow::Result<()> {
        if self.config.commands || self.config.tile_ports {
            return Ok(self.device.transport().command(tile, words)?);
        }
        let first = first_place(words.len());
        let place = Rows::new(&self.device, tile, CommandRegister::Word, first, 1, words.len());
        access::poke(&mut self.device, self.site.staging, place, words)
    }

    /// Each accelerator takes and gives some words, each master makes some accesses; what has come is compared.
    pub fn stand_beside(&mut self, random: &mut StdRng) -> anyhow::Result<()> {
        for (tile, beside) in self.beside.iter_mut().enumerate() {
            let device = self.device.transport().beside();
            if self.config.streams {
                beside.pass_some(device, random);
            }
            // Where there is no command stream the port has the descriptors.
            if self.config.tile_ports && self.config.commands {
                let own = self.site.initiators[tile].of_port;
                beside.access(device, self.golden.transport().beside(), own, random);
            }
        }
        self.compare_beside()
    }

    /// All words pass, and what has come is compared.
    pub fn finish_beside(&mut self) -> anyhow::Result<()> {
        let device = self.device.transport().beside();
        self.beside.iter_mut().for_each(|beside| beside.pass_all(device));
        self.compare_beside()
    }

    fn compare_beside(&mut self) -> anyhow::Result<()> {
        for beside in &mut self.beside {
            let device = self.device.transport().beside();
            if self.config.streams {
                beside.compare_stream(device)?;
            }
            beside.compare_answers(device, self.golden.transport().beside())?;
        }
        Ok(())
    }
}
