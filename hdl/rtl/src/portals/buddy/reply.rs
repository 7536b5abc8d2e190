use super::NODE_WIDTH;
use portico_spec::portals::buddy::{Heap, ORDER_OFFSET, ORDER_WIDTH, STATUS_OFFSET, STATUS_WIDTH};
use portico_verilog::prelude::*;

/// A result as a beat.
///
/// Status, order and address in their places.
///
/// | | |
/// | --- | --- |
/// | latency | 0: logic alone |
#[derive(LogicBlock, Default)]
pub struct Reply {
    /// How the command ended; 0 if a block was granted or freed.
    pub status: Signal<In, Bits<STATUS_WIDTH>>,
    /// The command was to free: no address is told.
    pub frees: Signal<In, Bit>,
    /// Order of the block granted or freed; told only if the status is 0.
    pub order: Signal<In, Bits<ORDER_WIDTH>>,
    /// The first smallest block of the one granted.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// The result: address, order and status in their places.
    pub beat: Signal<Out, Bits<32>>,
    told_address: Signal<Local, Bits<32>>,
    told_order: Signal<Local, Bits<32>>,
    offset_mask: Constant<Bits<NODE_WIDTH>>,
    block_bits: Constant<Bits<5>>,
}

impl Reply {
    /// Results of an allocator of `heap`.
    pub fn new(heap: Heap) -> Self {
        Self {
            offset_mask: Constant::new(bits(u64::from(heap.blocks()) - 1)),
            block_bits: Constant::new(bits(heap.block().ilog2().into())),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Reply {
    fn update(&mut self) {
        self.told_address.next = 0.into();
        self.told_order.next = 0.into();
        if !self.status.val().any() {
            self.told_order.next = field::<32, ORDER_WIDTH>(self.order.val(), ORDER_OFFSET);
            if !self.frees.val() {
                self.told_address.next =
                    bit_cast::<32, NODE_WIDTH>(self.node.val() & self.offset_mask.val()) << self.block_bits.val();
            }
        }
        self.beat.next = self.told_address.val()
            | self.told_order.val()
            | field::<32, STATUS_WIDTH>(self.status.val(), STATUS_OFFSET);
    }
}
