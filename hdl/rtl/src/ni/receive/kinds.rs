//! Kinds of packets, told apart.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | state | none |

use portico_spec::{flit::KIND_WIDTH, ni::packet::DataKind};
use rust_hdl::prelude::*;

/// One output a kind of the data plane.
#[derive(LogicBlock)]
pub struct Kinds {
    pub kind: Signal<In, Bits<KIND_WIDTH>>,
    pub put: Signal<Out, Bit>,
    pub reply: Signal<Out, Bit>,
    pub stream: Signal<Out, Bit>,
    pub atomic: Signal<Out, Bit>,
    pub message: Signal<Out, Bit>,
    put_kind: Constant<Bits<KIND_WIDTH>>,
    reply_kind: Constant<Bits<KIND_WIDTH>>,
    stream_kind: Constant<Bits<KIND_WIDTH>>,
    atomic_kind: Constant<Bits<KIND_WIDTH>>,
    message_kind: Constant<Bits<KIND_WIDTH>>,
}

impl Default for Kinds {
    fn default() -> Self {
        let number = |kind: DataKind| Constant::new(bits(kind as u64));
        Self {
            kind: Default::default(),
            put: Default::default(),
            reply: Default::default(),
            stream: Default::default(),
            atomic: Default::default(),
            message: Default::default(),
            put_kind: number(DataKind::Put),
            reply_kind: number(DataKind::Reply),
            stream_kind: number(DataKind::Stream),
            atomic_kind: number(DataKind::Atomic),
            message_kind: number(DataKind::Message),
        }
    }
}

impl Logic for Kinds {
    #[hdl_gen]
    fn update(&mut self) {
        self.put.next = self.kind.val() == self.put_kind.val();
        self.reply.next = self.kind.val() == self.reply_kind.val();
        self.stream.next = self.kind.val() == self.stream_kind.val();
        self.atomic.next = self.kind.val() == self.atomic_kind.val();
        self.message.next = self.kind.val() == self.message_kind.val();
    }
}
