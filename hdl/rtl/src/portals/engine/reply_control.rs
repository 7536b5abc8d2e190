use super::{BytesOut, Outcome, PacketsIn, SlotClaimIn, GET_SLOT_WIDTH};
use crate::prim::{LutRam, StreamOut};
use portico_spec::portals::engine::{
    DELIVERED_OFFSET, FAILURE_OFFSET, FAILURE_WIDTH, LENGTH_WIDTH, OVERFLOW_OFFSET, ROOM_WORDS, SILENT_OFFSET,
    SLOT_WIDTH,
};
use portico_verilog::prelude::*;

/// Bytes of a full room.
const ROOM_BYTES: u64 = 4 * ROOM_WORDS as u64;

/// A reply, as it is kept between its packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Reply {
    /// Where its next bytes go.
    pub address: Bits<LENGTH_WIDTH>,
    /// Bytes that are to come.
    pub left: Bits<LENGTH_WIDTH>,
    /// Offset used, in bytes.
    pub used: Bits<32>,
}

/// State of the control of replies.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum DataStep {
    /// Looks for a packet.
    Idle,
    /// Reads the words STATUS and offset used.
    Status,
    Offset,
    /// Passes payload on.
    Payload,
    /// Waits until the data are written, and tells that the reply has come.
    Write,
    /// Tells that.
    Tell,
}

/// Writes the data of replies at the initiator, packet by packet.
///
/// Of four gets.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from the last write of a packet to the next packet |
/// | throughput | one packet at a time |
/// | state | a reply a slot of gets, and where it goes, in LUT-RAM; the reply in hand |
///
/// A credit goes back only while more than a room of the reply is to come after the packets that may be under way.
#[derive(LogicBlock, Default)]
pub struct ReplyControl {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The first owner of rooms that is a slot.
    pub packets: PacketsIn,
    /// Slot of the packet at `packets`.
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// Slots as they are claimed.
    pub claim: SlotClaimIn,
    /// Address of the data of the get, in bytes; valid with `claim.enable`.
    pub data: Signal<In, Bits<LENGTH_WIDTH>>,
    /// Runs of bytes to write.
    pub run: BytesOut,
    /// Their words.
    pub words: StreamOut<32>,
    /// Where the bytes of the next packet go.
    pub next_address: Signal<In, Bits<LENGTH_WIDTH>>,
    /// Bytes that are still to come.
    pub bytes_left: Signal<In, Bits<LENGTH_WIDTH>>,
    /// All bytes are written.
    pub written: Signal<In, Bit>,
    /// High for a cycle: a credit of the slot in hand goes back.
    pub credit: Signal<Out, Bit>,
    /// The slot in hand.
    pub held: Signal<Out, Bits<SLOT_WIDTH>>,
    /// The reply of the slot in hand has come whole; its last bytes may still be on their way.
    pub replied: Signal<Out, Bit>,
    /// The data of the reply that was taken last are written; valid after `take_reply`.
    pub settled: Signal<Out, Bit>,
    /// Outcome of the get; valid with `replied`.
    pub outcome: Signal<Out, Outcome>,
    /// Offset used, in bytes; valid with `replied`.
    pub used: Signal<Out, Bits<32>>,
    /// High for a cycle: that is known.
    pub take_reply: Signal<In, Bit>,
    replies: LutRam<Reply, GET_SLOT_WIDTH>,
    results: LutRam<Outcome, GET_SLOT_WIDTH>,
    places: LutRam<Bits<LENGTH_WIDTH>, GET_SLOT_WIDTH>,
    step: DFF<DataStep>,
    reply: DFF<Reply>,
    result: DFF<Outcome>,
    place: DFF<Bits<SLOT_WIDTH>>,
    last: DFF<Bit>,
    running: DFF<Bit>,
    told: DFF<Bit>,
    is_written: Signal<Local, Bit>,
}

