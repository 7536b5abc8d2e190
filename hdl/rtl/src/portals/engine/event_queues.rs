use super::{RingFlags, RingPlace, TableAccessIn, ADDRESS_WIDTH, ITEM_WIDTH};
use crate::prim::LutRam;
use portico_spec::{
    ni::{
        event::EVENT_WIDTH,
        registers::{PortalsRegister, PORTALS_FIELD_WIDTH},
    },
    portals::engine::{
        EVENT_PRESENT_OFFSET, EVENT_WORDS, QUEUES, QUEUE_SIZES, QUEUE_SIZE_WIDTH, QUEUE_WIDTH, TAKEN_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Address of a word in a byte address: lowest bit.
const WORD_OFFSET: usize = 2;
/// Width of the part of an item that is 0 in the number of a queue, in bits.
const BEYOND_WIDTH: usize = ITEM_WIDTH - QUEUE_WIDTH;
/// Width of the position of an event in its ring, in bits.
const POSITION_WIDTH: usize = QUEUE_SIZES.1;

// The position of an event is multiplied by its words in two shifts.
const _: () = assert!(EVENT_WORDS == 8 + 2);

/// The event queues: their registers, and the place of the next event of each.
///
/// 16 queues. An event for a full ring is dropped and counted, and one for a queue without a ring is dropped.
///
/// | | |
/// | --- | --- |
/// | latency | from `owner` to the place of its event 2 cycles |
/// | throughput | one event in 3 cycles |
/// | timing | `answer`, `waits` and `flags` are flip-flops; `fits` and `drops` are a few gates, `place` is a sum |
/// | state | 76 bits a queue in LUT-RAM and 4 in flip-flops, the place of the event in hand |
///
/// The write of a register takes effect between two events, or after the place of one is known: an event sees all of a
/// write or nothing. This is at most 3 cycles after the access.
#[derive(LogicBlock, Default)]
pub struct EventQueues {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no queue has a ring.
    pub rst: Signal<In, Bit>,
    /// Accesses to registers of the tables; those of the event queues take effect here.
    pub access: TableAccessIn,
    /// Answer to a read of EQ_DROPPED, from 3 cycles after the read until the next access; else 0.
    pub answer: Signal<Out, Bits<32>>,
    /// The write of a register waits: no event begins in this cycle.
    pub waits: Signal<Out, Bit>,
    /// Queue of the event in hand. An event begins in a cycle with `waits` low; its queue stays for that cycle and the
    /// next two.
    pub owner: Signal<In, Bits<QUEUE_WIDTH>>,
    /// High for the cycle after an event begins: a write of a register waits.
    pub counts: Signal<In, Bit>,
    /// High for the cycle after `counts`: the event takes its place, or is dropped.
    pub checks: Signal<In, Bit>,
    /// The event takes its place, in the cycle of `checks`.
    pub fits: Signal<Out, Bit>,
    /// The event is dropped, in the cycle of `checks`.
    pub drops: Signal<Out, Bit>,
    /// The place, from `checks` until the next `checks`.
    pub place: Signal<Out, RingPlace>,
    /// Its flags, from the cycle after `checks` until the next `checks`.
    pub flags: Signal<Out, RingFlags>,
    bases: LutRam<Bits<ADDRESS_WIDTH>, QUEUE_WIDTH>,
    sizes: LutRam<Bits<QUEUE_SIZE_WIDTH>, QUEUE_WIDTH>,
    taken: LutRam<Bits<TAKEN_WIDTH>, QUEUE_WIDTH>,
    written: LutRam<Bits<TAKEN_WIDTH>, QUEUE_WIDTH>,
    dropped: LutRam<Bits<TAKEN_WIDTH>, QUEUE_WIDTH>,
    numbers: LutRam<Bits<EVENT_WIDTH>, QUEUE_WIDTH>,
    /// One bit a queue: its base has been written.
    based: DFF<Bits<QUEUES>>,
    /// One bit a queue: it has a ring.
    sized: DFF<Bits<QUEUES>>,
    /// One bit a queue: an event was dropped after the last that was written.
    lost: DFF<Bits<QUEUES>>,
    /// One bit a queue: an event of the tile counts.
    present: DFF<Bits<QUEUES>>,
    /// The write of a register waits.
    writes: DFF<Bit>,
    /// The read of a register waits.
    reads: DFF<Bit>,
    shown: DFF<Bits<TAKEN_WIDTH>>,
    /// Events in the ring.
    held: DFF<Bits<TAKEN_WIDTH>>,
    position: DFF<Bits<POSITION_WIDTH>>,
    is_full: DFF<Bit>,
    /// Word 1 of the event in its ring.
    distance: DFF<Bits<TAKEN_WIDTH>>,
    kept_place: DFF<RingPlace>,
    kept_flags: DFF<RingFlags>,
    row: Signal<Local, Bits<QUEUE_WIDTH>>,
    is_row: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    resizes: Signal<Local, Bit>,
    is_taken: Signal<Local, Bit>,
    relocates: Signal<Local, Bit>,
    renames: Signal<Local, Bit>,
    has_ring: Signal<Local, Bit>,
    masked: Signal<Local, Bits<TAKEN_WIDTH>>,
    wide: Signal<Local, Bits<TAKEN_WIDTH>>,
    base: Signal<Local, Bits<ADDRESS_WIDTH>>,
}

#[kernel]
impl Logic for EventQueues {
    fn update(&mut self) {
        wire!(self => bases, sizes, taken, written, dropped, numbers: clk);
        dff_setup!(
            self, clk, based, sized, lost, present, writes, reads, shown, held, position, is_full, distance,
            kept_place, kept_flags
        );

        // Registers.
        self.is_row.next = !self.access.item.val().get_bits::<BEYOND_WIDTH>(QUEUE_WIDTH).any();
        self.row.next = self.access.item.val().get_bits::<QUEUE_WIDTH>(0);
        self.acts.next = self.writes.q.val() & !self.counts.val() & !self.checks.val();
        self.writes.d.next = (self.access.write.val() & self.is_row.val()) | (self.writes.q.val() & !self.acts.val());
        self.waits.next = self.writes.q.val();
        self.relocates.next =
            self.acts.val() & (self.access.number.val() == bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::EqBase as u64));
        self.resizes.next =
            self.acts.val() & (self.access.number.val() == bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::EqSize as u64));
        self.is_taken.next = self.acts.val()
            & (self.access.number.val() == bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::EqTaken as u64));
        self.renames.next = self.acts.val()
            & (self.access.number.val() == bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::EqEvent as u64));
        if self.relocates.val() {
            self.based.d.next = self.based.q.val().replace_bit(self.row.val().index(), true);
        }
        if self.resizes.val() {
            self.sized.d.next = self.sized.q.val().replace_bit(
                self.row.val().index(),
                self.access.data.val().get_bits::<QUEUE_SIZE_WIDTH>(0).any(),
            );
            self.lost.d.next = self.lost.q.val().replace_bit(self.row.val().index(), false);
        }
        if self.renames.val() {
            self.present.d.next = self.present.q.val().replace_bit(
                self.row.val().index(),
                self.access.data.val().get_bit(EVENT_PRESENT_OFFSET),
            );
        }
        self.bases.write_enable.next = self.relocates.val();
        self.bases.write_address.next = self.row.val();
        self.bases.write_data.next = self.access.data.val().get_bits::<ADDRESS_WIDTH>(WORD_OFFSET);
        self.bases.read_address.next = self.owner.val();
        self.sizes.write_enable.next = self.resizes.val();
        self.sizes.write_address.next = self.row.val();
        self.sizes.write_data.next = self.access.data.val().get_bits::<QUEUE_SIZE_WIDTH>(0);
        self.sizes.read_address.next = self.owner.val();
        self.taken.write_enable.next = self.is_taken.val() | self.resizes.val();
        self.taken.write_address.next = self.row.val();
        self.taken.write_data.next = self.access.data.val().get_bits::<TAKEN_WIDTH>(0);
        if self.resizes.val() {
            self.taken.write_data.next = 0.into();
        }
        self.taken.read_address.next = self.owner.val();
        self.numbers.write_enable.next = self.renames.val();
        self.numbers.write_address.next = self.row.val();
        self.numbers.write_data.next = self.access.data.val().get_bits::<EVENT_WIDTH>(0);
        self.numbers.read_address.next = self.owner.val();

        // The counts of a queue. A register and an event never change them in the same cycle.
        self.has_ring.next = self.sized.q.val().get_bit(self.owner.val().index());
        self.fits.next = self.checks.val() & self.has_ring.val() & !self.is_full.q.val();
        self.drops.next = self.checks.val() & !self.fits.val();
        self.written.read_address.next = self.owner.val();
        self.dropped.read_address.next = self.row.val();
        self.written.write_enable.next = self.resizes.val() | self.fits.val();
        self.written.write_address.next = self.row.val();
        self.written.write_data.next = 0.into();
        self.dropped.write_enable.next = self.resizes.val() | (self.drops.val() & self.has_ring.val());
        self.dropped.write_address.next = self.row.val();
        self.dropped.write_data.next = 0.into();
        if self.checks.val() {
            self.dropped.read_address.next = self.owner.val();
            self.written.write_address.next = self.owner.val();
            self.written.write_data.next = self.written.read_data.val() + 1;
            self.dropped.write_address.next = self.owner.val();
            self.dropped.write_data.next = self.dropped.read_data.val() + 1;
        }
        if self.checks.val() & self.has_ring.val() {
            self.lost.d.next = self
                .lost
                .q
                .val()
                .replace_bit(self.owner.val().index(), self.is_full.q.val());
        }

        // The answer. A read waits at most one cycle for an event.
        self.reads.d.next = (self.access.read.val()
            & self.is_row.val()
            & (self.access.number.val() == bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::EqDropped as u64)))
            | (self.reads.q.val() & self.checks.val());
        if self.access.read.val() | self.access.write.val() {
            self.shown.d.next = 0.into();
        }
        if self.reads.q.val() & !self.checks.val() & self.sized.q.val().get_bit(self.row.val().index()) {
            self.shown.d.next = self.dropped.read_data.val();
        }
        self.answer.next = bit_cast::<32, TAKEN_WIDTH>(self.shown.q.val());

        // The place in the ring.
        self.held.d.next = self.written.read_data.val() - self.taken.read_data.val();
        self.masked.next = self.written.read_data.val() & !((!bits::<TAKEN_WIDTH>(0)) << self.sizes.read_data.val());
        self.position.d.next = self.masked.val().get_bits::<POSITION_WIDTH>(0);
        self.is_full.d.next = self.held.q.val() == (bits::<TAKEN_WIDTH>(1) << self.sizes.read_data.val());
        self.wide.next = bit_cast::<TAKEN_WIDTH, POSITION_WIDTH>(self.position.q.val());
        self.distance.d.next =
            ((self.wide.val() << bits::<2>(3)) | bits::<TAKEN_WIDTH>(1)) + (self.wide.val() << bits::<2>(1));
        self.base.next = 0.into();
        if self.based.q.val().get_bit(self.owner.val().index()) {
            self.base.next = self.bases.read_data.val();
        }
        self.place.next = self.kept_place.q.val();
        if self.checks.val() {
            self.place.next.address = self.base.val() + bit_cast::<ADDRESS_WIDTH, TAKEN_WIDTH>(self.distance.q.val());
            self.place.next.tells = self.present.q.val().get_bit(self.owner.val().index());
            self.place.next.number = self.numbers.read_data.val();
            self.kept_flags.d.next.phase = !self.written.read_data.val().get_bit(self.sizes.read_data.val().index());
            self.kept_flags.d.next.dropped = self.lost.q.val().get_bit(self.owner.val().index());
        }
        self.kept_place.d.next = self.place.val();
        self.flags.next = self.kept_flags.q.val();
        if self.rst.val() {
            self.based.d.next = 0.into();
            self.sized.d.next = 0.into();
            self.lost.d.next = 0.into();
            self.present.d.next = 0.into();
            self.writes.d.next = false;
            self.reads.d.next = false;
            self.shown.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, settle};

    clocked!([] EventQueues);

    const QUEUE: u64 = 3;

    fn access(dut: &mut EventQueues, is_write: bool, register: PortalsRegister, data: u64) {
        dut.access.write.next = is_write;
        dut.access.read.next = !is_write;
        dut.access.number.next = (register as u64).into();
        dut.access.item.next = QUEUE.into();
        dut.access.data.next = data.into();
        clock(dut);
        dut.access.write.next = false;
        dut.access.read.next = false;
        (0..5).for_each(|_| clock(dut));
    }

    /// Address, event of the tile and flags of the next event; none if it is dropped.
    fn post(dut: &mut EventQueues) -> Option<(u64, u64, RingFlags)> {
        assert!(!dut.waits.val());
        dut.owner.next = QUEUE.into();
        clock(dut);
        dut.counts.next = true;
        clock(dut);
        dut.counts.next = false;
        dut.checks.next = true;
        settle(dut);
        let (fits, place) = (dut.fits.val(), dut.place.val());
        assert_eq!(dut.drops.val(), !fits);
        clock(dut);
        dut.checks.next = false;
        settle(dut);
        assert_eq!(dut.place.val(), place);
        fits.then(|| {
            assert!(place.tells);
            (place.address.to_u64(), place.number.to_u64(), dut.flags.val())
        })
    }

    #[test]
    fn an_event_takes_the_next_place_of_its_ring_or_is_dropped() {
        let mut dut = reset(EventQueues::default());
        let flags = |phase, dropped| RingFlags { phase, dropped };
        assert_eq!(post(&mut dut), None);
        access(&mut dut, true, PortalsRegister::EqBase, 0x100);
        access(&mut dut, true, PortalsRegister::EqSize, 1);
        access(&mut dut, true, PortalsRegister::EqEvent, 1 << EVENT_PRESENT_OFFSET | 9);
        assert_eq!(post(&mut dut), Some((0x41, 9, flags(true, false))));
        assert_eq!(post(&mut dut), Some((0x4b, 9, flags(true, false))));
        assert_eq!(post(&mut dut), None);
        access(&mut dut, false, PortalsRegister::EqDropped, 0);
        assert_eq!(dut.answer.val(), 1u64);
        access(&mut dut, true, PortalsRegister::EqTaken, 1);
        assert_eq!(post(&mut dut), Some((0x41, 9, flags(false, true))));
    }
}
