//! A block without streams by its ports: random stimulus on several devices at once, each held to one naive model.

use anyhow::{ensure, Result};
use portico_testbench::device::Device;
use rand::{rngs::SmallRng, SeedableRng};

/// What a block promises, by the values of its ports.
pub trait Model {
    /// Inputs for the next cycle.
    fn stimulus(&mut self, rng: &mut SmallRng) -> Vec<u64>;

    /// Outputs in a cycle with these inputs; `None` where the block promises nothing.
    fn outputs(&self, inputs: &[u64]) -> Vec<Option<u64>>;

    /// The cycle with these inputs ends.
    fn clock(&mut self, inputs: &[u64]);
}

/// One way to run a block, and its name for reports.
pub type Named = (&'static str, Box<dyn Device>);

/// Runs all devices for `cycles` cycles, after a reset, and holds each output of each in each cycle to the model.
///
/// # Errors
/// The first output that differs, or one that was seldom promised anything.
pub fn agree(
    devices: Vec<Named>,
    inputs: &[&str],
    outputs: &[&str],
    model: &mut dyn Model,
    cycles: usize,
    seed: u64,
) -> Result<()> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut checked = vec![0; outputs.len()];
    let mut wired = Vec::new();
    for (what, mut device) in devices {
        let sets: Vec<_> = inputs
            .iter()
            .map(|name| device.require_input(name))
            .collect::<Result<_, _>>()?;
        let gets: Vec<_> = outputs
            .iter()
            .map(|name| device.require_output(name))
            .collect::<Result<_, _>>()?;
        sets.iter().for_each(|port| device.set(*port, 0));
        device.reset(2);
        wired.push((what, device, sets, gets));
    }
    for cycle in 0..cycles {
        let stimulus = model.stimulus(&mut rng);
        let promised = model.outputs(&stimulus);
        for (what, device, sets, gets) in &mut wired {
            sets.iter()
                .zip(&stimulus)
                .for_each(|(port, value)| device.set(*port, *value));
            device.settle();
            for ((name, port), promised) in outputs.iter().zip(gets).zip(&promised) {
                let seen = promised.map(|_| device.get(*port));
                ensure!(
                    seen == *promised,
                    "{what}, seed {seed:#x}, cycle {cycle}: inputs {stimulus:x?} give {name} {seen:x?}, not {promised:x?}"
                );
            }
            device.tick();
        }
        for (checked, promised) in checked.iter_mut().zip(&promised) {
            *checked += usize::from(promised.is_some());
        }
        model.clock(&stimulus);
    }
    ensure!(
        checked.iter().all(|checked| *checked > cycles / 4),
        "{checked:?} of {cycles} cycles held a promise"
    );
    Ok(())
}
