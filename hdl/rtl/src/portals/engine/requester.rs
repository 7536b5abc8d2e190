use super::{
    move_intake::MOVE_WORDS, request_header::REQUEST_WIDTH, PacketJobOut, RankWriteIn, RequestHeader, SentMove,
    SlotClaimOut, SlotKeepOut,
};
use crate::prim::{LutRam, Queue, StreamIn, StreamOut};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::{
        command::{EVENT_OFFSET, QUIET_OFFSET},
        event::EVENT_WIDTH,
    },
    portals::engine::{
        Ack, Operation, ACK_OFFSET, ACK_WIDTH, LENGTH_WIDTH, OPERATION_OFFSET, OPERATION_WIDTH, PUT_HEADER_WORDS,
        RANK_OFFSET, RANK_WIDTH, ROOM_WORDS, SLOT_WIDTH, USER_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Width of the place of a word of a move among those that decide. It is 0 again behind the last of them.
const PLACE_WIDTH: usize = 2;
/// Bytes of the first packet of a put.
const FIRST_BYTES: u64 = 4 * (ROOM_WORDS - PUT_HEADER_WORDS) as u64;
/// Bytes of a later packet.
const PACKET_BYTES: u64 = 4 * ROOM_WORDS as u64;
/// Words of a move that decide when it goes: the last of them is the length.
const DECIDING_WORDS: u64 = 1 << PLACE_WIDTH;
const _: () = assert!(DECIDING_WORDS as usize + PUT_HEADER_WORDS == MOVE_WORDS);

/// State of the requester.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum RequestStep {
    /// Takes the words of a move that decide.
    Take,
    /// Waits for a slot and a credit; offers the first packet.
    Claim,
    /// Gives the header words.
    Header,
    /// Offers the later packets.
    More,
}

/// Turns moves into the packets of requests, in their order.
///
/// | | |
/// | --- | --- |
/// | latency | from a move's first word to its first packet at `packet`: 5 cycles |
/// | throughput | a move of one packet every 12 cycles; of a longer one, a packet as soon as there are a credit and a sender |
/// | state | the move in hand; nodes of ranks and 4 moves that are sent in LUT-RAM |
///
/// A move waits until the engine is enabled. Each packet takes a credit of its rank; a get, and a put that wants an
/// acknowledgement, take a slot.
#[derive(LogicBlock, Default)]
pub struct Requester {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Moves may be sent.
    pub enabled: Signal<In, Bit>,
    /// The tile's own rank.
    pub own_rank: Signal<In, Bits<RANK_WIDTH>>,
    /// The tile's user.
    pub user: Signal<In, Bits<USER_WIDTH>>,
    /// Rows of the rank map as they are written, for this block's copy.
    pub rank_write: RankWriteIn,
    /// Words of moves, in the order of the intake.
    pub s_axis: StreamIn<32>,
    /// Rank of the move in hand.
    pub rank: Signal<Out, Bits<RANK_WIDTH>>,
    /// There is a credit of that rank, in the same cycle.
    pub credit: Signal<In, Bit>,
    /// High for a cycle: a credit of that rank is taken.
    pub take_credit: Signal<Out, Bit>,
    /// A slot of gets is asked for, not one of puts.
    pub get: Signal<Out, Bit>,
    /// There is such a slot, in the same cycle.
    pub available: Signal<In, Bit>,
    /// That slot.
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// High for a cycle: the move in hand begins to leave.
    pub begins: Signal<Out, Bit>,
    /// The slot is claimed for the move in hand.
    pub claim: SlotClaimOut,
    /// The row of the move, for its answer.
    pub keep: SlotKeepOut,
    /// Address of the data in the scratchpad, in bytes; valid with `claim.enable`.
    pub data: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// Packets for the data plane.
    pub packet: PacketJobOut,
    /// Their header words.
    pub header: StreamOut<32>,
    /// High for a cycle: the last packet of the oldest move has left.
    pub leaves: Signal<In, Bit>,
    /// There is a move that has left.
    pub sent: Signal<Out, Bit>,
    /// That move; valid with `sent`.
    pub sent_move: Signal<Out, SentMove>,
    /// High for a cycle: that move is reported.
    pub take_sent: Signal<In, Bit>,
    /// A move is in hand, or is not reported.
    pub busy: Signal<Out, Bit>,
    nodes: LutRam<Bits<NODE_WIDTH>, RANK_WIDTH>,
    moves: Queue<SentMove, 2>,
    words: RequestHeader,
    step: DFF<RequestStep>,
    place: DFF<Bits<PLACE_WIDTH>>,
    number: DFF<Bits<EVENT_WIDTH>>,
    quiet: DFF<Bit>,
    request: DFF<Bits<REQUEST_WIDTH>>,
    named: DFF<Bits<RANK_WIDTH>>,
    address: DFF<Bits<LENGTH_WIDTH>>,
    length: DFF<Bits<LENGTH_WIDTH>>,
    /// Bytes that are not in a packet yet.
    left: DFF<Bits<LENGTH_WIDTH>>,
    own_slot: DFF<Bits<SLOT_WIDTH>>,
    /// All is known that is kept of the move for its answer.
    keeps: DFF<Bit>,
    /// The last packet of the move is on its way.
    sends: DFF<Bit>,
    /// Moves whose last packet has left.
    finished: DFF<Bits<3>>,
    put: Signal<Local, Bit>,
    answered: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    most: Signal<Local, Bits<LENGTH_WIDTH>>,
    fits: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<LENGTH_WIDTH>>,
    offers: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
}

