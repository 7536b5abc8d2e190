//! The command queue: descriptors written word by word through registers, given out whole.
//!
//! | | |
//! | --- | --- |
//! | latency | 1 cycle from a descriptor's last word written to its first word offered |
//! | throughput | one word a cycle on both sides |
//! | state | [`DEPTH`] words in LUT-RAM, and 27 flip-flops |
//!
//! A register write cannot wait, so what does not fit is dropped; and as half a descriptor is worse than none, all of it
//! is: the words that are there already go back, those to come are ignored up to the last.

use super::ports::RegisterWriteIn;
use crate::prim::{LutRam, StreamOut};
use portico_spec::ni::{
    command::MAX_DESCRIPTOR_WORDS,
    registers::{Block, BLOCK_OFFSET, BLOCK_WIDTH},
};
use rust_hdl::prelude::*;

const ADDRESS_WIDTH: usize = 6;
/// Words that the queue holds.
pub const DEPTH: usize = 1 << ADDRESS_WIDTH;
/// One more than an address, so that full differs from empty.
const POINTER_WIDTH: usize = ADDRESS_WIDTH + 1;
/// Bits of the place whose highest value marks the last word of a descriptor.
const PLACE_WIDTH: usize = 4;

/// Descriptors from register writes.
#[derive(LogicBlock)]
pub struct CommandQueue {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the queue is empty afterwards.
    pub rst: Signal<In, Bit>,
    pub register_write: RegisterWriteIn,
    /// Whole descriptors.
    pub m_axis: StreamOut<32>,
    /// A pulse for each descriptor that is dropped.
    pub dropped: Signal<Out, Bit>,
    words: LutRam<33, ADDRESS_WIDTH>,
    writer: DFF<Bits<POINTER_WIDTH>>,
    /// Behind the last word of the last whole descriptor.
    committed: DFF<Bits<POINTER_WIDTH>>,
    reader: DFF<Bits<POINTER_WIDTH>>,
    length: DFF<Bits<5>>,
    dropping: DFF<Bit>,
    pushing: Signal<Local, Bit>,
    closing: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    overlong: Signal<Local, Bit>,
    entry: Signal<Local, Bits<33>>,
    block_at: Constant<Bits<5>>,
    command_block: Constant<Bits<BLOCK_WIDTH>>,
    depth: Constant<Bits<POINTER_WIDTH>>,
    most_words: Constant<Bits<5>>,
    last_at: Constant<Bits<6>>,
}

impl Default for CommandQueue {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            register_write: Default::default(),
            m_axis: Default::default(),
            dropped: Default::default(),
            words: LutRam::new(DEPTH),
            writer: Default::default(),
            committed: Default::default(),
            reader: Default::default(),
            length: Default::default(),
            dropping: Default::default(),
            pushing: Default::default(),
            closing: Default::default(),
            full: Default::default(),
            overlong: Default::default(),
            entry: Default::default(),
            block_at: Constant::new(bits(BLOCK_OFFSET as u64)),
            command_block: Constant::new(bits(Block::Command as u64)),
            depth: Constant::new(bits(DEPTH as u64)),
            most_words: Constant::new(bits(MAX_DESCRIPTOR_WORDS as u64)),
            last_at: Constant::new(bits(32)),
        }
    }
}

