//! Random circuits behave alike in rust-hdl's simulator and as emitted Verilog under Verilator, cycle for cycle.

mod bank;
mod circuit;
mod generate;
mod program;
mod run;
mod value;

use crate::tools;
use bank::member;
use circuit::{places, Top};
use generate::Shifts;
use portico_sim::{build, Model, Optimise, Source};
use portico_synth::Tool;
use portico_verilog::{emit, Design, Error, Options};
use program::Kind;
use rand::{rngs::SmallRng, Rng, SeedableRng};
use rust_hdl::prelude::*;
use std::collections::BTreeMap;
use value::Value;

/// Circuits in one top, by the levels of children below them: one compilation serves all.
const LEVELS: [usize; CIRCUITS] = [0, 0, 1, 0, 0, 1, 0, 2, 0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 1, 0, 0, 1, 0, 0];

const CIRCUITS: usize = 24;

/// Iterations within which rust-hdl's simulator must settle.
const ITERATIONS: usize = 200;

const CYCLES: usize = 300;

fn emitted(block: &dyn Block) -> Result<Design, Error> {
    let options = Options {
        generator: "Test 1.0".into(),
        licence: String::new(),
        prefix: "test".into(),
        block: "top".into(),
        configuration: vec![],
        keep_apart: vec![],
    };
    emit(block, &options)
}

fn top(seed: u64) -> (Top, Design) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let circuits = LEVELS.map(|levels| generate::circuit(&mut rng, levels, &mut Shifts::new()));
    let top = Top::new(circuits.into());
    let design = emitted(&top).unwrap_or_else(|error| panic!("seed {seed:#x}: {error}"));
    (top, design)
}

fn model(source: Source) -> Model {
    let options = portico_sim::Options {
        optimise: Optimise::Build,
        lint: false,
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

/// Verilator's warnings, but for comparisons that are constant: no person writes what random programs compare.
fn lint(design: &Design) -> String {
    let folder = tools::folder();
    tools::write(folder.path(), &[("top.v".into(), design.text())]);
    let arguments = [
        "--lint-only",
        "-Wall",
        "-Wno-UNSIGNED",
        "-Wno-CMPCONST",
        "--top-module",
        "test_top",
        "top.v",
    ];
    let (_, report) = tools::run(Tool::Verilator, folder.path(), &arguments);
    let warnings: Vec<&str> = report.lines().filter(|line| line.starts_with('%')).collect();
    warnings.join("\n")
}

fn behaves_alike(seed: u64) {
    println!("seed {seed:#x}");
    let (top, design) = top(seed);
    assert_eq!(lint(&design), "", "seed {seed:#x}");
    let found = differences(top, model(Source::from(&design)), seed);
    assert!(found.is_empty(), "seed {seed:#x}: {found:#?}\n{}", design.text());
}

#[test]
fn random_circuits_behave_alike() {
    behaves_alike(0x5eed);
}

#[test]
fn other_random_circuits_behave_alike() {
    behaves_alike(0x0dd_ba11);
}

/// One wrong operator in each module: most show, the others make no difference to any output.
#[test]
fn wrong_operators_are_noticed() {
    const SEED: u64 = 0x5eed;
    const SWAPS: [(&str, &str); 4] = [(" + ", " - "), (" >> ", " << "), (" & ", " | "), (" == ", " != ")];
    let (top, mut design) = top(SEED);
    let mut planted = 0;
    for (at, module) in design.modules.iter_mut().enumerate() {
        let (from, to) = SWAPS[at % SWAPS.len()];
        // Lists of unused signals follow the logic, so the first operator is one of it.
        if let Some((before, after)) = module.text.split_once(from) {
            module.text = [before, to, after].concat();
            planted += 1;
        }
    }
    assert!(planted > CIRCUITS, "{planted} wrong operators");
    let found = differences(top, model(Source::from(&design)), SEED);
    assert!(
        found.len() >= CIRCUITS * 3 / 4,
        "{planted} wrong operators show in {found:#?} alone"
    );
}
