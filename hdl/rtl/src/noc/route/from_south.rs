//! Route of a head that arrives from the south: north or local, or, from an edge node, first along the row.
//!
//! | code | output |
//! | --- | --- |
//! | `000` | north |
//! | `001` | local |
//! | `010` | east |
//! | `011` | west |

use super::{Comparator, CODE_WIDTH};
use portico_spec::flit::{X_WIDTH, Y_WIDTH};
use portico_verilog::prelude::*;

/// Combinational: the code of the output that XY routing takes from the south input.
#[derive(LogicBlock, Default)]
pub struct RouteFromSouth {
    /// Coordinates of the router.
    pub x: Signal<In, Bits<X_WIDTH>>,
    pub y: Signal<In, Bits<Y_WIDTH>>,
    /// Coordinates in the head.
    pub to_x: Signal<In, Bits<X_WIDTH>>,
    pub to_y: Signal<In, Bits<Y_WIDTH>>,
    pub code: Signal<Out, Bits<CODE_WIDTH>>,
    column: Comparator<4>,
    arrived: Signal<Local, Bit>,
}

#[kernel]
impl Logic for RouteFromSouth {
    fn update(&mut self) {
        self.column.a.next = self.to_x.val();
        self.column.b.next = self.x.val();
        self.arrived.next = self.column.equal.val() & (self.to_y.val() == self.y.val());
        self.code.next = bits::<CODE_WIDTH>(0)
            .replace_bit(1, !self.column.equal.val())
            .replace_bit(0, self.column.less.val() | self.arrived.val());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{noc::route::testing::follows_xy, prim::testing::settle};
    use portico_spec::Port;

    #[test]
    fn takes_the_output_of_xy_routing() {
        let mut dut = RouteFromSouth::default();
        dut.connect_all();
        follows_xy(Port::South, |at, to| {
            dut.x.next = u64::from(at.x).into();
            dut.y.next = u64::from(at.y).into();
            dut.to_x.next = u64::from(to.x).into();
            dut.to_y.next = u64::from(to.y).into();
            settle(&mut dut);
            let outputs = [Port::North, Port::Local, Port::East, Port::West];
            outputs.get(dut.code.val().index()).copied()
        });
    }
}
