//! Register, arbiter and credit counter in rust-hdl's simulator, as Verilog and as a netlist, against naive models.

use crate::promises::ports::{agree, Model, Named};
use portico_generate::design;
use portico_hdl::{
    noc::PORTS,
    prim::{CreditCounter, Register, RoundRobinArbiter},
};
use portico_spec::Config;
use portico_testbench::{
    device::hardware::{compiled, synthesised},
    rtl_device,
};
use rand::{rngs::SmallRng, Rng};

const CYCLES: usize = 10_000;
const SEED: u64 = 0x5eed;

/// How often a run resets in mid-flight.
const RESETS: f64 = 0.01;

/// The block on every device.
fn devices(block: &str, width: usize, rtl: Named) -> anyhow::Result<Vec<Named>> {
    let design = design(
        block,
        &Config {
            width,
            ..Config::default()
        },
    )?;
    Ok(vec![
        rtl,
        ("Verilog", Box::new(compiled(&design)?)),
        ("netlist", Box::new(synthesised(&design)?)),
    ])
}

/// Inputs: rst, d, enable.
struct Holder {
    held: u64,
    width: usize,
}

impl Model for Holder {
    fn stimulus(&mut self, rng: &mut SmallRng) -> Vec<u64> {
        vec![
            rng.gen_bool(RESETS).into(),
            rng.gen::<u64>() >> (64 - self.width),
            rng.gen_range(0..2),
        ]
    }

    fn outputs(&self, _inputs: &[u64]) -> Vec<Option<u64>> {
        vec![Some(self.held)]
    }

    fn clock(&mut self, inputs: &[u64]) {
        self.held = match *inputs {
            [1, ..] => 0,
            [_, d, 1] => d,
            _ => self.held,
        };
    }
}

#[test]
fn registers_hold_what_they_took_last() -> anyhow::Result<()> {
    let narrow: Named = (
        "rust-hdl",
        Box::new(rtl_device!(Register::<32>::new(0.into()); rst, d, enable)),
    );
    let wide: Named = (
        "rust-hdl",
        Box::new(rtl_device!(Register::<64>::new(0.into()); rst, d, enable)),
    );
    for (width, rtl) in [(32, narrow), (64, wide)] {
        let devices = devices("register", width, rtl)?;
        agree(
            devices,
            &["rst", "d", "enable"],
            &["q"],
            &mut Holder { held: 0, width },
            CYCLES,
            SEED,
        )?;
    }
    Ok(())
}

#[test]
fn a_device_that_differs_is_named() {
    let ports = ["rst", "d", "enable"];
    let right: Named = (
        "right",
        Box::new(rtl_device!(Register::<32>::new(0.into()); rst, d, enable)),
    );
    let wrong: Named = (
        "wrong",
        Box::new(rtl_device!(Register::<32>::new(1.into()); rst, d, enable)),
    );
    let outcome = agree(
        vec![right, wrong],
        &ports,
        &["q"],
        &mut Holder { held: 0, width: 32 },
        CYCLES,
        SEED,
    );
    let error = outcome.expect_err("their reset values differ").to_string();
    assert!(error.starts_with("wrong, seed 0x5eed, cycle 0: "), "{error}");
}

/// A cyclic scan from the one behind the last served. Inputs: rst, request, served.
#[derive(Default)]
struct Scan {
    next: usize,
    /// Services of others since each began to request.
    waits: [usize; PORTS],
    longest: usize,
}

impl Scan {
    fn winner(&self, request: u64) -> Option<usize> {
        (0..PORTS)
            .map(|step| (self.next + step) % PORTS)
            .find(|requester| request >> requester & 1 == 1)
    }
}

impl Model for Scan {
    fn stimulus(&mut self, rng: &mut SmallRng) -> Vec<u64> {
        let all = (1 << PORTS) - 1;
        let request = [0, all, rng.gen_range(0..=all), rng.gen_range(0..=all)][rng.gen_range(0..4)];
        vec![rng.gen_bool(RESETS).into(), request, rng.gen_range(0..2)]
    }

