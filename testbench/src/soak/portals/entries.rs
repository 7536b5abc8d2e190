//! Entries, counters and portal indices: what a tile does with its own engine in a round.

use super::{
    super::{device::SoakDevice, epoch::Epoch, operation::Operation, wrong::refused},
    shapes::control,
    site::MOST_OPEN,
    FILLED,
};
use portico_spec::{
    ni::ErrorCode,
    portals::{
        engine::{Append, Command, Control, Move, Search, NO_ENTRY, UNLINK_DISABLE},
        list::USE_ONCE,
    },
};
use rand::{rngs::StdRng, seq::SliceRandom, Rng};

/// Most entries of a pair for a round.
const MOST_OF_PAIR: usize = 6;
/// Entries behind the last place that a tile tries to append.
const BEYOND: usize = 2;
/// Most stale handles that a tile unlinks in a round: each has an event of its own.
const MOST_STALE: usize = 4;
/// The word for handles of entries that are refused, and of none else.
pub const REFUSED: usize = 0;

/// An entry that was appended and not unlinked by hand.
pub struct Entry {
    /// Which word has its handle.
    pub slot: usize,
    /// The handle that the model has given it.
    pub handle: u32,
    pub user_pointer: u32,
    /// The round whose messages it takes; those of all rounds have none.
    pub generation: Option<u16>,
    /// Its first message is the last one, and no AUTO_UNLINK tells it.
    pub leaves_silently: bool,
    /// It has left its list by itself.
    pub has_left: bool,
}

/// What a tile does next.
pub enum Step {
    /// Unlinks the entry of this user pointer, or a stale handle.
    Unlink(u32),
    Append(Append, Option<u16>),
    Search(Search),
    /// Appends an entry when all places are taken.
    Overfill(Append),
    Control(Control),
    /// A message at the end of a round, to a tile.
    Send(usize, Move),
}

impl<D: SoakDevice> Epoch<D> {
    /// Decides what a tile does with its engine in a round, but for moves.
    pub fn plan_entries(&mut self, tile: usize, random: &mut StdRng) {
        let rank = self.rank(tile);
        let now = self.portals.generation;
        let next = now.wrapping_add(1);
        let slots = self.portals.ranks[rank].handles.len() - 1;
        let is_filled = self.config.entries == slots && random.gen_bool(FILLED);
        let most_headers = self.most_headers(tile);
        let mut steps = self.header_steps(tile, if is_filled { 0 } else { most_headers }, random);
        let mut stale = 0;
        self.portals.ranks[rank].entries.retain(|entry| {
            let is_old = entry.generation.is_some_and(|generation| generation != now);
            stale += usize::from(is_old && entry.has_left);
            !is_old || !entry.has_left || stale <= MOST_STALE
        });
        let entries = &self.portals.ranks[rank].entries;
        let old = entries
            .iter()
            .filter(|entry| entry.generation.is_some_and(|of| of != now));
        let mut old: Vec<u32> = old.map(|entry| entry.user_pointer).collect();
        old.shuffle(random);
        let kept = entries.len() - old.len();
        steps.extend(old.into_iter().map(Step::Unlink));
        // Places that are free for certain when old entries have left: some that have left by themselves count as taken.
        let pairs = self.site.portals.pairs_to(tile);
        let mut free = slots.saturating_sub(kept + stale.min(MOST_STALE));
        // Headers of this round and of that before, what seeks those, and entries that take messages of the next round.
        let unexpected = if free > 4 * most_headers { most_headers } else { 0 };
        free -= 4 * unexpected;
        for _ in 0..unexpected.min(pairs.len()) {
            let at = *pairs.choose(random).expect("there are pairs");
            let entry = self.entry_of_headers(tile, at, next, random);
            steps.push(Step::Append(entry, Some(next)));
        }
        let open = random.gen_range(0..=MOST_OPEN / 2).min(free / 4);
        free -= open;
        for place in 0..open {
            let entry = self.entry_for_all(tile, place, next, random);
            steps.push(Step::Append(entry, Some(next)));
        }
        // So many stay for the round after.
        let most = (free / 2 / pairs.len().max(1)).min(MOST_OF_PAIR);
        let mut of_pairs: Vec<usize> = vec![];
        for &at in &pairs {
            of_pairs.extend(std::iter::repeat_n(at, random.gen_range(0..=most)));
        }
        of_pairs.shuffle(random);
        for at in of_pairs {
            let entry = self.entry_of_pair(tile, at, next, random);
            steps.push(Step::Append(entry, Some(next)));
        }
        let appended = steps.iter().filter(|step| matches!(step, Step::Append(..))).count();
        let state = &mut self.portals.ranks[rank];
        state.is_filled = is_filled;
        state.headers = if is_filled { 0 } else { unexpected };
        if is_filled {
            let is_there = |entry: &&Entry| entry.generation.is_none_or(|of| of == now) && !entry.has_left;
            let there = state.entries.iter().filter(is_there).count() + appended;
            for number in 0..slots - there + BEYOND {
                let filler = self.filler(tile, number);
                steps.push(match number < slots - there {
                    // The next round unlinks it.
                    true => Step::Append(filler, Some(now.wrapping_sub(1))),
                    false => Step::Overfill(filler),
                });
            }
        }
        for _ in 0..random.gen_range(0..=12) {
            let at = random.gen_range(0..=steps.len());
            steps.insert(at, Step::Control(control(random)));
        }
        self.portals.ranks[rank].steps = steps.into();
    }

