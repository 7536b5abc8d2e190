use super::{FlitIn, Preferences, EAST, LOCAL, NORTH, PORTS, SOUTH, WEST};
use crate::prim::StreamOut;
use portico_spec::Port;
use portico_verilog::prelude::*;

/// Output of a router: chooses among the inputs that want it, and serves one packet from head to tail.
///
/// Output port `TO` for `W`-bit flits.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | throughput | one flit a cycle, no bubble between packets |
/// | state | one flip-flop an input that may turn to here |
///
/// `may` marks the inputs that may send: between packets all of them, within a packet the one that has the output. So one
/// flip-flop an input is both the lock of the packet and the record of its input. An output keeps offering a flit that it has
/// offered: the lock closes when the flit is presented, not when it leaves.
///
/// The row (east, west) competes with the column (north, south), and the two inputs of a pair compete with each other. The
/// tile's own packets compete with all inputs. The [`Priority`](super::Priority) of the router breaks ties. An output towards a
/// side has only a part of the pairs, because not every input may turn to it.
#[derive(LogicBlock, Default)]
pub struct Output<const W: usize, const TO: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The oldest flit of each input, in the order local, north, east, south, west.
    pub from: [FlitIn<W>; PORTS],
    /// The inputs that win where two want the same output, decided a cycle before.
    pub prefer: Signal<In, Preferences>,
    /// Flits that leave by this output, each packet from head to tail.
    pub m_axis: StreamOut<W>,
    may: DFF<Bits<PORTS>>,
    data: Pick<W, TO>,
    last: Pick<1, TO>,
    ask: [Signal<Local, Bit>; PORTS],
    row: Signal<Local, Bit>,
    column: Signal<Local, Bit>,
    valid: Signal<Local, Bit>,
    row_first: Signal<Local, Bit>,
    west_first: Signal<Local, Bit>,
    south_first: Signal<Local, Bit>,
    local_first: Signal<Local, Bit>,
    local_waits: Signal<Local, Bit>,
    row_waits: Signal<Local, Bit>,
    column_waits: Signal<Local, Bit>,
    row_wins: Signal<Local, Bit>,
    row_or_idle: Signal<Local, Bit>,
    west_beats_east: Signal<Local, Bit>,
    south_beats_north: Signal<Local, Bit>,
    west_wins: Signal<Local, Bit>,
    south_wins: Signal<Local, Bit>,
    local_wins: Signal<Local, Bit>,
    second_wins: Signal<Local, Bit>,
    /// The input that gets the output if it asks.
    holder: Signal<Local, Bits<PORTS>>,
    through_wins: Signal<Local, Bit>,
    grant: Signal<Local, Bits<PORTS>>,
}

impl<const W: usize, const TO: usize> Output<W, TO> {
    /// Where a packet comes from that does not turn.
    const THROUGH: usize = Port::ALL[TO].opposite().index();
}

