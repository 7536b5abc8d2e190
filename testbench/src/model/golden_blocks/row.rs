//! A pipeline that says nothing of how it computes: a row of places behind a function of two operands.

use super::{GoldenDevice, Inputs, Model};
use portico_golden::{fp::add, mpe::reduce::reduce};
use portico_spec::fp::Format;
use std::collections::VecDeque;

/// Result and flags of a code and two operands.
type Operate = fn(format: Format, code: u32, a: u64, b: u64) -> (u64, u8);

/// What is offered for a pair.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    word: u64,
    flags: u8,
    last: u64,
}

/// Pairs enter at one end, their results leave at the other; all move unless a result is offered and not taken.
#[derive(Clone, Debug)]
pub struct Row {
    format: Format,
    operate: Operate,
    /// The place whose result is offered is in front.
    places: VecDeque<Option<Outcome>>,
}

/// The golden sum behind so many places.
pub fn fp_adder(format: Format, stages: usize) -> GoldenDevice<Row> {
    Row::device(format, stages, |format, _, a, b| add(format, a, b))
}

/// The golden step of a reduction behind so many places.
pub fn reduce_alu(format: Format, stages: usize) -> GoldenDevice<Row> {
    Row::device(format, stages, reduce)
}

impl Row {
    fn device(format: Format, stages: usize, operate: Operate) -> GoldenDevice<Self> {
        GoldenDevice::new(Self {
            format,
            operate,
            places: vec![None; stages].into(),
        })
    }

    fn offered(&self) -> Option<Outcome> {
        self.places.front().copied().flatten()
    }

    fn moves(&self, inputs: &Inputs) -> bool {
        self.offered().is_none() || inputs.high("m_axis_tready")
    }
}

impl Model for Row {
    fn inputs(&self) -> Vec<&'static str> {
        vec![
            "s_axis_a_tdata",
            "s_axis_a_tuser",
            "s_axis_a_tlast",
            "s_axis_a_tvalid",
            "s_axis_b_tdata",
            "s_axis_b_tlast",
            "s_axis_b_tvalid",
            "m_axis_tready",
        ]
    }

    fn outputs(&self) -> Vec<&'static str> {
        vec![
            "s_axis_a_tready",
            "s_axis_b_tready",
            "m_axis_tdata",
            "m_axis_tuser",
            "m_axis_tlast",
            "m_axis_tvalid",
        ]
    }

    fn output(&self, name: &str, inputs: &Inputs) -> u64 {
        let offered = self.offered().unwrap_or_default();
        match name {
            "s_axis_a_tready" => (self.moves(inputs) && inputs.high("s_axis_b_tvalid")).into(),
            "s_axis_b_tready" => (self.moves(inputs) && inputs.high("s_axis_a_tvalid")).into(),
            "m_axis_tdata" => offered.word,
            "m_axis_tuser" => offered.flags.into(),
            "m_axis_tlast" => offered.last,
            _ => self.offered().is_some().into(),
        }
    }

    fn clock(&mut self, inputs: &Inputs) {
        if !self.moves(inputs) {
            return;
        }
        let pair = inputs.high("s_axis_a_tvalid") && inputs.high("s_axis_b_tvalid");
        let [a, b, code] = ["s_axis_a_tdata", "s_axis_b_tdata", "s_axis_a_tuser"].map(|name| inputs.get(name));
        self.places.pop_front();
        self.places.push_back(pair.then(|| {
            let (word, flags) = (self.operate)(self.format, code as u32, a, b);
            let last = inputs.get("s_axis_a_tlast");
            Outcome { word, flags, last }
        }));
    }

    fn reset(&mut self) {
        self.places.iter_mut().for_each(|place| *place = None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    #[test]
    fn a_result_takes_a_cycle_a_place_and_waits_to_be_taken() {
        let mut device = fp_adder(Format::BINARY32, 2);
        let input = |device: &GoldenDevice<Row>, name| device.require_input(name).unwrap();
        let valids = ["s_axis_a_tvalid", "s_axis_b_tvalid"].map(|name| input(&device, name));
        let one = u64::from(1f32.to_bits());
        for name in ["s_axis_a_tdata", "s_axis_b_tdata"] {
            let port = input(&device, name);
            device.set(port, one);
        }
        let [offered, sum] = ["m_axis_tvalid", "m_axis_tdata"].map(|name| device.require_output(name).unwrap());
        let mut seen = vec![];
        for cycle in 0..6 {
            valids.iter().for_each(|&port| device.set(port, (cycle == 0).into()));
            let ready = input(&device, "m_axis_tready");
            device.set(ready, (cycle == 4).into());
            device.settle();
            seen.push((device.get(offered) == 1).then(|| f32::from_bits(device.get(sum) as u32)));
            device.tick();
        }
        assert_eq!(seen, [None, None, Some(2.0), Some(2.0), Some(2.0), None]);
    }
}
