use super::ports::{EventIn, EventOut};
use portico_verilog::prelude::*;

/// Joins reports of events; the first of the sources that report goes first, always.
///
/// `N` sources, 0 first.
///
/// | | |
/// | --- | --- |
/// | latency | combinational, both ways |
/// | throughput | one event a cycle |
/// | state | none |
///
/// Where an order is fixed a source may starve, so the order is part of the design: what cannot wait comes first.
#[derive(LogicBlock)]
pub struct EventArbiter<const N: usize> {
    pub source: [EventIn; N],
    pub update: EventOut,
    given: Signal<Local, Bit>,
}

impl<const N: usize> Default for EventArbiter<N> {
    fn default() -> Self {
        Self {
            source: std::array::from_fn(|_| Default::default()),
            update: Default::default(),
            given: Default::default(),
        }
    }
}

#[kernel]
impl<const N: usize> Logic for EventArbiter<N> {
    fn update(&mut self) {
        self.given.next = false;
        self.update.event.next = 0.into();
        self.update.error.next = 0.into();
        for i in 0..N {
            self.source[i].ready.next = self.update.ready.val() & !self.given.val();
            if self.source[i].valid.val() & !self.given.val() {
                wire!(source[i] => update: event, error);
                self.given.next = true;
            }
        }
        self.update.valid.next = self.given.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{emitted, rng, settle};
    use rand::Rng;

    #[test]
    fn the_first_source_that_reports_passes_and_the_others_wait() {
        let mut rng = rng(0xea);
        let mut dut = EventArbiter::<5>::default();
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
            dut.update.ready.next = ready;
            settle(&mut dut);
            let first = reports.iter().position(Option::is_some);
            assert_eq!(dut.update.valid.val(), first.is_some());
            if let Some(first) = first {
                let seen = (dut.update.event.val().to_u64(), dut.update.error.val().to_u64());
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

    #[test]
    fn emits() {
        emitted("event-arbiter", &EventArbiter::<5>::default());
    }
}
