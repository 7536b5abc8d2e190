//! What the reduce ALU promises, on any device.
//!
//! The model is a row of `stages` places, exact in every cycle: it moves unless a result is offered and not taken, pairs
//! enter at one end when both streams offer, and what comes out at the other is what the golden model makes of them. So
//! order, latency, throughput and back-pressure follow.

use anyhow::{ensure, Result};
use portico_golden::mpe::reduce::reduce;
use portico_spec::fp::{Flag, Format};
use portico_spec::mpe::reduce::{Operation, OPERATION_WIDTH};
use portico_testbench::device::{Device, Input, Output};
use rand::{rngs::SmallRng, seq::SliceRandom, Rng, SeedableRng};
use std::collections::VecDeque;

/// How often each side acts, by phase: (an accumulated element is offered, a contribution is, the output is ready).
const PHASES: [(f64, f64, f64); 8] = [
    (1.0, 1.0, 1.0),
    (0.6, 0.6, 0.6),
    (1.0, 1.0, 0.2),
    (0.3, 1.0, 1.0),
    (1.0, 0.3, 0.8),
    (0.9, 0.9, 0.5),
    (1.0, 1.0, 0.9),
    (0.1, 0.1, 0.9),
];
const PHASE: usize = 50;

/// How often a run resets in mid-flight.
const RESETS: f64 = 0.003;

/// An accumulated element with its operation and `last`.
#[derive(Clone, Copy, Debug, Default)]
struct Element {
    code: u32,
    word: u64,
    last: bool,
}

/// What is offered for a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Outcome {
    word: u64,
    flags: u64,
    last: bool,
}

/// How often each corner was met.
#[derive(Debug, Default)]
struct Corners {
    taken: usize,
    left: usize,
    lost_in_reset: usize,
    by_code: [usize; 1 << OPERATION_WIDTH],
    flags: [usize; Flag::ALL.len()],
    nan: usize,
    element_waited: usize,
    contribution_waited: usize,
    stalled: usize,
    full: usize,
}

struct Ports {
    rst: Input,
    a: [Input; 4],
    a_ready: Output,
    b: [Input; 3],
    b_ready: Output,
    ready: Input,
    result: [Output; 4],
}

impl Ports {
    fn of(device: &dyn Device) -> Result<Self> {
        let (input, output) = (|name| device.require_input(name), |name| device.require_output(name));
        Ok(Self {
            rst: input("rst")?,
            a: [
                input("s_axis_a_tvalid")?,
                input("s_axis_a_tdata")?,
                input("s_axis_a_tlast")?,
                input("s_axis_a_tuser")?,
            ],
            a_ready: output("s_axis_a_tready")?,
            b: [
                input("s_axis_b_tvalid")?,
                input("s_axis_b_tdata")?,
                input("s_axis_b_tlast")?,
            ],
            b_ready: output("s_axis_b_tready")?,
            ready: input("m_axis_tready")?,
            result: [
                output("m_axis_tvalid")?,
                output("m_axis_tdata")?,
                output("m_axis_tlast")?,
                output("m_axis_tuser")?,
            ],
        })
    }
}

struct Bench {
    device: Box<dyn Device>,
    ports: Ports,
    format: Format,
    /// The next to be offered is in front.
    places: VecDeque<Option<Outcome>>,
    corners: Corners,
    cycle: usize,
}

impl Bench {
    fn new(mut device: Box<dyn Device>, stages: usize, format: Format) -> Result<Self> {
        let ports = Ports::of(&device)?;
        let inputs = ports.a.iter().chain(&ports.b).chain([&ports.ready]);
        inputs.for_each(|port| device.set(*port, 0));
        device.reset(2);
        Ok(Self {
            device,
            ports,
            format,
            places: vec![None; stages].into(),
            corners: Corners::default(),
            cycle: 0,
        })
    }

    /// One cycle on the device and on the model; returns whether the pair was taken.
    fn step(&mut self, a: Option<Element>, b: Option<u64>, ready: bool, rst: bool) -> Result<bool> {
        let (device, ports, cycle) = (&mut self.device, &self.ports, self.cycle);
        let Element { code, word, last } = a.unwrap_or_default();
        let element = [a.is_some().into(), word, last.into(), code.into()];
        // The last of contributions is not looked at.
        let contribution = [b.is_some().into(), b.unwrap_or(0), (cycle % 3 == 0).into()];
        let ports_and_words = ports.a.iter().zip(element).chain(ports.b.iter().zip(contribution));
        ports_and_words.for_each(|(port, word)| device.set(*port, word));
        device.set(ports.ready, ready.into());
        device.set(ports.rst, rst.into());
        device.settle();

        let shown = self.places[0];
        let moving = ready || shown.is_none();
        let [valid, word, last, flags] = ports.result.map(|port| device.get(port));
        let seen = (valid == 1).then_some(Outcome {
            word,
            flags,
            last: last == 1,
        });
        ensure!(seen == shown, "cycle {cycle}: it shows {seen:x?} and not {shown:x?}");
        let taken = [ports.a_ready, ports.b_ready].map(|port| device.get(port) == 1);
        let expected = [moving && b.is_some(), moving && a.is_some()];
        ensure!(
            taken == expected,
            "cycle {cycle}: it is ready for {taken:?} and not {expected:?}"
        );
        device.tick();
        self.cycle += 1;

        let pair = a.zip(b).filter(|_| moving);
        self.count(a, b, moving, shown.is_some() && ready);
        if moving {
            self.places.pop_front();
            let result = pair.map(|(Element { code, word, last }, b)| {
                let (word, flags) = reduce(self.format, code, word, b);
                let flags = flags.into();
                self.corners.by_code[code as usize] += 1;
                self.corners.nan += usize::from(word == self.format.canonical_nan());
                for (place, count) in self.corners.flags.iter_mut().enumerate() {
                    *count += (flags >> place & 1) as usize;
                }
                Outcome { word, flags, last }
            });
            self.places.push_back(result);
        }
        if rst {
            self.corners.lost_in_reset += self.places.iter().flatten().count();
            self.places.iter_mut().for_each(|place| *place = None);
        }
        Ok(pair.is_some())
    }

