use super::{BuddyStage, NODE_WIDTH};
use portico_spec::portals::buddy::ORDER_WIDTH;
use portico_verilog::prelude::*;

/// The marks that a walk sets or clears on its path, and the size of the block.
///
/// Marks on the way down, unmarks on the way up.
///
/// | | |
/// | --- | --- |
/// | latency | 0 |
/// | throughput | one node a cycle |
/// | state | the depths that suffice, where a release is, the order |
///
/// A grant marks nodes until blocks are no longer large enough. A release unmarks nodes from the live block on while buddies join.
/// The steps below the block, which mark nothing, count its order. A release finds the live block as the first used node. Only
/// there it knows the block to free, so it writes nothing before.
#[derive(LogicBlock, Default)]
pub struct Marker {
    pub clk: Signal<In, Clock>,
    /// Of the node in hand.
    pub stage: Signal<In, BuddyStage>,
    /// As in the control: nothing is in hand, and `sufficient` is taken.
    pub idle: Signal<In, Bit>,
    /// As in the request: one bit a depth, blocks there are as large as the size; taken while `idle`.
    pub sufficient: Signal<In, Bits<NODE_WIDTH>>,
    /// The node in hand.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// The node in hand is used.
    pub used: Signal<In, Bit>,
    /// The buddy of the node in hand is used.
    pub buddy_used: Signal<In, Bit>,
    /// The node in hand becomes used.
    pub mark: Signal<Out, Bit>,
    /// The node in hand is used no more.
    pub unmark: Signal<Out, Bit>,
    /// The word of the node in hand is cleared.
    pub clear: Signal<Out, Bit>,
    /// The release is over here: at a node whose buddy is used, or because no block starts at its address.
    pub ends: Signal<Out, Bit>,
    /// The release is over here because no block starts at its address: it lies inside a live block.
    pub misplaced: Signal<Out, Bit>,
    /// The release is over here because the block is free.
    pub not_live: Signal<Out, Bit>,
    /// Order of the block granted or freed, from the end of the walk until the result is taken.
    pub order: Signal<Out, Bits<ORDER_WIDTH>>,
    enough: DFF<Bits<NODE_WIDTH>>,
    joining: DFF<Bit>,
    past_start: DFF<Bit>,
    steps: DFF<Bits<ORDER_WIDTH>>,
    is_enough: Signal<Local, Bit>,
    is_live: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Marker {
    fn update(&mut self) {
        dff_setup!(self, clk, enough, joining, past_start, steps);
        // As a number, what is sufficient is the last node of the deepest depth that is.
        self.is_enough.next = !(self.node.val() & !self.enough.q.val()).any();
        self.is_live.next = self.joining.q.val() | (self.used.val() & !self.past_start.q.val());
        self.misplaced.next = !self.is_live.val() & self.used.val();
        self.not_live.next = !self.is_live.val() & !self.used.val() & self.buddy_used.val();
        self.ends.next = self.misplaced.val() | self.buddy_used.val();
        self.order.next = self.steps.q.val();
        if self.idle.val() {
            self.enough.d.next = self.sufficient.val();
        }
        self.mark.next = false;
        self.unmark.next = false;
        self.clear.next = false;
        match self.stage.val() {
            BuddyStage::Sweep => {
                self.clear.next = true;
            }
            BuddyStage::Idle => {
                self.joining.d.next = false;
                self.past_start.d.next = false;
                self.steps.d.next = 0.into();
            }
            BuddyStage::Down => {
                self.mark.next = self.is_enough.val();
                if !self.is_enough.val() {
                    self.steps.d.next = self.steps.q.val() + 1;
                }
            }
            BuddyStage::Up => {
                self.unmark.next = self.is_live.val();
                self.joining.d.next = self.is_live.val();
                self.past_start.d.next = self.past_start.q.val() | self.node.val().get_bit(0);
                if !self.is_live.val() {
                    self.steps.d.next = self.steps.q.val() + 1;
                }
            }
            _ => {}
        }
    }
}
