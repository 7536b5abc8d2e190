use crate::prim::{AddressRing, LutRam};
use portico_verilog::prelude::*;

/// Input FIFO of a router: flits in LUT-RAM, and what the arbiters ask of the head one in flip-flops.
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
    pub write: Signal<In, Bit>,
    pub write_data: Signal<In, Bits<W>>,
    pub write_side: Signal<In, Bits<S>>,
    /// Straight from a flip-flop.
    pub has_room: Signal<Out, Bit>,
    /// Straight from a flip-flop.
    pub has_flit: Signal<Out, Bit>,
    pub data: Signal<Out, Bits<W>>,
    /// Straight from flip-flops.
    pub side: Signal<Out, Bits<S>>,
    /// Takes the oldest flit; never without one.
    pub take: Signal<In, Bit>,
    /// No room, or room for one more flit alone; always with a depth of 2, where the difference would say nothing.
    pub busy: Signal<Out, Bit>,
    room: DFF<Bit>,
    flit: DFF<Bit>,
    head_side: DFF<Bits<S>>,
    writer: AddressRing<A>,
    reader: AddressRing<A>,
    words: LutRam<W, A>,
    sides: LutRam<S, A>,
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

        // Whatever stands at the input may be written while there is room: it counts only if the writer moves on.
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
