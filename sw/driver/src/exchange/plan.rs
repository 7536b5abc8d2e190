//! The steps of the members of an exchange: each starts other members and sends blocks.

use super::Block;
use crate::list::STARTS;

/// One put of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanStep {
    /// Starts the list of this rank.
    Start(usize),
    /// Sends a block.
    Send(Block),
}

/// The steps of all members. The host starts the root, and a member starts only those behind it that have steps: see
/// [`Plan::order`].
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub root: usize,
    /// By rank, each in the order of the member.
    pub steps: Vec<Vec<PlanStep>>,
}

impl Plan {
    /// Each member first starts up to four others, in a tree of the ranks, then sends its blocks, by rank.
    pub fn blocks(blocks: &[Vec<Block>]) -> Plan {
        let size = blocks.len();
        Plan::of(0, size, |rank, steps| {
            let children =
                (STARTS * rank + 1..STARTS * (rank + 1) + 1).filter(|&child| child < size && !steps[child].is_empty());
            let sent = blocks[rank].iter().copied().filter(|block| block.moves(rank));
            children.map(PlanStep::Start).chain(sent.map(PlanStep::Send)).collect()
        })
    }

    /// The root's block goes to all members in a binomial tree: a member sends the block to each of its children, and starts the
    /// child behind it. Block and start are puts to one node through one segment, so the child has the block when it starts.
    pub fn broadcast(root: usize, addresses: &[u32], bytes: u32) -> Plan {
        let size = addresses.len();
        Plan::of(root, size, |rank, steps| {
            let place = (rank + size - root) % size;
            let mut own = vec![];
            // The child with the most members behind it comes first.
            for child in children(place, size).rev().map(|child| (root + child) % size) {
                let block = Block {
                    to: child,
                    source: addresses[rank],
                    result: addresses[child],
                    bytes,
                };
                if block.moves(rank) {
                    own.push(PlanStep::Send(block));
                }
                if !steps[child].is_empty() {
                    own.push(PlanStep::Start(child));
                }
            }
            own
        })
    }

    /// A plan by the steps of each rank, for which those behind it have theirs already: a member without steps is not started.
    fn of(root: usize, size: usize, steps_of: impl Fn(usize, &[Vec<PlanStep>]) -> Vec<PlanStep>) -> Plan {
        let steps = vec![vec![]; size];
        let mut plan = Plan { root, steps };
        for rank in plan.order().rev() {
            plan.steps[rank] = steps_of(rank, &plan.steps);
        }
        plan
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

    fn with_steps(plan: &Plan) -> usize {
        plan.steps.iter().filter(|steps| !steps.is_empty()).count()
    }

    #[test]
    fn every_member_with_steps_is_started_once_by_one_before_it() {
        for size in 1..70 {
            for root in [0, 1, size / 2, size - 1].map(|root| root % size) {
                let block = Block {
                    to: 0,
                    source: 0,
                    result: 4,
                    bytes: 4,
                };
                // Of one rank, of every third, and of all.
                let some = |step: usize| -> Vec<Vec<Block>> {
                    let counts = (0..size).map(|rank| usize::from((rank + root) % step == 0));
                    counts.map(|count| vec![block; count]).collect()
                };
                let mut plans: Vec<Plan> = [size, 3, 1].map(|step| Plan::blocks(&some(step))).to_vec();
                plans.push(Plan::broadcast(root, &vec![0; size], 4));
                for plan in plans {
                    let mut is_started = vec![false; size];
                    is_started[plan.root] = !plan.steps[plan.root].is_empty();
                    for rank in plan.order() {
                        let steps = &plan.steps[rank];
                        assert_eq!(is_started[rank], !steps.is_empty(), "rank {rank} of {size}");
                        for step in steps {
                            if let PlanStep::Start(child) = *step {
                                assert!(!is_started[child], "rank {child} of {size} is started twice");
                                is_started[child] = true;
                            }
                        }
                    }
                    let members = is_started.iter().filter(|&&is_started| is_started);
                    assert_eq!(members.count(), with_steps(&plan));
                }
            }
        }
    }

    #[test]
    fn a_broadcast_has_as_many_steps_as_the_group_has_doublings() {
        let plan = Plan::broadcast(3, &[0, 4, 8, 12, 16, 20, 24, 28], 4);
        let starts = |rank: usize| {
            let starts = plan.steps[rank].iter().filter_map(|step| match step {
                PlanStep::Start(child) => Some(*child),
                PlanStep::Send(_) => None,
            });
            starts.collect::<Vec<_>>()
        };
        // Ranks 4, 6, 0 and 2 have the block last.
        assert_eq!(starts(3), [7, 5]);
        assert_eq!(starts(7), [1]);
        assert!(plan.steps[4].is_empty());
        assert_eq!(with_steps(&plan), 4);
        let block = Block {
            to: 1,
            source: 28,
            result: 4,
            bytes: 4,
        };
        assert_eq!(plan.steps[7][..2], [PlanStep::Send(block), PlanStep::Start(1)]);
    }
}
