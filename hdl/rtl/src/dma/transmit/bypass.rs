use crate::{
    bus::EventOut,
    dma::ports::{ArgumentIn, ChunkOut, HeaderOut, Job, StartIn, StartOut, StopOut, BANK_WIDTH, LITERALS_WIDTH},
    prim::LutRam,
};
use portico_spec::{
    flit::KIND_WIDTH,
    ni::{
        command::{SHAPERS, SHAPER_WIDTH},
        instruction::COUNT_WIDTH,
        packet::{ControlKind, DataKind, ERROR_WIDTH, OFFSET_WIDTH},
        segment::HANDLE_WIDTH,
        ErrorCode, CONTEXT_WIDTH, MAX_CORES, SERVER_CONTEXT,
    },
};
use portico_verilog::prelude::*;

/// Words of a descriptor that a packet may have in it: 0 to 7.
const PLACE_WIDTH: usize = 3;
const WORD_ADDRESS_WIDTH: usize = PLACE_WIDTH + BANK_WIDTH;

/// Width of a count of packets in a row, in bits.
const TURN_WIDTH: usize = MAX_CORES.ilog2() as usize;

/// Width of the cycles in which a start follows another, in bits.
const LINGER_WIDTH: usize = 2;

/// Where a start is.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum Course {
    /// There is none.
    Empty,
    /// It is looked at: may its packet go past the sequencer?
    Choose,
    /// Its credit has been asked for.
    Credit,
    /// The payload goes, and with its last piece the header.
    Send,
    /// Its event counts.
    Notice,
    /// Its context is free.
    Stop,
    /// It goes to the sequencer.
    Forward,
    /// It is refused: no room to park it.
    Refuse,
}

