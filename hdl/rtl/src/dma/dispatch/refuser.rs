use crate::{bus::HeadEncoder, prim::StreamOut};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::packet::{ControlKind, ERROR_WIDTH, SLOT_WIDTH},
};
use portico_verilog::prelude::*;

/// Refuses a request: a packet of two flits on the control plane.
///
/// Sends what is offered; `ready` with the last flit.
///
/// | | |
/// | --- | --- |
/// | latency | 0 cycles to the head, 1 to the code |
/// | throughput | one refusal in two cycles |
/// | state | 1 flip-flop |
#[derive(LogicBlock, Default)]
pub struct Refuser {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Stays with the fields below until `ready`.
    pub valid: Signal<In, Bit>,
    pub destination: Signal<In, Bits<NODE_WIDTH>>,
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
    pub error: Signal<In, Bits<ERROR_WIDTH>>,
    pub ready: Signal<Out, Bit>,
    pub m_axis: StreamOut<32>,
    head: HeadEncoder,
    in_code: DFF<Bit>,
}

#[kernel]
impl Logic for Refuser {
    fn update(&mut self) {
        dff_setup!(self, clk, in_code);
        self.head.destination.next = self.destination.val();
        self.head.source.next = self.node.val();
        self.head.tag.next = bit_cast::<TAG_WIDTH, SLOT_WIDTH>(self.slot.val());
        self.head.kind.next = bits::<KIND_WIDTH>(ControlKind::Refuse as u64);
        self.head.last.next = false;
        self.m_axis.tvalid.next = self.valid.val();
        self.m_axis.tlast.next = self.in_code.q.val();
        self.m_axis.tdata.next = self.head.word.val();
        if self.in_code.q.val() {
            self.m_axis.tdata.next = bit_cast::<32, ERROR_WIDTH>(self.error.val());
        }
        self.ready.next = self.in_code.q.val() & self.m_axis.tready.val();
        if self.valid.val() & self.m_axis.tready.val() {
            self.in_code.d.next = !self.in_code.q.val();
        }
        if self.rst.val() {
            self.in_code.d.next = false;
        }
    }
}
