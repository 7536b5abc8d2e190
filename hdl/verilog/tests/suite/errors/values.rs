//! Values that do not fit their place, and slices that Verilog cannot write.

use super::message;
use rust_hdl::prelude::*;

/// A block that gives `y` and `z` values computed from `a`, `b` and `at`.
macro_rules! computes {
    ($block:ident) => {
        #[derive(LogicBlock, Default)]
        struct $block {
            pub a: Signal<In, Bits<8>>,
            pub b: Signal<In, Bits<8>>,
            pub at: Signal<In, Bits<3>>,
            pub y: Signal<Out, Bits<4>>,
            pub z: Signal<Out, Bit>,
        }
    };
}

computes!(BitOutside);

impl Logic for BitOutside {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = bits::<4>(0);
        self.z.next = self.a.val().get_bit(8);
    }
}

computes!(SliceOutside);

impl Logic for SliceOutside {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val().get_bits::<4>(8);
        self.z.next = false;
    }
}

computes!(ReplacedOutside);

impl Logic for ReplacedOutside {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = bits::<4>(0);
        self.z.next = self.a.val().replace_bit(9, true).any();
    }
}

computes!(BelowZero);

impl Logic for BelowZero {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = bits::<4>(0);
        self.z.next = false;
        for i in 0..2 {
            self.z.next = self.a.val().get_bit(i - 1);
        }
    }
}

#[test]
fn an_index_outside() {
    assert_eq!(
        message(&BitOutside::default()),
        "top: bad index `8`: only 8 bits are there"
    );
    assert_eq!(
        message(&SliceOutside::default()),
        "top: bad index `8`: only 8 bits are there"
    );
    assert_eq!(
        message(&ReplacedOutside::default()),
        "top: bad index `9`: only 8 bits are there"
    );
    assert_eq!(
        message(&BelowZero::default()),
        "top: bad index `0 - 1`: it is below zero"
    );
}

computes!(SlicedSum);

impl Logic for SlicedSum {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = (self.a.val() + self.b.val()).get_bits::<4>(4);
        self.z.next = false;
    }
}

computes!(IndexedSum);

impl Logic for IndexedSum {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = bits::<4>(0);
        self.z.next = (self.a.val() + self.b.val()).get_bit(self.at.val().index());
    }
}

computes!(CutShift);

impl Logic for CutShift {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = bit_cast::<4, 8>(self.a.val() >> self.at.val());
        self.z.next = false;
    }
}

computes!(PastTheEnd);

impl Logic for PastTheEnd {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val().get_bits::<4>(self.at.val().index());
        self.z.next = false;
    }
}

computes!(HiddenWidth);

impl Logic for HiddenWidth {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = bits::<4>(0);
        self.z.next = bit_cast::<16, 8>(self.a.val()).get_bit((self.at.val() + 1).index());
    }
}

#[test]
fn a_value_that_needs_a_name() {
    let needs_name = |what: &str| format!("top: {what} needs a name: assign it to a Signal<Local, _> first");
    assert_eq!(message(&SlicedSum::default()), needs_name("a value that is sliced"));
    assert_eq!(
        message(&IndexedSum::default()),
        needs_name("a value with an index from hardware")
    );
    assert_eq!(message(&CutShift::default()), needs_name("a value that is cut"));
    let shifted = "a slice whose index may reach past the end (it becomes a right shift)";
    assert_eq!(message(&PastTheEnd::default()), needs_name(shifted));
    assert_eq!(
        message(&HiddenWidth::default()),
        needs_name("arithmetic inside an index")
    );
}

computes!(LargeLiteral);

impl Logic for LargeLiteral {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = 16.into();
        self.z.next = false;
    }
}

computes!(LargeOperand);

impl Logic for LargeOperand {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = bits::<4>(0);
        self.z.next = self.a.val() < 300;
    }
}

computes!(LargeNumber);

impl Logic for LargeNumber {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = bits::<4>(0);
        self.z.next = self.at.val().index() == 8;
    }
}

#[test]
fn a_literal_that_does_not_fit() {
    assert_eq!(
        message(&LargeLiteral::default()),
        "top: literal 16 is 5 bits wide where 4 are needed"
    );
    assert_eq!(
        message(&LargeOperand::default()),
        "top: literal 300 is 9 bits wide where 8 are needed"
    );
    assert_eq!(
        message(&LargeNumber::default()),
        "top: literal 8 is 4 bits wide where 3 are needed"
    );
}

computes!(Indices);

impl Logic for Indices {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = bits::<4>(0);
        self.z.next = self.a.val().index() > self.at.val().index();
    }
}

/// Numbers of any width compare in Rust, where they are all `usize`.
#[test]
fn operands_of_different_widths() {
    assert_eq!(
        message(&Indices::default()),
        "top: right operand of `>` is 3 bits wide where 8 are needed"
    );
}
