//! What kernels may say, and how the Verilog says it.

use crate::blocks::{emitted, Phase};
use portico_verilog::comment;
use rust_hdl::prelude::*;

/// Every circuit here and its name.
pub fn all() -> Vec<(&'static str, Box<dyn Block>)> {
    vec![
        ("complete", Box::new(Complete::default())),
        ("reach", Box::new(Reach::default())),
        ("ahead", Box::new(Ahead::default())),
        ("holder", Box::new(Holder::default())),
        ("explained", Box::new(Explained::default())),
    ]
}

fn text(block: &dyn Block, name: &str) -> String {
    emitted(block, name).expect("the circuit is sound").text()
}

/// A wildcard below all values of an enumeration, as Rust allows with a warning.
#[derive(LogicBlock, Default)]
struct Complete {
    pub phase: Signal<In, Phase>,
    pub go: Signal<Out, Bit>,
}

impl Logic for Complete {
    #[hdl_gen]
    #[allow(unreachable_patterns)]
    fn update(&mut self) {
        match self.phase.val() {
            Phase::Red => self.go.next = false,
            Phase::Green => self.go.next = true,
            Phase::Amber => self.go.next = false,
            _ => {}
        }
    }
}

#[test]
fn a_wildcard_that_is_never_reached_makes_no_latch() {
    let text = text(&Complete::default(), "complete");
    assert!(text.contains("            default: go = 1'b0;\n"), "{text}");
}

/// Compares an index with numbers beyond the width of the signal.
#[derive(LogicBlock, Default)]
struct Reach {
    pub at: Signal<In, Bits<2>>,
    pub hit: Signal<Out, Bits<6>>,
}

impl Logic for Reach {
    #[hdl_gen]
    fn update(&mut self) {
        self.hit.next = bits::<6>(0);
        for i in 0..6 {
            if self.at.val().index() == i + 1 {
                self.hit.next = self.hit.val().replace_bit(i, true);
            }
        }
    }
}

#[test]
fn a_number_beyond_the_width_of_a_signal_is_never_equal_to_it() {
    let text = text(&Reach::default(), "reach");
    let tests: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("if ("))
        .map(str::trim)
        .collect();
    assert_eq!(
        tests,
        [
            "if (at == 2'd1) begin",
            "if (at == 2'd2) begin",
            "if (at == 2'd3) begin"
        ],
        "{text}"
    );
}

/// Reads the next state of a register, above and below the statements that drive it.
#[derive(LogicBlock, Default)]
struct Ahead {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub step: Signal<In, Bit>,
    pub coming: Signal<Out, Bits<4>>,
    pub now: Signal<Out, Bits<4>>,
    count: DFF<Bits<4>>,
}

impl Logic for Ahead {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, count);
        self.coming.next = self.count.d.val();
        self.now.next = self.count.q.val();
        if self.step.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if self.rst.val() {
            self.count.d.next = bits::<4>(0);
        }
    }
}

#[test]
fn a_next_state_is_read_as_the_kernel_leaves_it() {
    insta::assert_snapshot!(text(&Ahead::default(), "ahead"));
}

/// A clock that goes through a local, as from an interface.
#[derive(LogicBlock, Default)]
struct Copied {
    pub clk: Signal<In, Clock>,
    pub d: Signal<In, Bit>,
    pub held: Signal<Out, Bit>,
    clock: Signal<Local, Clock>,
    state: DFF<Bit>,
}

impl Logic for Copied {
    #[hdl_gen]
    fn update(&mut self) {
        self.clock.next = self.clk.val();
        dff_setup!(self, clock, state);
        self.state.d.next = self.d.val();
        self.held.next = self.state.q.val();
    }
}

/// Holds a block that has a port of the same name.
#[derive(LogicBlock, Default)]
struct Holder {
    pub clk: Signal<In, Clock>,
    pub d: Signal<In, Bit>,
    pub q: Signal<Out, Bit>,
    held: Copied,
}

impl Logic for Holder {
    #[hdl_gen]
    fn update(&mut self) {
        self.held.clk.next = self.clk.val();
        self.held.d.next = self.d.val();
        self.q.next = self.held.held.val();
    }
}

#[test]
fn a_copy_of_a_clock_is_the_clock() {
    let text = text(&Copied::default(), "copied");
    assert!(text.contains("always @(posedge clk) begin"), "{text}");
    assert!(!text.contains("clock"), "{text}");
}

#[test]
fn an_instance_is_not_called_as_a_signal_inside() {
    let text = text(&Holder::default(), "holder");
    assert!(text.contains("    test_holder_held held_block ("), "{text}");
}

/// Comments on everything that may become of a statement.
#[derive(LogicBlock, Default)]
struct Explained {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub data: Signal<In, Bits<8>>,
    pub load: Signal<In, Bit>,
    pub sum: Signal<Out, Bits<8>>,
    pub halves: Signal<Out, Bits<8>>,
    pub high: Signal<Out, Bit>,
    pub phase_out: Signal<Out, Bit>,
    held: DFF<Bits<8>>,
    last: DFF<Bits<8>>,
    below: [Complete; 2],
}

impl Logic for Explained {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, held, last);
        comment!("sum of the word and the one before it");
        self.sum.next = self.data.val() + self.held.q.val();
        println!("sum {:?}", self.sum.val());
        assert!(self.below.len() == 2);
        comment!("sampled each cycle");
        self.last.d.next = self.data.val();
        comment!("both follow the phase\nof the lights");
        for i in 0..2 {
            comment!("one of two");
            self.below[i].phase.next = Phase::Green;
        }
        comment!("halves change places");
        self.halves.next = bit_cast::<8, 4>(self.last.q.val().get_bits::<4>(4));
        self.high.next = false;
        comment!("a word is taken");
        if self.load.val() {
            comment!("keep it");
            self.held.d.next = self.data.val();
            comment!("tell \"high\" words");
            self.high.next = self.data.val().get_bit(7);
            comment!("nothing follows");
        }
        self.phase_out.next = self.below[0].go.val() & self.below[1].go.val();
        comment!("after reset");
        if self.rst.val() {
            self.held.d.next = bits::<8>(0);
        }
    }
}

#[test]
fn comments_stand_above_what_follows_them() {
    insta::assert_snapshot!(text(&Explained::default(), "explained"));
}
