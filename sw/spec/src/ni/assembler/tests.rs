use proptest::prelude::*;

use super::*;
use crate::ni::{disassembler::disassemble, instruction, program};

fn refused(text: &str) -> String {
    assemble(text).unwrap_err().to_string()
}

fn one(text: &str) -> Instruction {
    instruction(Line::read(1, text).unwrap().unwrap()).unwrap()
}

#[test]
fn all_that_the_syntax_has() {
    let words = assemble(
        "
        ; a comment
        SET r1, -16384 # another
        add r1 , 0x10
        loop r3.h
            to r1
            shape r4, r5.l
            loop 16383
                run r2, +r4.l, close
                word r15, close, swap !end2
        notify own
        notify 63
        notify r3
        wait 0
        credit
        fence
        run r2
        word r0
        close
        close stop, last
        stop",
    )
    .unwrap();
    assert_eq!(
        disassemble(&words).unwrap(),
        "set r1, -16384
add r1, 16
loop r3.h
    to r1
    shape r4, r5.l
    loop 16383
        run r2, +r4.l, close
        word r15, swap, close !end2
notify own
notify 63
notify r3
wait 0
credit
fence
run r2
word r0
close
close last, stop
stop
"
    );
    assert_eq!(one("loop 2 !end1"), one("loop 2 !end"));
}

#[test]
fn an_unknown_mnemonic_suggests_the_nearest() {
    assert_eq!(
        refused("\n  clsoe last, stop"),
        "line 2, column 3: unknown mnemonic \"clsoe\": did you mean close?"
    );
    assert_eq!(
        refused("branch r1"),
        "line 1, column 1: unknown mnemonic \"branch\": the mnemonics are stop, set, add, loop, to, shape, run, word, \
         close, notify, wait, credit, fence"
    );
}

#[test]
fn an_operand_that_is_missing_or_wrong_is_named() {
    assert_eq!(refused("loop"), "line 1, column 1: loop wants a number of rounds");
    assert_eq!(refused("set r1"), "line 1, column 1: set wants a value");
    assert_eq!(
        refused("fence r1"),
        "line 1, column 7: unexpected \"r1\": fence takes no further operand"
    );
    assert_eq!(
        refused("to r1.l"),
        "line 1, column 4: \"r1.l\" is not a register: the register with the offset is one of r0..=r15"
    );
    assert_eq!(
        refused("set 5, r1"),
        "line 1, column 5: \"5\" is not a register: the register to set is one of r0..=r15"
    );
    assert_eq!(
        refused("add r1, rx"),
        "line 1, column 9: \"rx\" is not a value: allowed is a number, r0..=r15, or a half such as r3.l or r3.h"
    );
    assert_eq!(
        refused("run r1, +4"),
        "line 1, column 9: \"+4\" cannot be added to the pointer: allowed is + and r0..=r15, or a half such as r3.l or \
         r3.h"
    );
    assert_eq!(
        refused("loop r3.x"),
        "line 1, column 6: \"r3.x\" is not a part of a register: the halves are .l and .h"
    );
}

#[test]
fn a_number_out_of_range_names_the_range() {
    assert_eq!(
        refused("word r16"),
        "line 1, column 6: register 16 is not allowed: allowed is 0..=15"
    );
    assert_eq!(
        refused("word r4294967296"),
        "line 1, column 6: register 4294967296 is not allowed: allowed is 0..=15"
    );
    assert_eq!(
        refused("set r1, 16384"),
        "line 1, column 9: value 16384 is not allowed: allowed is -16384..=16383"
    );
    assert_eq!(
        refused("set r1, -0x4001"),
        "line 1, column 9: value -0x4001 is not allowed: allowed is -16384..=16383"
    );
    assert_eq!(
        refused("wait 64"),
        "line 1, column 6: event 64 is not allowed: allowed is 0..=63"
    );
    assert_eq!(
        refused("loop 99999999999999999999"),
        "line 1, column 6: number of rounds 99999999999999999999 is not allowed: allowed is 0..=16383"
    );
}

