use super::{rank_mask, NODE_WIDTH};
use portico_verilog::prelude::*;

/// The free block to take: of the smallest sufficient order that has one, and there the first.
///
/// Looks through three words of `W` = 2^`R` places.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from `sufficient` to `none` and where the first place leads, 3 to `place`; 2 from `further` |
/// | state | one bit a depth, one a place, the place |
///
/// A depth's blocks are seen in the tier of their depth: in word 0 themselves, below it their words, at last groups of
/// words. The first place there is the block or leads to it. Places of one depth lie side by side, in the
/// order of their addresses, so the lowest place is the lowest address.
#[derive(LogicBlock, Default)]
pub struct TreeSearch<const W: usize, const R: usize> {
    pub clk: Signal<In, Clock>,
    /// Free blocks in word 0.
    pub nodes: Signal<In, Bits<W>>,
    /// Words of group 0 with a free block.
    pub words: Signal<In, Bits<W>>,
    /// Groups with a word that has one.
    pub groups: Signal<In, Bits<W>>,
    /// One bit a depth: there is a free block.
    pub available: Signal<Out, Bits<NODE_WIDTH>>,
    /// One bit a depth: blocks are large enough for the request; in the cycle before the first search of it.
    pub sufficient: Signal<In, Bits<NODE_WIDTH>>,
    /// No depth is both.
    pub none: Signal<Out, Bit>,
    /// The first place found is a word.
    pub leads_to_word: Signal<Out, Bit>,
    /// It is a group.
    pub leads_to_group: Signal<Out, Bit>,
    /// Looks through `further` instead: free blocks in a word, or words with one in a group.
    pub goes_on: Signal<In, Bit>,
    /// The word to look through then.
    pub further: Signal<In, Bits<W>>,
    /// The lowest of the places of two cycles before.
    pub place: Signal<Out, Bits<R>>,
    candidates: DFF<Bits<NODE_WIDTH>>,
    chosen: Signal<Local, Bits<NODE_WIDTH>>,
    in_word: Signal<Local, Bits<R>>,
    in_group: Signal<Local, Bits<R>>,
    ranks: Signal<Local, Bits<R>>,
    tier: Signal<Local, Bits<W>>,
    places: DFF<Bits<W>>,
    found: DFF<Bits<R>>,
    lowest: Signal<Local, Bits<W>>,
    lowest_place: Signal<Local, Bits<R>>,
    rank: Vec<Constant<Bits<W>>>,
    odd: Vec<Constant<Bits<W>>>,
    _radix: usize,
    _depths: usize,
}

