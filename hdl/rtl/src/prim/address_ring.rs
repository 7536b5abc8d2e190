use portico_verilog::prelude::*;

/// Feedback taps for registers of 1 to 10 bits; bit `i` set: state bit `i` counts.
const TAPS: [u64; 10] = [0b1, 0b11, 0b110, 0b1100, 0b1_0100, 0x30, 0x60, 0xb8, 0x110, 0x240];

/// The most address bits.
const MAX_BITS: usize = TAPS.len();

/// A register that steps through `places` different addresses and then starts again.
///
/// Steps through `places` addresses, all below the power of two that `places` needs.
///
/// | | |
/// | --- | --- |
/// | latency | `after` is combinational from the state alone; a step is one cycle |
/// | throughput | one step a cycle |
/// | state | one flip-flop an address bit |
///
/// A FIFO does not care about the order of its addresses, only that the writer and the reader use the same. So they come
/// from a linear-feedback shift register, which costs one LUT where a counter costs one a bit, with the zero that such a
/// register lacks put in after 10...0 (de Bruijn's sequence). The taps are those of Xilinx XAPP 052.
#[derive(LogicBlock, Default)]
pub struct AddressRing<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: back to address 0.
    pub rst: Signal<In, Bit>,
    /// Takes one step.
    pub advance: Signal<In, Bit>,
    /// The present address.
    pub address: Signal<Out, Bits<A>>,
    /// The address that a step leads to.
    pub after: Signal<Out, Bits<A>>,
    place: DFF<Bits<A>>,
    change: Signal<Local, Bits<A>>,
    shifted: Signal<Local, Bits<A>>,
    tapped: Signal<Local, Bits<A>>,
    feedback: Signal<Local, Bits<1>>,
    used_bits: Constant<Bits<A>>,
    taps: Constant<Bits<A>>,
    cut_short: Constant<Bit>,
    last: Constant<Bits<A>>,
    has_enable: Constant<Bit>,
}

impl<const A: usize> AddressRing<A> {
    /// A ring of `places` addresses, 1 to 2^A with `A` of 1 to 10; panics outside that.
    pub fn new(places: usize) -> Self {
        Self::build(places, true)
    }

    /// The same, for the read address of a [`super::LutRam`].
    ///
    /// Yosys merges the register of a read address into the memory, as the address of a synchronous read. LUT-RAM has
    /// no synchronous read, so Yosys builds the register a second time outside. It merges both registers again only if
    /// they are alike, which a clock enable prevents. So this ring steps by an exclusive or, without an enable.
    pub fn for_lut_ram_read(places: usize) -> Self {
        Self::build(places, false)
    }

    fn build(places: usize, has_enable: bool) -> Self {
        assert!(
            (1..=MAX_BITS).contains(&A),
            "address ring: A = {A}, allowed: 1 to {MAX_BITS}"
        );
        let most = 1usize << A;
        assert!(
            (1..=most).contains(&places),
            "address ring: places = {places}, allowed with A = {A}: 1 to {most}"
        );
        let bits = Self::bits(places);
        let last = (1..places).fold(0, |state, _| successor(bits, state));
        Self {
            used_bits: Constant::new(((1u64 << bits) - 1).into()),
            taps: Constant::new(TAPS[bits - 1].into()),
            cut_short: Constant::new(places < 1 << bits),
            last: Constant::new(last.into()),
            has_enable: Constant::new(has_enable),
            ..Default::default()
        }
    }

    /// Words that a memory needs for a ring of `places` addresses.
    pub fn span(places: usize) -> usize {
        1 << Self::bits(places)
    }

    fn bits(places: usize) -> usize {
        (places.next_power_of_two().trailing_zeros() as usize).max(1)
    }
}

/// The state after `state` in the whole sequence of 2^bits states, which starts at 0.
fn successor(bits: usize, state: u64) -> u64 {
    let shifted = (state << 1) & ((1 << bits) - 1);
    let parity = (state & TAPS[bits - 1]).count_ones() & 1 == 1;
    shifted | u64::from(parity ^ (shifted == 0))
}

