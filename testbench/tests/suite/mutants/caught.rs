//! A suite proves itself: hardware without a fault passes it, hardware with a planted one does not.

use super::fault::Fault;
use portico_sim::{build, Optimise, Options};
use portico_testbench::device::verilated::Verilated;
use portico_verilog::Design;
use std::fmt::Debug;

/// A run of so few cycles or commands does not meet every corner.
const SHORT: usize = 10;

/// The design, whatever a linter would say of it; panics if a tool fails.
pub fn device(design: &Design) -> Verilated {
    let options = Options {
        optimise: Optimise::Build,
        lint: false,
        ..Options::default()
    };
    let library = build(design, &options).unwrap_or_else(|error| panic!("{}: {error}", design.top));
    Verilated::new(&library).expect("its ports are known")
}

/// Holds a suite, which is given a design and the length of a run, to pass `right` and to find each fault in it.
pub fn all_are_caught<'a, T: Debug>(
    right: &Design,
    faults: impl IntoIterator<Item = &'a Fault>,
    length: usize,
    suite: impl Fn(&Design, usize) -> anyhow::Result<T>,
) {
    suite(right, length).expect("there is no fault in it");
    let missed = format!("{:#}", suite(right, SHORT).expect_err("a short run meets all corners"));
    assert!(!tells_a_difference(&missed), "{missed}");
    for fault in faults {
        let mut design = right.clone();
        fault.plant(&mut design);
        let outcome = suite(&design, length);
        let text = format!("{:#}", outcome.expect_err(fault.what));
        assert!(tells_a_difference(&text), "{}: {text}", fault.what);
        println!("{}: {text}", fault.what);
    }
}

/// Whether a suite tells in which cycle the hardware went wrong, and not which corner its run did not meet.
fn tells_a_difference(error: &str) -> bool {
    error.contains("cycle") && !error.contains("misses a corner")
}
