//! A device under test at the level of its ports: the same test drives rust-hdl's simulator, the Verilated Verilog and the
//! Verilated netlist.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`rtl`], [`verilated`] | such devices: rust-hdl's simulator; Verilog under Verilator |
//! | [`stream`] | a device by its streams of flits, made of any device by its ports |
//! | [`counters`] | the flits of every link, as the monitors of a mesh count them |
//! | [`beside`] | what stands beside the tiles of a fabric: accelerators at their streams, masters at their ports |
//! | [`axi_lite_master`] | masters of AXI4-Lite ports, with a watch over the protocol |
//! | [`axi_memory`] | an external memory behind AXI4, with a watch over the protocol |
//! | [`hardware`] | the emitted Verilog as such devices |
//!
//! Ports are known by the names of the emitted Verilog: interfaces and arrays flattened with `_`, `s_axis[3].tdata` as
//! `s_axis_3_tdata`. The device drives `clk` and `rst` itself.
//!
//! A cycle is: set inputs, settle, look at outputs, tick. Outputs read after a tick are still those of the cycle that the
//! tick ended, until the next settle.

#[cfg(test)]
mod accumulators;
pub mod axi_lite_master;
pub mod axi_memory;
pub mod beside;
mod channel;
pub mod counters;
pub mod hardware;
pub mod rtl;
pub mod stream;
pub mod verilated;

use thiserror::Error;

/// An input port of one device, as [`Device::input`] found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Input(pub usize);

/// An output port of one device, as [`Device::output`] found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Output(pub usize);

/// A port that the device does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the device has no {direction} port `{name}` of 64 bits or fewer")]
pub struct PortError {
    /// `input` or `output`.
    pub direction: &'static str,
    /// The name asked for.
    pub name: String,
}

/// Ports, one clock and one synchronous reset.
pub trait Device {
    /// The input port called `name`, if there is one of at most 64 bits.
    fn input(&self, name: &str) -> Option<Input>;

    /// The output port called `name`, if there is one of at most 64 bits.
    fn output(&self, name: &str) -> Option<Output>;

    /// Drives `port` from now on; outputs follow at the next [`settle`](Self::settle).
    ///
    /// # Panics
    /// `value` is wider than the port.
    fn set(&mut self, port: Input, value: u64);

    /// The value of `port` in the cycle that was settled last.
    fn get(&self, port: Output) -> u64;

    /// Lets combinational logic follow the inputs.
    ///
    /// # Panics
    /// The logic does not settle.
    fn settle(&mut self);

    /// Ends the cycle: lets logic settle, then passes a rising edge of the clock.
    ///
    /// # Panics
    /// The logic does not settle.
    fn tick(&mut self);

    /// Holds `rst` high for `cycles` rising edges and releases it; a device without `rst` ticks as often.
    fn reset(&mut self, cycles: usize);

    /// [`input`](Self::input), or an error that names the port.
    ///
    /// # Errors
    /// There is no such port.
    fn require_input(&self, name: &str) -> Result<Input, PortError> {
        self.input(name).ok_or_else(|| PortError {
            direction: "input",
            name: name.to_owned(),
        })
    }

    /// [`output`](Self::output), or an error that names the port.
    ///
    /// # Errors
    /// There is no such port.
    fn require_output(&self, name: &str) -> Result<Output, PortError> {
        self.output(name).ok_or_else(|| PortError {
            direction: "output",
            name: name.to_owned(),
        })
    }

    /// Ticks until `port` is high in the cycle that is settled: the cycles passed, or `None` if it is low for `patience`.
    ///
    /// # Panics
    /// The logic does not settle.
    fn until(&mut self, port: Output, patience: u64) -> Option<u64> {
        (0..patience).find(|_| {
            self.settle();
            let high = self.get(port) == 1;
            if !high {
                self.tick();
            }
            high
        })
    }
}

impl<D: Device + ?Sized> Device for Box<D> {
    fn input(&self, name: &str) -> Option<Input> {
        (**self).input(name)
    }

    fn output(&self, name: &str) -> Option<Output> {
        (**self).output(name)
    }

    fn set(&mut self, port: Input, value: u64) {
        (**self).set(port, value);
    }

    fn get(&self, port: Output) -> u64 {
        (**self).get(port)
    }

    fn settle(&mut self) {
        (**self).settle();
    }

    fn tick(&mut self) {
        (**self).tick();
    }

    fn reset(&mut self, cycles: usize) {
        (**self).reset(cycles);
    }
}
