use super::{
    ports::{ReleasePortIn, RowOut, RowWriteIn, TakenOut},
    tags::TagTables,
};
use crate::{
    bus::{FlitsOut, HeadDecoder, RegisterAccessIn, SweepIn, WindowRow},
    prim::StreamIn,
};
use portico_spec::{
    flit::{KIND_WIDTH, TAG_WIDTH},
    ni::build::Build,
    parts::Part,
};
use portico_verilog::prelude::*;

/// The first stage: the flit in hand, and the row of its tag.
///
/// Takes flits of `W` bits into a register.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one flit a cycle; between two heads there is a cycle without one |
/// | timing | `s_axis.tready` is a gate behind flip-flops |
/// | state | two flits, a row, and for whom the packet is; [`TagTables`] |
///
/// A flit that comes while the register is taken waits in a spare one. The tag of a head is there a cycle before the
/// head is in hand, so that the row of the tag comes out of its table with it. The head itself stays as it is, because
/// the tag of a REPLY is a slot.
///
/// A packet of an engine's kind goes to the engine. Such a flit is in hand for one cycle, whatever the receiver does.
/// Before it is in hand, it waits for packets of the receiver's in front of it, and its head for an access to the
/// registers of tags.
#[derive(LogicBlock, Default)]
pub struct Intake<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: a head comes next; the initialisation has to follow.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset; no flit is taken meanwhile.
    pub sweep: SweepIn,
    /// Packets of the data plane.
    pub s_axis: StreamIn<W>,
    /// Packets for engines, in the order of their seats.
    pub engine: Vec<FlitsOut<W>>,
    /// The flit in hand.
    pub taken: TakenOut<W>,
    /// The row of its tag, if it is a head.
    pub row: RowOut,
    /// Writes of packets to their rows.
    pub row_write: RowWriteIn,
    /// Reads and writes of rows for the release of messages.
    pub release_port: ReleasePortIn,
    /// Accesses to registers; those to the block TAGS count.
    pub access: RegisterAccessIn,
    tables: TagTables,
    next_head: HeadDecoder,
    next_row: WindowRow,
    spare_taken: DFF<Bit>,
    spare_word: DFF<Bits<W>>,
    spare_last: DFF<Bit>,
    held: DFF<Bit>,
    held_word: DFF<Bits<W>>,
    held_last: DFF<Bit>,
    held_row: DFF<Bits<TAG_WIDTH>>,
    /// The next flit is not a head.
    midway: DFF<Bit>,
    after_head: DFF<Bit>,
    next_word: Signal<Local, Bits<W>>,
    next_last: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
    may_come: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    comes: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    /// The packet that comes in is this engine's.
    takes: Vec<DFF<Bit>>,
    /// The flit in hand is an engine's.
    is_engines: Signal<Local, Bit>,
    /// The kind of each engine, if it has one.
    kind: Vec<Constant<Bits<KIND_WIDTH>>>,
    listens: Vec<Constant<Bit>>,
    _engines: usize,
}

