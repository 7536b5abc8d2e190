//! What the floating-point adder promises, on any device: golden sums and flags, in order, at an exact pace.
//!
//! The model is a row of as many places as the adder has stages, which stands still while its last place holds a sum that
//! is not taken and moves on in every other cycle; it is exact in every cycle.

use anyhow::{ensure, Result};
use portico_golden::fp::{add, random_pair};
use portico_spec::fp::Format;
use portico_testbench::device::{Device, Input, Output};
use rand::{rngs::SmallRng, Rng, SeedableRng};
use std::collections::VecDeque;

/// How often each side acts, by phase: (offers an `a`, offers a `b`, takes a sum).
const PHASES: [(f64, f64, f64); 7] = [
    (1.0, 1.0, 1.0),
    (0.5, 0.5, 0.5),
    (1.0, 1.0, 0.3),
    (0.3, 1.0, 1.0),
    (1.0, 0.3, 1.0),
    (0.9, 0.9, 0.9),
    (1.0, 1.0, 0.0),
];

/// Cycles of a phase.
const PHASE: usize = 50;

/// Chance of a reset, a cycle.
const RESETS: f64 = 0.002;

/// An addend and whether it is the last of its packet.
type Beat = (u64, bool);

/// A sum, its flags, and whether it is the last of its packet.
type Sum = (u64, u8, bool);

/// How often each corner was met.
#[derive(Debug, Default)]
struct Corners {
    sums: usize,
    stalled: usize,
    a_waited: usize,
    b_waited: usize,
    bubbles: usize,
    lost_in_reset: usize,
    ends: usize,
    raised: [usize; 5],
}

struct Bench<D> {
    device: D,
    format: Format,
    inputs: [Input; 8],
    outputs: [Output; 6],
    places: VecDeque<Option<Sum>>,
    corners: Corners,
    cycle: usize,
}

impl<D: Device> Bench<D> {
    fn new(device: D, format: Format, stages: usize) -> Result<Self> {
        let inputs = [
            "rst",
            "s_axis_a_tdata",
            "s_axis_a_tlast",
            "s_axis_a_tvalid",
            "s_axis_b_tdata",
            "s_axis_b_tlast",
            "s_axis_b_tvalid",
            "m_axis_tready",
        ];
        let outputs = [
            "s_axis_a_tready",
            "s_axis_b_tready",
            "m_axis_tvalid",
            "m_axis_tdata",
            "m_axis_tlast",
            "m_axis_tuser",
        ];
        let [mut input_ports, mut output_ports] = [vec![], vec![]].map(|ports: Vec<usize>| ports);
        for name in inputs {
            input_ports.push(device.require_input(name)?.0);
        }
        for name in outputs {
            output_ports.push(device.require_output(name)?.0);
        }
        let mut bench = Self {
            device,
            format,
            inputs: std::array::from_fn(|at| Input(input_ports[at])),
            outputs: std::array::from_fn(|at| Output(output_ports[at])),
            places: vec![None; stages].into(),
            corners: Corners::default(),
            cycle: 0,
        };
        bench.reset();
        Ok(bench)
    }

    fn reset(&mut self) {
        for input in self.inputs {
            self.device.set(input, 0);
        }
        self.device.reset(2);
        self.empty();
    }

    fn empty(&mut self) {
        self.corners.lost_in_reset += self.places.iter().flatten().count();
        self.places.iter_mut().for_each(|place| *place = None);
    }

    /// One cycle on the device and on the model; whether the pair was taken.
    fn step(&mut self, a: Option<Beat>, b: Option<Beat>, ready: bool, rst: bool) -> Result<bool> {
        let [rst_port, a_data, a_last, a_valid, b_data, b_last, b_valid, m_ready] = self.inputs;
        let device = &mut self.device;
        for (data, last, valid, beat) in [(a_data, a_last, a_valid, a), (b_data, b_last, b_valid, b)] {
            device.set(valid, beat.is_some().into());
            if let Some((word, end)) = beat {
                device.set(data, word);
                device.set(last, end.into());
            }
        }
        device.set(m_ready, ready.into());
        device.set(rst_port, rst.into());
        device.settle();
        let [a_ready, b_ready, m_valid, m_data, m_last, m_user] = self.outputs.map(|output| device.get(output));
        device.tick();

        let (cycle, shown) = (self.cycle, self.places.back().copied().flatten());
        let found = (m_valid == 1).then_some((m_data, m_user as u8, m_last == 1));
        ensure!(found == shown, "cycle {cycle}: it shows {found:x?} and not {shown:x?}");
        let moves = ready || shown.is_none();
        let both = a.zip(b).filter(|_| moves);
        let takes = [(a, a_ready), (b, b_ready)].map(|(beat, ready)| beat.is_some() && ready == 1);
        ensure!(
            takes == [both.is_some(); 2],
            "cycle {cycle}: it takes {takes:?} of a pair when both is {}",
            both.is_some()
        );
        self.cycle += 1;
        self.corners.stalled += usize::from(!moves);
        self.corners.a_waited += usize::from(moves && a.is_some() && b.is_none());
        self.corners.b_waited += usize::from(moves && b.is_some() && a.is_none());
        if moves {
            self.corners.bubbles += usize::from(both.is_none() && self.places.iter().flatten().count() > 0);
            if let Some((_, flags, end)) = self.places.pop_back().flatten() {
                self.corners.sums += 1;
                self.corners.ends += usize::from(end);
                for (bit, raised) in self.corners.raised.iter_mut().enumerate() {
                    *raised += usize::from(flags >> bit & 1);
                }
            }
            self.places.push_front(both.map(|((a, end), (b, _))| {
                let (sum, flags) = add(self.format, a, b);
                (sum, flags, end)
            }));
        }
        if rst {
            self.empty();
        }
        Ok(both.is_some())
    }

