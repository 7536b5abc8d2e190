use crate::{
    bus::EventOut,
    dma::ports::PacketIn,
    prim::{StreamIn, StreamOut},
};
use portico_spec::{
    flit::MAX_PAYLOAD_FLITS,
    ni::{event::EVENT_WIDTH, instruction::COUNT_WIDTH},
};
use portico_verilog::prelude::*;

/// Wide enough for the words of the payload FIFO.
const FILL_WIDTH: usize = 8;

/// What comes next of a packet.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum Part {
    Head,
    Address,
    Geometry,
    Payload,
}

/// Sends packets: head, ADDRESS, GEOMETRY, payload; and gives notices where they stand between packets.
///
/// From headers and payload to flits.
///
/// | | |
/// | --- | --- |
/// | latency | 0 cycles from a header, and from a word of payload, to its flit; 1 from a notice to its event |
/// | throughput | one flit a cycle, none lost between packets |
/// | state | the part of the packet, its words sent, the words of payload that are there; an event |
#[derive(LogicBlock, Default)]
pub struct Injector<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Packets to send and notices to give, in their order.
    pub packet: PacketIn,
    /// The payload of all packets, in their order; `tlast` is not looked at.
    pub payload: StreamIn<W>,
    /// A word goes into the FIFO behind `payload`.
    pub pushed: Signal<In, Bit>,
    /// Packets for the data plane.
    pub m_axis: StreamOut<W>,
    /// Packets for the control plane.
    pub m_axis_control: StreamOut<32>,
    /// Events of the notices, each after the packets before it have gone.
    pub event: EventOut,
    part: DFF<Part>,
    sent: DFF<Bits<COUNT_WIDTH>>,
    fill: DFF<Bits<FILL_WIDTH>>,
    has_event: DFF<Bit>,
    held_event: DFF<Bits<EVENT_WIDTH>>,
    there: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    flit: Signal<Local, Bits<W>>,
    tail: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    popping: Signal<Local, Bit>,
    noticed: Signal<Local, Bit>,
    after: Signal<Local, Bits<COUNT_WIDTH>>,
    following: Signal<Local, Part>,
    whole: Constant<Bit>,
}

impl<const W: usize> Injector<W> {
    /// Sends a head when its header comes, or, if `whole`, when all of its payload is there too.
    pub fn new(whole: bool) -> Self {
        Self {
            whole: Constant::new(whole),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Injector<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, part, sent, fill, has_event, held_event);
        self.event.valid.next = self.has_event.q.val();
        self.event.event.next = self.held_event.q.val();
        self.event.error.next = 0.into();
        self.noticed.next = self.packet.valid.val() & self.packet.notice.val() & !self.has_event.q.val();
        if self.event.ready.val() {
            self.has_event.d.next = false;
        }
        if self.noticed.val() {
            self.has_event.d.next = true;
            self.held_event.d.next = bit_cast::<EVENT_WIDTH, 32>(self.packet.head.val());
        }

        self.there.next = self.packet.valid.val() & !self.packet.notice.val();
        if self.whole.val() {
            self.there.next = self.packet.valid.val()
                & !self.packet.notice.val()
                & (self.fill.q.val() >= bit_cast::<FILL_WIDTH, COUNT_WIDTH>(self.packet.words.val()));
        }
        self.after.next = self.sent.q.val() + 1;
        self.offers.next = true;
        self.tail.next = false;
        self.flit.next = bit_cast::<W, 32>(self.packet.head.val());
        self.following.next = Part::Payload;
        match self.part.q.val() {
            Part::Head => {
                self.offers.next = self.there.val();
                self.tail.next = !self.packet.has_address.val() & !self.packet.words.val().any();
                if self.packet.has_address.val() {
                    self.following.next = Part::Address;
                }
            }
            Part::Address => {
                self.flit.next = bit_cast::<W, 32>(self.packet.address.val());
                self.tail.next = !self.packet.has_geometry.val() & !self.packet.words.val().any();
                if self.packet.has_geometry.val() {
                    self.following.next = Part::Geometry;
                }
            }
            Part::Geometry => {
                self.flit.next = bit_cast::<W, 32>(self.packet.geometry.val());
            }
            Part::Payload => {
                self.offers.next = self.payload.tvalid.val();
                self.flit.next = self.payload.tdata.val();
                self.tail.next = self.after.val() == self.packet.words.val();
            }
        }

        self.m_axis.tvalid.next = self.offers.val() & !self.packet.control.val();
        self.m_axis.tdata.next = self.flit.val();
        self.m_axis.tlast.next = self.tail.val();
        self.m_axis_control.tvalid.next = self.offers.val() & self.packet.control.val();
        self.m_axis_control.tdata.next = bit_cast::<32, W>(self.flit.val());
        self.m_axis_control.tlast.next = self.tail.val();
        self.passes.next = self.offers.val() & self.m_axis.tready.val();
        if self.packet.control.val() {
            self.passes.next = self.offers.val() & self.m_axis_control.tready.val();
        }
        self.popping.next = self.passes.val() & (self.part.q.val() == Part::Payload);
        self.payload.tready.next = self.popping.val();
        self.packet.ready.next = self.noticed.val() | (self.passes.val() & self.tail.val());

        if self.passes.val() {
            self.part.d.next = self.following.val();
            if self.part.q.val() == Part::Payload {
                self.sent.d.next = self.after.val();
            }
            if self.tail.val() {
                self.part.d.next = Part::Head;
                self.sent.d.next = 0.into();
            }
        }
        if self.pushed.val() & !self.popping.val() {
            self.fill.d.next = self.fill.q.val() + 1;
        }
        if !self.pushed.val() & self.popping.val() {
            self.fill.d.next = self.fill.q.val() - 1;
        }
        if self.rst.val() {
            self.part.d.next = Part::Head;
            self.sent.d.next = 0.into();
            self.fill.d.next = 0.into();
            self.has_event.d.next = false;
        }
    }
}

// The words of a packet are counted.
const _: () = assert!(MAX_PAYLOAD_FLITS < 1 << COUNT_WIDTH);
