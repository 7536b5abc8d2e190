use portico_verilog::prelude::*;

/// An access to registers of a table that is also used by others: it waits until the table is free.
///
/// Keeps one access.
///
/// | | |
/// | --- | --- |
/// | latency | combinational where the table is free |
/// | throughput | one access at a time |
/// | state | 2 flip-flops |
#[derive(LogicBlock, Default)]
pub struct HeldAccess {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: none waits.
    pub rst: Signal<In, Bit>,
    /// High for one cycle: an access to a register of the table begins.
    pub begins: Signal<In, Bit>,
    /// That access is a write.
    pub is_write: Signal<In, Bit>,
    /// The table is free.
    pub may: Signal<In, Bit>,
    /// There is an access; it takes place in this cycle if the table is free.
    pub wants: Signal<Out, Bit>,
    /// The access is a write; valid with `wants`.
    pub wants_to_write: Signal<Out, Bit>,
    waits: DFF<Bit>,
    waits_to_write: DFF<Bit>,
}

#[kernel]
impl Logic for HeldAccess {
    fn update(&mut self) {
        dff_setup!(self, clk, waits, waits_to_write);
        self.wants.next = self.begins.val() | self.waits.q.val();
        self.wants_to_write.next = self.waits_to_write.q.val();
        if self.begins.val() {
            self.wants_to_write.next = self.is_write.val();
        }
        self.waits.d.next = self.wants.val() & !self.may.val();
        self.waits_to_write.d.next = self.wants_to_write.val();
        if self.rst.val() {
            self.waits.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([] HeldAccess);

    #[test]
    fn every_access_takes_place_once_as_soon_as_it_may() {
        let mut rng = rng(0xacce);
        let mut dut = reset(HeldAccess::default());
        let mut held: Option<bool> = None;
        let mut waited = 0;
        for cycle in 0..4_000 {
            let begins = held.is_none() && rng.gen_bool(0.3);
            let (is_write, may) = (rng.gen(), rng.gen_bool(0.4));
            dut.begins.next = begins;
            dut.is_write.next = is_write;
            dut.may.next = may;
            settle(&mut dut);
            if begins {
                held = Some(is_write);
            }
            assert_eq!(dut.wants.val(), held.is_some(), "cycle {cycle}");
            if let Some(is_write) = held {
                assert_eq!(dut.wants_to_write.val(), is_write, "cycle {cycle}");
            }
            waited += usize::from(held.is_some() && !may);
            if may {
                held = None;
            }
            clock(&mut dut);
        }
        assert!(waited > 500, "{waited}");
        dut.begins.next = true;
        dut.may.next = false;
        clock(&mut dut);
        dut.begins.next = false;
        let mut dut = reset(dut);
        settle(&mut dut);
        assert!(!dut.wants.val());
    }
}
