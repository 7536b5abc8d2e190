//! Kinds of signals and blocks that are outside the supported subset.

use super::message;
use rust_hdl::core::ast::{BlackBox, Wrapper};
use rust_hdl::prelude::*;

/// A block with one field of the given type.
macro_rules! holds {
    ($block:ident, $name:ident: $kind:ty) => {
        #[derive(LogicBlock, Default)]
        struct $block {
            pub $name: $kind,
        }

        impl Logic for $block {
            fn update(&mut self) {}
        }
    };
}

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Only {
    One,
}

#[derive(LogicInterface, Default)]
struct Pins {
    pub sda: Signal<InOut, Bit>,
}

holds!(Bidirectional, pins: Pins);
holds!(NoBits, a: Signal<In, Bits<0>>);
holds!(OneValue, held: DFF<Only>);

#[test]
fn signals_of_other_kinds() {
    for (block, expected) in [
        (
            &Bidirectional::default() as &dyn Block,
            "bidirectional signal `pins.sda`",
        ),
        (&NoBits::default(), "zero-width signal `a`"),
        (&OneValue::default(), "zero-width signal `held.d`"),
    ] {
        assert_eq!(message(block), format!("top: {expected} is not supported"));
    }
}

#[test]
fn interfaces_as_tops() {
    assert_eq!(
        message(&Pins::default()),
        "top: an interface or signal as a top is not supported"
    );
}

/// A block of somebody else's.
#[derive(LogicBlock)]
struct Foreign {
    pub a: Signal<In, Bit>,
    _code: Verilog,
}

impl Logic for Foreign {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        self._code.clone()
    }
}

#[derive(LogicBlock)]
struct Holder {
    pub a: Signal<In, Bit>,
    pads: Vec<Foreign>,
}

impl Logic for Holder {
    #[hdl_gen]
    fn update(&mut self) {
        self.pads[0].a.next = self.a.val();
    }
}

#[test]
fn black_boxes_and_wrappers() {
    let black_box = Verilog::Blackbox(BlackBox {
        code: "module pad(a); input a; endmodule".into(),
        name: "pad".into(),
    });
    let wrapper = Verilog::Wrapper(Wrapper {
        code: "pad pad(.a(a));".into(),
        cores: String::new(),
    });
    for code in [black_box, wrapper] {
        let pad = Foreign {
            a: Default::default(),
            _code: code,
        };
        let holder = Holder {
            a: Default::default(),
            pads: vec![pad],
        };
        assert_eq!(message(&holder), "top.pads[0]: a black box or wrapper is not supported");
    }
}
