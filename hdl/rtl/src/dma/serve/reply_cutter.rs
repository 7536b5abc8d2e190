use crate::dma::{
    ports::{ChunkOut, GetRequest, HeaderOut},
    transmit::cores::Packet,
};
use portico_spec::{
    flit::{KIND_WIDTH, MAX_PAYLOAD_FLITS, TAG_WIDTH},
    ni::{
        instruction::COUNT_WIDTH,
        packet::{DataKind, OFFSET_WIDTH, ROW_WIDTH, SLOT_WIDTH},
        ErrorCode,
    },
};
use portico_verilog::prelude::*;

/// Where the server is.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum ServeState {
    /// The next chunk is measured, if there is a request.
    Cut,
    /// It goes into a packet; or the packet that stands in its way goes.
    Send,
    /// A row is over, and others follow.
    Turn,
}

/// Cuts the rows of a get into the packets of its replies.
///
/// One get at a time.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a request offered to its first chunk, and with the last chunk of a packet its header |
/// | throughput | a chunk in 2 cycles, 1 more at the end of a row, 2 more where a packet closes in front of a chunk |
/// | state | one packet, the chunk that is measured |
///
/// Packets are those that the built-in programs *put* would make: see [`Cutter`](crate::dma::transmit::cores::Cutter). Rows
/// that touch fill packets. Rows with gaps go whole, several a packet, if one fits into an empty packet; a longer one goes in
/// packets of its own. A plane begins a packet. Where rows have gaps, a chunk that begins a row joins the open packet only if it
/// is the whole row. No row joins the packet of a row that is longer than a packet, because it leaves too little room.
///
/// A chunk beyond the window breaks the get off: behind the words that have gone comes an empty packet that ends the
/// transfer, with the error in place of a slot. The requester may use its memory anew once it knows, and nothing may come
/// after.
#[derive(LogicBlock, Default)]
pub struct ReplyCutter {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no get is served.
    pub rst: Signal<In, Bit>,
    /// A request; it stays until `served`.
    pub offer: Signal<In, Bit>,
    /// The request that is offered; valid with `offer`.
    pub request: Signal<In, GetRequest>,
    /// High for one cycle: the last packet of the get closes, and the request is over.
    pub served: Signal<Out, Bit>,
    /// As the walk says: words of the row that are left.
    pub left: Signal<In, Bits<ROW_WIDTH>>,
    /// As the walk says: all words of the row are left.
    pub at_start: Signal<In, Bit>,
    /// As the walk says: the row is the last of its plane.
    pub last_row: Signal<In, Bit>,
    /// As the walk says: the plane is the last.
    pub last_plane: Signal<In, Bit>,
    /// As the walk says: address of the next word in the memory of this node, in words.
    pub address: Signal<In, Bits<OFFSET_WIDTH>>,
    /// As the walk says: address of the next word in the memory of the requester, in words.
    pub remote: Signal<In, Bits<OFFSET_WIDTH>>,
    /// As the walk says: the window has less than `words` words from the next one on.
    pub beyond: Signal<In, Bit>,
    /// For the walk, high for one cycle: the get begins.
    pub entered: Signal<Out, Bit>,
    /// For the walk: a chunk of `words` words goes in this cycle.
    pub step: Signal<Out, Bit>,
    /// For the walk: words of the chunk.
    pub words: Signal<Out, Bits<COUNT_WIDTH>>,
    /// For the walk, with `step`: the chunk is the last of its row.
    pub finishes: Signal<Out, Bit>,
    /// For the walk: the row is over, and another follows.
    pub row_over: Signal<Out, Bit>,
    /// For the walk, with `row_over`: on to the next row, which may be that of another plane.
    pub turn: Signal<Out, Bit>,
    /// Chunks of payload, in the order of their packets.
    pub chunk: ChunkOut,
    /// Headers of closed packets, each in the cycle of the last chunk of its packet or later.
    pub header: HeaderOut,
    packet: Packet,
    state: DFF<ServeState>,
    begun: DFF<Bit>,
    /// Rows have gaps between them at the requester.
    gaps: DFF<Bit>,
    /// Words that the packet has room for, and whether there is room at all.
    room: DFF<Bits<COUNT_WIDTH>>,
    takes: DFF<Bit>,
    /// Words of the chunk, and whether they end the row, and the get.
    count: DFF<Bits<COUNT_WIDTH>>,
    ends_row: DFF<Bit>,
    ends_get: DFF<Bit>,
    free: Signal<Local, Bits<COUNT_WIDTH>>,
    /// Words of the row beyond those that a packet may have.
    many: Signal<Local, Bits<ROW_WIDTH>>,
    fits: Signal<Local, Bit>,
    sending: Signal<Local, Bit>,
    begins_row: Signal<Local, Bit>,
    blocked: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    payload: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    turning: Signal<Local, Bit>,
    is_over: Signal<Local, Bit>,
    parts: Signal<Local, Bit>,
    closed: Signal<Local, Bit>,
}

