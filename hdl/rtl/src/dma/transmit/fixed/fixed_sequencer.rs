use super::{
    row_places::{LEVEL_WIDTH, PLANE, POINTER_WIDTH, ROW, WORD},
    Lane, RowPlaces,
};
use crate::{
    bus::{CreditTakeOut, EventOut, FenceOut},
    dma::{
        ports::{
            ArgumentIn, ChunkOut, HeaderOut, Job, StartIn, StopOut, LITERALS_WIDTH, PLANES_WORD, PLANE_STRIDES_WORD,
            POINTER_WORD, REPEAT_WIDTH, ROWS_WORD, STRIDES_WORD,
        },
        transmit::cores::Packet,
    },
    prim::LutRam,
};
use portico_spec::{
    flit::KIND_WIDTH,
    ni::{
        command::{BARE_WORDS, SHAPERS, SHAPER_WIDTH, TRANSFER_WORDS},
        firmware::Entries,
        instruction::{COUNT_WIDTH, PC_WIDTH},
        packet::{ControlKind, DataKind, ERROR_WIDTH, OFFSET_WIDTH, ROW_WIDTH, SLOT_WIDTH},
        ErrorCode, CONTEXT_WIDTH, SERVER_CONTEXT,
    },
};
use portico_verilog::prelude::*;

/// The bit of a context that tells the server from the only core.
const SERVER_BIT: usize = CONTEXT_WIDTH - 1;
const _: () = assert!(SERVER_CONTEXT == 1 << SERVER_BIT);
/// Words of a descriptor that a job needs: 0 to 7.
const NUMBER_WIDTH: usize = 3;
/// The number of a word, and the lane.
const WORD_ADDRESS_WIDTH: usize = NUMBER_WIDTH + 1;

/// The state of the sequencer.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum JobStage {
    /// A lane is chosen whose job may go on.
    Idle,
    /// The next step of its job is chosen.
    Enter,
    /// A credit is asked for; the message goes, waits for its shaper, or is refused.
    Credit,
    /// The counters of planes, of rows, of words are set up.
    Begin,
    SetRows,
    SetWords,
    /// The next chunk of a row is measured, and checked.
    Cut,
    Check,
    /// It goes, and a packet that ends with it; or the packet that stands in its way goes.
    Send,
    /// A row is over; a plane is over.
    TurnRow,
    TurnPlane,
    /// The shapers see the packet that has gone.
    Rest,
    /// The event counts.
    Notice,
    /// The job is done.
    Stop,
    /// The message is refused: it has no credit.
    Refuse,
}

