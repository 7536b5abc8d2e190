use super::{ContextWriteIn, ContextWriteOut, HeaderReader, Packet, PacketsIn, Request, CONTEXT_WIDTH};
use crate::prim::{Fifo, LutRam, StreamOut};
use portico_spec::portals::engine::RANK_WIDTH;
use portico_verilog::prelude::*;

/// Width of a word of payload, in bits: 32, and above them one that is high if the packet has no payload.
pub const PAYLOAD_WIDTH: usize = 33;
/// Width of the address of the queue of payload, which holds 16 words.
const QUEUE_WIDTH: usize = 4;

/// State of the intake.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum IntakeStep {
    /// Looks for a packet.
    Rest,
    /// Reads the header of a message.
    Header,
    /// Passes payload to its queue.
    Payload,
    /// Waits until the packet is taken.
    Hold,
}

/// Takes packets of requests one ahead of the message in hand: reads their headers, and keeps payload.
///
/// Of up to 64 ranks.
///
/// | | |
/// | --- | --- |
/// | latency | a message is offered in the cycle of word 4 of its header, a later packet 1 cycle after it shows; 1 cycle for a word of payload |
/// | throughput | one word a cycle, one idle cycle between two packets |
/// | state | 16 words of payload and a bit a rank in LUT-RAM; the packet in hand, its header |
///
/// So the header of a message comes while the message before it meets its entry. Before a message is taken, only the words of its
/// event are written.
#[derive(LogicBlock, Default)]
pub struct PacketIntake {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Requests may be taken.
    pub enabled: Signal<In, Bit>,
    /// Packets of requests; others belong to another block.
    pub packets: PacketsIn,
    /// Something is being raised.
    pub raising: Signal<In, Bit>,
    /// Rank and parity of the message whose words are in use; valid with `raising`.
    pub raised: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Words of events from the control of entries. They come before those of headers.
    pub known: ContextWriteIn,
    /// Words of events.
    pub context: ContextWriteOut,
    /// There is a packet to take.
    pub offers: Signal<Out, Bit>,
    /// The packet is taken in this cycle; only with `offers`.
    pub take: Signal<In, Bit>,
    /// Rank of the packet; valid with `offers`.
    pub rank: Signal<Out, Bits<RANK_WIDTH>>,
    /// It is the first of its message; valid with `offers`.
    pub first: Signal<Out, Bit>,
    /// It is the last of its message; valid with `offers`.
    pub last: Signal<Out, Bit>,
    /// A bit that changes with each message of the rank; valid with `offers` and `first`.
    pub parity: Signal<Out, Bit>,
    /// The header has too few words to match anything; valid as `parity`.
    pub lacks: Signal<Out, Bit>,
    /// The request in the header; valid as `parity`.
    pub request: Signal<Out, Request>,
    /// Match bits; valid as `parity`.
    pub match_bits: Signal<Out, Bits<64>>,
    /// Header data; of a packet that is taken before they have come, valid with `completes`.
    pub data: Signal<Out, Bits<64>>,
    /// The header of the packet that was taken last is still being read.
    pub reads: Signal<Out, Bit>,
    /// High for a cycle: it is read.
    pub completes: Signal<Out, Bit>,
    /// Payload of the packets in their order. A packet without payload has one word, with its top bit high.
    pub payload: StreamOut<PAYLOAD_WIDTH>,
    /// No packet is being read, and none waits to be taken.
    pub rests: Signal<Out, Bit>,
    header: HeaderReader,
    words: Fifo<PAYLOAD_WIDTH, QUEUE_WIDTH>,
    parities: LutRam<Bit, RANK_WIDTH>,
    step: DFF<IntakeStep>,
    packet: DFF<Packet>,
    odd: DFF<Bit>,
    taken: DFF<Bit>,
    asked: DFF<Bit>,
    lacking: DFF<Bit>,
    completed: DFF<Bit>,
    next_packet: Signal<Local, Packet>,
    next_rank: Signal<Local, Bits<RANK_WIDTH>>,
    home: Signal<Local, Bits<CONTEXT_WIDTH>>,
    odd_bit: Signal<Local, Bits<1>>,
    starts: Signal<Local, Bit>,
    is_taken: Signal<Local, Bit>,
    is_bare: Signal<Local, Bit>,
    bare_bit: Signal<Local, Bits<1>>,
    passes: Signal<Local, Bit>,
    is_over: Signal<Local, Bit>,
}

