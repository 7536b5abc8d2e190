use super::{
    scratchpad_bank::{READERS, ROW_WIDTH, WRITERS},
    LaneMerge, ScratchpadBank,
};
use crate::bus::{MemoryReadIn, MemoryWriteIn};
use portico_spec::ni::packet::OFFSET_WIDTH;
use portico_verilog::prelude::*;

/// Address bits that choose a bank, at most.
const BANK_WIDTH: usize = 2;
/// Banks, at most.
const BANKS: usize = 1 << BANK_WIDTH;

/// The scratchpad: the memory of a tile, in banks: word w lies in bank w modulo their number.
///
/// A memory of `W`-bit words in `B` byte lanes.
///
/// | | |
/// | --- | --- |
/// | latency | write: readable by a read of the next cycle, that of the network a cycle later; read: data one cycle after the request has passed |
/// | throughput | one write and one read a bank and cycle |
/// | priority | the network's write and the atomics' read never wait; the tile's write waits for the network in its bank; the other readers share what the atomics leave of a bank, in turn; a turn is lost on a word that is being written |
/// | collision | a reader waits for a write of its word, and the tile's write for an atomic's read of its word; an atomic's read gets the bytes that the network writes in the same cycle |
/// | state | block RAM, two words with their lanes, the turns of each bank, and the bank that each reader read |
///
/// Block RAMs give no data worth having for a word that is being written. An atomic that reads a word of which the network
/// writes some bytes relies on one thing more: that the bytes whose lanes are not written read as they are.
///
/// Beyond the size reads give 0 and writes do nothing, neither waiting.
#[derive(LogicBlock, Default)]
pub struct Scratchpad<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the contents stay.
    pub rst: Signal<In, Bit>,
    /// From the network, always ready; from the tile.
    pub write: [MemoryWriteIn<W, B>; WRITERS],
    /// Of the network's atomics, always ready; of the reader of transfers, of the release of queues, of the tile.
    pub read: [MemoryReadIn<W>; READERS],
    bank: Vec<ScratchpadBank<W, B>>,
    merge: LaneMerge<W, B>,
    /// What the network writes lies within the size.
    network_writes: DFF<Bit>,
    network_address: DFF<Bits<OFFSET_WIDTH>>,
    network_data: DFF<Bits<W>>,
    network_lanes: DFF<Bits<B>>,
    answered: [DFF<Bit>; READERS],
    source: [DFF<Bits<BANKS>>; READERS],
    bypassed: DFF<Bits<B>>,
    bypass: DFF<Bits<W>>,
    writes: [Signal<Local, Bit>; WRITERS],
    write_address: [Signal<Local, Bits<OFFSET_WIDTH>>; WRITERS],
    write_data: [Signal<Local, Bits<W>>; WRITERS],
    write_lanes: [Signal<Local, Bits<B>>; WRITERS],
    write_bank: [Signal<Local, Bits<BANKS>>; WRITERS],
    write_row: [Signal<Local, Bits<ROW_WIDTH>>; WRITERS],
    read_bank: [Signal<Local, Bits<BANKS>>; READERS],
    read_row: [Signal<Local, Bits<ROW_WIDTH>>; READERS],
    meets: [Signal<Local, Bits<WRITERS>>; READERS],
    tile_writes: Signal<Local, Bit>,
    ask: [Signal<Local, Bits<READERS>>; BANKS],
    blocked: [Signal<Local, Bits<READERS>>; BANKS],
    granted: [Signal<Local, Bits<BANKS>>; READERS],
    word: [Signal<Local, Bits<W>>; READERS],
    reads: [Signal<Local, Bit>; READERS],
    size: Constant<Bits<OFFSET_WIDTH>>,
    /// The bits of addresses within the size.
    inside: Constant<Bits<OFFSET_WIDTH>>,
    /// The size is a power of two: those bits alone say what is within.
    is_full: Constant<Bit>,
    /// The low bits of an address, which are its bank.
    chooses: Constant<Bits<BANK_WIDTH>>,
    _banks: usize,
    _bank_width: usize,
}