/// Runs one command and one get of another node: all that the built-in programs do, in fixed logic.
///
/// Both lanes.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a start taken to the header of its one packet pushed, 1 more for each piece after the first |
/// | throughput | a chunk in 3 cycles, 2 more at the end of a row |
/// | fairness | lanes take turns by packets |
/// | state | two jobs, 8 words of each, their [`RowPlaces`], one packet |
///
/// Packets are those of the built-in programs: see [`Cutter`](crate::dma::transmit::cores::Cutter). A packet is open for one
/// lane alone, so a lane that waits for its shaper or a fence never holds up the other. A message without a credit is refused
/// with NO_CREDIT, since one core parks nothing.
///
/// The dispatcher has measured both ends of a command. The words of a get are checked against the window: one beyond it
/// breaks the get off, and an empty packet that ends the transfer has the error in place of a slot.
#[derive(LogicBlock, Default)]
pub struct FixedSequencer {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no job.
    pub rst: Signal<In, Bit>,
    /// No start is taken.
    pub initialising: Signal<In, Bit>,
    /// A command. It starts only when the command before has stopped.
    pub start: StartIn,
    /// A get of another node, which goes before a command. It starts only when the get before has stopped.
    pub serve: StartIn,
    /// Words of descriptors and of requests; words 0 to 7 of each lane are kept.
    pub argument: ArgumentIn,
    /// Reports of jobs that are done or refused, by the contexts of their lanes.
    pub stop: StopOut,
    /// Chunks of payload, in the order of their packets.
    pub chunk: ChunkOut,
    /// Headers of closed packets, each in the cycle of the last chunk of its packet or later.
    pub header: HeaderOut,
    /// Meant to come after the packets before it.
    pub notice: EventOut,
    /// Fences that wait for the open transactions of their segments.
    pub fence: FenceOut,
    /// Requests of credits of peers' queues, for messages.
    pub credit_take: CreditTakeOut,
    /// Shaper of the job that goes on.
    pub shaper: Signal<Out, Bits<SHAPER_WIDTH>>,
    /// Most words of payload, 1 to 64, of a packet of `shaper`, in the same cycle.
    pub maximum: Signal<In, Bits<COUNT_WIDTH>>,
    /// Shaper of the job that starts.
    pub start_shaper: Signal<Out, Bits<SHAPER_WIDTH>>,
    /// Most words of payload, 1 to 64, of a packet of `start_shaper`, in the same cycle.
    pub start_maximum: Signal<In, Bits<COUNT_WIDTH>>,
    /// Shapers that let a packet begin, one bit each.
    pub may_send: Signal<In, Bits<SHAPERS>>,
    /// Flits of the packet of `header`.
    pub flits: Signal<Out, Bits<COUNT_WIDTH>>,
    /// There is a job.
    pub running: Signal<Out, Bit>,
    /// Every job waits.
    pub waiting: Signal<Out, Bit>,
    command: Lane,
    server: Lane,
    places: RowPlaces,
    packet: Packet,
    descriptors: LutRam<Bits<32>, WORD_ADDRESS_WIDTH>,
    stage: DFF<JobStage>,
    /// The lane that goes on is the server's.
    serves: DFF<Bit>,
    /// Words of the descriptor in the packet of the command, and those that have gone.
    literals: DFF<Bits<LITERALS_WIDTH>>,
    sent: DFF<Bits<LITERALS_WIDTH>>,
    /// The command is a fence; it is a message, and has not asked for its credit.
    fences: DFF<Bit>,
    needs_credit: DFF<Bit>,
    /// The get begins beyond all windows.
    is_huge: DFF<Bit>,
    /// Words that the packet has room for, and whether there is room at all.
    room: DFF<Bits<COUNT_WIDTH>>,
    takes: DFF<Bit>,
    /// Words of the chunk, whether they end the row, and whether they lie beyond the window.
    count: DFF<Bits<COUNT_WIDTH>>,
    ends_row: DFF<Bit>,
    beyond: DFF<Bit>,
    put3d: Constant<Bits<PC_WIDTH>>,
    get2d: Constant<Bits<PC_WIDTH>>,
    get3d: Constant<Bits<PC_WIDTH>>,
    fence_entry: Constant<Bits<PC_WIDTH>>,
    queues: Constant<Bit>,
    offered: Signal<Local, Job>,
    asked: Signal<Local, Job>,
    may_start: Signal<Local, Bit>,
    start_is_message: Signal<Local, Bit>,
    start_words: Signal<Local, Bits<COUNT_WIDTH>>,
    start_is_short: Signal<Local, Bit>,
    started: Signal<Local, Bit>,
    served: Signal<Local, Bit>,
    at_once_starts: Signal<Local, Bit>,
    subject: Signal<Local, Job>,
    instructed: Signal<Local, Job>,
    requested: Signal<Local, Job>,
    at_once: Signal<Local, Bit>,
    gaps: Signal<Local, Bit>,
    begun: Signal<Local, Bit>,
    midway: Signal<Local, Bit>,
    command_can: Signal<Local, Bit>,
    server_can: Signal<Local, Bit>,
    is_message: Signal<Local, Bit>,
    is_get: Signal<Local, Bit>,
    tells: Signal<Local, Bit>,
    number: Signal<Local, Bits<NUMBER_WIDTH>>,
    word: Signal<Local, Bits<32>>,
    literal: Signal<Local, Bit>,
    last_piece: Signal<Local, Bit>,
    from: Signal<Local, Bits<LEVEL_WIDTH>>,
    to: Signal<Local, Bits<LEVEL_WIDTH>>,
    loads: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    last_one: Signal<Local, Bit>,
    free: Signal<Local, Bits<COUNT_WIDTH>>,
    many: Signal<Local, Bits<ROW_WIDTH>>,
    fits: Signal<Local, Bit>,
    words: Signal<Local, Bits<COUNT_WIDTH>>,
    begins_row: Signal<Local, Bit>,
    blocked: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    payload: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    steps: Signal<Local, Bit>,
    turns: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,
    stops: Signal<Local, Bit>,
}

