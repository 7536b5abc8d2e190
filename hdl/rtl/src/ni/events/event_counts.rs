use crate::ni::SweptTable;
use portico_spec::{
    flit::NODE_WIDTH,
    ni::event::{COUNTER_WIDTH, EVENT_WIDTH},
};
use portico_verilog::prelude::*;

/// Read ports.
pub const COUNT_READS: usize = 3;

/// Those, that of a count and that of a write.
const COUNTED_READS: usize = COUNT_READS + 2;

/// Counts of the events.
///
/// Counters of [`COUNTER_WIDTH`] bits that wrap.
///
/// | | |
/// | --- | --- |
/// | latency | a count or write is read in the next cycle; read: combinational |
/// | throughput | one count, one write and three reads a cycle, of whatever events |
/// | state | two tables of 16 bits an event, in LUT-RAM |
///
/// A count is the sum of two tables: one goes up with each event and is written by nothing else, the other holds what a
/// register write set, less the first at that time. So each table has one writer, and neither side ever waits for the
/// other, which the control plane relies on. A count and a write in one cycle are a write, then a count.
#[derive(LogicBlock, Default)]
pub struct EventCounts {
    pub clk: Signal<In, Clock>,
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    /// Adds one to the count of `event`.
    pub count_enable: Signal<In, Bit>,
    pub count_event: Signal<In, Bits<EVENT_WIDTH>>,
    /// Sets the count of `write_event`.
    pub write_enable: Signal<In, Bit>,
    pub write_event: Signal<In, Bits<EVENT_WIDTH>>,
    pub write_data: Signal<In, Bits<COUNTER_WIDTH>>,
    pub read_event: [Signal<In, Bits<EVENT_WIDTH>>; COUNT_READS],
    pub read_data: [Signal<Out, Bits<COUNTER_WIDTH>>; COUNT_READS],
    counted: SweptTable<COUNTER_WIDTH, EVENT_WIDTH, COUNTED_READS>,
    offset: SweptTable<COUNTER_WIDTH, EVENT_WIDTH, COUNT_READS>,
}

#[kernel]
impl Logic for EventCounts {
    fn update(&mut self) {
        wire!(self => counted, offset: clk);
        wire!(self => counted: initialising, sweep);
        wire!(self => offset: initialising, sweep);

        self.counted.read_address[3].next = self.count_event.val();
        self.counted.write_enable.next = self.count_enable.val();
        self.counted.write_address.next = self.count_event.val();
        self.counted.write_data.next = self.counted.read_data[3].val() + 1;

        self.counted.read_address[4].next = self.write_event.val();
        self.offset.write_enable.next = self.write_enable.val();
        self.offset.write_address.next = self.write_event.val();
        self.offset.write_data.next = self.write_data.val() - self.counted.read_data[4].val();

        for i in 0..COUNT_READS {
            self.counted.read_address[i].next = self.read_event[i].val();
            self.offset.read_address[i].next = self.read_event[i].val();
            self.read_data[i].next = self.counted.read_data[i].val() + self.offset.read_data[i].val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng, settle};
    use portico_spec::ni::{event::EVENTS, INITIALISATION_CYCLES};
    use rand::Rng;

    #[test]
    fn counts_and_writes_of_one_cycle_both_take_effect() {
        let mut rng = rng(0xec0);
        let mut dut = EventCounts::default();
        dut.connect_all();
        dut.initialising.next = true;
        for sweep in 0..INITIALISATION_CYCLES {
            dut.sweep.next = (sweep as u64).into();
            clock_edge!(dut);
        }
        dut.initialising.next = false;
        let mut model = [0u16; EVENTS];
        let (mut both, mut wraps) = (0, 0);
        for cycle in 0..5_000 {
            // Few events at a time, so that writes and counts meet.
            let (count, write) = (rng.gen_range(0..4) + cycle / 200 % EVENTS, rng.gen_range(0..4));
            let (counts, writes) = (rng.gen_bool(0.8), rng.gen_bool(0.3));
            let write = (write + cycle / 200) % EVENTS;
            let count = count % EVENTS;
            let data: u16 = if rng.gen() {
                rng.gen()
            } else {
                0xffff - rng.gen_range(0..3)
            };
            dut.count_enable.next = counts;
            dut.count_event.next = (count as u64).into();
            dut.write_enable.next = writes;
            dut.write_event.next = (write as u64).into();
            dut.write_data.next = u64::from(data).into();
            clock_edge!(dut);
            if writes {
                model[write] = data;
            }
            if counts {
                wraps += u32::from(model[count] == u16::MAX);
                model[count] = model[count].wrapping_add(1);
                both += u32::from(writes && count == write);
            }
            let reads = [count, write, rng.gen_range(0..EVENTS)];
            for (port, event) in reads.into_iter().enumerate() {
                dut.read_event[port].next = (event as u64).into();
            }
            settle(&mut dut);
            for (port, event) in reads.into_iter().enumerate() {
                assert_eq!(dut.read_data[port].val(), u64::from(model[event]), "cycle {cycle}");
            }
        }
        assert!(both > 100 && wraps > 20, "{both} of both, {wraps} wraps");
    }
}
