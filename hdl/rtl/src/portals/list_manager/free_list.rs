use portico_verilog::prelude::*;

/// Width of a number of places, in bits.
pub(crate) const PLACES_WIDTH: usize = 16;

/// Places without an entry.
///
/// Places that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a change to the next place |
/// | throughput | one place taken or given back a cycle |
/// | state | the place freed last, how many are freed, how many were ever used |
///
/// The next links of their former entries link the freed places, last freed first. Places that never had an entry come after
/// those, in order. So nothing needs to be linked after a reset.
#[derive(LogicBlock, Default)]
pub struct FreeList<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all places are free, and none was ever used.
    pub rst: Signal<In, Bit>,
    /// No place is free.
    pub full: Signal<Out, Bit>,
    /// The place to take next, unless full.
    pub index: Signal<Out, Bits<A>>,
    /// It never had an entry.
    pub fresh: Signal<Out, Bit>,
    /// Places that had an entry at some time; they come first.
    pub used: Signal<Out, Bits<PLACES_WIDTH>>,
    /// Takes it; never when full.
    pub take: Signal<In, Bit>,
    /// Its next link.
    pub follower: Signal<In, Bits<A>>,
    /// Frees `freed`; the next link of that place becomes `successor`.
    pub give: Signal<In, Bit>,
    /// The place that comes back.
    pub freed: Signal<In, Bits<A>>,
    /// What its next link has to be: the place freed before it.
    pub successor: Signal<Out, Bits<A>>,
    last_freed: DFF<Bits<A>>,
    freed_count: DFF<Bits<PLACES_WIDTH>>,
    used_count: DFF<Bits<PLACES_WIDTH>>,
    places: Constant<Bits<PLACES_WIDTH>>,
}

impl<const A: usize> FreeList<A> {
    /// For `places` places, all free.
    pub fn new(places: usize) -> Self {
        Self {
            places: Constant::new(bits(places as u64)),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const A: usize> Logic for FreeList<A> {
    fn update(&mut self) {
        dff_setup!(self, clk, last_freed, freed_count, used_count);
        self.fresh.next = !self.freed_count.q.val().any();
        self.full.next = !self.freed_count.q.val().any() & (self.used_count.q.val() == self.places.val());
        self.used.next = self.used_count.q.val();
        self.successor.next = self.last_freed.q.val();
        self.index.next = self.last_freed.q.val();
        if !self.freed_count.q.val().any() {
            self.index.next = bit_cast::<A, PLACES_WIDTH>(self.used_count.q.val());
        }
        if self.take.val() {
            if self.freed_count.q.val().any() {
                self.last_freed.d.next = self.follower.val();
                self.freed_count.d.next = self.freed_count.q.val() - 1;
            } else {
                self.used_count.d.next = self.used_count.q.val() + 1;
            }
        }
        if self.give.val() {
            self.last_freed.d.next = self.freed.val();
            self.freed_count.d.next = self.freed_count.q.val() + 1;
        }
        if self.rst.val() {
            self.freed_count.d.next = 0.into();
            self.used_count.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([const A: usize] FreeList<A>);

    #[test]
    fn freed_places_come_first_and_last_freed_before_them() {
        const PLACES: usize = 8;
        let mut rng = rng(0xf7ee);
        let mut dut = reset(FreeList::<3>::new(PLACES));
        let (mut links, mut taken, mut freed, mut used) = ([0u64; PLACES], vec![], vec![], 0u64);
        let (mut full, mut empty) = (0, 0);
        for cycle in 0..5_000 {
            let expected = freed.last().copied().or((used < PLACES as u64).then_some(used));
            assert_eq!(dut.full.val(), expected.is_none(), "cycle {cycle}");
            assert_eq!(dut.used.val().to_u64(), used);
            full += usize::from(expected.is_none());
            empty += usize::from(taken.is_empty());
            let prefers = rng.gen_bool(if cycle / 100 % 2 == 0 { 0.8 } else { 0.2 });
            dut.take.next = false;
            dut.give.next = false;
            match expected {
                Some(index) if prefers => {
                    assert_eq!(dut.index.val().to_u64(), index, "cycle {cycle}");
                    assert_eq!(dut.fresh.val(), freed.is_empty(), "cycle {cycle}");
                    dut.take.next = true;
                    dut.follower.next = links[index as usize].into();
                    if freed.pop().is_none() {
                        used += 1;
                    }
                    taken.push(index);
                }
                _ if !taken.is_empty() => {
                    let index = taken.swap_remove(rng.gen_range(0..taken.len()));
                    dut.give.next = true;
                    dut.freed.next = index.into();
                    settle(&mut dut);
                    links[index as usize] = dut.successor.val().to_u64();
                    freed.push(index);
                }
                _ => (),
            }
            clock(&mut dut);
        }
        assert!(full > 100 && empty > 100);
    }
}
