//! Random circuits behave alike in rust-hdl's simulator and as emitted Verilog under Verilator, cycle for cycle.

mod bank;
mod circuit;
mod generate;
mod program;
mod run;
mod value;

use circuit::{places, Circuit, Top};
use portico_sim::{build, Model, Optimise, Source};
use portico_verilog::{emit, Design, Error, Options};
use program::Kind;
use rand::{rngs::SmallRng, Rng, SeedableRng};
use rust_hdl::prelude::*;
use std::collections::BTreeMap;
use value::Value;

/// Circuits in one top: one compilation serves all.
const CIRCUITS: usize = 24;

/// Iterations within which rust-hdl's simulator must settle.
const ITERATIONS: usize = 200;

const CYCLES: usize = 300;

fn emitted(block: &dyn Block) -> Result<Design, Error> {
    let options = Options {
        generator: "Test 1.0".into(),
        prefix: "test".into(),
        block: "top".into(),
        configuration: vec![],
        keep_apart: vec![],
    };
    emit(block, &options)
}

/// A random circuit with `levels` of children below it.
fn circuit(rng: &mut SmallRng, levels: usize) -> Circuit {
    let children = if levels == 0 { 0 } else { rng.gen_range(1..3) };
    let children = (0..children).map(|_| circuit(rng, levels - 1)).collect();
    generate::circuit(rng, children)
}

fn top(seed: u64) -> (Top, Design) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let top = Top::new((0..CIRCUITS).map(|at| circuit(&mut rng, at % 3)).collect());
    let design = emitted(&top).unwrap_or_else(|error| panic!("seed {seed:#x}: {error}"));
    (top, design)
}

fn model(source: Source) -> Model {
    let options = portico_sim::Options {
        optimise: Optimise::Build,
        ..Default::default()
    };
    let text = source.text.clone();
    let library = build(source, &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    library.model()
}

fn clock(top: &mut Top, level: bool) {
    top.clk.next = level.into();
    assert!(simulate(top, ITERATIONS), "rust-hdl's simulator does not settle");
}

/// Random inputs for some hundred cycles, with resets in between: the first difference of each circuit.
fn differences(mut top: Top, mut model: Model, seed: u64) -> BTreeMap<usize, String> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut found = BTreeMap::new();
    let inputs: Vec<_> = places(Kind::Input)
        .map(|place| (place, model.input(&place.name("inputs")).unwrap()))
        .collect();
    let results: Vec<_> = (0..top.results.len())
        .flat_map(|at| places(Kind::Output).map(move |place| (at, place)))
        .map(|(at, place)| (at, place, model.output(&place.name(&format!("results_{at}"))).unwrap()))
        .collect();
    let reset = model.input("rst").unwrap();
    clock(&mut top, false);
    for cycle in 0..CYCLES {
        let resets = cycle < 2 || rng.gen_bool(0.02);
        top.rst.next = resets;
        model.set(reset, resets.into());
        for (place, port) in &inputs {
            if rng.gen_bool(0.7) {
                let value = generate::constant(&mut rng, place.width);
                member!([&mut] top.inputs, place, signal => signal.next = value.into());
                model.set(*port, value.number());
            }
        }
        assert!(simulate(&mut top, ITERATIONS), "rust-hdl's simulator does not settle");
        model.settle();
        for (at, place, port) in &results {
            let expected: Value = member!([&] top.results[*at], place, signal => signal.val().into());
            let (expected, got) = (expected.number(), model.get(*port));
            if expected != got {
                let name = place.name("outputs");
                let tell = || format!("cycle {cycle}: {name} is {got:#x} in Verilog, {expected:#x} in rust-hdl");
                found.entry(*at).or_insert_with(tell);
            }
        }
        clock(&mut top, true);
        clock(&mut top, false);
        model.tick();
    }
    found
}

fn behaves_alike(seed: u64) {
    println!("seed {seed:#x}");
    let (top, design) = top(seed);
    let found = differences(top, model(Source::from(&design)), seed);
    assert!(found.is_empty(), "seed {seed:#x}: {found:#?}\n{}", design.text());
}

#[test]
fn random_circuits_behave_alike_1() {
    for i in 0..20 {
    behaves_alike(0x5eed + i);
    }
}
