use super::NODE_WIDTH;
use portico_spec::portals::buddy::{Heap, OPERAND_WIDTH, OPERATION_OFFSET};
use portico_verilog::prelude::*;

/// A command, in nodes and depths.
///
/// Reads a command.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct BuddyRequest {
    /// The word of the command, as [`portico_spec::portals::buddy::command`] makes it.
    pub command: Signal<In, Bits<32>>,
    /// It gives a block back.
    pub is_free: Signal<Out, Bit>,
    /// No smallest block starts at this address.
    pub foreign: Signal<Out, Bit>,
    /// The node of the smallest block at this address.
    pub leaf: Signal<Out, Bits<NODE_WIDTH>>,
    /// Its size is zero.
    pub zero_size: Signal<Out, Bit>,
    /// One bit a depth: blocks there are as large as the size. As a number, the last node of the deepest such depth.
    pub sufficient: Signal<Out, Bits<NODE_WIDTH>>,
    operand: Signal<Local, Bits<OPERAND_WIDTH>>,
    last_byte: Signal<Local, Bits<OPERAND_WIDTH>>,
    block_bits: Constant<Bits<5>>,
    no_address: Constant<Bits<OPERAND_WIDTH>>,
    first_leaf: Constant<Bits<NODE_WIDTH>>,
    /// By depth: offsets that lie beyond a block there.
    beyond: Vec<Constant<Bits<OPERAND_WIDTH>>>,
    _depths: usize,
}

impl BuddyRequest {
    /// For commands to `heap`.
    pub fn new(heap: Heap) -> Self {
        let all = (1u64 << OPERAND_WIDTH) - 1;
        let outside_of = |bytes: u32| all & !u64::from(bytes - 1);
        let addresses = u64::from(heap.bytes() - heap.block());
        let orders = (0..=heap.top_order()).rev();
        Self {
            block_bits: Constant::new(bits(heap.block().ilog2().into())),
            no_address: Constant::new(bits(all & !addresses)),
            first_leaf: Constant::new(bits(heap.blocks().into())),
            beyond: orders
                .map(|order| Constant::new(bits(outside_of(heap.bytes_of(order)))))
                .collect(),
            _depths: heap.top_order() as usize + 1,
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for BuddyRequest {
    fn update(&mut self) {
        self.is_free.next = self.command.val().get_bit(OPERATION_OFFSET);
        self.operand.next = self.command.val().get_bits::<OPERAND_WIDTH>(0);
        self.foreign.next = (self.operand.val() & self.no_address.val()).any();
        self.leaf.next =
            bit_cast::<NODE_WIDTH, OPERAND_WIDTH>(self.operand.val() >> self.block_bits.val()) | self.first_leaf.val();
        self.zero_size.next = !self.operand.val().any();
        self.last_byte.next = self.operand.val() - 1;
        self.sufficient.next = 0.into();
        for depth in 0..self._depths {
            self.sufficient.next = self
                .sufficient
                .val()
                .replace_bit(depth, !(self.last_byte.val() & self.beyond[depth].val()).any());
        }
    }
}
