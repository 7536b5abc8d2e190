use super::PadMatch;
use crate::prim::{RamOutput, StreamIn, StreamOut};
use portico_spec::ni::command::{MAX_DESCRIPTOR_WORDS, QUEUE_WORDS};
use portico_verilog::prelude::*;

const ADDRESS_WIDTH: usize = QUEUE_WORDS.ilog2() as usize;
/// One more than an address, so that full differs from empty.
const POINTER_WIDTH: usize = ADDRESS_WIDTH + 1;

/// The command queue: descriptors that come word by word, given out whole.
///
/// Descriptors on their way to the dispatcher.
///
/// | | |
/// | --- | --- |
/// | latency | 3 cycles from a descriptor's last word written to its first word offered |
/// | throughput | one word a cycle on both sides |
/// | timing | `m_axis` comes straight from flip-flops |
/// | state | [`QUEUE_WORDS`] words in block RAM, [`RamOutput`], and the places of the queue |
///
/// The place of a word is free as soon as [`RamOutput`] has fetched the word.
///
/// Neither a register write of the network nor a host can wait until commands end. So the queue drops a descriptor that does
/// not fit or has more than 16 words. It drops the descriptor whole: it discards the words that it has, and ignores the words to
/// come up to the last. Pads in front of a descriptor are forgotten, and never refused.
#[derive(LogicBlock, Default)]
pub struct CommandQueue {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the queue is empty afterwards.
    pub rst: Signal<In, Bit>,
    /// Words of descriptors, `tlast` on the last of each; always ready.
    pub s_axis: StreamIn<32>,
    /// The queue would drop the word of `s_axis` in this cycle.
    pub refuses: Signal<Out, Bit>,
    /// Whole descriptors.
    pub m_axis: StreamOut<32>,
    /// A pulse for each descriptor that is dropped.
    pub dropped: Signal<Out, Bit>,
    words: RamOutput<33, ADDRESS_WIDTH>,
    writer: DFF<Bits<POINTER_WIDTH>>,
    /// Behind the last word of the last whole descriptor.
    committed: DFF<Bits<POINTER_WIDTH>>,
    reader: DFF<Bits<POINTER_WIDTH>>,
    /// The memory holds words of whole descriptors.
    holds: DFF<Bit>,
    length: DFF<Bits<5>>,
    dropping: DFF<Bit>,
    after: Signal<Local, Bits<POINTER_WIDTH>>,
    commits: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    overlong: Signal<Local, Bit>,
    pad: PadMatch,
    takes: Signal<Local, Bit>,
    entry: Signal<Local, Bits<33>>,
}

