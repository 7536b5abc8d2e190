//! What is going on, on standard error while it goes on; nothing of it where that is no terminal.

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