    fn count(&mut self, a: Option<Element>, b: Option<u64>, moving: bool, left: bool) {
        let corners = &mut self.corners;
        corners.taken += usize::from(a.is_some() && b.is_some() && moving);
        corners.left += usize::from(left);
        corners.element_waited += usize::from(a.is_some() && b.is_none());
        corners.contribution_waited += usize::from(a.is_none() && b.is_some());
        corners.stalled += usize::from(!moving);
        corners.full += usize::from(!moving && self.places.iter().all(Option::is_some));
    }

    fn random(&mut self, cycles: usize, rng: &mut SmallRng) -> Result<()> {
        let (mut a, mut b) = (None, None);
        let mut next = pair(self.format, rng);
        for cycle in 0..cycles {
            let (offers_a, offers_b, takes) = PHASES[cycle / PHASE % PHASES.len()];
            a = a.or(rng.gen_bool(offers_a).then_some(next.0));
            b = b.or(rng.gen_bool(offers_b).then_some(next.1));
            let rst = rng.gen_bool(RESETS);
            let taken = self.step(a, b, rng.gen_bool(takes), rst)?;
            if taken || rst {
                (a, b, next) = (None, None, pair(self.format, rng));
            }
        }
        for _ in 0..self.places.len() {
            self.step(None, None, true, false)?;
        }
        self.step(None, None, true, false)?;
        let Corners {
            taken,
            left,
            lost_in_reset,
            ..
        } = self.corners;
        ensure!(
            taken == left + lost_in_reset,
            "of {taken} pairs taken, {left} results came out and {lost_in_reset} were lost in resets"
        );
        Ok(())
    }
}

/// A word of some class of floating-point numbers, or near a border of the integers.
fn word(format: Format, rng: &mut SmallRng) -> u64 {
    let top = format.sign_mask() - 1;
    let magnitude = match rng.gen_range(0..10) {
        0 => 0,
        1 => rng.gen_range(1..=format.fraction_mask()),
        2 => format.infinity(),
        3 => format.infinity() | rng.gen_range(1..format.quiet_mask()),
        4 => format.canonical_nan() | rng.gen_range(0..format.quiet_mask()),
        5 => format.infinity() - 1 - rng.gen_range(0..4),
        6 => *[1, format.fraction_mask(), format.fraction_mask() + 1, top]
            .choose(rng)
            .expect("four words"),
        _ => rng.gen::<u64>() & top,
    };
    magnitude | if rng.gen() { format.sign_mask() } else { 0 }
}

/// An accumulated element and a contribution: two words of any class, or two that have something to do with one another.
fn pair(format: Format, rng: &mut SmallRng) -> (Element, u64) {
    let a = word(format, rng);
    let all = (format.sign_mask() - 1) | format.sign_mask();
    let b = match rng.gen_range(0..8) {
        0 => a,
        1 => a ^ format.sign_mask(),
        2 => a.wrapping_add(1) & all,
        3 => a ^ rng.gen_range(0..=format.fraction_mask()),
        4 => a ^ format.sign_mask() ^ rng.gen_range(0..=format.fraction_mask()),
        _ => word(format, rng),
    };
    // Sums and comparisons of floating-point numbers have the most corners.
    let code = match rng.gen_range(0..4) {
        0 => Operation::FloatSum as u32,
        1 => *[Operation::FloatMin as u32, Operation::FloatMax as u32]
            .choose(rng)
            .expect("two codes"),
        _ => rng.gen_range(0..1 << OPERATION_WIDTH),
    };
    let element = Element {
        code,
        word: a,
        last: rng.gen(),
    };
    (element, b)
}

/// Holds a reduce ALU of `stages` stages on words of `width` bits to the model, for so many cycles of random traffic.
///
/// # Errors
/// The first cycle that differs, with the seed, or a corner that the run did not meet.
pub fn check(device: impl Device + 'static, stages: usize, width: usize, cycles: usize, seed: u64) -> Result<()> {
    let what = format!("{stages} stages, width {width}, seed {seed:#x}");
    let format = Format::of_width(width).expect("a width of 32 or 64");
    let mut bench = Bench::new(Box::new(device), stages, format)?;
    let mut rng = SmallRng::seed_from_u64(seed);
    bench
        .random(cycles, &mut rng)
        .map_err(|error| error.context(what.clone()))?;
    let corners = &bench.corners;
    let flag = |flag: Flag| corners.flags[flag as usize];
    let met = [
        flag(Flag::Invalid),
        flag(Flag::Overflow),
        flag(Flag::Inexact),
        corners.nan,
        corners.element_waited,
        corners.contribution_waited,
        corners.stalled,
        corners.full,
        corners.lost_in_reset,
    ];
    ensure!(
        corners.taken > cycles / 4 && !met.contains(&0) && !corners.by_code.contains(&0),
        "{what} misses a corner: {corners:?}"
    );
    ensure!(
        flag(Flag::Underflow) + flag(Flag::DivideByZero) == 0,
        "{what}: a sum has neither of these: {corners:?}"
    );
    Ok(())
}
