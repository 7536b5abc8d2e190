//! One port of a memory for several users, access by access.

use super::{MemoryReadIn, MemoryReadOut, MemoryWriteIn, MemoryWriteOut};
use crate::prim::ParkedArbiter;
use portico_spec::{ni::packet::OFFSET_WIDTH, parts::SEATS};
use portico_verilog::prelude::*;

/// Users at most: the engines, and the block that uses the port in a node without engines.
const USERS: usize = 1 + SEATS;

/// Readers of one port of a memory that answers a cycle after it has taken a request, such as the scratchpad's.
///
/// Reads of words of `W` bits.
///
/// | | |
/// | --- | --- |
/// | latency | that of the memory for the reader that read last; 1 cycle more for another |
/// | throughput | one read a cycle |
/// | fairness | readers that ask take turns, read by read |
/// | timing | one multiplexer behind flip-flops |
/// | state | a [`ParkedArbiter`], and who reads |
#[derive(LogicBlock, Default)]
pub struct ReadShare<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Up to 7 readers.
    pub reader: Vec<MemoryReadIn<W>>,
    /// Reads of all readers, at the port of the memory.
    pub memory: MemoryReadOut<W>,
    turns: ParkedArbiter<USERS>,
    /// The reader that gets the next word.
    asker: DFF<Bits<USERS>>,
    request: Signal<Local, Bits<USERS>>,
    valid: Signal<Local, Bit>,
    address: Signal<Local, Bits<OFFSET_WIDTH>>,
    _readers: usize,
}

