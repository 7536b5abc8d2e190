//! The suite of the reduce ALU proves itself: hardware with a planted fault does not pass it.

use super::{
    caught::{all_are_caught, device},
    fault::Fault,
};
use crate::promises::reduce_alu::check;
use portico_testbench::bench::blocks::reduce_alu::design;

const SEED: u64 = 0x5eed;
const STAGES: usize = 4;
const WIDTH: usize = 32;
const CYCLES: usize = 50_000;

const FAULTS: &[Fault] = &[
    Fault {
        what: "integers compare without their signs",
        module: "number_comparator",
        from: "(a ^ SIGN) < (b ^ SIGN)",
        to: "a < b",
    },
    Fault {
        what: "of two negative numbers the smaller in magnitude is the lesser",
        module: "number_comparator",
        from: " ^ «(floating & a_negative & b_negative)»",
        to: "1'b0",
    },
    Fault {
        what: "negative integers compare as floating-point numbers",
        module: "number_comparator",
        from: "(«floating» & a_negative & b_negative)",
        to: "1'b1",
    },
    Fault {
        what: "an infinity is no number",
        module: "number_comparator",
        from: "(|(b & FRACTION))",
        to: "1'b1",
    },
    Fault {
        what: "a NaN among the contributions is lost",
        module: "number_comparator",
        from: "nan = «a_nan | b_nan»",
        to: "a_nan",
    },
    Fault {
        what: "a quiet NaN signals",
        module: "number_comparator",
        from: "(a_nan & ~(|(a & QUIET)))",
        to: "a_nan",
    },
    Fault {
        what: "an integer that looks like a NaN is none",
        module: "single_cycle",
        from: "& «floating» & order_nan",
        to: "1'b1",
    },
    Fault {
        what: "an unknown code goes unnoticed",
        module: "single_cycle",
        from: "invalid = «unknown» | ",
        to: "1'b0",
    },
    Fault {
        what: "or does what xor does",
        module: "single_cycle",
        from: "result = «a | b»;",
        to: "a ^ b",
    },
    Fault {
        what: "a result moves on while the pipeline stands",
        module: "delay_line_d32",
        from: "place_2_next = «place_2»;",
        to: "place_1",
    },
    Fault {
        what: "a result is a cycle early",
        module: "delay_line_d32",
        from: "q = «place_3»",
        to: "place_2",
    },
    Fault {
        what: "half a pair is taken",
        module: "",
        from: "s_axis_a_tready = «moving & s_axis_b_tvalid»",
        to: "moving",
    },
    Fault {
        what: "a reset leaves a result on its way",
        module: "",
        from: "valid_2 <= «1'b0»;",
        to: "valid_2_next",
    },
    Fault {
        what: "flags of the adder go with every result",
        module: "",
        from: "m_axis_tuser = «5'd0»;",
        to: "adder_flags",
    },
    Fault {
        what: "a result that is not taken is lost",
        module: "",
        from: "moving = «m_axis_tready | ~offered»",
        to: "m_axis_tready | ~offered | valid_0",
    },
];

#[test]
fn faults_of_the_reduce_alu_are_caught() -> anyhow::Result<()> {
    all_are_caught(&design(WIDTH, STAGES)?, FAULTS, CYCLES, |library, cycles| {
        check(device(library), STAGES, WIDTH, cycles, SEED)
    });
    Ok(())
}
