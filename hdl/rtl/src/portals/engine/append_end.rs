use super::{CommandRaise, TableCommand, PLACE_WIDTH};
use crate::bus::MemoryWriteOut;
use portico_spec::{
    ni::packet::OFFSET_WIDTH,
    portals::{
        engine::NO_ENTRY,
        list::{GENERATION_OFFSET, GENERATION_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// State of the end of an append.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum AppendStep {
    /// Waits for an append.
    Idle,
    /// Writes the handle to memory.
    Handle,
    /// Raises LINK, or AUTO_UNLINK.
    Link,
}

/// Ends an append: writes the handle of the new entry to memory, then raises LINK or AUTO_UNLINK.
///
/// | | |
/// | --- | --- |
/// | latency | from `starts` to the handle 1 cycle, from the handle to `raises` 1 cycle |
/// | throughput | one append at a time |
/// | state | the step, the handle, and whether the entry is in its list |
///
/// An entry that has consumed a header is in no list: its handle is `NO_ENTRY`.
#[derive(LogicBlock, Default)]
pub struct AppendEnd {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// High for a cycle: the scan of the append is over, and has not failed.
    pub starts: Signal<In, Bit>,
    /// The entry is in its list; else it has consumed a header. Valid with `starts`.
    pub appended: Signal<In, Bit>,
    /// Place of the entry; valid with `appended`.
    pub place: Signal<In, Bits<PLACE_WIDTH>>,
    /// Generation of the place.
    pub generation: Signal<In, Bits<GENERATION_WIDTH>>,
    /// The command.
    pub command: Signal<In, TableCommand>,
    /// The handle of the entry.
    pub memory: MemoryWriteOut<32, 4>,
    /// There is something to raise; stays until `taken`.
    pub raises: Signal<Out, Bit>,
    /// Its cause; valid with `raises`.
    pub raise: Signal<Out, CommandRaise>,
    /// It is taken in this cycle if `raises` is high.
    pub taken: Signal<In, Bit>,
    /// High for a cycle: the append has ended.
    pub over: Signal<Out, Bit>,
    step: DFF<AppendStep>,
    handle: DFF<Bits<32>>,
    linked: DFF<Bit>,
}

#[kernel]
impl Logic for AppendEnd {
    fn update(&mut self) {
        dff_setup!(self, clk, step, handle, linked);
        self.memory.valid.next = self.step.q.val() == AppendStep::Handle;
        self.memory.address.next = self.command.val().address.get_bits::<OFFSET_WIDTH>(2);
        self.memory.data.next = self.handle.q.val();
        self.memory.lanes.next = !bits::<4>(0);
        self.raises.next = self.step.q.val() == AppendStep::Link;
        self.raise.next = CommandRaise::Unlinked;
        if self.linked.q.val() {
            self.raise.next = CommandRaise::Linked;
        }
        self.over.next = self.raises.val() & self.taken.val();
        match self.step.q.val() {
            AppendStep::Idle => {
                if self.starts.val() {
                    self.linked.d.next = self.appended.val();
                    self.handle.d.next = bits::<32>(NO_ENTRY as u64);
                    if self.appended.val() {
                        self.handle.d.next = bit_cast::<32, PLACE_WIDTH>(self.place.val())
                            | field::<32, GENERATION_WIDTH>(self.generation.val(), GENERATION_OFFSET);
                    }
                    self.step.d.next = AppendStep::Handle;
                }
            }
            AppendStep::Handle => {
                if self.memory.ready.val() {
                    self.step.d.next = AppendStep::Link;
                }
            }
            AppendStep::Link => {
                if self.taken.val() {
                    self.step.d.next = AppendStep::Idle;
                }
            }
        }
        if self.rst.val() {
            self.step.d.next = AppendStep::Idle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, settle};

    clocked!([] AppendEnd);

    #[test]
    fn the_handle_is_written_before_the_event_is_raised() {
        let mut dut = reset(AppendEnd::default());
        dut.command.next = TableCommand {
            address: 0x140.into(),
            ..TableCommand::default()
        };
        for (appended, handle, raise) in [
            (true, 3 | 5 << GENERATION_OFFSET, CommandRaise::Linked),
            (false, u64::from(NO_ENTRY), CommandRaise::Unlinked),
        ] {
            dut.starts.next = true;
            dut.appended.next = appended;
            dut.place.next = 3.into();
            dut.generation.next = 5.into();
            clock(&mut dut);
            dut.starts.next = false;
            // The lists show another place by now.
            dut.place.next = 9.into();
            for cycle in 0..3 {
                dut.memory.ready.next = cycle == 2;
                dut.taken.next = true;
                settle(&mut dut);
                assert!(dut.memory.valid.val() && !dut.raises.val() && !dut.over.val());
                assert_eq!(dut.memory.address.val().to_u64(), 0x140 / 4);
                assert_eq!(dut.memory.data.val().to_u64(), handle);
                assert!(dut.memory.lanes.val().all());
                clock(&mut dut);
            }
            for cycle in 0..3 {
                dut.taken.next = cycle == 2;
                settle(&mut dut);
                assert!(!dut.memory.valid.val() && dut.raises.val());
                assert_eq!((dut.raise.val(), dut.over.val()), (raise, cycle == 2));
                clock(&mut dut);
            }
            assert!(!dut.memory.valid.val() && !dut.raises.val());
        }
    }
}