#[kernel]
impl<const A: usize> Logic for AddressRing<A> {
    fn update(&mut self) {
        dff_setup!(self, clk, place);
        self.address.next = self.place.q.val();
        self.shifted.next = (self.place.q.val() << 1) & self.used_bits.val();
        self.tapped.next = self.place.q.val() & self.taps.val();
        self.feedback.next = (self.tapped.val().xor() ^ !self.shifted.val().any()).into();
        self.after.next = self.shifted.val() | bit_cast::<A, 1>(self.feedback.val());
        if self.cut_short.val() & (self.place.q.val() == self.last.val()) {
            self.after.next = 0.into();
        }
        self.change.next = 0.into();
        if self.advance.val() {
            self.change.next = self.place.q.val() ^ self.after.val();
        }
        if self.has_enable.val() {
            if self.advance.val() {
                self.place.d.next = self.after.val();
            }
        } else {
            self.place.d.next = (self.place.q.val() ^ self.change.val()) & self.used_bits.val();
        }
        if self.rst.val() {
            self.place.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng};
    use rand::Rng;
    use std::collections::HashSet;

    clocked!([const A: usize] AddressRing<A>);

    /// Goes round twice, with pauses: every address once a round, in the same order, none outside the span.
    fn goes_round<const A: usize>(dut: AddressRing<A>, places: usize) {
        let mut rng = rng(places as u64);
        let mut dut = reset(dut);
        let mut visited = Vec::new();
        while visited.len() < 2 * places {
            let (address, after, advance) = (dut.address.val(), dut.after.val(), rng.gen_bool(0.8));
            dut.advance.next = advance;
            clock(&mut dut);
            assert_eq!(
                dut.address.val(),
                if advance { after } else { address },
                "A {A}, {places} places"
            );
            if advance {
                visited.push(address.to_u64());
            }
        }
        assert_eq!(visited[0], 0, "A {A}, {places} places");
        assert_eq!(visited[..places], visited[places..], "A {A}, {places} places");
        let different: HashSet<_> = visited.iter().collect();
        assert_eq!(different.len(), places, "A {A}, {places} places");
        assert!(visited
            .iter()
            .all(|&address| (address as usize) < AddressRing::<A>::span(places)));
    }

    fn both_go_round<const A: usize>(places: usize) {
        goes_round(AddressRing::<A>::new(places), places);
        goes_round(AddressRing::<A>::for_lut_ram_read(places), places);
    }

    #[test]
    fn every_number_of_places_has_as_many_addresses() {
        (1..=2).for_each(both_go_round::<1>);
        (1..=4).for_each(both_go_round::<2>);
        (1..=8).for_each(both_go_round::<3>);
        (1..=64).for_each(both_go_round::<6>);
        [1, 2, 17, 511, 1000, 1023, 1024]
            .into_iter()
            .for_each(both_go_round::<10>);
    }

    #[test]
    fn the_sequence_of_every_width_is_whole() {
        for bits in 1..=MAX_BITS {
            let mut state = 0;
            let period = (1..).find(|_| {
                state = successor(bits, state);
                state == 0
            });
            assert_eq!(period, Some(1 << bits), "{bits} bits");
        }
    }

    #[test]
    fn reset_leads_back_to_the_start() {
        let mut dut = reset(AddressRing::<4>::new(16));
        dut.advance.next = true;
        (0..5).for_each(|_| clock(&mut dut));
        assert_ne!(dut.address.val(), 0u64);
        assert_eq!(reset(dut).address.val(), 0u64);
    }

    #[test]
    #[should_panic(expected = "address ring: places = 5, allowed with A = 2: 1 to 4")]
    fn more_places_than_addresses_are_refused() {
        AddressRing::<2>::new(5);
    }

    #[test]
    #[should_panic(expected = "address ring: A = 11, allowed: 1 to 10")]
    fn wider_addresses_are_refused() {
        AddressRing::<11>::new(5);
    }
}
