//! What a block promises that takes beats of one stream and gives them back in order, on any device.
//!
//! The model is a queue of `depth` beats, exact in every cycle: there is room unless it is full, the oldest beat is shown
//! unless it is empty, whatever the other side does. So a shown beat stays until it is taken, and order, capacity,
//! latency and throughput follow.

use anyhow::{ensure, Result};
use portico_spec::Flit;
use portico_testbench::device::{
    stream::{PortStreams, StreamDevice},
    Device, Input,
};
use rand::{rngs::SmallRng, Rng, SeedableRng};
use std::collections::VecDeque;

/// How often each side acts, by phase: (a beat is offered, the output is ready).
const PHASES: [(f64, f64); 9] = [
    (0.5, 0.5),
    (1.0, 0.0),
    (1.0, 1.0),
    (0.0, 1.0),
    (1.0, 0.5),
    (0.5, 1.0),
    (0.9, 0.1),
    (0.1, 0.9),
    (0.7, 0.7),
];

/// How often each corner was met.
#[derive(Debug, Default)]
struct Corners {
    taken: usize,
    both_moved: usize,
    refused: usize,
    left_while_full: usize,
    waited_for: usize,
    lost_in_reset: usize,
}

struct Bench {
    streams: PortStreams<Box<dyn Device>>,
    rst: Input,
    depth: usize,
    beats: VecDeque<Flit>,
    corners: Corners,
    cycle: usize,
}

impl Bench {
    fn new(device: Box<dyn Device>, depth: usize) -> Result<Self> {
        Ok(Self {
            rst: device.require_input("rst")?,
            streams: PortStreams::new(device, 1, 1)?,
            depth,
            beats: VecDeque::new(),
            corners: Corners::default(),
            cycle: 0,
        })
    }

    fn reset(&mut self) {
        self.streams.reset();
        self.corners.lost_in_reset += self.beats.len();
        self.beats.clear();
    }

    /// One cycle on the device and on the model; returns whether the beat was taken.
    fn step(&mut self, offered: Option<Flit>, ready: bool) -> Result<bool> {
        let room = self.beats.len() < self.depth;
        let taken = self.streams.cycle(&[offered], &[ready]).accepted[0];
        let (has_room, shown) = (self.streams.has_room(0), self.streams.shown(0));
        let (cycle, held, oldest) = (self.cycle, self.beats.len(), self.beats.front().copied());
        ensure!(
            has_room == room,
            "cycle {cycle}, holding {held} of {} beats: tready is {has_room}",
            self.depth
        );
        ensure!(
            shown == oldest,
            "cycle {cycle}, holding {held} beats: it shows {shown:x?} and not {oldest:x?}"
        );
        self.cycle += 1;
        let left = ready && self.beats.pop_front().is_some();
        self.beats.extend(offered.filter(|_| taken));
        self.corners.taken += usize::from(taken);
        self.corners.both_moved += usize::from(taken && left);
        self.corners.refused += usize::from(offered.is_some() && !taken);
        self.corners.left_while_full += usize::from(left && !room);
        self.corners.waited_for += usize::from(ready && !left);
        Ok(taken)
    }

    /// A cycle in which `rst` is high: the block may do as ever, but is empty afterwards.
    fn step_in_reset(&mut self, offered: Option<Flit>, ready: bool) -> Result<()> {
        self.streams.device().set(self.rst, 1);
        let done = self.step(offered, ready);
        self.streams.device().set(self.rst, 0);
        self.corners.lost_in_reset += self.beats.len();
        self.beats.clear();
        done.map(drop)
    }

    /// Beats taken in `cycles` cycles of constant offers.
    fn flood(&mut self, cycles: usize, ready: bool) -> Result<usize> {
        let mut taken = 0;
        for _ in 0..cycles {
            let beat = Flit {
                data: taken as u64,
                last: taken % 3 == 0,
            };
            taken += usize::from(self.step(Some(beat), ready)?);
        }
        Ok(taken)
    }

    /// Capacity, throughput and latency are exact, and a reset empties whatever was there.
    fn directed(&mut self) -> Result<()> {
        let depth = self.depth;
        let taken = self.flood(depth + 5, false)?;
        ensure!(
            taken == depth,
            "it took {taken} beats with its output stalled; its depth is {depth}"
        );
        for _ in 0..depth + 3 {
            self.step(None, true)?;
        }
        let cycles = 4 * depth + 20;
        let (taken, most) = (self.flood(cycles, true)?, if depth == 1 { cycles / 2 } else { cycles });
        ensure!(taken == most, "{taken} beats in {cycles} cycles; {most} are due");
        for filling in [1, depth / 2, depth] {
            self.reset();
            self.flood(filling, false)?;
            self.reset();
            self.step(None, true)?;
        }
        let beat = Flit { data: 1, last: true };
        self.step(Some(beat), true)?;
        ensure!(
            self.streams.shown(0).is_none(),
            "a beat went through without a register"
        );
        self.step(None, true)?;
        ensure!(self.streams.shown(0) == Some(beat), "a beat takes more than a cycle");
        Ok(())
    }

    fn random(&mut self, width: usize, rng: &mut SmallRng) -> Result<()> {
        let phase = 2 * self.depth + 20;
        let mut offered = None;
        for cycle in 0..10 * phase * PHASES.len() {
            let (offers, takes) = PHASES[cycle / phase % PHASES.len()];
            let beat = Flit {
                data: rng.gen::<u64>() >> (64 - width),
                last: rng.gen(),
            };
            offered = offered.or(rng.gen_bool(offers).then_some(beat));
            let ready = rng.gen_bool(takes);
            if rng.gen_bool(0.5 / phase as f64) {
                self.step_in_reset(offered.take(), ready)?;
            } else if self.step(offered, ready)? {
                offered = None;
            }
        }
        for _ in 0..=self.depth {
            self.step(None, true)?;
        }
        ensure!(self.beats.is_empty(), "{} beats never came out", self.beats.len());
        Ok(())
    }
}

/// Holds a block with streams `s_axis` and `m_axis` of `width` data bits to what a queue of `depth` beats does.
///
/// # Errors
/// The first cycle that differs, with the seed, or a corner that the run did not meet.
pub fn check(device: impl Device + 'static, depth: usize, width: usize, seed: u64) -> Result<()> {
    let mut bench = Bench::new(Box::new(device), depth)?;
    let mut rng = SmallRng::seed_from_u64(seed);
    let outcome = bench.directed().and_then(|()| bench.random(width, &mut rng));
    outcome.map_err(|error| error.context(format!("depth {depth}, width {width}, seed {seed:#x}")))?;
    let Corners {
        taken,
        both_moved,
        refused,
        left_while_full,
        waited_for,
        lost_in_reset,
    } = bench.corners;
    let met = [
        both_moved + usize::from(depth == 1),
        refused,
        left_while_full,
        waited_for,
        lost_in_reset,
    ];
    ensure!(
        taken > 20 * depth && !met.contains(&0),
        "seed {seed:#x} misses a corner: {:?}",
        bench.corners
    );
    Ok(())
}
