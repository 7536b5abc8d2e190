use super::{ContentSeed, Xorshift};
use crate::{
    bus::{EventOut, HeadEncoder, SweepIn},
    prim::{Ram, SkidBuffer, StreamIn, StreamOut},
};
use portico_spec::{
    flit::{KIND_WIDTH, MAX_PAYLOAD_FLITS, NODE_WIDTH, TAG_WIDTH, X_WIDTH, Y_WIDTH},
    ni::{
        command::{Opcode, EVENT_OFFSET, OPCODE_OFFSET, OPCODE_WIDTH, QUIET_OFFSET},
        event::EVENT_WIDTH,
        instruction::COUNT_WIDTH,
        packet::{DataKind, ERROR_WIDTH},
        ErrorCode,
    },
    probe::{CHOICE_WIDTH, DESCRIPTOR_WORDS, LEAST_WORDS, RATE_WIDTH, UNIFORM_OFFSET},
    Config,
};
use portico_verilog::prelude::*;

/// Bits that count the words of a descriptor, and those beyond.
const WORD_WIDTH: usize = 3;
/// Width of a number of columns or rows.
const SIDE_WIDTH: usize = 5;
/// Width of a random number times that.
const PRODUCT_WIDTH: usize = CHOICE_WIDTH + SIDE_WIDTH;
/// A share of a packet that is due, and whether it is whole.
const SHARE_WIDTH: usize = RATE_WIDTH + 1;

/// The state of the source.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Course {
    /// Takes a descriptor.
    Take,
    /// Checks it.
    Check,
    /// Sends packets.
    Send,
    /// Counts in the event.
    Report,
}

/// State of the next packet.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Preparation {
    /// A random number is drawn.
    Draw,
    /// A node is made of it.
    Choose,
    /// The node's sequence number is looked up.
    Look,
    /// It comes.
    Fetch,
    /// The packet can go.
    Ready,
}

/// The part of a packet that is sent next.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Piece {
    Head,
    Sequence,
    Stamp,
    Content,
}

/// Sends the packets that descriptors request.
///
/// Packets of `W`-bit flits.
///
/// | | |
/// | --- | --- |
/// | latency | from a descriptor's last word to the head on `m_axis`: 6 cycles to one node, 7 to a random one; from the last tail to the event 1 |
/// | throughput | one flit a cycle; a packet of 3 flits every 3 cycles to one node, every 5 to random ones |
/// | state | 512 sequence numbers in block RAM; the run, and the packet in hand |
///
/// The next packet is prepared while the one before it is sent. Rates act between packets: a share of a packet is due in every
/// cycle, and no more than one packet is ever due. The time stamp is that of the cycle in which the head goes into the
/// register in front of `m_axis`.
#[derive(LogicBlock, Default)]
pub struct ProbeSource<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the initialisation has to follow.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Cycles since reset, the same at all nodes.
    pub now: Signal<In, Bits<32>>,
    /// Descriptors of the source/sink core, whole.
    pub commands: StreamIn<32>,
    /// Packets for the data plane.
    pub m_axis: StreamOut<W>,
    /// Events of runs that are over, unless they are quiet, and of descriptors that are refused.
    pub event: EventOut,
    /// A run has packets to send.
    pub running: Signal<Out, Bit>,
    /// No flit of it goes in this cycle.
    pub waiting: Signal<Out, Bit>,
    /// High for a cycle: the tail of a packet goes.
    pub sent: Signal<Out, Bit>,
    head: HeadEncoder,
    next_random: Xorshift,
    first_content: ContentSeed,
    next_content: Xorshift,
    sent_to: Ram<Bits<32>, NODE_WIDTH>,
    buffer: SkidBuffer<W>,
    // The descriptor.
    course: DFF<Course>,
    count: DFF<Bits<WORD_WIDTH>>,
    known: DFF<Bit>,
    quiet: DFF<Bit>,
    number: DFF<Bits<EVENT_WIDTH>>,
    error: DFF<Bits<ERROR_WIDTH>>,
    target: DFF<Bits<NODE_WIDTH>>,
    uniform: DFF<Bit>,
    words: DFF<Bits<COUNT_WIDTH>>,
    left: DFF<Bits<32>>,
    rate: DFF<Bits<RATE_WIDTH>>,
    seed: DFF<Bits<32>>,
    // The next packet.
    stage: DFF<Preparation>,
    random: DFF<Bits<32>>,
    destination: DFF<Bits<NODE_WIDTH>>,
    next_serial: DFF<Bits<32>>,
    share: DFF<Bits<SHARE_WIDTH>>,
    due: DFF<Bit>,
    // The packet in hand.
    piece: DFF<Piece>,
    serial: DFF<Bits<32>>,
    stamp: DFF<Bits<32>>,
    content: DFF<Bits<32>>,
    to_come: DFF<Bits<COUNT_WIDTH>>,
    wrong_length: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    is_tail: Signal<Local, Bit>,
    value: Signal<Local, Bits<32>>,
    wide: Signal<Local, Bits<64>>,
    across: Signal<Local, Bits<PRODUCT_WIDTH>>,
    down: Signal<Local, Bits<PRODUCT_WIDTH>>,
    next_share: Signal<Local, Bits<SHARE_WIDTH>>,
    cols: Constant<Bits<SIDE_WIDTH>>,
    rows: Constant<Bits<SIDE_WIDTH>>,
    alone: Constant<Bit>,
}

