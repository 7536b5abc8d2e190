//! The suite of the buddy allocator proves itself: hardware with a planted fault does not pass it.

use super::{
    caught::{all_are_caught, device},
    fault::Fault,
};
use crate::promises::buddy::check;
use portico_spec::portals::buddy::Heap;
use portico_testbench::bench::blocks::buddy::design;

const SEED: u64 = 0x5eed;
const COMMANDS: usize = 10_000;

/// In the allocator of 4 KiB in 64-byte blocks.
const FAULTS: &[Fault] = &[
    Fault {
        what: "a block of a larger order than needed is cut",
        module: "tree_search",
        from: "if («candidates[5]») begin",
        to: "candidates[5] & ~candidates[4]",
    },
    Fault {
        what: "not the lowest address",
        module: "tree_search",
        from: "places & (~places + 8'd1)",
        to: "places & ~(places >> 1)",
    },
    Fault {
        what: "an address inside a block frees it",
        module: "marker",
        from: "joining | (used & ~past_start)",
        to: "joining | used",
    },
    Fault {
        what: "a second free is done",
        module: "buddy_control",
        from: "if («not_live») begin",
        to: "1'b0",
    },
    Fault {
        what: "buddies never join beyond the first depth",
        module: "marker",
        from: "misplaced | buddy_used",
        to: "misplaced | buddy_used | joining",
    },
    Fault {
        what: "a size of a power of two asks for twice as much",
        module: "buddy_request",
        from: "operand - 31'd1",
        to: "operand",
    },
    Fault {
        what: "an address far outside the heap is taken for one inside",
        module: "buddy_request",
        from: "31'h7ffff03f",
        to: "31'h0000f03f",
    },
    Fault {
        what: "the halves of a block are not marked",
        module: "marker",
        from: "mark = «is_enough»",
        to: "is_enough & (&(~enough | node))",
    },
    Fault {
        what: "a reset keeps the upper nodes",
        module: "tree",
        from: "first <= «8'd1»;",
        to: "first",
    },
    Fault {
        what: "the last words are not cleared",
        module: "path",
        from: "current == 15'd120",
        to: "current == 15'd64",
    },
    Fault {
        what: "a word is said to have a free block for ever",
        module: "summary",
        from: "{7'd0, value} << place",
        to: "8'd1 << place",
    },
    Fault {
        what: "a word's last free block hides the group's others",
        module: "summary",
        from: "«|changed»}",
        to: "value",
    },
    Fault {
        what: "the summary is of the word before",
        module: "tree",
        from: "new_word ^ (new_word >> 1)",
        to: "word ^ (word >> 1)",
    },
    Fault {
        what: "every freed block counts as the smallest",
        module: "account",
        from: "free_blocks + size",
        to: "free_blocks + 15'd1",
    },
    Fault {
        what: "a result does not wait to be taken",
        module: "buddy_control",
        from: "if («taken») begin",
        to: "1'b1",
    },
];

#[test]
fn faults_of_the_buddy_allocator_are_caught() -> anyhow::Result<()> {
    let heap = Heap::new(4096, 64)?;
    all_are_caught(&design(heap)?, FAULTS, COMMANDS, |library, commands| {
        check(device(library), heap, commands, SEED)
    });
    Ok(())
}
