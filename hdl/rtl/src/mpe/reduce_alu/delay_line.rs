use portico_verilog::prelude::*;

/// A row of registers that moves in enabled cycles.
///
/// Delays values of type `D`. It has no reset, so that synthesis may use shift registers; the valid bits of its places are
/// kept elsewhere.
///
/// | | |
/// | --- | --- |
/// | latency | as many enabled cycles as there are places |
/// | throughput | one value an enabled cycle |
/// | timing | `q` comes straight from a flip-flop |
/// | state | a value a place, in flip-flops or in shift registers of LUTs where the FPGA has such |
#[derive(LogicBlock, Default)]
pub struct DelayLine<D: Synth> {
    pub clk: Signal<In, Clock>,
    /// All values move on; they stay where they are otherwise.
    pub enable: Signal<In, Bit>,
    /// The value that enters.
    pub d: Signal<In, D>,
    /// The value that has passed all places.
    pub q: Signal<Out, D>,
    place: Vec<DFF<D>>,
    _places: usize,
    _moves: usize,
}

impl<D: Synth> DelayLine<D> {
    /// A line of so many places, 1 or more; panics with none.
    pub fn new(places: usize) -> Self {
        assert!(places > 0, "a delay line without a place");
        Self {
            place: (0..places).map(|_| DFF::default()).collect(),
            _places: places,
            _moves: places - 1,
            ..Default::default()
        }
    }
}

#[kernel]
impl<D: Synth> Logic for DelayLine<D> {
    fn update(&mut self) {
        for i in 0..self._places {
            self.place[i].clock.next = self.clk.val();
            self.place[i].d.next = self.place[i].q.val();
            // The last place has the last word.
            self.q.next = self.place[i].q.val();
        }
        if self.enable.val() {
            self.place[0].d.next = self.d.val();
            for i in 0..self._moves {
                self.place[i + 1].d.next = self.place[i].q.val();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng, settle};
    use rand::Rng;
    use std::collections::VecDeque;

    #[test]
    fn values_come_out_in_order_after_as_many_enabled_cycles_as_places() {
        for places in 1..=6 {
            let mut rng = rng(0xde1a + places as u64);
            let mut dut = DelayLine::<Bits<32>>::new(places);
            dut.connect_all();
            let mut model = VecDeque::new();
            for _ in 0..1_000 {
                let (value, enable) = (rng.gen::<u32>(), rng.gen_bool(0.7));
                dut.d.next = u64::from(value).into();
                dut.enable.next = enable;
                settle(&mut dut);
                if model.len() == places {
                    assert_eq!(dut.q.val().to_u64(), u64::from(model[0]), "{places} places");
                }
                clock_edge!(dut);
                if enable {
                    model.push_back(value);
                    model.drain(..model.len().saturating_sub(places));
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "a delay line without a place")]
    fn a_line_has_a_place() {
        DelayLine::<Bits<1>>::new(0);
    }
}
