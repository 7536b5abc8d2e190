use portico_spec::ni::event::{
    Compare, COMPARE_OFFSET, COMPARE_WIDTH, COUNTER_WIDTH, EVENTS, EVENT_WIDTH, INTERRUPT_OFFSET, THRESHOLD_OFFSET,
};
use portico_verilog::prelude::*;

/// Width of an event's control register, in bits.
pub const CONTROL_WIDTH: usize = INTERRUPT_OFFSET + 1;

/// Holds a count to an event's control register. Combinational, no state.
#[derive(LogicBlock, Default)]
pub struct EventCondition {
    pub count: Signal<In, Bits<COUNTER_WIDTH>>,
    pub control: Signal<In, Bits<CONTROL_WIDTH>>,
    pub holds: Signal<Out, Bit>,
    /// The event interrupts when its condition holds.
    pub interrupts: Signal<Out, Bit>,
    threshold: Signal<Local, Bits<COUNTER_WIDTH>>,
    compare: Signal<Local, Bits<COMPARE_WIDTH>>,
}

#[kernel]
impl Logic for EventCondition {
    fn update(&mut self) {
        self.threshold.next = self.control.val().get_bits::<COUNTER_WIDTH>(THRESHOLD_OFFSET);
        self.compare.next = self.control.val().get_bits::<COMPARE_WIDTH>(COMPARE_OFFSET);
        self.interrupts.next = self.control.val().get_bit(INTERRUPT_OFFSET);
        self.holds.next = ((self.compare.val() == bits::<COMPARE_WIDTH>(Compare::Equal as u64))
            & (self.count.val() == self.threshold.val()))
            | ((self.compare.val() == bits::<COMPARE_WIDTH>(Compare::AtLeast as u64))
                & (self.count.val() >= self.threshold.val()))
            | ((self.compare.val() == bits::<COMPARE_WIDTH>(Compare::NotEqual as u64))
                & (self.count.val() != self.threshold.val()));
    }
}

/// Which events have fired, and which of them interrupt.
///
/// The flags of all events.
///
/// | | |
/// | --- | --- |
/// | latency | a count or control changed in one cycle shows in `fired` in the next, in `pending` and `irq` in the one after |
/// | throughput | one count and one register write a cycle |
/// | state | 2 flip-flops an event, 14 for what is looked at |
#[derive(LogicBlock, Default)]
pub struct EventFlags {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The event whose count or control changes in this cycle: by itself (0), by a register write (1).
    pub change: [Signal<In, Bit>; 2],
    pub change_event: [Signal<In, Bits<EVENT_WIDTH>>; 2],
    /// The events that changed in the cycle before, and how they stand now.
    pub look_event: [Signal<Out, Bits<EVENT_WIDTH>>; 2],
    pub count: [Signal<In, Bits<COUNTER_WIDTH>>; 2],
    pub control: [Signal<In, Bits<CONTROL_WIDTH>>; 2],
    pub fired: Signal<Out, Bits<EVENTS>>,
    /// Fired, and to interrupt.
    pub pending: Signal<Out, Bits<EVENTS>>,
    pub irq: Signal<Out, Bit>,
    condition: [EventCondition; 2],
    changed: [DFF<Bit>; 2],
    changed_event: [DFF<Bits<EVENT_WIDTH>>; 2],
    holding: DFF<Bits<EVENTS>>,
    enabled: DFF<Bits<EVENTS>>,
    holding_then: Signal<Local, Bits<EVENTS>>,
    enabled_then: Signal<Local, Bits<EVENTS>>,
}

#[kernel]
impl Logic for EventFlags {
    fn update(&mut self) {
        dff_setup!(self, clk, holding, enabled);
        self.holding_then.next = self.holding.q.val();
        self.enabled_then.next = self.enabled.q.val();
        for i in 0..2 {
            self.changed[i].clock.next = self.clk.val();
            self.changed[i].d.next = self.change[i].val();
            self.changed_event[i].clock.next = self.clk.val();
            self.changed_event[i].d.next = self.change_event[i].val();
            self.look_event[i].next = self.changed_event[i].q.val();
            self.condition[i].count.next = self.count[i].val();
            self.condition[i].control.next = self.control[i].val();
            if self.changed[i].q.val() {
                self.holding_then.next = self
                    .holding_then
                    .val()
                    .replace_bit(self.changed_event[i].q.val().index(), self.condition[i].holds.val());
                self.enabled_then.next = self.enabled_then.val().replace_bit(
                    self.changed_event[i].q.val().index(),
                    self.condition[i].interrupts.val(),
                );
            }
        }
        self.holding.d.next = self.holding_then.val();
        self.enabled.d.next = self.enabled_then.val();
        // What is looked at shows at once: an event is worth waiting for.
        self.fired.next = self.holding_then.val();
        self.pending.next = self.holding.q.val() & self.enabled.q.val();
        self.irq.next = self.pending.val().any();
        if self.rst.val() {
            self.holding.d.next = 0.into();
            self.enabled.d.next = 0.into();
            for i in 0..2 {
                self.changed[i].d.next = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, settle};

    clocked!([] EventFlags);

    #[test]
    fn every_comparison_holds_below_at_and_above_the_threshold_as_it_says() {
        let mut dut = EventCondition::default();
        dut.connect_all();
        for threshold in [0u64, 1, 0x8000, 0xffff] {
            for count in [0, 1, 0x7fff, 0x8000, 0x8001, 0xffff] {
                let expected = [false, count == threshold, count >= threshold, count != threshold];
                for (compare, expected) in expected.into_iter().enumerate() {
                    for interrupts in [false, true] {
                        let control = threshold | (compare as u64) << 16 | u64::from(interrupts) << 18;
                        dut.count.next = count.into();
                        dut.control.next = control.into();
                        settle(&mut dut);
                        assert_eq!(dut.holds.val(), expected, "{count} against {control:#x}");
                        assert_eq!(dut.interrupts.val(), interrupts);
                    }
                }
            }
        }
    }

    #[test]
    fn two_changes_of_a_cycle_show_and_reset_clears_them() {
        let mut dut = reset(EventFlags::default());
        let at_least_one = 1 | 2 << 16;
        for (i, (event, control)) in [(3u64, at_least_one), (63, at_least_one | 1 << 18)]
            .into_iter()
            .enumerate()
        {
            dut.change[i].next = true;
            dut.change_event[i].next = event.into();
            dut.count[i].next = 1u64.into();
            dut.control[i].next = control.into();
        }
        clock(&mut dut);
        dut.change[0].next = false;
        dut.change[1].next = false;
        assert_eq!(
            (dut.look_event[0].val().to_u64(), dut.look_event[1].val().to_u64()),
            (3, 63)
        );
        assert_eq!(dut.fired.val(), 1u64 << 3 | 1 << 63);
        assert!(!dut.irq.val());
        clock(&mut dut);
        assert_eq!(dut.fired.val(), 1u64 << 3 | 1 << 63);
        assert_eq!(dut.pending.val(), 1u64 << 63);
        assert!(dut.irq.val());
        let dut = reset(dut);
        assert_eq!(
            (dut.fired.val().to_u64(), dut.pending.val().to_u64(), dut.irq.val()),
            (0, 0, false)
        );
    }
}
