use super::NODE_WIDTH;
use portico_spec::portals::buddy::{Heap, BYTES_WIDTH, ORDER_WIDTH};
use portico_verilog::prelude::*;

/// Free bytes and the largest free block.
///
/// Counts free blocks, and knows the largest.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | timing | both outputs come straight from flip-flops |
/// | state | free blocks, and bytes of the largest |
#[derive(LogicBlock, Default)]
pub struct Account {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the whole heap is free.
    pub rst: Signal<In, Bit>,
    /// A block of this order is granted.
    pub granted: Signal<In, Bit>,
    /// A block of this order comes back.
    pub freed: Signal<In, Bit>,
    /// Of the block granted or freed.
    pub order: Signal<In, Bits<ORDER_WIDTH>>,
    /// One bit a depth: there is a free block.
    pub available: Signal<In, Bits<NODE_WIDTH>>,
    /// Bytes of all free blocks.
    pub free_bytes: Signal<Out, Bits<BYTES_WIDTH>>,
    /// Bytes of the largest free block, 0 if there is none.
    pub largest_free: Signal<Out, Bits<BYTES_WIDTH>>,
    free_blocks: DFF<Bits<NODE_WIDTH>>,
    largest: DFF<Bits<BYTES_WIDTH>>,
    size: Signal<Local, Bits<NODE_WIDTH>>,
    blocks: Constant<Bits<NODE_WIDTH>>,
    bytes: Constant<Bits<BYTES_WIDTH>>,
    block_bits: Constant<Bits<5>>,
    top_order: Constant<Bits<ORDER_WIDTH>>,
    _orders: usize,
}

impl Account {
    /// For `heap`, all of it free after reset.
    pub fn new(heap: Heap) -> Self {
        let block_bits = heap.block().ilog2();
        Self {
            blocks: Constant::new(bits(heap.blocks().into())),
            bytes: Constant::new(bits(heap.bytes().into())),
            block_bits: Constant::new(bits(block_bits.into())),
            top_order: Constant::new(bits(heap.top_order().into())),
            _orders: heap.top_order() as usize + 1,
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Account {
    fn update(&mut self) {
        dff_setup!(self, clk, free_blocks, largest);
        self.free_bytes.next = bit_cast::<BYTES_WIDTH, NODE_WIDTH>(self.free_blocks.q.val()) << self.block_bits.val();
        self.largest_free.next = self.largest.q.val();

        self.size.next = bits::<NODE_WIDTH>(1) << self.order.val();
        if self.granted.val() {
            self.free_blocks.d.next = self.free_blocks.q.val() - self.size.val();
        }
        if self.freed.val() {
            self.free_blocks.d.next = self.free_blocks.q.val() + self.size.val();
        }
        self.largest.d.next = 0.into();
        for rank in 0..self._orders {
            if self.available.val().get_bit(self.top_order.val().index() - rank) {
                self.largest.d.next = bits::<BYTES_WIDTH>(0).replace_bit(rank + self.block_bits.val().index(), true);
            }
        }
        if self.rst.val() {
            self.free_blocks.d.next = self.blocks.val();
            self.largest.d.next = self.bytes.val();
        }
    }
}