impl Requester {
    /// For `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        Self {
            nodes: LutRam::new(ranks),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Requester {
    fn update(&mut self) {
        wire!(self => moves, words: clk, rst);
        wire!(self => nodes: clk);
        dff_setup!(self, clk, step, place, number, quiet, request, named, address, length, left);
        dff_setup!(self, clk, own_slot, keeps, sends, finished);
        self.nodes.write_enable.next = self.rank_write.enable.val();
        self.nodes.write_address.next = self.rank_write.rank.val();
        self.nodes.write_data.next = self.rank_write.node.val();
        self.nodes.read_address.next = self.named.q.val();

        self.put.next = self.request.q.val().get_bits::<OPERATION_WIDTH>(OPERATION_OFFSET)
            == bits::<OPERATION_WIDTH>(Operation::Put as u64);
        self.answered.next = !self.put.val()
            | (self.request.q.val().get_bits::<ACK_WIDTH>(ACK_OFFSET) != bits::<ACK_WIDTH>(Ack::None as u64));

        // The words that decide.
        self.reads.next = (self.step.q.val() == RequestStep::Take) & self.enabled.val();
        self.s_axis.tready.next = self.reads.val() | self.words.s_axis.tready.val();
        if self.reads.val() & self.s_axis.tvalid.val() {
            self.place.d.next = self.place.q.val() + 1;
            if self.place.q.val() == 0 {
                self.number.d.next = self.s_axis.tdata.val().get_bits::<EVENT_WIDTH>(EVENT_OFFSET);
                self.quiet.d.next = self.s_axis.tdata.val().get_bit(QUIET_OFFSET);
            }
            if self.place.q.val() == 1 {
                self.request.d.next = self.s_axis.tdata.val().get_bits::<REQUEST_WIDTH>(0);
                self.named.d.next = self.s_axis.tdata.val().get_bits::<RANK_WIDTH>(RANK_OFFSET);
            }
            if self.place.q.val() == 2 {
                self.address.d.next = self.s_axis.tdata.val().get_bits::<LENGTH_WIDTH>(0);
            }
            if self.place.q.val() == bits::<PLACE_WIDTH>(DECIDING_WORDS - 1) {
                self.length.d.next = self.s_axis.tdata.val().get_bits::<LENGTH_WIDTH>(0);
                self.left.d.next = self.s_axis.tdata.val().get_bits::<LENGTH_WIDTH>(0);
                if !self.put.val() {
                    self.left.d.next = 0.into();
                }
                self.step.d.next = RequestStep::Claim;
            }
        }

        // Packets.
        self.most.next = bits::<LENGTH_WIDTH>(PACKET_BYTES);
        if self.step.q.val() == RequestStep::Claim {
            self.most.next = bits::<LENGTH_WIDTH>(FIRST_BYTES);
        }
        self.fits.next = self.left.q.val() <= self.most.val();
        self.bytes.next = self.most.val();
        if self.fits.val() {
            self.bytes.next = self.left.q.val();
        }
        self.rank.next = self.named.q.val();
        self.get.next = !self.put.val();
        self.may.next = self.credit.val()
            & !self.moves.full.val()
            & ((self.step.q.val() == RequestStep::More)
                | ((self.step.q.val() == RequestStep::Claim) & (self.available.val() | !self.answered.val())));
        self.packet.valid.next = self.may.val();
        self.packet.node.next = self.nodes.read_data.val();
        self.packet.tag.next = bit_cast::<TAG_WIDTH, RANK_WIDTH>(self.own_rank.val());
        self.packet.first.next = self.step.q.val() == RequestStep::Claim;
        self.packet.last.next = self.fits.val();
        self.packet.address.next = self.address.q.val();
        self.packet.length.next = self.bytes.val();
        self.offers.next = self.may.val() & self.packet.ready.val();
        self.take_credit.next = self.offers.val();
        self.begins.next = self.offers.val() & (self.step.q.val() == RequestStep::Claim);
        self.claim.enable.next = self.begins.val() & self.answered.val();
        wire!(self => claim: slot, get);
        self.claim.node.next = self.nodes.read_data.val();
        self.data.next = self.address.q.val();
        if self.offers.val() {
            self.left.d.next = self.left.q.val() - self.bytes.val();
            self.address.d.next = self.address.q.val() + self.bytes.val();
        }

        // Header words.
        wire!(self => words: put, user);
        self.words.goes.next = self.step.q.val() == RequestStep::Header;
        self.words.request.next = self.request.q.val();
        self.words.slot.next = self.own_slot.q.val();
        self.words.length.next = self.length.q.val();
        wire!(s_axis => words.s_axis: tvalid, tdata, tlast);
        wire!(self.header <=> words.m_axis);
        self.keeps.d.next = self.words.known.val() & self.answered.val();
        self.sends.d.next = self.words.known.val() & !self.left.q.val().any();
        match self.step.q.val() {
            RequestStep::Take => {}
            RequestStep::Claim => {
                if self.offers.val() {
                    self.own_slot.d.next = self.slot.val();
                    self.step.d.next = RequestStep::Header;
                }
            }
            RequestStep::Header => {
                if self.words.over.val() {
                    self.step.d.next = RequestStep::Take;
                    if self.left.q.val().any() {
                        self.step.d.next = RequestStep::More;
                    }
                }
            }
            RequestStep::More => {
                if self.offers.val() & self.fits.val() {
                    self.sends.d.next = true;
                    self.step.d.next = RequestStep::Take;
                }
            }
        }

        // Rows of moves that are answered and, in their order, of those that are sent. Nothing comes of a packet sooner.
        self.keep.enable.next = self.keeps.q.val();
        self.keep.slot.next = self.own_slot.q.val();
        self.keep.row.next.get = self.get.val();
        self.keep.row.next.ack = self.request.q.val().get_bits::<ACK_WIDTH>(ACK_OFFSET);
        self.keep.row.next.report = self.words.report.val();
        self.keep.row.next.pointer = self.words.pointer.val();
        self.moves.write.next = self.sends.q.val();
        self.moves.write_data.next.event = self.number.q.val();
        self.moves.write_data.next.quiet = self.quiet.q.val();
        self.moves.write_data.next.put = self.put.val();
        self.moves.write_data.next.report = self.words.report.val();
        self.moves.write_data.next.requested = self.length.q.val();
        self.moves.write_data.next.pointer = self.words.pointer.val();
        self.moves.read.next = self.take_sent.val();
        if self.leaves.val() & !self.take_sent.val() {
            self.finished.d.next = self.finished.q.val() + 1;
        }
        if self.take_sent.val() & !self.leaves.val() {
            self.finished.d.next = self.finished.q.val() - 1;
        }
        self.sent.next = self.finished.q.val().any();
        self.sent_move.next = self.moves.read_data.val();
        self.busy.next = (self.step.q.val() != RequestStep::Take) | self.sends.q.val() | !self.moves.empty.val();
        if self.rst.val() {
            self.step.d.next = RequestStep::Take;
            self.place.d.next = 0.into();
            self.keeps.d.next = false;
            self.sends.d.next = false;
            self.finished.d.next = 0.into();
        }
    }
}