impl Logic for CommandQueue {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, writer, committed, reader, length, dropping);
        self.pushing.next = self.register_write.enable.val()
            & (self
                .register_write
                .index
                .val()
                .get_bits::<BLOCK_WIDTH>(self.block_at.val().index())
                == self.command_block.val());
        self.closing.next = self.register_write.index.val().get_bits::<PLACE_WIDTH>(0).all();
        self.full.next = (self.writer.q.val() - self.reader.q.val()) == self.depth.val();
        self.overlong.next = self.length.q.val() == self.most_words.val();

        self.words.clk.next = self.clk.val();
        self.words.write_enable.next = self.pushing.val();
        self.words.write_address.next = self.writer.q.val().get_bits::<ADDRESS_WIDTH>(0);
        self.entry.next = bit_cast::<33, 32>(self.register_write.data.val());
        self.entry.next = self
            .entry
            .val()
            .replace_bit(self.last_at.val().index(), self.closing.val());
        self.words.write_data.next = self.entry.val();
        self.words.read_address.next = self.reader.q.val().get_bits::<ADDRESS_WIDTH>(0);

        self.dropped.next = false;
        if self.pushing.val() {
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
                if self.closing.val() {
                    self.committed.d.next = self.writer.q.val() + 1;
                }
            }
            if self.closing.val() {
                self.length.d.next = 0.into();
                self.dropping.d.next = false;
            }
        }

        self.m_axis.tvalid.next = self.reader.q.val() != self.committed.q.val();
        self.m_axis.tdata.next = self.words.read_data.val().get_bits::<32>(0);
        self.m_axis.tlast.next = self.words.read_data.val().get_bit(self.last_at.val().index());
        if (self.reader.q.val() != self.committed.q.val()) & self.m_axis.tready.val() {
            self.reader.d.next = self.reader.q.val() + 1;
        }
        if self.rst.val() {
            self.writer.d.next = 0.into();
            self.committed.d.next = 0.into();
            self.reader.d.next = 0.into();
            self.length.d.next = 0.into();
            self.dropping.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dma::testing::emits,
        prim::testing::{clock, clocked, reset, rng, settle},
    };
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([] CommandQueue);

    #[test]
    fn emission() {
        emits(&CommandQueue::default(), "command-queue");
    }

    #[test]
    fn descriptors_come_out_whole_or_not_at_all() {
        let mut rng = rng(0xc0e);
        let mut dut = reset(CommandQueue::default());
        let mut expected = VecDeque::new();
        // (words still to write, whether the descriptor was dropped, words kept for it)
        let (mut left, mut drops, mut own): (u64, bool, Vec<u64>) = (0, false, vec![]);
        let (mut dropped_full, mut dropped_long, mut whole, mut ignored) = (0, 0, 0, 0);
        for cycle in 0..30_000 {
            if left == 0 {
                left = rng.gen_range(1..=18);
                (drops, own) = (false, vec![]);
            }
            let reads = if cycle / 500 % 3 == 0 { 0.1 } else { 0.7 };
            let (enable, other, word) = (rng.gen_bool(0.8), rng.gen_bool(0.1), u64::from(rng.gen::<u32>()));
            let block = if other { Block::Tags } else { Block::Command };
            // Anything but place 15 goes on; the descriptors here use the documented places as far as they reach.
            let place = 16u64.saturating_sub(left);
            dut.register_write.enable.next = enable;
            dut.register_write.index.next = ((block as u64) << BLOCK_OFFSET | rng.gen_range(0..16) << 4 | place).into();
            dut.register_write.data.next = word.into();
            dut.m_axis.tready.next = rng.gen_bool(reads);
            settle(&mut dut);
            let stored = expected.len() + own.len();
            let mut drop_now = false;
            if enable && other {
                ignored += 1;
            }
            let pushes = enable && !other;
            if pushes {
                drop_now = !drops && (stored == DEPTH || own.len() == MAX_DESCRIPTOR_WORDS);
                dropped_full += usize::from(drop_now && stored == DEPTH);
                dropped_long += usize::from(drop_now && stored < DEPTH);
            }
            assert_eq!(dut.dropped.val(), drop_now, "cycle {cycle}");
            let front = dut
                .m_axis
                .tvalid
                .val()
                .then(|| (dut.m_axis.tdata.val().to_u64(), dut.m_axis.tlast.val()));
            assert_eq!(front, expected.front().copied(), "cycle {cycle}");
            if dut.m_axis.tready.next && front.is_some() {
                expected.pop_front();
            }
            if pushes {
                left -= 1;
                drops |= drop_now;
                if drops {
                    own.clear();
                } else {
                    own.push(word);
                }
                if left == 0 && !drops {
                    whole += 1;
                    let last = own.len() - 1;
                    expected.extend(own.drain(..).enumerate().map(|(at, word)| (word, at == last)));
                }
            }
            clock(&mut dut);
        }
        assert!(dropped_full > 50 && dropped_long > 50 && whole > 500 && ignored > 500);
    }

    #[test]
    fn reset_forgets_half_a_descriptor() {
        let mut dut = reset(CommandQueue::default());
        dut.register_write.enable.next = true;
        dut.register_write.index.next = ((Block::Command as u64) << BLOCK_OFFSET | 14).into();
        clock(&mut dut);
        let mut dut = reset(dut);
        dut.register_write.index.next = ((Block::Command as u64) << BLOCK_OFFSET | 15).into();
        dut.register_write.data.next = 7u64.into();
        clock(&mut dut);
        dut.register_write.enable.next = false;
        settle(&mut dut);
        assert_eq!((dut.m_axis.tvalid.val(), dut.m_axis.tlast.val()), (true, true));
        assert_eq!(dut.m_axis.tdata.val().to_u64(), 7);
        dut.m_axis.tready.next = true;
        clock(&mut dut);
        assert!(!dut.m_axis.tvalid.val());
    }
}
