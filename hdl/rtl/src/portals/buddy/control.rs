//! The walk through the tree: the node in hand, a node a cycle.
//!
//! | | |
//! | --- | --- |
//! | latency | from `start` to `finished`: 1 cycle for an error that the command shows, else 2 to 17 (see the allocator) |
//! | throughput | one command at a time |
//! | state | stage, node, order, status |
//!
//! A grant goes down: to the free block that is found, then from it to its left half and so on, marking, until blocks are
//! no longer sufficient; and on without marking to the smallest block, whose number is the address. A release goes up from
//! the smallest block at the address: to the live block, which is the first used node, then on while buddies join. What
//! the command asks for is known only at the first used node, and nothing is written before.

use super::NODE_WIDTH;
use portico_spec::portals::buddy::{Heap, Status, ORDER_WIDTH, STATUS_WIDTH};
use rust_hdl::prelude::*;

/// What happens in a cycle.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Stage {
    /// Clears the words of the nodes after a reset.
    Sweep,
    Idle,
    /// Looks for the first free place, in the tier of the smallest sufficient blocks that are there.
    Pick,
    /// Looks on among the words of the group found.
    SeekWord,
    /// Looks on among the nodes of the word found.
    SeekNode,
    Down,
    Up,
    /// The last word's summary follows.
    Settle,
    /// A result is offered.
    Offer,
}

#[derive(LogicBlock)]
pub struct Control<const W: usize, const R: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// A command is there; it is taken if `idle`.
    pub start: Signal<In, Bit>,
    pub is_free: Signal<In, Bit>,
    pub foreign: Signal<In, Bit>,
    pub leaf: Signal<In, Bits<NODE_WIDTH>>,
    pub zero_size: Signal<In, Bit>,
    pub sufficient: Signal<In, Bits<NODE_WIDTH>>,
    pub none: Signal<In, Bit>,
    pub leads_to_word: Signal<In, Bit>,
    pub leads_to_group: Signal<In, Bit>,
    pub place: Signal<In, Bits<R>>,
    /// The node in hand is used, its buddy is.
    pub used: Signal<In, Bit>,
    pub buddy_used: Signal<In, Bit>,
    pub node: Signal<Out, Bits<NODE_WIDTH>>,
    pub next_node: Signal<Out, Bits<NODE_WIDTH>>,
    pub mark: Signal<Out, Bit>,
    pub unmark: Signal<Out, Bit>,
    pub clear: Signal<Out, Bit>,
    pub seeks_word: Signal<Out, Bit>,
    pub seeks_node: Signal<Out, Bit>,
    pub initialising: Signal<Out, Bit>,
    pub idle: Signal<Out, Bit>,
    /// The heap has changed: a block is granted or freed.
    pub granted: Signal<Out, Bit>,
    pub freed: Signal<Out, Bit>,
    pub order: Signal<Out, Bits<ORDER_WIDTH>>,
    pub status: Signal<Out, Bits<STATUS_WIDTH>>,
    /// The command in hand is, or the last one was, to free.
    pub frees: Signal<Out, Bit>,
    pub offers: Signal<Out, Bit>,
    pub taken: Signal<In, Bit>,
    stage: DFF<Stage>,
    current: DFF<Bits<NODE_WIDTH>>,
    enough: DFF<Bits<NODE_WIDTH>>,
    releasing: DFF<Bit>,
    joining: DFF<Bit>,
    past_start: DFF<Bit>,
    steps: DFF<Bits<ORDER_WIDTH>>,
    ended: DFF<Bits<STATUS_WIDTH>>,
    is_enough: Signal<Local, Bit>,
    is_live: Signal<Local, Bit>,
    found: Signal<Local, Bits<NODE_WIDTH>>,
    radix: Constant<Bits<3>>,
    word: Constant<Bits<NODE_WIDTH>>,
    last_word: Constant<Bits<NODE_WIDTH>>,
    first_leaf: Constant<Bits<NODE_WIDTH>>,
    done: Constant<Bits<STATUS_WIDTH>>,
    zero: Constant<Bits<STATUS_WIDTH>>,
    large: Constant<Bits<STATUS_WIDTH>>,
    exhausted: Constant<Bits<STATUS_WIDTH>>,
    not_live: Constant<Bits<STATUS_WIDTH>>,
    misplaced: Constant<Bits<STATUS_WIDTH>>,
}

impl<const W: usize, const R: usize> Control<W, R> {
    pub fn new(heap: Heap) -> Self {
        let status = |status: Status| Constant::new(bits(status as u64));
        let blocks = u64::from(heap.blocks());
        Self {
            clk: Default::default(),
            rst: Default::default(),
            start: Default::default(),
            is_free: Default::default(),
            foreign: Default::default(),
            leaf: Default::default(),
            zero_size: Default::default(),
            sufficient: Default::default(),
            none: Default::default(),
            leads_to_word: Default::default(),
            leads_to_group: Default::default(),
            place: Default::default(),
            used: Default::default(),
            buddy_used: Default::default(),
            node: Default::default(),
            next_node: Default::default(),
            mark: Default::default(),
            unmark: Default::default(),
            clear: Default::default(),
            seeks_word: Default::default(),
            seeks_node: Default::default(),
            initialising: Default::default(),
            idle: Default::default(),
            granted: Default::default(),
            freed: Default::default(),
            order: Default::default(),
            status: Default::default(),
            frees: Default::default(),
            offers: Default::default(),
            taken: Default::default(),
            stage: Default::default(),
            current: Default::default(),
            enough: Default::default(),
            releasing: Default::default(),
            joining: Default::default(),
            past_start: Default::default(),
            steps: Default::default(),
            ended: Default::default(),
            is_enough: Default::default(),
            is_live: Default::default(),
            found: Default::default(),
            radix: Constant::new(bits(R as u64)),
            word: Constant::new(bits(W as u64)),
            last_word: Constant::new(bits(2 * blocks - W as u64)),
            first_leaf: Constant::new(bits(blocks)),
            done: status(Status::Done),
            zero: status(Status::ZeroSize),
            large: status(Status::TooLarge),
            exhausted: status(Status::Exhausted),
            not_live: status(Status::NotLive),
            misplaced: status(Status::Foreign),
        }
    }
}

