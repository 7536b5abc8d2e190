//! The suite of the floating-point adder proves itself: an adder with a planted fault does not pass it.

use super::{
    caught::{all_are_caught, device},
    fault::Fault,
};
use crate::promises::fp_adder::{check, check_pairs};
use portico_golden::fp::directed;
use portico_spec::fp::Format;
use portico_testbench::bench::blocks::fp_adder::design;

const SEED: u64 = 0x5eed;
const STAGES: usize = 4;
const CYCLES: usize = 50_000;

const FAULTS: [Fault; 12] = [
    Fault {
        what: "ones that are shifted out far are forgotten",
        module: "align_from2",
        from: "gone_5 = «gone_4 | (|(shifted_4 & 32'h1fffe0))»;",
        to: "gone_4",
    },
    Fault {
        what: "ties go away from zero",
        module: "round",
        from: "(|(significand & 32'd383))",
        to: "1'b1",
    },
    Fault {
        what: "a difference of zero has the sign of an addend",
        module: "round",
        from: "(«~fate[FATE_SUBTRACT]» | (|significand) |",
        to: "1'b1",
    },
    Fault {
        what: "a rounding that overflows raises no flag",
        module: "round",
        from: "fate[FATE_HUGE] | («last» &",
        to: "1'b0",
    },
    Fault {
        what: "a NaN keeps a bit of its own",
        module: "round",
        from: "fields = «32'h400000»;",
        to: "32'h400001",
    },
    Fault {
        what: "infinities cancel without a flag",
        module: "compare",
        from: "opposed & «~any_nan»)",
        to: "1'b0",
    },
    Fault {
        what: "subnormals are shifted below zero",
        module: "normalise_places3",
        from: "allowed = «limit_digit»;",
        to: "2'd3",
    },
    Fault {
        what: "the sum of greater exponents may not lose its lowest digits",
        module: "add",
        from: "if («|(fate[FATE_EXPONENT +: 11] & 11'd224)») begin",
        to: "1'b0",
    },
    Fault {
        what: "an addend is taken without its partner",
        module: "",
        from: "s_axis_a_tready = «moves & s_axis_b_tvalid»;",
        to: "moves",
    },
    Fault {
        what: "a sum that is not taken is lost",
        module: "",
        from: "moves = «m_axis_tready | ~valid_3»;",
        to: "1'b1",
    },
    Fault {
        what: "a reset leaves a sum under way",
        module: "",
        from: "valid_1 <= «1'b0»;",
        to: "valid_1_next",
    },
    Fault {
        what: "the last bit of the wrong stream",
        module: "",
        from: "last_0_next = «s_axis_a_tlast»;",
        to: "s_axis_b_tlast",
    },
];

#[test]
fn faults_of_adders_are_caught() -> anyhow::Result<()> {
    all_are_caught(&design(32, STAGES)?, &FAULTS, CYCLES, |library, cycles| {
        check(device(library), 32, STAGES, cycles, SEED)?;
        check_pairs(device(library), 32, STAGES, directed(Format::BINARY32).into_iter())
    });
    Ok(())
}
