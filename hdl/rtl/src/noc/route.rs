//! Which output a head asks for.
//!
//! The input computes the route when the head arrives. The route travels as a code beside each flit, so the reading side of the
//! FIFO needs no coordinates. Each input has only a few legal turns, so each has its own code of one to three bits:
//!
//! | from | east | west | north | south | local |
//! | --- | --- | --- | --- | --- | --- |
//! | local | `00-` | `01-` | `10-` | `110` | `111` |
//! | north | | | | `0` | `1` |
//! | east | | `00` | `01` | `10` | `11` |
//! | south | `10` | `11` | `00` | | `01` |
//! | west | `00` | | `01` | `10` | `11` |

use super::{EAST, LOCAL, NORTH, PORTS, SOUTH, WEST};
use portico_spec::{
    flit::{NODE_WIDTH, X_WIDTH, Y_WIDTH},
    Port,
};
use portico_verilog::prelude::*;

/// Bits of a code, at any input.
pub const CODE_WIDTH: usize = 3;

/// Compares a coordinate of a head with that of the router, two bits a step.
///
/// Compares two numbers of `N` bits, `N` even.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
///
/// Steps of two bits fit a LUT each; a subtraction would put a carry chain into the path between two routers.
#[derive(LogicBlock, Default)]
pub struct Comparator<const N: usize> {
    /// Coordinate of the head's destination.
    pub a: Signal<In, Bits<N>>,
    /// The same coordinate of the router.
    pub b: Signal<In, Bits<N>>,
    /// `a` is less than `b`.
    pub less: Signal<Out, Bit>,
    /// `a` equals `b`.
    pub equal: Signal<Out, Bit>,
    step_less: Signal<Local, Bit>,
    step_equal: Signal<Local, Bit>,
}

impl<const N: usize> Comparator<N> {
    const STEPS: usize = N / 2;
}

#[kernel]
impl<const N: usize> Logic for Comparator<N> {
    fn update(&mut self) {
        self.less.next = false;
        self.equal.next = true;
        // From the bottom up: a higher step outvotes the lower ones unless it ties.
        for i in 0..Self::STEPS {
            self.step_equal.next = self.a.val().get_bits::<2>(2 * i) == self.b.val().get_bits::<2>(2 * i);
            self.step_less.next = (!self.a.val().get_bit(2 * i + 1) & self.b.val().get_bit(2 * i + 1))
                | ((self.a.val().get_bit(2 * i + 1) == self.b.val().get_bit(2 * i + 1))
                    & !self.a.val().get_bit(2 * i)
                    & self.b.val().get_bit(2 * i));
            self.less.next = self.step_less.val() | (self.step_equal.val() & self.less.val());
            self.equal.next = self.step_equal.val() & self.equal.val();
        }
    }
}

/// Route computer: the code of the output that XY routing takes.
///
/// The code of a head that comes in at port `FROM`. Combinational.
#[derive(LogicBlock, Default)]
pub struct Route<const FROM: usize> {
    /// Coordinate x of the router: its column; grows to the east.
    pub x: Signal<In, Bits<X_WIDTH>>,
    /// Coordinate y of the router: its row; grows to the south.
    pub y: Signal<In, Bits<Y_WIDTH>>,
    /// Node in the head, x below y.
    pub destination: Signal<In, Bits<NODE_WIDTH>>,
    /// Code of the output that the head asks for, as input `FROM` writes it.
    pub code: Signal<Out, Bits<CODE_WIDTH>>,
    column: Comparator<4>,
    row: Comparator<6>,
    to_x: Signal<Local, Bits<X_WIDTH>>,
    to_y: Signal<Local, Bits<Y_WIDTH>>,
    /// The head is in its column, in its row. An equality is smaller and faster than a full comparison.
    in_column: Signal<Local, Bit>,
    in_row: Signal<Local, Bit>,
}

#[kernel]
impl<const FROM: usize> Logic for Route<FROM> {
    fn update(&mut self) {
        self.to_x.next = self.destination.val().get_bits::<X_WIDTH>(0);
        self.to_y.next = self.destination.val().get_bits::<Y_WIDTH>(X_WIDTH);
        self.in_column.next = self.to_x.val() == self.x.val();
        self.in_row.next = self.to_y.val() == self.y.val();
        self.column.a.next = self.to_x.val();
        self.column.b.next = self.x.val();
        self.row.a.next = bit_cast::<6, Y_WIDTH>(self.to_y.val());
        self.row.b.next = bit_cast::<6, Y_WIDTH>(self.y.val());

        self.code.next = 0.into();
        if FROM == LOCAL {
            self.code.next = bits::<CODE_WIDTH>(0)
                .replace_bit(0, self.row.equal.val())
                .replace_bit(
                    1,
                    self.column.less.val() | (self.column.equal.val() & !self.row.less.val()),
                )
                .replace_bit(2, self.column.equal.val());
        }
        if FROM == NORTH {
            self.code.next = bits::<CODE_WIDTH>(0).replace_bit(0, self.in_row.val());
        }
        if FROM == SOUTH {
            self.code.next = bits::<CODE_WIDTH>(0)
                .replace_bit(
                    0,
                    self.column.less.val() | (self.column.equal.val() & self.in_row.val()),
                )
                .replace_bit(1, !self.column.equal.val());
        }
        if (FROM == EAST) | (FROM == WEST) {
            self.code.next = bits::<CODE_WIDTH>(0)
                .replace_bit(0, self.in_column.val() & (self.row.less.val() | self.row.equal.val()))
                .replace_bit(1, self.in_column.val() & !self.row.less.val());
        }
    }
}

