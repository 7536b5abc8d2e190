use super::{BytesIn, ADDRESS_WIDTH, BYTE_WIDTH};
use crate::{bus::MemoryWriteOut, prim::StreamIn};
use portico_spec::{ni::packet::OFFSET_WIDTH, portals::engine::LENGTH_WIDTH};
use portico_verilog::prelude::*;

/// Byte lanes of a word.
const LANES: usize = 4;
/// Width of the bytes that are kept for the next word, in bits.
const KEPT_WIDTH: usize = 24;
/// Lanes of those bytes.
const KEPT_LANES: usize = 3;

/// Writes the payload of packets to the scratchpad, from any byte on.
///
/// Words of 32 bits. Byte k of a payload is in bits 8 k to 8 k + 7, counted over its words; byte address a is lane a mod 4 of word
/// a / 4.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a run to its first word, and from a word to the scratchpad |
/// | throughput | one word a cycle; one more cycle for a packet whose last bytes go to a further word, and one between packets |
/// | timing | outputs are flip-flops, `run_ready` and `s_axis_tready` one gate behind them and `memory_ready` |
/// | state | the run in hand, three bytes of the last word, and a write |
#[derive(LogicBlock, Default)]
pub struct PayloadWriter {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no run is in hand.
    pub rst: Signal<In, Bit>,
    /// Where the payload of the next packet goes, and how many bytes of it and of later packets may be written. Taken while no
    /// run is in hand.
    pub run: BytesIn,
    /// Payload of a packet; `tlast` ends the run. Words beyond the bytes that may be written are read away.
    pub s_axis: StreamIn<32>,
    /// Writes of the payload to the scratchpad.
    pub memory: MemoryWriteOut<32, LANES>,
    /// Where the next packet of the same message goes on; valid while `run` is ready, after a packet that left bytes.
    pub next_address: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// Bytes that the next packet of the same message may write; valid while `run` is ready.
    pub left: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// No run is in hand, and the scratchpad has taken all bytes of those before.
    pub idle: Signal<Out, Bit>,
    /// In the next cycle the scratchpad has all bytes that were given in cycles in which `run` was ready.
    pub leaves: Signal<Out, Bit>,
    /// A run is in hand, and its last word has not come.
    opens: DFF<Bit>,
    /// The bytes that are kept are to be written, behind the last word of the packet.
    spills: DFF<Bit>,
    /// Address of the word to be written next.
    place: DFF<Bits<ADDRESS_WIDTH>>,
    /// Lane of the first byte of each word that comes.
    lane: DFF<Bits<BYTE_WIDTH>>,
    /// Bytes that may be written from the next word on.
    rest: DFF<Bits<LENGTH_WIDTH>>,
    kept: DFF<Bits<KEPT_WIDTH>>,
    kept_lanes: DFF<Bits<KEPT_LANES>>,
    writes: DFF<Bit>,
    address: DFF<Bits<ADDRESS_WIDTH>>,
    data: DFF<Bits<32>>,
    lanes: DFF<Bits<LANES>>,
    is_free: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    /// Bytes of the word that may be written.
    allowed: Signal<Local, Bits<LANES>>,
    amount: Signal<Local, Bits<5>>,
    /// The word in its lanes, in the low half; what goes to the next word is above.
    moved: Signal<Local, Bits<64>>,
    moved_lanes: Signal<Local, Bits<{ 2 * LANES }>>,
    merged_lanes: Signal<Local, Bits<LANES>>,
}

