use super::{Extent, Operands, EXTENT_WIDTH};
use portico_spec::ni::{
    packet::{ERROR_WIDTH, OFFSET_WIDTH},
    ErrorCode,
};
use portico_verilog::prelude::*;

/// Which end is measured.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum MeasureState {
    Idle,
    /// In the segment.
    Remote,
    /// In the memory.
    Source,
}

/// Checks the ends of a transfer: in the segment, then in the memory.
///
/// In most nodes the rooms behind both addresses are worked out as the words of a descriptor come, so a transfer of one row
/// needs no measure. A node that checks one end after the other (`sequential`) measures every command: the addresses are added
/// here, and the rooms are the sizes of segment and memory.
///
/// Measures one transfer.
///
/// | | |
/// | --- | --- |
/// | latency | that of [`Extent`] for each side |
/// | throughput | one transfer at a time |
/// | state | [`Extent`], and how far it is |
#[derive(LogicBlock, Default)]
pub struct Measure {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Begins; the inputs below stay until `done`.
    pub start: Signal<In, Bit>,
    /// A start may come in this cycle: what it takes is loaded in any case. High with every start.
    pub prepare: Signal<In, Bit>,
    /// In the segment too.
    pub remote: Signal<In, Bit>,
    /// And nowhere else.
    pub remote_only: Signal<In, Bit>,
    /// Nothing is to be moved.
    pub nothing: Signal<In, Bit>,
    /// The words after the first, taken apart: how the rows lie, and the room behind both addresses.
    pub operands: Signal<In, Operands>,
    /// High for one cycle, with `error`.
    pub done: Signal<Out, Bit>,
    /// An error code, 0 for none.
    pub error: Signal<Out, Bits<ERROR_WIDTH>>,
    extent: Extent,
    state: DFF<MeasureState>,
    in_segment: Signal<Local, Bit>,
    room: Signal<Local, Bits<OFFSET_WIDTH>>,
    too_far: Signal<Local, Bit>,
}

impl Measure {
    /// `sequential`: from the addresses on.
    pub fn new(sequential: bool) -> Self {
        Self {
            extent: Extent::new(sequential),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Measure {
    fn update(&mut self) {
        wire!(self => extent: clk, rst);
        dff_setup!(self, clk, state);
        self.extent.rows.next = self.operands.val().rows;
        self.extent.planes.next = self.operands.val().planes;
        self.extent.row.next = self.operands.val().row;
        self.extent.nothing.next = self.nothing.val();

        // The extent reads the strides as it goes: they are those of the side that it measures, or is told to.
        self.in_segment.next = (self.state.q.val() == MeasureState::Remote) & !self.extent.done.val();
        if self.prepare.val() {
            // Whatever the extent has done before, for a command that needed no measure.
            self.in_segment.next = self.remote.val();
        }
        self.extent.row_stride.next = self.operands.val().source_stride;
        self.extent.plane_stride.next = self.operands.val().source_plane_stride;
        self.extent.address.next = self.operands.val().source;
        if self.in_segment.val() {
            self.extent.row_stride.next = self.operands.val().stride;
            self.extent.plane_stride.next = self.operands.val().plane_stride;
            self.extent.address.next = self.operands.val().offset;
        }
        self.room.next = self.operands.val().source_room;
        if self.state.q.val() == MeasureState::Remote {
            self.room.next = self.operands.val().room;
        }
        self.too_far.next = self.extent.reach.val() > bit_cast::<EXTENT_WIDTH, OFFSET_WIDTH>(self.room.val());

        self.extent.start.next = self.prepare.val();
        self.done.next = false;
        self.error.next = 0.into();
        match self.state.q.val() {
            MeasureState::Idle => {
                if self.start.val() {
                    self.state.d.next = MeasureState::Source;
                    if self.remote.val() {
                        self.state.d.next = MeasureState::Remote;
                    }
                }
            }
            MeasureState::Remote => {
                if self.extent.done.val() {
                    if self.too_far.val() {
                        self.done.next = true;
                        self.error.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfSegment as u64);
                        self.state.d.next = MeasureState::Idle;
                    } else if self.remote_only.val() {
                        self.done.next = true;
                        self.state.d.next = MeasureState::Idle;
                    } else {
                        self.extent.start.next = true;
                        self.state.d.next = MeasureState::Source;
                    }
                }
            }
            MeasureState::Source => {
                if self.extent.done.val() {
                    self.done.next = true;
                    self.state.d.next = MeasureState::Idle;
                    if self.too_far.val() | self.operands.val().source_beyond {
                        self.error.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfMemory as u64);
                    }
                }
            }
        }
        if self.rst.val() {
            self.state.d.next = MeasureState::Idle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([] Measure);

    /// Commands of one row load the extent too and are never measured: the extent then works on for as long as their fields
    /// say, and ends in any cycle of the next command.
    #[test]
    fn a_measure_does_not_depend_on_commands_before_it() {
        let mut rng = rng(0x3ea5);
        let mut dut = reset(Measure::new(false));
        let mut errors = [0; 3];
        for _ in 0..2_000 {
            dut.operands.next = Operands {
                rows: u64::from(rng.gen::<u16>()).into(),
                planes: 1.into(),
                ..Default::default()
            };
            dut.prepare.next = true;
            clock(&mut dut);
            dut.prepare.next = false;
            (0..rng.gen_range(0..20)).for_each(|_| clock(&mut dut));

            let [rows, row, stride, source_stride] = [(); 4].map(|()| rng.gen_range(2..9u64));
            let (room, source_room) = (rng.gen_range(20..90u64), rng.gen_range(20..90u64));
            dut.operands.next = Operands {
                rows: rows.into(),
                planes: 1.into(),
                row: row.into(),
                stride: stride.into(),
                source_stride: source_stride.into(),
                room: room.into(),
                source_room: source_room.into(),
                ..Default::default()
            };
            dut.remote.next = rng.gen();
            dut.prepare.next = true;
            dut.start.next = true;
            settle(&mut dut);
            while !dut.done.val() {
                clock(&mut dut);
                dut.prepare.next = false;
                dut.start.next = false;
            }
            let reach = |stride: u64| row + (rows - 1) * stride;
            let expected = match () {
                () if dut.remote.val() && reach(stride) > room => ErrorCode::OutOfSegment as u64,
                () if reach(source_stride) > source_room => ErrorCode::OutOfMemory as u64,
                () => 0,
            };
            assert_eq!(dut.error.val(), expected, "{rows} rows of {row}");
            errors[usize::from(expected > 0) + usize::from(expected == ErrorCode::OutOfMemory as u64)] += 1;
            clock(&mut dut);
        }
        assert!(errors.iter().all(|&times| times > 100), "{errors:?}");
    }
}
