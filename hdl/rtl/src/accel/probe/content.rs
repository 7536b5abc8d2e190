use portico_spec::flit::TAG_WIDTH;
use portico_verilog::prelude::*;

/// The next state of a generator of random numbers: [`next_random`](portico_spec::probe::next_random).
///
/// A state of 32 bits.
///
/// | | |
/// | --- | --- |
/// | latency | combinational: 3 levels of XOR |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct Xorshift {
    /// State of the generator.
    pub state: Signal<In, Bits<32>>,
    /// State that follows it, in the same cycle.
    pub following: Signal<Out, Bits<32>>,
    first: Signal<Local, Bits<32>>,
    second: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for Xorshift {
    fn update(&mut self) {
        self.first.next = self.state.val() ^ (self.state.val() << bits::<6>(13));
        self.second.next = self.first.val() ^ (self.first.val() >> bits::<6>(17));
        self.following.next = self.second.val() ^ (self.second.val() << bits::<6>(5));
    }
}

/// The state from which the content of a packet follows: [`seed_of_content`](portico_spec::probe::seed_of_content).
///
/// Of one packet.
///
/// | | |
/// | --- | --- |
/// | latency | combinational: 1 level of XOR |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct ContentSeed {
    /// Tag of the packet's head.
    pub tag: Signal<In, Bits<TAG_WIDTH>>,
    /// Sequence number of the packet, word 0 of its payload.
    pub serial: Signal<In, Bits<32>>,
    /// Time stamp of the packet, word 1 of its payload.
    pub stamp: Signal<In, Bits<32>>,
    /// State of the generator before the first word of content, in the same cycle.
    pub seed: Signal<Out, Bits<32>>,
    spread: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for ContentSeed {
    fn update(&mut self) {
        self.spread.next = bit_cast::<32, TAG_WIDTH>(self.tag.val());
        self.seed.next = self.serial.val()
            ^ self.stamp.val()
            ^ self.spread.val()
            ^ (self.spread.val() << bits::<6>(TAG_WIDTH))
            ^ (self.spread.val() << bits::<6>(2 * TAG_WIDTH as u64))
            ^ (self.spread.val() << bits::<6>(3 * TAG_WIDTH as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{rng, settle};
    use portico_spec::probe::{next_random, seed_of_content};
    use rand::Rng;

    #[test]
    fn numbers_are_those_of_the_specification() {
        let mut rng = rng(0x5021);
        let mut dut = Xorshift::default();
        dut.connect_all();
        for _ in 0..500 {
            let state: u32 = rng.gen();
            dut.state.next = u64::from(state).into();
            settle(&mut dut);
            assert_eq!(dut.following.val(), u64::from(next_random(state)));
        }
    }

    #[test]
    fn the_seed_of_content_is_that_of_the_specification() {
        let mut rng = rng(0xc5ed);
        let mut dut = ContentSeed::default();
        dut.connect_all();
        for _ in 0..200 {
            let (tag, serial, stamp): (u8, u32, u32) = rng.gen();
            dut.tag.next = u64::from(tag).into();
            dut.serial.next = u64::from(serial).into();
            dut.stamp.next = u64::from(stamp).into();
            settle(&mut dut);
            assert_eq!(dut.seed.val(), u64::from(seed_of_content(tag, serial, stamp)));
        }
    }
}
