use super::{MoveOut, StreamFields, DIRECTIONS, PLACE_WIDTH};
use crate::{
    bus::EventOut,
    prim::{LutRam, StreamIn},
};
use portico_spec::{
    ni::{
        command::{Opcode, OPCODE_OFFSET},
        packet::ERROR_WIDTH,
        ErrorCode,
    },
    parts::OPCODE_RUN,
    streams::{RECEIVE_WORDS, SEND_WORDS, WAITING, WAITING_WIDTH},
};
use portico_verilog::prelude::*;

const _: () = assert!(
    (Opcode::Send as usize).is_multiple_of(OPCODE_RUN) && Opcode::Receive as usize == Opcode::Send as usize + 1,
    "the low bit of the opcode is the direction, the next one is set in opcodes without a meaning"
);
/// Bits that count the words of a descriptor, and those beyond.
const COUNT_WIDTH: usize = PLACE_WIDTH + 1;
/// Address of a word of a descriptor that waits: direction above entry above place.
const KEPT_WIDTH: usize = 2 + PLACE_WIDTH;

/// State of the intake.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Intake {
    /// Takes the words of a descriptor.
    Take,
    /// Reads the words of one that has waited.
    Fetch,
    /// Begins it, lets it wait, or refuses it.
    Check,
    /// Ends it with an error.
    Report,
}

/// Checks descriptors, and keeps those that wait for the one that runs in their direction.
///
/// Descriptors of both directions.
///
/// | | |
/// | --- | --- |
/// | latency | from a descriptor's last word to the descriptor at `send` or `receive`: 2 cycles for a send of one row, up to 18 for more, 3 for a receive |
/// | throughput | a descriptor every 6 to 22 cycles, a cycle more if it is refused; it never waits for a stream |
/// | state | 2 descriptors a direction in LUT-RAM, and [`StreamFields`] |
///
/// The intake checks a descriptor in this order, and the first check that fails gives the error: its opcode; its number of
/// words, an aligned address and a length that is not 0; the memory's end; room among the descriptors that wait. Every word goes
/// into the LUT-RAM and is read there a cycle later. A descriptor that has to wait stays there, and is checked again when it begins.
#[derive(LogicBlock, Default)]
pub struct StreamIntake {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// No descriptor is taken.
    pub initialising: Signal<In, Bit>,
    /// Descriptors of sends and receives, whole.
    pub commands: StreamIn<32>,
    /// Sends that begin, checked.
    pub send: MoveOut,
    /// Receives that begin, checked.
    pub receive: MoveOut,
    /// Of descriptors that are refused.
    pub event: EventOut,
    /// Sends that wait for the one that runs, 0 to 2.
    pub send_waiting: Signal<Out, Bits<WAITING_WIDTH>>,
    /// Receives that wait for the one that runs, 0 to 2.
    pub receive_waiting: Signal<Out, Bits<WAITING_WIDTH>>,
    fields: StreamFields,
    kept: LutRam<Bits<32>, KEPT_WIDTH>,
    step: DFF<Intake>,
    count: DFF<Bits<COUNT_WIDTH>>,
    /// The descriptor has waited.
    fetched: DFF<Bit>,
    way: DFF<Bits<1>>,
    /// The word of the cycle before, and where it is kept.
    fresh: DFF<Bit>,
    place: DFF<Bits<KEPT_WIDTH>>,
    number: DFF<Bits<PLACE_WIDTH>>,
    error: DFF<Bits<ERROR_WIDTH>>,
    waiting: [DFF<Bits<WAITING_WIDTH>>; DIRECTIONS],
    /// Entry of the descriptor that has waited longest.
    oldest: [DFF<Bits<1>>; DIRECTIONS],
    next_up: Signal<Local, Bits<DIRECTIONS>>,
    fetches: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    direction: Signal<Local, Bits<1>>,
    own_waiting: Signal<Local, Bits<WAITING_WIDTH>>,
    own_oldest: Signal<Local, Bits<1>>,
    own_idle: Signal<Local, Bit>,
    is_full: Signal<Local, Bit>,
    entry: Signal<Local, Bits<1>>,
    home: Signal<Local, Bits<KEPT_WIDTH>>,
    words: Signal<Local, Bits<COUNT_WIDTH>>,
    fault: Signal<Local, Bits<ERROR_WIDTH>>,
    accepts: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    joins: Signal<Local, Bit>,
}

