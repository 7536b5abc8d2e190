//! What a run consists of: random commands, filling and emptying.

use super::{
    stimulus::{draw, Named, LISTS, PHASES},
    Bench, AHEAD,
};
use anyhow::{ensure, Result};
use portico_spec::portals::list::{command, handle_command, Entry, List, Opcode, Resolution, ANY_SOURCE};
use rand::{rngs::SmallRng, Rng};

impl Bench {
    /// Random commands, after each of which a reset may come.
    pub(super) fn random(&mut self, commands: usize, resets: f64, rng: &mut SmallRng) -> Result<()> {
        let length = (commands / PHASES.len()).clamp(1, 4 * self.shape.entries + 100);
        for number in 0..commands {
            let phase = PHASES[number / length % PHASES.len()];
            let (offers, takes) = [(1.0, 1.0), (0.5, 0.5), (1.0, 0.2), (0.3, 1.0)][number / (length / 4 + 1) % 4];
            // Handles are only drawn from what is known for certain.
            let settled = rng.gen_bool(0.6);
            while !self.sending.is_empty() || self.open >= AHEAD || settled && self.open > 0 {
                self.step(rng.gen_bool(offers), rng.gen_bool(takes))?;
            }
            let known = if self.open == 0 { self.known() } else { vec![] };
            let (beats, named) = draw(phase, &self.golden, &known, rng);
            let named = match named {
                Named::Stale | Named::Foreign if self.open > 0 => Named::Nothing,
                named => named,
            };
            self.send(beats, named, rng);
            if rng.gen_bool(resets) {
                for _ in 0..rng.gen_range(0..20) {
                    self.step(rng.gen_bool(offers), rng.gen_bool(takes))?;
                }
                self.corners.resets += 1;
                self.reset();
            }
        }
        self.settle(rng)
    }

    /// Waits until every result is in.
    fn settle(&mut self, rng: &mut SmallRng) -> Result<()> {
        while self.open > 0 || !self.sending.is_empty() {
            self.step(true, rng.gen_bool(0.8))?;
        }
        for _ in 0..10 {
            self.step(false, true)?;
        }
        Ok(())
    }

    /// Deletes all that is there: nothing has leaked if every place can be filled afterwards.
    pub(super) fn empty(&mut self, rng: &mut SmallRng) -> Result<()> {
        if self.golden.holds() {
            self.send(Resolution::default().encode(), Named::Nothing, rng);
            self.settle(rng)?;
        }
        for handle in self.known() {
            let opcode = match self.golden.detached().contains(&handle) {
                true => Opcode::Release,
                false => Opcode::Delete,
            };
            self.send(handle_command(opcode, List::All, handle, 0), Named::Known(handle), rng);
            self.settle(rng)?;
        }
        let counters = self.golden.counters();
        ensure!(
            counters.occupancy == [0; 3] && usize::from(counters.free) == self.shape.entries,
            "the suite lost a handle"
        );
        self.send(
            command(Opcode::Status, List::All, &Entry::default()),
            Named::Nothing,
            rng,
        );
        self.settle(rng)
    }

    pub(super) fn directed(&mut self, rng: &mut SmallRng) -> Result<()> {
        for round in 0..3 {
            for place in 0..self.shape.entries + 2 {
                let entry = Entry {
                    source: (place % 5) as u16,
                    match_bits: place as u64,
                    ..Entry::default()
                };
                let list = LISTS[if round == 2 { place % 3 } else { round }];
                self.send(command(Opcode::Append, list, &entry), Named::Nothing, rng);
                self.settle(rng)?;
            }
            self.empty(rng)?;
        }
        Ok(())
    }

    /// Fills the table to the last place, and asks for one place more.
    pub(super) fn fill(&mut self, rng: &mut SmallRng) -> Result<()> {
        for place in 0..=self.shape.entries {
            while !self.sending.is_empty() || self.open >= AHEAD {
                self.step(true, true)?;
            }
            let entry = Entry {
                source: (place % 40) as u16 * 7,
                options: u16::from(place % 64 == 0) << ANY_SOURCE,
                match_bits: place as u64,
                ..Entry::default()
            };
            self.send(command(Opcode::Append, LISTS[place % 3], &entry), Named::Nothing, rng);
        }
        self.settle(rng)
    }

    /// Searches that nothing ends before the last entry.
    pub(super) fn search_all(&mut self, rng: &mut SmallRng) -> Result<()> {
        let nowhere = Entry {
            options: 1 << ANY_SOURCE,
            match_bits: u64::MAX,
            ..Entry::default()
        };
        for (opcode, list) in [(Opcode::Search, List::All), (Opcode::Probe, List::Unexpected)] {
            self.send(command(opcode, list, &nowhere), Named::Nothing, rng);
            self.settle(rng)?;
        }
        Ok(())
    }
}
