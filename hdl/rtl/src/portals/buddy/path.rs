use super::{BuddyStage, NODE_WIDTH};
use portico_spec::portals::buddy::Heap;
use portico_verilog::prelude::*;

/// The path through the tree, a node a cycle.
///
/// The walk through words of `W` = 2^`R` nodes.
///
/// | | |
/// | --- | --- |
/// | latency | 0 from the stage to `next_node`, which is `node` in the next cycle and in hand in the one after |
/// | throughput | one node a cycle |
/// | state | the node in hand |
///
/// A grant goes down: to the free block that is found, tier by tier, then from it to its left half and so on to the smallest
/// block. A release goes up, from the smallest block at the address. A sweep goes from word to word.
#[derive(LogicBlock, Default)]
pub struct Path<const W: usize, const R: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the node is the first of word 1, where the sweep begins.
    pub rst: Signal<In, Bit>,
    /// The stage of the command, which gives the next step.
    pub stage: Signal<In, BuddyStage>,
    /// The command is to free.
    pub is_free: Signal<In, Bit>,
    /// The smallest block at the address of a command that is to free, as a node.
    pub leaf: Signal<In, Bits<NODE_WIDTH>>,
    /// As in the control: there are tiers left to look through.
    pub leads_on: Signal<In, Bit>,
    /// As in the search: the first place found, which is the low part of the node's number in stage `Place`.
    pub place: Signal<In, Bits<R>>,
    /// The node in hand in one cycle: the last `next_node`.
    pub node: Signal<Out, Bits<NODE_WIDTH>>,
    /// The node in hand in two cycles.
    pub next_node: Signal<Out, Bits<NODE_WIDTH>>,
    /// `node` is a smallest block.
    pub at_leaf: Signal<Out, Bit>,
    /// `node` is the first one of the last word.
    pub at_last_word: Signal<Out, Bit>,
    current: DFF<Bits<NODE_WIDTH>>,
    found: Signal<Local, Bits<NODE_WIDTH>>,
    last_word: Constant<Bits<NODE_WIDTH>>,
    first_leaf: Constant<Bits<NODE_WIDTH>>,
}

impl<const W: usize, const R: usize> Path<W, R> {
    /// A path through the tree over `heap`.
    pub fn new(heap: Heap) -> Self {
        let blocks = u64::from(heap.blocks());
        Self {
            last_word: Constant::new(bits(2 * blocks - W as u64)),
            first_leaf: Constant::new(bits(blocks)),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const R: usize> Logic for Path<W, R> {
    fn update(&mut self) {
        dff_setup!(self, clk, current);
        self.node.next = self.current.q.val();
        self.at_leaf.next = (self.current.q.val() & self.first_leaf.val()).any();
        self.at_last_word.next = self.current.q.val() == self.last_word.val();
        self.found.next = self.current.q.val() | bit_cast::<NODE_WIDTH, R>(self.place.val());
        self.next_node.next = self.current.q.val();
        match self.stage.val() {
            BuddyStage::Sweep => {
                self.next_node.next = self.current.q.val() + bits::<NODE_WIDTH>(W);
            }
            BuddyStage::Idle => {
                self.next_node.next = 0.into();
                if self.is_free.val() {
                    self.next_node.next = self.leaf.val();
                }
            }
            BuddyStage::Place => {
                self.next_node.next = self.found.val();
                if self.leads_on.val() {
                    self.next_node.next = self.found.val() << bits::<3>(R);
                }
            }
            BuddyStage::Down => {
                self.next_node.next = self.current.q.val() << 1;
                if self.at_leaf.val() {
                    self.next_node.next = self.current.q.val();
                }
            }
            BuddyStage::Up => {
                self.next_node.next = self.current.q.val() >> 1;
            }
            _ => {}
        }
        self.current.d.next = self.next_node.val();
        if self.rst.val() {
            self.current.d.next = bits::<NODE_WIDTH>(W);
        }
    }
}
