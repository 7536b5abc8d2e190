//! Portals commands at random, replayed in the reference model in the order in which hardware tells its steps.
//!
//! The outcome of a race is that of hardware: which message meets an entry first, and which append comes between. The model follows
//! the outputs of key `portals_log`, and then both must be the same: every event of every ring in its order, counters, refusals,
//! losses, memory. So messages of all ranks meet the same entries here, with wildcards, while entries and headers come and go.
//!
//! A run begins after a reset. Two things keep memory free of races that no log could order: an entry has memory of its own, in
//! which each rank has a part of its own unless the entry manages its offset; and each move has a place of its own for what comes back.

use self::{
    draw::{Lane, PORTALS},
    site::{Area, Site},
};
use super::{
    access::{self, Rows},
    device::{GoldenDevice, SoakDevice},
    Soak, Summary,
};
use anyhow::{bail, ensure, Context};
use portico::{Fabric, Region};
use portico_sim::{LoggedStep, SimulatedFabric};
use portico_spec::{
    ni::registers::{EventRegister, PortalsRegister},
    portals::engine::{item, EVENT_BYTES, EVENT_WORDS},
    Config,
};
use rand::{rngs::StdRng, seq::SliceRandom, Rng, SeedableRng};
use std::time::Instant;

mod draw;
mod site;

/// Cycles without a step after which a run is over, and the longest time of a run.
const QUIET_CYCLES: u64 = 2_000;
const MOST_CYCLES: u64 = 1_000_000;
/// Cycles between two commands, at most.
const MOST_PAUSE: u64 = 40;

/// Checks that a fabric of this configuration can have this soak.
///
/// # Errors
/// It has no log of steps or too little memory, or resets are wanted.
pub fn check(config: &Config, soak: &Soak) -> anyhow::Result<()> {
    ensure!(
        config.portals_log,
        "workload replay needs a fabric with Portals engines that tell their steps: keys portals and portals_log"
    );
    ensure!(
        soak.resets == 0.0,
        "resets = {} is not allowed with workload replay: allowed is 0, as each run begins with a reset",
        soak.resets
    );
    let (scratchpad, least) = (config.scratchpad, site::least_scratchpad());
    ensure!(
        scratchpad >= least,
        "scratchpad = {scratchpad} is not allowed with workload replay: allowed is {least} or more"
    );
    Ok(())
}

/// Makes runs for the cycles of a soak. `progress` is told after every run how many are done.
///
/// # Errors
/// Hardware and model differ, or the fabric cannot have this soak.
pub fn run(fabric: &mut SimulatedFabric, soak: &Soak, progress: &mut dyn FnMut(u64)) -> anyhow::Result<Summary> {
    check(fabric.config(), soak)?;
    let mut random = StdRng::seed_from_u64(soak.seed);
    let mut summary = Summary::default();
    while summary.cycles < soak.cycles {
        fabric.reset();
        ensure!(fabric.log_portals(), "the fabric has no outputs of the steps");
        run_once(fabric, &mut random, &mut summary).with_context(|| format!("run {}", summary.rounds))?;
        summary.rounds += 1;
        progress(summary.cycles);
    }
    Ok(summary)
}

fn run_once(fabric: &mut SimulatedFabric, random: &mut StdRng, summary: &mut Summary) -> anyhow::Result<()> {
    let config = fabric.config().clone();
    let mut golden = Fabric::open(GoldenDevice::new(&config)?)?;
    let mut device = Fabric::open(fabric)?;
    let site = Site::draw(&config, random);
    let mut both = Both {
        staging: site.set_up(&mut device)?,
        golden_staging: site.set_up(&mut golden)?,
        device,
        golden,
        last_step: 0,
    };
    both.golden.transport().follow_portals();
    both.device.transport().portals_steps();
    let (begun, clock) = (both.device.transport().cycles(), Instant::now());
    let mut lanes: Vec<Lane> = (0..site.ranks.len()).map(|rank| Lane::new(rank, random)).collect();
    loop {
        let busy: Vec<usize> = (0..lanes.len()).filter(|&rank| lanes[rank].left > 0).collect();
        let Some(&rank) = busy.choose(random) else { break };
        let tile = site.ranks[rank];
        let [words, of_golden] = lanes[rank].draw(&config, &site, &mut both, random)?;
        SoakDevice::command(both.device.transport(), tile, &words)?;
        both.golden.transport().command(tile, &of_golden)?;
        summary.operations += 1;
        summary.portals += 1;
        both.device.transport().run(random.gen_range(0..=MOST_PAUSE));
        both.follow(summary)?;
    }
    both.finish(summary)?;
    summary.cycles += both.device.transport().cycles() - begun;
    summary.busy += clock.elapsed();
    both.compare(&site, random, summary)
}

