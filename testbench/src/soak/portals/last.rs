//! The end of a soak: all places of lists and all slots are free, and all credits of rooms are at home.

use super::{
    super::{
        check::{self, Late},
        device::SoakDevice,
        epoch::{Epoch, ROUND_CYCLES},
        operation::Operation,
        site::{FENCES, SHARED},
    },
    entries::Step,
    match_bits, FLUSH_DESCRIPTOR, HOME, MAIN, SET_COUNTER,
};
use anyhow::ensure;
use portico_spec::{
    ni::command::opcode,
    parts::PORTALS,
    portals::engine::{
        Ack, Command, Control, Move, Operation as Transfer, Step as Logged, GET_SLOTS, ROOMS, SLOTS,
        VALUE_CONTROL_WORDS,
    },
};
use rand::rngs::StdRng;
use std::collections::BTreeSet;

/// Words of [`Epoch::portals_fence`].
pub const FENCE_WORDS: usize = VALUE_CONTROL_WORDS;
/// Steps that have room in a command queue which nobody watches, with the command behind them.
const STEPS_AT_ONCE: usize = 4;

impl<D: SoakDevice> Epoch<D> {
    /// Tiles do these steps, each with success, beside nothing else.
    ///
    /// # Errors
    /// One is refused, or the device's.
    pub fn carry_out_now(&mut self, steps: Vec<(usize, Vec<Step>)>, random: &mut StdRng) -> anyhow::Result<()> {
        let most = if self.config.commands {
            usize::MAX
        } else {
            STEPS_AT_ONCE
        };
        let mut left: Vec<_> = steps
            .into_iter()
            .map(|(tile, steps)| (tile, steps.into_iter().peekable()))
            .collect();
        while left.iter_mut().any(|(_, steps)| steps.peek().is_some()) {
            let mut batches = vec![];
            for (tile, steps) in &mut left {
                let mut batch = vec![];
                for step in steps.by_ref().take(most) {
                    let operation = self.carry_out(*tile, step, random)?;
                    batch.push(operation.expect("a step that succeeds").words);
                }
                batch.push(self.portals_fence(*tile, random)?.words);
                batches.push((*tile, batch));
            }
            self.give_now(batches)?;
        }
        for tile in self.site.portals.ranks.clone() {
            let events = check::events(&mut self.device, self.site.staging, tile)?;
            let error = events[SHARED].iter().find_map(|event| event.error);
            ensure!(
                error.is_none(),
                "tile {tile}: a place of its lists is missing: {error:?}"
            );
        }
        Ok(())
    }

    /// A command that counts in the event of fences when all before it have left the engine's queue, and have ended if they are no
    /// moves.
    ///
    /// # Errors
    /// The model's.
    pub fn portals_fence(&mut self, tile: usize, random: &mut StdRng) -> anyhow::Result<Operation> {
        let fence = Control::Increment {
            counter: SET_COUNTER,
            success: 0,
            failure: 0,
        };
        let fence = self.portals_operation(Command::Control(fence), Some(FENCES), random)?;
        self.model_portals(tile, &fence, None)?;
        Ok(fence)
    }

    /// Words of these operations that are for the tile's Portals engine.
    pub fn portals_words(&self, operations: &[Operation]) -> usize {
        let words = operations
            .iter()
            .map(|operation| self.portals_words_of(&operation.words));
        words.sum()
    }

    /// The same of one descriptor.
    pub fn portals_words_of(&self, words: &[u32]) -> usize {
        let is_own = |first: &u32| self.config.portals > 0 && PORTALS.takes(opcode(*first));
        words.first().filter(|first| is_own(first)).map_or(0, |_| words.len())
    }

    /// Gives tiles descriptors, of which some count in the event of fences, and waits until these have counted.
    fn give_now(&mut self, batches: Vec<(usize, Vec<Vec<u32>>)>) -> anyhow::Result<()> {
        for (tile, _) in &batches {
            self.await_fences(*tile)?;
        }
        for (tile, batch) in &batches {
            batch.iter().try_for_each(|words| self.command(*tile, words))?;
        }
        let end = self.device.transport().cycles() + ROUND_CYCLES;
        for (tile, _) in &batches {
            while self.device.transport().fired(*tile) >> FENCES & 1 == 0 {
                self.device.transport().wait(20);
                ensure!(
                    self.device.transport().cycles() < end,
                    Late(format!("tile {tile}: its Portals commands do not end"))
                );
            }
        }
        Ok(())
    }

    /// Counts places, credits and slots.
    ///
    /// # Errors
    /// Some are missing, or the device's.
    pub fn spend_portals(&mut self, random: &mut StdRng) -> anyhow::Result<()> {
        let ranks = self.site.portals.ranks.clone();
        if ranks.is_empty() {
            return Ok(());
        }
        self.unlink_all(random)?;
        let mut steps = vec![];
        for &tile in &ranks {
            steps.push((tile, self.fillers(tile)));
        }
        self.carry_out_now(steps, random)?;
        self.unlink_all(random)?;
        for initiator in ranks {
            self.spend_credits(initiator, random)?;
            self.spend_slots(initiator, random)?;
        }
        let end = self.device.transport().cycles() + ROUND_CYCLES;
        check::arrivals(self, end)?;
        self.compare_portals()
    }