#[kernel]
impl Logic for ReplyControl {
    fn update(&mut self) {
        wire!(self => replies, results, places: clk);
        dff_setup!(self, clk, step, reply, result, place, last, running, told);
        self.places.write_enable.next = self.claim.enable.val() & self.claim.get.val();
        self.places.write_address.next = self.claim.slot.val().get_bits::<GET_SLOT_WIDTH>(0);
        self.places.write_data.next = self.data.val();
        self.replies.read_address.next = self.slot.val().get_bits::<GET_SLOT_WIDTH>(0);
        self.places.read_address.next = self.slot.val().get_bits::<GET_SLOT_WIDTH>(0);
        self.results.read_address.next = self.slot.val().get_bits::<GET_SLOT_WIDTH>(0);
        self.results.write_enable.next = false;
        self.results.write_address.next = self.place.q.val().get_bits::<GET_SLOT_WIDTH>(0);
        self.results.write_data.next = self.result.q.val();
        self.replies.write_enable.next = false;
        self.replies.write_address.next = self.place.q.val().get_bits::<GET_SLOT_WIDTH>(0);
        self.replies.write_data.next = self.reply.q.val();
        self.replies.write_data.next.address = self.next_address.val();
        self.replies.write_data.next.left = self.bytes_left.val();

        self.packets.take.next = false;
        self.packets.words.tready.next = false;
        self.words.tvalid.next = false;
        self.words.tdata.next = self.packets.words.tdata.val();
        self.words.tlast.next = self.packets.words.tlast.val();
        self.run.valid.next = false;
        self.run.address.next = self.reply.q.val().address;
        self.run.length.next = self.reply.q.val().left;
        self.credit.next = false;
        self.replied.next = false;
        self.is_written.next = true;
        match self.step.q.val() {
            DataStep::Idle => {
                self.place.d.next = self.slot.val();
                self.last.d.next = self.packets.packet.val().last;
                self.reply.d.next = self.replies.read_data.val();
                self.result.d.next = self.results.read_data.val();
                self.running.d.next = false;
                self.told.d.next = false;
                if self.packets.valid.val() & self.packets.packet.val().reply {
                    self.step.d.next = DataStep::Payload;
                    if self.packets.packet.val().first {
                        self.reply.d.next.address = self.places.read_data.val();
                        self.step.d.next = DataStep::Status;
                    }
                }
            }
            DataStep::Status => {
                self.packets.words.tready.next = true;
                if self.packets.words.tvalid.val() {
                    self.reply.d.next.left = self
                        .packets
                        .words
                        .tdata
                        .val()
                        .get_bits::<LENGTH_WIDTH>(DELIVERED_OFFSET);
                    self.result.d.next.delivered = self
                        .packets
                        .words
                        .tdata
                        .val()
                        .get_bits::<LENGTH_WIDTH>(DELIVERED_OFFSET);
                    self.result.d.next.failure =
                        self.packets.words.tdata.val().get_bits::<FAILURE_WIDTH>(FAILURE_OFFSET);
                    self.result.d.next.overflow = self.packets.words.tdata.val().get_bit(OVERFLOW_OFFSET);
                    self.result.d.next.silent = self.packets.words.tdata.val().get_bit(SILENT_OFFSET);
                    self.step.d.next = DataStep::Offset;
                    if self.packets.words.tlast.val() {
                        self.step.d.next = DataStep::Write;
                    }
                }
            }
            DataStep::Offset => {
                self.packets.words.tready.next = true;
                // The run begins a cycle before its words.
                self.run.valid.next = self.packets.words.tvalid.val() & !self.packets.words.tlast.val();
                if self.run.valid.val() & self.run.ready.val() {
                    self.running.d.next = true;
                }
                if self.packets.words.tvalid.val() {
                    self.reply.d.next.used = self.packets.words.tdata.val();
                    self.step.d.next = DataStep::Payload;
                    if self.packets.words.tlast.val() {
                        self.step.d.next = DataStep::Write;
                    }
                }
            }
            DataStep::Payload => {
                self.run.valid.next = !self.running.q.val();
                if self.run.valid.val() & self.run.ready.val() {
                    self.running.d.next = true;
                }
                self.words.tvalid.next = self.packets.words.tvalid.val() & self.running.q.val();
                self.packets.words.tready.next = self.words.tready.val() & self.running.q.val();
                if self.packets.words.tvalid.val() & self.packets.words.tready.val() & self.packets.words.tlast.val() {
                    self.step.d.next = DataStep::Write;
                }
            }
            DataStep::Write => {
                self.is_written.next = !self.running.q.val() | self.written.val();
                self.replied.next = self.last.q.val() & !self.told.q.val();
                self.told.d.next = self.told.q.val() | (self.replied.val() & self.take_reply.val());
                if self.is_written.val() {
                    self.packets.take.next = true;
                    self.replies.write_enable.next = true;
                    self.results.write_enable.next = true;
                    self.credit.next = self.running.q.val()
                        & !self.last.q.val()
                        & (self.bytes_left.val() > bits::<LENGTH_WIDTH>(ROOM_BYTES));
                    self.step.d.next = DataStep::Idle;
                    if self.replied.val() & !self.take_reply.val() {
                        self.step.d.next = DataStep::Tell;
                    }
                }
            }
            DataStep::Tell => {
                self.replied.next = true;
                if self.take_reply.val() {
                    self.step.d.next = DataStep::Idle;
                }
            }
        }
        self.settled.next = self.is_written.val();
        self.held.next = self.place.q.val();
        self.outcome.next = self.result.q.val();
        self.used.next = self.reply.q.val().used;
        if self.rst.val() {
            self.step.d.next = DataStep::Idle;
        }
    }
}
