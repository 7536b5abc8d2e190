use portico_verilog::prelude::*;

/// Compares a coordinate of a head with the router's own, two bits a step.
///
/// Compares two numbers of `N` bits, `N` even.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
///
/// Steps of two bits fit a LUT each; a subtraction would put a carry chain into the path between two routers.
#[derive(LogicBlock, Default)]
pub struct Comparator<const N: usize> {
    pub a: Signal<In, Bits<N>>,
    pub b: Signal<In, Bits<N>>,
    /// `a` is less than `b`.
    pub less: Signal<Out, Bit>,
    pub equal: Signal<Out, Bit>,
    step_less: Signal<Local, Bit>,
    step_equal: Signal<Local, Bit>,
}

impl<const N: usize> Comparator<N> {
    const STEPS: usize = N / 2;
}

#[kernel]
impl<const N: usize> Logic for Comparator<N> {
    fn update(&mut self) {
        self.less.next = false;
        self.equal.next = true;
        // From the bottom up: a higher step outvotes the lower ones unless it ties.
        for i in 0..Self::STEPS {
            self.step_equal.next = self.a.val().get_bits::<2>(2 * i) == self.b.val().get_bits::<2>(2 * i);
            self.step_less.next = (!self.a.val().get_bit(2 * i + 1) & self.b.val().get_bit(2 * i + 1))
                | ((self.a.val().get_bit(2 * i + 1) == self.b.val().get_bit(2 * i + 1))
                    & !self.a.val().get_bit(2 * i)
                    & self.b.val().get_bit(2 * i));
            self.less.next = self.step_less.val() | (self.step_equal.val() & self.less.val());
            self.equal.next = self.step_equal.val() & self.equal.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_every_pair() {
        let mut dut = Comparator::<6>::default();
        dut.connect_all();
        for (a, b) in (0..64u64).flat_map(|a| (0..64).map(move |b| (a, b))) {
            dut.a.next = a.into();
            dut.b.next = b.into();
            assert!(simulate(&mut dut, 10));
            assert_eq!((dut.less.val(), dut.equal.val()), (a < b, a == b), "{a} and {b}");
        }
    }
}