impl PacketIntake {
    /// For `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        Self {
            parities: LutRam::new(ranks),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for PacketIntake {
    fn update(&mut self) {
        wire!(self => words: clk, rst);
        wire!(self => header, parities: clk);
        dff_setup!(self, clk, step, packet, odd, taken, asked, lacking, completed);

        // The next packet.
        self.next_packet.next = self.packets.packet.val();
        self.next_rank.next = self.next_packet.val().owner.get_bits::<RANK_WIDTH>(0);
        self.parities.read_address.next = self.next_rank.val();
        self.starts.next = (self.step.q.val() == IntakeStep::Rest)
            & self.packets.valid.val()
            & !self.next_packet.val().reply
            & self.enabled.val();
        self.parities.write_enable.next = self.starts.val() & self.next_packet.val().first;
        self.parities.write_address.next = self.next_rank.val();
        self.parities.write_data.next = !self.parities.read_data.val();

        // The header.
        self.rests.next = self.step.q.val() == IntakeStep::Rest;
        self.rank.next = self.packet.q.val().owner.get_bits::<RANK_WIDTH>(0);
        self.odd_bit.next = self.odd.q.val().into();
        wire!(self => header: rests);
        self.home.next =
            field::<CONTEXT_WIDTH, RANK_WIDTH>(self.rank.val(), 1) | bit_cast::<CONTEXT_WIDTH, 1>(self.odd_bit.val());
        self.header.home.next = self.home.val();
        self.header.reads.next = (self.step.q.val() == IntakeStep::Header) & self.words.s_axis.tready.val();
        // Words of an event are written only when those before them are used.
        self.header.waits.next =
            self.known.enable.val() | (self.raising.val() & (self.raised.val() == self.home.val()));
        wire!(packets.words => header.words: tvalid, tdata, tlast);
        wire!(header => self: request, match_bits, data);
        wire!(self.context <=> header.context);
        if self.known.enable.val() {
            self.context.enable.next = true;
            self.context.context.next = self.known.context.val();
            self.context.index.next = self.known.index.val();
            self.context.word.next = self.known.word.val();
        }

        // Payload, or the word that says that there is none.
        self.is_bare.next = self.header.ends.val() & self.packets.words.tlast.val();
        self.bare_bit.next = self.is_bare.val().into();
        self.passes.next =
            self.is_bare.val() | ((self.step.q.val() == IntakeStep::Payload) & self.packets.words.tvalid.val());
        self.words.s_axis.tvalid.next = self.passes.val();
        self.words.s_axis.tdata.next = bit_cast::<PAYLOAD_WIDTH, 32>(self.packets.words.tdata.val())
            | field::<PAYLOAD_WIDTH, 1>(self.bare_bit.val(), 32);
        self.words.s_axis.tlast.next = self.packets.words.tlast.val();
        self.packets.words.tready.next = self.header.words.tready.val()
            | ((self.step.q.val() == IntakeStep::Payload) & self.words.s_axis.tready.val());
        wire!(self.payload <=> words.m_axis);
        self.is_over.next = self.passes.val() & self.words.s_axis.tready.val() & self.packets.words.tlast.val();

        self.offers.next = !self.taken.q.val()
            & (self.asked.q.val()
                | self.header.asks.val()
                | (self.step.q.val() == IntakeStep::Payload)
                | (self.step.q.val() == IntakeStep::Hold));
        self.is_taken.next = self.taken.q.val() | self.take.val();
        self.taken.d.next = self.is_taken.val();
        if self.header.asks.val() {
            self.asked.d.next = true;
        }
        if self.header.ends.val() {
            self.lacking.d.next = self.header.lacks.val();
        }
        self.completed.d.next = self.header.ends.val() & self.is_taken.val();
        match self.step.q.val() {
            IntakeStep::Rest => {
                self.packet.d.next = self.next_packet.val();
                self.odd.d.next = !self.parities.read_data.val();
                self.asked.d.next = false;
                self.lacking.d.next = false;
                if self.starts.val() {
                    self.taken.d.next = false;
                    self.step.d.next = IntakeStep::Payload;
                    if self.next_packet.val().first {
                        self.step.d.next = IntakeStep::Header;
                    }
                }
            }
            IntakeStep::Header => {
                if self.header.ends.val() {
                    self.step.d.next = IntakeStep::Payload;
                }
            }
            IntakeStep::Payload => {}
            IntakeStep::Hold => {
                if self.take.val() {
                    self.step.d.next = IntakeStep::Rest;
                }
            }
        }
        if self.is_over.val() {
            self.step.d.next = IntakeStep::Hold;
            if self.is_taken.val() {
                self.step.d.next = IntakeStep::Rest;
            }
        }
        self.packets.take.next = self.is_over.val();
        self.first.next = self.packet.q.val().first;
        self.last.next = self.packet.q.val().last;
        self.parity.next = self.odd.q.val();
        self.lacks.next = self.lacking.q.val();
        self.reads.next = (self.step.q.val() == IntakeStep::Header) & self.taken.q.val();
        self.completes.next = self.completed.q.val();
        if self.rst.val() {
            self.step.d.next = IntakeStep::Rest;
            self.asked.d.next = false;
        }
    }
}