/// Sends what is one packet past the sequencer.
///
/// Takes the starts, sends those of one packet, and passes the others on.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a start taken to the header pushed, 1 more for each piece after the first; to the sequencer 1, or 2 for a start that could have been sent here |
/// | throughput | one packet of one piece in 3 cycles |
/// | fairness | eight packets to one of the sequencer, if both have so many: as many as there are micro-cores |
/// | state | a start, and 8 words of four descriptors in LUT-RAM |
///
/// A program would send the same packet, instruction by instruction. It still does when the packet would have to wait:
/// for its shaper, for a credit; or to be cut. So nothing that waits stands in front of what does not.
///
/// Every message takes its credit here. One without a credit is parked: its program waits for the credit. So is a command
/// behind one that is parked. If as many are parked as may be, the command is refused with NO_CREDIT.
#[derive(LogicBlock, Default)]
pub struct Bypass {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: there is no start.
    pub rst: Signal<In, Bit>,
    /// No start is taken.
    pub initialising: Signal<In, Bit>,
    /// Starts of commands and of gets of other nodes.
    pub start: StartIn,
    /// Words of descriptors; those of commands that may go into a packet are kept.
    pub argument: ArgumentIn,
    /// For the sequencer.
    pub forward: StartOut,
    /// Reports of contexts whose packet has gone, or whose command is refused.
    pub stop: StopOut,
    /// Chunks of payload, in the order of their packets.
    pub chunk: ChunkOut,
    /// Headers of closed packets, each in the cycle of the last chunk of its packet or later.
    pub header: HeaderOut,
    /// Events of commands to which no answer comes back, each behind its packet.
    pub notice: EventOut,
    /// Flits of the packet of `header`.
    pub flits: Signal<Out, Bits<COUNT_WIDTH>>,
    /// Most words of payload, 1 to 64, of a packet of the shaper of `start`.
    pub maximum: Signal<In, Bits<COUNT_WIDTH>>,
    /// Shapers that let a packet begin, one bit each.
    pub may_send: Signal<In, Bits<SHAPERS>>,
    /// A credit of `segment` is asked for, until the answer.
    pub wants_credit: Signal<Out, Bit>,
    /// A credit that was asked for comes or not: the answer, for one cycle.
    pub credit_answered: Signal<In, Bit>,
    /// With `credit_answered`: there was a credit, and it is taken.
    pub credit_granted: Signal<In, Bit>,
    /// One more command may be parked.
    pub has_room: Signal<In, Bit>,
    /// High for one cycle when the command of `forward` is parked, for want of a credit or behind one that is parked.
    pub parks: Signal<Out, Bit>,
    /// The sequencer has a packet open.
    pub mid_packet: Signal<In, Bit>,
    /// The sequencer wants to send a chunk, a header or a notice.
    pub sequencer_wants: Signal<In, Bit>,
    /// The sequencer closes a packet in this cycle.
    pub sequencer_closes: Signal<In, Bit>,
    /// The sequencer gives a notice in this cycle.
    pub sequencer_notices: Signal<In, Bit>,
    /// The sequencer may send in this cycle; the bypass does not.
    pub grants: Signal<Out, Bit>,
    /// There is a start.
    pub busy: Signal<Out, Bit>,
    /// Shaper of the start in hand, valid with `busy`.
    pub shaper: Signal<Out, Bits<SHAPER_WIDTH>>,
    /// Segment of the start in hand, valid with `busy`.
    pub segment: Signal<Out, Bits<HANDLE_WIDTH>>,
    course: DFF<Course>,
    /// The packet is not longer than those of its shaper, which lets it go.
    fits: DFF<Bit>,
    /// The message has no credit, or the command stays behind one that has none.
    lacks: DFF<Bit>,
    granted: DFF<Bit>,
    /// Packets since the sequencer had its turn; after the last of them it is next.
    in_a_row: DFF<Bits<TURN_WIDTH>>,
    yields: DFF<Bit>,
    /// Cycles for which the next start is waited for: else the sequencer would open a packet while one was taken.
    lingers: DFF<Bits<LINGER_WIDTH>>,
    /// Words of the descriptor that have gone.
    sent: DFF<Bits<LITERALS_WIDTH>>,
    owner: DFF<Bits<CONTEXT_WIDTH>>,
    job: DFF<Job>,
    descriptors: LutRam<Bits<32>, WORD_ADDRESS_WIDTH>,
    subject: Signal<Local, Job>,
    taken: Signal<Local, Bit>,
    is_message: Signal<Local, Bit>,
    brings_message: Signal<Local, Bit>,
    literal: Signal<Local, Bit>,
    last_piece: Signal<Local, Bit>,
    turn: Signal<Local, Bit>,
    may_act: Signal<Local, Bit>,
    holds: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    number: Signal<Local, Bits<PLACE_WIDTH>>,
    total: Signal<Local, Bits<COUNT_WIDTH>>,
}

