//! The initialisation, for unit tests.

/// A block after reset and the sweep of its tables; in every cycle of it a check may look at the block.
macro_rules! initialised {
    ($dut:expr) => {
        initialised!($dut, |_: &_| ())
    };
    ($dut:expr, $check:expr) => {{
        let mut dut = reset($dut);
        let check = $check;
        dut.sweep.active.next = true;
        for sweep in 0..portico_spec::ni::INITIALISATION_CYCLES {
            dut.sweep.place.next = (sweep as u64).into();
            settle(&mut dut);
            check(&dut);
            clock(&mut dut);
        }
        dut.sweep.active.next = false;
        settle(&mut dut);
        dut
    }};
}
pub(super) use initialised;
