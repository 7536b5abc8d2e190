use portico_spec::portals::buddy::{Status, STATUS_WIDTH};
use portico_verilog::prelude::*;

/// The stage of a command.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum BuddyStage {
    /// Clears the words of the nodes after a reset.
    Sweep,
    /// The last word is cleared, and then its summary, which had the bits of before until now: two cycles.
    Swept,
    Idle,
    /// Looks in the tier of the smallest sufficient blocks that are there.
    Pick,
    /// Finds the first free place of those looked at.
    Choose,
    /// Goes there.
    Place,
    /// Looks on among the words of the group found.
    SeekWord,
    /// The word found is read.
    Fetch,
    /// Looks on among its nodes.
    SeekNode,
    Down,
    Up,
    /// The last node is marked.
    Land,
    /// Its word's summary follows.
    Drain,
    /// What is free follows.
    Settle,
    /// A result is offered.
    Offer,
}

/// The stages of a command.
///
/// Takes one command after the other.
///
/// | | |
/// | --- | --- |
/// | latency | from `start` to `offers`: 2 cycles for an error that the command shows, else 3 to 22 (see the allocator) |
/// | throughput | one command at a time |
/// | state | stage, that of the node in hand, tiers left, status, and whether blocks become free |
///
/// A grant picks a place, searches at most two more tiers, and walks down to a smallest block; the number of that block is the
/// address. A release walks up, and has gone one node too far when it finds its end. Both wait for the summary and the account
/// before they offer their result.
#[derive(LogicBlock, Default)]
pub struct BuddyControl {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// A command is there; it is taken if `idle`.
    pub start: Signal<In, Bit>,
    /// Nothing is in hand: a command that is there is taken.
    pub idle: Signal<Out, Bit>,
    /// As in the request: the command gives a block back.
    pub is_free: Signal<In, Bit>,
    /// As in the request: no smallest block starts at the address; counts only if the command is to free.
    pub foreign: Signal<In, Bit>,
    /// As in the request: the size is zero; counts only if the command is to allocate.
    pub zero_size: Signal<In, Bit>,
    /// The whole heap is smaller than the size; counts only if the command is to allocate.
    pub too_large: Signal<In, Bit>,
    /// As in the search: no free block is large enough, in stage `Pick`.
    pub none: Signal<In, Bit>,
    /// As in the search: the first place found is a word, so one more tier follows.
    pub leads_to_word: Signal<In, Bit>,
    /// As in the search: the first place found is a group, so two more tiers follow.
    pub leads_to_group: Signal<In, Bit>,
    /// As in the path: `node` is a smallest block.
    pub at_leaf: Signal<In, Bit>,
    /// As in the path: `node` is the first one of the last word.
    pub at_last_word: Signal<In, Bit>,
    /// As in the marker: the release is over at the node in hand.
    pub ends: Signal<In, Bit>,
    /// As in the marker: the release is over because no block starts at its address.
    pub misplaced: Signal<In, Bit>,
    /// As in the marker: the release is over because the block is free.
    pub not_live: Signal<In, Bit>,
    /// The stage of the command, or of the initialisation.
    pub stage: Signal<Out, BuddyStage>,
    /// That of the cycle before, in which the node in hand was named; never that of the extra node of a release.
    pub hand_stage: Signal<Out, BuddyStage>,
    /// There are tiers left to look through.
    pub leads_on: Signal<Out, Bit>,
    /// The tree is cleared after reset. No command is taken.
    pub initialising: Signal<Out, Bit>,
    /// The search looks on among the words of the group found.
    pub seeks_word: Signal<Out, Bit>,
    /// The search looks on among the nodes of the word found.
    pub seeks_node: Signal<Out, Bit>,
    /// High for one cycle: the heap has changed, and a block is granted.
    pub granted: Signal<Out, Bit>,
    /// High for one cycle: the heap has changed, and a block is freed.
    pub freed: Signal<Out, Bit>,
    /// How the command ended, while `offers` is high.
    pub status: Signal<Out, Bits<STATUS_WIDTH>>,
    /// The command in hand is, or the last one was, to free.
    pub frees: Signal<Out, Bit>,
    /// A result is offered, and stays until it is taken.
    pub offers: Signal<Out, Bit>,
    /// The result is taken.
    pub taken: Signal<In, Bit>,
    current: DFF<BuddyStage>,
    handed: DFF<BuddyStage>,
    left: DFF<Bits<2>>,
    releasing: DFF<Bit>,
    ended: DFF<Bits<STATUS_WIDTH>>,
    succeeds: Signal<Local, Bit>,
}

