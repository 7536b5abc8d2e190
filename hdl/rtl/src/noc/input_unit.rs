use super::{route::CODE_WIDTH, CrossbarOut, InputFifo};
use crate::prim::StreamIn;
use portico_verilog::prelude::*;

/// Bits beside the data of a flit: last, and the code.
const SIDE_WIDTH: usize = 1 + CODE_WIDTH;

/// Input of a router: the FIFO, and the route that every flit of a packet shares.
///
/// The input for `W`-bit flits, with a FIFO of up to 2^`A`.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from the handshake on `s_axis` to the flit at the crossbar |
/// | throughput | one flit a cycle |
/// | state | an [`InputFifo`], the route of the packet that arrives, and whether a head is next |
///
/// The route of a head is kept for the flits behind it, so that each carries its own through the FIFO and the reading side
/// has no state of its own.
#[derive(LogicBlock, Default)]
pub struct InputUnit<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub s_axis: StreamIn<W>,
    /// Route of the flit on `s_axis`, if it is a head.
    pub code: Signal<In, Bits<CODE_WIDTH>>,
    pub to_crossbar: CrossbarOut<W>,
    /// The FIFO is full, or a flit short of it.
    pub busy: Signal<Out, Bit>,
    fifo: InputFifo<W, SIDE_WIDTH, A>,
    in_packet: DFF<Bit>,
    packet_code: DFF<Bits<CODE_WIDTH>>,
    flit_code: Signal<Local, Bits<CODE_WIDTH>>,
}

impl<const W: usize, const A: usize> InputUnit<W, A> {
    /// An input with a FIFO of `depth` flits.
    pub fn new(depth: usize) -> Self {
        Self {
            fifo: InputFifo::new(depth),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const A: usize> Logic for InputUnit<W, A> {
    fn update(&mut self) {
        wire!(self => fifo: clk, rst);
        dff_setup!(self, clk, in_packet, packet_code);
        self.flit_code.next = self.code.val();
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

        self.to_crossbar.present.next = self.fifo.has_flit.val();
        self.to_crossbar.data.next = self.fifo.data.val();
        self.to_crossbar.last.next = self.fifo.side.val().get_bit(0);
        self.to_crossbar.code.next = self.fifo.side.val().get_bits::<CODE_WIDTH>(1);
        self.fifo.take.next = self.to_crossbar.taken.val();
        self.busy.next = self.fifo.busy.val();
        if self.rst.val() {
            self.in_packet.d.next = false;
        }
    }
}
