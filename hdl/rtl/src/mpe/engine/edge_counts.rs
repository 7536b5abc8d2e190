use super::{EDGES, EDGE_WIDTH};
use portico_verilog::prelude::*;

/// Counts to two for every edge: packets that lie in the buffer, or credits.
///
/// Of 32 edges.
///
/// | | |
/// | --- | --- |
/// | latency | a change shows in the next cycle |
/// | throughput | one count goes up in a cycle, and any number go down |
/// | range | 0 to 2, for any inputs |
/// | state | by edge whether there is one, and whether there are two |
///
/// A take from an edge that has none has no effect. An add to an edge that has two only raises `overflow`, even if one is taken or
/// all are cleared in the same cycle. A neighbour that follows the protocol never causes this.
#[derive(LogicBlock, Default)]
pub struct EdgeCounts {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Adds one to the count of the edge `neighbour`.
    pub add: Signal<In, Bit>,
    /// Edge to which `add` adds: context above place.
    pub neighbour: Signal<In, Bits<EDGE_WIDTH>>,
    /// One bit an edge: takes one from each.
    pub take: Signal<In, Bits<EDGES>>,
    /// One bit an edge: its count becomes 0.
    pub clear: Signal<In, Bits<EDGES>>,
    /// One bit an edge: it has one or two.
    pub some: Signal<Out, Bits<EDGES>>,
    /// One bit an edge: it has two.
    pub both: Signal<Out, Bits<EDGES>>,
    /// An add in this cycle does nothing.
    pub overflow: Signal<Out, Bit>,
    one: DFF<Bits<EDGES>>,
    two: DFF<Bits<EDGES>>,
    chosen: Signal<Local, Bits<EDGES>>,
    added: Signal<Local, Bits<EDGES>>,
    left: Signal<Local, Bits<EDGES>>,
    first: Constant<Bits<EDGES>>,
    built: Constant<Bits<EDGES>>,
}

impl EdgeCounts {
    /// For the edges of `contexts` contexts; after reset they have two each if they are `full`, or none.
    pub fn new(contexts: usize, full: bool) -> Self {
        let built = super::built_edges(contexts);
        Self {
            first: Constant::new(bits(if full { built } else { 0 })),
            built: Constant::new(bits(built)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for EdgeCounts {
    fn update(&mut self) {
        dff_setup!(self, clk, one, two);
        self.chosen.next = 0.into();
        if self.add.val() {
            self.chosen.next = (bits::<EDGES>(1) << self.neighbour.val()) & self.built.val();
        }
        self.overflow.next = (self.chosen.val() & self.two.q.val()).any();
        self.added.next = self.chosen.val() & !self.two.q.val();
        // Edges that are not built are constants, which synthesis takes out.
        self.left.next = ((self.one.q.val() & !self.take.val()) | (self.two.q.val() & self.take.val()))
            & !self.clear.val()
            & self.built.val();
        self.one.d.next = self.left.val() | self.added.val();
        self.two.d.next = (self.two.q.val() & !self.take.val() & !self.clear.val() & self.built.val())
            | (self.left.val() & self.added.val());
        self.some.next = self.one.q.val();
        self.both.next = self.two.q.val();
        if self.rst.val() {
            self.one.d.next = self.first.val();
            self.two.d.next = self.first.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([] EdgeCounts);

    #[test]
    fn counts_are_those_of_a_model() {
        for (contexts, full) in [(1, true), (2, false), (4, true)] {
            let mut rng = rng(0xed6e + contexts as u64);
            let mut dut = reset(EdgeCounts::new(contexts, full));
            let mut model = vec![if full { 2 } else { 0 }; 8 * contexts];
            let mut overflows = 0;
            for _ in 0..3_000 {
                let (add, neighbour, take, clear) = (
                    rng.gen_bool(0.7),
                    rng.gen_range(0..model.len()),
                    rng.gen::<u32>() & rng.gen::<u32>() & rng.gen::<u32>(),
                    if rng.gen_bool(0.1) { rng.gen::<u32>() } else { 0 },
                );
                dut.add.next = add;
                dut.neighbour.next = (neighbour as u64).into();
                dut.take.next = u64::from(take).into();
                dut.clear.next = u64::from(clear).into();
                settle(&mut dut);
                assert_eq!(dut.overflow.val(), add && model[neighbour] == 2);
                overflows += usize::from(add && model[neighbour] == 2);
                let allowed = add && model[neighbour] < 2;
                for (at, count) in model.iter_mut().enumerate() {
                    *count -= (*count).min((take >> at & 1) as i32);
                    *count *= 1 - (clear >> at & 1) as i32;
                    *count += i32::from(allowed && at == neighbour);
                }
                clock(&mut dut);
                let mask = |least| {
                    model
                        .iter()
                        .enumerate()
                        .map(|(at, &count)| u64::from(count >= least) << at)
                        .sum::<u64>()
                };
                assert_eq!((dut.some.val().to_u64(), dut.both.val().to_u64()), (mask(1), mask(2)));
            }
            assert!(overflows > 20, "{overflows}");
        }
    }
}