impl FixedSequencer {
    /// For jobs of the built-in programs at `entries`, among them messages if there are `queues`.
    pub fn new(queues: bool, entries: &Entries) -> Self {
        let entry = |place: u8| Constant::new(bits(place.into()));
        Self {
            put3d: entry(entries.put3d),
            get2d: entry(entries.get2d),
            get3d: entry(entries.get3d),
            fence_entry: entry(entries.fence),
            queues: Constant::new(queues),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for FixedSequencer {
    fn update(&mut self) {
        wire!(self => packet: clk, rst);
        wire!(self => places, descriptors: clk);
        dff_setup!(self, clk, stage, serves, literals, sent, fences, needs_credit, is_huge);
        dff_setup!(self, clk, room, takes, count, ends_row, beyond);

        // Starts come while no place is written.
        self.may_start.next = !self.initialising.val()
            & ((self.stage.q.val() == JobStage::Idle)
                | (self.stage.q.val() == JobStage::Credit)
                | (self.stage.q.val() == JobStage::Cut)
                | (self.stage.q.val() == JobStage::Check));
        self.start.ready.next = self.may_start.val() & !self.serve.valid.val();
        self.serve.ready.next = self.may_start.val();
        self.started.next = self.start.valid.val() & self.start.ready.val();
        self.served.next = self.serve.valid.val() & self.may_start.val();
        self.offered.next = self.start.job.val();
        self.asked.next = self.serve.job.val();
        self.start_is_message.next = self.queues.val()
            & !self.offered.val().control
            & (self.offered.val().kind == bits::<KIND_WIDTH>(DataKind::Message as u64));
        self.start_shaper.next = self.offered.val().shaper;
        self.start_words.next = self.offered.val().words;
        if self.serve.valid.val() {
            self.start_shaper.next = self.asked.val().shaper;
            self.start_words.next = self.asked.val().words;
        }
        self.start_is_short.next = self.start_words.val() <= self.start_maximum.val();
        self.command.start_at_once.next = self.offered.val().control
            | (self.offered.val().single & (self.start_is_message.val() | self.start_is_short.val()));
        self.server.start_at_once.next = self.asked.val().single & self.start_is_short.val();
        self.at_once_starts.next = self.start_is_message.val()
            | ((self.offered.val().control | (self.offered.val().single & self.start_is_short.val()))
                & self.may_send.val().get_bit(self.offered.val().shaper.index()));
        if self.serve.valid.val() {
            self.at_once_starts.next = self.asked.val().single
                & self.start_is_short.val()
                & self.may_send.val().get_bit(self.asked.val().shaper.index());
        }
        if self.started.val() {
            self.fences.d.next = self.offered.val().pc == self.fence_entry.val();
            self.needs_credit.d.next = self.start_is_message.val();
            self.literals.d.next = self.offered.val().literals;
            if self.offered.val().pc == self.get2d.val() {
                self.literals.d.next = bits::<LITERALS_WIDTH>((TRANSFER_WORDS[1] - BARE_WORDS) as u64);
            }
            if self.offered.val().pc == self.get3d.val() {
                self.literals.d.next = bits::<LITERALS_WIDTH>((TRANSFER_WORDS[2] - BARE_WORDS) as u64);
            }
        }

        // The lane that goes on.
        wire!(self => command, server: clk, rst);
        self.command.start.next = self.started.val();
        self.command.offered.next = self.offered.val();
        self.server.start.next = self.served.val();
        self.server.offered.next = self.asked.val();
        self.command.opens.next = (self.stage.q.val() == JobStage::Begin) & !self.serves.q.val();
        self.server.opens.next = (self.stage.q.val() == JobStage::Begin) & self.serves.q.val();
        self.command.finishes.next = self.ends_row.q.val();
        self.server.finishes.next = self.ends_row.q.val();
        self.instructed.next = self.command.job.val();
        self.requested.next = self.server.job.val();
        self.subject.next = self.instructed.val();
        wire!(command => self: at_once, gaps, begun, midway);
        if self.serves.q.val() {
            self.subject.next = self.requested.val();
            wire!(server => self: at_once, gaps, begun, midway);
        }
        self.shaper.next = self.subject.val().shaper;
        self.is_message.next = self.queues.val()
            & !self.subject.val().control
            & (self.subject.val().kind == bits::<KIND_WIDTH>(DataKind::Message as u64));
        self.is_get.next =
            self.subject.val().control & (self.subject.val().kind == bits::<KIND_WIDTH>(ControlKind::Get as u64));
        // No answer comes back from what takes no slot; but a reply is the answer.
        self.tells.next = !self.subject.val().has_slot & !self.subject.val().quiet;
        self.fence.segment.next = self.instructed.val().segment;
        // A fence has no slot.
        self.fence.owns.next = false;
        self.fence.slot.next = 0.into();
        self.command_can.next = self.command.active.val()
            & (self.needs_credit.q.val() | self.may_send.val().get_bit(self.instructed.val().shaper.index()));
        if self.fences.q.val() {
            self.command_can.next = self.command.active.val() & !self.fence.busy.val();
        }
        self.server_can.next =
            self.server.active.val() & self.may_send.val().get_bit(self.requested.val().shaper.index());

        // Words of the descriptor. The first of a message; the offset and the shape of a get; others from word 2 on.
        self.descriptors.write_enable.next =
            self.argument.enable.val() & !self.argument.register.val().get_bit(NUMBER_WIDTH);
        self.descriptors.write_address.next = self
            .argument
            .register
            .val()
            .replace_bit(NUMBER_WIDTH, self.argument.context.val().get_bit(SERVER_BIT));
        self.descriptors.write_data.next = self.argument.data.val();
        if self.argument.enable.val()
            & self.argument.context.val().get_bit(SERVER_BIT)
            & (self.argument.register.val() == bits::<WORD_ADDRESS_WIDTH>(POINTER_WORD))
        {
            self.is_huge.d.next = (self.argument.data.val() >> bits::<6>(OFFSET_WIDTH)).any();
        }
        self.number.next = self.sent.q.val() + 2;
        if !self.sent.q.val().any() {
            if self.is_get.val() {
                self.number.next = 1.into();
            }
            if self.is_message.val() {
                self.number.next = 0.into();
            }
        }
        self.from.next = bits::<LEVEL_WIDTH>(WORD);
        self.to.next = bits::<LEVEL_WIDTH>(WORD);
        self.loads.next = false;
        match self.stage.q.val() {
            JobStage::Begin => {
                self.number.next = bits::<NUMBER_WIDTH>(PLANES_WORD);
                self.to.next = bits::<LEVEL_WIDTH>(PLANE);
                self.loads.next = true;
            }
            JobStage::SetRows => {
                self.number.next = bits::<NUMBER_WIDTH>(ROWS_WORD);
                self.from.next = bits::<LEVEL_WIDTH>(PLANE);
                self.to.next = bits::<LEVEL_WIDTH>(ROW);
                self.loads.next = true;
            }
            JobStage::SetWords => {
                self.number.next = bits::<NUMBER_WIDTH>(ROWS_WORD);
                self.from.next = bits::<LEVEL_WIDTH>(ROW);
                self.loads.next = true;
            }
            JobStage::TurnRow => {
                self.number.next = bits::<NUMBER_WIDTH>(STRIDES_WORD);
                self.from.next = bits::<LEVEL_WIDTH>(ROW);
                self.to.next = bits::<LEVEL_WIDTH>(ROW);
            }
            JobStage::TurnPlane => {
                self.number.next = bits::<NUMBER_WIDTH>(PLANE_STRIDES_WORD);
                self.from.next = bits::<LEVEL_WIDTH>(PLANE);
                self.to.next = bits::<LEVEL_WIDTH>(PLANE);
            }
            _ => {}
        }
        self.descriptors.read_address.next = bit_cast::<WORD_ADDRESS_WIDTH, NUMBER_WIDTH>(self.number.val())
            .replace_bit(NUMBER_WIDTH, self.serves.q.val());
        self.word.next = self.descriptors.read_data.val();

        // Places. A packet of one plane takes nothing of the next, and the last of all ends the transfer.
        self.places.server.next = self.serves.q.val();
        wire!(self => places: from, to);
        self.places.jumps.next =
            (self.stage.q.val() == JobStage::TurnRow) | (self.stage.q.val() == JobStage::TurnPlane);
        self.places.strides.next = self.word.val();
        self.places.words.next = self.count.q.val();
        self.places.load.next = self.loads.val();
        self.places.loaded.next = self.word.val().get_bits::<REPEAT_WIDTH>(0);
        if self.stage.q.val() == JobStage::SetRows {
            self.places.loaded.next = self.word.val().get_bits::<REPEAT_WIDTH>(ROW_WIDTH);
        }
        if (self.stage.q.val() == JobStage::Begin) & (self.subject.val().pc != self.put3d.val()) {
            self.places.loaded.next = 1.into();
        }
        self.last_one.next = self.places.count.val() == 1;
        self.turns.next =
            (self.stage.q.val() == JobStage::TurnPlane) & (self.header.ready.val() | !self.packet.is_open.val());
        self.moves.next =
            self.loads.val() | (((self.stage.q.val() == JobStage::TurnRow) | self.turns.val()) & !self.last_one.val());
        self.places.start.next = self.started.val() | self.served.val();
        self.places.start_server.next = self.serve.valid.val();
        self.places.start_pointer.next = self.offered.val().pointer;
        self.places.start_offset.next = self.offered.val().offset;
        if self.serve.valid.val() {
            self.places.start_pointer.next = self.asked.val().pointer;
            self.places.start_offset.next = self.asked.val().offset;
        }

        // The next chunk of a row.
        self.free.next = self.maximum.val();
        if self.packet.is_open.val() {
            self.free.next = self.room.q.val();
        }
        self.many.next = self.places.count.val() >> bits::<5>(COUNT_WIDTH);
        self.fits.next =
            !self.many.val().any() & (self.places.count.val().get_bits::<COUNT_WIDTH>(0) <= self.free.val());
        if self.stage.q.val() == JobStage::Cut {
            self.room.d.next = self.free.val();
            self.takes.d.next = self.free.val().any();
            self.count.d.next = self.free.val();
            if self.fits.val() {
                self.count.d.next = self.places.count.val().get_bits::<COUNT_WIDTH>(0);
            }
            self.ends_row.d.next = self.fits.val();
        }
        if self.stage.q.val() == JobStage::Check {
            self.beyond.d.next = self.serves.q.val()
                & (self.is_huge.q.val()
                    | (self.places.pointer_after.val()
                        > bit_cast::<POINTER_WIDTH, OFFSET_WIDTH>(self.requested.val().limit)));
        }

        // The packet that is open stands in the way of what does not join it, and of an error.
        self.begins_row.next = self.gaps.val() & !self.midway.val();
        self.blocked.next =
            !self.at_once.val() & self.packet.is_open.val() & (!self.takes.q.val() | self.beyond.q.val());
        if self.begins_row.val() {
            self.blocked.next =
                !self.at_once.val() & self.packet.is_open.val() & (!self.ends_row.q.val() | self.beyond.q.val());
        }
        self.fails.next = !self.at_once.val() & !self.packet.is_open.val() & self.beyond.q.val();
        self.literal.next = !self.serves.q.val() & (self.sent.q.val() != self.literals.q.val());
        self.last_piece.next = !self.literal.val();
        if !self.subject.val().words.any() {
            self.last_piece.next = !self.literal.val() | (self.sent.q.val() + 1 == self.literals.q.val());
        }
        self.words.next = self.count.q.val();
        self.payload.next = !self.blocked.val() & !self.fails.val();
        if self.at_once.val() {
            self.words.next = self.subject.val().words;
            self.payload.next = self.literal.val() | self.subject.val().words.any();
            if self.literal.val() {
                self.words.next = 1.into();
            }
        }
        // Room for both, whatever is to go: the queues empty by themselves, and so the answer is there early.
        self.goes.next = (self.stage.q.val() == JobStage::Send) & self.chunk.ready.val() & self.header.ready.val();
        self.steps.next = self.goes.val() & self.payload.val() & !self.at_once.val();
        self.command.step.next = self.steps.val() & !self.serves.q.val();
        self.server.step.next = self.steps.val() & self.serves.q.val();
        self.places.write.next = self.moves.val() | self.steps.val();
        self.closes.next =
            self.goes.val() & (self.blocked.val() | self.fails.val() | (self.at_once.val() & self.last_piece.val()));
        self.finishes.next = (self.goes.val() & (self.fails.val() | (self.at_once.val() & self.last_piece.val())))
            | (self.turns.val() & self.last_one.val());

        match self.stage.q.val() {
            JobStage::Idle => {
                self.sent.d.next = 0.into();
                if self.command_can.val() | self.server_can.val() {
                    self.stage.d.next = JobStage::Enter;
                    self.serves.d.next = self.server_can.val() & !(self.command_can.val() & self.serves.q.val());
                } else if (self.started.val() | self.served.val()) & self.at_once_starts.val() {
                    self.serves.d.next = self.served.val();
                    self.stage.d.next = JobStage::Send;
                    if self.start_is_message.val() & !self.served.val() {
                        self.stage.d.next = JobStage::Credit;
                    }
                }
            }
            JobStage::Enter => {
                self.stage.d.next = JobStage::Begin;
                if self.begun.val() {
                    self.stage.d.next = JobStage::Cut;
                }
                if self.at_once.val() {
                    self.stage.d.next = JobStage::Send;
                }
                if self.needs_credit.q.val() & !self.serves.q.val() {
                    self.stage.d.next = JobStage::Credit;
                }
                if self.fences.q.val() & !self.serves.q.val() {
                    self.stage.d.next = JobStage::Stop;
                    if self.tells.val() {
                        self.stage.d.next = JobStage::Notice;
                    }
                }
            }
            JobStage::Credit => {
                if self.credit_take.answered.val() {
                    self.needs_credit.d.next = false;
                    self.stage.d.next = JobStage::Idle;
                    if self.may_send.val().get_bit(self.instructed.val().shaper.index()) {
                        self.stage.d.next = JobStage::Send;
                    }
                    if !self.credit_take.granted.val() {
                        self.stage.d.next = JobStage::Refuse;
                    }
                }
            }
            JobStage::Begin => {
                self.stage.d.next = JobStage::SetRows;
            }
            JobStage::SetRows => {
                self.stage.d.next = JobStage::SetWords;
            }
            JobStage::SetWords => {
                // The other lane has its turn between two packets.
                self.stage.d.next = JobStage::Idle;
                if self.packet.is_open.val() {
                    self.stage.d.next = JobStage::Cut;
                }
            }
            JobStage::Cut => {
                self.stage.d.next = JobStage::Check;
            }
            JobStage::Check => {
                self.stage.d.next = JobStage::Send;
            }
            JobStage::Send => {
                if self.goes.val() {
                    self.room.d.next = self.room.q.val() - self.count.q.val();
                    if self.gaps.val() & self.ends_row.q.val() & !self.begins_row.val() {
                        // The end of a long row: a packet of whole rows begins anew.
                        self.room.d.next = 0.into();
                    }
                    if self.at_once.val() {
                        self.sent.d.next = self.sent.q.val() + 1;
                    } else if self.blocked.val() {
                        self.stage.d.next = JobStage::Rest;
                    } else {
                        self.stage.d.next = JobStage::Cut;
                        if self.ends_row.q.val() {
                            self.stage.d.next = JobStage::TurnRow;
                        }
                    }
                }
            }
            JobStage::TurnRow => {
                self.stage.d.next = JobStage::SetWords;
                if self.last_one.val() {
                    self.stage.d.next = JobStage::TurnPlane;
                }
            }
            JobStage::TurnPlane => {
                if self.turns.val() {
                    self.stage.d.next = JobStage::SetRows;
                }
            }
            JobStage::Rest => {
                self.stage.d.next = JobStage::Idle;
            }
            JobStage::Notice => {
                if self.notice.ready.val() {
                    self.stage.d.next = JobStage::Stop;
                }
            }
            JobStage::Stop => {
                if self.stop.ready.val() {
                    self.stage.d.next = JobStage::Idle;
                }
            }
            JobStage::Refuse => {
                if self.stop.ready.val() {
                    self.stage.d.next = JobStage::Idle;
                }
            }
        }
        if self.finishes.val() {
            self.stage.d.next = JobStage::Stop;
            if self.tells.val() {
                self.stage.d.next = JobStage::Notice;
            }
        }

        self.packet.wanted.next = (self.stage.q.val() == JobStage::Send) & self.payload.val();
        self.packet.push.next = self.goes.val() & self.payload.val();
        wire!(self => packet: words);
        self.packet.remote.next = self.places.offset.val();
        self.packet.whole.next = !self.at_once.val() & self.begins_row.val() & self.ends_row.q.val();
        self.packet.jumps.next = !self.at_once.val() & self.gaps.val() & self.ends_row.q.val();
        self.header.valid.next = self.closes.val() | (self.turns.val() & self.packet.is_open.val());
        self.packet.close.next = self.header.valid.val();

        self.chunk.valid.next = self.goes.val() & self.payload.val();
        self.chunk.literal.next = self.at_once.val() & self.literal.val();
        self.chunk.words.next = self.words.val();
        self.chunk.value.next = bit_cast::<32, OFFSET_WIDTH>(self.subject.val().base + self.places.pointer.val());
        if self.at_once.val() & self.literal.val() {
            self.chunk.value.next = self.word.val();
            // Strides travel as the other side sees them.
            if self.is_get.val() & self.number.val().get_bit(2) & !self.number.val().get_bit(0) {
                self.chunk.value.next = (self.word.val() << bits::<5>(16)) | (self.word.val() >> bits::<5>(16));
            }
        }

        self.header.control.next = self.subject.val().control;
        self.header.bare.next = self.subject.val().bare;
        self.header.destination.next = self.subject.val().destination;
        self.header.tag.next = self.subject.val().tag;
        self.header.kind.next = self.subject.val().kind;
        self.header.last.next = self.finishes.val() & !self.subject.val().control;
        self.header.offset.next = self.packet.offset.val();
        self.header.slot.next = self.subject.val().slot;
        self.stop.error.next = 0.into();
        if self.beyond.q.val() & self.serves.q.val() & !self.at_once.val() {
            self.stop.error.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfWindow as u64);
        }
        if self.stage.q.val() == JobStage::Refuse {
            self.stop.error.next = bits::<ERROR_WIDTH>(ErrorCode::NoCredit as u64);
        }
        if self.fails.val() {
            self.header.slot.next = bits::<SLOT_WIDTH>(ErrorCode::OutOfWindow as u64);
        }
        self.header.has_geometry.next = self.packet.strided.val();
        self.header.strided.next = self.packet.strided.val() | self.subject.val().half;
        self.header.operation.next = self.subject.val().operation;
        self.header.wide.next = self.subject.val().wide;
        self.header.row.next = self.subject.val().row;
        self.header.stride.next = self.subject.val().stride;
        self.header.words.next = self.packet.total.val();
        self.flits.next = self.packet.total.val() + !self.subject.val().bare + self.packet.strided.val() + 1;

        self.notice.valid.next = self.stage.q.val() == JobStage::Notice;
        self.notice.event.next = self.subject.val().event;
        self.notice.error.next = 0.into();
        self.credit_take.valid.next = self.stage.q.val() == JobStage::Credit;
        self.credit_take.segment.next = self.subject.val().segment;
        // Else a slot is always in the hands of a packet that ends a transfer, or of a get.
        self.stop.owns_slot.next = (self.stage.q.val() == JobStage::Refuse) & self.subject.val().has_slot;
        self.stop.valid.next = (self.stage.q.val() == JobStage::Stop) | (self.stage.q.val() == JobStage::Refuse);
        self.stops.next = self.stop.valid.val() & self.stop.ready.val();
        self.command.stop.next = self.stops.val() & !self.serves.q.val();
        self.server.stop.next = self.stops.val() & self.serves.q.val();
        self.stop.context.next = 0.into();
        if self.serves.q.val() {
            self.stop.context.next = bits::<CONTEXT_WIDTH>(SERVER_CONTEXT);
        }
        self.running.next = self.command.active.val() | self.server.active.val();
        self.waiting.next = self.running.val() & !self.server_can.val() & !self.command_can.val();
        if self.rst.val() {
            self.stage.d.next = JobStage::Idle;
            self.serves.d.next = false;
        }
    }
}
