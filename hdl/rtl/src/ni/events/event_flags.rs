use portico_spec::ni::event::{EVENTS, EVENT_WIDTH};
use portico_verilog::prelude::*;

/// Which events have fired, and which of them interrupt.
///
/// The flags of all events.
///
/// | | |
/// | --- | --- |
/// | latency | what is set shows in `fired` and `pending` in the next cycle, in `irq` in the one after |
/// | throughput | one event a cycle |
/// | timing | all outputs are flip-flops |
/// | state | by event whether its condition holds, and whether it interrupts; `irq` |
#[derive(LogicBlock, Default)]
pub struct EventFlags {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Sets the flags of `event_number`.
    pub set: Signal<In, Bit>,
    /// Event whose flags are set; valid with `set`.
    pub event_number: Signal<In, Bits<EVENT_WIDTH>>,
    /// The condition of that event holds.
    pub holds: Signal<In, Bit>,
    /// That event is to interrupt when it has fired.
    pub interrupts: Signal<In, Bit>,
    /// One bit an event: its condition holds.
    pub fired: Signal<Out, Bits<EVENTS>>,
    /// Fired, and to interrupt.
    pub pending: Signal<Out, Bits<EVENTS>>,
    /// An event that may interrupt has fired; a cycle behind `pending`.
    pub irq: Signal<Out, Bit>,
    holding: DFF<Bits<EVENTS>>,
    interrupting: DFF<Bits<EVENTS>>,
    raised: DFF<Bit>,
    chosen: Signal<Local, Bits<EVENTS>>,
    built: Constant<Bits<EVENTS>>,
}

impl EventFlags {
    /// Flags of the first `events`.
    pub fn new(events: usize) -> Self {
        Self {
            built: Constant::new(bits(u64::MAX >> (EVENTS - events))),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for EventFlags {
    fn update(&mut self) {
        dff_setup!(self, clk, holding, interrupting, raised);
        self.chosen.next = 0.into();
        if self.set.val() {
            self.chosen.next = (bits::<EVENTS>(1) << self.event_number.val()) & self.built.val();
        }
        self.holding.d.next = self.holding.q.val() & !self.chosen.val() & self.built.val();
        self.interrupting.d.next = self.interrupting.q.val() & !self.chosen.val() & self.built.val();
        if self.holds.val() {
            self.holding.d.next = (self.holding.q.val() & self.built.val()) | self.chosen.val();
        }
        if self.holds.val() & self.interrupts.val() {
            self.interrupting.d.next = (self.interrupting.q.val() & self.built.val()) | self.chosen.val();
        }
        self.raised.d.next = self.interrupting.q.val().any();
        self.fired.next = self.holding.q.val();
        self.pending.next = self.interrupting.q.val();
        self.irq.next = self.raised.q.val();
        if self.rst.val() {
            self.holding.d.next = 0.into();
            self.interrupting.d.next = 0.into();
            self.raised.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset};

    clocked!([] EventFlags);

    #[test]
    fn flags_are_set_one_by_one_and_reset_clears_them() {
        let mut dut = reset(EventFlags::new(EVENTS));
        let (mut fired, mut pending) = (0u64, 0u64);
        for (event, holds, interrupts) in [
            (3u64, true, false),
            (63, true, true),
            (0, false, true),
            (3, true, true),
            (63, false, true),
            (0, true, true),
        ] {
            let irq = pending > 0;
            dut.set.next = true;
            dut.event_number.next = event.into();
            dut.holds.next = holds;
            dut.interrupts.next = interrupts;
            clock(&mut dut);
            dut.set.next = false;
            fired = fired & !(1 << event) | u64::from(holds) << event;
            pending = pending & !(1 << event) | u64::from(holds && interrupts) << event;
            assert_eq!((dut.fired.val(), dut.pending.val()), (fired.into(), pending.into()));
            assert_eq!(dut.irq.val(), irq);
            clock(&mut dut);
            assert_eq!(dut.irq.val(), pending > 0);
        }
        let dut = reset(dut);
        assert_eq!(
            (dut.fired.val().to_u64(), dut.pending.val().to_u64(), dut.irq.val()),
            (0, 0, false)
        );
    }
}
