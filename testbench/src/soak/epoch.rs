//! From one reset to the next: a site, the model beside it, and rounds of operations.

use super::{
    access::{self, Rows},
    check::{self, Round},
    credits,
    device::{GoldenDevice, SoakDevice},
    operation::{Draw, Operation},
    site::{Choices, Site, EVENTS, FENCES, SINGLE},
    summary::Tally,
    workload::{Kind, Workload},
    Soak,
};
use anyhow::ensure;
use portico::Fabric;
use portico_spec::{
    ni::{
        descriptor::{Command, Descriptor},
        event::{Compare, Control},
        registers::EventRegister,
    },
    Config,
};
use rand::{rngs::StdRng, Rng};
use std::{collections::VecDeque, time::Instant};

/// Most operations of a tile in a round.
const MOST_OPERATIONS: usize = 150;
/// Longest time of a round after its last descriptor was given.
pub const ROUND_CYCLES: u64 = 300_000;

/// What the generator knows of a pair.
#[derive(Default)]
pub struct PairState {
    /// In this round the zone is read, and so not written.
    pub is_read: bool,
    /// Words in the stream's window since it was rewound.
    pub streamed: u32,
    /// Something is on its way to the mailbox in this round.
    pub mailed: bool,
}

/// What the generator knows of a tile.
#[derive(Default)]
pub struct TileState {
    /// Events of this round that belong to one descriptor.
    pub singles: usize,
    /// How often each event of its own must have counted.
    pub counts: [u16; EVENTS],
}

