use super::{StreamIn, StreamOut};
use portico_verilog::prelude::*;

/// Skid buffer: registers both directions of a stream.
///
/// Cuts every path through a stream of `W` data bits.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one beat a cycle |
/// | timing | every output comes straight from a flip-flop |
/// | state | two beats of `W` + 1 bits, and whether there is each |
///
/// `s_axis_tready` is a cycle late by nature; the beat that arrives in that cycle waits in the spare register.
#[derive(LogicBlock, Default)]
pub struct SkidBuffer<const W: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the buffer is empty afterwards.
    pub rst: Signal<In, Bit>,
    /// Beats that go in.
    pub s_axis: StreamIn<W>,
    /// Beats that come out.
    pub m_axis: StreamOut<W>,
    offered: DFF<Bit>,
    data: DFF<Bits<W>>,
    last: DFF<Bit>,
    spare_free: DFF<Bit>,
    spare_data: DFF<Bits<W>>,
    spare_last: DFF<Bit>,
    free: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize> Logic for SkidBuffer<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, offered, data, last, spare_free, spare_data, spare_last);
        self.s_axis.tready.next = self.spare_free.q.val();
        self.m_axis.tvalid.next = self.offered.q.val();
        self.m_axis.tdata.next = self.data.q.val();
        self.m_axis.tlast.next = self.last.q.val();

        self.free.next = self.m_axis.tready.val() | !self.offered.q.val();
        if self.free.val() {
            self.offered.d.next = self.s_axis.tvalid.val() | !self.spare_free.q.val();
            if self.spare_free.q.val() {
                self.data.d.next = self.s_axis.tdata.val();
                self.last.d.next = self.s_axis.tlast.val();
            } else {
                self.data.d.next = self.spare_data.q.val();
                self.last.d.next = self.spare_last.q.val();
            }
        }
        if self.spare_free.q.val() {
            self.spare_data.d.next = self.s_axis.tdata.val();
            self.spare_last.d.next = self.s_axis.tlast.val();
        }
        self.spare_free.d.next = self.free.val() | (self.spare_free.q.val() & !self.s_axis.tvalid.val());
        if self.rst.val() {
            self.offered.d.next = false;
            self.spare_free.d.next = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clocked, queues_beats, streamed};

    clocked!([const W: usize] SkidBuffer<W>);
    streamed!([] SkidBuffer<32>);

    #[test]
    fn carries_the_stream_as_a_queue_of_two() {
        queues_beats(SkidBuffer::default(), 2);
    }
}
