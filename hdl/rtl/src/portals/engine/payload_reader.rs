use super::{BytesIn, ADDRESS_WIDTH, BYTE_WIDTH};
use crate::{
    bus::MemoryReadOut,
    prim::{Fifo, Queue, StreamOut},
};
use portico_spec::{ni::packet::OFFSET_WIDTH, portals::engine::LENGTH_WIDTH};
use portico_verilog::prelude::*;

/// Address bits of the words that are read ahead.
const AHEAD_WIDTH: usize = 4;
/// Width of a number of these words, in bits.
const RESERVED_WIDTH: usize = AHEAD_WIDTH + 1;
/// Width of the bytes that are kept for the next word, in bits.
const KEPT_WIDTH: usize = 24;

/// Reads of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct WordRun {
    /// Address of its first word.
    pub first: Bits<ADDRESS_WIDTH>,
    /// Address of its last word.
    pub last: Bits<ADDRESS_WIDTH>,
}

/// Words of a run that are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct PackedRun {
    /// Lane of its first byte.
    pub lane: Bits<BYTE_WIDTH>,
    /// Words in front of the last.
    pub words: Bits<ADDRESS_WIDTH>,
    /// Bytes in front of the last, in the last word.
    pub bytes: Bits<BYTE_WIDTH>,
}

/// Reads runs of bytes from the scratchpad, and packs each from byte 0 on.
///
/// Words of 32 bits. Byte k of a run is in bits 8 k to 8 k + 7, counted over its words.
///
/// | | |
/// | --- | --- |
/// | latency | from a run to its first word 5 cycles, 6 if the run begins within a word, if the scratchpad is free |
/// | throughput | one word a cycle, also across runs; one more cycle for a run that begins within a word |
/// | timing | outputs are flip-flops, `run_ready` one gate behind them |
/// | state | 2 runs and 16 words in LUT-RAM, an address, three bytes of the last word, and a word |
#[derive(LogicBlock, Default)]
pub struct PayloadReader {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no run is in hand.
    pub rst: Signal<In, Bit>,
    /// Runs; up to 2 are kept here until their last word is given. One of 0 bytes gives no word.
    pub run: BytesIn,
    /// Reads of the runs from the scratchpad.
    pub memory: MemoryReadOut<32>,
    /// Words of the runs; `tlast` is high with the last of each, whose bytes beyond the end are 0.
    pub m_axis: StreamOut<32>,
    asked: Queue<WordRun, 1>,
    given: Queue<PackedRun, 1>,
    words: Fifo<32, AHEAD_WIDTH>,
    /// The first word of the run has been asked for.
    begun: DFF<Bit>,
    /// Word to be asked for next, of such a run.
    place: DFF<Bits<ADDRESS_WIDTH>>,
    /// Words that are asked for and not yet taken.
    reserved: DFF<Bits<RESERVED_WIDTH>>,
    asks: DFF<Bit>,
    address: DFF<Bits<ADDRESS_WIDTH>>,
    /// Words of the run that have been given.
    count: DFF<Bits<ADDRESS_WIDTH>>,
    /// The first word of a run that begins within it has been taken.
    is_primed: DFF<Bit>,
    kept: DFF<Bits<KEPT_WIDTH>>,
    offers: DFF<Bit>,
    data: DFF<Bits<32>>,
    ends: DFF<Bit>,
    last_byte: Signal<Local, Bits<LENGTH_WIDTH>>,
    last_address: Signal<Local, Bits<LENGTH_WIDTH>>,
    takes_run: Signal<Local, Bit>,
    can_ask: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<ADDRESS_WIDTH>>,
    is_last_ask: Signal<Local, Bit>,
    can_give: Signal<Local, Bit>,
    is_shifted: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    end_byte: Signal<Local, Bits<3>>,
    needs_word: Signal<Local, Bit>,
    gives: Signal<Local, Bit>,
    steps: Signal<Local, Bit>,
    takes_word: Signal<Local, Bit>,
    back: Signal<Local, Bits<BYTE_WIDTH>>,
    amount: Signal<Local, Bits<5>>,
    /// The word in the lanes of the word that is given, in the low half; what goes to the next is above.
    moved: Signal<Local, Bits<64>>,
    joined: Signal<Local, Bits<32>>,
    beyond: Signal<Local, Bits<6>>,
}