    /// Adds pairs at full speed, each in one cycle, and sees all sums come out.
    fn stream(&mut self, pairs: impl Iterator<Item = (u64, u64)>) -> Result<()> {
        for (a, b) in pairs {
            let taken = self.step(Some((a, false)), Some((b, true)), true, false);
            let taken = taken.map_err(|error| error.context(format!("while {a:#x} + {b:#x} goes in")))?;
            ensure!(
                taken,
                "cycle {}: a pair has to wait although every sum is taken",
                self.cycle - 1
            );
        }
        self.drain()
    }

    fn drain(&mut self) -> Result<()> {
        for _ in 0..=self.places.len() {
            self.step(None, None, true, false)?;
        }
        ensure!(self.places.iter().flatten().count() == 0, "a sum never came out");
        Ok(())
    }

    /// Idle sides, back-pressure and resets at random.
    fn random(&mut self, cycles: usize, rng: &mut SmallRng) -> Result<()> {
        let (mut a, mut b) = (None, None);
        let mut pair = random_pair(self.format, rng);
        for cycle in 0..cycles {
            let (offers_a, offers_b, takes) = PHASES[cycle / PHASE % PHASES.len()];
            if a.is_none() && rng.gen_bool(offers_a) {
                a = Some((pair.0, rng.gen()));
            }
            if b.is_none() && rng.gen_bool(offers_b) {
                b = Some((pair.1, rng.gen()));
            }
            let rst = rng.gen_bool(RESETS);
            if self.step(a, b, rng.gen_bool(takes), rst)? || rst {
                (a, b) = (None, None);
                pair = random_pair(self.format, rng);
            }
        }
        self.drain()
    }
}

/// Holds an adder of `width` bits and so many stages to its promise for `cycles` cycles of random traffic.
///
/// # Errors
/// The first cycle that differs, with the seed, or a corner that the run did not meet.
pub fn check(device: impl Device, width: usize, stages: usize, cycles: usize, seed: u64) -> Result<()> {
    let format = Format::of_width(width).expect("a width of the adder");
    let mut bench = Bench::new(device, format, stages)?;
    let outcome = bench.random(cycles, &mut SmallRng::seed_from_u64(seed));
    outcome.map_err(|error| error.context(format!("width {width}, {stages} stages, seed {seed:#x}")))?;
    let Corners {
        sums,
        stalled,
        a_waited,
        b_waited,
        bubbles,
        lost_in_reset,
        ends,
        raised: [inexact, underflow, overflow, divide_by_zero, invalid],
    } = bench.corners;
    let met = [
        stalled,
        a_waited,
        b_waited,
        bubbles,
        lost_in_reset,
        ends,
        inexact,
        overflow,
        invalid,
    ];
    ensure!(
        sums > cycles / 4 && !met.contains(&0),
        "seed {seed:#x} misses a corner: {:?}",
        bench.corners
    );
    ensure!(
        underflow + divide_by_zero == 0,
        "golden raises flags that an addition has not"
    );
    Ok(())
}

/// Holds an adder to golden sums of these pairs, one a cycle.
///
/// # Errors
/// The first cycle that differs.
pub fn check_pairs(
    device: impl Device,
    width: usize,
    stages: usize,
    pairs: impl Iterator<Item = (u64, u64)>,
) -> Result<()> {
    let format = Format::of_width(width).expect("a width of the adder");
    let mut bench = Bench::new(device, format, stages)?;
    let outcome = bench.stream(pairs);
    outcome.map_err(|error| error.context(format!("width {width}, {stages} stages")))
}