impl<const W: usize, const R: usize> TreeSearch<W, R> {
    /// With no request in hand.
    pub fn new() -> Self {
        // Places whose number has this bit.
        let with_bit = |bit: usize| {
            (0..W)
                .filter(|place| place >> bit & 1 == 1)
                .fold(0u64, |mask, place| mask | 1 << place)
        };
        Self {
            rank: (0..R).map(|rank| Constant::new(bits(rank_mask(rank)))).collect(),
            odd: (0..R).map(|bit| Constant::new(bits(with_bit(bit)))).collect(),
            _radix: R,
            _depths: 3 * R,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const R: usize> Logic for TreeSearch<W, R> {
    fn update(&mut self) {
        dff_setup!(self, clk, candidates, places, found);
        self.available.next = 0.into();
        for i in 0..self._radix {
            self.available.next = self
                .available
                .val()
                .replace_bit(i, (self.nodes.val() & self.rank[i].val()).any())
                .replace_bit(i + R, (self.words.val() & self.rank[i].val()).any())
                .replace_bit(i + 2 * R, (self.groups.val() & self.rank[i].val()).any());
        }
        self.candidates.d.next = self.available.val() & self.sufficient.val();

        // The deepest, in which blocks are smallest.
        self.none.next = !self.candidates.q.val().any();
        self.chosen.next = 0.into();
        for i in 0..self._depths {
            if self.candidates.q.val().get_bit(i) {
                self.chosen.next = bits::<NODE_WIDTH>(0).replace_bit(i, true);
            }
        }
        self.in_word.next = bit_cast::<R, NODE_WIDTH>(self.chosen.val() >> bits::<4>(R));
        self.in_group.next = bit_cast::<R, NODE_WIDTH>(self.chosen.val() >> bits::<4>(2 * R as u64));
        self.leads_to_word.next = self.in_word.val().any();
        self.leads_to_group.next = self.in_group.val().any();
        self.ranks.next = bit_cast::<R, NODE_WIDTH>(self.chosen.val()) | self.in_word.val() | self.in_group.val();
        self.tier.next = self.nodes.val();
        if self.leads_to_word.val() {
            self.tier.next = self.words.val();
        }
        if self.leads_to_group.val() {
            self.tier.next = self.groups.val();
        }
        self.places.d.next = 0.into();
        for i in 0..self._radix {
            if self.ranks.val().get_bit(i) {
                self.places.d.next = self.tier.val() & self.rank[i].val();
            }
        }
        if self.goes_on.val() {
            self.places.d.next = self.further.val();
        }
        self.lowest.next = self.places.q.val() & (!self.places.q.val() + 1);
        self.lowest_place.next = 0.into();
        for i in 0..self._radix {
            self.lowest_place.next = self
                .lowest_place
                .val()
                .replace_bit(i, (self.lowest.val() & self.odd[i].val()).any());
        }
        self.found.d.next = self.lowest_place.val();
        self.place.next = self.found.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng};
    use rand::{rngs::SmallRng, Rng};

    /// The places of each depth of a tier, from the first.
    fn places(rank: usize) -> std::ops::Range<usize> {
        1 << rank..2 << rank
    }

    fn searches<const W: usize, const R: usize>(rng: &mut SmallRng) {
        let mut dut = TreeSearch::<W, R>::new();
        dut.connect_all();
        let mut met = [0; 4];
        for number in 0..2_000 {
            let few = |rng: &mut SmallRng| rng.gen::<u64>() & rng.gen::<u64>() & rng.gen::<u64>() & ((1 << W) - 1);
            let tiers = [few(rng), few(rng), few(rng)];
            let [nodes, words, groups] = tiers;
            let sufficient = (1u64 << rng.gen_range(0..=3 * R)) - 1;
            dut.nodes.next = nodes.into();
            dut.words.next = words.into();
            dut.groups.next = groups.into();
            dut.sufficient.next = sufficient.into();
            dut.goes_on.next = false;
            clock_edge!(dut);

            let first = |depth: usize| places(depth % R).find(|place| tiers[depth / R] >> place & 1 == 1);
            let found = (0..3 * R).rev().filter(|depth| sufficient >> depth & 1 == 1);
            let found = found.filter_map(|depth| Some((depth / R, first(depth)?))).next();
            let context = format!("search {number}: {tiers:x?}, sufficient {sufficient:#x}, {found:?}");
            let available = (0..3 * R).filter(|&depth| first(depth).is_some());
            assert_eq!(
                dut.available.val().to_u64(),
                available.map(|depth| 1 << depth).sum::<u64>(),
                "{context}"
            );
            assert_eq!(dut.none.val(), found.is_none(), "{context}");
            met[found.map_or(3, |(tier, _)| tier)] += 1;
            if let Some((tier, place)) = found {
                let leads = [dut.leads_to_word.val(), dut.leads_to_group.val()];
                assert_eq!(leads, [tier == 1, tier == 2], "{context}");
                clock_edge!(dut);
                clock_edge!(dut);
                assert_eq!(dut.place.val().to_u64(), place as u64, "{context}");
            }
            let further = few(rng) | 1 << rng.gen_range(0..W);
            dut.further.next = further.into();
            dut.goes_on.next = true;
            clock_edge!(dut);
            clock_edge!(dut);
            assert_eq!(
                dut.place.val().to_u64(),
                u64::from(further.trailing_zeros()),
                "{context}"
            );
        }
        assert!(met.iter().all(|&times| times > 20), "{met:?}");
    }

    #[test]
    fn the_deepest_sufficient_depth_and_there_the_first_place() {
        let mut rng = rng(0x5ea4);
        searches::<4, 2>(&mut rng);
        searches::<8, 3>(&mut rng);
        searches::<32, 5>(&mut rng);
    }
}
