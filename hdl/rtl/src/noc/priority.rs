use super::PORTS;
use portico_verilog::prelude::*;

/// The preferences, as the outputs use them.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Preferences {
    pub south_before_east: Bit,
    pub south_before_west: Bit,
    pub west_before_east: Bit,
    pub south_before_north: Bit,
    /// At the north and the south output: what turns in from the row before what goes straight on.
    pub turning_to_north: Bit,
    pub turning_to_south: Bit,
    /// At the local output: east and west before north and south.
    pub row_before_column: Bit,
    /// The tile's own packets before all others, by output.
    pub local_to_local: Bit,
    pub local_to_north: Bit,
    pub local_to_east: Bit,
    pub local_to_south: Bit,
    pub local_to_west: Bit,
}

/// Decides between inputs `I` and `J` of the ring north, east, south, west.
#[derive(LogicBlock, Default)]
pub struct Tie<const I: u64, const J: u64> {
    pub token: Signal<In, Bits<2>>,
    pub i_busy: Signal<In, Bit>,
    pub j_busy: Signal<In, Bit>,
    pub i_first: Signal<Out, Bit>,
    i_behind: Signal<Local, Bits<2>>,
    j_behind: Signal<Local, Bits<2>>,
}

#[kernel]
impl<const I: u64, const J: u64> Logic for Tie<I, J> {
    fn update(&mut self) {
        self.i_behind.next = bits::<2>(I) - self.token.val();
        self.j_behind.next = bits::<2>(J) - self.token.val();
        self.i_first.next = self.i_behind.val() < self.j_behind.val();
        if self.i_busy.val() ^ self.j_busy.val() {
            self.i_first.next = self.i_busy.val();
        }
        if self.token.val() == bits::<2>(J) {
            self.i_first.next = false;
        }
        if self.token.val() == bits::<2>(I) {
            self.i_first.next = true;
        }
    }
}

/// Which input goes first where two want the same output: one decision for the whole router, a cycle ahead of its use.
///
/// The preferences of one router. Bits of `present`, `taken` and `busy`: local, north, east, south, west.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from the state of the FIFOs to the preferences |
/// | fairness | every input holds the token within 16 turns of it, and keeps it until its flit has gone |
/// | state | a 4-bit counter, one flip-flop an input and one a preference |
///
/// A token goes round the sides, and every fourth round to the tile too. Who holds it goes first; it stays while its
/// holder waits, so nobody starves. Among the others a FIFO that is full or nearly so goes before one that is not: behind it
/// waits a link, behind the other only itself. Then the ring decides, from the token on; the tile's own packets come last,
/// except before sides that have nothing urgent. Nearly full FIFOs going first is what lets a mesh accept more at saturation
/// (`portico bench noc`); the preferences are shared by all outputs, which saves logic, and their flip-flops keep the
/// decision out of the path from FIFO to link.
#[derive(LogicBlock, Default)]
pub struct Priority {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub present: Signal<In, Bits<PORTS>>,
    pub taken: Signal<In, Bits<PORTS>>,
    pub busy: Signal<In, Bits<PORTS>>,
    /// Straight from flip-flops.
    pub prefer: Signal<Out, Preferences>,
    turn: DFF<Bits<4>>,
    waits: DFF<Bits<PORTS>>,
    decided: DFF<Preferences>,
    east_before_south: Tie<EAST, SOUTH>,
    west_before_south: Tie<WEST, SOUTH>,
    west_before_east: Tie<WEST, EAST>,
    south_before_north: Tie<SOUTH, NORTH>,
    token: Signal<Local, Bits<2>>,
    local_turn: Signal<Local, Bit>,
    ring_waits: Signal<Local, Bits<4>>,
    holder_waits: Signal<Local, Bit>,
    north_busy: Signal<Local, Bit>,
    south_busy: Signal<Local, Bit>,
    row_busy: Signal<Local, Bit>,
}

/// Places in the ring.
const NORTH: u64 = 0;
const EAST: u64 = 1;
const SOUTH: u64 = 2;
const WEST: u64 = 3;