/// The hardware, and the model that follows it.
struct Both<'a> {
    device: Fabric<&'a mut SimulatedFabric>,
    golden: Fabric<GoldenDevice>,
    staging: Region,
    golden_staging: Region,
    last_step: u64,
}

impl Both<'_> {
    /// The model does what hardware has done.
    fn follow(&mut self, summary: &mut Summary) -> anyhow::Result<()> {
        for LoggedStep { cycle, tile, step } in self.device.transport().portals_steps() {
            self.last_step = cycle;
            summary.steps += 1;
            let golden = self.golden.transport();
            golden
                .step_portals(tile, step)
                .with_context(|| format!("cycle {cycle}"))?;
        }
        Ok(())
    }

    /// Waits until no step comes any more. Then nothing is under way in the model either.
    fn finish(&mut self, summary: &mut Summary) -> anyhow::Result<()> {
        let begun = self.device.transport().cycles();
        self.last_step = begun;
        while self.device.transport().cycles() - self.last_step < QUIET_CYCLES {
            self.device.transport().run(QUIET_CYCLES / 4);
            self.follow(summary)?;
            ensure!(
                self.device.transport().cycles() - begun < MOST_CYCLES,
                "steps come without end"
            );
        }
        ensure!(
            self.golden.transport().is_idle(),
            "hardware rests, but in the model something is under way"
        );
        Ok(())
    }

    /// Compares what both have: rings, counters, refusals, losses and events of all ranks, and of one of them what messages or gets have
    /// brought.
    fn compare(&mut self, site: &Site, random: &mut StdRng, summary: &mut Summary) -> anyhow::Result<()> {
        for &tile in &site.ranks {
            for (ring, area) in site.rings(tile).into_iter().enumerate() {
                let bytes = self.written(tile, &area);
                let [found, expected] = self.words(tile, area.base, bytes)?;
                summary.words += found.len() as u64;
                for (at, (found, expected)) in found.chunks(EVENT_WORDS).zip(expected.chunks(EVENT_WORDS)).enumerate() {
                    ensure!(
                        found == expected,
                        "event {at} of ring {ring} of tile {tile}: found {found:x?}, expected {expected:x?}"
                    );
                }
            }
            let [found, expected] = self.registers(tile)?;
            ensure!(
                found == expected,
                "registers of tile {tile}: found {found:x?}, expected {expected:x?}"
            );
        }
        let &tile = site.ranks.choose(random).expect("there are ranks");
        let area = site::CHANGED.choose(random).expect("there are some");
        let [found, expected] = self.words(tile, area.base, area.bytes)?;
        summary.words += found.len() as u64;
        let differs = (0..found.len()).find(|&at| found[at] != expected[at]);
        if let Some(at) = differs {
            let (byte, found, expected) = (area.base + 4 * at as u32, found[at], expected[at]);
            bail!("tile {tile}, byte {byte:#x}: found {found:#x}, expected {expected:#x}");
        }
        Ok(())
    }

    /// Bytes of a ring up to the event behind the last that the model has written.
    fn written(&mut self, tile: usize, ring: &Area) -> u32 {
        let event = EVENT_BYTES as u32;
        let golden = self.golden.transport();
        let starts = (0..ring.bytes).step_by(EVENT_BYTES);
        let written = starts.filter(|at| golden.peek(tile, ring.base + at) != 0).count() as u32;
        ring.bytes.min((written + 1) * event)
    }

    /// Words of a tile's memory, of hardware and of the model: `bytes` of them from byte `base`.
    fn words(&mut self, tile: usize, base: u32, bytes: u32) -> anyhow::Result<[Vec<u32>; 2]> {
        let found = self.device.read(tile, base, bytes as usize / 4)?;
        let golden = self.golden.transport();
        let expected = (base..base + bytes).step_by(4).map(|byte| golden.peek(tile, byte));
        Ok([found, expected.collect()])
    }

    /// Counters, status, losses, portal indices and counts of events, of hardware and of the model.
    fn registers(&mut self, tile: usize) -> anyhow::Result<[Vec<u32>; 2]> {
        let places = [
            Rows::new(&self.device, tile, PortalsRegister::CtSuccess, 0, site::COUNTERS, 2),
            Rows::new(&self.device, tile, PortalsRegister::Status, item::DROPS, 3, 1),
            Rows::new(&self.device, tile, PortalsRegister::EqDropped, 0, site::RINGS, 1),
            Rows::new(&self.device, tile, EventRegister::Count, 0, site::EVENTS, 1),
        ];
        let portals = PORTALS.map(|index| Rows::new(&self.device, tile, PortalsRegister::Portal, index.into(), 1, 1));
        let (mut found, mut expected) = (vec![], vec![]);
        for rows in places.into_iter().chain(portals) {
            found.extend(access::peek(&mut self.device, self.staging, rows)?);
            expected.extend(access::peek(&mut self.golden, self.golden_staging, rows)?);
        }
        Ok([found, expected])
    }
}
