//! What each member does in an exchange: whom it starts, and what it sends.

use super::Block;

/// One put of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Starts the list of this rank.
    Start(usize),
    /// Sends a block.
    Send(Block),
}

/// The steps of all members. The host starts the root, and a member starts only those behind it: see [`Plan::order`].
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub root: usize,
    /// By rank, each in the order of the member.
    pub steps: Vec<Vec<Step>>,
}

impl Plan {
    /// Each member first starts two others, in a binary tree of the ranks, then sends its blocks, by rank.
    pub fn blocks(blocks: &[Vec<Block>]) -> Plan {
        let size = blocks.len();
        let steps = blocks.iter().enumerate().map(|(rank, blocks)| {
            let children = (2 * rank + 1..2 * rank + 3).filter(|&child| child < size);
            let sent = blocks.iter().copied().filter(|block| block.moves(rank));
            children.map(Step::Start).chain(sent.map(Step::Send)).collect()
        });
        Plan {
            root: 0,
            steps: steps.collect(),
        }
    }

    /// The root's block goes to all members in a binomial tree: a member sends the block to each of its children, and starts the
    /// child behind it. Block and start are puts to one node through one segment, so the child has the block when it starts.
    pub fn broadcast(root: usize, addresses: &[u32], bytes: u32) -> Plan {
        let size = addresses.len();
        let mut steps = vec![vec![]; size];
        for place in 0..size {
            let rank = (root + place) % size;
            // The child with the most members behind it comes first.
            for child in children(place, size).rev().map(|child| (root + child) % size) {
                let block = Block {
                    to: child,
                    source: addresses[rank],
                    result: addresses[child],
                    bytes,
                };
                if block.moves(rank) {
                    steps[rank].extend([Step::Send(block), Step::Start(child)]);
                }
            }
        }
        Plan { root, steps }
    }

    /// The ranks in an order in which each is started by one before it: from the root round the group.
    pub fn order(&self) -> impl DoubleEndedIterator<Item = usize> {
        let (root, size) = (self.root, self.steps.len());
        (0..size).map(move |place| (root + place) % size)
    }
}

/// The children of a place in a binomial tree, whose root has place 0: the place plus each power of two below its lowest bit.
fn children(place: usize, size: usize) -> impl DoubleEndedIterator<Item = usize> {
    let below = if place == 0 {
        usize::BITS
    } else {
        place.trailing_zeros()
    };
    let most = size.ilog2() + 1;
    (0..below.min(most))
        .map(move |bit| place + (1 << bit))
        .filter(move |&child| child < size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_is_started_once_by_one_before_it() {
        for size in 1..70 {
            for root in [0, 1, size / 2, size - 1].map(|root| root % size) {
                let addresses = vec![0; size];
                let plans = [Plan::broadcast(root, &addresses, 4), Plan::blocks(&vec![vec![]; size])];
                for plan in plans {
                    let mut is_started = vec![false; size];
                    is_started[plan.root] = true;
                    for rank in plan.order() {
                        assert!(is_started[rank], "rank {rank} of {size} is started by one behind it");
                        for step in &plan.steps[rank] {
                            if let Step::Start(child) = *step {
                                assert!(!is_started[child], "rank {child} of {size} is started twice");
                                is_started[child] = true;
                            }
                        }
                    }
                    assert!(is_started.iter().all(|&is_started| is_started));
                }
            }
        }
    }

    #[test]
    fn a_broadcast_has_as_many_steps_as_the_group_has_doublings() {
        let plan = Plan::broadcast(3, &[0, 4, 8, 12, 16, 20, 24, 28], 4);
        let starts = |rank: usize| {
            let starts = plan.steps[rank].iter().filter_map(|step| match step {
                Step::Start(child) => Some(*child),
                Step::Send(_) => None,
            });
            starts.collect::<Vec<_>>()
        };
        assert_eq!(starts(3), [7, 5, 4]);
        assert_eq!(starts(7), [1, 0]);
        assert_eq!(starts(5), [6]);
        assert_eq!(starts(1), [2]);
        let block = Block {
            to: 1,
            source: 28,
            result: 4,
            bytes: 4,
        };
        assert_eq!(plan.steps[7][..2], [Step::Send(block), Step::Start(1)]);
    }
}
