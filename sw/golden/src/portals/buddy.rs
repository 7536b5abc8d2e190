//! The buddy allocator as sets of addresses.
//!
//! The policy is exact, so that addresses are: a block comes from the smallest order that is large enough and has a free
//! block, and is the one at the lowest address there; it is halved, the lower half kept, until it is of the order asked
//! for. A block that comes back joins with its buddy as long as that is free.
//!
//! Knuth, The Art of Computer Programming, volume 1, section 2.5; `pac-portals-2016` section 3.2.5.

use portico_spec::portals::buddy::{Heap, Operation, Outcome, Status};
use std::collections::{BTreeMap, BTreeSet};

/// A heap with its free and its live blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuddyAllocator {
    heap: Heap,
    /// Addresses of the free blocks, by order.
    free: Vec<BTreeSet<u32>>,
    /// Order of each live block, by address.
    live: BTreeMap<u32, u32>,
}

impl BuddyAllocator {
    /// A heap that is one free block.
    pub fn new(heap: Heap) -> Self {
        let mut free = vec![BTreeSet::new(); heap.top_order() as usize + 1];
        free[heap.top_order() as usize].insert(0);
        let live = BTreeMap::new();
        Self { heap, free, live }
    }

    /// Does what a command asks for.
    pub fn execute(&mut self, operation: Operation, operand: u32) -> Outcome {
        match operation {
            Operation::Allocate => self.allocate(operand),
            Operation::Free => self.free(operand),
        }
    }

    /// A block of at least `size` bytes.
    pub fn allocate(&mut self, size: u32) -> Outcome {
        if size == 0 {
            return Outcome::refused(Status::ZeroSize);
        }
        if size > self.heap.bytes() {
            return Outcome::refused(Status::TooLarge);
        }
        let order = self.heap.order_of(size);
        let Some(from) = (order..=self.heap.top_order()).find(|&order| !self.free[order as usize].is_empty()) else {
            return Outcome::refused(Status::Exhausted);
        };
        let address = self.free[from as usize]
            .pop_first()
            .expect("this order has a free block");
        for order in order..from {
            self.free[order as usize].insert(address + self.heap.bytes_of(order));
        }
        self.live.insert(address, order);
        Outcome {
            status: Status::Done,
            order,
            address,
        }
    }

    /// Takes back the live block that starts at `address`.
    pub fn free(&mut self, address: u32) -> Outcome {
        let Some(freed) = self.live.remove(&address) else {
            return Outcome::refused(self.misplaced(address));
        };
        let (mut order, mut start) = (freed, address);
        while order < self.heap.top_order() {
            let buddy = start ^ self.heap.bytes_of(order);
            if !self.free[order as usize].remove(&buddy) {
                break;
            }
            start = start.min(buddy);
            order += 1;
        }
        self.free[order as usize].insert(start);
        Outcome {
            status: Status::Done,
            order: freed,
            address: 0,
        }
    }

    /// What is wrong with an address that is not the start of a live block.
    fn misplaced(&self, address: u32) -> Status {
        let aligned = address.is_multiple_of(self.heap.block());
        let in_free_block = (0..=self.heap.top_order()).any(|order| {
            let start = address - address % self.heap.bytes_of(order);
            self.free[order as usize].contains(&start)
        });
        match aligned && in_free_block {
            true => Status::NotLive,
            false => Status::Foreign,
        }
    }

    /// Bytes of all free blocks.
    pub fn free_bytes(&self) -> u32 {
        let orders = self.free.iter().zip(0..);
        orders
            .map(|(free, order)| free.len() as u32 * self.heap.bytes_of(order))
            .sum()
    }

    /// Bytes of the largest free block, 0 if there is none.
    pub fn largest_free(&self) -> u32 {
        let orders = (0..=self.heap.top_order()).rev();
        let largest = orders.clone().find(|&order| !self.free[order as usize].is_empty());
        largest.map_or(0, |order| self.heap.bytes_of(order))
    }

    /// Address and order of each live block, in order of address.
    pub fn live(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.live.iter().map(|(&address, &order)| (address, order))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{rngs::SmallRng, Rng, SeedableRng};

    fn heap() -> Heap {
        Heap::new(4096, 64).expect("a small heap")
    }

    fn granted(address: u32, order: u32) -> Outcome {
        Outcome {
            status: Status::Done,
            order,
            address,
        }
    }

    #[test]
    fn a_block_is_cut_from_the_smallest_that_will_do_at_the_lowest_address() {
        let mut buddy = BuddyAllocator::new(heap());
        assert_eq!(buddy.allocate(65), granted(0, 1));
        assert_eq!(buddy.allocate(1024), granted(1024, 4));
        assert_eq!(buddy.allocate(1), granted(128, 0));
        assert_eq!(buddy.allocate(64), granted(192, 0));
        assert_eq!(buddy.allocate(64), granted(256, 0));
        assert_eq!(buddy.free_bytes(), 4096 - 128 - 1024 - 3 * 64);
        assert_eq!(buddy.largest_free(), 2048);
        assert_eq!(buddy.free(192), granted(0, 0));
        assert_eq!(buddy.allocate(64), granted(192, 0), "the lowest address of two");
    }

    #[test]
    fn errors_change_nothing() {
        let mut buddy = BuddyAllocator::new(heap());
        buddy.allocate(64);
        buddy.allocate(256);
        let before = buddy.clone();
        for (operation, operand, status) in [
            (Operation::Allocate, 0, Status::ZeroSize),
            (Operation::Allocate, 4097, Status::TooLarge),
            (Operation::Allocate, 2049, Status::Exhausted),
            (Operation::Free, 64, Status::NotLive),
            (Operation::Free, 4032, Status::NotLive),
            (Operation::Free, 320, Status::Foreign),
            (Operation::Free, 65, Status::Foreign),
            (Operation::Free, 1, Status::Foreign),
            (Operation::Free, 4096, Status::Foreign),
        ] {
            assert_eq!(buddy.execute(operation, operand), Outcome::refused(status), "{operand}");
            assert_eq!(buddy, before);
        }
    }

    #[test]
    fn live_and_free_blocks_tile_the_heap_and_buddies_never_stay_apart() {
        let mut rng = SmallRng::seed_from_u64(0xb0dd);
        let mut buddy = BuddyAllocator::new(heap());
        for _ in 0..20_000 {
            if rng.gen() {
                buddy.allocate(rng.gen_range(1..600));
            } else {
                buddy.free(rng.gen_range(0..64) * 64);
            }
            let free = buddy.free.iter().zip(0..);
            let free = free.flat_map(|(starts, order)| starts.iter().map(move |&start| (start, order)));
            let mut blocks: Vec<_> = free.chain(buddy.live()).collect();
            blocks.sort_unstable();
            let end = blocks.iter().fold(0, |end, &(start, order)| {
                assert_eq!(start, end, "a gap or an overlap");
                end + heap().bytes_of(order)
            });
            assert_eq!(end, heap().bytes());
            for (starts, order) in buddy.free.iter().zip(0..buddy.heap.top_order()) {
                let apart = |start: &u32| starts.contains(&(start ^ heap().bytes_of(order)));
                assert!(!starts.iter().any(apart), "free buddies of order {order}");
            }
        }
        let live: Vec<_> = buddy.live().collect();
        live.into_iter()
            .for_each(|(address, order)| assert_eq!(buddy.free(address), granted(0, order)));
        assert_eq!(buddy, BuddyAllocator::new(heap()));
    }
}