impl<const W: usize, const B: usize> Scratchpad<W, B> {
    /// A scratchpad of `bytes`: 4 KiB to 256 KiB, a multiple of 4 KiB, in 1, 2 or 4 banks; panics outside that.
    pub fn new(bytes: usize, banks: usize) -> Self {
        const LEAST: usize = 4 << 10;
        const MOST: usize = 256 << 10;
        assert!(
            (LEAST..=MOST).contains(&bytes) && bytes.is_multiple_of(LEAST),
            "scratchpad: bytes = {bytes}, allowed: {LEAST} to {MOST} in steps of {LEAST}"
        );
        assert!(
            W == 8 * B && (W == 32 || W == 64),
            "scratchpad: W = {W} with B = {B}, allowed: 32 with 4, 64 with 8"
        );
        assert!(
            banks.is_power_of_two() && banks <= BANKS,
            "scratchpad: banks = {banks}, allowed: 1, 2 or {BANKS}"
        );
        let words = bytes / B;
        Self {
            bank: (0..banks).map(|_| ScratchpadBank::new(words / banks)).collect(),
            chooses: Constant::new(bits(banks as u64 - 1)),
            _banks: banks,
            _bank_width: banks.ilog2() as usize,
            size: Constant::new(bits(words as u64)),
            is_full: Constant::new(words.is_power_of_two()),
            inside: Constant::new(bits(words.next_power_of_two() as u64 - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for Scratchpad<W, B> {
    fn update(&mut self) {
        dff_setup!(self, clk, network_writes, network_address, network_data);
        dff_setup!(self, clk, network_lanes, bypassed, bypass);
        self.network_writes.d.next = self.write[0].valid.val()
            & !(self.write[0].address.val() & !self.inside.val()).any()
            & (self.is_full.val() | (self.write[0].address.val() < self.size.val()));
        self.network_address.d.next = self.write[0].address.val();
        self.network_data.d.next = self.write[0].data.val();
        self.network_lanes.d.next = self.write[0].lanes.val();
        self.writes[0].next = self.network_writes.q.val();
        self.write_address[0].next = self.network_address.q.val();
        self.write_data[0].next = self.network_data.q.val();
        self.write_lanes[0].next = self.network_lanes.q.val();
        self.writes[1].next = self.write[1].valid.val()
            & !(self.write[1].address.val() & !self.inside.val()).any()
            & (self.is_full.val() | (self.write[1].address.val() < self.size.val()));
        self.write_address[1].next = self.write[1].address.val();
        self.write_data[1].next = self.write[1].data.val();
        self.write_lanes[1].next = self.write[1].lanes.val();

        // The bank and row of everyone; no bank for what lies beyond the size.
        for i in 0..WRITERS {
            self.write_row[i].next = self.write_address[i].val().get_bits::<ROW_WIDTH>(self._bank_width);
            self.write_bank[i].next = 0.into();
            if self.writes[i].val() {
                self.write_bank[i].next =
                    bits::<BANKS>(1) << (self.write_address[i].val().get_bits::<BANK_WIDTH>(0) & self.chooses.val());
            }
        }
        for i in 0..READERS {
            self.read_row[i].next = self.read[i].address.val().get_bits::<ROW_WIDTH>(self._bank_width);
            self.read_bank[i].next = 0.into();
            self.reads[i].next = self.read[i].valid.val()
                & !(self.read[i].address.val() & !self.inside.val()).any()
                & (self.is_full.val() | (self.read[i].address.val() < self.size.val()));
            if self.reads[i].val() {
                self.read_bank[i].next =
                    bits::<BANKS>(1) << (self.read[i].address.val().get_bits::<BANK_WIDTH>(0) & self.chooses.val());
            }
            self.meets[i].next = 0.into();
            for j in 0..WRITERS {
                self.meets[i].next = self.meets[i].val().replace_bit(
                    j,
                    self.reads[i].val()
                        & self.writes[j].val()
                        & !((self.read[i].address.val() ^ self.write_address[j].val()) & self.inside.val()).any(),
                );
            }
        }

        self.tile_writes.next =
            !(self.write_bank[0].val() & self.write_bank[1].val()).any() & !self.meets[0].val().get_bit(1);
        self.write[0].ready.next = true;
        self.write[1].ready.next = self.tile_writes.val();

        for b in 0..self._banks {
            wire!(self => bank[b]: clk, rst);
            self.bank[b].write_ask.next = bits::<WRITERS>(0)
                .replace_bit(0, self.write_bank[0].val().get_bit(b))
                .replace_bit(1, self.write_bank[1].val().get_bit(b) & self.tile_writes.val());
            for i in 0..WRITERS {
                self.bank[b].write_row[i].next = self.write_row[i].val();
                self.bank[b].write_data[i].next = self.write_data[i].val();
                self.bank[b].write_lanes[i].next = self.write_lanes[i].val();
            }
            self.ask[b].next = 0.into();
            self.blocked[b].next = 0.into();
            for i in 0..READERS {
                self.ask[b].next = self.ask[b].val().replace_bit(i, self.read_bank[i].val().get_bit(b));
                self.bank[b].read_row[i].next = self.read_row[i].val();
            }
            for i in 1..READERS {
                self.blocked[b].next = self.blocked[b].val().replace_bit(i, self.meets[i].val().any());
            }
            self.bank[b].meets.next = self.blocked[b].val();
            self.bank[b].read_ask.next = self.ask[b].val();
        }

        for i in 0..READERS {
            self.granted[i].next = 0.into();
            self.word[i].next = 0.into();
            for b in 0..self._banks {
                self.granted[i].next = self.granted[i]
                    .val()
                    .replace_bit(b, self.bank[b].read_grant.val().get_bit(i));
                if self.source[i].q.val().get_bit(b) {
                    self.word[i].next = self.word[i].val() | self.bank[b].read_data.val();
                }
            }
            self.read[i].ready.next = self.granted[i].val().any() | !self.read_bank[i].val().any();
            self.answered[i].clock.next = self.clk.val();
            self.answered[i].d.next = self.read[i].valid.val() & self.read[i].ready.val();
            self.source[i].clock.next = self.clk.val();
            self.source[i].d.next = self.granted[i].val();
            self.read[i].data_valid.next = self.answered[i].q.val();
        }

        self.bypassed.d.next = 0.into();
        if self.meets[0].val().get_bit(0) {
            self.bypassed.d.next = self.write_lanes[0].val();
            self.bypass.d.next = self.write_data[0].val();
        }
        self.merge.word.next = self.word[0].val();
        self.merge.written.next = self.bypass.q.val();
        self.merge.lanes.next = self.bypassed.q.val();
        self.read[0].data.next = self.merge.merged.val();
        for i in 1..READERS {
            self.read[i].data.next = self.word[i].val();
        }
        if self.rst.val() {
            self.network_writes.d.next = false;
            for i in 0..READERS {
                self.answered[i].d.next = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::{rngs::SmallRng, Rng};
    use std::collections::HashMap;

    clocked!([const W: usize, const B: usize] Scratchpad<W, B>);

    /// An address: mostly of a few words, so that clients meet; the ends of the memory; beyond.
    fn address(rng: &mut SmallRng, words: u64) -> u64 {
        match rng.gen_range(0..20) {
            0 => words - 1,
            1 => words + rng.gen_range(0..2) * (1 << 21),
            2 => rng.gen_range(0..words),
            _ => rng.gen_range(0..8),
        }
    }

    fn merge(old: u64, new: u64, lanes: u64) -> u64 {
        let mask = (0..8)
            .filter(|lane| lanes >> lane & 1 == 1)
            .fold(0, |mask, lane| mask | 0xff << (8 * lane));
        old & !mask | new & mask
    }

    fn reads_what_was_written<const W: usize, const B: usize>(bytes: usize, banks: usize) {
        let mut rng = rng(W as u64 + bytes as u64);
        let mut dut = reset(Scratchpad::<W, B>::new(bytes, banks));
        let words = (bytes / B) as u64;
        let one_bank = |a: u64, b: u64| a % banks as u64 == b % banks as u64;
        let mut model = HashMap::new();
        let mut writes: [Option<(u64, u64, u64)>; WRITERS] = [None; WRITERS];
        let mut passing: Option<(u64, u64, u64)> = None;
        let mut reads: [Option<u64>; READERS] = [None; READERS];
        let mut answers: [Option<u64>; READERS] = [None; READERS];
        let (mut bypassed, mut held, mut tile_waits, mut beyond) = (0, 0, 0, 0);
        for cycle in 0..8_000 {
            for write in &mut writes {
                if write.is_none() && rng.gen_bool(0.5) {
                    let lanes = if rng.gen_bool(0.7) {
                        (1 << B) - 1
                    } else {
                        rng.gen_range(0..1 << B)
                    };
                    *write = Some((address(&mut rng, words), rng.gen::<u64>() >> (64 - W), lanes));
                }
            }
            for read in &mut reads {
                if read.is_none() && rng.gen_bool(0.5) {
                    *read = Some(address(&mut rng, words));
                }
            }
            for (port, write) in dut.write.iter_mut().zip(writes) {
                let (address, data, lanes) = write.unwrap_or_default();
                port.valid.next = write.is_some();
                port.address.next = address.into();
                port.data.next = data.into();
                port.lanes.next = lanes.into();
            }
            for (port, read) in dut.read.iter_mut().zip(reads) {
                port.valid.next = read.is_some();
                port.address.next = read.unwrap_or_default().into();
            }
            settle(&mut dut);
            for (i, (port, answer)) in dut.read.iter().zip(answers).enumerate() {
                let seen = port.data_valid.val().then(|| port.data.val().to_u64());
                assert_eq!(seen, answer, "cycle {cycle}, reader {i}");
            }
            assert!(dut.write[0].ready.val() && dut.read[0].ready.val(), "cycle {cycle}");

            // What the network wrote in the cycle before.
            let network = passing;
            let inside = |address: u64| address < words;
            let same = |a: u64, b: u64| a == b && inside(a);
            let tile = writes[1].filter(|_| dut.write[1].ready.val());
            if let Some((at, _, _)) = writes[1] {
                let waits = network.is_some_and(|(other, _, _)| inside(at) && inside(other) && one_bank(at, other))
                    || reads[0].is_some_and(|read| same(read, at));
                assert_eq!(tile.is_none(), waits, "cycle {cycle}");
                tile_waits += u32::from(waits);
            }
            for i in 0..READERS {
                answers[i] = None;
                let Some(at) = reads[i].filter(|_| dut.read[i].ready.val()) else {
                    continue;
                };
                let old = model.get(&at).copied().unwrap_or_default();
                let hit = [network, tile]
                    .into_iter()
                    .flatten()
                    .find(|(other, _, _)| same(at, *other));
                assert!(
                    hit.is_none() || i == 0,
                    "cycle {cycle}: reader {i} reads what is written"
                );
                bypassed += u32::from(hit.is_some());
                beyond += u32::from(!inside(at));
                answers[i] = Some(hit.map_or(old, |(_, data, lanes)| merge(old, data, lanes)));
                for (j, read) in reads.iter().enumerate().skip(i + 1) {
                    let both = read.is_some_and(|other| inside(at) && inside(other) && one_bank(at, other));
                    assert!(!both || !dut.read[j].ready.val(), "cycle {cycle}: {i} and {j} at once");
                }
                reads[i] = None;
            }
            held += reads.iter().flatten().count();
            clock(&mut dut);
            for (address, data, lanes) in [network, tile].into_iter().flatten() {
                if inside(address) {
                    let word = model.entry(address).or_default();
                    *word = merge(*word, data, lanes);
                }
            }
            passing = writes[0].take();
            if tile.is_some() {
                writes[1] = None;
            }
        }
        assert!(bypassed > 100 && held > 2_000 && tile_waits > 200 && beyond > 200);
    }

    #[test]
    fn every_width_size_and_number_of_banks_reads_what_was_written() {
        reads_what_was_written::<32, 4>(4 << 10, 4);
        reads_what_was_written::<32, 4>(4 << 10, 1);
        reads_what_was_written::<32, 4>(256 << 10, 4);
        reads_what_was_written::<32, 4>(256 << 10, 1);
        reads_what_was_written::<64, 8>(12 << 10, 2);
        reads_what_was_written::<64, 8>(256 << 10, 4);
    }

    #[test]
    fn four_readers_of_four_banks_read_at_full_rate_and_sharers_of_one_starve_nobody() {
        let mut dut = reset(Scratchpad::<32, 4>::new(4 << 10, 4));
        for spread in [true, false] {
            let mut served = [0; READERS];
            for cycle in 0..120u64 {
                for (i, port) in dut.read.iter_mut().enumerate() {
                    // The atomics leave every other cycle.
                    port.valid.next = i > 0 || spread || cycle % 2 == 0;
                    port.address.next = (if spread { cycle + i as u64 } else { 4 * i as u64 }).into();
                }
                settle(&mut dut);
                for (i, port) in dut.read.iter().enumerate() {
                    served[i] += u32::from(port.valid.val() && port.ready.val());
                }
                clock(&mut dut);
            }
            assert_eq!(served, if spread { [120; 4] } else { [60, 20, 20, 20] });
        }
    }

    #[test]
    fn reset_takes_an_answer_back_and_keeps_the_words() {
        let mut dut = reset(Scratchpad::<32, 4>::new(4 << 10, 4));
        dut.write[0].valid.next = true;
        dut.write[0].address.next = 5u64.into();
        dut.write[0].data.next = 77u64.into();
        dut.write[0].lanes.next = 15u64.into();
        clock(&mut dut);
        dut.write[0].valid.next = false;
        clock(&mut dut);
        dut.read[1].valid.next = true;
        dut.read[1].address.next = 5u64.into();
        let mut dut = reset(dut);
        assert!(!dut.read[1].data_valid.val());
        clock(&mut dut);
        assert!(dut.read[1].data_valid.val());
        assert_eq!(dut.read[1].data.val(), 77u64);
    }

    #[test]
    #[should_panic(expected = "scratchpad: bytes = 5000, allowed: 4096 to 262144 in steps of 4096")]
    fn odd_sizes_are_refused() {
        Scratchpad::<32, 4>::new(5_000, 4);
    }
}