#[kernel]
impl Logic for PayloadReader {
    fn update(&mut self) {
        wire!(self => asked, given, words: clk, rst);
        dff_setup!(self, clk, begun, place, reserved, asks, address, count, is_primed, kept, offers, data, ends);

        // A run of 0 bytes is taken and forgotten. A run stays in `given` at least as long as in `asked`.
        self.last_byte.next = self.run.length.val() - 1;
        self.last_address.next = self.run.address.val() + self.last_byte.val();
        self.run.ready.next = !self.given.full.val();
        self.takes_run.next = self.run.valid.val() & self.run.length.val().any();
        self.asked.write.next = self.takes_run.val() & !self.given.full.val();
        self.asked.write_data.next.first = self.run.address.val().get_bits::<ADDRESS_WIDTH>(BYTE_WIDTH);
        self.asked.write_data.next.last = self.last_address.val().get_bits::<ADDRESS_WIDTH>(BYTE_WIDTH);
        self.given.write.next = self.takes_run.val();
        self.given.write_data.next.lane = self.run.address.val().get_bits::<BYTE_WIDTH>(0);
        self.given.write_data.next.words = self.last_byte.val().get_bits::<ADDRESS_WIDTH>(BYTE_WIDTH);
        self.given.write_data.next.bytes = self.last_byte.val().get_bits::<BYTE_WIDTH>(0);

        // Reads.
        self.can_ask.next = !self.asks.q.val() | self.memory.ready.val();
        self.goes.next = !self.asked.empty.val() & self.can_ask.val() & !self.reserved.q.val().get_bit(AHEAD_WIDTH);
        self.chosen.next = self.asked.read_data.val().first;
        if self.begun.q.val() {
            self.chosen.next = self.place.q.val();
        }
        self.is_last_ask.next = self.chosen.val() == self.asked.read_data.val().last;
        self.asked.read.next = self.goes.val() & self.is_last_ask.val();
        if self.can_ask.val() {
            self.asks.d.next = self.goes.val();
            self.address.d.next = self.chosen.val();
        }
        if self.goes.val() {
            self.place.d.next = self.chosen.val() + 1;
            self.begun.d.next = !self.is_last_ask.val();
        }
        self.memory.valid.next = self.asks.q.val();
        self.memory.address.next = bit_cast::<OFFSET_WIDTH, ADDRESS_WIDTH>(self.address.q.val());
        self.words.s_axis.tvalid.next = self.memory.data_valid.val();
        self.words.s_axis.tdata.next = self.memory.data.val();
        self.words.s_axis.tlast.next = false;

        // Steps of the run in front. One that begins within a word first takes that word. Its last word needs no further one if
        // its bytes are all kept.
        self.can_give.next = !self.offers.q.val() | self.m_axis.tready.val();
        self.is_shifted.next = self.given.read_data.val().lane.any();
        self.is_last.next = self.count.q.val() == self.given.read_data.val().words;
        self.end_byte.next = bit_cast::<3, BYTE_WIDTH>(self.given.read_data.val().lane)
            + bit_cast::<3, BYTE_WIDTH>(self.given.read_data.val().bytes);
        self.needs_word.next = !self.is_primed.q.val() | !self.is_last.val() | self.end_byte.val().get_bit(BYTE_WIDTH);
        self.gives.next = self.is_primed.q.val() | !self.is_shifted.val();
        self.steps.next =
            !self.given.empty.val() & self.can_give.val() & (self.words.m_axis.tvalid.val() | !self.needs_word.val());
        self.words.m_axis.tready.next = !self.given.empty.val() & self.can_give.val() & self.needs_word.val();
        self.takes_word.next = self.steps.val() & self.needs_word.val();
        self.given.read.next = self.steps.val() & self.gives.val() & self.is_last.val();

        // The word that is given: bytes beyond the end are cut off, also those of a word that is not needed.
        self.back.next = bits::<BYTE_WIDTH>(0) - self.given.read_data.val().lane;
        self.amount.next = field::<5, BYTE_WIDTH>(self.back.val(), 3);
        self.moved.next = bit_cast::<64, 32>(self.words.m_axis.tdata.val()) << self.amount.val();
        self.joined.next = self.moved.val().get_bits::<32>(0);
        if self.is_primed.q.val() {
            self.joined.next = self.joined.val() | bit_cast::<32, KEPT_WIDTH>(self.kept.q.val());
        }
        self.beyond.next = field::<6, BYTE_WIDTH>(self.given.read_data.val().bytes, 3) + bits::<6>(8);
        if self.is_last.val() {
            self.joined.next = self.joined.val() & !((!bits::<32>(0)) << self.beyond.val());
        }
        if self.can_give.val() {
            self.offers.d.next = self.steps.val() & self.gives.val();
        }
        if self.steps.val() {
            self.data.d.next = self.joined.val();
            self.ends.d.next = self.is_last.val();
            self.kept.d.next = self.moved.val().get_bits::<KEPT_WIDTH>(32);
            self.is_primed.d.next = self.is_shifted.val();
            if self.gives.val() {
                self.count.d.next = self.count.q.val() + 1;
                if self.is_last.val() {
                    self.count.d.next = 0.into();
                    self.is_primed.d.next = false;
                }
            }
        }
        self.m_axis.tvalid.next = self.offers.q.val();
        self.m_axis.tdata.next = self.data.q.val();
        self.m_axis.tlast.next = self.ends.q.val();

        if self.goes.val() & !self.takes_word.val() {
            self.reserved.d.next = self.reserved.q.val() + 1;
        }
        if self.takes_word.val() & !self.goes.val() {
            self.reserved.d.next = self.reserved.q.val() - 1;
        }
        if self.rst.val() {
            self.begun.d.next = false;
            self.reserved.d.next = 0.into();
            self.asks.d.next = false;
            self.count.d.next = 0.into();
            self.is_primed.d.next = false;
            self.offers.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::{rngs::SmallRng, Rng};
    use std::collections::VecDeque;

    clocked!([] PayloadReader);

    /// The byte of the scratchpad at an address.
    fn byte(address: u64) -> u64 {
        (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) & 0xff
    }

    fn word(first: u64, bytes: u64) -> u64 {
        (0..bytes).map(|at| byte(first + at) << (8 * at)).sum()
    }

    /// The words of a run, and whether each is the last.
    fn packed(address: u64, length: u64) -> Vec<(u64, bool)> {
        (0..length)
            .step_by(4)
            .map(|at| (word(address + at, (length - at).min(4)), at + 4 >= length))
            .collect()
    }

    /// A reader with a scratchpad, and a model of what it has to give.
    struct Bench {
        dut: PayloadReader,
        rng: SmallRng,
        /// Words that the scratchpad owes.
        owed: VecDeque<u64>,
        expected: VecDeque<(u64, bool)>,
        /// The beat that was offered and not taken in the cycle before.
        waiting: Option<(u64, bool)>,
        /// The read that was offered and not taken in the cycle before.
        asking: Option<u64>,
        /// Cycles in which a word was given.
        given: Vec<u64>,
        reads: u64,
        cycle: u64,
    }

    impl Bench {
        fn new(seed: u64) -> Bench {
            Bench {
                dut: reset(PayloadReader::default()),
                rng: rng(seed),
                owed: VecDeque::new(),
                expected: VecDeque::new(),
                waiting: None,
                asking: None,
                given: vec![],
                reads: 0,
                cycle: 0,
            }
        }

        /// One cycle in which memory and reader of the words wait so often; whether the run was taken.
        fn step(&mut self, slow: f64, blocked: f64) -> bool {
            let Bench { dut, rng, .. } = self;
            dut.memory.ready.next = !rng.gen_bool(slow);
            dut.m_axis.tready.next = !rng.gen_bool(blocked);
            let answer = if rng.gen_bool(slow) {
                None
            } else {
                self.owed.pop_front()
            };
            dut.memory.data_valid.next = answer.is_some();
            dut.memory.data.next = answer.unwrap_or_else(|| rng.gen::<u32>().into()).into();
            settle(dut);
            let read = dut.memory.valid.val().then(|| dut.memory.address.val().to_u64());
            assert!(
                self.asking.is_none() || self.asking == read,
                "cycle {}: the read did not stay",
                self.cycle
            );
            self.asking = read.filter(|_| !dut.memory.ready.val());
            if let Some(address) = read.filter(|_| dut.memory.ready.val()) {
                self.owed.push_back(word(4 * address, 4));
                self.reads += 1;
            }
            let beat = dut
                .m_axis
                .tvalid
                .val()
                .then(|| (dut.m_axis.tdata.val().to_u64(), dut.m_axis.tlast.val()));
            assert!(
                self.waiting.is_none() || self.waiting == beat,
                "cycle {}: the beat did not stay",
                self.cycle
            );
            self.waiting = beat.filter(|_| !dut.m_axis.tready.val());
            if beat.is_some() && dut.m_axis.tready.val() {
                assert_eq!(beat, self.expected.pop_front(), "cycle {}", self.cycle);
                self.given.push(self.cycle);
            }
            let taken = dut.run.valid.val() && dut.run.ready.val();
            if taken {
                let (address, length) = (dut.run.address.val().to_u64(), dut.run.length.val().to_u64());
                self.expected.extend(packed(address, length));
            }
            clock(dut);
            self.cycle += 1;
            taken
        }

        fn offer(&mut self, address: u64, length: u64) {
            self.dut.run.valid.next = true;
            self.dut.run.address.next = address.into();
            self.dut.run.length.next = length.into();
        }

        /// Lets the reader take runs one behind the other, without waits, and give all their words.
        fn read(&mut self, runs: &[(u64, u64)]) {
            for &(address, length) in runs {
                self.offer(address, length);
                while !self.step(0.0, 0.0) {}
            }
            self.dut.run.valid.next = false;
            while !self.expected.is_empty() {
                self.step(0.0, 0.0);
            }
        }
    }

    #[test]
    fn runs_of_any_length_come_from_any_place_in_whole_words() {
        let mut bench = Bench::new(0x9a12);
        let mut runs = [0; 2];
        for phase in 0..400 {
            let (idle, slow, blocked) = (
                [0.0, 0.8][phase % 2],
                [0.0, 0.1, 0.7][phase / 2 % 3],
                [0.0, 0.2, 0.8][phase / 6 % 3],
            );
            let mut offered = bench.dut.run.valid.val();
            for _ in 0..100 {
                if !offered && !bench.rng.gen_bool(idle) {
                    let length = match bench.rng.gen_range(0..4) {
                        0 => bench.rng.gen_range(0..=5),
                        1 => 4 * bench.rng.gen_range(0..=31),
                        _ => bench.rng.gen_range(0..=124),
                    };
                    let address = bench.rng.gen_range(0..(1 << LENGTH_WIDTH) - 200);
                    bench.offer(address, length);
                    runs[usize::from(length == 0)] += 1;
                    offered = true;
                }
                if bench.step(slow, blocked) {
                    bench.dut.run.valid.next = false;
                    offered = false;
                }
            }
        }
        assert!(
            runs[0] > 1_000 && runs[1] > 50 && bench.given.len() > 10_000,
            "{runs:?} {}",
            bench.given.len()
        );
    }

    #[test]
    fn aligned_runs_give_a_word_every_cycle() {
        let mut bench = Bench::new(1);
        bench.read(&[(0x40, 64), (0x100, 61), (0x200, 124), (0x300, 64)]);
        let expected: Vec<u64> = (5..5 + 16 + 16 + 31 + 16).collect();
        assert_eq!(bench.given, expected);
        assert_eq!(bench.reads, expected.len() as u64);
    }

    #[test]
    fn a_run_that_begins_within_a_word_takes_one_cycle_more_and_a_read_if_it_needs_one() {
        for (lane, length, reads) in [(1u64, 32u64, 9), (2, 32, 9), (3, 30, 9), (3, 29, 8), (1, 31, 8)] {
            let mut bench = Bench::new(lane);
            bench.read(&[(0x80 + lane, length)]);
            let expected: Vec<u64> = (6..14).collect();
            assert_eq!(bench.given, expected, "lane {lane}, {length} bytes");
            assert_eq!(bench.reads, reads, "lane {lane}, {length} bytes");
        }
    }
}
