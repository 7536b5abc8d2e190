use super::ports::{CompletionIn, CompletionOut};
use portico_verilog::prelude::*;

/// Joins completions; the first of the sources that complete goes first, always.
///
/// `N` sources, 0 first: it waits for `completion` alone.
///
/// | | |
/// | --- | --- |
/// | latency | combinational, both ways |
/// | throughput | one completion a cycle |
/// | state | none |
#[derive(LogicBlock)]
pub struct CompletionArbiter<const N: usize> {
    pub source: [CompletionIn; N],
    pub completion: CompletionOut,
    given: Signal<Local, Bit>,
}

impl<const N: usize> Default for CompletionArbiter<N> {
    fn default() -> Self {
        Self {
            source: std::array::from_fn(|_| Default::default()),
            completion: Default::default(),
            given: Default::default(),
        }
    }
}

#[kernel]
impl<const N: usize> Logic for CompletionArbiter<N> {
    fn update(&mut self) {
        self.given.next = false;
        self.completion.slot.next = 0.into();
        self.completion.error.next = 0.into();
        self.completion.has_value.next = false;
        self.completion.value.next = 0.into();
        for i in 0..N {
            self.source[i].ready.next = self.completion.ready.val() & !self.given.val();
            if self.source[i].valid.val() & !self.given.val() {
                wire!(source[i] => completion: slot, error, has_value, value);
                self.given.next = true;
            }
        }
        self.completion.valid.next = self.given.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{emitted, rng, settle};
    use rand::Rng;

    #[test]
    fn the_first_source_that_completes_passes_and_the_others_wait() {
        let mut rng = rng(0xca);
        let mut dut = CompletionArbiter::<3>::default();
        dut.connect_all();
        for _ in 0..2_000 {
            let valid: [bool; 3] = std::array::from_fn(|_| rng.gen());
            let records: [(u64, u64, bool, u64); 3] =
                std::array::from_fn(|_| (rng.gen_range(0..32), rng.gen_range(0..16), rng.gen(), rng.gen()));
            let ready = rng.gen();
            for (i, (slot, error, has_value, value)) in records.into_iter().enumerate() {
                let source = &mut dut.source[i];
                source.valid.next = valid[i];
                source.slot.next = slot.into();
                source.error.next = error.into();
                source.has_value.next = has_value;
                source.value.next = value.into();
            }
            dut.completion.ready.next = ready;
            settle(&mut dut);
            let first = valid.iter().position(|valid| *valid);
            let out = &dut.completion;
            assert_eq!(out.valid.val(), first.is_some());
            if let Some(first) = first {
                let (slot, error) = (out.slot.val().to_u64(), out.error.val().to_u64());
                let seen = (slot, error, out.has_value.val(), out.value.val().to_u64());
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
    fn emits() {
        emitted("completion-arbiter", &CompletionArbiter::<3>::default());
    }
}
