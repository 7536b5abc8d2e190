use super::{GetJob, Outcome, PacketJobOut, RankWriteIn};
use crate::prim::{LutRam, Queue, StreamOut};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    portals::engine::{
        DELIVERED_OFFSET, LENGTH_WIDTH, OVERFLOW_OFFSET, RANK_WIDTH, REPLY_HEADER_WORDS, ROOM_WORDS, SILENT_OFFSET,
        SLOT_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Bytes of the first packet of a reply.
const FIRST_BYTES: u64 = 4 * (ROOM_WORDS - REPLY_HEADER_WORDS) as u64;
/// Bytes of a later packet.
const PACKET_BYTES: u64 = 4 * ROOM_WORDS as u64;

/// State of the replier.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ReplyStep {
    /// Waits for a get.
    Take,
    /// Offers the first packet.
    First,
    /// Gives the words STATUS and offset used.
    Status,
    Offset,
    /// Offers the later packets.
    More,
    /// Waits until the last packet has left.
    Leave,
    /// Tells that the get is served.
    Tell,
}

/// Serves gets: sends their data as the packets of replies.
///
/// One get of a rank at a time.
///
/// | | |
/// | --- | --- |
/// | latency | from a get to its first packet at `packet`: 2 cycles |
/// | throughput | one get at a time; a packet as soon as there are a credit and a sender |
/// | state | a get a rank, and nodes of ranks, in LUT-RAM; the get in hand |
///
/// A reply begins with both credits of its rank: the initiator gives one back only while more than a room of the reply is to
/// come, so none is on its way when the last packet has left.
#[derive(LogicBlock, Default)]
pub struct Replier {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Rows of the rank map as they are written, for this block's copy.
    pub rank_write: RankWriteIn,
    /// High for a cycle: `job` is to be served. It is always taken: no rank has two.
    pub serve: Signal<In, Bit>,
    /// The get; valid with `serve`. Its data have a byte or more.
    pub job: Signal<In, GetJob>,
    /// Rank of the get in hand.
    pub rank: Signal<Out, Bits<RANK_WIDTH>>,
    /// There is a credit of that rank, in the same cycle.
    pub credit: Signal<In, Bit>,
    /// High for a cycle: a credit of that rank is taken.
    pub take_credit: Signal<Out, Bit>,
    /// High for a cycle: that rank has both of its credits.
    pub renew: Signal<Out, Bit>,
    /// Packets for the data plane.
    pub packet: PacketJobOut,
    /// Their header words.
    pub header: StreamOut<32>,
    /// High for a cycle: the last packet of the get has left.
    pub leaves: Signal<In, Bit>,
    /// The get of `rank` is served.
    pub served: Signal<Out, Bit>,
    /// That is known.
    pub take_served: Signal<In, Bit>,
    /// A get is being served, or waits.
    pub busy: Signal<Out, Bit>,
    nodes: LutRam<Bits<NODE_WIDTH>, RANK_WIDTH>,
    jobs: Queue<GetJob, RANK_WIDTH>,
    step: DFF<ReplyStep>,
    get: DFF<GetJob>,
    left: DFF<Bits<LENGTH_WIDTH>>,
    address: DFF<Bits<LENGTH_WIDTH>>,
    outcome: Signal<Local, Outcome>,
    offered: Signal<Local, Outcome>,
    most: Signal<Local, Bits<LENGTH_WIDTH>>,
    fits: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<LENGTH_WIDTH>>,
    offers: Signal<Local, Bit>,
    silent_bit: Signal<Local, Bits<1>>,
    overflow_bit: Signal<Local, Bits<1>>,
}