#[kernel]
impl Logic for BuddyControl {
    fn update(&mut self) {
        dff_setup!(self, clk, current, handed, left, releasing, ended);
        self.stage.next = self.current.q.val();
        self.hand_stage.next = self.handed.q.val();
        self.handed.d.next = self.current.q.val();
        self.leads_on.next = self.left.q.val().any();
        self.initialising.next =
            (self.current.q.val() == BuddyStage::Sweep) | (self.current.q.val() == BuddyStage::Swept);
        self.idle.next = self.current.q.val() == BuddyStage::Idle;
        self.seeks_word.next = self.current.q.val() == BuddyStage::SeekWord;
        self.seeks_node.next = self.current.q.val() == BuddyStage::SeekNode;
        self.offers.next = self.current.q.val() == BuddyStage::Offer;
        self.succeeds.next = (self.current.q.val() == BuddyStage::Settle) & !self.ended.q.val().any();
        self.granted.next = self.succeeds.val() & !self.releasing.q.val();
        self.freed.next = self.succeeds.val() & self.releasing.q.val();
        self.frees.next = self.releasing.q.val();
        self.status.next = self.ended.q.val();
        match self.current.q.val() {
            BuddyStage::Sweep => {
                if self.at_last_word.val() {
                    self.current.d.next = BuddyStage::Swept;
                }
            }
            BuddyStage::Swept => {
                if self.handed.q.val() == BuddyStage::Swept {
                    self.current.d.next = BuddyStage::Idle;
                }
            }
            BuddyStage::Idle => {
                self.releasing.d.next = self.is_free.val();
                self.ended.d.next = bits::<STATUS_WIDTH>(Status::Done as u64);
                if self.start.val() {
                    self.current.d.next = BuddyStage::Settle;
                    if self.is_free.val() & self.foreign.val() {
                        self.ended.d.next = bits::<STATUS_WIDTH>(Status::Foreign as u64);
                    } else if self.is_free.val() {
                        self.current.d.next = BuddyStage::Up;
                    } else if self.zero_size.val() {
                        self.ended.d.next = bits::<STATUS_WIDTH>(Status::ZeroSize as u64);
                    } else if self.too_large.val() {
                        self.ended.d.next = bits::<STATUS_WIDTH>(Status::TooLarge as u64);
                    } else {
                        self.current.d.next = BuddyStage::Pick;
                    }
                }
            }
            BuddyStage::Pick => {
                self.current.d.next = BuddyStage::Choose;
                self.left.d.next = 0.into();
                if self.leads_to_word.val() {
                    self.left.d.next = 1.into();
                }
                if self.leads_to_group.val() {
                    self.left.d.next = 2.into();
                }
                if self.none.val() {
                    self.ended.d.next = bits::<STATUS_WIDTH>(Status::Exhausted as u64);
                    self.current.d.next = BuddyStage::Settle;
                }
            }
            BuddyStage::Choose => {
                self.current.d.next = BuddyStage::Place;
            }
            BuddyStage::Place => {
                self.current.d.next = BuddyStage::Down;
                if self.left.q.val().get_bit(0) {
                    self.current.d.next = BuddyStage::Fetch;
                }
                if self.left.q.val().get_bit(1) {
                    self.current.d.next = BuddyStage::SeekWord;
                }
            }
            BuddyStage::SeekWord => {
                self.left.d.next = 1.into();
                self.current.d.next = BuddyStage::Choose;
            }
            BuddyStage::Fetch => {
                self.current.d.next = BuddyStage::SeekNode;
            }
            BuddyStage::SeekNode => {
                self.left.d.next = 0.into();
                self.current.d.next = BuddyStage::Choose;
            }
            BuddyStage::Down => {
                if self.at_leaf.val() {
                    self.current.d.next = BuddyStage::Land;
                }
            }
            BuddyStage::Up => {
                if self.handed.q.val() == BuddyStage::Up {
                    if self.misplaced.val() {
                        self.ended.d.next = bits::<STATUS_WIDTH>(Status::Foreign as u64);
                    }
                    if self.not_live.val() {
                        self.ended.d.next = bits::<STATUS_WIDTH>(Status::NotLive as u64);
                    }
                    if self.ends.val() {
                        self.handed.d.next = BuddyStage::Drain;
                        self.current.d.next = BuddyStage::Drain;
                    }
                }
            }
            BuddyStage::Land => {
                self.current.d.next = BuddyStage::Drain;
            }
            BuddyStage::Drain => {
                self.current.d.next = BuddyStage::Settle;
            }
            BuddyStage::Settle => {
                self.current.d.next = BuddyStage::Offer;
            }
            BuddyStage::Offer => {
                if self.taken.val() {
                    self.current.d.next = BuddyStage::Idle;
                }
            }
        }
        if self.rst.val() {
            self.current.d.next = BuddyStage::Sweep;
            self.handed.d.next = BuddyStage::Idle;
        }
    }
}