#[kernel]
impl Logic for Bypass {
    fn update(&mut self) {
        dff_setup!(self, clk, course, fits, lacks, granted, in_a_row, yields, lingers, sent, owner, job);
        self.subject.next = self.job.q.val();
        self.taken.next = self.start.valid.val() & (self.course.q.val() == Course::Empty) & !self.initialising.val();
        self.start.ready.next = (self.course.q.val() == Course::Empty) & !self.initialising.val();

        // Only commands have words of a descriptor in their packets.
        self.descriptors.clk.next = self.clk.val();
        self.descriptors.write_enable.next = self.argument.enable.val()
            & !self.argument.register.val().get_bit(PLACE_WIDTH)
            & (self.argument.context.val() != bits::<CONTEXT_WIDTH>(SERVER_CONTEXT));
        self.descriptors.write_address.next =
            bit_cast::<WORD_ADDRESS_WIDTH, PLACE_WIDTH>(self.argument.register.val().get_bits::<PLACE_WIDTH>(0))
                | field::<WORD_ADDRESS_WIDTH, BANK_WIDTH>(self.argument.bank.val(), PLACE_WIDTH);
        self.descriptors.write_data.next = self.argument.data.val();

        // The first word of a message; the offset and the shape of a get, words 1 and 3; others from word 2 on.
        self.is_message.next =
            !self.subject.val().control & (self.subject.val().kind == bits::<KIND_WIDTH>(DataKind::Message as u64));
        self.number.next = self.sent.q.val() + 2;
        if self.is_message.val() {
            self.number.next = 0.into();
        }
        if self.subject.val().control & (self.subject.val().kind == bits::<KIND_WIDTH>(ControlKind::Get as u64)) {
            self.number.next = (self.sent.q.val() << bits::<1>(1)) + 1;
        }
        self.descriptors.read_address.next = bit_cast::<WORD_ADDRESS_WIDTH, PLACE_WIDTH>(self.number.val())
            | field::<WORD_ADDRESS_WIDTH, BANK_WIDTH>(self.subject.val().bank, PLACE_WIDTH);

        self.brings_message.next =
            !self.start.job.val().control & (self.start.job.val().kind == bits::<KIND_WIDTH>(DataKind::Message as u64));
        self.literal.next = self.sent.q.val() != self.subject.val().literals;
        self.last_piece.next = !self.literal.val();
        if !self.subject.val().words.any() {
            self.last_piece.next = self.sent.q.val() + 1 >= self.subject.val().literals;
        }

        // Once a piece has gone the others follow.
        self.turn.next =
            !self.granted.q.val() & (self.sent.q.val().any() | !self.yields.q.val() | !self.sequencer_wants.val());
        self.may_act.next = (self.course.q.val() == Course::Send)
            | ((self.course.q.val() == Course::Choose)
                & self.fits.q.val()
                & !self.is_message.val()
                & !self.lacks.q.val());
        self.sends.next = self.may_act.val() & self.turn.val() & self.chunk.ready.val() & self.header.ready.val();
        self.holds.next = self.turn.val()
            & (self.may_act.val()
                | (self.course.q.val() == Course::Notice)
                | (self.course.q.val() == Course::Stop)
                | self.lingers.q.val().any());
        // The sequencer has its turn for a whole packet, and is told so a cycle ahead.
        self.grants.next = self.granted.q.val();
        self.granted.d.next = self.sequencer_wants.val() & !self.holds.val();
        if self.granted.q.val() {
            self.granted.d.next = !self.sequencer_closes.val()
                & (self.mid_packet.val() | (self.sequencer_wants.val() & !self.sequencer_notices.val()));
        }
        self.busy.next = self.course.q.val() != Course::Empty;
        self.shaper.next = self.subject.val().shaper;
        self.segment.next = self.subject.val().segment;

        self.chunk.valid.next = self.sends.val() & (self.literal.val() | self.subject.val().words.any());
        self.chunk.literal.next = self.literal.val();
        self.chunk.words.next = self.subject.val().words;
        self.chunk.value.next = bit_cast::<32, OFFSET_WIDTH>(self.subject.val().base + self.subject.val().pointer);
        if self.literal.val() {
            self.chunk.words.next = 1.into();
            self.chunk.value.next = self.descriptors.read_data.val();
        }

        self.total.next =
            self.subject.val().words + bit_cast::<COUNT_WIDTH, LITERALS_WIDTH>(self.subject.val().literals);
        self.flits.next = self.total.val() + !self.subject.val().bare + 1;
        self.header.valid.next = self.sends.val() & self.last_piece.val();
        self.header.control.next = self.subject.val().control;
        self.header.bare.next = self.subject.val().bare;
        self.header.destination.next = self.subject.val().destination;
        self.header.tag.next = self.subject.val().tag;
        self.header.kind.next = self.subject.val().kind;
        self.header.last.next = !self.subject.val().control;
        self.header.offset.next = self.subject.val().offset;
        self.header.slot.next = self.subject.val().slot;
        self.header.strided.next = self.subject.val().half;
        self.header.has_geometry.next = false;
        self.header.operation.next = self.subject.val().operation;
        self.header.wide.next = self.subject.val().wide;
        self.header.row.next = self.subject.val().row;
        self.header.stride.next = self.subject.val().stride;
        self.header.words.next = self.total.val();

        self.notice.valid.next = (self.course.q.val() == Course::Notice) & self.turn.val();
        self.notice.event.next = self.subject.val().event;
        self.notice.error.next = 0.into();
        self.wants_credit.next = (self.course.q.val() == Course::Credit)
            | ((self.course.q.val() == Course::Choose) & self.is_message.val() & !self.lacks.q.val());
        self.stop.valid.next = (self.course.q.val() == Course::Stop) | (self.course.q.val() == Course::Refuse);
        self.stop.context.next = self.owner.q.val();
        self.stop.owns_slot.next = false;
        self.stop.error.next = 0.into();
        if self.course.q.val() == Course::Refuse {
            self.stop.owns_slot.next = self.subject.val().has_slot;
            self.stop.error.next = bits::<ERROR_WIDTH>(ErrorCode::NoCredit as u64);
        }
        self.parks.next = (self.course.q.val() == Course::Forward) & self.forward.ready.val() & self.lacks.q.val();
        self.forward.valid.next = self.course.q.val() == Course::Forward;
        self.forward.context.next = self.owner.q.val();
        self.forward.job.next = self.subject.val();

        if self.lingers.q.val().any() {
            self.lingers.d.next = self.lingers.q.val() - 1;
        }
        match self.course.q.val() {
            Course::Empty => {
                if self.taken.val() {
                    self.owner.d.next = self.start.context.val();
                    self.job.d.next = self.start.job.val();
                    self.sent.d.next = 0.into();
                    self.fits.d.next = self.may_send.val().get_bit(self.start.job.val().shaper.index())
                        & (self.brings_message.val() | (self.start.job.val().words <= self.maximum.val()));
                    self.lacks.d.next = self.start.job.val().behind;
                    self.course.d.next = Course::Forward;
                    if self.start.job.val().single | self.start.job.val().behind {
                        self.course.d.next = Course::Choose;
                    }
                }
            }
            Course::Choose => {
                self.course.d.next = Course::Forward;
                if self.fits.q.val() {
                    self.course.d.next = Course::Send;
                }
                if self.is_message.val() {
                    self.course.d.next = Course::Credit;
                }
                if self.lacks.q.val() {
                    self.course.d.next = Course::Forward;
                    if !self.has_room.val() {
                        self.course.d.next = Course::Refuse;
                    }
                }
            }
            Course::Credit => {
                if self.credit_answered.val() {
                    // The first instruction of a message takes the credit.
                    if self.credit_granted.val() {
                        self.job.d.next.pc = self.subject.val().pc + 1;
                    }
                    self.lacks.d.next = !self.credit_granted.val();
                    self.course.d.next = Course::Forward;
                    if self.credit_granted.val() & self.fits.q.val() {
                        self.course.d.next = Course::Send;
                    } else if !self.credit_granted.val() & !self.has_room.val() {
                        self.course.d.next = Course::Refuse;
                    }
                }
            }
            Course::Send => {}
            Course::Notice => {
                if self.turn.val() & self.notice.ready.val() {
                    self.course.d.next = Course::Stop;
                }
            }
            Course::Stop => {
                self.lingers.d.next = !bits::<LINGER_WIDTH>(0);
                if self.stop.ready.val() {
                    self.course.d.next = Course::Empty;
                }
            }
            Course::Refuse => {
                if self.stop.ready.val() {
                    self.course.d.next = Course::Empty;
                }
            }
            Course::Forward => {
                self.lingers.d.next = 0.into();
                if self.forward.ready.val() {
                    self.course.d.next = Course::Empty;
                }
            }
        }
        if self.sends.val() & self.literal.val() {
            self.sent.d.next = self.sent.q.val() + 1;
        }
        if self.header.valid.val() {
            self.in_a_row.d.next = self.in_a_row.q.val() + 1;
            if self.in_a_row.q.val().all() {
                self.yields.d.next = true;
            }
            self.course.d.next = Course::Stop;
            // No answer comes back from what takes no slot; but a reply is the answer.
            if !self.subject.val().has_slot & !self.subject.val().quiet {
                self.course.d.next = Course::Notice;
            }
        }
        if self.sequencer_closes.val() {
            self.in_a_row.d.next = 0.into();
            self.yields.d.next = false;
        }
        if self.rst.val() {
            self.course.d.next = Course::Empty;
            self.granted.d.next = false;
            self.yields.d.next = false;
        }
    }
}
