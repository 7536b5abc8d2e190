use portico_verilog::prelude::*;

/// Register with enable and synchronous reset.
///
/// Holds `W` bits.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one value a cycle |
/// | state | `W` flip-flops |
#[derive(LogicBlock, Default)]
pub struct Register<const W: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: `q` takes the reset value, with any `enable`.
    pub rst: Signal<In, Bit>,
    /// Taken where `enable` is high.
    pub d: Signal<In, Bits<W>>,
    /// Takes `d`; `q` stays as it is otherwise.
    pub enable: Signal<In, Bit>,
    /// What was taken last.
    pub q: Signal<Out, Bits<W>>,
    value: DFF<Bits<W>>,
    reset_value: Constant<Bits<W>>,
}

impl<const W: usize> Register<W> {
    /// A register that reset sets to `reset_value`.
    pub fn new(reset_value: Bits<W>) -> Self {
        Self {
            reset_value: Constant::new(reset_value),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Register<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, value);
        self.q.next = self.value.q.val();
        if self.enable.val() {
            self.value.d.next = self.d.val();
        }
        if self.rst.val() {
            self.value.d.next = self.reset_value.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng};
    use rand::Rng;

    clocked!([const W: usize] Register<W>);

    const RESET_VALUE: u64 = 0xa5;

    #[test]
    fn holds_what_it_took_last() {
        let mut rng = rng(0x4e61);
        let mut dut = reset(Register::<8>::new(RESET_VALUE.into()));
        let mut held = RESET_VALUE;
        for cycle in 0..2_000 {
            assert_eq!(dut.q.val(), held, "cycle {cycle}");
            let (d, enable, rst) = (rng.gen_range(0..256), rng.gen(), rng.gen_bool(0.1));
            dut.d.next = d.into();
            dut.enable.next = enable;
            dut.rst.next = rst;
            clock(&mut dut);
            held = if rst {
                RESET_VALUE
            } else if enable {
                d
            } else {
                held
            };
        }
    }
}
