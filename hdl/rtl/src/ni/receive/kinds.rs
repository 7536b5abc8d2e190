use portico_spec::{flit::KIND_WIDTH, ni::packet::DataKind};
use portico_verilog::prelude::*;

/// Kinds of packets, told apart.
///
/// One output a kind of the data plane.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct Kinds {
    pub kind: Signal<In, Bits<KIND_WIDTH>>,
    pub put: Signal<Out, Bit>,
    pub reply: Signal<Out, Bit>,
    pub stream: Signal<Out, Bit>,
    pub atomic: Signal<Out, Bit>,
    pub message: Signal<Out, Bit>,
}

#[kernel]
impl Logic for Kinds {
    fn update(&mut self) {
        self.put.next = self.kind.val() == bits::<KIND_WIDTH>(DataKind::Put as u64);
        self.reply.next = self.kind.val() == bits::<KIND_WIDTH>(DataKind::Reply as u64);
        self.stream.next = self.kind.val() == bits::<KIND_WIDTH>(DataKind::Stream as u64);
        self.atomic.next = self.kind.val() == bits::<KIND_WIDTH>(DataKind::Atomic as u64);
        self.message.next = self.kind.val() == bits::<KIND_WIDTH>(DataKind::Message as u64);
    }
}
