use super::{EAST, LOCAL, NORTH, PORTS, SOUTH, WEST};
use portico_verilog::prelude::*;

/// The preferences, as the outputs use them.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Preferences {
    /// A bit an output: east and west before north and south.
    pub row_first: Bits<PORTS>,
    /// A bit an output: the tile's own packets before all others.
    pub local_first: Bits<PORTS>,
    pub west_before_east: Bit,
    pub south_before_north: Bit,
}

/// Decides between inputs `I` and `J` of the ring north, east, south, west.
#[derive(LogicBlock, Default)]
pub struct Tie<const I: usize, const J: usize> {
    /// The input that holds the token, counted from the north.
    pub token: Signal<In, Bits<2>>,
    /// Inputs with a full or nearly full FIFO.
    pub busy: Signal<In, Bits<PORTS>>,
    /// Input `I` goes before input `J`.
    pub i_first: Signal<Out, Bit>,
    i_behind: Signal<Local, Bits<2>>,
    j_behind: Signal<Local, Bits<2>>,
}

#[kernel]
impl<const I: usize, const J: usize> Logic for Tie<I, J> {
    fn update(&mut self) {
        self.i_behind.next = bits::<2>((I - NORTH) as u64) - self.token.val();
        self.j_behind.next = bits::<2>((J - NORTH) as u64) - self.token.val();
        self.i_first.next = self.i_behind.val() < self.j_behind.val();
        if self.busy.val().get_bit(I) ^ self.busy.val().get_bit(J) {
            self.i_first.next = self.busy.val().get_bit(I);
        }
        if self.token.val() == bits::<2>((J - NORTH) as u64) {
            self.i_first.next = false;
        }
        if self.token.val() == bits::<2>((I - NORTH) as u64) {
            self.i_first.next = true;
        }
    }
}

