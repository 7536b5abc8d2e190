use crate::bus::{AddressDecoder, HeadDecoder};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::packet::{DataKind, OFFSET_WIDTH, OPERATION_WIDTH, SLOT_WIDTH},
};
use portico_verilog::prelude::*;

/// What the words in front of the payload say, for as long as the packet lasts.
///
/// Head and ADDRESS of the packet in hand.
///
/// | | |
/// | --- | --- |
/// | latency | combinational for what begins with `next_`; else from flip-flops |
/// | state | the fields of head and ADDRESS |
#[derive(LogicBlock, Default)]
pub struct Header {
    pub clk: Signal<In, Clock>,
    /// The low 32 bits of the flit.
    pub word: Signal<In, Bits<32>>,
    /// The flit is a head, and is taken.
    pub take_head: Signal<In, Bit>,
    /// The flit is an ADDRESS word, and is taken.
    pub take_address: Signal<In, Bit>,
    /// Kind of the flit in hand, if it is a head.
    pub next_kind: Signal<Out, Bits<KIND_WIDTH>>,
    /// Offset of the ADDRESS word in hand, if it is one; in words.
    pub next_offset: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// A GEOMETRY word follows the ADDRESS word in hand, if it is one and not that of an atomic.
    pub next_strided: Signal<Out, Bit>,
    /// Kind of the packet in hand.
    pub kind: Signal<Out, Bits<KIND_WIDTH>>,
    /// Tag of the packet in hand, as its head has it; of a REPLY it is the slot of the get.
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    /// Node that sent the packet in hand.
    pub source: Signal<Out, Bits<NODE_WIDTH>>,
    /// The packet is the last of its transfer.
    pub last: Signal<Out, Bit>,
    /// Transaction slot of the initiator; of the last reply to a get: the error that broke it off, or 0.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// Offset in the window, in words; of a reply the address in the memory.
    pub offset: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// Upper half of a 64-bit word, for atomics.
    pub half: Signal<Out, Bit>,
    /// Operation of an atomic.
    pub operation: Signal<Out, Bits<OPERATION_WIDTH>>,
    /// The atomic is of 64 bits, and the node does these.
    pub wide: Signal<Out, Bit>,
    /// The atomic is of 64 bits, and the node does none of these.
    pub unbuilt: Signal<Out, Bit>,
    head: HeadDecoder,
    address: AddressDecoder,
    held_kind: DFF<Bits<KIND_WIDTH>>,
    held_tag: DFF<Bits<TAG_WIDTH>>,
    held_source: DFF<Bits<NODE_WIDTH>>,
    held_last: DFF<Bit>,
    held_slot: DFF<Bits<SLOT_WIDTH>>,
    held_offset: DFF<Bits<OFFSET_WIDTH>>,
    held_half: DFF<Bit>,
    held_operation: DFF<Bits<OPERATION_WIDTH>>,
    held_wide: DFF<Bit>,
    held_unbuilt: DFF<Bit>,
    pairs: Constant<Bit>,
}

impl Header {
    /// With `pairs`, an atomic may be of 64 bits.
    pub fn new(pairs: bool) -> Self {
        Self {
            pairs: Constant::new(pairs),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Header {
    fn update(&mut self) {
        dff_setup!(self, clk, held_kind, held_tag, held_source, held_last, held_slot);
        dff_setup!(self, clk, held_offset);
        dff_setup!(self, clk, held_half, held_operation, held_wide, held_unbuilt);
        self.head.word.next = self.word.val();
        self.address.word.next = self.word.val();
        self.next_kind.next = self.head.kind.val();
        self.next_offset.next = self.address.offset.val();
        self.next_strided.next = self.address.strided.val();
        if self.take_head.val() {
            self.held_kind.d.next = self.head.kind.val();
            self.held_tag.d.next = self.head.tag.val();
            self.held_source.d.next = self.head.source.val();
            self.held_last.d.next = self.head.last.val();
        }
        if self.take_address.val() {
            self.held_slot.d.next = self.address.slot.val();
            self.held_offset.d.next = self.address.offset.val();
            self.held_half.d.next = self.address.strided.val();
            self.held_operation.d.next = self.address.operation.val();
            self.held_wide.d.next = self.address.wide.val() & self.pairs.val();
            self.held_unbuilt.d.next = self.address.wide.val() & !self.pairs.val();
        }
        self.kind.next = self.held_kind.q.val();
        self.tag.next = self.held_tag.q.val();
        self.source.next = self.held_source.q.val();
        self.slot.next = self.held_slot.q.val();
        self.last.next = self.held_last.q.val();
        self.offset.next = self.held_offset.q.val();
        self.half.next = self.held_half.q.val();
        self.operation.next = self.held_operation.q.val();
        self.wide.next = self.held_wide.q.val();
        self.unbuilt.next = self.held_unbuilt.q.val();
    }
}

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
    /// Kind of a packet of the data plane.
    pub kind: Signal<In, Bits<KIND_WIDTH>>,
    /// The packet is a PUT.
    pub put: Signal<Out, Bit>,
    /// The packet is a REPLY.
    pub reply: Signal<Out, Bit>,
    /// The packet is a STREAM.
    pub stream: Signal<Out, Bit>,
    /// The packet is an ATOMIC.
    pub atomic: Signal<Out, Bit>,
    /// The packet is a MESSAGE, and the node has queues.
    pub message: Signal<Out, Bit>,
    queues: Constant<Bit>,
}

impl Kinds {
    /// Messages are a kind only where there are `queues`.
    pub fn new(queues: bool) -> Self {
        Self {
            queues: Constant::new(queues),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Kinds {
    fn update(&mut self) {
        self.put.next = self.kind.val() == bits::<KIND_WIDTH>(DataKind::Put as u64);
        self.reply.next = self.kind.val() == bits::<KIND_WIDTH>(DataKind::Reply as u64);
        self.stream.next = self.kind.val() == bits::<KIND_WIDTH>(DataKind::Stream as u64);
        self.atomic.next = self.kind.val() == bits::<KIND_WIDTH>(DataKind::Atomic as u64);
        self.message.next = self.queues.val() & (self.kind.val() == bits::<KIND_WIDTH>(DataKind::Message as u64));
    }
}
