//! A suite proves itself: hardware without a fault passes it, hardware with a planted one does not.

use super::fault::{Fault, Faulty};
use portico_sim::{Library, Optimise};
use portico_testbench::device::{hardware::library, verilated::Verilated};
use portico_verilog::Design;
use std::fmt::Debug;

/// A run of so few cycles or commands does not meet every corner.
const SHORT: usize = 10;

/// A new device of the library.
pub fn device(library: &Library) -> Verilated {
    Verilated::new(library).expect("its ports are known")
}

/// Holds a suite, which is given a library and the length of a run, to pass `right`, with and without the faults' choices in
/// it, and to find each fault.
pub fn all_are_caught<T: Debug>(
    right: &Design,
    faults: &[Fault],
    length: usize,
    suite: impl Fn(&Library, usize) -> anyhow::Result<T>,
) {
    let unchanged = library(right).expect("it compiles");
    suite(&unchanged, length).expect("there is no fault in it");
    let missed = format!(
        "{:#}",
        suite(&unchanged, SHORT).expect_err("a short run meets all corners")
    );
    assert!(!tells_a_difference(&missed), "{missed}");
    each_is_caught(&Faulty::new(right, faults, Optimise::Build), |library| {
        suite(library, length)
    });
}

/// Holds a suite to pass the design with no fault chosen, and to find each fault.
pub fn each_is_caught<T: Debug>(faulty: &Faulty, suite: impl Fn(&Library) -> anyhow::Result<T>) {
    suite(&faulty.with(0)).expect("no fault is chosen");
    for (what, number) in faulty.names().zip(1..) {
        is_caught(what, suite(&faulty.with(number)));
    }
}

/// Holds the outcome of a suite to tell of the fault `what`.
pub fn is_caught<T: Debug>(what: &str, outcome: anyhow::Result<T>) {
    let text = format!("{:#}", outcome.expect_err(what));
    assert!(tells_a_difference(&text) && text.contains("seed 0x"), "{what}: {text}");
    println!("{what}: {text}");
}

/// Whether a suite tells in which cycle the hardware went wrong, and not which corner its run did not meet.
fn tells_a_difference(error: &str) -> bool {
    error.contains("cycle") && !error.contains("misses a corner")
}