    /// Entries for all places that are free, if the lists are so small that they are filled.
    pub fn fillers(&mut self, tile: usize) -> Vec<Step> {
        let state = &self.portals.ranks[self.rank(tile)];
        let (slots, there) = (state.handles.len() - 1, state.entries.len());
        let free = if self.config.entries == slots { slots - there } else { 0 };
        let mut fillers = vec![];
        for number in 0..free {
            fillers.push(Step::Append(self.filler(tile, number), Some(self.portals.generation)));
        }
        fillers
    }

    /// The next command of those; none when there is none left. The model does it.
    ///
    /// # Errors
    /// The model's.
    pub fn next_step(&mut self, tile: usize, random: &mut StdRng) -> anyhow::Result<Option<Operation>> {
        let Some(rank) = self.site.portals.rank_of(tile) else {
            return Ok(None);
        };
        while let Some(step) = self.portals.ranks[rank].steps.pop_front() {
            if let Some(operation) = self.carry_out(tile, step, random)? {
                return Ok(Some(operation));
            }
        }
        Ok(None)
    }

    /// The model does a step; none if the round has no event left for its error.
    ///
    /// # Errors
    /// The model's.
    pub fn carry_out(&mut self, tile: usize, step: Step, random: &mut StdRng) -> anyhow::Result<Option<Operation>> {
        let rank = self.rank(tile);
        let operation = match step {
            Step::Unlink(user_pointer) => return self.unlink(tile, user_pointer, random),
            Step::Append(entry, generation) => {
                let state = &self.portals.ranks[rank];
                let is_free = |&slot: &usize| state.entries.iter().all(|entry| entry.slot != slot);
                let slot = (REFUSED + 1..state.handles.len()).find(is_free);
                let slot = slot.expect("no more entries are planned than there are words for handles");
                let handles = self.site.portals.tiles[rank].handles;
                let entry = Append {
                    handle_address: handles.base + 4 * slot as u32,
                    ..entry
                };
                let operation = self.portals_operation(Command::Append(entry), None, random)?;
                self.model_portals(tile, &operation, None)?;
                let has = |option| entry.options >> option & 1 == 1;
                let handle = self.golden.transport().peek(tile, entry.handle_address);
                if handle != NO_ENTRY {
                    self.portals.ranks[rank].entries.push(Entry {
                        slot,
                        handle,
                        user_pointer: entry.user_pointer,
                        generation,
                        leaves_silently: has(UNLINK_DISABLE) && has(USE_ONCE),
                        has_left: false,
                    });
                }
                operation
            }
            Step::Search(search) => {
                let operation = self.portals_operation(Command::Search(search), None, random)?;
                self.model_portals(tile, &operation, None)?;
                operation
            }
            Step::Overfill(entry) => {
                let Some(event) = self.tiles[tile].single_event(&self.config) else {
                    return Ok(None);
                };
                let handles = self.site.portals.tiles[rank].handles;
                let entry = Append {
                    handle_address: handles.base + 4 * REFUSED as u32,
                    ..entry
                };
                let operation = self.portals_operation(Command::Append(entry), Some(event), random)?;
                let operation = refused(operation.words, event, ErrorCode::NoPlace);
                self.model_portals(tile, &operation, None)?;
                operation
            }
            Step::Control(control) => {
                let operation = self.portals_operation(Command::Control(control), None, random)?;
                self.model_portals(tile, &operation, None)?;
                operation
            }
            Step::Send(target, request) => self.send(tile, target, request, random)?,
        };
        Ok(Some(operation))
    }

    /// Unlinks an entry of a round before this: the device has given it a handle of its own.
    fn unlink(&mut self, tile: usize, user_pointer: u32, random: &mut StdRng) -> anyhow::Result<Option<Operation>> {
        let rank = self.rank(tile);
        let entries = &mut self.portals.ranks[rank].entries;
        let at = entries.iter().position(|entry| entry.user_pointer == user_pointer);
        let entry = entries.swap_remove(at.expect("an entry is unlinked once"));
        let event = match entry.has_left {
            true => match self.tiles[tile].single_event(&self.config) {
                None => return Ok(None),
                event => event,
            },
            false => None,
        };
        let operation = self.portals_operation(Command::Unlink(entry.handle), event, random)?;
        let mut operation = match event {
            Some(event) => refused(operation.words, event, ErrorCode::UnknownEntry),
            None => operation,
        };
        self.model_portals(tile, &operation, None)?;
        let last = operation.words.last_mut().expect("an unlink has words");
        *last = self.portals.ranks[rank].handles[entry.slot];
        Ok(Some(operation))
    }
}
