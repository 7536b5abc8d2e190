//! Progress of long work, on standard error. If that is not a terminal, only benchmarks report their steps.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Between two pictures of a spinner: it turns while its thread waits for a tool.
const TURN: Duration = Duration::from_millis(120);

/// A spinner beside `message` and the time since it began.
pub fn spinner(message: String) -> ProgressBar {
    turning("{spinner} {msg} {elapsed}").with_message(message)
}

/// A spinner beside the number of cycles simulated.
pub fn cycles() -> ProgressBar {
    turning("{spinner} simulating, {human_pos} cycles {elapsed}")
}

fn turning(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is one");
    let spinner = ProgressBar::new_spinner().with_style(style);
    spinner.enable_steady_tick(TURN);
    spinner
}

/// A bar over `steps` steps, with what the present one is.
pub fn bar(steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}").expect("the template is one");
    ProgressBar::new(steps).with_style(style)
}

/// A function that shows a step of a benchmark on `bar`: steps done, all steps, and the name of the next one. If standard
/// error is not a terminal, the function prints a line a step instead.
pub fn steps(bar: &ProgressBar) -> impl FnMut(usize, usize, &str) + '_ {
    |done, of, next| {
        if bar.is_hidden() {
            eprintln!("{done}/{of} {next}");
        }
        bar.set_length(of as u64);
        bar.set_position(done as u64);
        bar.set_message(next.to_owned());
    }
}

/// A bar over cycles that are simulated, with what is left of the time.
pub fn simulation(cycles: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {human_pos} of {human_len} cycles, {eta} left");
    let bar = ProgressBar::new(cycles).with_style(style.expect("the template is one"));
    bar.enable_steady_tick(TURN);
    bar
}