impl Replier {
    /// For `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        Self {
            nodes: LutRam::new(ranks),
            jobs: Queue::new(ranks),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Replier {
    fn update(&mut self) {
        wire!(self => jobs: clk, rst);
        wire!(self => nodes: clk);
        dff_setup!(self, clk, step, get, left, address);
        self.nodes.write_enable.next = self.rank_write.enable.val();
        self.nodes.write_address.next = self.rank_write.rank.val();
        self.nodes.write_data.next = self.rank_write.node.val();
        self.jobs.write.next = self.serve.val();
        self.jobs.write_data.next = self.job.val();
        self.nodes.read_address.next = self.get.q.val().rank;
        self.rank.next = self.get.q.val().rank;

        self.outcome.next = self.get.q.val().outcome;
        self.offered.next = self.jobs.read_data.val().outcome;
        self.most.next = bits::<LENGTH_WIDTH>(PACKET_BYTES);
        if self.step.q.val() == ReplyStep::First {
            self.most.next = bits::<LENGTH_WIDTH>(FIRST_BYTES);
        }
        self.fits.next = self.left.q.val() <= self.most.val();
        self.bytes.next = self.most.val();
        if self.fits.val() {
            self.bytes.next = self.left.q.val();
        }
        self.packet.valid.next =
            (self.step.q.val() == ReplyStep::First) | ((self.step.q.val() == ReplyStep::More) & self.credit.val());
        self.packet.node.next = self.nodes.read_data.val();
        self.packet.tag.next = bit_cast::<TAG_WIDTH, SLOT_WIDTH>(self.get.q.val().slot);
        self.packet.first.next = self.step.q.val() == ReplyStep::First;
        self.packet.last.next = self.fits.val();
        self.packet.address.next = self.address.q.val();
        self.packet.length.next = self.bytes.val();
        self.offers.next = self.packet.valid.val() & self.packet.ready.val();
        self.take_credit.next = self.offers.val();
        if self.offers.val() {
            self.left.d.next = self.left.q.val() - self.bytes.val();
            self.address.d.next = self.address.q.val() + self.bytes.val();
        }
        self.silent_bit.next = self.outcome.val().silent.into();
        self.overflow_bit.next = self.outcome.val().overflow.into();
        self.header.tvalid.next = false;
        self.header.tlast.next = self.step.q.val() == ReplyStep::Offset;
        self.header.tdata.next = self.get.q.val().used;
        self.jobs.read.next = false;
        self.renew.next = false;
        match self.step.q.val() {
            ReplyStep::Take => {
                self.get.d.next = self.jobs.read_data.val();
                self.left.d.next = self.offered.val().delivered;
                self.address.d.next = self.jobs.read_data.val().address;
                if !self.jobs.empty.val() {
                    self.jobs.read.next = true;
                    self.rank.next = self.jobs.read_data.val().rank;
                    self.renew.next = true;
                    self.step.d.next = ReplyStep::First;
                }
            }
            ReplyStep::First => {
                if self.offers.val() {
                    self.step.d.next = ReplyStep::Status;
                }
            }
            ReplyStep::Status => {
                self.header.tvalid.next = true;
                self.header.tdata.next = field::<32, LENGTH_WIDTH>(self.outcome.val().delivered, DELIVERED_OFFSET)
                    | field::<32, 1>(self.overflow_bit.val(), OVERFLOW_OFFSET)
                    | field::<32, 1>(self.silent_bit.val(), SILENT_OFFSET);
                if self.header.tready.val() {
                    self.step.d.next = ReplyStep::Offset;
                }
            }
            ReplyStep::Offset => {
                self.header.tvalid.next = true;
                if self.header.tready.val() {
                    self.step.d.next = ReplyStep::Leave;
                    if self.left.q.val().any() {
                        self.step.d.next = ReplyStep::More;
                    }
                }
            }
            ReplyStep::More => {
                if self.offers.val() & self.fits.val() {
                    self.step.d.next = ReplyStep::Leave;
                }
            }
            ReplyStep::Leave => {
                if self.leaves.val() {
                    self.step.d.next = ReplyStep::Tell;
                }
            }
            ReplyStep::Tell => {
                if self.take_served.val() {
                    self.step.d.next = ReplyStep::Take;
                }
            }
        }
        self.served.next = self.step.q.val() == ReplyStep::Tell;
        self.busy.next = (self.step.q.val() != ReplyStep::Take) | !self.jobs.empty.val();
        if self.rst.val() {
            self.step.d.next = ReplyStep::Take;
        }
    }
}