/// Selects the input that wins where two want the same output: one decision for the whole router, a cycle ahead of its use.
///
/// The preferences of one router.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from the state of the FIFOs to the preferences |
/// | fairness | every input holds the token within 16 turns of it, and keeps it until its flit has gone |
/// | state | a 4-bit counter, one flip-flop an input and one a preference |
///
/// A token moves round the sides, and every fourth round to the tile too. These rules decide, in this order:
///
/// 1. The holder of the token wins. The token stays while its holder waits, so no input starves.
/// 2. A full or nearly full FIFO wins over others, because it holds up a link. With this rule a mesh accepts more at
///    saturation (`portico bench noc`).
/// 3. The next input of the ring wins, counted from the token. The tile's own packets come last, except against sides that
///    have nothing urgent.
///
/// All outputs share the preferences, which saves logic. Their flip-flops keep the decision out of the path from FIFO to link.
#[derive(LogicBlock, Default)]
pub struct Priority {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Inputs with a flit that does not leave in this cycle.
    pub waits: Signal<In, Bits<PORTS>>,
    /// Inputs with a full or nearly full FIFO.
    pub busy: Signal<In, Bits<PORTS>>,
    /// Straight from flip-flops.
    pub prefer: Signal<Out, Preferences>,
    turn: DFF<Bits<4>>,
    waited: DFF<Bits<PORTS>>,
    decided: DFF<Preferences>,
    east_before_south: Tie<EAST, SOUTH>,
    west_before_south: Tie<WEST, SOUTH>,
    west_before_east: Tie<WEST, EAST>,
    south_before_north: Tie<SOUTH, NORTH>,
    token: Signal<Local, Bits<2>>,
    local_turn: Signal<Local, Bit>,
    ring_waits: Signal<Local, Bits<4>>,
    holder_waits: Signal<Local, Bit>,
    row_busy: Signal<Local, Bit>,
    north_busy: Signal<Local, Bit>,
    south_busy: Signal<Local, Bit>,
    /// The east or the west holds the token.
    row_holds: Signal<Local, Bit>,
    /// The south or the west holds it.
    late: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Priority {
    #[rustfmt::skip]
    fn update(&mut self) {
        dff_setup!(self, clk, turn, waited);
        self.decided.clock.next = self.clk.val();
        self.token.next = self.turn.q.val().get_bits::<2>(0);
        self.local_turn.next = self.turn.q.val().all();

        self.waited.d.next = self.waits.val();
        self.ring_waits.next = self.waited.q.val().get_bits::<4>(NORTH);
        self.holder_waits.next = self.ring_waits.val().get_bit(self.token.val().index());
        if self.local_turn.val() {
            self.holder_waits.next = self.waited.q.val().get_bit(LOCAL);
        }
        if !self.holder_waits.val() {
            self.turn.d.next = self.turn.q.val() + 1;
        }

        wire!(self => east_before_south, west_before_south, west_before_east, south_before_north: token, busy);
        self.decided.d.next.west_before_east = self.west_before_east.i_first.val();
        self.decided.d.next.south_before_north = self.south_before_north.i_first.val();
        // Before the north and south outputs the holder of the token decides, else the row if it is urgent and what goes
        // straight on is not. Before the east and west outputs the row is what goes straight on, and the column the south.
        self.row_busy.next = self.busy.val().get_bit(EAST) | self.busy.val().get_bit(WEST);
        self.north_busy.next = self.busy.val().get_bit(NORTH);
        self.south_busy.next = self.busy.val().get_bit(SOUTH);
        self.row_holds.next = self.token.val().get_bit(0);
        self.late.next = self.token.val().get_bit(1);
        self.decided.d.next.row_first = bits::<PORTS>(0)
            .replace_bit(LOCAL, self.row_holds.val())
            .replace_bit(NORTH, self.row_holds.val() | (!self.late.val() & self.row_busy.val() & !self.south_busy.val()))
            .replace_bit(EAST, self.west_before_south.i_first.val())
            .replace_bit(SOUTH, self.row_holds.val() | (self.late.val() & self.row_busy.val() & !self.north_busy.val()))
            .replace_bit(WEST, self.east_before_south.i_first.val());
        // The tile wins in its turn, and where no other input that may turn to the output holds the token or is busy.
        self.decided.d.next.local_first = bits::<PORTS>(0)
            .replace_bit(LOCAL, self.local_turn.val())
            .replace_bit(NORTH, self.local_turn.val()
                | ((self.token.val() == 0) & !self.south_busy.val() & !self.row_busy.val()))
            .replace_bit(EAST, self.local_turn.val()
                | (!self.late.val() & !self.busy.val().get_bit(WEST) & !self.south_busy.val()))
            .replace_bit(SOUTH, self.local_turn.val()
                | ((self.token.val() == 2) & !self.north_busy.val() & !self.row_busy.val()))
            .replace_bit(WEST, self.local_turn.val()
                | ((self.row_holds.val() == self.late.val()) & !self.busy.val().get_bit(EAST) & !self.south_busy.val()));
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

    fn goes_to_the_first<const I: usize, const J: usize>() {
        let (i, j) = (I - NORTH, J - NORTH);
        let mut dut = Tie::<I, J>::default();
        dut.connect_all();
        for case in 0..16u64 {
            let (token, i_busy, j_busy) = (case as usize % 4, case & 4 != 0, case & 8 != 0);
            dut.token.next = (token as u64).into();
            // The others do not matter.
            let others = bits::<PORTS>(case * 7 % 32);
            dut.busy.next = others.replace_bit(I, i_busy).replace_bit(J, j_busy);
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
            ($(($i:ident, $j:ident)),*) => { $(
                goes_to_the_first::<$i, $j>();
                goes_to_the_first::<$j, $i>();
            )* };
        }
        each!(
            (NORTH, EAST),
            (NORTH, SOUTH),
            (NORTH, WEST),
            (EAST, SOUTH),
            (EAST, WEST),
            (SOUTH, WEST)
        );
    }

    /// The preferences that the outputs should get at `turn` while these inputs are busy.
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
        let word = |bit: &dyn Fn(Port) -> bool| {
            let bits = Port::ALL.map(|output| u64::from(bit(output)) << output.index());
            bits.iter().sum::<u64>().into()
        };
        Preferences {
            row_first: word(&|output| match output {
                Local => row_holds,
                North | South => turning_before(output.opposite()),
                East | West => before(output.opposite(), South),
            }),
            local_first: word(&local_to),
            west_before_east: before(West, East),
            south_before_north: before(South, North),
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
            dut.waits.next = pack(std::array::from_fn(|i| present[i] && !taken[i])).into();
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

    /// Whether `input` wins over every other input that it can meet, at every output that it may turn to.
    fn goes_first(prefer: Preferences, input: Port) -> bool {
        use Port::{East, Local, North, South, West};
        let is_set = |word: Bits<PORTS>, output: Port| word.get_bit(output.index());
        let mut outputs = Port::ALL.into_iter().filter(|output| legal_turn(input, *output));
        outputs.all(|output| match input {
            Local => is_set(prefer.local_first, output),
            North => !is_set(prefer.row_first, output) && (output != Local || !prefer.south_before_north),
            South => !is_set(prefer.row_first, output) && (output != Local || prefer.south_before_north),
            East => is_set(prefer.row_first, output) && (output == West || !prefer.west_before_east),
            West => is_set(prefer.row_first, output) && (output == East || prefer.west_before_east),
        })
    }

    /// The others are busy and the waiting input is not. It still wins within 16 turns, and keeps winning until its flit leaves.
    #[test]
    fn nobody_starves() {
        for input in Port::ALL {
            let mut dut = reset(Priority::default());
            let alone = 1u64 << input.index();
            dut.busy.next = (0x1f ^ alone).into();
            dut.waits.next = alone.into();
            (0..18).for_each(|_| clock(&mut dut));
            for _ in 0..40 {
                assert!(goes_first(dut.prefer.val(), input), "{input}");
                clock(&mut dut);
            }
            dut.waits.next = 0u64.into();
            (0..3).for_each(|_| clock(&mut dut));
            assert!(!goes_first(dut.prefer.val(), input), "{input} keeps the token");
        }
    }
}
