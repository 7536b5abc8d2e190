use crate::prim::LutRam;
use portico_spec::{flit::NODE_WIDTH, ni::GET_CREDITS};
use portico_verilog::prelude::*;

/// Bits that hold the credits of a node.
const CREDITS_WIDTH: usize = usize::BITS as usize - GET_CREDITS.leading_zeros() as usize;

/// Credits for get requests, some for every node.
///
/// The credits of every node.
///
/// | | |
/// | --- | --- |
/// | latency | a take or give shows in the next cycle; `available` is combinational from `take_node` |
/// | throughput | one take or give a cycle: while a give is asked for, none is `available` |
/// | state | 2 bits a node number in LUT-RAM, [`GET_CREDITS`] after the initialisation |
///
/// A number beyond those of the fabric shares the credits of one of them: who asks there asks nobody.
#[derive(LogicBlock, Default)]
pub struct GetCredits {
    pub clk: Signal<In, Clock>,
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    pub take_node: Signal<In, Bits<NODE_WIDTH>>,
    /// There is a credit of `take_node`, and no give stands against taking it.
    pub available: Signal<Out, Bit>,
    /// Takes it; only when `available`.
    pub take: Signal<In, Bit>,
    /// A credit of `give_node` is to come back.
    pub give_ask: Signal<In, Bit>,
    pub give_node: Signal<In, Bits<NODE_WIDTH>>,
    /// It comes back in this cycle.
    pub give: Signal<In, Bit>,
    credits: LutRam<CREDITS_WIDTH, NODE_WIDTH>,
    node: Signal<Local, Bits<NODE_WIDTH>>,
}

impl GetCredits {
    /// For nodes with numbers below `nodes`.
    pub fn new(nodes: usize) -> Self {
        Self {
            credits: LutRam::new(nodes.next_power_of_two()),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for GetCredits {
    fn update(&mut self) {
        wire!(self => credits: clk);
        self.node.next = self.take_node.val();
        if self.give_ask.val() {
            self.node.next = self.give_node.val();
        }
        self.credits.read_address.next = self.node.val();
        self.available.next = self.credits.read_data.val().any() & !self.give_ask.val();
        self.credits.write_enable.next = self.take.val() | self.give.val();
        self.credits.write_address.next = self.node.val();
        self.credits.write_data.next = self.credits.read_data.val() - 1;
        if self.give.val() {
            self.credits.write_data.next = self.credits.read_data.val() + 1;
        }
        if self.initialising.val() {
            self.credits.write_enable.next = true;
            self.credits.write_address.next = self.sweep.val();
            self.credits.write_data.next = bits::<CREDITS_WIDTH>(GET_CREDITS as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng, settle};
    use portico_spec::ni::INITIALISATION_CYCLES;
    use rand::Rng;

    #[test]
    fn every_node_has_its_credits_and_no_more() {
        let mut rng = rng(0x6c);
        let mut dut = GetCredits::new(500);
        dut.connect_all();
        dut.initialising.next = true;
        for sweep in 0..INITIALISATION_CYCLES {
            dut.sweep.next = (sweep as u64).into();
            clock_edge!(dut);
        }
        dut.initialising.next = false;
        let mut model = [GET_CREDITS; 1 << NODE_WIDTH];
        let mut taken: Vec<usize> = vec![];
        let (mut refused, mut held_back) = (0, 0);
        for cycle in 0..8_000 {
            let node = (cycle / 500 * 37 + rng.gen_range(0..3)) % model.len();
            let back = rng.gen_bool(0.4).then(|| taken.last().copied()).flatten();
            let gives = back.is_some() && rng.gen_bool(0.7);
            dut.take.next = false;
            dut.take_node.next = (node as u64).into();
            dut.give_ask.next = back.is_some();
            dut.give_node.next = (back.unwrap_or_default() as u64).into();
            dut.give.next = gives;
            settle(&mut dut);
            assert_eq!(dut.available.val(), back.is_none() && model[node] > 0, "cycle {cycle}");
            refused += u32::from(model[node] == 0);
            held_back += u32::from(back.is_some() && !gives);
            if gives {
                model[back.unwrap()] += 1;
                taken.pop();
            } else if dut.available.val() && rng.gen_bool(0.8) {
                dut.take.next = true;
                model[node] -= 1;
                taken.insert(0, node);
            }
            clock_edge!(dut);
        }
        assert!(
            refused > 200 && held_back > 200,
            "{refused} refused, {held_back} held back"
        );
    }
}
