use super::{FlitOut, Route, Wants, CODE_WIDTH};
use crate::prim::{AddressRing, LutRam, StreamIn};
use portico_spec::flit::{DESTINATION_OFFSET, NODE_WIDTH, X_WIDTH, Y_WIDTH};
use portico_verilog::prelude::*;

/// Bits beside the data of a flit: last, and the code.
const SIDE_WIDTH: usize = 1 + CODE_WIDTH;

/// Input of a router: the FIFO, and the route that every flit of a packet shares.
///
/// Input port `FROM` for `W`-bit flits, with a FIFO of up to 2^`A`.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from the handshake on `s_axis` to the flit at the crossbar |
/// | throughput | one flit a cycle |
/// | state | an [`InputFifo`], the route of the packet that arrives, and whether a head is next |
///
/// The input keeps the route of a head for the flits behind it. Each flit carries its route through the FIFO, so the reading
/// side needs no state.
#[derive(LogicBlock, Default)]
pub struct InputUnit<const W: usize, const A: usize, const FROM: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Coordinate x of the router: its column; grows to the east.
    pub x: Signal<In, Bits<X_WIDTH>>,
    /// Coordinate y of the router: its row; grows to the south.
    pub y: Signal<In, Bits<Y_WIDTH>>,
    /// Flits that come in at this port.
    pub s_axis: StreamIn<W>,
    /// The oldest flit, for the crossbar.
    pub oldest: FlitOut<W>,
    /// The oldest flit stays for another cycle.
    pub waits: Signal<Out, Bit>,
    /// The FIFO is full, or a flit short of it.
    pub busy: Signal<Out, Bit>,
    route: Route<FROM>,
    wants: Wants<FROM>,
    fifo: InputFifo<W, SIDE_WIDTH, A>,
    in_packet: DFF<Bit>,
    packet_code: DFF<Bits<CODE_WIDTH>>,
    flit_code: Signal<Local, Bits<CODE_WIDTH>>,
}