impl<const W: usize> ProbeSource<W> {
    /// For a tile of the fabric that `config` describes.
    pub fn new(config: &Config) -> Self {
        Self {
            sent_to: Ram::new(1 << NODE_WIDTH),
            cols: Constant::new(bits(config.cols as u64)),
            rows: Constant::new(bits(config.rows as u64)),
            alone: Constant::new(config.tiles() == 1),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for ProbeSource<W> {
    fn update(&mut self) {
        wire!(self => buffer: clk, rst);
        wire!(self => sent_to: clk);
        dff_setup!(self, clk, course, count, known, quiet, number, error, target, uniform, words, left, rate, seed);
        dff_setup!(self, clk, stage, random, destination, next_serial, share, due);
        dff_setup!(self, clk, piece, serial, stamp, content, to_come);

        // The descriptor, word by word.
        self.commands.tready.next = (self.course.q.val() == Course::Take) & !self.sweep.active.val();
        self.wrong_length.next = (self.count.q.val() != bits::<WORD_WIDTH>(DESCRIPTOR_WORDS))
            | (self.words.q.val() < bits::<COUNT_WIDTH>(LEAST_WORDS))
            | (self.words.q.val() > bits::<COUNT_WIDTH>(MAX_PAYLOAD_FLITS));
        if self.commands.tvalid.val() & self.commands.tready.val() {
            if !self.count.q.val().all() {
                self.count.d.next = self.count.q.val() + 1;
            }
            if self.count.q.val() == 0 {
                self.known.d.next = self.commands.tdata.val().get_bits::<OPCODE_WIDTH>(OPCODE_OFFSET)
                    == bits::<OPCODE_WIDTH>(Opcode::Probe as u64);
                self.quiet.d.next = self.commands.tdata.val().get_bit(QUIET_OFFSET);
                self.number.d.next = self.commands.tdata.val().get_bits::<EVENT_WIDTH>(EVENT_OFFSET);
            }
            if self.count.q.val() == 1 {
                self.target.d.next = self.commands.tdata.val().get_bits::<NODE_WIDTH>(0);
                self.uniform.d.next = self.commands.tdata.val().get_bit(UNIFORM_OFFSET);
            }
            if self.count.q.val() == 2 {
                self.words.d.next = self.commands.tdata.val().get_bits::<COUNT_WIDTH>(0);
            }
            if self.count.q.val() == 3 {
                self.left.d.next = self.commands.tdata.val();
            }
            if self.count.q.val() == 4 {
                self.rate.d.next = self.commands.tdata.val().get_bits::<RATE_WIDTH>(0);
            }
            if self.count.q.val() == 5 {
                self.seed.d.next = self.commands.tdata.val();
            }
            if self.commands.tlast.val() {
                self.course.d.next = Course::Check;
            }
        }
        self.event.valid.next = self.course.q.val() == Course::Report;
        self.event.event.next = self.number.q.val();
        self.event.error.next = self.error.q.val();
        self.running.next = self.course.q.val() == Course::Send;

        // The next packet: its destination, and the number that it has there.
        self.next_random.state.next = self.random.q.val();
        self.across.next = 0.into();
        self.down.next = 0.into();
        for i in 0..SIDE_WIDTH {
            if self.cols.val().get_bit(i) {
                self.across.next = self.across.val()
                    + field::<PRODUCT_WIDTH, CHOICE_WIDTH>(self.random.q.val().get_bits::<CHOICE_WIDTH>(0), i);
            }
            if self.rows.val().get_bit(i) {
                self.down.next = self.down.val()
                    + field::<PRODUCT_WIDTH, CHOICE_WIDTH>(
                        self.random.q.val().get_bits::<CHOICE_WIDTH>(CHOICE_WIDTH),
                        i,
                    );
            }
        }
        self.sent_to.read_enable.next = true;
        self.sent_to.read_address.next = self.destination.q.val();
        match self.stage.q.val() {
            Preparation::Draw => {
                self.random.d.next = self.next_random.following.val();
                self.stage.d.next = Preparation::Choose;
            }
            Preparation::Choose => {
                self.destination.d.next =
                    bit_cast::<NODE_WIDTH, X_WIDTH>(self.across.val().get_bits::<X_WIDTH>(CHOICE_WIDTH))
                        | field::<NODE_WIDTH, Y_WIDTH>(self.down.val().get_bits::<Y_WIDTH>(CHOICE_WIDTH), X_WIDTH);
                if !self.uniform.q.val() {
                    self.destination.d.next = self.target.q.val();
                }
                self.stage.d.next = Preparation::Look;
            }
            Preparation::Look => {
                self.stage.d.next = Preparation::Fetch;
                if self.uniform.q.val() & (self.destination.q.val() == self.node.val()) {
                    self.stage.d.next = Preparation::Draw;
                }
            }
            Preparation::Fetch => {
                self.next_serial.d.next = self.sent_to.read_data.val();
                self.stage.d.next = Preparation::Ready;
            }
            Preparation::Ready => {}
        }
        self.next_share.next = bit_cast::<SHARE_WIDTH, RATE_WIDTH>(self.share.q.val().get_bits::<RATE_WIDTH>(0))
            + bit_cast::<SHARE_WIDTH, RATE_WIDTH>(self.rate.q.val());
        self.share.d.next = self.next_share.val();
        self.due.d.next = self.due.q.val() | self.share.q.val().get_bit(RATE_WIDTH) | !self.rate.q.val().any();

        // The packet in hand.
        self.head.destination.next = self.destination.q.val();
        self.head.source.next = self.node.val();
        self.head.tag.next = self.seed.q.val().get_bits::<TAG_WIDTH>(0);
        self.head.kind.next = bits::<KIND_WIDTH>(DataKind::Probe as u64);
        self.head.last.next = self.left.q.val() == 1;
        self.first_content.tag.next = self.seed.q.val().get_bits::<TAG_WIDTH>(0);
        self.first_content.serial.next = self.serial.q.val();
        self.first_content.stamp.next = self.stamp.q.val();
        self.next_content.state.next = self.content.q.val();
        self.offers.next = true;
        self.value.next = self.content.q.val();
        match self.piece.q.val() {
            Piece::Head => {
                self.offers.next = (self.course.q.val() == Course::Send)
                    & (self.stage.q.val() == Preparation::Ready)
                    & self.due.q.val()
                    & self.left.q.val().any();
            }
            Piece::Sequence => {
                self.value.next = self.serial.q.val();
            }
            Piece::Stamp => {
                self.value.next = self.stamp.q.val();
            }
            Piece::Content => {}
        }
        self.wide.next = bit_cast::<64, 32>(self.value.val()) | field::<64, 32>(!self.value.val(), 32);
        self.buffer.s_axis.tvalid.next = self.offers.val();
        self.buffer.s_axis.tdata.next = bit_cast::<W, 64>(self.wide.val());
        if self.piece.q.val() == Piece::Head {
            self.buffer.s_axis.tdata.next = bit_cast::<W, 32>(self.head.word.val());
        }
        self.is_tail.next = (self.piece.q.val() != Piece::Head) & (self.to_come.q.val() == bits::<COUNT_WIDTH>(1));
        self.buffer.s_axis.tlast.next = self.is_tail.val();
        wire!(self <=> buffer: m_axis);
        self.moves.next = self.offers.val() & self.buffer.s_axis.tready.val();
        self.begins.next = self.moves.val() & (self.piece.q.val() == Piece::Head);
        self.ends.next = self.moves.val() & self.is_tail.val();
        self.sent.next = self.ends.val();
        self.waiting.next = self.running.val() & !self.moves.val();
        if self.moves.val() {
            self.to_come.d.next = self.to_come.q.val() - 1;
            match self.piece.q.val() {
                Piece::Head => {
                    self.piece.d.next = Piece::Sequence;
                    self.to_come.d.next = self.words.q.val();
                    self.serial.d.next = self.next_serial.q.val();
                    self.stamp.d.next = self.now.val();
                    self.left.d.next = self.left.q.val() - 1;
                    self.due.d.next = self.share.q.val().get_bit(RATE_WIDTH) | !self.rate.q.val().any();
                    self.stage.d.next = Preparation::Look;
                    if self.uniform.q.val() {
                        self.stage.d.next = Preparation::Draw;
                    }
                }
                Piece::Sequence => {
                    self.piece.d.next = Piece::Stamp;
                    self.content.d.next = self.first_content.seed.val();
                }
                Piece::Stamp => {
                    self.piece.d.next = Piece::Content;
                    self.content.d.next = self.next_content.following.val();
                }
                Piece::Content => {
                    self.content.d.next = self.next_content.following.val();
                }
            }
            if self.ends.val() {
                self.piece.d.next = Piece::Head;
            }
        }
        self.sent_to.write_enable.next = self.begins.val();
        self.sent_to.write_address.next = self.destination.q.val();
        self.sent_to.write_data.next = self.next_serial.q.val() + 1;
        if self.sweep.active.val() {
            self.sent_to.write_enable.next = true;
            self.sent_to.write_address.next = self.sweep.place.val();
            self.sent_to.write_data.next = 0.into();
        }

        match self.course.q.val() {
            Course::Take => {}
            Course::Check => {
                self.course.d.next = Course::Send;
                self.error.d.next = 0.into();
                self.stage.d.next = Preparation::Choose;
                self.random.d.next = self.seed.q.val().replace_bit(31, true);
                if self.uniform.q.val() {
                    self.stage.d.next = Preparation::Draw;
                }
                self.share.d.next = 0.into();
                self.due.d.next = true;
                if self.wrong_length.val() | (self.uniform.q.val() & self.alone.val()) {
                    self.error.d.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
                    self.course.d.next = Course::Report;
                }
                if !self.known.q.val() {
                    self.error.d.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownOpcode as u64);
                    self.course.d.next = Course::Report;
                }
            }
            Course::Send => {
                if (self.piece.q.val() == Piece::Head) & !self.left.q.val().any() {
                    self.course.d.next = Course::Report;
                    if self.quiet.q.val() {
                        self.course.d.next = Course::Take;
                        self.count.d.next = 0.into();
                    }
                }
            }
            Course::Report => {
                if self.event.ready.val() {
                    self.course.d.next = Course::Take;
                    self.count.d.next = 0.into();
                }
            }
        }
        if self.rst.val() {
            self.course.d.next = Course::Take;
            self.count.d.next = 0.into();
            self.stage.d.next = Preparation::Draw;
            self.piece.d.next = Piece::Head;
        }
    }
}