#[kernel]
impl Logic for Priority {
    fn update(&mut self) {
        dff_setup!(self, clk, turn);
        self.waits.clock.next = self.clk.val();
        self.decided.clock.next = self.clk.val();
        self.token.next = self.turn.q.val().get_bits::<2>(0);
        self.local_turn.next = self.turn.q.val().all();
        self.north_busy.next = self.busy.val().get_bit(1);
        self.south_busy.next = self.busy.val().get_bit(3);
        self.row_busy.next = self.busy.val().get_bit(2) | self.busy.val().get_bit(4);

        self.waits.d.next = self.present.val() & !self.taken.val();
        // The ring starts at the north, which is bit 1.
        self.ring_waits.next = self.waits.q.val().get_bits::<4>(1);
        self.holder_waits.next = self.ring_waits.val().get_bit(self.token.val().index());
        if self.local_turn.val() {
            self.holder_waits.next = self.waits.q.val().get_bit(0);
        }
        if !self.holder_waits.val() {
            self.turn.d.next = self.turn.q.val() + 1;
        }

        self.east_before_south.token.next = self.token.val();
        self.east_before_south.i_busy.next = self.busy.val().get_bit(2);
        self.east_before_south.j_busy.next = self.busy.val().get_bit(3);
        self.west_before_south.token.next = self.token.val();
        self.west_before_south.i_busy.next = self.busy.val().get_bit(4);
        self.west_before_south.j_busy.next = self.busy.val().get_bit(3);
        self.west_before_east.token.next = self.token.val();
        self.west_before_east.i_busy.next = self.busy.val().get_bit(4);
        self.west_before_east.j_busy.next = self.busy.val().get_bit(2);
        self.south_before_north.token.next = self.token.val();
        self.south_before_north.i_busy.next = self.busy.val().get_bit(3);
        self.south_before_north.j_busy.next = self.busy.val().get_bit(1);

        self.decided.d.next.south_before_east = !self.east_before_south.i_first.val();
        self.decided.d.next.south_before_west = !self.west_before_south.i_first.val();
        self.decided.d.next.west_before_east = self.west_before_east.i_first.val();
        self.decided.d.next.south_before_north = self.south_before_north.i_first.val();
        // The holder's side of the ring wins; a tie goes to the row if that is urgent and the column is not.
        self.decided.d.next.turning_to_north =
            self.token.val().get_bit(0) | (!self.token.val().get_bit(1) & self.row_busy.val() & !self.south_busy.val());
        self.decided.d.next.turning_to_south =
            self.token.val().get_bit(0) | (self.token.val().get_bit(1) & self.row_busy.val() & !self.north_busy.val());
        self.decided.d.next.row_before_column = self.token.val().get_bit(0);
        self.decided.d.next.local_to_local = self.local_turn.val();
        self.decided.d.next.local_to_north =
            self.local_turn.val() | ((self.token.val() == 0) & !self.south_busy.val() & !self.row_busy.val());
        self.decided.d.next.local_to_south =
            self.local_turn.val() | ((self.token.val() == 2) & !self.north_busy.val() & !self.row_busy.val());
        self.decided.d.next.local_to_east = self.local_turn.val()
            | (!self.token.val().get_bit(1) & !self.busy.val().get_bit(4) & !self.south_busy.val());
        self.decided.d.next.local_to_west = self.local_turn.val()
            | ((self.token.val().get_bit(0) == self.token.val().get_bit(1))
                & !self.busy.val().get_bit(2)
                & !self.south_busy.val());
        self.prefer.next = self.decided.q.val();
        if self.rst.val() {
            self.turn.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use portico_spec::{routing::legal_turn, Port};
    use rand::Rng;

    clocked!([] Priority);

    const RING: [Port; 4] = [Port::North, Port::East, Port::South, Port::West];

    /// Order among sides, the first has the least: the holder of the token, then those in need, then round the ring.
    fn rank(token: usize, place: usize, is_busy: bool) -> (bool, bool, usize) {
        (place != token, !is_busy, (RING.len() + place - token) % RING.len())
    }

    fn goes_to_the_first<const I: u64, const J: u64>() {
        let (i, j) = (I as usize, J as usize);
        let mut dut = Tie::<I, J>::default();
        dut.connect_all();
        for case in 0..16 {
            let (token, i_busy, j_busy) = (case % 4, case & 4 != 0, case & 8 != 0);
            dut.token.next = (token as u64).into();
            dut.i_busy.next = i_busy;
            dut.j_busy.next = j_busy;
            settle(&mut dut);
            let i_first = rank(token, i, i_busy) < rank(token, j, j_busy);
            assert_eq!(
                dut.i_first.val(),
                i_first,
                "{i} and {j}, token {token}, {i_busy} {j_busy}"
            );
        }
    }

    #[test]
    fn ties_go_to_the_holder_then_to_the_busy_then_round_the_ring() {
        macro_rules! each {
            ($(($i:literal, $j:literal)),*) => { $(goes_to_the_first::<$i, $j>();)* };
        }
        each!(
            (0, 1),
            (0, 2),
            (0, 3),
            (1, 0),
            (1, 2),
            (1, 3),
            (2, 0),
            (2, 1),
            (2, 3),
            (3, 0),
            (3, 1),
            (3, 2)
        );
    }

    /// What the outputs should hear when it is `turn` and these inputs are busy.
    fn preferences(turn: usize, busy: [bool; PORTS]) -> Preferences {
        use Port::{East, Local, North, South, West};
        let token = turn % RING.len();
        let is_busy = |port: Port| busy[port.index()];
        let before = |a: Port, b: Port| {
            let rank = |port: Port| {
                rank(
                    token,
                    RING.iter().position(|side| *side == port).unwrap(),
                    is_busy(port),
                )
            };
            rank(a) < rank(b)
        };
        let row_holds = matches!(RING[token], East | West);
        let turning_before = |through: Port| {
            row_holds || RING[token] != through && !is_busy(through) && (is_busy(East) || is_busy(West))
        };
        let local_to = |output: Port| {
            let mut rivals = RING.into_iter().filter(|side| legal_turn(*side, output));
            turn == 15 || rivals.all(|side| side != RING[token] && !is_busy(side))
        };
        Preferences {
            south_before_east: before(South, East),
            south_before_west: before(South, West),
            west_before_east: before(West, East),
            south_before_north: before(South, North),
            turning_to_north: turning_before(South),
            turning_to_south: turning_before(North),
            row_before_column: row_holds,
            local_to_local: local_to(Local),
            local_to_north: local_to(North),
            local_to_east: local_to(East),
            local_to_south: local_to(South),
            local_to_west: local_to(West),
        }
    }

    /// Which input holds the token in a turn.
    fn holder(turn: usize) -> Port {
        if turn == 15 {
            Port::Local
        } else {
            RING[turn % RING.len()]
        }
    }

    #[test]
    fn the_token_waits_for_its_holder_and_decides_a_cycle_ahead() {
        let mut rng = rng(0x70ce);
        let mut dut = reset(Priority::default());
        let (mut turn, mut waited) = (0, [false; PORTS]);
        let mut held = [0; PORTS];
        for cycle in 0..20_000 {
            let [present, taken, busy] = [0.7, 0.5, 0.4].map(|share| [(); PORTS].map(|()| rng.gen_bool(share)));
            let pack = |bits: [bool; PORTS]| (0..PORTS).fold(0, |all, i| all | u64::from(bits[i]) << i);
            let rst = rng.gen_bool(0.002);
            dut.present.next = pack(present).into();
            dut.taken.next = pack(taken).into();
            dut.busy.next = pack(busy).into();
            dut.rst.next = rst;
            let said = preferences(turn, busy);
            clock(&mut dut);
            assert_eq!(dut.prefer.val(), said, "cycle {cycle}, turn {turn}");
            let stays = waited[holder(turn).index()];
            held[holder(turn).index()] += usize::from(stays);
            if rst {
                turn = 0;
            } else if !stays {
                turn = (turn + 1) % 16;
            }
            waited = std::array::from_fn(|i| present[i] && !taken[i]);
        }
        assert!(held.iter().all(|&cycles| cycles > 100), "{held:?}");
    }

    /// Whether `input` goes before every other that it can meet.
    fn goes_first(prefer: Preferences, input: Port) -> bool {
        let Preferences {
            row_before_column: row,
            west_before_east: west,
            south_before_north: south,
            ..
        } = prefer;
        match input {
            Port::Local => {
                prefer.local_to_local
                    && prefer.local_to_north
                    && prefer.local_to_east
                    && prefer.local_to_south
                    && prefer.local_to_west
            }
            Port::North => !row && !south && !prefer.turning_to_south,
            Port::East => {
                row && !west && prefer.turning_to_north && prefer.turning_to_south && !prefer.south_before_east
            }
            Port::South => {
                !row && south && !prefer.turning_to_north && prefer.south_before_east && prefer.south_before_west
            }
            Port::West => {
                row && west && prefer.turning_to_north && prefer.turning_to_south && !prefer.south_before_west
            }
        }
    }

    /// The others are busy, the one that waits is not, and still it goes first within 16 turns, until it has gone.
    #[test]
    fn nobody_starves() {
        for input in Port::ALL {
            let mut dut = reset(Priority::default());
            let alone = 1u64 << input.index();
            dut.busy.next = (0x1f ^ alone).into();
            dut.present.next = alone.into();
            (0..18).for_each(|_| clock(&mut dut));
            for _ in 0..40 {
                assert!(goes_first(dut.prefer.val(), input), "{input}");
                clock(&mut dut);
            }
            dut.taken.next = alone.into();
            (0..3).for_each(|_| clock(&mut dut));
            assert!(!goes_first(dut.prefer.val(), input), "{input} keeps the token");
        }
    }
}
