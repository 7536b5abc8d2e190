//! A golden model that carries out commands, one at a time, between two streams.

use super::{GoldenDevice, Inputs, Model};
use portico_golden::portals::{buddy::BuddyAllocator, list::GoldenLists};
use portico_spec::portals::{
    buddy::{Heap, Operation, OPERAND_WIDTH, OPERATION_OFFSET},
    list::Counters,
};
use std::collections::VecDeque;

/// What a server does with commands.
pub trait Service {
    /// Names of the outputs beside the streams.
    const READINGS: &'static [&'static str];

    /// Takes a beat and its last; the beats of all results, with their lasts, once the command is whole.
    fn take(&mut self, beat: u64, last: bool) -> Vec<(u64, bool)>;

    /// The value of an output beside the streams.
    fn reading(&self, name: &str) -> u64;

    /// Back to the state after a reset.
    fn reset(&mut self);
}

/// A [`Service`] between its streams: it takes beats while no result is due, and its results come from the cycle after the
/// last beat on.
#[derive(Clone, Debug)]
pub struct Server<S> {
    service: S,
    results: VecDeque<(u64, bool)>,
}

impl<S: Service> Server<S> {
    fn device(service: S) -> GoldenDevice<Self> {
        let results = VecDeque::new();
        GoldenDevice::new(Self { service, results })
    }
}

impl<S: Service> Model for Server<S> {
    fn inputs(&self) -> Vec<&'static str> {
        vec!["s_axis_tdata", "s_axis_tlast", "s_axis_tvalid", "m_axis_tready"]
    }

    fn outputs(&self) -> Vec<&'static str> {
        let streams = ["s_axis_tready", "m_axis_tdata", "m_axis_tlast", "m_axis_tvalid"];
        streams.iter().chain(S::READINGS).copied().collect()
    }

    fn output(&self, name: &str, _inputs: &Inputs) -> u64 {
        let (beat, last) = self.results.front().copied().unwrap_or_default();
        match name {
            "s_axis_tready" => self.results.is_empty().into(),
            "m_axis_tdata" => beat,
            "m_axis_tlast" => last.into(),
            "m_axis_tvalid" => (!self.results.is_empty()).into(),
            reading => self.service.reading(reading),
        }
    }

    fn clock(&mut self, inputs: &Inputs) {
        if !self.results.is_empty() {
            let taken = usize::from(inputs.high("m_axis_tready"));
            self.results.drain(..taken);
        } else if inputs.high("s_axis_tvalid") {
            let results = self
                .service
                .take(inputs.get("s_axis_tdata"), inputs.high("s_axis_tlast"));
            self.results.extend(results);
        }
    }

    fn reset(&mut self) {
        self.service.reset();
        self.results.clear();
    }
}

/// The golden buddy allocator as a [`Service`].
#[derive(Clone, Debug)]
pub struct Buddy {
    heap: Heap,
    golden: BuddyAllocator,
}

/// The golden allocator of `heap` behind its streams.
pub fn buddy(heap: Heap) -> GoldenDevice<Server<Buddy>> {
    let golden = BuddyAllocator::new(heap);
    Server::device(Buddy { heap, golden })
}

impl Service for Buddy {
    const READINGS: &'static [&'static str] = &["free_bytes", "largest_free", "initialising"];

    fn take(&mut self, beat: u64, _last: bool) -> Vec<(u64, bool)> {
        let operation = Operation::from_code((beat >> OPERATION_OFFSET) as u32).expect("one bit");
        let operand = beat & ((1 << OPERAND_WIDTH) - 1);
        vec![(self.golden.execute(operation, operand as u32).word().into(), true)]
    }

    fn reading(&self, name: &str) -> u64 {
        match name {
            "free_bytes" => self.golden.free_bytes().into(),
            "largest_free" => self.golden.largest_free().into(),
            _ => 0,
        }
    }

    fn reset(&mut self) {
        self.golden = BuddyAllocator::new(self.heap);
    }
}

/// The golden lists as a [`Service`].
#[derive(Clone, Debug)]
pub struct Lists {
    entries: usize,
    golden: GoldenLists,
    /// Beats of the command that is coming in.
    command: Vec<u64>,
}

/// The golden lists of so many entries behind their streams; unhashed, as their search lengths tell.
pub fn list_manager(entries: usize) -> GoldenDevice<Server<Lists>> {
    Server::device(Lists {
        entries,
        golden: GoldenLists::new(entries),
        command: vec![],
    })
}

impl Service for Lists {
    const READINGS: &'static [&'static str] = &[
        "initialising",
        "occupancy_priority",
        "occupancy_overflow",
        "occupancy_unexpected",
        "searches",
        "compared",
        "longest",
    ];

    fn take(&mut self, beat: u64, last: bool) -> Vec<(u64, bool)> {
        self.command.push(beat);
        if !last {
            return vec![];
        }
        let results = self.golden.serve(&std::mem::take(&mut self.command));
        let with_lasts = |result: Vec<u64>| {
            let end = result.len() - 1;
            result
                .into_iter()
                .enumerate()
                .map(move |(place, beat)| (beat, place == end))
        };
        results.into_iter().flat_map(with_lasts).collect()
    }

    fn reading(&self, name: &str) -> u64 {
        let Counters {
            occupancy: [priority, overflow, unexpected],
            searches,
            compared,
            longest,
            ..
        } = self.golden.counters();
        match name {
            "occupancy_priority" => priority.into(),
            "occupancy_overflow" => overflow.into(),
            "occupancy_unexpected" => unexpected.into(),
            "searches" => searches,
            "compared" => compared,
            "longest" => longest,
            _ => 0,
        }
    }

    fn reset(&mut self) {
        self.golden = GoldenLists::new(self.entries);
        self.command.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use portico_spec::portals::buddy::{command, Outcome};

    #[test]
    fn a_result_comes_a_cycle_after_its_command_and_the_next_command_after_it() {
        let mut device = buddy(Heap::new(4096, 64).unwrap());
        let [data, valid, ready] =
            ["s_axis_tdata", "s_axis_tvalid", "m_axis_tready"].map(|name| device.require_input(name).unwrap());
        let [room, word, offered] =
            ["s_axis_tready", "m_axis_tdata", "m_axis_tvalid"].map(|name| device.require_output(name).unwrap());
        device.set(data, command(Operation::Allocate, 64).into());
        device.set(valid, 1);
        let mut addresses = vec![];
        for cycle in 0..6 {
            device.set(ready, (cycle % 3 == 2).into());
            device.settle();
            let shown = Outcome::from_word(device.get(word) as u32).unwrap().address;
            addresses.push((device.get(room), (device.get(offered) == 1).then_some(shown)));
            device.tick();
        }
        let waits = |address| [(1, None), (0, Some(address)), (0, Some(address))];
        assert_eq!(addresses, [waits(0), waits(64)].concat());
    }
}
