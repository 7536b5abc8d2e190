use crate::{bus::SweepIn, prim::LutRam};
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
/// | latency | a take shows in the next cycle, a give in the one after that; `available` is combinational from `take_node` |
/// | throughput | one take or give a cycle: in the cycle after a give none is `available` |
/// | state | 2 bits a node number in LUT-RAM, [`GET_CREDITS`] after the initialisation; a give |
///
/// A number beyond those of the fabric shares the credits of one of them: who asks there asks nobody.
#[derive(LogicBlock, Default)]
pub struct GetCredits {
    pub clk: Signal<In, Clock>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// Node of which a credit is to be taken.
    pub take_node: Signal<In, Bits<NODE_WIDTH>>,
    /// Synchronous, active high: no give is under way.
    pub rst: Signal<In, Bit>,
    /// There is a credit of `take_node`, and no give stands against taking it.
    pub available: Signal<Out, Bit>,
    /// Takes it; only when `available`.
    pub take: Signal<In, Bit>,
    /// A credit of `give_node` comes back.
    pub give: Signal<In, Bit>,
    /// Node of which a credit comes back; valid with `give`.
    pub give_node: Signal<In, Bits<NODE_WIDTH>>,
    gives: DFF<Bit>,
    giver: DFF<Bits<NODE_WIDTH>>,
    credits: LutRam<Bits<CREDITS_WIDTH>, NODE_WIDTH>,
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
        dff_setup!(self, clk, gives, giver);
        self.gives.d.next = self.give.val();
        self.giver.d.next = self.give_node.val();
        self.node.next = self.take_node.val();
        if self.gives.q.val() {
            self.node.next = self.giver.q.val();
        }
        self.credits.read_address.next = self.node.val();
        self.available.next = self.credits.read_data.val().any() & !self.gives.q.val();
        self.credits.write_enable.next = self.take.val() | self.gives.q.val();
        self.credits.write_address.next = self.node.val();
        self.credits.write_data.next = self.credits.read_data.val() - 1;
        if self.gives.q.val() {
            self.credits.write_data.next = self.credits.read_data.val() + 1;
        }
        if self.sweep.active.val() {
            self.credits.write_enable.next = true;
            self.credits.write_address.next = self.sweep.place.val();
            self.credits.write_data.next = bits::<CREDITS_WIDTH>(GET_CREDITS as u64);
        }
        if self.rst.val() {
            self.gives.d.next = false;
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
        dut.sweep.active.next = true;
        for sweep in 0..INITIALISATION_CYCLES {
            dut.sweep.place.next = (sweep as u64).into();
            clock_edge!(dut);
        }
        dut.sweep.active.next = false;
        let mut model = [GET_CREDITS; 1 << NODE_WIDTH];
        let mut taken: Vec<usize> = vec![];
        let (mut refused, mut held_back) = (0, 0);
        let mut giving: Option<usize> = None;
        for cycle in 0..8_000 {
            let node = (cycle / 500 * 37 + rng.gen_range(0..3)) % model.len();
            let back = rng.gen_bool(0.4).then(|| taken.last().copied()).flatten();
            dut.take.next = false;
            dut.take_node.next = (node as u64).into();
            dut.give_node.next = (back.unwrap_or_default() as u64).into();
            dut.give.next = back.is_some();
            settle(&mut dut);
            assert_eq!(
                dut.available.val(),
                giving.is_none() && model[node] > 0,
                "cycle {cycle}"
            );
            refused += u32::from(model[node] == 0);
            held_back += u32::from(giving.is_some() && model[node] > 0);
            if dut.available.val() && rng.gen_bool(0.8) {
                dut.take.next = true;
                model[node] -= 1;
                taken.insert(0, node);
            }
            clock_edge!(dut);
            if let Some(node) = giving {
                model[node] += 1;
            }
            giving = back;
            if back.is_some() {
                taken.pop();
            }
        }
        assert!(
            refused > 200 && held_back > 200,
            "{refused} refused, {held_back} held back"
        );
    }
}