impl StreamIntake {
    /// For a memory of `memory` words of `bytes` bytes.
    pub fn new(memory: usize, bytes: usize) -> Self {
        Self {
            fields: StreamFields::new(memory, bytes),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for StreamIntake {
    fn update(&mut self) {
        wire!(self => kept, fields: clk);
        dff_setup!(self, clk, step, count, fetched, way, fresh, place, number, error);
        wire!(self <=> fields: send, receive);

        // A descriptor that has waited comes before the next one.
        self.next_up.next = bits::<DIRECTIONS>(0)
            .replace_bit(0, self.waiting[0].q.val().any())
            .replace_bit(1, self.waiting[1].q.val().any())
            & self.fields.idle.val();
        self.fetches.next = (self.step.q.val() == Intake::Take) & !self.count.q.val().any() & self.next_up.val().any();
        self.commands.tready.next =
            (self.step.q.val() == Intake::Take) & !self.fetches.val() & !self.initialising.val();
        self.direction.next = self.way.q.val();
        if (self.step.q.val() == Intake::Take) & !self.count.q.val().any() {
            self.direction.next = self.commands.tdata.val().get_bits::<1>(OPCODE_OFFSET);
        }

        // Those that wait in its direction.
        self.own_waiting.next = self.waiting[0].q.val();
        self.own_oldest.next = self.oldest[0].q.val();
        self.own_idle.next = self.fields.idle.val().get_bit(0);
        self.words.next = bits::<COUNT_WIDTH>(SEND_WORDS as u64);
        if self.direction.val().any() {
            self.own_waiting.next = self.waiting[1].q.val();
            self.own_oldest.next = self.oldest[1].q.val();
            self.own_idle.next = self.fields.idle.val().get_bit(1);
            self.words.next = bits::<COUNT_WIDTH>(RECEIVE_WORDS as u64);
        }
        self.is_full.next = self.own_waiting.val() == bits::<WAITING_WIDTH>(WAITING as u64);

        // Its next word: written here, read in the next cycle.
        self.takes.next = self.commands.tvalid.val() & self.commands.tready.val();
        self.is_last.next = self.commands.tlast.val();
        self.entry.next = self.own_oldest.val() ^ self.own_waiting.val().get_bits::<1>(0);
        if self.step.q.val() == Intake::Fetch {
            self.takes.next = true;
            self.is_last.next = self.count.q.val() + 1 == self.words.val();
            self.entry.next = self.own_oldest.val();
        }
        self.fresh.d.next = self.takes.val() & !self.count.q.val().get_bit(PLACE_WIDTH);
        self.number.d.next = self.count.q.val().get_bits::<PLACE_WIDTH>(0);
        self.home.next = bit_cast::<KEPT_WIDTH, PLACE_WIDTH>(self.count.q.val().get_bits::<PLACE_WIDTH>(0))
            | field::<KEPT_WIDTH, 1>(self.entry.val(), PLACE_WIDTH)
            | field::<KEPT_WIDTH, 1>(self.direction.val(), PLACE_WIDTH + 1);
        // A descriptor without room passes through the last word of the last receive, which has a word less.
        if self.is_full.val() & (self.step.q.val() == Intake::Take) {
            self.home.next = !bits::<KEPT_WIDTH>(0);
        }
        self.place.d.next = self.home.val();
        self.kept.write_enable.next =
            (self.step.q.val() == Intake::Take) & self.takes.val() & !self.count.q.val().get_bit(PLACE_WIDTH);
        self.kept.write_address.next = self.home.val();
        self.kept.write_data.next = self.commands.tdata.val();
        self.kept.read_address.next = self.place.q.val();
        self.fields.valid.next = self.fresh.q.val();
        self.fields.place.next = self.number.q.val();
        self.fields.word.next = self.kept.read_data.val();
        self.fields.way.next = self.way.q.val();

        // Its error.
        self.fault.next = 0.into();
        if self.is_full.val() & !self.fetched.q.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::CommandFull as u64);
        }
        if self.fields.beyond.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfMemory as u64);
        }
        if self.fields.malformed.val() | (self.count.q.val() != self.words.val()) {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
        }
        if !self.fields.known.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownOpcode as u64);
        }
        self.accepts.next = (self.step.q.val() == Intake::Check) & self.fields.settled.val() & !self.fault.val().any();
        // While the one that waits is not fetched yet, its direction may be idle.
        self.begins.next =
            self.accepts.val() & (self.fetched.q.val() | (self.own_idle.val() & !self.own_waiting.val().any()));
        self.joins.next = self.accepts.val() & !self.begins.val();
        self.fields.begins.next = bits::<DIRECTIONS>(0)
            .replace_bit(0, self.begins.val() & !self.way.q.val().any())
            .replace_bit(1, self.begins.val() & self.way.q.val().any());

        if self.takes.val() {
            self.way.d.next = self.direction.val();
            if !self.count.q.val().all() {
                self.count.d.next = self.count.q.val() + 1;
            }
            if self.is_last.val() {
                self.step.d.next = Intake::Check;
            }
        }
        match self.step.q.val() {
            Intake::Take => {
                self.fetched.d.next = false;
                if self.fetches.val() {
                    self.step.d.next = Intake::Fetch;
                    self.way.d.next = (!self.next_up.val().get_bit(0)).into();
                }
            }
            Intake::Fetch => {
                self.fetched.d.next = true;
            }
            Intake::Check => {
                self.error.d.next = self.fault.val();
                if self.fields.settled.val() {
                    self.count.d.next = 0.into();
                    self.step.d.next = Intake::Report;
                }
                if self.accepts.val() {
                    self.step.d.next = Intake::Take;
                }
            }
            Intake::Report => {
                if self.event.ready.val() {
                    self.step.d.next = Intake::Take;
                }
            }
        }

        for i in 0..DIRECTIONS {
            self.waiting[i].clock.next = self.clk.val();
            self.waiting[i].d.next = self.waiting[i].q.val();
            self.oldest[i].clock.next = self.clk.val();
            self.oldest[i].d.next = self.oldest[i].q.val();
            if self.way.q.val() == bits::<1>(i) {
                if self.joins.val() {
                    self.waiting[i].d.next = self.waiting[i].q.val() + 1;
                }
                if self.begins.val() & self.fetched.q.val() {
                    self.waiting[i].d.next = self.waiting[i].q.val() - 1;
                    self.oldest[i].d.next = !self.oldest[i].q.val();
                }
            }
            if self.rst.val() {
                self.waiting[i].d.next = 0.into();
                self.oldest[i].d.next = 0.into();
            }
        }

        self.event.valid.next = self.step.q.val() == Intake::Report;
        self.event.event.next = self.fields.send.event.val();
        self.event.error.next = self.error.q.val();
        self.send_waiting.next = self.waiting[0].q.val();
        self.receive_waiting.next = self.waiting[1].q.val();
        if self.rst.val() {
            self.step.d.next = Intake::Take;
            self.count.d.next = 0.into();
            self.fresh.d.next = false;
        }
    }
}