#[test]
fn a_wrong_flag_names_the_right_ones() {
    assert_eq!(
        refused("close lats"),
        "line 1, column 7: \"lats\" is not a flag of close: did you mean last?"
    );
    assert_eq!(
        refused("run r2, swapped"),
        "line 1, column 9: \"swapped\" is not a flag of run: the flags are close, last, stop"
    );
    assert_eq!(refused("word r2, swap, swap"), "line 1, column 16: swap is given twice");
    assert_eq!(
        refused("word r2, last"),
        "line 1, column 1: last without close: the packet that ends a transfer must be closed"
    );
}

#[test]
fn commas_stand_between() {
    let one_is_missing = "a comma separates two operands or flags: one is missing";
    assert_eq!(
        refused("run r2 close"),
        "line 1, column 8: a comma is missing before \"close\""
    );
    assert_eq!(refused("run r2,, close"), format!("line 1, column 8: {one_is_missing}"));
    assert_eq!(refused("run r2,"), format!("line 1, column 7: {one_is_missing}"));
    assert_eq!(refused("close, last"), format!("line 1, column 6: {one_is_missing}"));
    assert_eq!(refused(","), format!("line 1, column 1: {one_is_missing}"));
}

#[test]
fn ends_are_marked_at_the_end_of_a_line() {
    let allowed = "does not end loops: allowed is !end, or !end1..=!end4";
    assert_eq!(refused("fence !end5"), format!("line 1, column 7: \"!end5\" {allowed}"));
    assert_eq!(refused("fence !end0"), format!("line 1, column 7: \"!end0\" {allowed}"));
    assert_eq!(refused("fence !"), format!("line 1, column 7: \"!\" {allowed}"));
    assert_eq!(
        refused("run r2 !end, close"),
        "line 1, column 8: a comma is missing before \"!end\""
    );
}

#[test]
fn what_is_wrong_with_the_whole_has_its_line() {
    assert_eq!(
        refused(""),
        "line 1, column 1: the program is empty: it must end with a stop"
    );
    assert_eq!(
        refused("fence\n\n  fence"),
        "line 3, column 3: the last instruction does not stop"
    );
    assert_eq!(
        refused("loop 2\n fence\nstop"),
        "line 3, column 1: the program stops inside the loop of instruction 0"
    );
    assert_eq!(
        refused("fence !end\nstop"),
        "line 1, column 1: 1 loops end where 0 are open"
    );
    assert_eq!(
        refused(&"stop\n".repeat(200)),
        "line 193, column 1: the program has 200 instructions: allowed is 1..=192"
    );
}

proptest! {
    #[test]
    fn every_instruction_reads_back(written in instruction::testing::instructions()) {
        prop_assert_eq!(one(&written.to_string()), written);
        prop_assert_eq!(one(&written.to_string().to_uppercase()), written);
    }

    #[test]
    fn every_program_reads_back(written in program::tests::programs()) {
        let words: Vec<u32> = written.iter().map(|instruction| instruction.encode().unwrap()).collect();
        prop_assert_eq!(assemble(&disassemble(&words).unwrap()), Ok(words));
    }

    /// Pieces that are nearly right reach further than bytes alone.
    #[test]
    fn any_text_is_read_or_refused_in_one_line(
        pieces in prop::collection::vec(prop_oneof![
            prop::sample::select(vec![
                "run ", "loop ", "stop", "close ", "r2", "r3.h", "+r4.l", ", ", "last", "!end", "\n", "-", "0x", "7", "own",
            ]).prop_map(str::to_string),
            any::<String>(),
        ], 0..16),
    ) {
        if let Err(error) = assemble(&pieces.concat()) {
            prop_assert_eq!(error.to_string().lines().count(), 1, "{}", error);
        }
    }
}
