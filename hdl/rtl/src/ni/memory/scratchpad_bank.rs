use crate::prim::{LaneRam, RoundRobinArbiter};
use portico_verilog::prelude::*;

/// Clients that write: the network, the tile.
pub const WRITERS: usize = 2;
/// Clients that read: atomics of the network, the reader of transfers, the release of queues, the tile.
pub const READERS: usize = 4;
/// Readers that take turns.
const SHARERS: usize = READERS - 1;
/// Address bits of a word in its bank.
pub const ROW_WIDTH: usize = 16;

/// One bank of the scratchpad: a block RAM with its arbitration.
///
/// A bank of `W`-bit words.
///
/// | | |
/// | --- | --- |
/// | latency | grants are combinational; `read_data` follows a read by a cycle |
/// | throughput | one write and one read a cycle |
/// | fairness | client 0 of either kind always wins; the other readers share what it leaves, in turn |
/// | state | the RAM, and its parts' |
#[derive(LogicBlock, Default)]
pub struct ScratchpadBank<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// One bit a client that has a word to write here.
    pub write_ask: Signal<In, Bits<WRITERS>>,
    /// Word of the bank that each client writes.
    pub write_row: [Signal<In, Bits<ROW_WIDTH>>; WRITERS],
    /// The word to write, of each client.
    pub write_data: [Signal<In, Bits<W>>; WRITERS],
    /// One bit a byte of the word to write, bit 0 for bits 7 to 0; of each client.
    pub write_lanes: [Signal<In, Bits<B>>; WRITERS],
    /// One bit a client that has a word to read here.
    pub read_ask: Signal<In, Bits<READERS>>,
    /// Word of the bank that each client reads.
    pub read_row: [Signal<In, Bits<ROW_WIDTH>>; READERS],
    /// One bit a client whose word is being written: if it is its turn, it does without.
    pub meets: Signal<In, Bits<READERS>>,
    /// One bit a client: its read is taken in this cycle; at most one is high.
    pub read_grant: Signal<Out, Bits<READERS>>,
    /// The word that was read, one cycle after the read.
    pub read_data: Signal<Out, Bits<W>>,
    words: LaneRam<W, ROW_WIDTH, B>,
    turns: RoundRobinArbiter<SHARERS>,
    sharers: Signal<Local, Bits<SHARERS>>,
    turn: Signal<Local, Bits<READERS>>,
}

impl<const W: usize, const B: usize> ScratchpadBank<W, B> {
    /// A bank of `words` words, 1 to 2^16.
    pub fn new(words: usize) -> Self {
        Self {
            words: LaneRam::new(words),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for ScratchpadBank<W, B> {
    fn update(&mut self) {
        wire!(self => turns: clk, rst);
        wire!(self => words: clk);
        self.words.write_lanes.next = 0.into();
        self.words.write_address.next = self.write_row[1].val();
        self.words.write_data.next = self.write_data[1].val();
        if self.write_ask.val().get_bit(1) {
            self.words.write_lanes.next = self.write_lanes[1].val();
        }
        if self.write_ask.val().get_bit(0) {
            self.words.write_lanes.next = self.write_lanes[0].val();
            self.words.write_address.next = self.write_row[0].val();
            self.words.write_data.next = self.write_data[0].val();
        }

        self.sharers.next = self.read_ask.val().get_bits::<SHARERS>(1);
        self.turns.request.next = self.sharers.val();
        self.turns.served.next = !self.read_ask.val().get_bit(0);
        self.turn.next = field::<READERS, SHARERS>(self.turns.grant.val(), 1);
        if self.read_ask.val().get_bit(0) {
            self.turn.next = bits::<READERS>(1);
        }
        self.read_grant.next = self.turn.val() & !self.meets.val();
        self.words.read_enable.next = self.read_ask.val().any();
        self.words.read_address.next = self.read_row[0].val();
        for i in 1..READERS {
            if self.turn.val().get_bit(i) {
                self.words.read_address.next = self.read_row[i].val();
            }
        }
        self.read_data.next = self.words.read_data.val();
    }
}

/// Words with some bytes replaced.
///
/// `W` bits in `B` byte lanes. Combinational, no state.
#[derive(LogicBlock)]
pub struct LaneMerge<const W: usize, const B: usize> {
    /// The word in which bytes are replaced.
    pub word: Signal<In, Bits<W>>,
    /// The word whose bytes replace them.
    pub written: Signal<In, Bits<W>>,
    /// One bit a byte, bit 0 for bits 7 to 0: takes it from `written`.
    pub lanes: Signal<In, Bits<B>>,
    /// The word with the bytes replaced.
    pub merged: Signal<Out, Bits<W>>,
    mask: Signal<Local, Bits<W>>,
}

impl<const W: usize, const B: usize> Default for LaneMerge<W, B> {
    fn default() -> Self {
        Self {
            word: Default::default(),
            written: Default::default(),
            lanes: Default::default(),
            merged: Default::default(),
            mask: Default::default(),
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for LaneMerge<W, B> {
    fn update(&mut self) {
        self.mask.next = 0.into();
        for lane in 0..B {
            for i in 0..8 {
                self.mask.next = self
                    .mask
                    .val()
                    .replace_bit(8 * lane + i, self.lanes.val().get_bit(lane));
            }
        }
        self.merged.next = (self.written.val() & self.mask.val()) | (self.word.val() & !self.mask.val());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([const W: usize, const B: usize] ScratchpadBank<W, B>);

    #[test]
    fn the_first_writer_wins_and_the_readers_behind_the_first_take_turns() {
        let mut dut = reset(ScratchpadBank::<32, 4>::new(16));
        for row in 0..READERS as u64 {
            dut.write_ask.next = 0b11u64.into();
            dut.write_row[0].next = row.into();
            dut.write_data[0].next = (100 + row).into();
            dut.write_lanes[0].next = 0xfu64.into();
            dut.write_row[1].next = row.into();
            dut.write_lanes[1].next = 0xfu64.into();
            dut.read_row[row as usize].next = row.into();
            clock(&mut dut);
        }
        dut.write_ask.next = 0u64.into();
        let mut order = vec![];
        for cycle in 0..12 {
            dut.read_ask.next = (0b1110 | u64::from(cycle % 4 == 3)).into();
            settle(&mut dut);
            let grant = dut.read_grant.val().to_u64();
            assert_eq!(grant.count_ones(), 1);
            clock(&mut dut);
            let reader = u64::from(grant.trailing_zeros());
            assert_eq!(dut.read_data.val(), 100 + reader);
            order.push(reader);
        }
        assert_eq!(order, [1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]);
    }

    fn merges<const W: usize, const B: usize>() {
        let mut rng = rng(W as u64);
        let mut dut = LaneMerge::<W, B>::default();
        dut.connect_all();
        for lanes in 0..1u64 << B {
            let (word, written) = (rng.gen::<u64>() >> (64 - W), rng.gen::<u64>() >> (64 - W));
            dut.word.next = word.into();
            dut.written.next = written.into();
            dut.lanes.next = lanes.into();
            settle(&mut dut);
            for byte in 0..B {
                let from = if lanes >> byte & 1 == 1 { written } else { word };
                assert_eq!(dut.merged.val().get_bits::<8>(8 * byte), from >> (8 * byte) & 0xff);
            }
        }
    }

    #[test]
    fn each_byte_comes_from_where_its_lane_says() {
        merges::<32, 4>();
        merges::<64, 8>();
    }
}