impl<const W: usize> ReadShare<W> {
    /// For 1 to 7 readers.
    pub fn new(readers: usize) -> Self {
        assert!(
            (1..=USERS).contains(&readers),
            "readers: readers = {readers}, allowed: 1..={USERS}"
        );
        Self {
            reader: (0..readers).map(|_| Default::default()).collect(),
            _readers: readers,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for ReadShare<W> {
    fn update(&mut self) {
        wire!(self => turns: clk, rst);
        dff_setup!(self, clk, asker);
        self.request.next = 0.into();
        self.valid.next = false;
        self.address.next = 0.into();
        for i in 0..self._readers {
            self.request.next = self.request.val().replace_bit(i, self.reader[i].valid.val());
            self.reader[i].ready.next = self.turns.grant.val().get_bit(i) & self.memory.ready.val();
            self.reader[i].data.next = self.memory.data.val();
            self.reader[i].data_valid.next = self.memory.data_valid.val() & self.asker.q.val().get_bit(i);
            if self.turns.grant.val().get_bit(i) {
                self.valid.next = self.valid.val() | self.reader[i].valid.val();
                self.address.next = self.address.val() | self.reader[i].address.val();
            }
        }
        self.memory.valid.next = self.valid.val();
        self.memory.address.next = self.address.val();
        self.asker.d.next = self.turns.grant.val();
        self.turns.request.next = self.request.val();
        self.turns.yields.next = !self.valid.val() | self.memory.ready.val();
    }
}

/// Writers of one port of a memory.
///
/// Writes of words of `W` bits with `B` byte lanes.
///
/// | | |
/// | --- | --- |
/// | latency | combinational for the writer that wrote last; 1 cycle for another |
/// | throughput | one write a cycle |
/// | fairness | writers that ask take turns, write by write |
/// | timing | one multiplexer behind flip-flops |
/// | state | a [`ParkedArbiter`] |
#[derive(LogicBlock, Default)]
pub struct WriteShare<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Up to 7 writers.
    pub writer: Vec<MemoryWriteIn<W, B>>,
    /// Writes of all writers, at the port of the memory.
    pub memory: MemoryWriteOut<W, B>,
    turns: ParkedArbiter<USERS>,
    request: Signal<Local, Bits<USERS>>,
    valid: Signal<Local, Bit>,
    address: Signal<Local, Bits<OFFSET_WIDTH>>,
    data: Signal<Local, Bits<W>>,
    lanes: Signal<Local, Bits<B>>,
    _writers: usize,
}

impl<const W: usize, const B: usize> WriteShare<W, B> {
    /// For 1 to 7 writers.
    pub fn new(writers: usize) -> Self {
        assert!(
            (1..=USERS).contains(&writers),
            "writers: writers = {writers}, allowed: 1..={USERS}"
        );
        Self {
            writer: (0..writers).map(|_| Default::default()).collect(),
            _writers: writers,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for WriteShare<W, B> {
    fn update(&mut self) {
        wire!(self => turns: clk, rst);
        self.request.next = 0.into();
        self.valid.next = false;
        self.address.next = 0.into();
        self.data.next = 0.into();
        self.lanes.next = 0.into();
        for i in 0..self._writers {
            self.request.next = self.request.val().replace_bit(i, self.writer[i].valid.val());
            self.writer[i].ready.next = self.turns.grant.val().get_bit(i) & self.memory.ready.val();
            if self.turns.grant.val().get_bit(i) {
                self.valid.next = self.valid.val() | self.writer[i].valid.val();
                self.address.next = self.address.val() | self.writer[i].address.val();
                self.data.next = self.data.val() | self.writer[i].data.val();
                self.lanes.next = self.lanes.val() | self.writer[i].lanes.val();
            }
        }
        self.memory.valid.next = self.valid.val();
        self.memory.address.next = self.address.val();
        self.memory.data.next = self.data.val();
        self.memory.lanes.next = self.lanes.val();
        self.turns.request.next = self.request.val();
        self.turns.yields.next = !self.valid.val() | self.memory.ready.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([const W: usize] ReadShare<W>);
    clocked!([const W: usize, const B: usize] WriteShare<W, B>);

    #[test]
    fn each_reader_gets_its_own_words_and_one_that_is_alone_reads_every_cycle() {
        let mut rng = rng(0x5ea2);
        let mut dut = reset(ReadShare::<32>::new(3));
        let mut offered = [None; 3];
        let mut wanted: [VecDeque<u64>; 3] = Default::default();
        let (mut read, mut coming) = ([0; 3], None);
        for cycle in 0..9_000u64 {
            // All, then the second alone, then all at random.
            let phase = cycle / 3_000;
            for (at, request) in offered.iter_mut().enumerate() {
                let asks = [true, at == 1, rng.gen_bool(0.3)][phase as usize];
                *request = request.or(asks.then(|| rng.gen_range(0..1u64 << 20)));
                dut.reader[at].valid.next = request.is_some();
                dut.reader[at].address.next = request.unwrap_or_default().into();
            }
            dut.memory.ready.next = phase < 2 || rng.gen_bool(0.7);
            dut.memory.data_valid.next = coming.is_some();
            dut.memory.data.next = coming.take().unwrap_or(0).into();
            settle(&mut dut);
            for (at, port) in dut.reader.iter().enumerate() {
                if port.data_valid.val() {
                    assert_eq!(Some(port.data.val().to_u64()), wanted[at].pop_front(), "cycle {cycle}");
                    read[at] += 1;
                }
                if port.valid.val() && port.ready.val() {
                    wanted[at].push_back(offered[at].take().unwrap() * 3);
                }
            }
            if dut.memory.valid.val() && dut.memory.ready.val() {
                coming = Some(dut.memory.address.val().to_u64() * 3);
            }
            clock(&mut dut);
            if cycle == 2_999 {
                assert!(read.iter().all(|&words| (999..=1_000).contains(&words)), "{read:?}");
            }
            if cycle == 5_999 {
                assert!(read[1] >= 3_990, "{read:?}");
            }
        }
        assert!(read[0] > 1_500 && read[2] > 1_500, "{read:?}");
    }

    #[test]
    fn writes_pass_whole_and_in_turn() {
        let mut rng = rng(0x3a2e);
        let mut dut = reset(WriteShare::<32, 4>::new(2));
        let mut offered: [Option<(u64, u64, u64)>; 2] = [None; 2];
        let mut written = [0; 2];
        for cycle in 0..6_000 {
            for (port, write) in dut.writer.iter_mut().zip(&mut offered) {
                let fresh = (
                    rng.gen_range(0..1u64 << 20),
                    rng.gen::<u32>().into(),
                    rng.gen_range(0..16),
                );
                *write = write.or((cycle < 3_000 || rng.gen_bool(0.3)).then_some(fresh));
                let (address, data, lanes) = write.unwrap_or_default();
                port.valid.next = write.is_some();
                port.address.next = address.into();
                port.data.next = data.into();
                port.lanes.next = lanes.into();
            }
            dut.memory.ready.next = cycle < 3_000 || rng.gen_bool(0.7);
            settle(&mut dut);
            let taken: Vec<usize> = (0..2)
                .filter(|&at| offered[at].is_some() && dut.writer[at].ready.val())
                .collect();
            let passes = dut.memory.valid.val() && dut.memory.ready.val();
            assert_eq!(taken.len(), usize::from(passes), "cycle {cycle}");
            if let [at] = taken[..] {
                let seen = &dut.memory;
                let seen = (
                    seen.address.val().to_u64(),
                    seen.data.val().to_u64(),
                    seen.lanes.val().to_u64(),
                );
                assert_eq!(Some(seen), offered[at].take());
                written[at] += 1;
            }
            clock(&mut dut);
            if cycle == 2_999 {
                assert_eq!(written, [1_500, 1_500]);
            }
        }
        assert!(written.iter().all(|writes| *writes > 2_000), "{written:?}");
    }
}
