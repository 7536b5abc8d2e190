use crate::prim::LutRam;
use portico_spec::ni::{
    event::{EVENTS, EVENT_WIDTH},
    packet::ERROR_WIDTH,
};
use portico_verilog::prelude::*;

/// The first error of every event, kept until it is cleared.
///
/// Errors of all events.
///
/// | | |
/// | --- | --- |
/// | latency | an error is read in the next cycle; read: combinational |
/// | throughput | one error, one clear and one read a cycle |
/// | collision | a clear and an error of one event in one cycle are the clear, then the error |
/// | state | a code in LUT-RAM and a flip-flop an event |
///
/// The flip-flops have two writers, the codes only one; a code without its flip-flop means nothing.
#[derive(LogicBlock, Default)]
pub struct EventErrors {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no event has an error afterwards.
    pub rst: Signal<In, Bit>,
    /// Keeps `error`, if it is one and the first.
    pub enable: Signal<In, Bit>,
    pub event_number: Signal<In, Bits<EVENT_WIDTH>>,
    pub error: Signal<In, Bits<ERROR_WIDTH>>,
    pub clear: Signal<In, Bit>,
    pub clear_event: Signal<In, Bits<EVENT_WIDTH>>,
    pub read_event: Signal<In, Bits<EVENT_WIDTH>>,
    pub read_error: Signal<Out, Bits<ERROR_WIDTH>>,
    codes: LutRam<ERROR_WIDTH, EVENT_WIDTH>,
    failed: DFF<Bits<EVENTS>>,
    failed_still: Signal<Local, Bits<EVENTS>>,
    keep: Signal<Local, Bit>,
}

#[kernel]
impl Logic for EventErrors {
    fn update(&mut self) {
        wire!(self => codes: clk);
        dff_setup!(self, clk, failed);
        self.failed_still.next = self.failed.q.val();
        if self.clear.val() {
            self.failed_still.next = self.failed.q.val().replace_bit(self.clear_event.val().index(), false);
        }
        self.keep.next = self.enable.val()
            & self.error.val().any()
            & !self.failed_still.val().get_bit(self.event_number.val().index());
        self.failed.d.next = self.failed_still.val();
        if self.keep.val() {
            self.failed.d.next = self
                .failed_still
                .val()
                .replace_bit(self.event_number.val().index(), true);
        }
        self.codes.write_enable.next = self.keep.val();
        self.codes.write_address.next = self.event_number.val();
        self.codes.write_data.next = self.error.val();
        self.codes.read_address.next = self.read_event.val();
        self.read_error.next = 0.into();
        if self.failed.q.val().get_bit(self.read_event.val().index()) {
            self.read_error.next = self.codes.read_data.val();
        }
        if self.rst.val() {
            self.failed.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([] EventErrors);

    #[test]
    fn the_first_error_stays_until_it_is_cleared() {
        let mut rng = rng(0xe440);
        let mut dut = reset(EventErrors::default());
        let mut model = [0u64; EVENTS];
        let (mut kept, mut both) = (0, 0);
        for cycle in 0..6_000 {
            let page = cycle / 500 * 5 % EVENTS;
            let mut draw = || (page + rng.gen_range(0..3)) % EVENTS;
            let (event, cleared) = (draw(), draw());
            let (enable, error) = (rng.gen_bool(0.7), rng.gen_range(0..4) * rng.gen_range(0..4));
            let (clear, rst) = (rng.gen_bool(0.3), rng.gen_bool(0.002));
            dut.enable.next = enable;
            dut.event_number.next = (event as u64).into();
            dut.error.next = error.into();
            dut.clear.next = clear;
            dut.clear_event.next = (cleared as u64).into();
            dut.rst.next = rst;
            clock(&mut dut);
            if clear {
                both += u32::from(model[cleared] > 0 && enable && event == cleared && error > 0);
                model[cleared] = 0;
            }
            if enable && error > 0 {
                kept += u32::from(model[event] > 0);
                if model[event] == 0 {
                    model[event] = error;
                }
            }
            if rst {
                model = [0; EVENTS];
            }
            for read in [event, cleared, rng.gen_range(0..EVENTS)] {
                dut.read_event.next = (read as u64).into();
                settle(&mut dut);
                assert_eq!(dut.read_error.val(), model[read], "cycle {cycle}, event {read}");
            }
        }
        assert!(kept > 100 && both > 20, "{kept} kept, {both} cleared and set at once");
    }
}
