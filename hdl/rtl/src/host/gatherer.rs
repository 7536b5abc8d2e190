use portico_spec::ni::{packet::OFFSET_WIDTH, page::ALIGNMENT_WIDTH};
use portico_verilog::prelude::*;

/// Width of a burst's words less one, in bits.
pub const BEATS_WIDTH: usize = 4;

/// A burst, as the gatherer gives it out. The taker must always take it.
#[interface(mirror = BurstIn)]
pub struct BurstOut {
    /// A burst is given out in this cycle.
    pub valid: Signal<Out, Bit>,
    /// The client of all words of the burst, 0 or 1; of writes 0.
    pub client: Signal<Out, Bit>,
    /// Of the first word, in words.
    pub address: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// Words less one.
    pub beats: Signal<Out, Bits<BEATS_WIDTH>>,
}

/// Gathers words at consecutive addresses into bursts.
///
/// Keeps one burst open.
///
/// | | |
/// | --- | --- |
/// | latency | a burst is given out in the cycle after its last word, or after the idle cycles that it waits for more |
/// | throughput | one word a cycle, one burst a cycle |
/// | state | one open burst |
///
/// A burst ends after 16 words, at the end of a block of 4 KiB, before a word that does not follow or belongs to another client,
/// after some idle cycles, and at once on `flush`. Each page begins with a block, so no burst leaves its page.
#[derive(LogicBlock, Default)]
pub struct Gatherer {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no burst is open afterwards.
    pub rst: Signal<In, Bit>,
    /// A word is taken in this cycle; only while `room` is high.
    pub take: Signal<In, Bit>,
    /// The client of the word that is taken, 0 or 1; of writes 0.
    pub client: Signal<In, Bit>,
    /// Address of the word that is taken, in words.
    pub address: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Ends the open burst if no word is taken in this cycle.
    pub flush: Signal<In, Bit>,
    /// A burst can be given out.
    pub room: Signal<In, Bit>,
    /// A burst is open: words were taken that are not given out yet.
    pub is_open: Signal<Out, Bit>,
    /// The open burst, in the cycle in which it ends.
    pub burst: BurstOut,
    open: DFF<Bit>,
    complete: DFF<Bit>,
    start: DFF<Bits<OFFSET_WIDTH>>,
    following: DFF<Bits<OFFSET_WIDTH>>,
    beats: DFF<Bits<BEATS_WIDTH>>,
    owner: DFF<Bit>,
    idle: DFF<Bits<2>>,
    fits: Signal<Local, Bit>,
    closing: Signal<Local, Bit>,
    in_block: Signal<Local, Bits<OFFSET_WIDTH>>,
    block: Constant<Bits<OFFSET_WIDTH>>,
    last_but_one: Constant<Bits<BEATS_WIDTH>>,
    patience: Constant<Bits<2>>,
}

impl Gatherer {
    /// For words of `width` bits; an open burst ends after `idle_cycles` without a word.
    ///
    /// # Panics
    /// `idle_cycles` is not 1 to 4.
    pub fn new(width: usize, idle_cycles: u64) -> Self {
        assert!(
            (1..=4).contains(&idle_cycles),
            "gatherer: idle_cycles = {idle_cycles}, allowed: 1 to 4"
        );
        let block_words = (1u64 << ALIGNMENT_WIDTH) / (width as u64 / 8);
        let most = (1 << BEATS_WIDTH) - 1;
        Self {
            block: Constant::new(bits(block_words - 1)),
            last_but_one: Constant::new(bits(most - 1)),
            patience: Constant::new(bits(idle_cycles - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Gatherer {
    fn update(&mut self) {
        dff_setup!(self, clk, open, complete, start, following, beats, owner, idle);
        self.fits.next = self.open.q.val()
            & !self.complete.q.val()
            & (self.address.val() == self.following.q.val())
            & (self.client.val() == self.owner.q.val());
        self.closing.next = self.open.q.val()
            & self.room.val()
            & (self.complete.q.val()
                | (self.take.val() & !self.fits.val())
                | (!self.take.val() & (self.flush.val() | (self.idle.q.val() == self.patience.val()))));
        self.is_open.next = self.open.q.val();
        self.burst.valid.next = self.closing.val();
        self.burst.client.next = self.owner.q.val();
        self.burst.address.next = self.start.q.val();
        self.burst.beats.next = self.beats.q.val();

        self.in_block.next = self.address.val() & self.block.val();
        if self.idle.q.val() != self.patience.val() {
            self.idle.d.next = self.idle.q.val() + 1;
        }
        if self.closing.val() {
            self.open.d.next = false;
        }
        if self.take.val() {
            self.open.d.next = true;
            self.idle.d.next = 0.into();
            self.following.d.next = self.address.val() + 1;
            if self.fits.val() & !self.closing.val() {
                self.beats.d.next = self.beats.q.val() + 1;
                self.complete.d.next =
                    (self.beats.q.val() == self.last_but_one.val()) | (self.in_block.val() == self.block.val());
            } else {
                self.start.d.next = self.address.val();
                self.owner.d.next = self.client.val();
                self.beats.d.next = 0.into();
                self.complete.d.next = self.in_block.val() == self.block.val();
            }
        }
        if self.rst.val() {
            self.open.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([] Gatherer);

    const IDLE: u64 = 4;

    /// Random words: each goes into exactly one burst, in order, and every burst is as long as the rules let it be.
    fn gathers(width: usize, seed: u64) {
        let mut rng = rng(seed);
        let mut dut = reset(Gatherer::new(width, IDLE));
        let block = 4096 * 8 / width as u64;
        // The open burst as the rules have it: (client, first address, words), idle cycles.
        let mut model: Option<(bool, u64, u64)> = None;
        let (mut idle, mut address, mut client) = (0, 0u64, false);
        let mut lengths = [0; 17];
        for cycle in 0..60_000 {
            let room = rng.gen_bool(0.9);
            let take = room && rng.gen_bool([0.95, 0.3][cycle / 500 % 2]);
            if rng.gen_bool(0.03) {
                address = (rng.gen_range(1..64) * block - rng.gen_range(0..24)) % (1 << 21);
            }
            client ^= rng.gen_bool(0.02);
            let flush = rng.gen_bool(0.01);
            dut.room.next = room;
            dut.take.next = take;
            dut.flush.next = flush;
            dut.client.next = client;
            dut.address.next = address.into();
            settle(&mut dut);

            assert_eq!(dut.is_open.val(), model.is_some(), "cycle {cycle}");
            let closes = model.filter(|&(owner, start, words)| {
                let full = words == 16 || (start + words) % block == 0;
                let follows = take && !full && owner == client && start + words == address;
                room && (full || (take && !follows) || (!take && (flush || idle + 1 >= IDLE)))
            });
            let given = dut.burst.valid.val().then(|| {
                let beats = dut.burst.beats.val().to_u64() + 1;
                (dut.burst.client.val(), dut.burst.address.val().to_u64(), beats)
            });
            assert_eq!(given, closes, "cycle {cycle}");
            if let Some((_, _, words)) = closes {
                lengths[words as usize] += 1;
                model = None;
            }
            idle += 1;
            if take {
                idle = 0;
                let (owner, start, words) = model.unwrap_or((client, address, 0));
                model = Some((owner, start, words + 1));
                address = (address + 1) % (1 << 21);
            }
            clock(&mut dut);
        }
        assert!(lengths[1..].iter().all(|count| *count > 0), "{lengths:?}");
    }

    #[test]
    fn every_word_is_in_one_burst_as_long_as_may_be() {
        gathers(32, 0x6a7);
        gathers(64, 0x6a8);
    }
}
