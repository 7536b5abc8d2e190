//! Which output a head asks for, worked out where it arrives.
//!
//! Every input has its own few legal turns, so each has its own computer and its own code of two or three bits; the code
//! travels through the FIFO beside the flit, and what reads the FIFO need not look at coordinates again.

mod comparator;
mod from_local;
mod from_north;
mod from_side;
mod from_south;

pub use comparator::Comparator;
pub use from_local::RouteFromLocal;
pub use from_north::RouteFromNorth;
pub use from_side::RouteFromSide;
pub use from_south::RouteFromSouth;

/// Bits of a route code, at any input.
pub const CODE_WIDTH: usize = 3;

#[cfg(test)]
mod testing {
    use portico_spec::{
        flit::{X_WIDTH, Y_WIDTH},
        routing::{legal_turn, next_port},
        Node, Port,
    };

    fn everywhere() -> impl Iterator<Item = Node> {
        (0..1u8 << Y_WIDTH).flat_map(|y| (0..1u8 << X_WIDTH).map(move |x| Node { x, y }))
    }

    /// Holds `route`, the output for a router and a destination, to XY routing wherever a packet can come in from `input`.
    pub(super) fn follows_xy(input: Port, mut route: impl FnMut(Node, Node) -> Option<Port>) {
        let mut met = [false; Port::ALL.len()];
        for (at, to) in everywhere().flat_map(|at| everywhere().map(move |to| (at, to))) {
            let output = next_port(at, to);
            if legal_turn(input, output) {
                assert_eq!(route(at, to), Some(output), "from {input} at {at} to {to}");
                met[output.index()] = true;
            }
        }
        assert_eq!(met, Port::ALL.map(|output| legal_turn(input, output)), "from {input}");
    }

    #[test]
    #[should_panic(expected = "from local at")]
    fn a_wrong_turn_is_noticed() {
        follows_xy(Port::Local, |at, to| {
            let last = at.x == 15 && at.y == 31 && to.x == 15 && to.y == 30;
            Some(if last { Port::South } else { next_port(at, to) })
        });
    }
}