#[kernel]
impl Logic for ReplyCutter {
    fn update(&mut self) {
        wire!(self => packet: clk, rst);
        dff_setup!(self, clk, state, begun, gaps, room, takes, count, ends_row, ends_get);
        self.gaps.d.next = !self.request.val().one_row & (self.request.val().stride != self.request.val().row);

        self.free.next = bits::<COUNT_WIDTH>(MAX_PAYLOAD_FLITS);
        if self.packet.is_open.val() {
            self.free.next = self.room.q.val();
        }
        self.many.next = self.left.val() >> bits::<5>(COUNT_WIDTH);
        self.fits.next = !self.many.val().any() & (self.left.val().get_bits::<COUNT_WIDTH>(0) <= self.free.val());
        if self.state.q.val() == ServeState::Cut {
            self.room.d.next = self.free.val();
            self.takes.d.next = self.free.val().any();
            self.count.d.next = self.free.val();
            if self.fits.val() {
                self.count.d.next = self.left.val().get_bits::<COUNT_WIDTH>(0);
            }
            self.ends_row.d.next = self.fits.val();
            self.ends_get.d.next =
                self.request.val().nothing | (self.fits.val() & self.last_row.val() & self.last_plane.val());
        }

        // The packet that is open stands in the way of what does not join it, and of an error.
        self.sending.next = self.state.q.val() == ServeState::Send;
        self.begins_row.next = self.gaps.q.val() & self.at_start.val();
        self.blocked.next = self.packet.is_open.val() & (!self.takes.q.val() | self.beyond.val());
        if self.begins_row.val() {
            self.blocked.next = self.packet.is_open.val() & (!self.ends_row.q.val() | self.beyond.val());
        }
        self.fails.next = !self.packet.is_open.val() & self.beyond.val() & !self.request.val().nothing;
        self.payload.next = self.sending.val() & !self.blocked.val() & !self.fails.val() & !self.request.val().nothing;
        self.closes.next = self.blocked.val() | self.fails.val() | self.ends_get.q.val();
        // Room for both, whatever is to go: the queues empty by themselves, and so the answer is there early.
        self.goes.next = self.sending.val() & self.chunk.ready.val() & self.header.ready.val();

        // A packet of one plane takes nothing of the next.
        self.is_over.next = self.state.q.val() == ServeState::Turn;
        self.parts.next = self.is_over.val() & self.last_row.val() & self.packet.is_open.val();
        self.turning.next = self.is_over.val() & (self.header.ready.val() | !self.parts.val());
        self.closed.next = (self.goes.val() & self.closes.val()) | (self.parts.val() & self.header.ready.val());

        self.entered.next = (self.state.q.val() == ServeState::Cut) & self.offer.val() & !self.begun.q.val();
        self.step.next = self.goes.val() & self.payload.val();
        self.words.next = self.count.q.val();
        self.finishes.next = self.ends_row.q.val();
        self.row_over.next = self.is_over.val();
        self.turn.next = self.turning.val();
        self.served.next = self.goes.val() & !self.blocked.val() & (self.fails.val() | self.ends_get.q.val());

        match self.state.q.val() {
            ServeState::Cut => {
                if self.offer.val() {
                    self.state.d.next = ServeState::Send;
                    self.begun.d.next = true;
                }
            }
            ServeState::Send => {
                if self.goes.val() {
                    self.room.d.next = self.room.q.val() - self.count.q.val();
                    self.state.d.next = ServeState::Cut;
                    if self.payload.val() & self.ends_row.q.val() & !self.ends_get.q.val() {
                        self.state.d.next = ServeState::Turn;
                    }
                }
            }
            ServeState::Turn => {
                if self.turning.val() {
                    self.state.d.next = ServeState::Cut;
                }
            }
        }
        if self.served.val() {
            self.begun.d.next = false;
        }

        self.packet.wanted.next = self.payload.val();
        self.packet.push.next = self.goes.val() & self.payload.val();
        self.packet.words.next = self.count.q.val();
        wire!(self => packet: remote);
        self.packet.whole.next = self.begins_row.val() & self.ends_row.q.val();
        self.packet.jumps.next = self.gaps.q.val() & self.ends_row.q.val();
        self.packet.close.next = self.closed.val();

        self.chunk.valid.next = self.goes.val() & self.payload.val();
        self.chunk.literal.next = false;
        self.chunk.value.next = bit_cast::<32, OFFSET_WIDTH>(self.address.val());
        self.chunk.words.next = self.count.q.val();

        self.header.valid.next = self.closed.val();
        self.header.control.next = false;
        self.header.bare.next = false;
        self.header.destination.next = self.request.val().source;
        self.header.tag.next = bit_cast::<TAG_WIDTH, SLOT_WIDTH>(self.request.val().slot);
        self.header.kind.next = bits::<KIND_WIDTH>(DataKind::Reply as u64);
        self.header.last.next = self.sending.val() & !self.blocked.val();
        self.header.offset.next = self.packet.offset.val();
        // The tag has the slot. An ADDRESS word has an error in its place.
        self.header.slot.next = 0.into();
        if self.fails.val() {
            self.header.slot.next = bits::<SLOT_WIDTH>(ErrorCode::OutOfWindow as u64);
        }
        self.header.has_geometry.next = self.packet.strided.val();
        self.header.strided.next = self.packet.strided.val();
        self.header.operation.next = 0.into();
        self.header.wide.next = false;
        self.header.row.next = self.request.val().row;
        self.header.stride.next = self.request.val().stride;
        self.header.words.next = self.packet.total.val();
        if self.rst.val() {
            self.state.d.next = ServeState::Cut;
            self.begun.d.next = false;
        }
    }
}