impl<const W: usize> Intake<W> {
    /// For the windows of `build`, of which the system window has `space_words` words, and these engines.
    pub fn new(build: &Build, space_words: u64, engines: &[Part]) -> Self {
        let kind = |part: &Part| part.data.first().copied();
        Self {
            engine: engines.iter().map(|_| Default::default()).collect(),
            takes: engines.iter().map(|_| Default::default()).collect(),
            kind: engines
                .iter()
                .map(|part| Constant::new(bits(kind(part).unwrap_or(0).into())))
                .collect(),
            listens: engines.iter().map(|part| Constant::new(kind(part).is_some())).collect(),
            _engines: engines.len(),
            next_row: WindowRow::new(build),
            tables: TagTables::new(build, space_words),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Intake<W> {
    fn update(&mut self) {
        wire!(self => tables: clk, rst);
        dff_setup!(self, clk, spare_taken, spare_word, spare_last, held, held_word);
        dff_setup!(self, clk, held_last, held_row, midway, after_head);

        // The next flit.
        self.s_axis.tready.next = !self.spare_taken.q.val() & !self.sweep.active.val();
        self.offered.next = (self.s_axis.tvalid.val() & !self.sweep.active.val()) | self.spare_taken.q.val();
        self.next_word.next = self.s_axis.tdata.val();
        self.next_last.next = self.s_axis.tlast.val();
        if self.spare_taken.q.val() {
            self.next_word.next = self.spare_word.q.val();
            self.next_last.next = self.spare_last.q.val();
        } else {
            self.spare_word.d.next = self.s_axis.tdata.val();
            self.spare_last.d.next = self.s_axis.tlast.val();
        }
        self.next_head.word.next = bit_cast::<32, W>(self.next_word.val());
        self.next_row.tag.next = self.next_head.tag.val();

        // It comes in when the one in hand leaves.
        self.may_come.next = self.midway.q.val() | (self.tables.may_start.val() & !self.after_head.q.val());
        self.is_engines.next = false;
        for i in 0..self._engines {
            self.is_engines.next = self.is_engines.val() | (self.held.q.val() & self.takes[i].q.val());
        }
        self.leaves.next = (self.taken.goes.val() & !self.taken.stays.val()) | self.is_engines.val();
        self.comes.next = self.offered.val() & self.may_come.val() & (self.leaves.val() | !self.held.q.val());
        self.starts.next = self.comes.val() & !self.midway.q.val();
        self.after_head.d.next = self.starts.val();
        self.spare_taken.d.next = self.offered.val() & !self.comes.val();
        if self.leaves.val() {
            self.held.d.next = false;
        }
        if self.comes.val() {
            self.held.d.next = true;
            self.held_word.d.next = self.next_word.val();
            if !self.midway.q.val() {
                self.held_row.d.next = self.next_row.row.val();
            }
            self.held_last.d.next = self.next_last.val();
            self.midway.d.next = !self.next_last.val();
        }

        // The flit in hand is an engine's, or goes on to the parser.
        for i in 0..self._engines {
            self.takes[i].clock.next = self.clk.val();
            self.takes[i].d.next = self.takes[i].q.val();
            if self.starts.val() {
                self.takes[i].d.next = self.listens[i].val() & (self.next_head.kind.val() == self.kind[i].val());
            }
            self.engine[i].valid.next = self.held.q.val() & self.takes[i].q.val();
            // An engine's flit stays for one cycle, so a head is the flit that has just come.
            self.engine[i].first.next = self.after_head.q.val();
            self.engine[i].last.next = self.held_last.q.val();
            self.engine[i].data.next = self.held_word.q.val();
        }
        self.taken.valid.next = self.held.q.val() & !self.is_engines.val();
        self.taken.word.next = self.held_word.q.val();
        self.taken.last.next = self.held_last.q.val();
        wire!(tables => taken: may_go);

        // The row of its tag.
        wire!(self <=> tables: sweep);
        wire!(self.access <=> tables.register);
        self.tables.offers_head.next = self.offered.val() & !self.midway.q.val();
        self.tables.starts.next = self.starts.val();
        self.tables.start_tag.next = self.next_row.row.val();
        self.tables.has_head.next = self.taken.valid.val() & self.taken.head.val();
        self.tables.head_tag.next = self.held_row.q.val();
        self.row.tag.next = self.held_row.q.val();
        wire!(self.row <=> tables: window);
        wire!(self.row <=> tables: state);
        wire!(tables => row: touched);
        wire!(row => tables: may_write, device, unkept);
        wire!(self.row_write <=> tables.packet);
        wire!(self <=> tables: release_port);
        if self.rst.val() {
            self.spare_taken.d.next = false;
            self.held.d.next = false;
            self.midway.d.next = false;
            self.after_head.d.next = false;
        }
    }
}
