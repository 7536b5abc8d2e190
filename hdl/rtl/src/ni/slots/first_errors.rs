use crate::prim::LutRam;
use portico_spec::ni::packet::{ERROR_WIDTH, SLOT_WIDTH};
use portico_verilog::prelude::*;

/// What is kept of a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Entry {
    pub error: Bits<ERROR_WIDTH>,
    /// There is an error.
    pub is_kept: Bit,
}

/// The first error of each open slot.
///
/// Keeps why packets of a put were refused, until the put is over.
///
/// | | |
/// | --- | --- |
/// | latency | `first` is combinational; an error that is kept counts from the next cycle on |
/// | throughput | one answer a cycle |
/// | state | 6 bits a slot in LUT-RAM |
///
/// The last answer to a slot forgets its error, so that nothing of it is left when the slot is claimed again.
#[derive(LogicBlock, Default)]
pub struct FirstErrors {
    pub clk: Signal<In, Clock>,
    /// Slot to which an answer has come.
    pub asked: Signal<In, Bits<SLOT_WIDTH>>,
    /// Error code of the answer to `asked`, 0 for none.
    pub error: Signal<In, Bits<ERROR_WIDTH>>,
    /// The first error of that slot, with this answer.
    pub first: Signal<Out, Bits<ERROR_WIDTH>>,
    /// Changes the error of `slot`, which is `asked` if it keeps one.
    pub write: Signal<In, Bit>,
    /// Slot whose error changes; valid with `write`.
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// It keeps `first`; else it has no error.
    pub keep: Signal<In, Bit>,
    entries: LutRam<Entry, SLOT_WIDTH>,
}

impl FirstErrors {
    /// For so many slots.
    pub fn new(slots: usize) -> Self {
        Self {
            entries: LutRam::new(slots),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for FirstErrors {
    fn update(&mut self) {
        wire!(self => entries: clk);
        self.entries.read_address.next = self.asked.val();
        self.first.next = self.error.val();
        if self.entries.read_data.val().is_kept {
            self.first.next = self.entries.read_data.val().error;
        }
        self.entries.write_enable.next = self.write.val();
        self.entries.write_address.next = self.slot.val();
        self.entries.write_data.next.error = 0.into();
        self.entries.write_data.next.is_kept = false;
        if self.keep.val() {
            self.entries.write_data.next.error = self.first.val();
            self.entries.write_data.next.is_kept = self.first.val().any();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng, settle};
    use portico_spec::ni::packet::SLOTS;
    use rand::Rng;

    #[test]
    fn the_first_error_stays_until_the_slot_forgets_it() {
        let mut rng = rng(0xf1e);
        let mut dut = FirstErrors::new(SLOTS);
        dut.connect_all();
        let mut model = [0; SLOTS];
        for slot in 0..SLOTS as u64 {
            dut.write.next = true;
            dut.slot.next = slot.into();
            clock_edge!(dut);
        }
        let mut later = 0;
        for cycle in 0..5_000 {
            let asked = rng.gen_range(0..SLOTS);
            let error = if rng.gen_bool(0.5) {
                rng.gen_range(1..1 << ERROR_WIDTH)
            } else {
                0
            };
            let (write, keep) = (rng.gen_bool(0.7), rng.gen_bool(0.7));
            let slot = if keep { asked } else { rng.gen_range(0..SLOTS) };
            dut.asked.next = (asked as u64).into();
            dut.error.next = error.into();
            dut.write.next = write;
            dut.keep.next = keep;
            dut.slot.next = (slot as u64).into();
            settle(&mut dut);
            let first = if model[asked] > 0 { model[asked] } else { error };
            assert_eq!(dut.first.val().to_u64(), first, "cycle {cycle}");
            later += u32::from(model[asked] > 0 && error > 0 && error != first);
            clock_edge!(dut);
            if write {
                model[slot] = if keep { first } else { 0 };
            }
        }
        assert!(later > 500, "{later} errors after a first");
    }
}
