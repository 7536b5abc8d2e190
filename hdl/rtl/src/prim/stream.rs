//! The one handshake: ready and valid with a last, as in AMBA AXI4-Stream (ARM IHI 0051).
//!
//! A beat passes in each cycle in which `tvalid` and `tready` are both high. Once `tvalid` is high it stays so, with
//! `tdata` and `tlast` unchanged, until the beat has passed; it never waits for `tready`.
//!
//! Port names follow the field: `s_axis: StreamIn<32>` has `s_axis_tdata`, `s_axis_tlast`, `s_axis_tvalid` and
//! `s_axis_tready`. A block passes a side on to a part of its own with `StreamIn::link` or `StreamOut::link`, and connects
//! one part's output with the next part's input with `StreamOut::join`.

use portico_verilog::prelude::*;

/// The side of a stream that takes beats of `W` bits.
#[interface(mirror = StreamOut)]
pub struct StreamIn<const W: usize> {
    /// One flit or beat.
    pub tdata: Signal<In, Bits<W>>,
    /// High in the last beat of a packet.
    pub tlast: Signal<In, Bit>,
    /// There is a beat.
    pub tvalid: Signal<In, Bit>,
    /// The beat is taken.
    pub tready: Signal<Out, Bit>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, settle};
    use crate::prim::SkidBuffer;

    /// Two skid buffers in a row: both sides passed on, one joint between.
    #[derive(LogicBlock, Default)]
    struct Row {
        pub clk: Signal<In, Clock>,
        pub rst: Signal<In, Bit>,
        pub s_axis: StreamIn<8>,
        pub m_axis: StreamOut<8>,
        first: SkidBuffer<8>,
        second: SkidBuffer<8>,
    }

    #[kernel]
    impl Logic for Row {
        fn update(&mut self) {
            wire!(self => first, second: clk, rst);
            wire!(self <=> first: s_axis);
            wire!(first.m_axis <=> second.s_axis);
            wire!(self <=> second: m_axis);
        }
    }

    clocked!([] Row);

    #[test]
    fn links_and_joints_carry_beats_and_back_pressure() {
        let mut dut = reset(Row::default());
        dut.s_axis.tvalid.next = true;
        let mut taken = 0;
        for beat in 0..10u64 {
            dut.s_axis.tdata.next = beat.into();
            dut.s_axis.tlast.next = beat == 3;
            settle(&mut dut);
            taken += u64::from(dut.s_axis.tready.val());
            clock(&mut dut);
        }
        assert_eq!(taken, 4, "each buffer holds two");
        dut.s_axis.tvalid.next = false;
        dut.m_axis.tready.next = true;
        for beat in 0..taken {
            settle(&mut dut);
            let seen = (
                dut.m_axis.tvalid.val(),
                dut.m_axis.tdata.val().to_u64(),
                dut.m_axis.tlast.val(),
            );
            assert_eq!(seen, (true, beat, beat == 3));
            clock(&mut dut);
        }
        assert!(!dut.m_axis.tvalid.val(), "a beat came twice");
    }
}
