use crate::{bus::SweepIn, prim::Queue};
use portico_spec::portals::engine::{GET_SLOTS, SLOTS, SLOT_WIDTH};
use portico_verilog::prelude::*;

/// Width of the number of a slot of gets, in bits.
const GET_SLOT_WIDTH: usize = GET_SLOTS.ilog2() as usize;

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