impl CommandQueue {
    /// An empty queue.
    pub fn new() -> Self {
        Self {
            words: RamOutput::new(QUEUE_WORDS),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CommandQueue {
    fn update(&mut self) {
        wire!(self => words: clk, rst);
        dff_setup!(self, clk, writer, committed, reader, holds, length, dropping);
        self.full.next = (self.writer.q.val() ^ self.reader.q.val()) == bits::<POINTER_WIDTH>(QUEUE_WORDS);
        self.overlong.next = self.length.q.val() == bits::<5>(MAX_DESCRIPTOR_WORDS);
        self.pad.word.next = self.s_axis.tdata.val();
        self.pad.first.next = !self.length.q.val().any() & !self.dropping.q.val();
        self.pad.last.next = self.s_axis.tlast.val();
        self.takes.next = self.s_axis.tvalid.val() & !self.pad.is_pad.val();
        self.refuses.next = (self.full.val() | self.overlong.val() | self.dropping.q.val()) & !self.pad.is_pad.val();
        self.s_axis.tready.next = true;

        self.words.write_enable.next = self.takes.val();
        self.words.write_address.next = self.writer.q.val().get_bits::<ADDRESS_WIDTH>(0);
        self.entry.next = bit_cast::<33, 32>(self.s_axis.tdata.val());
        self.entry.next = self.entry.val().replace_bit(32, self.s_axis.tlast.val());
        self.words.write_data.next = self.entry.val();

        self.dropped.next = false;
        self.commits.next = false;
        if self.takes.val() {
            self.length.d.next = self.length.q.val() + 1;
            if self.dropping.q.val() {
                self.words.write_enable.next = false;
                self.length.d.next = 0.into();
            } else if self.full.val() | self.overlong.val() {
                self.words.write_enable.next = false;
                self.dropped.next = true;
                self.dropping.d.next = true;
                self.writer.d.next = self.committed.q.val();
            } else {
                self.writer.d.next = self.writer.q.val() + 1;
                if self.s_axis.tlast.val() {
                    self.commits.next = true;
                    self.committed.d.next = self.writer.q.val() + 1;
                }
            }
            if self.s_axis.tlast.val() {
                self.length.d.next = 0.into();
                self.dropping.d.next = false;
            }
        }

        self.words.holds.next = self.holds.q.val();
        self.words.read_address.next = self.reader.q.val().get_bits::<ADDRESS_WIDTH>(0);
        self.after.next = self.reader.q.val() + 1;
        if self.words.fetch.val() {
            self.reader.d.next = self.after.val();
            self.holds.d.next = self.commits.val() | (self.after.val() != self.committed.q.val());
        } else {
            self.holds.d.next = self.commits.val() | self.holds.q.val();
        }
        self.words.m_axis.tready.next = self.m_axis.tready.val();
        self.m_axis.tvalid.next = self.words.m_axis.tvalid.val();
        self.m_axis.tdata.next = self.words.m_axis.tdata.val().get_bits::<32>(0);
        self.m_axis.tlast.next = self.words.m_axis.tdata.val().get_bit(32);
        if self.rst.val() {
            self.writer.d.next = 0.into();
            self.committed.d.next = 0.into();
            self.reader.d.next = 0.into();
            self.holds.d.next = false;
            self.length.d.next = 0.into();
            self.dropping.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([] CommandQueue);

    /// Descriptors of 1 to 18 words at random, and a reader that is now fast, now slow.
    #[test]
    fn descriptors_come_out_whole_or_not_at_all() {
        let mut rng = rng(0xc0e);
        let mut dut = reset(CommandQueue::new());
        // Words of whole descriptors in the memory, and the up to two behind it.
        let (mut memory, mut behind) = (VecDeque::new(), [None; 2]);
        // Words still to write, whether the descriptor was dropped, words kept of it.
        let (mut left, mut drops, mut own): (u64, bool, Vec<u64>) = (0, false, vec![]);
        let (mut dropped_full, mut dropped_long, mut whole, mut padded) = (0, 0, 0, 0);
        for cycle in 0..30_000 {
            if left == 0 {
                left = rng.gen_range(1..=18);
                (drops, own) = (false, vec![]);
            }
            let reads = if cycle / 500 % 3 == 0 { 0.1 } else { 0.7 };
            let word = rng.gen_bool(0.8).then(|| u64::from(rng.gen::<u32>()));
            dut.s_axis.tvalid.next = word.is_some();
            dut.s_axis.tdata.next = word.unwrap_or_default().into();
            dut.s_axis.tlast.next = left == 1;
            dut.m_axis.tready.next = rng.gen_bool(reads);
            settle(&mut dut);

            // A first word with opcode 0 is a pad, unless it is the last.
            let pads = own.is_empty() && !drops && left > 1 && word.unwrap_or_default() & 31 == 0;
            padded += usize::from(pads && word.is_some());
            let full = memory.len() + own.len() == QUEUE_WORDS;
            let overlong = own.len() == MAX_DESCRIPTOR_WORDS;
            assert!(dut.s_axis.tready.val());
            assert_eq!(dut.refuses.val(), !pads && (drops || full || overlong), "cycle {cycle}");
            let drop_now = word.is_some() && !pads && !drops && (full || overlong);
            dropped_full += usize::from(drop_now && !overlong);
            dropped_long += usize::from(drop_now && overlong);
            assert_eq!(dut.dropped.val(), drop_now, "cycle {cycle}");
            let front = dut
                .m_axis
                .tvalid
                .val()
                .then(|| (dut.m_axis.tdata.val().to_u64(), dut.m_axis.tlast.val()));
            assert_eq!(front, behind[1], "cycle {cycle}");

            if dut.m_axis.tready.next || front.is_none() {
                behind[1] = behind[0].take();
            }
            if behind[0].is_none() {
                behind[0] = memory.pop_front();
            }
            if let Some(word) = word {
                left -= 1;
                drops |= drop_now;
                if drops {
                    own.clear();
                } else if !pads {
                    own.push(word);
                }
                if left == 0 && !drops {
                    whole += 1;
                    let last = own.len() - 1;
                    memory.extend(own.drain(..).enumerate().map(|(at, word)| (word, at == last)));
                }
            }
            clock(&mut dut);
        }
        assert!(dropped_long > 50 && dropped_full > 50 && whole > 500 && padded > 50);
    }

    #[test]
    fn reset_forgets_half_a_descriptor() {
        let mut dut = reset(CommandQueue::new());
        dut.s_axis.tvalid.next = true;
        dut.s_axis.tdata.next = 1u64.into();
        clock(&mut dut);
        let mut dut = reset(dut);
        dut.s_axis.tlast.next = true;
        dut.s_axis.tdata.next = 7u64.into();
        clock(&mut dut);
        dut.s_axis.tvalid.next = false;
        for _ in 0..2 {
            settle(&mut dut);
            assert!(!dut.m_axis.tvalid.val());
            clock(&mut dut);
        }
        settle(&mut dut);
        assert_eq!((dut.m_axis.tvalid.val(), dut.m_axis.tlast.val()), (true, true));
        assert_eq!(dut.m_axis.tdata.val().to_u64(), 7);
        dut.m_axis.tready.next = true;
        clock(&mut dut);
        assert!(!dut.m_axis.tvalid.val());
    }
}
