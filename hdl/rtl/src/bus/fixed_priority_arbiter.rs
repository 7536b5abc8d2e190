//! Fixed-priority arbiters: of the sources that make an offer, the one with the lowest number wins.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational, both ways |
//! | throughput | one transfer a cycle |
//! | fairness | a source may starve, so the order is part of the design: a source that cannot wait comes first |
//! | state | none |

use super::{CompletionIn, CompletionOut, EventIn, EventOut};
use portico_verilog::prelude::*;

/// An arbiter for one interface: its two sides, and its fields with their values while nothing is offered.
macro_rules! fixed_priority_arbiter {
    ($(#[$($about:tt)*])* $name:ident, $input:ident => $output:ident: $($field:ident($($idle:tt)*)),+) => {
        $(#[$($about)*])*
        #[derive(LogicBlock, Default)]
        pub struct $name {
            /// Sources; of those that make an offer, the one with the lowest number wins.
            pub source: Vec<$input>,
            /// What the winner offers.
            pub chosen: $output,
            given: Signal<Local, Bit>,
            _sources: usize,
        }

        impl $name {
            /// For so many sources.
            pub fn new(sources: usize) -> Self {
                Self {
                    source: (0..sources).map(|_| Default::default()).collect(),
                    _sources: sources,
                    ..Default::default()
                }
            }
        }

        #[kernel]
        impl Logic for $name {
            fn update(&mut self) {
                self.given.next = false;
                $(self.chosen.$field.next = $($idle)*;)+
                for i in 0..self._sources {
                    self.source[i].ready.next = self.chosen.ready.val() & !self.given.val();
                    if self.source[i].valid.val() & !self.given.val() {
                        wire!(source[i] => chosen: $($field),+);
                        self.given.next = true;
                    }
                }
                self.chosen.valid.next = self.given.val();
            }
        }
    };
}

fixed_priority_arbiter!(
    /// Fixed-priority arbiter for events: source 0 wins.
    ///
    /// Any number of sources. Combinational, no state.
    EventArbiter, EventIn => EventOut: event(0.into()), error(0.into())
);

fixed_priority_arbiter!(
    /// Fixed-priority arbiter for completions: source 0 wins.
    ///
    /// Any number of sources. Combinational, no state.
    CompletionArbiter, CompletionIn => CompletionOut:
        slot(0.into()), error(0.into()), last(false), has_value(false), value(0.into())
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{rng, settle};
    use rand::Rng;

    #[test]
    fn the_first_source_that_completes_passes_and_the_others_wait() {
        let mut rng = rng(0xca);
        let mut dut = CompletionArbiter::new(3);
        dut.connect_all();
        for _ in 0..2_000 {
            let valid: [bool; 3] = std::array::from_fn(|_| rng.gen());
            let records: [(u64, u64, bool, bool, u64); 3] = std::array::from_fn(|_| {
                (
                    rng.gen_range(0..32),
                    rng.gen_range(0..16),
                    rng.gen(),
                    rng.gen(),
                    rng.gen(),
                )
            });
            let ready = rng.gen();
            for (i, (slot, error, last, has_value, value)) in records.into_iter().enumerate() {
                let source = &mut dut.source[i];
                source.valid.next = valid[i];
                source.slot.next = slot.into();
                source.error.next = error.into();
                source.last.next = last;
                source.has_value.next = has_value;
                source.value.next = value.into();
            }
            dut.chosen.ready.next = ready;
            settle(&mut dut);
            let first = valid.iter().position(|valid| *valid);
            let out = &dut.chosen;
            assert_eq!(out.valid.val(), first.is_some());
            if let Some(first) = first {
                let (slot, error) = (out.slot.val().to_u64(), out.error.val().to_u64());
                let (last, has_value) = (out.last.val(), out.has_value.val());
                let seen = (slot, error, last, has_value, out.value.val().to_u64());
                assert_eq!(seen, records[first]);
            }
            for (i, source) in dut.source.iter().enumerate() {
                assert_eq!(
                    source.ready.val(),
                    ready && first.is_none_or(|first| i <= first),
                    "source {i}"
                );
            }
        }
    }

    #[test]
    fn the_first_source_that_reports_passes_and_the_others_wait() {
        let mut rng = rng(0xea);
        let mut dut = EventArbiter::new(5);
        dut.connect_all();
        for _ in 0..2_000 {
            let reports: [Option<(u64, u64)>; 5] =
                std::array::from_fn(|_| rng.gen_bool(0.4).then(|| (rng.gen_range(0..64), rng.gen_range(0..16))));
            let ready = rng.gen();
            for (source, report) in dut.source.iter_mut().zip(reports) {
                let (event, error) = report.unwrap_or((rng.gen_range(0..64), rng.gen_range(0..16)));
                source.valid.next = report.is_some();
                source.event.next = event.into();
                source.error.next = error.into();
            }
            dut.chosen.ready.next = ready;
            settle(&mut dut);
            let first = reports.iter().position(Option::is_some);
            assert_eq!(dut.chosen.valid.val(), first.is_some());
            if let Some(first) = first {
                let seen = (dut.chosen.event.val().to_u64(), dut.chosen.error.val().to_u64());
                assert_eq!(Some(seen), reports[first]);
            }
            for (i, source) in dut.source.iter().enumerate() {
                assert_eq!(
                    source.ready.val(),
                    ready && first.is_none_or(|first| i <= first),
                    "source {i}"
                );
            }
        }
    }
}
