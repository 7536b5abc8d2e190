//! Verilog compiled by Verilator as a [`Device`]: the emitted design, or its netlist after synthesis.

use super::{Device, Input, Output};
use portico_sim::{Direction, Library, Model, SimError};
use std::{borrow::BorrowMut, sync::Arc};

/// The ports of a library's models, those of at most 64 bits.
pub struct Ports {
    inputs: Vec<(String, portico_sim::Input)>,
    outputs: Vec<(String, portico_sim::Output)>,
}

impl Ports {
    /// The ports of `library`, of which `model` is one.
    ///
    /// # Errors
    /// The library does not know a port that it lists.
    pub fn new(library: &Library, model: &Model) -> Result<Self, SimError> {
        let (mut inputs, mut outputs) = (vec![], vec![]);
        for port in library.ports().iter().filter(|port| port.width <= 64) {
            let name = port.name.clone();
            match port.direction {
                // The bridge drives the clock, and hands out no input for it.
                Direction::Input if name == "clk" => (),
                Direction::Input => inputs.push((name, model.input(&port.name)?)),
                Direction::Output => outputs.push((name, model.output(&port.name)?)),
            }
        }
        Ok(Self { inputs, outputs })
    }
}

/// A [`Model`], its own or borrowed, by its ports.
pub struct Verilated<M = Model> {
    model: M,
    ports: Arc<Ports>,
}

impl Verilated {
    /// A new model of `library`.
    ///
    /// # Errors
    /// The library does not know a port that it lists.
    pub fn new(library: &Library) -> Result<Self, SimError> {
        let model = library.model();
        let ports = Arc::new(Ports::new(library, &model)?);
        Ok(Self { model, ports })
    }

    /// The model, for wide ports and waveforms.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }
}

impl<'a> Verilated<&'a mut Model> {
    /// A model that another has, by its ports.
    pub fn borrowed(model: &'a mut Model, ports: &Arc<Ports>) -> Self {
        let ports = ports.clone();
        Self { model, ports }
    }
}

impl<M: BorrowMut<Model>> Device for Verilated<M> {
    fn input(&self, name: &str) -> Option<Input> {
        self.ports.inputs.iter().position(|(known, _)| known == name).map(Input)
    }

    fn output(&self, name: &str) -> Option<Output> {
        self.ports
            .outputs
            .iter()
            .position(|(known, _)| known == name)
            .map(Output)
    }

    fn set(&mut self, port: Input, value: u64) {
        self.model.borrow_mut().set(self.ports.inputs[port.0].1, value);
    }

    fn get(&self, port: Output) -> u64 {
        self.model.borrow().get(self.ports.outputs[port.0].1)
    }

    fn settle(&mut self) {
        self.model.borrow_mut().settle();
    }

    fn tick(&mut self) {
        self.model.borrow_mut().tick();
    }

    fn reset(&mut self, cycles: usize) {
        match self.input("rst") {
            Some(_) => self.model.borrow_mut().reset(cycles as u64),
            None => self.model.borrow_mut().run(cycles as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::accumulators;
    use portico_sim::{build, Optimise, Options, Source};

    #[test]
    fn verilog_does_what_its_block_does() {
        let lane = |source: Source, lane: &str| {
            source
                .input(&format!("{lane}_word"), 40)
                .input(&format!("{lane}_enable"), 1)
                .output(&format!("{lane}_sum"), 40)
        };
        let source = Source::new("accumulators", accumulators::VERILOG)
            .input("clk", 1)
            .input("rst", 1);
        let source = lane(lane(source, "lane_0"), "lane_1")
            .output("parity", 1)
            .output("wide", 80);
        let options = Options {
            optimise: Optimise::Build,
            ..Options::default()
        };
        let mut device = Verilated::new(&build(source, &options).unwrap()).unwrap();
        accumulators::check(&mut device);
        assert!(device.model().output("wide").is_ok(), "wide ports are the model's");
    }
}
