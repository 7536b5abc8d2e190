use super::COMPLETION_SOURCES;
use crate::{
    bus::{FenceIn, SweepIn},
    prim::{Change, CounterTable, LutRam},
};
use portico_spec::ni::{
    build::Build,
    packet::{SLOTS, SLOT_WIDTH},
    segment::HANDLE_WIDTH,
};
use portico_verilog::prelude::*;

/// Width of a number of slots, 0 to all of them.
const COUNT_WIDTH: usize = SLOT_WIDTH + 1;

/// Which transaction slots are open, which of them for gets, and how many of each segment.
///
/// The flags of all slots, and a counter a segment.
///
/// | | |
/// | --- | --- |
/// | latency | an opening or closing shows in `is_open` in the next cycle |
/// | latency | `fence.busy` falls 6 cycles after the last closing |
/// | throughput | one closing a cycle; an opening in two cycles, and none while one waits for closings |
/// | state | by slot whether it is open, whether it is of a get, and its segment; 6 bits a segment in block RAM |
///
/// A closing is counted a cycle late, from flip-flops: its slot comes through an arbiter, and the table of handles. Closings go first;
/// then an opening; in all other cycles the counter of the fence's segment is looked at. What a look has
/// found is forgotten with the next opening, so that no fence misses what was opened before it; closings that it has not
/// seen make the fence wait longer, until the next look. A slot that is closed before its opening is counted counts as less
/// than none in between: the counters wrap.
#[derive(LogicBlock, Default)]
pub struct OpenSlots {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no slot is open afterwards. The initialisation clears the counters.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// Only while `may_open`.
    pub open: Signal<In, Bit>,
    /// Slot that is opened; valid with `open`.
    pub open_slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// Handle of the segment that its transaction uses; valid with `open`.
    pub open_segment: Signal<In, Bits<HANDLE_WIDTH>>,
    /// The slot is opened for a get; valid with `open`.
    pub open_is_get: Signal<In, Bit>,
    /// A slot may be opened in this cycle: no opening before it waits to be counted.
    pub may_open: Signal<Out, Bit>,
    /// Closes `close_slot`, which is open.
    pub close: Signal<In, Bit>,
    /// Slot that is closed; valid with `close`.
    pub close_slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// Slots that `is_open` is about, one a source of completions.
    pub asked: [Signal<In, Bits<SLOT_WIDTH>>; COMPLETION_SOURCES],
    /// The slot in the same place of `asked` is open; in the same cycle.
    pub is_open: [Signal<Out, Bit>; COMPLETION_SOURCES],
    /// A slot is open; a cycle late.
    pub any_open: Signal<Out, Bit>,
    /// Slots that are open for gets: replies come for them alone.
    pub gets: Signal<Out, Bits<SLOTS>>,
    /// Fences that wait for the open slots of their segments.
    pub fence: FenceIn,
    opened: DFF<Bits<SLOTS>>,
    getting: DFF<Bits<SLOTS>>,
    was_open: DFF<Bit>,
    segments: LutRam<Bits<HANDLE_WIDTH>, SLOT_WIDTH>,
    counters: CounterTable<COUNT_WIDTH, HANDLE_WIDTH>,
    open_waits: DFF<Bit>,
    /// A closing that is not counted, and its segment.
    closes: DFF<Bit>,
    closed_segment: DFF<Bits<HANDLE_WIDTH>>,
    waiting: DFF<Bits<HANDLE_WIDTH>>,
    /// Looks on their way, with no opening since they began.
    looking: DFF<Bits<3>>,
    /// What the last one has found, with no opening since it began.
    known: DFF<Bit>,
    known_segment: DFF<Bits<HANDLE_WIDTH>>,
    known_count: DFF<Bits<COUNT_WIDTH>>,
    looks: Signal<Local, Bit>,
    opening: Signal<Local, Bits<SLOTS>>,
    closing: Signal<Local, Bits<SLOTS>>,
    owned: Signal<Local, Bit>,
    built: Constant<Bits<SLOTS>>,
}

