//! A model by the names of its ports, as a device.

use crate::device::{Device, Input, Output};

/// What a golden model does in a cycle, by the names of its ports.
pub trait Model {
    /// Its inputs beside `rst`.
    fn inputs(&self) -> Vec<&'static str>;

    /// Its outputs.
    fn outputs(&self) -> Vec<&'static str>;

    /// The value of an output in a cycle with these inputs.
    fn output(&self, name: &str, inputs: &Inputs) -> u64;

    /// The cycle with these inputs ends.
    fn clock(&mut self, inputs: &Inputs);

    /// Back to the state after a reset.
    fn reset(&mut self);
}

/// A model's inputs and their values.
#[derive(Clone, Debug)]
pub struct Inputs(Vec<(&'static str, u64)>);

impl Inputs {
    /// The value of an input.
    ///
    /// # Panics
    /// The model has no such input.
    pub fn get(&self, name: &str) -> u64 {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.unwrap_or_else(|| panic!("there is no input {name}")).1
    }

    /// Whether an input of one bit is high.
    ///
    /// # Panics
    /// The model has no such input.
    pub fn high(&self, name: &str) -> bool {
        self.get(name) == 1
    }
}

/// A [`Model`] as a [`Device`].
#[derive(Clone, Debug)]
pub struct GoldenDevice<M> {
    model: M,
    inputs: Inputs,
    rst: bool,
    outputs: Vec<(&'static str, u64)>,
}

impl<M: Model> GoldenDevice<M> {
    /// With all inputs low.
    pub fn new(model: M) -> Self {
        let low = |names: Vec<&'static str>| names.into_iter().map(|name| (name, 0)).collect();
        Self {
            inputs: Inputs(low(model.inputs())),
            rst: false,
            outputs: low(model.outputs()),
            model,
        }
    }

    /// `rst` comes after the inputs of the model.
    fn rst(&self) -> Input {
        Input(self.inputs.0.len())
    }
}

impl<M: Model> Device for GoldenDevice<M> {
    fn input(&self, name: &str) -> Option<Input> {
        let place = self.inputs.0.iter().position(|(known, _)| *known == name);
        place.map(Input).or((name == "rst").then(|| self.rst()))
    }

    fn output(&self, name: &str) -> Option<Output> {
        self.outputs.iter().position(|(known, _)| *known == name).map(Output)
    }

    fn set(&mut self, port: Input, value: u64) {
        match port == self.rst() {
            true => self.rst = value == 1,
            false => self.inputs.0[port.0].1 = value,
        }
    }

    fn get(&self, port: Output) -> u64 {
        self.outputs[port.0].1
    }

    fn settle(&mut self) {
        for (name, value) in &mut self.outputs {
            *value = self.model.output(name, &self.inputs);
        }
    }

    fn tick(&mut self) {
        self.settle();
        match self.rst {
            true => self.model.reset(),
            false => self.model.clock(&self.inputs),
        }
    }

    fn reset(&mut self, cycles: usize) {
        self.rst = true;
        (0..cycles).for_each(|_| self.tick());
        self.rst = false;
    }
}
