//! Verilated models: built while a spinner turns, watched while they run.

use crate::{design::VERSION, progress};
use indicatif::ProgressBar;
use portico_sim::{Library, Options};
use portico_spec::Flit;
use portico_synth::Tool;
use portico_testbench::device::stream::{Handshakes, StreamDevice};
use portico_verilog::Design;
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// Cycles between two looks at the clock for the progress bar.
const REFRESH: u64 = 1024;

/// Compiles a design, or takes it from the cache; says which on standard error, and returns how long it took.
///
/// # Errors
/// A tool is missing or fails.
pub fn build(design: &Design, options: &Options) -> anyhow::Result<(Library, Duration)> {
    let begun = Instant::now();
    let spinner = progress::spinner(format!("compiling {}", design.top));
    let library = portico_sim::build(design, options);
    spinner.finish_and_clear();
    let (library, took) = (library?, begun.elapsed());
    tracing::info!(folder = %library.folder().display(), cached = library.cached());
    Ok((library, took))
}

/// The version of each tool that has a part in the figures of a model.
///
/// # Errors
/// Verilator is missing.
pub fn tools() -> anyhow::Result<BTreeMap<String, String>> {
    let verilator = portico_synth::locate(Tool::Verilator)?;
    let tools = [("portico", VERSION.to_owned()), ("verilator", verilator.version)];
    Ok(tools.map(|(name, version)| (name.to_owned(), version)).into())
}

/// A device whose cycles are counted and timed.
pub struct Watched<D> {
    device: D,
    bar: ProgressBar,
    /// Cycles since it was made.
    pub cycles: u64,
    /// Time that the device itself took for them.
    pub busy: Duration,
}

impl<D> Watched<D> {
    /// Watches `device`, and shows on `bar` how far it is.
    pub fn new(device: D, bar: ProgressBar) -> Self {
        Watched {
            device,
            bar,
            cycles: 0,
            busy: Duration::ZERO,
        }
    }

    /// The device.
    pub fn device(&mut self) -> &mut D {
        &mut self.device
    }

    /// Cycles a second of the device itself.
    pub fn speed(&self) -> f64 {
        self.cycles as f64 / self.busy.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

impl<D: StreamDevice> StreamDevice for Watched<D> {
    fn inputs(&self) -> usize {
        self.device.inputs()
    }

    fn outputs(&self) -> usize {
        self.device.outputs()
    }

    fn reset(&mut self) {
        self.device.reset();
    }

    fn cycle(&mut self, offered: &[Option<Flit>], ready: &[bool]) -> Handshakes<'_> {
        self.cycles += 1;
        if self.cycles.is_multiple_of(REFRESH) {
            self.bar.set_position(self.cycles);
        }
        let begun = Instant::now();
        let handshakes = self.device.cycle(offered, ready);
        self.busy += begun.elapsed();
        handshakes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_spec::Config;
    use portico_testbench::model::golden_mesh::GoldenMesh;

    #[test]
    fn a_watched_device_behaves_as_the_device() {
        let config = Config::default();
        let mut plain = GoldenMesh::new(&config);
        let mut watched = Watched::new(GoldenMesh::new(&config), ProgressBar::hidden());
        assert_eq!((watched.inputs(), watched.outputs()), (plain.inputs(), plain.outputs()));
        let flit = Flit { data: 0x21, last: true };
        for cycle in 0..50 {
            let offered: Vec<_> = (0..config.terminals())
                .map(|at| (at == cycle % 16).then_some(flit))
                .collect();
            let ready = vec![cycle % 3 > 0; config.terminals()];
            let expected = plain.cycle(&offered, &ready);
            let seen = watched.cycle(&offered, &ready);
            assert_eq!(
                (seen.accepted, seen.emitted),
                (expected.accepted, expected.emitted),
                "cycle {cycle}"
            );
        }
        assert_eq!(watched.cycles, 50);
        assert!(watched.speed() > 0.0);
    }
}