impl OpenSlots {
    /// The slots and segments of `build`.
    pub fn new(build: &Build) -> Self {
        Self {
            segments: LutRam::new(build.slots),
            counters: CounterTable::new(build.segments),
            built: Constant::new(bits(u64::from(u32::MAX >> (SLOTS - build.slots)))),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for OpenSlots {
    fn update(&mut self) {
        wire!(self => counters: clk, rst);
        wire!(self => segments: clk);
        dff_setup!(
            self,
            clk,
            opened,
            getting,
            was_open,
            open_waits,
            waiting,
            looking,
            known,
            known_segment
        );
        dff_setup!(self, clk, known_count, closes, closed_segment);
        self.opening.next = 0.into();
        if self.open.val() {
            self.opening.next = bits::<SLOTS>(1) << self.open_slot.val();
        }
        self.closing.next = 0.into();
        if self.close.val() {
            self.closing.next = bits::<SLOTS>(1) << self.close_slot.val();
        }
        self.opened.d.next = ((self.opened.q.val() & !self.closing.val()) | self.opening.val()) & self.built.val();
        self.getting.d.next = self.getting.q.val() & !self.closing.val();
        if self.open_is_get.val() {
            self.getting.d.next =
                ((self.getting.q.val() & !self.closing.val()) | self.opening.val()) & self.built.val();
        }
        self.gets.next = self.getting.q.val();
        self.was_open.d.next = self.opened.q.val().any();
        self.any_open.next = self.was_open.q.val();
        for i in 0..COMPLETION_SOURCES {
            self.is_open[i].next = self.opened.q.val().get_bit(self.asked[i].val().index());
        }
        self.segments.write_enable.next = self.open.val();
        self.segments.write_address.next = self.open_slot.val();
        self.segments.write_data.next = self.open_segment.val();
        self.segments.read_address.next = self.close_slot.val();

        self.closes.d.next = self.close.val();
        self.closed_segment.d.next = self.segments.read_data.val();

        self.may_open.next = !self.open_waits.q.val();
        if self.open.val() {
            self.open_waits.d.next = true;
            self.waiting.d.next = self.open_segment.val();
        }
        self.counters.value.next = 0.into();
        self.looks.next = false;
        if self.sweep.active.val() {
            self.counters.change.next = Change::Set;
            self.counters.place.next = self.sweep.place.val().get_bits::<HANDLE_WIDTH>(0);
        } else if self.closes.q.val() {
            self.counters.change.next = Change::Down;
            self.counters.place.next = self.closed_segment.q.val();
        } else if self.open_waits.q.val() {
            self.counters.change.next = Change::Up;
            self.counters.place.next = self.waiting.q.val();
            self.open_waits.d.next = false;
        } else {
            self.counters.change.next = Change::Look;
            self.counters.place.next = self.fence.segment.val();
            self.looks.next = true;
        }

        self.looking.d.next = (self.looking.q.val() << bits::<1>(1)) | bit_cast::<3, 1>(self.looks.val().into());
        if self.looking.q.val().get_bit(2) {
            self.known.d.next = true;
            self.known_segment.d.next = self.counters.done_place.val();
            self.known_count.d.next = self.counters.was.val();
        }
        if self.open.val() {
            self.looking.d.next = 0.into();
            self.known.d.next = false;
        }
        self.owned.next = self.fence.owns.val() & self.opened.q.val().get_bit(self.fence.slot.val().index());
        self.fence.busy.next = !self.known.q.val()
            | (self.known_segment.q.val() != self.fence.segment.val())
            | (self.known_count.q.val() > bit_cast::<COUNT_WIDTH, 1>(self.owned.val().into()));
        if self.rst.val() {
            self.opened.d.next = 0.into();
            self.getting.d.next = 0.into();
            self.open_waits.d.next = false;
            self.closes.d.next = false;
            self.looking.d.next = 0.into();
            self.known.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ni::testing::initialised,
        prim::testing::{clock, clocked, reset, rng, settle},
    };
    use rand::Rng;

    clocked!([] OpenSlots);

    /// Cycles after which a fence must know.
    const SOON: u32 = 6;

    #[test]
    fn fences_wait_for_the_open_slots_of_their_segment_and_no_longer() {
        let mut rng = rng(0x05);
        let mut dut = initialised!(OpenSlots::new(&Build::FULL));
        let mut model = [None; SLOTS];
        let (mut full, mut fences, mut alone, mut crowded) = (0, [0, 0], 0, 0);
        let (mut quiet, mut fence, mut own) = (0, 250u64, None);
        for cycle in 0..40_000 {
            let opening = cycle / 200 % 2 == 0;
            let moves = cycle % 20 < 10;
            let open_slot = (0..SLOTS).find(|slot| model[*slot].is_none());
            settle(&mut dut);
            let may_open = dut.may_open.val();
            let open = open_slot.filter(|_| may_open && moves && rng.gen_bool(if opening { 0.9 } else { 0.2 }));
            let close_slot = rng.gen_range(0..SLOTS);
            let close = moves && model[close_slot].is_some() && rng.gen_bool(if opening { 0.1 } else { 0.9 });
            let segment = rng.gen_range(250..256u64);
            if cycle % 20 == 0 || rng.gen_bool(0.03) {
                fence = rng.gen_range(250..256u64);
                // Often the fence's own slot is the only one of its segment.
                let owned = model.iter().position(|slot| *slot == Some(fence));
                own = rng.gen_bool(0.7).then(|| owned.unwrap_or(rng.gen_range(0..SLOTS)));
                quiet = 0;
            }
            own = own.filter(|slot| model[*slot].is_none_or(|segment| segment == fence));
            dut.open.next = open.is_some();
            dut.open_slot.next = (open.unwrap_or_default() as u64).into();
            dut.open_segment.next = segment.into();
            dut.close.next = close;
            dut.close_slot.next = (close_slot as u64).into();
            for asked in &mut dut.asked {
                asked.next = (close_slot as u64).into();
            }
            dut.fence.segment.next = fence.into();
            dut.fence.owns.next = own.is_some();
            dut.fence.slot.next = (own.unwrap_or(close_slot) as u64).into();
            settle(&mut dut);
            let others = |&slot: &usize| model[slot] == Some(fence) && own != Some(slot);
            let busy = (0..SLOTS).any(|slot| others(&slot));
            assert!(dut.fence.busy.val() || !busy, "cycle {cycle}: the fence misses a slot");
            if quiet >= SOON {
                assert_eq!(dut.fence.busy.val(), busy, "cycle {cycle}");
                fences[usize::from(busy)] += 1;
                alone += u32::from(!busy && model.contains(&Some(fence)));
            }
            for is_open in &dut.is_open {
                assert_eq!(is_open.val(), model[close_slot].is_some(), "cycle {cycle}");
            }
            full += u32::from(open_slot.is_none());
            crowded += u32::from(close && !may_open);
            quiet = if open.is_some() || close || !may_open {
                0
            } else {
                quiet + 1
            };
            clock(&mut dut);
            if close {
                model[close_slot] = None;
            }
            if let Some(slot) = open {
                model[slot] = Some(segment);
            }
        }
        assert!(
            full > 100 && alone > 100 && crowded > 100 && fences.iter().all(|times| *times > 200),
            "{full} full, fences {fences:?}, {alone} with nothing but their own, {crowded} openings that wait"
        );
        dut.open.next = false;
        dut.close.next = false;
        let mut dut = initialised!(dut);
        for slot in 0..SLOTS as u64 {
            dut.asked[0].next = slot.into();
            dut.fence.owns.next = false;
            dut.fence.segment.next = (250 + slot % 6).into();
            (0..SOON).for_each(|_| clock(&mut dut));
            assert!(!dut.is_open[0].val() && !dut.fence.busy.val(), "slot {slot}");
        }
    }
}
