//! A mesh with a planted fault, for the tests of what must catch it.

use crate::device::stream::{Handshakes, StreamDevice};
use portico_spec::Flit;

/// A device whose emitted flits pass through `alter` in every cycle.
pub struct Altered<D, F> {
    device: D,
    alter: F,
    emitted: Vec<Option<Flit>>,
}

impl<D: StreamDevice, F: FnMut(&mut [Option<Flit>])> Altered<D, F> {
    pub fn new(device: D, alter: F) -> Self {
        Self {
            device,
            alter,
            emitted: vec![],
        }
    }
}

impl<D: StreamDevice, F: FnMut(&mut [Option<Flit>])> StreamDevice for Altered<D, F> {
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
        let Handshakes { accepted, emitted } = self.device.cycle(offered, ready);
        self.emitted.clear();
        self.emitted.extend(emitted);
        (self.alter)(&mut self.emitted);
        Handshakes {
            accepted,
            emitted: &self.emitted,
        }
    }
}
