//! Signals and registers of every width.

use rust_hdl::core::{block::Block, direction::Direction, logic::Logic, probe::Probe, signal::Signal};
use rust_hdl::prelude::{Bit, Bits, DFF};

/// How many there are of each width.
pub const PER_WIDTH: usize = 2;

/// Signals of one direction, as an interface; rust-hdl's derived ones cannot hold arrays.
#[derive(Default)]
pub struct Bank<D: Direction> {
    pub w1: [Signal<D, Bit>; PER_WIDTH],
    pub w4: [Signal<D, Bits<4>>; PER_WIDTH],
    pub w8: [Signal<D, Bits<8>>; PER_WIDTH],
    pub w13: [Signal<D, Bits<13>>; PER_WIDTH],
    pub w32: [Signal<D, Bits<32>>; PER_WIDTH],
    pub w40: [Signal<D, Bits<40>>; PER_WIDTH],
}

/// Registers, whose names start with that of the group.
#[derive(Default)]
pub struct Registers {
    pub w1: [DFF<Bit>; PER_WIDTH],
    pub w4: [DFF<Bits<4>>; PER_WIDTH],
    pub w8: [DFF<Bits<8>>; PER_WIDTH],
    pub w13: [DFF<Bits<13>>; PER_WIDTH],
    pub w32: [DFF<Bits<32>>; PER_WIDTH],
    pub w40: [DFF<Bits<40>>; PER_WIDTH],
}

/// `$body` for the member of `$bank` that `$place` names, borrowed as `&` or `&mut`.
macro_rules! member {
    (@one $bank:expr, $place:expr, $member:ident, $field:ident, [$($borrow:tt)+], $body:expr) => {{
        let $member = $($borrow)+ $bank.$field[$place.index];
        $body
    }};
    ([$($borrow:tt)+] $bank:expr, $place:expr, $member:ident => $body:expr) => {
        match $place.width {
            1 => member!(@one $bank, $place, $member, w1, [$($borrow)+], $body),
            4 => member!(@one $bank, $place, $member, w4, [$($borrow)+], $body),
            8 => member!(@one $bank, $place, $member, w8, [$($borrow)+], $body),
            13 => member!(@one $bank, $place, $member, w13, [$($borrow)+], $body),
            32 => member!(@one $bank, $place, $member, w32, [$($borrow)+], $body),
            40 => member!(@one $bank, $place, $member, w40, [$($borrow)+], $body),
            other => panic!("nothing here is {other} bits wide"),
        }
    };
}

pub(crate) use member;

macro_rules! block_of_all_widths {
    () => {
        fn connect_all(&mut self) {}

        fn update_all(&mut self) {
            self.w1.update_all();
            self.w4.update_all();
            self.w8.update_all();
            self.w13.update_all();
            self.w32.update_all();
            self.w40.update_all();
        }

        fn has_changed(&self) -> bool {
            let narrow = self.w1.has_changed() || self.w4.has_changed() || self.w8.has_changed();
            narrow || self.w13.has_changed() || self.w32.has_changed() || self.w40.has_changed()
        }
    };
}

impl<D: Direction> Logic for Bank<D> {
    fn update(&mut self) {}
}

impl<D: Direction> Block for Bank<D> {
    block_of_all_widths!();

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_namespace(name, self);
        self.w1.accept("w1", probe);
        self.w4.accept("w4", probe);
        self.w8.accept("w8", probe);
        self.w13.accept("w13", probe);
        self.w32.accept("w32", probe);
        self.w40.accept("w40", probe);
        probe.visit_end_namespace(name, self);
    }
}

impl Logic for Registers {
    fn update(&mut self) {}
}

impl Block for Registers {
    block_of_all_widths!();

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.w1.accept(&format!("{name}$w1"), probe);
        self.w4.accept(&format!("{name}$w4"), probe);
        self.w8.accept(&format!("{name}$w8"), probe);
        self.w13.accept(&format!("{name}$w13"), probe);
        self.w32.accept(&format!("{name}$w32"), probe);
        self.w40.accept(&format!("{name}$w40"), probe);
    }
}
