//! A list manager that carries out one command after the other, each checked against the golden model and timed.

use crate::device::{Device, Input, Output};
use anyhow::{ensure, Context, Result};
use portico_golden::portals::list::GoldenLists;
use portico_spec::portals::list::HANDLE_OFFSET;

/// Cycles without a beat after which the device is taken for dead: more than any search and initialisation.
const PATIENCE: u64 = 100_000;

/// What one command gave.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    /// From the cycle in which the last beat is taken to the first in which a result is offered.
    pub cycles: u64,
    /// The handle in the last result, the device's and the golden model's.
    pub handle: u32,
    pub golden_handle: u32,
}

/// A device and its golden twin.
pub struct Unit<D> {
    device: D,
    golden: GoldenLists,
    s_axis: (Input, Input, Input, Output),
    m_axis: (Output, Output, Output),
}

impl<D: Device> Unit<D> {
    /// Resets a device of `entries` entries.
    ///
    /// # Errors
    /// It is no list manager.
    pub fn new(mut device: D, entries: usize) -> Result<Self> {
        let s_axis = (
            device.require_input("s_axis_tdata")?,
            device.require_input("s_axis_tlast")?,
            device.require_input("s_axis_tvalid")?,
            device.require_output("s_axis_tready")?,
        );
        let m_axis = (
            device.require_output("m_axis_tdata")?,
            device.require_output("m_axis_tlast")?,
            device.require_output("m_axis_tvalid")?,
        );
        let ready = device.require_input("m_axis_tready")?;
        device.reset(2);
        device.set(ready, 1);
        Ok(Self {
            device,
            golden: GoldenLists::new(entries),
            s_axis,
            m_axis,
        })
    }

    /// Carries out a command that has no handle.
    ///
    /// # Errors
    /// A result differs from the golden one in more than a handle, or none comes.
    pub fn serve(&mut self, beats: &[u64]) -> Result<Served> {
        self.serve_named(beats, beats)
    }

    /// Carries out a command with handles: the device's own, and in `golden_beats` the golden model's.
    ///
    /// # Errors
    /// As [`Unit::serve`].
    pub fn serve_named(&mut self, beats: &[u64], golden_beats: &[u64]) -> Result<Served> {
        let (tdata, tlast, tvalid, tready) = self.s_axis;
        for (place, &beat) in beats.iter().enumerate() {
            self.device.set(tvalid, 1);
            self.device.set(tdata, beat);
            self.device.set(tlast, (place + 1 == beats.len()).into());
            self.until(tready)?;
            self.device.tick();
        }
        self.device.set(tvalid, 0);
        let (tdata, tlast, tvalid) = self.m_axis;
        let cycles = 1 + self.until(tvalid)?;
        let (mut handle, mut golden_handle) = (0, 0);
        for result in self.golden.serve(golden_beats) {
            for (place, &wanted) in result.iter().enumerate() {
                self.until(tvalid)?;
                let (beat, last) = (self.device.get(tdata), self.device.get(tlast) == 1);
                let counts = if place == 0 { (1 << HANDLE_OFFSET) - 1 } else { u64::MAX };
                ensure!(
                    (beat ^ wanted) & counts == 0 && last == (place + 1 == result.len()),
                    "{beats:x?} gives {beat:x} as beat {place}, not {wanted:x}"
                );
                if place == 0 {
                    [handle, golden_handle] = [beat, wanted].map(|beat| (beat >> HANDLE_OFFSET) as u32);
                }
                self.device.tick();
            }
        }
        Ok(Served {
            cycles,
            handle,
            golden_handle,
        })
    }

    /// Cycles until an output is high.
    fn until(&mut self, output: Output) -> Result<u64> {
        let cycles = self.device.until(output, PATIENCE);
        cycles.with_context(|| format!("nothing happens for {PATIENCE} cycles"))
    }
}
