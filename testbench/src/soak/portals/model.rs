//! The model carries out a command, and its events are kept.

use super::{
    super::{
        access::{self, Rows},
        device::SoakDevice,
        epoch::Epoch,
        operation::Operation,
        site::SHARED,
        workload::Kind,
    },
    entries::Entry,
    site::RINGS,
};
use portico_spec::{
    ni::{
        command::SHAPERS,
        descriptor::{Command as NodeCommand, Descriptor},
        registers::PortalsRegister,
        segment::SEGMENTS,
    },
    portals::engine::{Command, Event, EventKind, EVENT_BYTES, EVENT_WORDS},
};
use rand::{rngs::StdRng, Rng};

impl<D: SoakDevice> Epoch<D> {
    /// An operation with this command, in which all that the engine does not look at is random.
    ///
    /// # Errors
    /// A field is out of its range.
    pub fn portals_operation(
        &self,
        command: Command,
        event: Option<usize>,
        random: &mut StdRng,
    ) -> anyhow::Result<Operation> {
        let quiet = event.is_none() && random.gen_bool(0.3);
        let event = event.unwrap_or_else(|| random.gen_range(SHARED));
        let words = Descriptor {
            segment: random.gen_range(0..SEGMENTS) as u8,
            event: event as u8,
            quiet,
            drained: random.gen(),
            shaper: random.gen_range(0..SHAPERS) as u8,
            command: NodeCommand::Portals(command),
        }
        .encode(&self.config)?;
        Ok(Operation {
            counts: !quiet,
            ..Operation::counting(Kind::Portals, event, words)
        })
    }

    /// The model does what the tile is to do, and raises events there and at the target of a move.
    ///
    /// # Errors
    /// The model raises an event without a meaning.
    pub fn model_portals(&mut self, tile: usize, operation: &Operation, target: Option<usize>) -> anyhow::Result<()> {
        self.model(tile, operation)?;
        let tiles = [Some(tile), target.filter(|&target| target != tile)];
        tiles
            .into_iter()
            .flatten()
            .try_for_each(|tile| self.expect_events(tile))
    }

    /// Takes the events that the model has raised at a tile.
    ///
    /// # Errors
    /// One has no meaning.
    pub fn expect_events(&mut self, tile: usize) -> anyhow::Result<()> {
        let Some(rank) = self.site.portals.rank_of(tile) else {
            return Ok(());
        };
        for ring in 0..RINGS {
            let base = self.golden_site.portals.tiles[rank].rings[ring].base;
            let before = self.portals.ranks[rank].rings[ring].taken[1];
            loop {
                let own = &mut self.portals.ranks[rank].rings[ring];
                let (log, taken) = (own.logs[1], own.taken[1]);
                let start = base + u32::from(taken & ((1 << log) - 1)) * EVENT_BYTES as u32;
                let golden = self.golden.transport();
                if Event::phase(golden.peek(tile, start)) != (taken >> log & 1 == 0) {
                    break;
                }
                let words: Vec<u32> = (0..EVENT_WORDS as u32)
                    .map(|at| golden.peek(tile, start + 4 * at))
                    .collect();
                let words = words.try_into().expect("as many words as an event has");
                let event = Event::decode(&words).expect("the model raises events with a meaning");
                own.taken[1] = taken.wrapping_add(1);
                own.expect(event);
                let entries = &mut self.portals.ranks[rank].entries;
                entries.iter_mut().for_each(|entry| entry.see(&event));
            }
            let taken = self.portals.ranks[rank].rings[ring].taken[1];
            if taken != before {
                let place = Rows::new(&self.golden, tile, PortalsRegister::EqTaken, ring, 1, 1);
                access::poke(&mut self.golden, self.golden_site.staging, place, &[taken.into()])?;
            }
        }
        Ok(())
    }
}

impl Entry {
    /// The model has raised an event: the entry has left if it says so.
    fn see(&mut self, event: &Event) {
        let is_own = event.user_pointer == self.user_pointer;
        let leaves = match event.kind {
            EventKind::AutoUnlink => true,
            EventKind::Put | EventKind::Get => self.leaves_silently,
            _ => false,
        };
        self.has_left |= is_own && leaves;
    }
}
