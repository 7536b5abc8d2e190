use portico_spec::ni::{
    packet::{SLOTS, SLOT_WIDTH},
    segment::HANDLE_WIDTH,
};
use portico_verilog::prelude::*;

/// Which transaction slots are open, and for which segment.
///
/// The flags of all slots.
///
/// | | |
/// | --- | --- |
/// | latency | an opening or closing shows in the next cycle; `fence_busy` is combinational from flip-flops and the fence |
/// | throughput | one opening and one closing a cycle |
/// | state | a flip-flop and a segment handle a slot |
#[derive(LogicBlock, Default)]
pub struct OpenSlots {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no slot is open afterwards.
    pub rst: Signal<In, Bit>,
    pub open: Signal<In, Bit>,
    pub open_slot: Signal<In, Bits<SLOT_WIDTH>>,
    pub open_segment: Signal<In, Bits<HANDLE_WIDTH>>,
    /// Closes `close_slot` if it is open.
    pub close: Signal<In, Bit>,
    pub close_slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// `close_slot` is open.
    pub is_open: Signal<Out, Bit>,
    pub fence_segment: Signal<In, Bits<HANDLE_WIDTH>>,
    /// The fence has a slot of its own, `fence_slot`, and does not wait for that.
    pub fence_owns: Signal<In, Bit>,
    pub fence_slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// A slot of `fence_segment` is open, beside the fence's own.
    pub fence_busy: Signal<Out, Bit>,
    pub busy: Signal<Out, Bits<SLOTS>>,
    opened: DFF<Bits<SLOTS>>,
    segment: [DFF<Bits<HANDLE_WIDTH>>; SLOTS],
    opening: Signal<Local, Bits<SLOTS>>,
    closing: Signal<Local, Bits<SLOTS>>,
    of_segment: Signal<Local, Bits<SLOTS>>,
    of_fence: Signal<Local, Bits<SLOTS>>,
}

#[kernel]
impl Logic for OpenSlots {
    fn update(&mut self) {
        dff_setup!(self, clk, opened);
        self.opening.next = 0.into();
        if self.open.val() {
            self.opening.next = bits::<SLOTS>(1) << self.open_slot.val();
        }
        self.closing.next = 0.into();
        if self.close.val() {
            self.closing.next = bits::<SLOTS>(1) << self.close_slot.val();
        }
        self.opened.d.next = (self.opened.q.val() & !self.closing.val()) | self.opening.val();
        self.is_open.next = self.opened.q.val().get_bit(self.close_slot.val().index());
        self.busy.next = self.opened.q.val();
        self.of_segment.next = 0.into();
        for i in 0..SLOTS {
            self.segment[i].clock.next = self.clk.val();
            self.segment[i].d.next = self.segment[i].q.val();
            if self.opening.val().get_bit(i) {
                self.segment[i].d.next = self.open_segment.val();
            }
            self.of_segment.next = self
                .of_segment
                .val()
                .replace_bit(i, self.segment[i].q.val() == self.fence_segment.val());
        }
        self.of_fence.next = 0.into();
        if self.fence_owns.val() {
            self.of_fence.next = bits::<SLOTS>(1) << self.fence_slot.val();
        }
        self.fence_busy.next = (self.opened.q.val() & self.of_segment.val() & !self.of_fence.val()).any();
        if self.rst.val() {
            self.opened.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([] OpenSlots);

    #[test]
    fn fences_see_the_open_slots_of_their_segment() {
        let mut rng = rng(0x05);
        let mut dut = reset(OpenSlots::default());
        let mut model = [None; SLOTS];
        let (mut full, mut fences, mut alone) = (0, [0, 0], 0);
        for cycle in 0..4_000 {
            let opening = cycle / 200 % 2 == 0;
            let open_slot = (0..SLOTS).find(|slot| model[*slot].is_none());
            let open = open_slot.filter(|_| rng.gen_bool(if opening { 0.9 } else { 0.2 }));
            let (close, close_slot) = (rng.gen_bool(if opening { 0.1 } else { 0.9 }), rng.gen_range(0..SLOTS));
            let (segment, fence) = (rng.gen_range(250..256u64), rng.gen_range(250..256u64));
            // Often the fence's own slot is the only one of its segment.
            let owned = rng
                .gen_bool(0.7)
                .then(|| model.iter().position(|slot| *slot == Some(fence)));
            let own = owned.map(|slot| slot.unwrap_or(rng.gen_range(0..SLOTS)));
            let rst = rng.gen_bool(0.002);
            dut.open.next = open.is_some();
            dut.open_slot.next = (open.unwrap_or_default() as u64).into();
            dut.open_segment.next = segment.into();
            dut.close.next = close;
            dut.close_slot.next = (close_slot as u64).into();
            dut.fence_segment.next = fence.into();
            dut.fence_owns.next = own.is_some();
            dut.fence_slot.next = (own.unwrap_or(close_slot) as u64).into();
            dut.rst.next = rst;
            settle(&mut dut);
            let others = |&slot: &usize| model[slot] == Some(fence) && own != Some(slot);
            let busy = (0..SLOTS).any(|slot| others(&slot));
            fences[usize::from(busy)] += 1;
            alone += u32::from(!busy && model.contains(&Some(fence)));
            assert_eq!(dut.fence_busy.val(), busy, "cycle {cycle}");
            assert_eq!(dut.is_open.val(), model[close_slot].is_some(), "cycle {cycle}");
            let flags = (0..SLOTS).fold(0, |flags, slot| flags | u64::from(model[slot].is_some()) << slot);
            assert_eq!(dut.busy.val(), flags, "cycle {cycle}");
            full += u32::from(open_slot.is_none());
            clock(&mut dut);
            if close {
                model[close_slot] = None;
            }
            if let Some(slot) = open {
                model[slot] = Some(segment);
            }
            if rst {
                model = [None; SLOTS];
            }
        }
        assert!(
            full > 100 && alone > 100 && fences.iter().all(|times| *times > 200),
            "{full} full, fences {fences:?}, {alone} with nothing but their own"
        );
    }
}