#[kernel]
impl<const W: usize, const TO: usize> Logic for Output<W, TO> {
    #[rustfmt::skip]
    fn update(&mut self) {
        dff_setup!(self, clk, may);
        for i in 0..PORTS {
            self.ask[i].next = self.from[i].wants.val().get_bit(TO) & self.may.q.val().get_bit(i);
        }
        self.row.next = self.ask[EAST].val() | self.ask[WEST].val();
        self.column.next = self.ask[NORTH].val() | self.ask[SOUTH].val();
        self.valid.next = self.row.val() | self.column.val() | self.ask[LOCAL].val();

        self.row_first.next = self.prefer.val().row_first.get_bit(TO);
        self.west_first.next = self.prefer.val().west_before_east;
        self.south_first.next = self.prefer.val().south_before_north;
        self.local_first.next = self.prefer.val().local_first.get_bit(TO);
        self.local_waits.next = !self.local_first.val() & (self.row.val() | self.column.val());
        self.row_waits.next =
            (self.ask[LOCAL].val() & self.local_first.val()) | (self.column.val() & !self.row_first.val());
        self.column_waits.next =
            (self.ask[LOCAL].val() & self.local_first.val()) | (self.row.val() & self.row_first.val());
        self.row_wins.next = self.row.val() & !self.row_waits.val();
        self.row_or_idle.next = self.row_wins.val() | !(self.column.val() | self.ask[LOCAL].val());
        self.west_beats_east.next = self.ask[WEST].val() & self.west_first.val();
        self.south_beats_north.next = self.ask[SOUTH].val() & self.south_first.val();
        self.west_wins.next = self.ask[WEST].val() & (self.west_first.val() | !self.ask[EAST].val());
        self.south_wins.next = self.ask[SOUTH].val() & (self.south_first.val() | !self.ask[NORTH].val());
        self.second_wins.next = false;
        if TO == LOCAL {
            self.holder.next = bits::<PORTS>(0)
                .replace_bit(LOCAL, self.ask[LOCAL].val() & !self.local_waits.val())
                .replace_bit(NORTH, self.ask[NORTH].val() & !self.south_beats_north.val() & !self.column_waits.val())
                .replace_bit(EAST, self.ask[EAST].val() & !self.west_beats_east.val() & !self.row_waits.val())
                .replace_bit(SOUTH, self.south_wins.val() & !self.column_waits.val())
                .replace_bit(WEST, self.west_wins.val() & !self.row_waits.val());
        }
        if (TO == NORTH) | (TO == SOUTH) {
            // The tile's own packets and those that go straight on are the other pair.
            self.second_wins.next = self.ask[LOCAL].val() & (self.local_first.val() | !self.column.val());
            if self.row_wins.val() {
                self.second_wins.next = self.west_wins.val();
            }
            self.holder.next = bits::<PORTS>(0)
                .replace_bit(Self::THROUGH, !self.row_wins.val() & !self.second_wins.val())
                .replace_bit(LOCAL, !self.row_wins.val() & self.second_wins.val())
                .replace_bit(EAST, self.row_wins.val() & !self.second_wins.val())
                .replace_bit(WEST, self.row_wins.val() & self.second_wins.val());
        }
        if (TO == EAST) | (TO == WEST) {
            // What goes straight on is the row, and what an edge node sends the column.
            self.second_wins.next = self.column.val() & (!self.row_first.val() | !self.row.val());
            self.local_wins.next = self.ask[LOCAL].val() & !self.local_waits.val();
            self.holder.next = bits::<PORTS>(0)
                .replace_bit(Self::THROUGH, !self.local_wins.val() & !self.second_wins.val())
                .replace_bit(SOUTH, !self.local_wins.val() & self.second_wins.val())
                .replace_bit(LOCAL, self.local_wins.val());
        }
        self.through_wins.next = self.holder.val().get_bit(Self::THROUGH) & self.ask[Self::THROUGH].val();
        self.grant.next = self.holder.val().replace_bit(Self::THROUGH, self.through_wins.val());

        wire!(self => data, last: grant, row_wins, row_or_idle, second_wins);
        for i in 0..PORTS {
            self.data.value[i].next = self.from[i].data.val();
            self.last.value[i].next = self.from[i].last.val().into();
            self.from[i].taken.next = self.grant.val().get_bit(i) & self.m_axis.tready.val();
        }
        self.m_axis.tvalid.next = self.valid.val();
        self.m_axis.tdata.next = self.data.picked.val();
        self.m_axis.tlast.next = self.last.picked.val().any();

        if self.valid.val() {
            self.may.d.next = self.holder.val();
            if self.last.picked.val().any() & self.m_axis.tready.val() {
                self.may.d.next = !bits::<PORTS>(0);
            }
        }
        if self.rst.val() {
            self.may.d.next = !bits::<PORTS>(0);
        }
    }
}

