use super::{EventJobIn, EventQueues, RingWriter, TableAccessIn, EVENT_INDEX_WIDTH};
use crate::bus::{EventOut, MemoryWriteOut};
use portico_spec::portals::engine::{DROPPED_OFFSET, EVENT_WORDS, PHASE_OFFSET};
use portico_verilog::prelude::*;

/// Byte lanes of a word.
const LANES: usize = 4;
/// The last word but one that is written.
const LAST_INDEX: usize = EVENT_WORDS - 1;

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
/// Word i of an event goes to word 10 n + i of its ring, with n the position of the event; word 0 is the last. An event
/// for a full ring is dropped and counted, and one for a queue without a ring is dropped.
///
/// | | |
/// | --- | --- |
/// | latency | from an event to `job_done` 11 cycles, 3 if it is dropped; to `job_settled` 2 more, 3 if an event of the tile counts; if nothing waits |
/// | throughput | one event in 12 cycles: its words come while the last ones of the event before are written |
/// | timing | outputs are flip-flops, or one gate behind them; the word that is written comes from LUT-RAM |
/// | state | the stage of the event in hand and the words that are asked for, [`EventQueues`] and [`RingWriter`] |
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
    queues: EventQueues,
    words: RingWriter,
    stage: DFF<EventStage>,
    index: DFF<Bits<EVENT_INDEX_WIDTH>>,
    asking: DFF<Bit>,
    /// The words that are asked for and have not come.
    coming: [DFF<Bit>; 2],
    which: [DFF<Bits<EVENT_INDEX_WIDTH>>; 2],
    starts: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    loads: Signal<Local, Bit>,
}

#[kernel]
impl Logic for EventWriter {
    fn update(&mut self) {
        wire!(self => queues, words: clk, rst);
        dff_setup!(self, clk, stage, index, asking);
        for i in 0..2 {
            self.coming[i].clock.next = self.clk.val();
            self.which[i].clock.next = self.clk.val();
        }

        // The place of the event.
        wire!(self <=> queues: access);
        wire!(queues => self: answer);
        self.queues.owner.next = self.job.queue.val();
        self.queues.counts.next = self.stage.q.val() == EventStage::Count;
        self.queues.checks.next = self.stage.q.val() == EventStage::Check;
        self.loads.next = self.words.free.val() & (self.queues.fits.val() | (self.stage.q.val() == EventStage::Wait));
        wire!(queues => words: place);
        self.words.load.next = self.loads.val();

        // Words are asked for in the order in which they are written: there is room for all of them.
        self.starts.next = (self.stage.q.val() == EventStage::Idle)
            & self.job.valid.val()
            & !self.queues.waits.val()
            & self.words.has_room.val();
        self.asks.next = self.starts.val() | self.asking.q.val();
        self.coming[0].d.next = self.asks.val() & !self.queues.drops.val();
        self.coming[1].d.next = self.coming[0].q.val() & !self.queues.drops.val();
        self.which[0].d.next = self.index.q.val();
        self.which[1].d.next = self.which[0].q.val();
        if self.asks.val() {
            self.asking.d.next = self.index.q.val().any();
            self.index.d.next = self.index.q.val() + 1;
            if self.index.q.val() == bits::<EVENT_INDEX_WIDTH>(LAST_INDEX as u64) {
                self.index.d.next = 0.into();
            }
        }
        if self.queues.drops.val() {
            self.asking.d.next = false;
            self.index.d.next = 1.into();
        }
        self.job.index.next = self.index.q.val();
        self.words.s_axis.tvalid.next = self.coming[1].q.val() & !self.queues.drops.val();
        self.words.s_axis.tdata.next = self.job.word.val();
        if !self.which[1].q.val().any() {
            self.words.s_axis.tdata.next = self
                .job
                .word
                .val()
                .replace_bit(PHASE_OFFSET, self.queues.flags.val().phase)
                .replace_bit(DROPPED_OFFSET, self.queues.flags.val().dropped);
        }
        self.words.s_axis.tlast.next = self.which[1].q.val() == bits::<EVENT_INDEX_WIDTH>(LAST_INDEX as u64);
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
                if self.queues.drops.val() {
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
    use portico_spec::{
        ni::registers::PortalsRegister,
        portals::engine::{EVENT_BYTES, EVENT_PRESENT_OFFSET, QUEUES},
    };
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
