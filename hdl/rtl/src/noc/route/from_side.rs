//! Route of a head that arrives from the west or the east: straight on, or out of the row where the column is right.
//!
//! | code | output |
//! | --- | --- |
//! | `000` | straight on |
//! | `001` | north |
//! | `010` | south |
//! | `011` | local |

use super::{Comparator, CODE_WIDTH};
use portico_spec::flit::{X_WIDTH, Y_WIDTH};
use portico_verilog::prelude::*;

/// Combinational: the code of the output that XY routing takes from the west or east input.
#[derive(LogicBlock, Default)]
pub struct RouteFromSide {
    /// Coordinates of the router.
    pub x: Signal<In, Bits<X_WIDTH>>,
    pub y: Signal<In, Bits<Y_WIDTH>>,
    /// Coordinates in the head.
    pub to_x: Signal<In, Bits<X_WIDTH>>,
    pub to_y: Signal<In, Bits<Y_WIDTH>>,
    pub code: Signal<Out, Bits<CODE_WIDTH>>,
    row: Comparator<6>,
    here: Signal<Local, Bit>,
}

#[kernel]
impl Logic for RouteFromSide {
    fn update(&mut self) {
        self.row.a.next = bit_cast::<6, Y_WIDTH>(self.to_y.val());
        self.row.b.next = bit_cast::<6, Y_WIDTH>(self.y.val());
        self.here.next = self.to_x.val() == self.x.val();
        self.code.next = bits::<CODE_WIDTH>(0)
            .replace_bit(1, self.here.val() & !self.row.less.val())
            .replace_bit(0, self.here.val() & (self.row.less.val() | self.row.equal.val()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{noc::route::testing::follows_xy, prim::testing::settle};
    use portico_spec::Port;

    fn follows_xy_from(input: Port) {
        let mut dut = RouteFromSide::default();
        dut.connect_all();
        follows_xy(input, |at, to| {
            dut.x.next = u64::from(at.x).into();
            dut.y.next = u64::from(at.y).into();
            dut.to_x.next = u64::from(to.x).into();
            dut.to_y.next = u64::from(to.y).into();
            settle(&mut dut);
            let outputs = [input.opposite(), Port::North, Port::South, Port::Local];
            outputs.get(dut.code.val().index()).copied()
        });
    }

    #[test]
    fn takes_the_output_of_xy_routing() {
        follows_xy_from(Port::West);
        follows_xy_from(Port::East);
    }
}