/// The output that a code stands for.
///
/// Reads the codes of port `FROM`. Combinational.
#[derive(LogicBlock, Default)]
pub struct Wants<const FROM: usize> {
    /// There is a flit.
    pub present: Signal<In, Bit>,
    /// Code of the output that the flit asks for, as input `FROM` writes it.
    pub code: Signal<In, Bits<CODE_WIDTH>>,
    /// A bit a port: at most one, none without a flit.
    pub wants: Signal<Out, Bits<PORTS>>,
}

impl<const FROM: usize> Wants<FROM> {
    /// The output of a packet that does not turn.
    const THROUGH: usize = Port::ALL[FROM].opposite().index();
}

#[kernel]
impl<const FROM: usize> Logic for Wants<FROM> {
    fn update(&mut self) {
        self.wants.next = 0.into();
        if self.present.val() {
            if FROM == LOCAL {
                self.wants.next = bits::<PORTS>(0)
                    .replace_bit(EAST, self.code.val().get_bits::<2>(1) == 0b00)
                    .replace_bit(WEST, self.code.val().get_bits::<2>(1) == 0b01)
                    .replace_bit(NORTH, self.code.val().get_bits::<2>(1) == 0b10)
                    .replace_bit(SOUTH, self.code.val() == 0b110)
                    .replace_bit(LOCAL, self.code.val() == 0b111);
            }
            if FROM == NORTH {
                self.wants.next = bits::<PORTS>(0)
                    .replace_bit(SOUTH, !self.code.val().get_bit(0))
                    .replace_bit(LOCAL, self.code.val().get_bit(0));
            }
            if FROM == SOUTH {
                self.wants.next = bits::<PORTS>(0)
                    .replace_bit(NORTH, self.code.val().get_bits::<2>(0) == 0b00)
                    .replace_bit(LOCAL, self.code.val().get_bits::<2>(0) == 0b01)
                    .replace_bit(EAST, self.code.val().get_bits::<2>(0) == 0b10)
                    .replace_bit(WEST, self.code.val().get_bits::<2>(0) == 0b11);
            }
            if (FROM == EAST) | (FROM == WEST) {
                self.wants.next = bits::<PORTS>(0)
                    .replace_bit(Self::THROUGH, self.code.val().get_bits::<2>(0) == 0b00)
                    .replace_bit(NORTH, self.code.val().get_bits::<2>(0) == 0b01)
                    .replace_bit(SOUTH, self.code.val().get_bits::<2>(0) == 0b10)
                    .replace_bit(LOCAL, self.code.val().get_bits::<2>(0) == 0b11);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::settle;
    use portico_spec::{
        routing::{legal_turn, next_port},
        Node,
    };

    #[test]
    fn compares_every_pair() {
        let mut dut = Comparator::<6>::default();
        dut.connect_all();
        for (a, b) in (0..64u64).flat_map(|a| (0..64).map(move |b| (a, b))) {
            dut.a.next = a.into();
            dut.b.next = b.into();
            settle(&mut dut);
            assert_eq!((dut.less.val(), dut.equal.val()), (a < b, a == b), "{a} and {b}");
        }
    }

    fn everywhere() -> impl Iterator<Item = Node> {
        (0..1u8 << Y_WIDTH).flat_map(|y| (0..1u8 << X_WIDTH).map(move |x| Node { x, y }))
    }

    /// Holds the outputs that are wanted to XY routing wherever a packet can come in from `FROM`.
    fn follows_xy<const FROM: usize>() {
        let input = Port::ALL[FROM];
        let (mut route, mut wants) = (Route::<FROM>::default(), Wants::<FROM>::default());
        route.connect_all();
        wants.connect_all();
        let mut met = [false; PORTS];
        for (at, to) in everywhere().flat_map(|at| everywhere().map(move |to| (at, to))) {
            let output = next_port(at, to);
            if legal_turn(input, output) {
                route.x.next = u64::from(at.x).into();
                route.y.next = u64::from(at.y).into();
                route.destination.next = u64::from(to.number()).into();
                settle(&mut route);
                wants.code.next = route.code.val();
                wants.present.next = true;
                settle(&mut wants);
                let wanted = wants.wants.val().to_u64();
                assert_eq!(wanted, 1 << output.index(), "from {input} at {at} to {to}");
                met[output.index()] = true;
            }
        }
        assert_eq!(met, Port::ALL.map(|output| legal_turn(input, output)), "from {input}");
        for code in 0..1u64 << CODE_WIDTH {
            wants.code.next = code.into();
            wants.present.next = true;
            settle(&mut wants);
            let wanted = wants.wants.val().to_u64();
            let illegal = (0..PORTS).filter(|output| !legal_turn(input, Port::ALL[*output]));
            assert!(
                illegal.into_iter().all(|output| wanted >> output & 1 == 0),
                "from {input}"
            );
            wants.present.next = false;
            settle(&mut wants);
            assert_eq!(wants.wants.val().to_u64(), 0, "from {input} without a flit");
        }
    }

    #[test]
    fn every_input_takes_the_output_of_xy_routing() {
        follows_xy::<LOCAL>();
        follows_xy::<NORTH>();
        follows_xy::<EAST>();
        follows_xy::<SOUTH>();
        follows_xy::<WEST>();
    }
}
