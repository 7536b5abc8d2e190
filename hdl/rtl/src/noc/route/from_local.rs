//! Route of a head that the tile sends: to any side, or straight back to the tile.
//!
//! | code | output |
//! | --- | --- |
//! | `00-` | east |
//! | `01-` | west |
//! | `10-` | north |
//! | `110` | south |
//! | `111` | local |

use super::{Comparator, CODE_WIDTH};
use portico_spec::flit::{X_WIDTH, Y_WIDTH};
use portico_verilog::prelude::*;

/// Combinational: the code of the output that XY routing takes from the local input.
#[derive(LogicBlock, Default)]
pub struct RouteFromLocal {
    /// Coordinates of the router.
    pub x: Signal<In, Bits<X_WIDTH>>,
    pub y: Signal<In, Bits<Y_WIDTH>>,
    /// Coordinates in the head.
    pub to_x: Signal<In, Bits<X_WIDTH>>,
    pub to_y: Signal<In, Bits<Y_WIDTH>>,
    pub code: Signal<Out, Bits<CODE_WIDTH>>,
    column: Comparator<4>,
    row: Comparator<6>,
    middle: Signal<Local, Bit>,
}

#[kernel]
impl Logic for RouteFromLocal {
    fn update(&mut self) {
        self.column.a.next = self.to_x.val();
        self.column.b.next = self.x.val();
        self.row.a.next = bit_cast::<6, Y_WIDTH>(self.to_y.val());
        self.row.b.next = bit_cast::<6, Y_WIDTH>(self.y.val());
        self.middle.next = self.column.less.val() | (self.column.equal.val() & !self.row.less.val());
        self.code.next = bits::<CODE_WIDTH>(0)
            .replace_bit(2, self.column.equal.val())
            .replace_bit(1, self.middle.val())
            .replace_bit(0, self.row.equal.val());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{noc::route::testing::follows_xy, prim::testing::settle};
    use portico_spec::Port;

    #[test]
    fn takes_the_output_of_xy_routing() {
        let mut dut = RouteFromLocal::default();
        dut.connect_all();
        follows_xy(Port::Local, |at, to| {
            dut.x.next = u64::from(at.x).into();
            dut.y.next = u64::from(at.y).into();
            dut.to_x.next = u64::from(to.x).into();
            dut.to_y.next = u64::from(to.y).into();
            settle(&mut dut);
            Some(match dut.code.val().to_u64() {
                0b000 | 0b001 => Port::East,
                0b010 | 0b011 => Port::West,
                0b100 | 0b101 => Port::North,
                0b110 => Port::South,
                _ => Port::Local,
            })
        });
    }
}