    /// Deletes all headers, and unlinks all entries that do not last.
    fn unlink_all(&mut self, random: &mut StdRng) -> anyhow::Result<()> {
        let mut steps = vec![];
        for tile in self.site.portals.ranks.clone() {
            self.read_handles(tile)?;
            let mut own = self.header_steps(tile, 0, random);
            let rank = self.rank(tile);
            let entries = &mut self.portals.ranks[rank].entries;
            entries.retain(|entry| !entry.has_left);
            let left = entries.iter().filter(|entry| entry.generation.is_some());
            own.extend(left.map(|entry| Step::Unlink(entry.user_pointer)));
            steps.push((tile, own));
        }
        self.carry_out_now(steps, random)
    }

    /// A tile sends each of its other targets, which take nothing, as many requests as it has credits: gets of all that a pair has in
    /// its zone while there are slots of gets, then puts. A request has ended when it is sent. The tile itself could not send if it
    /// took nothing: its gets from itself are served at once.
    fn spend_credits(&mut self, initiator: usize, random: &mut StdRng) -> anyhow::Result<()> {
        let (own, others): (Vec<usize>, Vec<usize>) = self
            .site
            .portals
            .pairs_of(initiator)
            .into_iter()
            .partition(|&at| self.site.portals.pairs[at].target == initiator);
        let targets: Vec<usize> = others.iter().map(|&at| self.site.portals.pairs[at].target).collect();
        for &target in &targets {
            self.enable_both(target, false)?;
        }
        for (number, &at) in others.iter().enumerate() {
            let operation = if number < GET_SLOTS / ROOMS {
                Transfer::Get
            } else {
                Transfer::Put
            };
            self.send_at_once(at, operation, ROOMS, random)?;
        }
        for &target in &targets {
            self.enable_both(target, true)?;
            self.expect_events(target)?;
        }
        for at in own {
            self.send_at_once(at, Transfer::Get, ROOMS, random)?;
        }
        self.expect_events(initiator)
    }

    /// A tile sends twice as many puts as it has slots of puts, which it takes in turn, then the same of gets: the log of steps tells
    /// them all. Without a log a slot that is missing cannot be told from one that is late.
    fn spend_slots(&mut self, initiator: usize, random: &mut StdRng) -> anyhow::Result<()> {
        let Some(&at) = self.site.portals.pairs_of(initiator).first() else {
            return Ok(());
        };
        let simulated = self.device.transport().simulated();
        let Some(simulated) = simulated.filter(|_| self.config.portals_log) else {
            return Ok(());
        };
        ensure!(simulated.log_portals(), "the fabric has no outputs of the steps");
        simulated.portals_steps();
        for (operation, slots) in [(Transfer::Put, SLOTS - GET_SLOTS), (Transfer::Get, GET_SLOTS)] {
            for _ in 0..2 * slots / STEPS_AT_ONCE {
                self.send_at_once(at, operation, STEPS_AT_ONCE, random)?;
                self.expect_events(self.site.portals.pairs[at].target)?;
            }
        }
        let simulated = self.device.transport().simulated().expect("it was one before");
        let steps = simulated.portals_steps().into_iter();
        let taken = steps.filter_map(|logged| match logged.step {
            Logged::Sends { slot } if logged.tile == initiator => Some(usize::from(slot)),
            _ => None,
        });
        let taken: BTreeSet<usize> = taken.collect();
        ensure!(
            taken.iter().copied().eq(0..SLOTS),
            "tile {initiator}: its puts and gets take slots {taken:?}, expected 0 to {}",
            SLOTS - 1
        );
        Ok(())
    }

    /// The initiator of a pair sends so many equal messages to the entry of all rounds, and waits until they are sent. The model does
    /// it.
    fn send_at_once(
        &mut self,
        at: usize,
        operation: Transfer,
        count: usize,
        random: &mut StdRng,
    ) -> anyhow::Result<()> {
        let pair = &self.site.portals.pairs[at];
        let (initiator, target) = (pair.initiator, pair.target);
        let request = Move {
            operation,
            ack: Ack::Count,
            portal: MAIN,
            descriptor: FLUSH_DESCRIPTOR,
            rank: self.rank(target) as u16,
            local: pair.landing.base,
            length: match operation {
                Transfer::Put => 0,
                Transfer::Get => pair.zone.bytes.min(pair.landing.bytes),
            },
            remote: 0,
            match_bits: match_bits(HOME, self.rank(initiator), 0),
            user_pointer: 0,
            header_data: 0,
        };
        let mut batch = vec![];
        for _ in 0..count {
            let operation = self.portals_operation(Command::Move(request), Some(FENCES), random)?;
            self.model(initiator, &operation)?;
            batch.push(operation.words);
        }
        self.give_now(vec![(initiator, batch)])
    }

    fn enable_both(&mut self, tile: usize, enabled: bool) -> anyhow::Result<()> {
        let portals = &self.site.portals;
        portals.enable(&mut self.device, self.site.staging, tile, enabled)?;
        portals.enable(&mut self.golden, self.golden_site.staging, tile, enabled)
    }
}
