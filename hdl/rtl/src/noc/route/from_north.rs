//! Route of a head that arrives from the north: its column is right, so it goes on south or has arrived.
//!
//! | code | output |
//! | --- | --- |
//! | `000` | south |
//! | `001` | local |

use super::CODE_WIDTH;
use portico_spec::flit::Y_WIDTH;
use portico_verilog::prelude::*;

/// Combinational: the code of the output that XY routing takes from the north input.
#[derive(LogicBlock, Default)]
pub struct RouteFromNorth {
    /// Row of the router.
    pub y: Signal<In, Bits<Y_WIDTH>>,
    /// Row in the head.
    pub to_y: Signal<In, Bits<Y_WIDTH>>,
    pub code: Signal<Out, Bits<CODE_WIDTH>>,
}

#[kernel]
impl Logic for RouteFromNorth {
    fn update(&mut self) {
        self.code.next = bits::<CODE_WIDTH>(0).replace_bit(0, self.to_y.val() == self.y.val());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{noc::route::testing::follows_xy, prim::testing::settle};
    use portico_spec::Port;

    #[test]
    fn takes_the_output_of_xy_routing() {
        let mut dut = RouteFromNorth::default();
        dut.connect_all();
        follows_xy(Port::North, |at, to| {
            dut.y.next = u64::from(at.y).into();
            dut.to_y.next = u64::from(to.y).into();
            settle(&mut dut);
            [Port::South, Port::Local].get(dut.code.val().index()).copied()
        });
    }
}
