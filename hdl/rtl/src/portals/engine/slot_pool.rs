use super::GET_SLOT_WIDTH;
use crate::{bus::SweepIn, prim::Queue};
use portico_spec::portals::engine::{GET_SLOTS, SLOTS, SLOT_WIDTH};
use portico_verilog::prelude::*;

/// Slots that are free: four of gets, the others of puts.
///
/// | | |
/// | --- | --- |
/// | latency | a slot that is freed can be claimed 1 cycle later |
/// | throughput | one claim and one frees a cycle |
/// | state | the free slots in LUT-RAM, and which are taken |
#[derive(LogicBlock, Default)]
pub struct SlotPool {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the sweep has to follow.
    pub rst: Signal<In, Bit>,
    /// Fills the pool after reset.
    pub sweep: SweepIn,
    /// A slot of gets is asked for, not one of puts.
    pub get: Signal<In, Bit>,
    /// There is such a slot, in the same cycle.
    pub available: Signal<Out, Bit>,
    /// That slot.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// High for a cycle: that slot is claimed.
    pub claim: Signal<In, Bit>,
    /// High for a cycle: the slot `freed` is free again.
    pub frees: Signal<In, Bit>,
    /// The slot; valid with `frees`.
    pub freed: Signal<In, Bits<SLOT_WIDTH>>,
    /// One bit a slot: it is claimed.
    pub claimed: Signal<Out, Bits<SLOTS>>,
    gets: Queue<Bits<GET_SLOT_WIDTH>, GET_SLOT_WIDTH>,
    puts: Queue<Bits<SLOT_WIDTH>, SLOT_WIDTH>,
    taken: DFF<Bits<SLOTS>>,
    returns: Signal<Local, Bit>,
    place: Signal<Local, Bits<SLOT_WIDTH>>,
    is_get: Signal<Local, Bit>,
    after: Signal<Local, Bits<SLOTS>>,
}

#[kernel]
impl Logic for SlotPool {
    fn update(&mut self) {
        wire!(self => gets, puts: clk, rst);
        dff_setup!(self, clk, taken);
        // The sweep takes 512 cycles; the first 32 fill the pool.
        self.returns.next = self.frees.val();
        self.place.next = self.freed.val();
        if self.sweep.active.val() {
            self.returns.next = !self.sweep.place.val().get_bits::<4>(SLOT_WIDTH).any();
            self.place.next = self.sweep.place.val().get_bits::<SLOT_WIDTH>(0);
        }
        self.is_get.next = self.place.val() < bits::<SLOT_WIDTH>(GET_SLOTS as u64);
        self.gets.write.next = self.returns.val() & self.is_get.val();
        self.gets.write_data.next = self.place.val().get_bits::<GET_SLOT_WIDTH>(0);
        self.puts.write.next = self.returns.val() & !self.is_get.val();
        self.puts.write_data.next = self.place.val();
        self.available.next = !self.puts.empty.val();
        self.slot.next = self.puts.read_data.val();
        if self.get.val() {
            self.available.next = !self.gets.empty.val();
            self.slot.next = bit_cast::<SLOT_WIDTH, GET_SLOT_WIDTH>(self.gets.read_data.val());
        }
        self.gets.read.next = self.claim.val() & self.get.val();
        self.puts.read.next = self.claim.val() & !self.get.val();
        self.after.next = self.taken.q.val();
        if self.claim.val() {
            self.after.next = self.after.val().replace_bit(self.slot.val().index(), true);
        }
        if self.frees.val() {
            self.after.next = self.after.val().replace_bit(self.freed.val().index(), false);
        }
        self.taken.d.next = self.after.val();
        self.claimed.next = self.taken.q.val();
        if self.rst.val() {
            self.taken.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;
    use std::collections::BTreeSet;

    clocked!([] SlotPool);

    #[test]
    fn every_slot_is_claimed_once_until_it_is_free_again() {
        let mut rng = rng(0x5107);
        let mut dut = reset(SlotPool::default());
        dut.sweep.active.next = true;
        for place in 0..512u64 {
            dut.sweep.place.next = place.into();
            clock(&mut dut);
        }
        dut.sweep.active.next = false;
        let mut held = BTreeSet::new();
        let (mut none, mut most) = (0, 0);
        for cycle in 0..6_000 {
            let get = rng.gen_bool(0.2);
            let is_busy = cycle / 300 % 2 == 0;
            dut.get.next = get;
            dut.claim.next = false;
            settle(&mut dut);
            let of_kind = |slot: u64| (slot < GET_SLOTS as u64) == get;
            let total = if get { GET_SLOTS } else { SLOTS - GET_SLOTS };
            let used = held.iter().filter(|&&slot| of_kind(slot)).count();
            assert_eq!(dut.available.val(), used < total, "cycle {cycle}");
            none += u32::from(used == total);
            let claim = dut.available.val() && rng.gen_bool(if is_busy { 0.9 } else { 0.2 });
            let slot = dut.slot.val().to_u64();
            let freed = held.iter().nth(rng.gen_range(0..held.len().max(1))).copied();
            let freed = freed.filter(|_| rng.gen_bool(if is_busy { 0.1 } else { 0.8 }));
            dut.claim.next = claim;
            dut.frees.next = freed.is_some();
            dut.freed.next = freed.unwrap_or_default().into();
            let claimed = held.iter().fold(0u64, |bits, slot| bits | 1 << slot);
            assert_eq!(dut.claimed.val().to_u64(), claimed, "cycle {cycle}");
            clock(&mut dut);
            if claim {
                assert!(of_kind(slot) && held.insert(slot), "cycle {cycle}: slot {slot}");
            }
            freed.map(|slot| held.remove(&slot));
            most = most.max(held.len());
        }
        assert!(none > 200 && most == SLOTS, "{none} {most}");
    }
}