impl<const W: usize, const A: usize, const FROM: usize> InputUnit<W, A, FROM> {
    /// An input with a FIFO of `depth` flits.
    pub fn new(depth: usize) -> Self {
        Self {
            fifo: InputFifo::new(depth),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const A: usize, const FROM: usize> Logic for InputUnit<W, A, FROM> {
    fn update(&mut self) {
        wire!(self => fifo: clk, rst);
        wire!(self => route: x, y);
        dff_setup!(self, clk, in_packet, packet_code);
        self.route.destination.next = self.s_axis.tdata.val().get_bits::<NODE_WIDTH>(DESTINATION_OFFSET);
        self.flit_code.next = self.route.code.val();
        if self.in_packet.q.val() {
            self.flit_code.next = self.packet_code.q.val();
        }
        self.packet_code.d.next = self.flit_code.val();
        if self.s_axis.tvalid.val() & self.fifo.has_room.val() {
            self.in_packet.d.next = !self.s_axis.tlast.val();
        }

        self.fifo.write.next = self.s_axis.tvalid.val();
        self.fifo.write_data.next = self.s_axis.tdata.val();
        self.fifo.write_side.next =
            (bit_cast::<SIDE_WIDTH, CODE_WIDTH>(self.flit_code.val()) << 1).replace_bit(0, self.s_axis.tlast.val());
        self.s_axis.tready.next = self.fifo.has_room.val();

        self.wants.present.next = self.fifo.has_flit.val();
        self.wants.code.next = self.fifo.side.val().get_bits::<CODE_WIDTH>(1);
        wire!(wants => oldest: wants);
        wire!(fifo => oldest: data);
        self.oldest.last.next = self.fifo.side.val().get_bit(0);
        self.fifo.take.next = self.oldest.taken.val();
        self.waits.next = self.fifo.has_flit.val() & !self.oldest.taken.val();
        self.busy.next = self.fifo.busy.val();
        if self.rst.val() {
            self.in_packet.d.next = false;
        }
    }
}

/// Input FIFO of a router: flits in LUT-RAM; the side bits of the oldest flit, for the arbiters, in flip-flops.
///
/// `depth` flits of `W` data bits and `S` side bits, with `A` address bits.
///
/// | | |
/// | --- | --- |
/// | latency | a flit can leave in the cycle after it arrived |
/// | throughput | one flit in and one out a cycle with `depth` of 2 or more |
/// | state | `depth` flits in LUT-RAM, two address rings, 2 flags and the side bits of the oldest flit |
///
/// The side bits (last, route code) of the oldest flit are what every arbiter waits for. Reading them from LUT-RAM would
/// put its access time in front of the arbitration, so they are fetched one flit ahead: from the place after the oldest, or
/// from the arriving flit where that is the next.
#[derive(LogicBlock, Default)]
pub struct InputFifo<const W: usize, const S: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the FIFO is empty afterwards.
    pub rst: Signal<In, Bit>,
    /// Writes a flit if `has_room` is high; does nothing otherwise.
    pub write: Signal<In, Bit>,
    /// Data of the flit to write.
    pub write_data: Signal<In, Bits<W>>,
    /// Side bits of the flit to write: last, and the code of its output above.
    pub write_side: Signal<In, Bits<S>>,
    /// Straight from a flip-flop.
    pub has_room: Signal<Out, Bit>,
    /// Straight from a flip-flop.
    pub has_flit: Signal<Out, Bit>,
    /// Data of the oldest flit; valid with `has_flit`.
    pub data: Signal<Out, Bits<W>>,
    /// Straight from flip-flops.
    pub side: Signal<Out, Bits<S>>,
    /// Takes the oldest flit; never without one.
    pub take: Signal<In, Bit>,
    /// There is room for at most one more flit; always high with a depth of 2.
    pub busy: Signal<Out, Bit>,
    room: DFF<Bit>,
    flit: DFF<Bit>,
    head_side: DFF<Bits<S>>,
    writer: AddressRing<A>,
    reader: AddressRing<A>,
    words: LutRam<Bits<W>, A>,
    sides: LutRam<Bits<S>, A>,
    last_room: Signal<Local, Bit>,
    last_flit: Signal<Local, Bit>,
    next_arrives: Signal<Local, Bit>,
    is_pair: Constant<Bit>,
}

impl<const W: usize, const S: usize, const A: usize> InputFifo<W, S, A> {
    /// A FIFO of `depth` flits, 2 to 2^A; panics outside that.
    pub fn new(depth: usize) -> Self {
        assert!(depth >= 2, "input FIFO: depth = {depth}, allowed: 2 to {}", 1 << A);
        let words = AddressRing::<A>::span(depth);
        Self {
            writer: AddressRing::new(depth),
            reader: AddressRing::for_lut_ram_read(depth),
            words: LutRam::new(words),
            sides: LutRam::new(words),
            is_pair: Constant::new(depth == 2),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const S: usize, const A: usize> Logic for InputFifo<W, S, A> {
    fn update(&mut self) {
        wire!(self => writer, reader: clk, rst);
        wire!(self => words, sides: clk);
        dff_setup!(self, clk, room, flit, head_side);
        self.writer.advance.next = self.write.val() & self.room.q.val();
        self.reader.advance.next = self.take.val();

        // While there is room, the data at the input are written in every cycle; they count only if the writer advances.
        self.words.write_enable.next = self.room.q.val();
        self.words.write_address.next = self.writer.address.val();
        self.words.write_data.next = self.write_data.val();
        self.words.read_address.next = self.reader.address.val();
        self.sides.write_enable.next = self.room.q.val();
        self.sides.write_address.next = self.writer.address.val();
        self.sides.write_data.next = self.write_side.val();
        self.sides.read_address.next = self.reader.after.val();

        self.last_room.next = self.writer.after.val() == self.reader.address.val();
        self.last_flit.next = self.reader.after.val() == self.writer.address.val();
        self.next_arrives.next = !self.flit.q.val() | self.last_flit.val();
        if self.is_pair.val() {
            // Of two places, one is used exactly if there is room and a flit: no addresses to compare.
            self.last_room.next = self.flit.q.val();
            self.last_flit.next = self.room.q.val();
            self.next_arrives.next = self.room.q.val();
        }
        self.room.d.next = self.take.val() | (self.room.q.val() & !(self.write.val() & self.last_room.val()));
        self.flit.d.next =
            self.write.val() & self.room.q.val() | (self.flit.q.val() & !(self.take.val() & self.last_flit.val()));
        if self.take.val() | !self.flit.q.val() {
            self.head_side.d.next = self.sides.read_data.val();
            if self.next_arrives.val() {
                self.head_side.d.next = self.write_side.val();
            }
        }

        self.has_room.next = self.room.q.val();
        self.has_flit.next = self.flit.q.val();
        self.data.next = self.words.read_data.val();
        self.side.next = self.head_side.q.val();
        self.busy.next = !self.room.q.val() | self.last_room.val() | self.is_pair.val();
        if self.rst.val() {
            self.room.d.next = true;
            self.flit.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle, Phases};
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([const W: usize, const S: usize, const A: usize] InputFifo<W, S, A>);

    /// Holds the FIFO to be a queue: a flit written in one cycle can be taken in the next, and the room that a flit leaves
    /// can be used in the next.
    fn queues_flits<const A: usize>(depth: usize) {
        let mut rng = rng(0xf1f0 + depth as u64);
        let mut dut = reset(InputFifo::<16, 3, A>::new(depth));
        let mut model = VecDeque::new();
        let (mut turned_away, mut passed, mut resets) = (0, 0, 0);
        let (mut first_after_empty, mut leaves_full) = (0, 0);
        let phases = Phases::new(depth);
        for cycle in 0..4 * phases.cycles() {
            let (write, take) = phases.draw(cycle, &mut rng);
            let (data, side) = (rng.gen_range(0..1u64 << 16), rng.gen_range(0..1u64 << 3));
            let (take, rst) = (take && !model.is_empty(), rng.gen_bool(0.005));
            dut.write.next = write;
            dut.write_data.next = data.into();
            dut.write_side.next = side.into();
            dut.take.next = take;
            dut.rst.next = rst;
            settle(&mut dut);

            let place = format!("A {A}, depth {depth}, cycle {cycle}");
            let has_room = model.len() < depth;
            assert_eq!(dut.has_room.val(), has_room, "{place}");
            assert_eq!(dut.has_flit.val(), !model.is_empty(), "{place}");
            // Two places are too few to tell a FIFO that fills from one that does not: it always counts as busy.
            let is_busy = depth == 2 || model.len() + 1 >= depth;
            assert_eq!(dut.busy.val(), is_busy, "{place}");
            if let Some(&flit) = model.front() {
                assert_eq!((dut.data.val().to_u64(), dut.side.val().to_u64()), flit, "{place}");
            }

            turned_away += usize::from(write && !has_room);
            leaves_full += usize::from(write && take && !has_room);
            first_after_empty += usize::from(write && model.is_empty());
            resets += usize::from(rst && !model.is_empty());
            clock(&mut dut);
            if take {
                model.pop_front();
                passed += 1;
            }
            if write && has_room {
                model.push_back((data, side));
            }
            if rst {
                model.clear();
            }
        }
        let corners = [turned_away, leaves_full, first_after_empty, resets];
        assert!(
            corners.iter().all(|&times| times > 0) && passed > 4 * depth,
            "depth {depth}: a corner was not reached, {corners:?}, {passed} flits"
        );
    }

    #[test]
    fn queues_flits_in_order_with_exact_flags() {
        queues_flits::<1>(2);
        queues_flits::<2>(3);
        queues_flits::<2>(4);
        queues_flits::<3>(7);
        queues_flits::<4>(16);
    }

    #[test]
    fn addresses_may_be_wider_than_the_depth_needs() {
        [2, 3, 4, 7, 16].into_iter().for_each(queues_flits::<5>);
    }

    #[test]
    #[should_panic(expected = "input FIFO: depth = 1, allowed: 2 to 4")]
    fn a_single_place_is_refused() {
        InputFifo::<16, 3, 2>::new(1);
    }
}