/// Multiplexer of an output, as small as the inputs that may turn to it allow.
///
/// The multiplexer of output `TO` for `N` bits. Combinational.
///
/// | output | inputs | LUT4 a bit |
/// | --- | --- | --- |
/// | local | five, by one-hot grants | 3 |
/// | north, south | four | 2 |
/// | east, west | three | 2 |
///
/// North and south choose between two pairs. The LUT of the first pair is free when the row is wanted: then it carries which
/// of the row's two, and the second LUT needs only one select. `row_wins` and `row_or_idle` ask for the same whenever
/// anything is asked for. They are two signals because a mapper that knew them equal would fold both LUTs back into one
/// function of six inputs.
#[derive(LogicBlock, Default)]
pub struct Pick<const N: usize, const TO: usize> {
    /// Values of the inputs, in the order local, north, east, south, west.
    pub value: [Signal<In, Bits<N>>; PORTS],
    /// At most one bit is high.
    pub grant: Signal<In, Bits<PORTS>>,
    /// East or west go before the other pair.
    pub row_wins: Signal<In, Bit>,
    /// Equal to `row_wins` unless the value does not matter.
    pub row_or_idle: Signal<In, Bit>,
    /// Of the pair that wins: west rather than east, local rather than through. At a side: south rather than through.
    pub second_wins: Signal<In, Bit>,
    /// Value of the input that has the grant; without meaning if none has.
    pub picked: Signal<Out, Bits<N>>,
    gated: [Signal<Local, Bits<N>>; PORTS],
    spread: Signal<Local, Bits<N>>,
    low: Signal<Local, Bits<N>>,
}

impl<const N: usize, const TO: usize> Pick<N, TO> {
    const THROUGH: usize = Port::ALL[TO].opposite().index();
}

