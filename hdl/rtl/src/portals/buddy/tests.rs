//! Cycles and shapes; what the results are is the suite's concern (`testbench/tests/suite/buddy.rs`).

use super::*;
use crate::{prim::testing::clock, prim::testing::clocked, prim::testing::reset, prim::testing::settle};
use portico_spec::portals::buddy::command;
use portico_spec::portals::buddy::Operation;
use portico_spec::portals::buddy::Outcome;
use portico_spec::portals::buddy::Status;
use portico_spec::portals::buddy::BLOCK_BYTES;
use portico_spec::portals::buddy::HEAP_BYTES;

clocked!([const W: usize, const R: usize, const M: usize] BuddyAllocator<W, R, M>);

fn heap(bytes: u32, block: u32) -> Heap {
    Heap::new(bytes, block).expect("a heap within the limits")
}

/// After a reset: the allocator, and the cycles of its initialisation.
fn initialised<const W: usize, const R: usize, const M: usize>(heap: Heap) -> (BuddyAllocator<W, R, M>, u32) {
    let mut dut = reset(BuddyAllocator::new(heap));
    let mut cycles = 0;
    while dut.initialising.val() {
        assert!(!dut.s_axis.tready.val(), "it takes a command while it initialises");
        clock(&mut dut);
        cycles += 1;
    }
    (dut, cycles)
}

/// The result of a command and the cycles until it is offered.
fn execute<const W: usize, const R: usize, const M: usize>(
    dut: &mut BuddyAllocator<W, R, M>,
    operation: Operation,
    operand: u32,
) -> (Outcome, u32) {
    dut.s_axis.tdata.next = u64::from(command(operation, operand)).into();
    dut.s_axis.tvalid.next = true;
    dut.m_axis.tready.next = true;
    settle(dut);
    assert!(dut.s_axis.tready.val(), "no room for a command");
    let mut cycles = 0;
    while !dut.m_axis.tvalid.val() {
        clock(dut);
        dut.s_axis.tvalid.next = false;
        cycles += 1;
        assert!(cycles < 100, "no result");
    }
    let word = dut.m_axis.tdata.val().to_u64() as u32;
    clock(dut);
    (Outcome::from_word(word).expect("a known status"), cycles)
}

#[test]
fn a_mebibyte_is_cut_and_joined_through_all_depths_in_the_documented_cycles() {
    let (mut dut, initialisation) = initialised::<32, 5, 32>(heap(1 << 20, 64));
    assert_eq!(initialisation, 1025);
    let granted = Outcome {
        status: Status::Done,
        order: 0,
        address: 0,
    };
    assert_eq!(execute(&mut dut, Operation::Allocate, 1), (granted, 22));
    assert_eq!(dut.largest_free.val().to_u64(), 1 << 19);
    assert_eq!(dut.free_bytes.val().to_u64(), (1 << 20) - 64);
    assert_eq!(execute(&mut dut, Operation::Free, 0), (granted, 19));
    assert_eq!(dut.largest_free.val().to_u64(), 1 << 20);
}

#[test]
fn errors_that_the_command_shows_take_two_cycles() {
    let (mut dut, initialisation) = initialised::<8, 3, 16>(heap(4096, 64));
    assert_eq!(initialisation, 17);
    for (operation, operand, status, cycles) in [
        (Operation::Allocate, 0, Status::ZeroSize, 2),
        (Operation::Allocate, 4097, Status::TooLarge, 2),
        (Operation::Free, 4096, Status::Foreign, 2),
        (Operation::Free, 32, Status::Foreign, 2),
        (Operation::Free, 64, Status::NotLive, 11),
    ] {
        let result = execute(&mut dut, operation, operand);
        assert_eq!(result, (Outcome::refused(status), cycles), "{operation:?} {operand}");
    }
}

#[test]
fn every_heap_has_words_that_suit_it() {
    let powers =
        |range: std::ops::RangeInclusive<u32>| (range.start().ilog2()..=range.end().ilog2()).map(|log| 1 << log);
    let mut heaps = 0;
    for bytes in powers(HEAP_BYTES) {
        for block in powers(BLOCK_BYTES).filter(|&block| block < bytes) {
            allocator(heap(bytes, block));
            heaps += 1;
        }
    }
    assert_eq!(heaps, 9 * 7 - 1);
}

#[test]
#[should_panic(expected = "allowed: R = 3, W = 2^R, M = max(W, 16)")]
fn words_that_do_not_suit_the_heap_are_refused() {
    BuddyAllocator::<16, 4, 16>::new(heap(4096, 64));
}
