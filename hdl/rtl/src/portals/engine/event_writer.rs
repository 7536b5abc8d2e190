use super::{EventJobIn, RingWriter, TableAccessIn, ADDRESS_WIDTH, EVENT_INDEX_WIDTH};
use crate::{
    bus::{EventOut, MemoryWriteOut},
    prim::LutRam,
};
use portico_spec::{
    ni::{
        event::EVENT_WIDTH,
        registers::{PortalsRegister, PORTALS_FIELD_WIDTH},
    },
    portals::engine::{
        DROPPED_OFFSET, EVENT_PRESENT_OFFSET, EVENT_WORDS, PHASE_OFFSET, QUEUES, QUEUE_SIZES, QUEUE_SIZE_WIDTH,
        QUEUE_WIDTH, TAKEN_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Byte lanes of a word.
const LANES: usize = 4;
/// Address of a word in a byte address: lowest bit.
const WORD_OFFSET: usize = 2;
/// Width of the part of an item that is 0 in the number of a queue, in bits.
const BEYOND_WIDTH: usize = super::ITEM_WIDTH - QUEUE_WIDTH;
/// Width of the place of an event in its ring, in bits.
const PLACE_WIDTH: usize = QUEUE_SIZES.1;
/// The last word but one that is written.
const LAST_INDEX: usize = EVENT_WORDS - 1;

// The place of an event is multiplied by its words in two shifts.
const _: () = assert!(EVENT_WORDS == 8 + 2);

/// The stage of an event.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum EventStage {
    Idle,
    /// The events in the ring are counted.
    Count,
    /// It is known whether the ring has room: the event is written or dropped.
    Check,
    /// The event before is still being written.
    Wait,
    /// Its words come.
    Fetch,
    /// It is dropped.
    Drop,
}

/// Writes events to the rings of event queues.
///
/// Word i of an event goes to word 10 n + i of its ring, with n the place of the event; word 0 is the last. An event for a full ring
/// is dropped and counted, and one for a queue without a ring is dropped.
///
/// | | |
/// | --- | --- |
/// | latency | from an event to `job_done` 11 cycles, 3 if it is dropped; to `job_settled` 2 more, 3 if an event of the tile counts; if nothing waits |
/// | throughput | one event in 12 cycles: its words come while the last ones of the event before are written |
/// | timing | outputs are flip-flops, or one gate behind them; the word that is written comes from LUT-RAM |
/// | state | 76 bits a queue in LUT-RAM and 4 in flip-flops, the event in hand, and [`RingWriter`] |
///
/// The write of a register takes effect between two events, or after the place of one is known: an event sees all of a write or
/// nothing. This is at most 3 cycles after the access.
#[derive(LogicBlock, Default)]
pub struct EventWriter {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no queue has a ring.
    pub rst: Signal<In, Bit>,
    /// Accesses to registers of the tables; those of the event queues take effect here.
    pub access: TableAccessIn,
    /// Answer to a read of EQ_DROPPED, from 3 cycles after the read until the next access; else 0.
    pub answer: Signal<Out, Bits<32>>,
    /// Events.
    pub job: EventJobIn,
    /// Writes of events to the scratchpad.
    pub memory: MemoryWriteOut<32, LANES>,
    /// The event of the tile of a queue, when the scratchpad has taken the last word.
    pub event: EventOut,
    bases: LutRam<Bits<ADDRESS_WIDTH>, QUEUE_WIDTH>,
    sizes: LutRam<Bits<QUEUE_SIZE_WIDTH>, QUEUE_WIDTH>,
    taken: LutRam<Bits<TAKEN_WIDTH>, QUEUE_WIDTH>,
    written: LutRam<Bits<TAKEN_WIDTH>, QUEUE_WIDTH>,
    dropped: LutRam<Bits<TAKEN_WIDTH>, QUEUE_WIDTH>,
    numbers: LutRam<Bits<EVENT_WIDTH>, QUEUE_WIDTH>,
    words: RingWriter,
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
    stage: DFF<EventStage>,
    index: DFF<Bits<EVENT_INDEX_WIDTH>>,
    asking: DFF<Bit>,
    /// The words that are asked for and have not come.
    coming: [DFF<Bit>; 2],
    which: [DFF<Bits<EVENT_INDEX_WIDTH>>; 2],
    /// Events in the ring.
    held: DFF<Bits<TAKEN_WIDTH>>,
    place: DFF<Bits<PLACE_WIDTH>>,
    is_full: DFF<Bit>,
    /// Word 1 of the event in its ring.
    distance: DFF<Bits<TAKEN_WIDTH>>,
    address: DFF<Bits<ADDRESS_WIDTH>>,
    phase: DFF<Bit>,
    has_lost: DFF<Bit>,
    tells: DFF<Bit>,
    number: DFF<Bits<EVENT_WIDTH>>,
    row: Signal<Local, Bits<QUEUE_WIDTH>>,
    owner: Signal<Local, Bits<QUEUE_WIDTH>>,
    is_row: Signal<Local, Bit>,
    settles: Signal<Local, Bit>,
    checks: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    resizes: Signal<Local, Bit>,
    is_taken: Signal<Local, Bit>,
    relocates: Signal<Local, Bit>,
    renames: Signal<Local, Bit>,
    has_ring: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    masked: Signal<Local, Bits<TAKEN_WIDTH>>,
    wide: Signal<Local, Bits<TAKEN_WIDTH>>,
    base: Signal<Local, Bits<ADDRESS_WIDTH>>,
    target: Signal<Local, Bits<ADDRESS_WIDTH>>,
    wants: Signal<Local, Bit>,
    event_number: Signal<Local, Bits<EVENT_WIDTH>>,
    loads: Signal<Local, Bit>,
}

#[kernel]
impl Logic for EventWriter {
    fn update(&mut self) {
        wire!(self => bases, sizes, taken, written, dropped, numbers, words: clk);
        wire!(self => words: rst);
        dff_setup!(
            self, clk, based, sized, lost, present, writes, reads, shown, stage, index, asking, held, place, is_full,
            distance, address, phase, has_lost, tells, number
        );
        for i in 0..2 {
            self.coming[i].clock.next = self.clk.val();
            self.which[i].clock.next = self.clk.val();
        }

        // Registers.
        self.is_row.next = !self.access.item.val().get_bits::<BEYOND_WIDTH>(QUEUE_WIDTH).any();
        self.row.next = self.access.item.val().get_bits::<QUEUE_WIDTH>(0);
        self.owner.next = self.job.queue.val();
        self.checks.next = self.stage.q.val() == EventStage::Check;
        self.settles.next = (self.stage.q.val() == EventStage::Count) | self.checks.val();
        self.acts.next = self.writes.q.val() & !self.settles.val();
        self.writes.d.next = (self.access.write.val() & self.is_row.val()) | (self.writes.q.val() & !self.acts.val());
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

        // Words are asked for in the order in which they are written: there is room for all of them.
        self.starts.next = (self.stage.q.val() == EventStage::Idle)
            & self.job.valid.val()
            & !self.writes.q.val()
            & self.words.has_room.val();
        self.asks.next = self.starts.val() | self.asking.q.val();
        self.coming[0].d.next = self.asks.val() & !self.drops.val();
        self.coming[1].d.next = self.coming[0].q.val() & !self.drops.val();
        self.which[0].d.next = self.index.q.val();
        self.which[1].d.next = self.which[0].q.val();
        if self.asks.val() {
            self.asking.d.next = self.index.q.val().any();
            self.index.d.next = self.index.q.val() + 1;
            if self.index.q.val() == bits::<EVENT_INDEX_WIDTH>(LAST_INDEX as u64) {
                self.index.d.next = 0.into();
            }
        }
        if self.drops.val() {
            self.asking.d.next = false;
            self.index.d.next = 1.into();
        }
        self.job.index.next = self.index.q.val();
        self.words.s_axis.tvalid.next = self.coming[1].q.val() & !self.drops.val();
        self.words.s_axis.tdata.next = self.job.word.val();
        if !self.which[1].q.val().any() {
            self.words.s_axis.tdata.next = self
                .job
                .word
                .val()
                .replace_bit(PHASE_OFFSET, self.phase.q.val())
                .replace_bit(DROPPED_OFFSET, self.has_lost.q.val());
        }
        self.words.s_axis.tlast.next = self.which[1].q.val() == bits::<EVENT_INDEX_WIDTH>(LAST_INDEX as u64);

        // The place in the ring.
        self.held.d.next = self.written.read_data.val() - self.taken.read_data.val();
        self.masked.next = self.written.read_data.val() & !((!bits::<TAKEN_WIDTH>(0)) << self.sizes.read_data.val());
        self.place.d.next = self.masked.val().get_bits::<PLACE_WIDTH>(0);
        self.is_full.d.next = self.held.q.val() == (bits::<TAKEN_WIDTH>(1) << self.sizes.read_data.val());
        self.wide.next = bit_cast::<TAKEN_WIDTH, PLACE_WIDTH>(self.place.q.val());
        self.distance.d.next =
            ((self.wide.val() << bits::<2>(3)) | bits::<TAKEN_WIDTH>(1)) + (self.wide.val() << bits::<2>(1));
        self.base.next = 0.into();
        if self.based.q.val().get_bit(self.owner.val().index()) {
            self.base.next = self.bases.read_data.val();
        }
        self.target.next = self.address.q.val();
        self.wants.next = self.tells.q.val();
        self.event_number.next = self.number.q.val();
        if self.checks.val() {
            self.target.next = self.base.val() + bit_cast::<ADDRESS_WIDTH, TAKEN_WIDTH>(self.distance.q.val());
            self.wants.next = self.present.q.val().get_bit(self.owner.val().index());
            self.event_number.next = self.numbers.read_data.val();
            self.phase.d.next = !self.written.read_data.val().get_bit(self.sizes.read_data.val().index());
            self.has_lost.d.next = self.lost.q.val().get_bit(self.owner.val().index());
        }
        self.address.d.next = self.target.val();
        self.tells.d.next = self.wants.val();
        self.number.d.next = self.event_number.val();
        self.words.place.next = self.target.val();
        self.words.tells.next = self.wants.val();
        self.words.number.next = self.event_number.val();
        self.loads.next = self.words.free.val() & (self.fits.val() | (self.stage.q.val() == EventStage::Wait));
        self.words.load.next = self.loads.val();
        wire!(self.memory <=> words.memory);
        wire!(self.event <=> words.event);

        self.job.done.next = false;
        self.job.settled.next = self.words.free.val();
        match self.stage.q.val() {
            EventStage::Idle => {
                if self.starts.val() {
                    self.stage.d.next = EventStage::Count;
                }
            }
            EventStage::Count => {
                self.stage.d.next = EventStage::Check;
            }
            EventStage::Check => {
                self.stage.d.next = EventStage::Wait;
                if self.loads.val() {
                    self.stage.d.next = EventStage::Fetch;
                }
                if self.drops.val() {
                    self.stage.d.next = EventStage::Drop;
                }
            }
            EventStage::Wait => {
                if self.loads.val() {
                    self.stage.d.next = EventStage::Fetch;
                }
            }
            EventStage::Fetch => {
                // The last word comes in this cycle, or has come.
                if !self.asking.q.val() & !self.coming[0].q.val() {
                    self.job.done.next = true;
                    self.stage.d.next = EventStage::Idle;
                }
            }
            EventStage::Drop => {
                self.job.done.next = true;
                self.stage.d.next = EventStage::Idle;
            }
        }
        if self.rst.val() {
            self.based.d.next = 0.into();
            self.sized.d.next = 0.into();
            self.lost.d.next = 0.into();
            self.present.d.next = 0.into();
            self.writes.d.next = false;
            self.reads.d.next = false;
            self.shown.d.next = 0.into();
            self.stage.d.next = EventStage::Idle;
            self.index.d.next = 1.into();
            self.asking.d.next = false;
            for i in 0..2 {
                self.coming[i].d.next = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use portico_spec::portals::engine::EVENT_BYTES;
    use rand::{rngs::SmallRng, Rng};
    use std::collections::{BTreeMap, VecDeque};

    clocked!([] EventWriter);

    /// An event queue as software and the engine see it.
    #[derive(Clone, Copy, Default)]
    struct Ring {
        base: u32,
        log: u32,
        written: u16,
        taken: u16,
        dropped: u16,
        lost: bool,
        event: Option<u64>,
    }

    impl Ring {
        fn write(&mut self, register: PortalsRegister, data: u32) {
            match register {
                PortalsRegister::EqBase => self.base = data,
                PortalsRegister::EqSize => {
                    *self = Ring {
                        base: self.base,
                        event: self.event,
                        log: data,
                        ..Ring::default()
                    }
                }
                PortalsRegister::EqTaken => self.taken = data as u16,
                _ => self.event = (data >> EVENT_PRESENT_OFFSET & 1 == 1).then_some(u64::from(data & 0x3f)),
            }
        }

        /// Word addresses and words of an event, in the order in which they are written; none if it is dropped.
        fn post(&mut self, words: &[u32]) -> Vec<(u64, u32)> {
            let size = 1u16 << self.log;
            if self.log == 0 {
                return vec![];
            }
            if self.written.wrapping_sub(self.taken) == size {
                self.dropped = self.dropped.wrapping_add(1);
                self.lost = true;
                return vec![];
            }
            let place = u32::from(self.written % size);
            let first = (self.base + EVENT_BYTES as u32 * place) / 4;
            let phase = u32::from((self.written / size).is_multiple_of(2));
            let flags = phase << PHASE_OFFSET | u32::from(self.lost) << DROPPED_OFFSET;
            self.written = self.written.wrapping_add(1);
            self.lost = false;
            (1..EVENT_WORDS)
                .chain([0])
                .map(|at| {
                    let flags = if at == 0 { flags } else { 0 };
                    (u64::from(first) + at as u64, words[at] | flags)
                })
                .collect()
        }
    }

    /// A writer with a source of events.
    struct Bench {
        dut: EventWriter,
        rng: SmallRng,
        /// Event in hand: its queue and words.
        job: Option<(usize, Vec<u32>)>,
        /// Places that were asked for in the last two cycles.
        asked: [usize; 2],
        writes: VecDeque<(u64, u32)>,
        events: VecDeque<u64>,
        waiting: Option<(u64, u64)>,
        /// The writer was settled in the cycle before.
        settled: bool,
        /// How often memory and events wait.
        idle: f64,
        cycle: u64,
    }

    impl Bench {
        fn new(seed: u64, idle: f64) -> Bench {
            Bench {
                dut: reset(EventWriter::default()),
                rng: rng(seed),
                job: None,
                asked: [0; 2],
                writes: VecDeque::new(),
                events: VecDeque::new(),
                waiting: None,
                settled: true,
                idle,
                cycle: 0,
            }
        }

        /// One cycle; whether the event in hand is done.
        fn step(&mut self) -> bool {
            let Bench { dut, rng, .. } = self;
            dut.job.valid.next = self.job.is_some();
            dut.job.word.next = u64::from(rng.gen::<u32>()).into();
            if let Some((queue, words)) = &self.job {
                dut.job.queue.next = (*queue as u64).into();
                dut.job.word.next = u64::from(words[self.asked[1]]).into();
            }
            dut.memory.ready.next = !rng.gen_bool(self.idle);
            dut.event.ready.next = !rng.gen_bool(self.idle);
            settle(dut);
            self.asked = [dut.job.index.val().index(), self.asked[0]];
            let memory = &dut.memory;
            let offer = memory
                .valid
                .val()
                .then(|| (memory.address.val().to_u64(), memory.data.val().to_u64()));
            assert!(
                self.waiting.is_none() || self.waiting == offer,
                "cycle {}: the offer did not stay",
                self.cycle
            );
            self.waiting = offer.filter(|_| !memory.ready.val());
            if let Some((address, data)) = offer.filter(|_| memory.ready.val()) {
                assert!(memory.lanes.val().all());
                self.writes.push_back((address, data as u32));
            }
            if dut.event.valid.val() && dut.event.ready.val() {
                assert_eq!(self.writes.len() % EVENT_WORDS, 0, "cycle {}", self.cycle);
                assert_eq!(dut.event.error.val(), 0u64);
                self.events.push_back(dut.event.event.val().to_u64());
            }
            let done = dut.job.done.val();
            self.settled = dut.job.settled.val();
            clock(dut);
            self.cycle += 1;
            done
        }

        /// Starts an access, which takes 6 cycles until the next.
        fn access(&mut self, is_write: bool, register: PortalsRegister, item: usize, data: u32) {
            let access = &mut self.dut.access;
            access.write.next = is_write;
            access.read.next = !is_write;
            access.number.next = (register as u64).into();
            access.item.next = (item as u64).into();
            access.data.next = u64::from(data).into();
        }

        fn access_ends(&mut self) {
            self.dut.access.write.next = false;
            self.dut.access.read.next = false;
        }

        fn write(&mut self, register: PortalsRegister, item: usize, data: u32) {
            self.access(true, register, item, data);
            self.step();
            self.access_ends();
            (0..5).for_each(|_| assert!(!self.step()));
        }

        /// Posts an event and waits until it is done; how long that took.
        fn post(&mut self, queue: usize, words: Vec<u32>) -> u64 {
            self.job = Some((queue, words));
            let begun = self.cycle;
            while !self.step() {}
            self.job = None;
            self.cycle - begun
        }

        /// Waits until the writer is settled; how long that took.
        fn rest(&mut self) -> u64 {
            let begun = self.cycle;
            while {
                self.step();
                !self.settled
            } {}
            self.cycle - begun
        }

        /// Words of an event, of word 0 without phase and `dropped`.
        fn words(&mut self) -> Vec<u32> {
            let mut words: Vec<u32> = (0..EVENT_WORDS).map(|_| self.rng.gen()).collect();
            words[0] &= !(1 << PHASE_OFFSET | 1 << DROPPED_OFFSET);
            words
        }
    }

    #[test]
    fn events_go_to_their_rings_while_registers_of_all_queues_are_accessed() {
        const WRITTEN: [PortalsRegister; 4] = [
            PortalsRegister::EqBase,
            PortalsRegister::EqSize,
            PortalsRegister::EqTaken,
            PortalsRegister::EqEvent,
        ];
        let mut bench = Bench::new(0xe4e7, 0.2);
        let mut rings = [Ring::default(); QUEUES];
        let (mut expected, mut told) = (VecDeque::new(), VecDeque::new());
        let (mut until_next, mut looked) = (0, None);
        let (mut posted, mut dropped, mut read, mut settled) = (0, 0, 0, 0);
        for cycle in 0..120_000u64 {
            bench.idle = [0.0, 0.5, 0.9][cycle as usize / 500 % 3];
            if until_next == 0 && bench.rng.gen_bool(0.3) {
                until_next = 6;
                // Few queues, so that rings become full; and rows that there are not.
                let item = [0, 3, 15, 16, 32 + 3, 128][bench.rng.gen_range(0..6)];
                let is_in_hand = bench.job.as_ref().is_some_and(|(queue, _)| *queue == item);
                if bench.rng.gen_bool(0.4) || is_in_hand {
                    let register = if bench.rng.gen_bool(0.8) {
                        PortalsRegister::EqDropped
                    } else {
                        PortalsRegister::EqTaken
                    };
                    bench.access(false, register, item, 0);
                    looked = Some((cycle + 3, register, item));
                } else {
                    // A ring is laid out anew now and then; else software takes events.
                    let register = match bench.rng.gen_range(0..40) {
                        0 => PortalsRegister::EqBase,
                        1 => PortalsRegister::EqSize,
                        2 | 3 => PortalsRegister::EqEvent,
                        _ => PortalsRegister::EqTaken,
                    };
                    let data = match register {
                        PortalsRegister::EqBase => bench.rng.gen_range(0..1u32 << 17) * 4,
                        PortalsRegister::EqSize => {
                            let log = bench.rng.gen_range(0..14);
                            [1, 2, 3, 12][log as usize % 4] * u32::from(log > 1)
                        }
                        PortalsRegister::EqTaken => {
                            let ring = rings.get(item).copied().unwrap_or_default();
                            let held = ring.written.wrapping_sub(ring.taken);
                            let some = bench.rng.gen_range(0..=held.min(4));
                            u32::from(ring.taken.wrapping_add(some))
                        }
                        _ => bench.rng.gen::<u32>() & 0x1ff,
                    };
                    assert!(WRITTEN.contains(&register));
                    bench.access(true, register, item, data);
                    if let Some(ring) = rings.get_mut(item) {
                        ring.write(register, data);
                    }
                    looked = Some((cycle + 3, register, item));
                }
            }
            if bench.job.is_none() && bench.rng.gen_bool(0.6) && until_next == 0 {
                let queue = [0, 3, 15, 7][bench.rng.gen_range(0..4)];
                let words = bench.words();
                let before = rings[queue].dropped;
                let writes = rings[queue].post(&words);
                told.extend(rings[queue].event.filter(|_| !writes.is_empty()));
                posted += u32::from(!writes.is_empty());
                expected.extend(writes);
                dropped += u32::from(rings[queue].dropped != before);
                bench.job = Some((queue, words));
            }
            if let Some((at, register, item)) = looked.filter(|(at, ..)| cycle >= *at) {
                let value = match register {
                    PortalsRegister::EqDropped => rings.get(item).map_or(0, |ring| ring.dropped),
                    _ => 0,
                };
                // An event in hand may have been dropped since.
                if cycle == at && bench.job.as_ref().is_none_or(|(queue, _)| *queue != item) {
                    assert_eq!(bench.dut.answer.val(), u64::from(value), "cycle {cycle}");
                    read += u32::from(value != 0);
                }
            }
            let is_free = bench.job.is_none();
            if bench.step() {
                bench.job = None;
            }
            // An event of the tile counts when all words of its event are written.
            for write in bench
                .writes
                .drain(..bench.writes.len() - bench.writes.len() % EVENT_WORDS)
            {
                assert_eq!(Some(write), expected.pop_front(), "cycle {cycle}");
            }
            for event in bench.events.drain(..) {
                assert_eq!(Some(event), told.pop_front(), "cycle {cycle}");
            }
            if is_free && bench.settled {
                assert!(expected.is_empty() && told.is_empty(), "cycle {cycle}");
                settled += 1;
            }
            bench.access_ends();
            until_next = u32::saturating_sub(until_next, 1);
        }
        assert!(
            posted > 1_000 && dropped > 500 && read > 300 && settled > 1_000,
            "{posted} {dropped} {read} {settled}"
        );
    }

    #[test]
    fn software_that_takes_events_meanwhile_misses_none_without_being_told() {
        const EVENTS: u32 = 4_000;
        let mut bench = Bench::new(0xe4e8, 0.1);
        bench.write(PortalsRegister::EqBase, 5, 0x400);
        bench.write(PortalsRegister::EqSize, 5, 2);
        let mut memory = BTreeMap::new();
        let (mut sent, mut taken, mut seen, mut gaps, mut until_next) = (0, 0u32, 0, 0, 6);
        while sent < EVENTS || bench.job.is_some() {
            let speed = [0.9, 0.05][sent as usize / 200 % 2];
            if bench.job.is_none() {
                let mut words = vec![sent; EVENT_WORDS];
                words[0] = 0;
                bench.job = Some((5, words));
                sent += 1;
            }
            if until_next == 0 && bench.rng.gen_bool(speed) {
                let first = 0x100 + u64::from(taken % 4 * EVENT_WORDS as u32);
                let word = memory.get(&first).copied().unwrap_or(0u32);
                if word >> PHASE_OFFSET == 1 - taken / 4 % 2 {
                    let number = memory[&(first + LAST_INDEX as u64)];
                    assert_eq!(number != seen, word >> DROPPED_OFFSET & 1 == 1, "event {number}");
                    gaps += u32::from(number != seen);
                    seen = number + 1;
                    taken += 1;
                    bench.access(true, PortalsRegister::EqTaken, 5, taken & 0xffff);
                    until_next = 6;
                }
            }
            if bench.step() {
                bench.job = None;
            }
            bench.access_ends();
            memory.extend(bench.writes.drain(..));
            until_next = u32::saturating_sub(until_next, 1);
        }
        assert!(gaps > 50 && taken > 2_000, "{gaps} {taken}");
    }

    #[test]
    fn an_event_is_done_in_time() {
        let mut bench = Bench::new(7, 0.0);
        let words = bench.words();
        assert_eq!((bench.post(2, words.clone()), bench.rest()), (3 + 1, 1));
        bench.write(PortalsRegister::EqSize, 2, 2);
        assert_eq!((bench.post(2, words.clone()), bench.rest()), (11 + 1, 2));
        bench.write(PortalsRegister::EqEvent, 2, 1 << EVENT_PRESENT_OFFSET | 9);
        // The words of an event come while the last ones of the event before are written.
        for _ in 0..2 {
            assert_eq!(bench.post(2, words.clone()), 11 + 1);
        }
        assert_eq!((bench.rest(), bench.events.len()), (3, 2));
        assert_eq!(bench.post(2, words.clone()), 11 + 1);
        assert_eq!((bench.post(2, words), bench.rest()), (3 + 1, 1));
        assert_eq!(bench.events, [9; 3]);
    }
}