#[kernel]
impl Logic for PayloadWriter {
    fn update(&mut self) {
        dff_setup!(self, clk, opens, spills, place, lane, rest, kept, kept_lanes, writes, address, data, lanes);
        self.is_free.next = !self.writes.q.val() | self.memory.ready.val();
        self.run.ready.next = !self.opens.q.val() & !self.spills.q.val();
        self.s_axis.tready.next = self.opens.q.val() & self.is_free.val();
        self.takes.next = self.s_axis.tvalid.val() & self.opens.q.val() & self.is_free.val();

        // The word in its lanes.
        self.allowed.next = !((!bits::<LANES>(0)) << self.rest.q.val().get_bits::<BYTE_WIDTH>(0));
        if self.rest.q.val().get_bits::<ADDRESS_WIDTH>(BYTE_WIDTH).any() {
            self.allowed.next = !bits::<LANES>(0);
        }
        self.amount.next = field::<5, BYTE_WIDTH>(self.lane.q.val(), 3);
        self.moved.next = bit_cast::<64, 32>(self.s_axis.tdata.val()) << self.amount.val();
        self.moved_lanes.next = bit_cast::<{ 2 * LANES }, LANES>(self.allowed.val()) << self.lane.q.val();
        self.merged_lanes.next =
            self.moved_lanes.val().get_bits::<LANES>(0) | bit_cast::<LANES, KEPT_LANES>(self.kept_lanes.q.val());

        if self.is_free.val() {
            self.writes.d.next = (self.takes.val() & self.merged_lanes.val().any()) | self.spills.q.val();
        }
        if self.takes.val() {
            self.place.d.next = self.place.q.val() + 1;
            self.rest.d.next = self.rest.q.val() - bits::<LENGTH_WIDTH>(LANES as u64);
            if !self.rest.q.val().get_bits::<ADDRESS_WIDTH>(BYTE_WIDTH).any() {
                self.rest.d.next = 0.into();
            }
            self.kept.d.next = self.moved.val().get_bits::<KEPT_WIDTH>(32);
            self.kept_lanes.d.next = self.moved_lanes.val().get_bits::<KEPT_LANES>(LANES);
            self.address.d.next = self.place.q.val();
            self.data.d.next = self.moved.val().get_bits::<32>(0) | bit_cast::<32, KEPT_WIDTH>(self.kept.q.val());
            self.lanes.d.next = self.merged_lanes.val();
            if self.s_axis.tlast.val() {
                self.opens.d.next = false;
                self.spills.d.next = self.moved_lanes.val().get_bits::<KEPT_LANES>(LANES).any();
            }
        }
        if self.spills.q.val() & self.is_free.val() {
            self.spills.d.next = false;
            self.address.d.next = self.place.q.val();
            self.data.d.next = bit_cast::<32, KEPT_WIDTH>(self.kept.q.val());
            self.lanes.d.next = bit_cast::<LANES, KEPT_LANES>(self.kept_lanes.q.val());
        }
        if self.run.valid.val() & self.run.ready.val() {
            self.opens.d.next = true;
            self.place.d.next = self.run.address.val().get_bits::<ADDRESS_WIDTH>(BYTE_WIDTH);
            self.lane.d.next = self.run.address.val().get_bits::<BYTE_WIDTH>(0);
            self.rest.d.next = self.run.length.val();
            self.kept.d.next = 0.into();
            self.kept_lanes.d.next = 0.into();
        }

        self.memory.valid.next = self.writes.q.val();
        self.memory.address.next = bit_cast::<OFFSET_WIDTH, ADDRESS_WIDTH>(self.address.q.val());
        self.memory.data.next = self.data.q.val();
        self.memory.lanes.next = self.lanes.q.val();
        self.next_address.next = field::<LENGTH_WIDTH, ADDRESS_WIDTH>(self.place.q.val(), 2)
            | bit_cast::<LENGTH_WIDTH, BYTE_WIDTH>(self.lane.q.val());
        self.left.next = self.rest.q.val();
        self.leaves.next = self.is_free.val();
        self.idle.next = self.run.ready.val() & !self.writes.q.val();
        if self.rst.val() {
            self.opens.d.next = false;
            self.spills.d.next = false;
            self.writes.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::{rngs::SmallRng, Rng};
    use std::collections::BTreeMap;

    clocked!([] PayloadWriter);

    /// A writer with a scratchpad that keeps the bytes that are written.
    struct Bench {
        dut: PayloadWriter,
        rng: SmallRng,
        bytes: BTreeMap<u64, u8>,
        /// The write that was offered and not taken in the cycle before.
        waiting: Option<[u64; 3]>,
        /// Cycles in which a write was taken.
        written: Vec<u64>,
        cycle: u64,
        /// How often something waits.
        idle: f64,
    }

    impl Bench {
        fn new(seed: u64, idle: f64) -> Bench {
            Bench {
                dut: reset(PayloadWriter::default()),
                rng: rng(seed),
                bytes: BTreeMap::new(),
                waiting: None,
                written: vec![],
                cycle: 0,
                idle,
            }
        }

        fn waits(&mut self) -> bool {
            self.rng.gen_bool(self.idle)
        }

        /// One cycle with the streams as they are; whether the run and the word were taken.
        fn step(&mut self) -> (bool, bool) {
            self.dut.memory.ready.next = !self.rng.gen_bool(self.idle);
            settle(&mut self.dut);
            let (run, words, memory) = (&self.dut.run, &self.dut.s_axis, &self.dut.memory);
            let taken = (
                run.valid.val() && run.ready.val(),
                words.tvalid.val() && words.tready.val(),
            );
            let offer = memory.valid.val().then(|| {
                [
                    memory.address.val().to_u64(),
                    memory.data.val().to_u64(),
                    memory.lanes.val().to_u64(),
                ]
            });
            assert!(
                self.waiting.is_none() || self.waiting == offer,
                "cycle {}: the offer did not stay",
                self.cycle
            );
            self.waiting = offer;
            if let Some([address, data, lanes]) = offer.filter(|_| memory.ready.val()) {
                assert!(lanes != 0, "cycle {}: nothing is written", self.cycle);
                for lane in (0..4).filter(|lane| lanes >> lane & 1 == 1) {
                    let before = self.bytes.insert(4 * address + lane, (data >> (8 * lane)) as u8);
                    assert_eq!(before, None, "cycle {}: a byte is written twice", self.cycle);
                }
                self.written.push(self.cycle);
                self.waiting = None;
            }
            clock(&mut self.dut);
            self.cycle += 1;
            taken
        }

        /// Lets the writer take a run.
        fn begin(&mut self, address: u64, length: u64) {
            while self.waits() {
                self.step();
            }
            self.dut.run.address.next = address.into();
            self.dut.run.length.next = length.into();
            self.dut.run.valid.next = true;
            while !self.step().0 {}
            self.dut.run.valid.next = false;
        }

        /// Lets it take the words of a packet.
        fn send(&mut self, words: &[u64]) {
            for (at, &word) in words.iter().enumerate() {
                self.dut.s_axis.tvalid.next = false;
                while self.waits() {
                    self.step();
                }
                self.dut.s_axis.tvalid.next = true;
                self.dut.s_axis.tdata.next = word.into();
                self.dut.s_axis.tlast.next = at + 1 == words.len();
                while !self.step().1 {}
            }
            self.dut.s_axis.tvalid.next = false;
        }

        fn rest(&mut self) {
            settle(&mut self.dut);
            while !self.dut.idle.val() {
                self.step();
            }
        }
    }

    #[test]
    fn messages_of_any_length_come_to_any_place_and_nothing_beside_them() {
        let mut bench = Bench::new(0x9a11, 0.3);
        let (mut packets_seen, mut cut) = (0, 0);
        for message in 0..600 {
            let words = bench.rng.gen_range(1..=20u64);
            let payload: Vec<u64> = (0..words).map(|_| bench.rng.gen::<u32>().into()).collect();
            let length = match bench.rng.gen_range(0..4) {
                0 => 0,
                1 => bench.rng.gen_range(0..=4 * words),
                _ => 4 * words - bench.rng.gen_range(0..4),
            };
            let address = bench.rng.gen_range(0..(1 << LENGTH_WIDTH) - 100);
            let (mut at, mut left, mut sent) = (address, length, 0);
            while sent < words {
                let packet = bench.rng.gen_range(1..=(words - sent).min(8));
                bench.begin(at, left);
                bench.send(&payload[sent as usize..(sent + packet) as usize]);
                sent += packet;
                packets_seen += 1;
                if bench.rng.gen() {
                    bench.rest();
                }
                while !bench.dut.run.ready.val() {
                    bench.step();
                }
                left = length.saturating_sub(4 * sent);
                assert_eq!(bench.dut.left.val(), left, "message {message}");
                at = bench.dut.next_address.val().to_u64();
                assert!(left == 0 || at == address + 4 * sent, "message {message}: {at:#x}");
            }
            bench.rest();
            let expected: BTreeMap<u64, u8> = (0..length)
                .map(|at| (address + at, (payload[at as usize / 4] >> (8 * (at % 4))) as u8))
                .collect();
            assert_eq!(bench.bytes, expected, "message {message}");
            bench.bytes.clear();
            cut += u64::from(length + 4 <= 4 * words);
        }
        assert!(packets_seen > 1_200 && cut > 100, "{packets_seen} {cut}");
    }

    #[test]
    fn a_word_comes_every_cycle_and_the_scratchpad_has_it_in_the_next() {
        const WORDS: u64 = 12;
        for lane in 0..4u64 {
            let mut bench = Bench::new(lane, 0.0);
            bench.begin(0x100 + lane, 4 * WORDS);
            let begun = bench.cycle;
            bench.send(&[0x1234_5678; WORDS as usize]);
            assert_eq!(bench.cycle, begun + WORDS, "lane {lane}");
            bench.rest();
            let further = u64::from(lane > 0);
            let expected: Vec<u64> = (begun + 1..=begun + WORDS + further).collect();
            assert_eq!(bench.written, expected, "lane {lane}");
            assert_eq!(bench.cycle, begun + WORDS + 1 + further, "lane {lane}");
        }
    }
}
