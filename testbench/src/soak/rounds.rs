//! Rounds of operations: drawn, given to all tiles, completed, compared.

use super::{
    access::{self, Rows},
    batch::{Batch, Drawn, Way, GROUP_WORDS},
    check::{self, Late, Round},
    credits,
    device::SoakDevice,
    draw::Draw,
    epoch::{Epoch, ROUND_CYCLES},
    lists,
    operation::{Operation, Room},
    portals::FENCE_WORDS,
    site::{events, singles, FENCES},
    summary::Tally,
    workload::{Kind, Soak},
};
use portico_spec::ni::{
    command::QUEUE_WORDS,
    descriptor::{Command, Descriptor},
    registers::EventRegister,
};
use rand::{rngs::StdRng, Rng};
use std::time::Instant;

impl<D: SoakDevice> Epoch<D> {
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
            while !self.advance_failing(random)? {
                self.receive_next()?;
            }
            self.end_failing(random)?;
            tally.pass(self.complete()? - begun, clock.elapsed());
            self.compare(&round)?;
            tally.summary.words += check::memory(self, self.any_node(random))?;
            tally.add(&round.kinds(), round.lists, self.failing.recoveries);
            progress(tally.cycles);
            if tally.cycles >= soak.cycles {
                break;
            }
        }
        credits::spend(self)?;
        self.spend_portals(random)?;
        tally.summary.words += check::memories(self)?;
        Ok(true)
    }

    /// Gives every tile its descriptors, some at a time.
    fn begin(&mut self, random: &mut StdRng) -> anyhow::Result<Round> {
        for state in &mut self.pairs {
            state.is_read = random.gen_bool(0.25);
            state.mailed = false;
            (state.messages, state.given, state.received) = (0, 0, 0);
        }
        self.tiles
            .iter_mut()
            .for_each(|tile| (tile.singles, tile.probes, tile.moves) = (0, 0, [0, 0]));
        self.plan_calls(random)?;
        self.begin_failing(random)?;
        self.plan_portals(random)?;
        let mut round = Round::new(self);
        let mut batches: Vec<Batch> = vec![];
        for tile in 0..self.config.tiles() {
            let count = self.tiles[tile].counts[FENCES];
            let way = self.way(tile, random);
            let drawn = self.operations(tile, way, random)?;
            batches.push(Batch::new(way, &drawn, count));
            round.operations.push(drawn.operations);
        }
        for tile in 0..self.config.tiles() {
            self.await_fences(tile)?;
        }
        let (mut left, mut moved) = (usize::MAX, 0);
        while let Some(behind) = batches.iter().position(|batch| batch.len() > 0) {
            let (cycles, now) = (self.device.transport().cycles(), batches.iter().map(Batch::len).sum());
            if now < left {
                (left, moved) = (now, cycles);
            } else if cycles - moved > ROUND_CYCLES {
                let state = check::contexts(self, behind)?.unwrap_or_default();
                anyhow::bail!(Late(format!("tile {behind}: it takes no descriptors; {state}")));
            }
            let mut lists = vec![];
            for (tile, batch) in batches.iter_mut().enumerate() {
                if batch.way != Way::Lists {
                    self.give(tile, batch, random)?;
                    continue;
                }
                let list = self.next_group(tile, batch)?;
                if !list.is_empty() {
                    lists.push((tile, list));
                }
            }
            round.lists += lists.len();
            self.launch(lists, random)?;
            self.stand_beside(random)?;
            if self.advance_failing(random)? {
                self.begin_failing(random)?;
            }
            self.device.transport().wait(random.gen_range(0..60));
            self.receive_next()?;
        }
        Ok(round)
    }

    /// How a tile is given its descriptors in a round: by lists as often as the workload says, where it has what lists need.
    fn way(&self, tile: usize, random: &mut StdRng) -> Way {
        match self.config.commands {
            // Calls that fail are posted over the stream, and a list needs the whole queue.
            true if self.failing_context().is_some() => Way::Stream,
            _ if self.has_lists(tile) && random.gen_bool(self.workload.lists()) => Way::Lists,
            true => Way::Stream,
            false => Way::Registers,
        }
    }

    /// The operations of a tile in a round, with what calls there are still to be posted and fences at the end.
    fn operations(&mut self, tile: usize, way: Way, random: &mut StdRng) -> anyhow::Result<Drawn> {
        let mut drawn = Drawn::default();
        let mut left = random.gen_range(0..self.workload.most_operations());
        loop {
            let next = if left > 0 {
                left -= 1;
                self.draw(tile, random)?
            } else if let Some(call) = self.collectives.next(tile) {
                Some(call)
            } else if let Some(step) = self.next_step(tile, random)? {
                Some(step)
            } else {
                let Some(message) = self.next_last_message(tile, random)? else {
                    break;
                };
                Some(message)
            };
            let Some(operation) = next else {
                continue;
            };
            let is_apart = way == Way::Lists && lists::is_apart(drawn.open(), &operation);
            if is_apart || !self.has_room(tile, way, drawn.open(), &operation.words) {
                self.end_group(tile, &mut drawn, random)?;
            }
            let is_last = way != Way::Stream && matches!(operation.room, Some(Room::Queue { .. }));
            drawn.operations.push(operation);
            if is_last {
                self.end_group(tile, &mut drawn, random)?;
            }
        }
        for fence in self.fences(tile)? {
            if !self.has_room(tile, way, drawn.open(), &[]) {
                drawn.end();
            }
            drawn.operations.push(fence);
            if way == Way::Registers {
                drawn.end();
            }
        }
        if way != Way::Stream && !drawn.open().is_empty() {
            drawn.end();
        }
        Ok(drawn)
    }

    /// Ends a group of descriptors with a fence: its count says that the queue has room again. A Portals engine has its own
    /// queue, and a command at the end of its descriptors.
    fn end_group(&mut self, tile: usize, drawn: &mut Drawn, random: &mut StdRng) -> anyhow::Result<()> {
        if self.portals_words(drawn.open()) > 0 {
            drawn.operations.push(self.portals_fence(tile, random)?);
        }
        let own = self.site.pairs.iter().find(|pair| pair.initiator == tile);
        let zone = own.expect("every tile has a target").zone;
        drawn.operations.push(self.fence(tile, zone)?);
        drawn.end();
        Ok(())
    }

    /// Whether a group has room for a descriptor of these words, and for fences.
    fn has_room(&self, tile: usize, way: Way, group: &[Operation], words: &[u32]) -> bool {
        let of_portals = self.portals_words(group) + self.portals_words_of(words);
        let fence = if of_portals > 0 { FENCE_WORDS } else { 0 };
        if of_portals + fence > QUEUE_WORDS / way.groups() && way != Way::Stream {
            return false;
        }
        let lengths = group.iter().map(|operation| operation.words.len());
        let lengths = lengths.chain([words.len(), fence, 1]).filter(|&words| words > 0);
        match way {
            Way::Stream => true,
            Way::Registers => lengths.sum::<usize>() <= GROUP_WORDS,
            Way::Lists => self.fits_list(tile, lengths),
        }
    }

    fn any_node(&self, random: &mut StdRng) -> usize {
        let nodes = self.site.targets();
        nodes[random.gen_range(0..nodes.len())]
    }

    /// Receives at the queue of the node whose turn it is, and reads the counts of its events: a look at all nodes takes the
    /// host so long that tiles would stand idle.
    fn receive_next(&mut self) -> anyhow::Result<()> {
        let nodes = self.site.targets();
        let turn = self.turn % nodes.len();
        self.turn = turn + 1;
        check::receive_at(self, nodes[turn])?;
        self.take_events(nodes[turn])?;
        let used = events(&self.config);
        let counts = Rows::new(&self.device, nodes[turn], EventRegister::Count, 0, used, 1);
        access::fetch(&mut self.device, self.site.staging, counts)
    }

    /// The next operation of a tile, which the model has done already; `None` if the one drawn is not to be had.
    fn draw(&mut self, tile: usize, random: &mut StdRng) -> anyhow::Result<Option<Operation>> {
        let own: Vec<usize> = (0..self.site.pairs.len())
            .filter(|&at| self.site.pairs[at].initiator == tile)
            .collect();
        let at = own[random.gen_range(0..own.len())];
        let kind = self.workload.choose(&self.config, random);
        if kind == Kind::Collective && self.config.mpe > 0 {
            return Ok(self.collectives.next(tile));
        }
        if kind == Kind::Portals {
            return self.draw_portals(tile, random);
        }
        let mut drawn = Draw {
            config: &self.config,
            site: &self.site,
            pair: &self.site.pairs[at],
            state: &mut self.pairs[at],
            tile: &mut self.tiles[tile],
            golden: self.golden.transport(),
            random,
        }
        .operation(kind);
        if let Some(operation) = &mut drawn {
            let target = self.site.pairs[at].target;
            if self.site.pairs[at].queue == Some(operation.segment()) {
                let is_message = kind == Kind::Enqueue;
                operation.room = Some(Room::Queue { pair: at, is_message });
            }
            if operation.kind == Kind::Receive {
                let golden = self.golden.transport().beside();
                self.beside[tile].come(golden, self.config.width, operation.words[2] as usize, random);
            }
            self.model(tile, operation)?;
            if operation.kind == Kind::Send {
                let send = Descriptor::decode(&self.config, &operation.words)?;
                if let Command::Send(send) = send.command {
                    let golden = self.golden.transport().beside();
                    self.beside[tile].leave(golden, send.words(&self.config) as usize)?;
                }
            }
            if kind == Kind::Enqueue {
                self.expect_message(tile, target)?;
            }
        }
        Ok(drawn)
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
                    pair.shared,
                ]
            })
            .collect();
        let mut fences = vec![];
        for segment in handles {
            fences.push(self.fence(tile, segment)?);
        }
        Ok(fences)
    }

    /// A fence that counts in the event of fences.
    fn fence(&mut self, tile: usize, segment: u8) -> anyhow::Result<Operation> {
        let fence = Descriptor {
            segment,
            event: FENCES as u8,
            ..Descriptor::new(Command::Fence)
        };
        let operation = Operation::counting(Kind::Fence, FENCES, fence.encode(&self.config)?);
        self.model(tile, &operation)?;
        Ok(operation)
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
                    let counts: Vec<u16> = state.iter().map(|event| event.count).collect();
                    anyhow::bail!(Late(format!(
                        "tile {tile}: fences have not completed after {cycles} cycles; its events have counted \
                         {counts:?}, expected {expected:?}"
                    )));
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
        self.compare_portals()?;
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
            let singles = singles(&self.config);
            let place = Rows::new(
                &self.golden,
                tile,
                EventRegister::Status,
                singles.start,
                singles.len(),
                1,
            );
            let none = vec![0; singles.len()];
            access::poke(&mut self.device, self.site.staging, place, &none)?;
            access::poke(&mut self.golden, self.golden_site.staging, place, &none)?;
        }
        Ok(())
    }
}