impl<const W: usize, const R: usize> Logic for Control<W, R> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, stage, current, enough, releasing, joining, past_start, steps, ended);
        self.node.next = self.current.q.val();
        self.order.next = self.steps.q.val();
        self.status.next = self.ended.q.val();
        self.frees.next = self.releasing.q.val();
        self.initialising.next = false;
        self.idle.next = false;
        self.mark.next = false;
        self.unmark.next = false;
        self.clear.next = false;
        self.seeks_word.next = false;
        self.seeks_node.next = false;
        self.granted.next = false;
        self.freed.next = false;
        self.offers.next = false;
        self.next_node.next = self.current.q.val();
        // As a number, what is sufficient is the last node of the deepest depth that is.
        self.is_enough.next = !(self.current.q.val() & !self.enough.q.val()).any();
        self.is_live.next = self.joining.q.val() | (self.used.val() & !self.past_start.q.val());
        self.found.next = self.current.q.val() | bit_cast::<NODE_WIDTH, R>(self.place.val());
        match self.stage.q.val() {
            Stage::Sweep => {
                self.initialising.next = true;
                self.clear.next = true;
                self.next_node.next = self.current.q.val() + self.word.val();
                if self.current.q.val() == self.last_word.val() {
                    self.stage.d.next = Stage::Idle;
                }
            }
            Stage::Idle => {
                self.idle.next = true;
                self.next_node.next = 0.into();
                if self.is_free.val() {
                    self.next_node.next = self.leaf.val();
                }
                self.enough.d.next = self.sufficient.val();
                self.releasing.d.next = self.is_free.val();
                self.joining.d.next = false;
                self.past_start.d.next = false;
                self.steps.d.next = 0.into();
                self.ended.d.next = self.done.val();
                if self.start.val() {
                    self.stage.d.next = Stage::Settle;
                    if self.is_free.val() & self.foreign.val() {
                        self.ended.d.next = self.misplaced.val();
                    } else if self.is_free.val() {
                        self.stage.d.next = Stage::Up;
                    } else if self.zero_size.val() {
                        self.ended.d.next = self.zero.val();
                    } else if !self.sufficient.val().any() {
                        self.ended.d.next = self.large.val();
                    } else {
                        self.stage.d.next = Stage::Pick;
                    }
                }
            }
            Stage::Pick => {
                self.next_node.next = self.found.val();
                self.stage.d.next = Stage::Down;
                if self.leads_to_word.val() | self.leads_to_group.val() {
                    self.next_node.next = self.found.val() << self.radix.val();
                    self.stage.d.next = Stage::SeekNode;
                }
                if self.leads_to_group.val() {
                    self.stage.d.next = Stage::SeekWord;
                }
                if self.none.val() {
                    self.ended.d.next = self.exhausted.val();
                    self.stage.d.next = Stage::Settle;
                }
            }
            Stage::SeekWord => {
                self.seeks_word.next = true;
                self.next_node.next = self.found.val() << self.radix.val();
                self.stage.d.next = Stage::SeekNode;
            }
            Stage::SeekNode => {
                self.seeks_node.next = true;
                self.next_node.next = self.found.val();
                self.stage.d.next = Stage::Down;
            }
            Stage::Down => {
                self.mark.next = self.is_enough.val();
                if !self.is_enough.val() {
                    self.steps.d.next = self.steps.q.val() + 1;
                }
                self.next_node.next = self.current.q.val() << 1;
                if (self.current.q.val() & self.first_leaf.val()).any() {
                    self.next_node.next = self.current.q.val();
                    self.stage.d.next = Stage::Settle;
                }
            }
            Stage::Up => {
                self.unmark.next = self.is_live.val();
                self.joining.d.next = self.is_live.val();
                if !self.is_live.val() {
                    self.steps.d.next = self.steps.q.val() + 1;
                    if self.used.val() {
                        self.ended.d.next = self.misplaced.val();
                        self.stage.d.next = Stage::Settle;
                    } else if self.buddy_used.val() {
                        self.ended.d.next = self.not_live.val();
                    }
                }
                if self.buddy_used.val() {
                    self.stage.d.next = Stage::Settle;
                }
                self.past_start.d.next = self.past_start.q.val() | self.current.q.val().get_bit(0);
                self.next_node.next = self.current.q.val() >> 1;
            }
            Stage::Settle => {
                self.granted.next = !self.releasing.q.val() & !self.ended.q.val().any();
                self.freed.next = self.releasing.q.val() & !self.ended.q.val().any();
                self.stage.d.next = Stage::Offer;
            }
            Stage::Offer => {
                self.offers.next = true;
                if self.taken.val() {
                    self.stage.d.next = Stage::Idle;
                }
            }
        }
        self.current.d.next = self.next_node.val();
        if self.rst.val() {
            self.stage.d.next = Stage::Sweep;
            self.current.d.next = self.word.val();
        }
    }
}