/// A fabric that is set up, and the model of it.
pub struct Epoch<D> {
    pub config: Config,
    pub device: Fabric<D>,
    pub site: Site,
    pub golden: Fabric<GoldenDevice>,
    pub golden_site: Site,
    pub pairs: Vec<PairState>,
    pub tiles: Vec<TileState>,
    /// Messages on the way, by target, a node, and initiator, a tile.
    pub messages: Vec<Vec<VecDeque<Vec<u32>>>>,
    workload: Workload,
    /// Of the queues.
    turn: usize,
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
        Ok(Epoch {
            pairs: site.pairs.iter().map(|_| PairState::default()).collect(),
            tiles: (0..tiles).map(|_| TileState::default()).collect(),
            messages: vec![vec![VecDeque::new(); tiles]; config.terminals()],
            config,
            device,
            site,
            golden,
            golden_site,
            workload,
            turn: 0,
        })
    }

    /// Rounds, one at least, until the soak is over or the device is to be reset; gives whether it is over. It ends with a
    /// whole round, after which all credits are counted.
    ///
    /// # Errors
    /// The device does something wrong.
    pub fn run(
        &mut self,
        soak: &Soak,
        random: &mut StdRng,
        tally: &mut Tally,
        progress: &mut dyn FnMut(u64),
    ) -> anyhow::Result<bool> {
        loop {
            let cut = tally.cycles < soak.cycles && random.gen_bool(soak.resets);
            if cut {
                tally.summary.words += check::memories(self)?;
            }
            let (begun, clock) = (self.device.transport().cycles(), Instant::now());
            let round = self.begin(random)?;
            if cut {
                let cycles = random.gen_range(0..1000);
                self.device.transport().wait(cycles);
                tally.pass(self.device.transport().cycles() - begun, clock.elapsed());
                return Ok(false);
            }
            tally.pass(self.complete()? - begun, clock.elapsed());
            self.compare(&round)?;
            tally.summary.words += check::memory(self, self.any_node(random))?;
            tally.add(&round.kinds());
            progress(tally.cycles);
            if tally.cycles >= soak.cycles {
                break;
            }
        }
        credits::spend(self)?;
        tally.summary.words += check::memories(self)?;
        Ok(true)
    }

    /// Gives every tile its descriptors, some at a time.
    fn begin(&mut self, random: &mut StdRng) -> anyhow::Result<Round> {
        for state in &mut self.pairs {
            state.is_read = random.gen_bool(0.25);
            state.mailed = false;
        }
        self.tiles.iter_mut().for_each(|tile| tile.singles = 0);
        let mut round = Round::new(self);
        let mut batches: Vec<Vec<Vec<u32>>> = vec![];
        for tile in 0..self.config.tiles() {
            let operations = random.gen_range(0..MOST_OPERATIONS);
            let drawn = (0..operations).filter_map(|_| self.draw(tile, random).transpose());
            let mut drawn = drawn.collect::<anyhow::Result<Vec<Operation>>>()?;
            drawn.extend(self.fences(tile)?);
            batches.push(drawn.iter().map(|operation| operation.words.clone()).collect());
            round.operations.push(drawn);
        }
        for tile in 0..self.config.tiles() {
            self.await_fences(tile)?;
        }
        while batches.iter().any(|batch| !batch.is_empty()) {
            for (tile, batch) in batches.iter_mut().enumerate() {
                let some = random.gen_range(0..=batch.len().min(12));
                for words in batch.drain(..some) {
                    self.device.transport().command(tile, &words);
                }
            }
            self.device.transport().wait(random.gen_range(0..60));
            self.receive_next()?;
        }
        Ok(round)
    }

    fn any_node(&self, random: &mut StdRng) -> usize {
        let nodes = self.site.targets();
        nodes[random.gen_range(0..nodes.len())]
    }

    /// Receives at the queue whose turn it is: a look at all of them takes the host so long that tiles would stand idle.
    fn receive_next(&mut self) -> anyhow::Result<()> {
        let nodes = self.site.targets();
        let turn = self.turn % nodes.len();
        self.turn = turn + 1;
        check::receive_at(self, nodes[turn])
    }

    /// The next operation of a tile, which the model has done already; `None` if the one drawn is not to be had.
    fn draw(&mut self, tile: usize, random: &mut StdRng) -> anyhow::Result<Option<Operation>> {
        let own: Vec<usize> = (0..self.site.pairs.len())
            .filter(|&at| self.site.pairs[at].initiator == tile)
            .collect();
        let at = own[random.gen_range(0..own.len())];
        let kind = self.workload.choose(random);
        let drawn = Draw {
            config: &self.config,
            site: &self.site,
            pair: &self.site.pairs[at],
            state: &mut self.pairs[at],
            tile: &mut self.tiles[tile],
            golden: self.golden.transport(),
            random,
        }
        .operation(kind);
        if let Some(operation) = &drawn {
            let target = self.site.pairs[at].target;
            self.model(tile, operation)?;
            if kind == Kind::Enqueue {
                self.expect_message(tile, target)?;
            }
        }
        Ok(drawn)
    }

    /// The message that a tile has just sent to another's queue will come.
    pub fn expect_message(&mut self, tile: usize, target: usize) -> anyhow::Result<()> {
        let own = self.golden_site.nodes.get_mut(&target).expect("it has a queue");
        let queue = &mut own.queue;
        let message = queue.receive(&mut self.golden)?;
        let message = message.filter(|message| message.source == tile);
        let message = message.expect("the model delivers a message at once");
        queue.release(&mut self.golden, 1)?;
        self.messages[target][tile].push_back(message.words);
        Ok(())
    }

    /// The model does what the tile is to do.
    pub fn model(&mut self, tile: usize, operation: &Operation) -> anyhow::Result<()> {
        self.golden.transport().command(tile, &operation.words);
        let count = &mut self.tiles[tile].counts[operation.event];
        *count = count.wrapping_add(u16::from(operation.counts));
        Ok(())
    }

    /// Fences on all segments on which transactions may be open.
    fn fences(&mut self, tile: usize) -> anyhow::Result<Vec<Operation>> {
        let own = self.site.pairs.iter().filter(|pair| pair.initiator == tile);
        let handles: Vec<u8> = own
            .flat_map(|pair| {
                [
                    pair.zone,
                    pair.fixed,
                    pair.counters,
                    pair.closed,
                    pair.mistaken,
                    pair.smaller,
                ]
            })
            .collect();
        let mut fences = vec![];
        for segment in handles {
            let fence = Descriptor {
                segment,
                event: FENCES as u8,
                ..Descriptor::new(Command::Fence)
            };
            let operation = Operation::counting(Kind::Fence, FENCES, fence.encode(&self.config)?);
            self.model(tile, &operation)?;
            fences.push(operation);
        }
        Ok(fences)
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

    /// Waits until all fences have completed; gives the cycle.
    fn complete(&mut self) -> anyhow::Result<u64> {
        let begun = self.device.transport().cycles();
        for tile in 0..self.config.tiles() {
            while self.device.transport().fired(tile) >> FENCES & 1 == 0 {
                self.receive_next()?;
                self.device.transport().wait(20);
                let cycles = self.device.transport().cycles() - begun;
                if cycles > ROUND_CYCLES {
                    let state = check::events(&mut self.device, self.site.staging, tile)?;
                    let expected = &self.tiles[tile].counts;
                    anyhow::bail!(
                        "tile {tile}: fences have not completed after {cycles} cycles; its events have counted {:?}, \
                         expected {:?}",
                        state.iter().map(|event| event.count).collect::<Vec<_>>(),
                        expected
                    );
                }
            }
        }
        Ok(self.device.transport().cycles())
    }

    /// Waits for what nobody is told of, compares, and gets ready for the next round.
    fn compare(&mut self, round: &Round) -> anyhow::Result<()> {
        let end = self.device.transport().cycles() + ROUND_CYCLES;
        check::arrivals(self, end)?;
        check::round(self, round)?;
        self.rewind()
    }

    /// Makes room in streams, and clears the errors of events that the next round uses again.
    fn rewind(&mut self) -> anyhow::Result<()> {
        for at in 0..self.pairs.len() {
            if self.pairs[at].streamed > self.site.zone_words / 8 {
                self.pairs[at].streamed = 0;
                self.site.pairs[at].stream_window.rewind(&mut self.device)?;
                self.golden_site.pairs[at].stream_window.rewind(&mut self.golden)?;
            }
        }
        for tile in 0..self.config.tiles() {
            let place = Rows::new(&self.golden, tile, EventRegister::Status, SINGLE.start, SINGLE.len(), 1);
            let none = [0; SINGLE.end - SINGLE.start];
            access::poke(&mut self.device, self.site.staging, place, &none)?;
            access::poke(&mut self.golden, self.golden_site.staging, place, &none)?;
        }
        Ok(())
    }
}
