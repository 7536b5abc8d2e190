use super::{move_intake::MOVE_WORDS, PacketJobOut, RankWriteIn, Report, SentMove, SlotClaimOut, SlotKeepOut, SlotRow};
use crate::prim::{LutRam, Queue, StreamIn, StreamOut};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::{
        command::{EVENT_OFFSET, QUIET_OFFSET},
        event::EVENT_WIDTH,
    },
    portals::engine::{
        Ack, Operation, ACK_OFFSET, ACK_WIDTH, LENGTH_WIDTH, MD_COUNTER_OFFSET, MD_COUNTS_OFFSET, MD_OPTIONS_WIDTH,
        MD_QUEUES_OFFSET, MD_QUEUE_OFFSET, NUMBER_WIDTH, OPERATION_OFFSET, OPERATION_WIDTH, PORTAL_OFFSET,
        PORTAL_WIDTH, PUT_HEADER_WORDS, QUEUE_WIDTH, RANK_OFFSET, RANK_WIDTH, ROOM_WORDS, SLOT_OFFSET, SLOT_WIDTH,
        USER_OFFSET, USER_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Width of the place of a word of a move.
const PLACE_WIDTH: usize = 4;
/// Bits of word 1 that go into REQUEST as they are.
const REQUEST_WIDTH: usize = PORTAL_OFFSET + PORTAL_WIDTH;
/// Bytes of the first packet of a put.
const FIRST_BYTES: u64 = 4 * (ROOM_WORDS - PUT_HEADER_WORDS) as u64;
/// Bytes of a later packet.
const PACKET_BYTES: u64 = 4 * ROOM_WORDS as u64;
/// Words of a move that decide when it goes: the last of them is the length.
const DECIDING_WORDS: u64 = 4;
/// Words of a move that has no header data.
const SHORT_WORDS: u64 = MOVE_WORDS as u64 - 2;

/// State of the requester.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum RequestStep {
    /// Takes the words of a move that decide.
    Take,
    /// Waits for a slot and a credit; offers the first packet.
    Claim,
    /// Gives the word REQUEST, and takes the options of the memory descriptor.
    Request,
    /// Gives the word EXTENT, and takes the user's pointer.
    Extent,
    /// Passes the other header words on.
    Header,
    /// Reads away the words that a get does not have.
    Skip,
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
    step: DFF<RequestStep>,
    place: DFF<Bits<PLACE_WIDTH>>,
    number: DFF<Bits<EVENT_WIDTH>>,
    quiet: DFF<Bit>,
    request: DFF<Bits<REQUEST_WIDTH>>,
    named: DFF<Bits<RANK_WIDTH>>,
    report: DFF<Report>,
    pointer: DFF<Bits<32>>,
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
    gives: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    row: Signal<Local, SlotRow>,
    takes: Signal<Local, Bit>,
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
        wire!(self => moves: clk, rst);
        wire!(self => nodes: clk);
        dff_setup!(self, clk, step, place, number, quiet, request, named, report, pointer, address, length, left);
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
        self.gives.next = (self.step.q.val() == RequestStep::Request)
            | (self.step.q.val() == RequestStep::Extent)
            | (self.step.q.val() == RequestStep::Header);
        self.s_axis.tready.next = (self.step.q.val() == RequestStep::Skip)
            | ((self.step.q.val() == RequestStep::Take) & self.enabled.val())
            | (self.gives.val() & self.header.tready.val());
        self.takes.next = self.s_axis.tvalid.val() & self.s_axis.tready.val();
        if self.takes.val() {
            self.place.d.next = self.place.q.val() + 1;
        }
        if self.takes.val() & (self.step.q.val() == RequestStep::Take) {
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
        self.claim.slot.next = self.slot.val();
        self.claim.get.next = !self.put.val();
        self.claim.node.next = self.nodes.read_data.val();
        self.data.next = self.address.q.val();
        if self.offers.val() {
            self.left.d.next = self.left.q.val() - self.bytes.val();
            self.address.d.next = self.address.q.val() + self.bytes.val();
        }

        // Header words.
        self.header.tvalid.next = self.gives.val() & self.s_axis.tvalid.val();
        self.header.tlast.next = false;
        self.header.tdata.next = self.s_axis.tdata.val();
        self.passes.next = false;
        self.keeps.d.next = false;
        self.sends.d.next = false;
        match self.step.q.val() {
            RequestStep::Take => {}
            RequestStep::Claim => {
                if self.offers.val() {
                    self.own_slot.d.next = self.slot.val();
                    self.step.d.next = RequestStep::Request;
                }
            }
            RequestStep::Request => {
                self.header.tdata.next = bit_cast::<32, REQUEST_WIDTH>(self.request.q.val())
                    | field::<32, SLOT_WIDTH>(self.own_slot.q.val(), SLOT_OFFSET);
                if self.takes.val() {
                    self.report.d.next.options = self.s_axis.tdata.val().get_bits::<MD_OPTIONS_WIDTH>(0);
                    self.report.d.next.counter = self.s_axis.tdata.val().get_bits::<NUMBER_WIDTH>(MD_COUNTER_OFFSET);
                    self.report.d.next.counts = self.s_axis.tdata.val().get_bit(MD_COUNTS_OFFSET);
                    self.report.d.next.queue = self.s_axis.tdata.val().get_bits::<QUEUE_WIDTH>(MD_QUEUE_OFFSET);
                    self.report.d.next.queues = self.s_axis.tdata.val().get_bit(MD_QUEUES_OFFSET);
                    self.step.d.next = RequestStep::Extent;
                }
            }
            RequestStep::Extent => {
                self.header.tdata.next = bit_cast::<32, LENGTH_WIDTH>(self.length.q.val())
                    | field::<32, USER_WIDTH>(self.user.val(), USER_OFFSET);
                if self.takes.val() {
                    self.pointer.d.next = self.s_axis.tdata.val();
                    self.keeps.d.next = self.answered.val();
                    self.sends.d.next = !self.left.q.val().any();
                    self.step.d.next = RequestStep::Header;
                }
            }
            RequestStep::Header => {
                self.header.tlast.next = (self.place.q.val() == bits::<PLACE_WIDTH>(MOVE_WORDS as u64 - 1))
                    | (!self.put.val() & (self.place.q.val() == bits::<PLACE_WIDTH>(SHORT_WORDS - 1)));
                if self.takes.val() & self.header.tlast.val() {
                    self.passes.next = self.put.val();
                    self.step.d.next = RequestStep::Skip;
                }
            }
            RequestStep::Skip => {
                if self.takes.val() & (self.place.q.val() == bits::<PLACE_WIDTH>(MOVE_WORDS as u64 - 1)) {
                    self.passes.next = true;
                }
            }
            RequestStep::More => {
                if self.offers.val() & self.fits.val() {
                    self.sends.d.next = true;
                    self.step.d.next = RequestStep::Take;
                }
            }
        }
        if self.passes.val() {
            self.place.d.next = 0.into();
            self.step.d.next = RequestStep::Take;
            if self.left.q.val().any() {
                self.step.d.next = RequestStep::More;
            }
        }

        // Rows of moves that are answered and, in their order, of those that are sent. Nothing comes of a packet sooner.
        self.keep.enable.next = self.keeps.q.val();
        self.keep.slot.next = self.own_slot.q.val();
        self.row.next.get = !self.put.val();
        self.row.next.ack = self.request.q.val().get_bits::<ACK_WIDTH>(ACK_OFFSET);
        self.row.next.report = self.report.q.val();
        self.row.next.pointer = self.pointer.q.val();
        self.keep.row.next = self.row.val();
        self.moves.write.next = self.sends.q.val();
        self.moves.write_data.next.event = self.number.q.val();
        self.moves.write_data.next.quiet = self.quiet.q.val();
        self.moves.write_data.next.put = self.put.val();
        self.moves.write_data.next.report = self.report.q.val();
        self.moves.write_data.next.requested = self.length.q.val();
        self.moves.write_data.next.pointer = self.pointer.q.val();
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
