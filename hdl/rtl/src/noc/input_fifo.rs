//! Input FIFO of a router: flits in LUT-RAM, and what the arbiters ask of the head one in flip-flops.
//!
//! | | |
//! | --- | --- |
//! | latency | a flit can leave in the cycle after it arrived |
//! | throughput | one flit in and one out a cycle with `depth` of 2 or more |
//! | state | `depth` flits in LUT-RAM, two address rings, 2 flags and the side bits of the oldest flit |
//!
//! The side bits (last, route code) of the oldest flit are what every arbiter waits for. Reading them from LUT-RAM would
//! put its access time in front of the arbitration, so they are fetched one flit ahead: from the place after the oldest, or
//! from the arriving flit where that is the next.

use crate::prim::{AddressRing, LutRam};
use rust_hdl::prelude::*;

/// `depth` flits of `W` data bits and `S` side bits, with `A` address bits.
#[derive(LogicBlock)]
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
    /// No room, or room for one more flit alone.
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
            clk: Default::default(),
            rst: Default::default(),
            write: Default::default(),
            write_data: Default::default(),
            write_side: Default::default(),
            has_room: Default::default(),
            has_flit: Default::default(),
            data: Default::default(),
            side: Default::default(),
            take: Default::default(),
            busy: Default::default(),
            room: Default::default(),
            flit: Default::default(),
            head_side: Default::default(),
            writer: AddressRing::new(depth),
            reader: AddressRing::for_lut_ram_read(depth),
            words: LutRam::new(words),
            sides: LutRam::new(words),
            last_room: Default::default(),
            last_flit: Default::default(),
            next_arrives: Default::default(),
            is_pair: Constant::new(depth == 2),
        }
    }
}

impl<const W: usize, const S: usize, const A: usize> Logic for InputFifo<W, S, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, room, flit, head_side);
        self.writer.clk.next = self.clk.val();
        self.writer.rst.next = self.rst.val();
        self.writer.advance.next = self.write.val() & self.room.q.val();
        self.reader.clk.next = self.clk.val();
        self.reader.rst.next = self.rst.val();
        self.reader.advance.next = self.take.val();

        // Whatever stands at the input may be written while there is room: it counts only if the writer moves on.
        self.words.clk.next = self.clk.val();
        self.words.write_enable.next = self.room.q.val();
        self.words.write_address.next = self.writer.address.val();
        self.words.write_data.next = self.write_data.val();
        self.words.read_address.next = self.reader.address.val();
        self.sides.clk.next = self.clk.val();
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