#[kernel]
impl<const N: usize, const TO: usize> Logic for Pick<N, TO> {
    fn update(&mut self) {
        self.picked.next = self.value[Self::THROUGH].val();
        if TO == LOCAL {
            for i in 0..PORTS {
                self.gated[i].next = 0.into();
                if self.grant.val().get_bit(i) {
                    self.gated[i].next = self.value[i].val();
                }
            }
            self.picked.next = (self.gated[LOCAL].val() | self.gated[NORTH].val())
                | (self.gated[EAST].val() | self.gated[SOUTH].val())
                | self.gated[WEST].val();
        }
        if (TO == NORTH) | (TO == SOUTH) {
            self.spread.next = 0.into();
            if self.row_or_idle.val() {
                self.spread.next = !bits::<N>(0);
            }
            self.low.next = !self.spread.val() & self.value[Self::THROUGH].val();
            if self.second_wins.val() {
                self.low.next = self.spread.val() | self.value[LOCAL].val();
            }
            self.picked.next = self.low.val();
            if self.row_wins.val() {
                self.picked.next =
                    (self.low.val() & self.value[WEST].val()) | (!self.low.val() & self.value[EAST].val());
            }
        }
        if (TO == EAST) | (TO == WEST) {
            if self.grant.val().get_bit(LOCAL) {
                self.picked.next = self.value[LOCAL].val();
            } else if self.second_wins.val() {
                self.picked.next = self.value[SOUTH].val();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use portico_spec::routing::legal_turn;
    use rand::{rngs::SmallRng, Rng};

    clocked!([const W: usize, const TO: usize] Output<W, TO>);

    /// Data bits of a flit.
    const WIDTH: usize = 16;

    /// Draws new preferences. Returns the inputs that may turn to this output, the preferred input first.
    fn set_ties<const TO: usize>(dut: &mut Output<WIDTH, TO>, rng: &mut SmallRng) -> Vec<usize> {
        let (row_first, local_first) = (rng.gen_range(0..1u64 << PORTS), rng.gen_range(0..1u64 << PORTS));
        let prefer = Preferences {
            row_first: row_first.into(),
            local_first: local_first.into(),
            west_before_east: rng.gen(),
            south_before_north: rng.gen(),
        };
        dut.prefer.next = prefer;
        let pair = |second_first, pair: [usize; 2]| if second_first { [pair[1], pair[0]] } else { pair };
        let row = pair(prefer.west_before_east, [EAST, WEST]);
        let column = pair(prefer.south_before_north, [NORTH, SOUTH]);
        let is_set = |ties: u64| ties >> TO & 1 == 1;
        let mut order = if is_set(row_first) {
            [row, column]
        } else {
            [column, row]
        }
        .concat();
        order.insert(if is_set(local_first) { 0 } else { 4 }, LOCAL);
        order.retain(|input| legal_turn(Port::ALL[*input], Port::ALL[TO]));
        order
    }

    /// What one input has to send.
    #[derive(Clone, Default)]
    struct Sender {
        /// Flits of the packet that have not gone.
        left: usize,
        /// Data of its oldest flit.
        waiting: Option<u64>,
    }

    /// Checks that the output serves the first input in the order of the ties when a head is offered, that it serves no other
    /// input until the tail has passed, and that it keeps a flit that it has offered.
    fn locks_from_head_to_tail<const TO: usize>() {
        let mut rng = rng(0x0e27 + TO as u64);
        let mut dut = reset(Output::<WIDTH, TO>::default());
        let mut senders = vec![Sender::default(); PORTS];
        let mut owner = None;
        let mut stalled = None;
        let mut packets = [0; PORTS];
        let (mut contests, mut stalls, mut gaps, mut resets) = (0, 0, 0, 0);
        for cycle in 0..6000 {
            let ready = rng.gen_bool(0.7);
            let rst = rng.gen_bool(0.002);
            let order = set_ties(&mut dut, &mut rng);
            for (i, sender) in senders.iter_mut().enumerate() {
                let flit = &mut dut.from[i];
                if order.contains(&i) && sender.waiting.is_none() && rng.gen_bool(0.6) {
                    if sender.left == 0 {
                        sender.left = rng.gen_range(1..=4);
                    }
                    sender.waiting = Some(rng.gen_range(0..1 << WIDTH));
                }
                // Other outputs are wanted too, and what stands at an input without a flit does not matter.
                let wants = bits::<PORTS>(rng.gen_range(0..1 << PORTS));
                flit.wants.next = wants.replace_bit(TO, sender.waiting.is_some());
                flit.data.next = sender.waiting.unwrap_or_else(|| rng.gen_range(0..1 << WIDTH)).into();
                flit.last.next = sender.waiting.map_or_else(|| rng.gen(), |_| sender.left == 1);
            }
            dut.m_axis.tready.next = ready;
            dut.rst.next = rst;
            settle(&mut dut);

            let asks = |input: &usize| senders[*input].waiting.is_some() && owner.is_none_or(|owner| owner == *input);
            let winner = order.iter().copied().find(asks);
            let flit = winner.and_then(|input| Some((senders[input].waiting?, senders[input].left == 1)));
            let shown = &dut.m_axis;
            let shown = shown
                .tvalid
                .val()
                .then(|| (shown.tdata.val().to_u64(), shown.tlast.val()));
            assert_eq!(shown, flit, "cycle {cycle}");
            if stalled.is_some() {
                assert_eq!(shown, stalled, "cycle {cycle}: an offered flit stays");
            }
            let taken: [bool; PORTS] = std::array::from_fn(|i| dut.from[i].taken.val());
            let expected = std::array::from_fn(|i| ready && winner == Some(i));
            assert_eq!(taken, expected, "cycle {cycle}");

            contests +=
                usize::from(owner.is_none() && senders.iter().filter(|sender| sender.waiting.is_some()).count() > 1);
            gaps += usize::from(
                owner.is_some() && winner.is_none() && senders.iter().any(|sender| sender.waiting.is_some()),
            );
            stalls += usize::from(winner.is_some() && !ready);
            resets += usize::from(rst && owner.is_some());
            clock(&mut dut);
            stalled = shown.filter(|_| !ready && !rst);
            if let Some(input) = winner {
                owner = winner;
                if ready {
                    senders[input].waiting = None;
                    senders[input].left -= 1;
                    if senders[input].left == 0 {
                        owner = None;
                        packets[input] += 1;
                    }
                }
            }
            if rst {
                owner = None;
                senders.fill(Sender::default());
            }
        }
        assert!(
            packets.iter().enumerate().all(|(input, &packets)| {
                let is_legal = legal_turn(Port::ALL[input], Port::ALL[TO]);
                packets > 20 || packets == 0 && !is_legal
            }),
            "packets by input: {packets:?}"
        );
        let corners = [contests, stalls, gaps, resets];
        assert!(
            corners.iter().all(|&times| times > 0),
            "a corner was not reached: {corners:?}"
        );
    }

    #[test]
    fn every_output_serves_one_packet_at_a_time_in_the_order_of_the_ties() {
        locks_from_head_to_tail::<LOCAL>();
        locks_from_head_to_tail::<NORTH>();
        locks_from_head_to_tail::<EAST>();
        locks_from_head_to_tail::<SOUTH>();
        locks_from_head_to_tail::<WEST>();
    }
}
