//! The golden buddy allocator as a device.

use portico_golden::portals::buddy::BuddyAllocator;
use portico_spec::portals::buddy::{Heap, Operation, Outcome, OPERAND_WIDTH, OPERATION_OFFSET};
use portico_testbench::device::{Device, Input, Output};

/// The golden allocator at the ports of the hardware, with a result in the cycle after the command: the suite's own check.
pub struct GoldenDevice {
    heap: Heap,
    golden: BuddyAllocator,
    inputs: [u64; GoldenDevice::INPUTS.len()],
    result: Option<Outcome>,
}

impl GoldenDevice {
    const INPUTS: [&'static str; 5] = ["rst", "s_axis_tdata", "s_axis_tlast", "s_axis_tvalid", "m_axis_tready"];
    const OUTPUTS: [&'static str; 7] = [
        "s_axis_tready",
        "m_axis_tdata",
        "m_axis_tlast",
        "m_axis_tvalid",
        "free_bytes",
        "largest_free",
        "initialising",
    ];

    /// A golden allocator of `heap`.
    pub fn new(heap: Heap) -> Self {
        Self {
            heap,
            golden: BuddyAllocator::new(heap),
            inputs: [0; GoldenDevice::INPUTS.len()],
            result: None,
        }
    }
}

impl Device for GoldenDevice {
    fn input(&self, name: &str) -> Option<Input> {
        Self::INPUTS.iter().position(|&known| known == name).map(Input)
    }

    fn output(&self, name: &str) -> Option<Output> {
        Self::OUTPUTS.iter().position(|&known| known == name).map(Output)
    }

    fn set(&mut self, port: Input, value: u64) {
        self.inputs[port.0] = value;
    }

    fn get(&self, port: Output) -> u64 {
        match Self::OUTPUTS[port.0] {
            "s_axis_tready" => self.result.is_none().into(),
            "m_axis_tdata" => self.result.map_or(0, Outcome::word).into(),
            "m_axis_tlast" => 1,
            "m_axis_tvalid" => self.result.is_some().into(),
            "free_bytes" => self.golden.free_bytes().into(),
            "largest_free" => self.golden.largest_free().into(),
            _ => 0,
        }
    }

    fn settle(&mut self) {}

    fn tick(&mut self) {
        let [rst, word, _, valid, ready] = self.inputs;
        if rst == 1 {
            *self = Self::new(self.heap);
        } else if self.result.is_some() {
            self.result = self.result.filter(|_| ready == 0);
        } else if valid == 1 {
            let operation = Operation::from_code((word >> OPERATION_OFFSET) as u32).expect("one bit");
            let operand = word & ((1 << OPERAND_WIDTH) - 1);
            self.result = Some(self.golden.execute(operation, operand as u32));
        }
    }

    fn reset(&mut self, _cycles: usize) {
        *self = Self::new(self.heap);
    }
}