    fn outputs(&self, inputs: &[u64]) -> Vec<Option<u64>> {
        vec![Some(self.winner(inputs[1]).map_or(0, |winner| 1 << winner))]
    }

    fn clock(&mut self, inputs: &[u64]) {
        let &[rst, request, served] = inputs else {
            unreachable!("three inputs")
        };
        let winner = self.winner(request).filter(|_| served == 1);
        for requester in 0..PORTS {
            let waits = request >> requester & 1 == 1 && winner != Some(requester) && rst == 0;
            self.waits[requester] = if waits {
                self.waits[requester] + usize::from(winner.is_some())
            } else {
                0
            };
            self.longest = self.longest.max(self.waits[requester]);
        }
        self.next = match (rst, winner) {
            (1, _) => 0,
            (_, Some(winner)) => (winner + 1) % PORTS,
            _ => self.next,
        };
    }
}

#[test]
fn arbiters_grant_in_turn() -> anyhow::Result<()> {
    let rtl = rtl_device!(RoundRobinArbiter::<PORTS>::default(); rst, request, served);
    let devices = devices("round-robin-arbiter", 32, ("rust-hdl", Box::new(rtl)))?;
    let mut model = Scan::default();
    agree(
        devices,
        &["rst", "request", "served"],
        &["grant"],
        &mut model,
        CYCLES,
        SEED,
    )?;
    assert!(
        (1..PORTS).contains(&model.longest),
        "someone waited for {} services",
        model.longest
    );
    Ok(())
}

/// Credits of the counter that is emitted alone.
const MOST_CREDITS: u64 = 8;

/// Plain arithmetic. Inputs: rst, take, give.
struct Credits {
    credits: u64,
    error: bool,
    cycle: usize,
    refused: [usize; 2],
}

impl Model for Credits {
    /// Phases in which takes or gives prevail reach both ends.
    fn stimulus(&mut self, rng: &mut SmallRng) -> Vec<u64> {
        let (take, give) = if (self.cycle / 64).is_multiple_of(2) {
            (0.8, 0.3)
        } else {
            (0.3, 0.8)
        };
        [RESETS / 2.0, take, give]
            .map(|often| rng.gen_bool(often).into())
            .to_vec()
    }

    fn outputs(&self, _inputs: &[u64]) -> Vec<Option<u64>> {
        [self.credits, (self.credits > 0).into(), self.error.into()]
            .map(Some)
            .to_vec()
    }

    fn clock(&mut self, inputs: &[u64]) {
        let [rst, take, give] = [inputs[0], inputs[1], inputs[2]].map(|input| input == 1);
        let takes = take && self.credits > 0;
        let gives = give && (self.credits < MOST_CREDITS || takes);
        self.credits = self.credits + u64::from(gives) - u64::from(takes);
        self.error = takes != take || gives != give;
        self.refused[0] += usize::from(takes != take);
        self.refused[1] += usize::from(gives != give);
        if rst {
            (self.credits, self.error) = (MOST_CREDITS, false);
        }
        self.cycle += 1;
    }
}

#[test]
fn credit_counters_do_arithmetic() -> anyhow::Result<()> {
    let rtl = rtl_device!(CreditCounter::<4>::new(MOST_CREDITS); rst, take, give);
    let devices = devices("credit-counter", 32, ("rust-hdl", Box::new(rtl)))?;
    let mut model = Credits {
        credits: MOST_CREDITS,
        error: false,
        cycle: 0,
        refused: [0; 2],
    };
    agree(
        devices,
        &["rst", "take", "give"],
        &["credits", "available", "error"],
        &mut model,
        CYCLES,
        SEED,
    )?;
    assert!(
        !model.refused.contains(&0),
        "an end was not reached: {:?}",
        model.refused
    );
    Ok(())
}
