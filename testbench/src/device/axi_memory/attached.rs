//! The memory as a peripheral of a simulated fabric.

use super::{AxiMemory, Timing};
use crate::device::verilated::{Ports, Verilated};
use anyhow::Context;
use portico_sim::{Library, Model, Peripheral};
use portico_spec::Config;
use std::{ops::Range, sync::Arc};

/// An [`AxiMemory`] at the outer ports of a fabric's memory node.
pub struct AttachedMemory {
    memory: AxiMemory,
    ports: Arc<Ports>,
}

impl AttachedMemory {
    /// One for each memory node of the fabric in `library`, of which `model` is one.
    ///
    /// # Errors
    /// The library has not the ports of the configuration.
    pub fn all(library: &Library, model: &mut Model, config: &Config, timing: Timing) -> anyhow::Result<Vec<Self>> {
        let ports = Arc::new(Ports::new(library, model)?);
        let device = Verilated::borrowed(model, &ports);
        let memories = (0..config.memories).map(|memory| {
            let prefix = format!("m_axi_{memory}");
            Ok(Self {
                memory: AxiMemory::new(&device, &prefix, config.width, timing, memory as u64)
                    .with_context(|| format!("no memory can be attached at {prefix}"))?,
                ports: ports.clone(),
            })
        });
        memories.collect()
    }

    /// As [`AxiMemory::fail`].
    pub fn fail(&mut self, bytes: Range<u64>) {
        self.memory.fail(bytes);
    }
}

impl Peripheral for AttachedMemory {
    fn drive(&mut self, model: &mut Model) {
        self.memory.drive(&mut Verilated::borrowed(model, &self.ports));
    }

    fn observe(&mut self, model: &mut Model) {
        self.memory.observe(&Verilated::borrowed(model, &self.ports));
    }

    fn reset(&mut self) {
        self.memory.reset();
    }
}
