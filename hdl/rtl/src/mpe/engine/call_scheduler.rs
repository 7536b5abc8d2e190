use super::{built_edges, CallIn, JobOut, ADDRESS_WIDTH, EDGES, EDGE_WIDTH, WORDS_WIDTH};
use crate::{bus::EventOut, prim::LutRam};
use portico_spec::{
    mpe::call::{
        Kind, CALL_KIND_OFFSET, CALL_LENGTH_OFFSET, CONTEXTS, CONTEXT_WIDTH, HEAD_NUMBER_WIDTH, KIND_WIDTH,
        LENGTH_WIDTH, NEIGHBOURS, PACKET_WORDS, PLACE_WIDTH,
    },
    ni::{event::EVENT_WIDTH, packet::ERROR_WIDTH, ErrorCode},
};
use portico_verilog::prelude::*;

/// Twice the contexts.
const TURN_WIDTH: usize = 2 * CONTEXTS;
/// Bits of a length above those of a packet.
const MORE_WIDTH: usize = LENGTH_WIDTH - WORDS_WIDTH;

/// What a context does next.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Step {
    /// A barrier waits for the tokens of the children, and sends one towards the root.
    Gather,
    /// It releases the children.
    Release,
    /// A packet of each child is folded.
    Fold,
    /// A packet goes to each child.
    Send,
    /// A barrier waits to be released.
    Await,
    /// The first packets of the children are compared with the call.
    Compare,
    /// The last words are on their way.
    Drain,
    /// The call counts in its event.
    Report,
}

/// State that changes with every step.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct State {
    pub step: Step,
    /// Children that are left in it.
    pub remaining: Bits<NEIGHBOURS>,
}

/// State that changes with every packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Progress {
    /// Words that are left.
    pub left: Bits<LENGTH_WIDTH>,
    /// The next packet is the first.
    pub first: Bit,
    /// An allreduce is on its way down.
    pub down: Bit,
    /// Where the next words are read.
    pub source: Bits<ADDRESS_WIDTH>,
    /// Where the next words are written.
    pub result: Bits<ADDRESS_WIDTH>,
}

/// Neighbours of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Neighbourhood {
    /// The one towards the root, a bit each.
    pub way: Bits<NEIGHBOURS>,
    /// One bit each.
    pub children: Bits<NEIGHBOURS>,
    /// Place of the one towards the root.
    pub towards: Bits<PLACE_WIDTH>,
}

/// State that stays constant during a call, beside the call word.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Call {
    pub neighbourhood: Neighbourhood,
    pub event: Bits<EVENT_WIDTH>,
    /// No event on success.
    pub quiet: Bit,
    /// Where the results begin.
    pub base: Bits<ADDRESS_WIDTH>,
}

/// Decides what the engine does next, packet by packet.
///
/// Of up to 4 contexts, which take turns.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a packet, credit or token to what follows from it, if one context alone runs |
/// | throughput | a step a cycle: a pass over a packet, a token, a comparison |
/// | state | 137 bits a context in LUT-RAM; by context what it waits for, by edge its next slot, and the context in hand |
///
/// Step and neighbours of the context in turn lie in flip-flops too, because each decision begins with them. They take a cycle to
/// load when the turn passes to another context.
///
/// The scheduler starts a packet only when it has the credit and a packet of each contribution, which may still be ejecting. So the
/// passes over the packet, one after the other, wait for no other context. Codes and time-outs act between packets.
#[derive(LogicBlock, Default)]
pub struct CallScheduler {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Calls that begin.
    pub call: CallIn,
    /// One bit an edge: it has a neighbour.
    pub present: Signal<In, Bits<EDGES>>,
    /// One bit an edge: a packet of the neighbour is here, which may still be ejecting.
    pub packets: Signal<In, Bits<EDGES>>,
    /// One bit an edge: a credit for the neighbour is here.
    pub credits: Signal<In, Bits<EDGES>>,
    /// One bit an edge: a token of the neighbour is here, of the call that runs.
    pub tokens: Signal<In, Bits<EDGES>>,
    /// One bit an edge: a packet of the neighbour is taken in this cycle.
    pub take_packet: Signal<Out, Bits<EDGES>>,
    /// One bit an edge: a credit for the neighbour is taken in this cycle.
    pub take_credit: Signal<Out, Bits<EDGES>>,
    /// One bit an edge: a token of the neighbour is taken in this cycle.
    pub take_token: Signal<Out, Bits<EDGES>>,
    /// Edge of the packet of which the first word is compared: context above place.
    pub neighbour: Signal<Out, Bits<EDGE_WIDTH>>,
    /// Which of the two rooms of the edge `neighbour` holds that packet.
    pub slot: Signal<Out, Bit>,
    /// First word of that packet, in the same cycle, even while it is written.
    pub word: Signal<In, Bits<32>>,
    /// That packet goes away from the root; valid as `word` is.
    pub word_down: Signal<In, Bit>,
    /// That word is a call word; valid as `word` is.
    pub word_opens: Signal<In, Bit>,
    /// One bit an edge: the oldest packet of the neighbour that is not taken is in the second room.
    pub slots: Signal<Out, Bits<EDGES>>,
    /// Passes, for the readers of both sources and the folder at once.
    pub job: JobOut,
    /// A token is to be sent.
    pub token_valid: Signal<Out, Bit>,
    /// Edge to which the token goes: context above place; valid with `token_valid`.
    pub token_edge: Signal<Out, Bits<EDGE_WIDTH>>,
    /// The low bits of the number of its call; valid with `token_valid`.
    pub token_number: Signal<Out, Bits<HEAD_NUMBER_WIDTH>>,
    /// The token is taken in this cycle if `token_valid` is high.
    pub token_ready: Signal<In, Bit>,
    /// One bit a context, for a cycle: its last pass has ended.
    pub ended: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context, for a cycle: a packet had a wrong length, a neighbour means another call, or a go came too early.
    pub wrong: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: it stands still for too long.
    pub expired: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context, for a cycle: it is to be closed.
    pub close: Signal<In, Bits<CONTEXTS>>,
    /// One bit an edge, for a cycle: its context, which is closed and runs no call, opens.
    pub open: Signal<In, Bits<EDGES>>,
    /// Events of calls that end, with an error code if the call failed.
    pub event: EventOut,
    /// One bit a context: a call runs.
    pub running: Signal<Out, Bits<CONTEXTS>>,
    /// One bit a context: it is closed.
    pub closed: Signal<Out, Bits<CONTEXTS>>,
    /// By context the error code that calls of a closed context get: why it closed.
    pub codes: [Signal<Out, Bits<ERROR_WIDTH>>; CONTEXTS],
    /// One bit a context: it makes a step in this cycle.
    pub moves: Signal<Out, Bits<CONTEXTS>>,
    state: LutRam<State, CONTEXT_WIDTH>,
    places: LutRam<Progress, CONTEXT_WIDTH>,
    call_words: LutRam<Bits<32>, CONTEXT_WIDTH>,
    calls: LutRam<Call, CONTEXT_WIDTH>,
    current: DFF<Bits<CONTEXT_WIDTH>>,
    runs: DFF<Bits<CONTEXTS>>,
    shut: DFF<Bits<CONTEXTS>>,
    overdue: DFF<Bits<CONTEXTS>>,
    /// `close` came while the context was not closed.
    off: DFF<Bits<CONTEXTS>>,
    over: DFF<Bits<CONTEXTS>>,
    faulty: DFF<Bits<CONTEXTS>>,
    /// The first word was the call word a cycle ago, and came as it should. It is the word of this cycle's packet: in between, there was no step, no other
    /// context, and no new call.
    fits: DFF<Bit>,
    settled: DFF<Bit>,
    /// Step and neighbours of the context in turn, and whether they are there.
    now: DFF<State>,
    neighbourhood: DFF<Neighbourhood>,
    loaded: DFF<Bit>,
    /// The room in which the next packet of each edge lies.
    next_slot: DFF<Bits<EDGES>>,
    own: Signal<Local, Bits<CONTEXTS>>,
    shift: Signal<Local, Bits<6>>,
    next_state: Signal<Local, State>,
    jumps: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    way_edge: Signal<Local, Bits<EDGE_WIDTH>>,
    child_edge: Signal<Local, Bits<EDGE_WIDTH>>,
    target: Signal<Local, Bits<EDGE_WIDTH>>,
    turns_down: Signal<Local, Bit>,
    step: Signal<Local, Step>,
    remaining: Signal<Local, Bits<NEIGHBOURS>>,
    left: Signal<Local, Bits<LENGTH_WIDTH>>,
    first: Signal<Local, Bit>,
    down: Signal<Local, Bit>,
    source: Signal<Local, Bits<ADDRESS_WIDTH>>,
    result: Signal<Local, Bits<ADDRESS_WIDTH>>,
    kind: Signal<Local, Bits<KIND_WIDTH>>,
    root: Signal<Local, Bit>,
    towards: Signal<Local, Bits<PLACE_WIDTH>>,
    way: Signal<Local, Bits<NEIGHBOURS>>,
    children: Signal<Local, Bits<NEIGHBOURS>>,
    packets_here: Signal<Local, Bits<EDGES>>,
    credits_here: Signal<Local, Bits<EDGES>>,
    tokens_here: Signal<Local, Bits<EDGES>>,
    own_packets: Signal<Local, Bits<NEIGHBOURS>>,
    own_credits: Signal<Local, Bits<NEIGHBOURS>>,
    own_tokens: Signal<Local, Bits<NEIGHBOURS>>,
    child: Signal<Local, Bits<NEIGHBOURS>>,
    has_child: Signal<Local, Bit>,
    child_place: Signal<Local, Bits<PLACE_WIDTH>>,
    is_last_child: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    limit: Signal<Local, Bits<WORDS_WIDTH>>,
    is_last: Signal<Local, Bit>,
    words: Signal<Local, Bits<WORDS_WIDTH>>,
    compares: Signal<Local, Bit>,
    active: Signal<Local, Bit>,
    /// Contexts that close, and those that open.
    shuts: Signal<Local, Bits<CONTEXTS>>,
    opened: Signal<Local, Bits<CONTEXTS>>,
    fails: Signal<Local, Bit>,
    holds: Signal<Local, Bit>,
    /// The tokens of all children are here.
    gathers: Signal<Local, Bit>,
    /// The barrier releases its next child in this cycle, or ends without one.
    releases: Signal<Local, Bit>,
    steps: Signal<Local, Bit>,
    advances: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    taken_packet: Signal<Local, Bits<NEIGHBOURS>>,
    taken_credit: Signal<Local, Bits<NEIGHBOURS>>,
    taken_token: Signal<Local, Bits<NEIGHBOURS>>,
    /// Those that run, from the one after the current on.
    turned: Signal<Local, Bits<TURN_WIDTH>>,
    new_present: Signal<Local, Bits<EDGES>>,
    new_children: Signal<Local, Bits<NEIGHBOURS>>,
    built: Constant<Bits<EDGES>>,
    last_context: Constant<Bits<CONTEXT_WIDTH>>,
    new_way: Signal<Local, Bits<NEIGHBOURS>>,
    new_neighbourhood: Signal<Local, Neighbourhood>,
    new_kind: Signal<Local, Bits<KIND_WIDTH>>,
}

impl CallScheduler {
    /// For `contexts` contexts.
    pub fn new(contexts: usize) -> Self {
        Self {
            state: LutRam::new(contexts),
            places: LutRam::new(contexts),
            call_words: LutRam::new(contexts),
            calls: LutRam::new(contexts),
            built: Constant::new(bits(built_edges(contexts))),
            last_context: Constant::new(bits(contexts as u64 - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CallScheduler {
    fn update(&mut self) {
        wire!(self => state, places, call_words, calls: clk);
        dff_setup!(self, clk, current, runs, shut, overdue, off, over, faulty, next_slot);
        dff_setup!(self, clk, fits, settled, now, neighbourhood, loaded);

        // The context in turn.
        self.own.next = bits::<CONTEXTS>(1) << self.current.q.val();
        self.shift.next = field::<6, CONTEXT_WIDTH>(self.current.q.val(), PLACE_WIDTH);
        self.state.read_address.next = self.current.q.val();
        self.places.read_address.next = self.current.q.val();
        self.call_words.read_address.next = self.current.q.val();
        self.calls.read_address.next = self.current.q.val();
        self.step.next = self.now.q.val().step;
        self.remaining.next = self.now.q.val().remaining;
        self.left.next = self.places.read_data.val().left;
        self.first.next = self.places.read_data.val().first;
        self.down.next = self.places.read_data.val().down;
        self.source.next = self.places.read_data.val().source;
        self.result.next = self.places.read_data.val().result;
        self.way.next = self.neighbourhood.q.val().way;
        self.children.next = self.neighbourhood.q.val().children;
        self.towards.next = self.neighbourhood.q.val().towards;
        self.root.next = !self.way.val().any();
        self.kind.next = self.call_words.read_data.val().get_bits::<KIND_WIDTH>(CALL_KIND_OFFSET);
        self.packets_here.next = self.packets.val() >> self.shift.val();
        self.credits_here.next = self.credits.val() >> self.shift.val();
        self.tokens_here.next = self.tokens.val() >> self.shift.val();
        self.own_packets.next = self.packets_here.val().get_bits::<NEIGHBOURS>(0);
        self.own_credits.next = self.credits_here.val().get_bits::<NEIGHBOURS>(0);
        self.own_tokens.next = self.tokens_here.val().get_bits::<NEIGHBOURS>(0);
        // The first child of those that are left.
        self.child.next = 0.into();
        self.child_place.next = 0.into();
        self.has_child.next = false;
        for i in 0..NEIGHBOURS {
            if self.remaining.val().get_bit(i) & !self.has_child.val() {
                self.child.next = self.child.val().replace_bit(i, true);
                self.child_place.next = bits::<PLACE_WIDTH>(i);
                self.has_child.next = true;
            }
        }
        self.is_last_child.next = !(self.remaining.val() & !self.child.val()).any();
        self.begins.next = self.remaining.val() == self.children.val();
        self.way_edge.next = field::<EDGE_WIDTH, CONTEXT_WIDTH>(self.current.q.val(), PLACE_WIDTH)
            | bit_cast::<EDGE_WIDTH, PLACE_WIDTH>(self.towards.val());
        self.child_edge.next = field::<EDGE_WIDTH, CONTEXT_WIDTH>(self.current.q.val(), PLACE_WIDTH)
            | bit_cast::<EDGE_WIDTH, PLACE_WIDTH>(self.child_place.val());
        self.neighbour.next = self.child_edge.val();
        if self.step.val() == Step::Send {
            self.neighbour.next = self.way_edge.val();
        }
        // Fold, and Gather of a member that is no root, send towards the root. All other steps that send do so to a child.
        self.target.next = self.child_edge.val();
        if ((self.step.val() == Step::Gather) & !self.root.val())
            | (self.step.val() == Step::Fold)
            | (self.step.val() == Step::Drain)
        {
            self.target.next = self.way_edge.val();
        }
        self.slot.next = self.next_slot.q.val().get_bit(self.neighbour.val().index());
        self.slots.next = self.next_slot.q.val();
        self.fits.d.next = (self.word.val() == self.call_words.read_data.val())
            & self.word_opens.val()
            & (self.word_down.val() == (self.step.val() == Step::Send));

        // The packet. All but the last are full, so places after it follow from its being the first or not.
        self.limit.next = bits::<WORDS_WIDTH>(PACKET_WORDS as u64);
        if self.first.val() {
            self.limit.next = bits::<WORDS_WIDTH>(PACKET_WORDS as u64 - 1);
        }
        self.is_last.next = !self.left.val().get_bits::<MORE_WIDTH>(WORDS_WIDTH).any()
            & (self.left.val().get_bits::<WORDS_WIDTH>(0) <= self.limit.val());
        self.words.next = self.limit.val();
        if self.is_last.val() {
            self.words.next = self.left.val().get_bits::<WORDS_WIDTH>(0);
        }
        self.places.write_data.next.left = self.left.val() - bit_cast::<LENGTH_WIDTH, WORDS_WIDTH>(self.limit.val());
        self.places.write_data.next.source =
            self.source.val() + bit_cast::<ADDRESS_WIDTH, WORDS_WIDTH>(self.limit.val());
        self.places.write_data.next.result =
            self.result.val() + bit_cast::<ADDRESS_WIDTH, WORDS_WIDTH>(self.limit.val());
        self.places.write_data.next.first = false;
        self.places.write_data.next.down = self.down.val();

        self.active.next =
            self.runs.q.val().get_bit(self.current.q.val().index()) & self.loaded.q.val() & !self.call.possible.val();
        self.fails.next = (self.faulty.q.val().get_bit(self.current.q.val().index())
            | self.expired.val().get_bit(self.current.q.val().index()))
            & (self.step.val() != Step::Report);
        self.holds.next = self.runs.q.val().get_bit(self.current.q.val().index())
            & (self.step.val() == Step::Fold)
            & !self.begins.val();
        self.compares.next = !self.settled.q.val()
            & (((self.step.val() == Step::Compare) & (self.own_packets.val() & self.child.val()).any())
                | ((self.step.val() == Step::Send)
                    & self.first.val()
                    & (self.own_packets.val() & self.way.val()).any()));
        self.gathers.next = false;
        self.releases.next = false;
        self.steps.next = false;
        self.advances.next = false;
        self.ends.next = false;
        self.taken_packet.next = 0.into();
        self.taken_credit.next = 0.into();
        self.taken_token.next = 0.into();
        self.next_state.next.step = self.step.val();
        self.next_state.next.remaining = self.remaining.val();
        self.turns_down.next = false;
        self.opened.next = 0.into();
        for i in 0..CONTEXTS {
            self.opened.next = self
                .opened
                .val()
                .replace_bit(i, self.open.val().get_bit(i * NEIGHBOURS));
        }
        self.over.d.next = (self.over.q.val() | self.ended.val()) & !self.opened.val();
        self.faulty.d.next = (self.faulty.q.val() | self.wrong.val() | self.close.val()) & !self.opened.val();
        self.off.d.next = (self.off.q.val() | (self.close.val() & !self.shut.q.val())) & !self.opened.val();
        self.overdue.d.next = self.overdue.q.val() & !self.opened.val();
        // A call that is being reported ends as it would have.
        self.shuts.next = self.faulty.q.val() & !self.runs.q.val();

        self.job.valid.next = false;
        self.job.owner.next = self.current.q.val();
        self.job.words.next = self.words.val();
        self.job.first.next = self.first.val();
        self.job.from_memory.next = false;
        self.job.address.next = self.source.val();
        self.job.from_edge.next = false;
        self.job.neighbour.next = self.neighbour.val();
        self.job.slot.next = self.slot.val();
        self.job.frees.next = self.is_last_child.val() | (self.step.val() == Step::Fold);
        self.job.from_sum.next = false;
        self.job.folds.next = false;
        self.job.call_word.next = self.call_words.read_data.val();
        self.job.to_network.next = false;
        self.job.down.next = self.step.val() == Step::Send;
        self.job.target.next = self.target.val();
        self.job.to_memory.next = false;
        self.job.result.next = self.result.val();
        self.job.to_sum.next = false;
        self.job.ends.next = self.is_last_child.val() & self.is_last.val();
        self.token_valid.next = false;
        self.token_edge.next = self.target.val();
        self.token_number.next = self.call_words.read_data.val().get_bits::<HEAD_NUMBER_WIDTH>(0);
        self.event.valid.next = false;
        self.event.event.next = self.calls.read_data.val().event;
        self.event.error.next = 0.into();
        for i in 0..CONTEXTS {
            self.codes[i].next = bits::<ERROR_WIDTH>(ErrorCode::Mismatch as u64);
            if self.overdue.q.val().get_bit(i) {
                self.codes[i].next = bits::<ERROR_WIDTH>(ErrorCode::TimedOut as u64);
            }
            if self.off.q.val().get_bit(i) {
                self.codes[i].next = bits::<ERROR_WIDTH>(ErrorCode::Closed as u64);
            }
            if (self.own.val() & self.shut.q.val()).get_bit(i) {
                self.event.error.next = self.codes[i].val();
            }
        }

        if self.active.val() {
            if self.fails.val() & ((self.step.val() != Step::Fold) | self.begins.val()) {
                self.shuts.next = self.shuts.val() | self.own.val();
                if !self.faulty.q.val().get_bit(self.current.q.val().index()) {
                    self.overdue.d.next = (self.overdue.q.val() | self.own.val()) & !self.opened.val();
                }
                self.next_state.next.step = Step::Report;
                self.steps.next = true;
            } else {
                if (self.step.val() == Step::Gather) & !(self.children.val() & !self.own_tokens.val()).any() {
                    self.gathers.next = true;
                }
                self.releases.next = (self.step.val() == Step::Release)
                    | (self.gathers.val() & self.root.val())
                    | ((self.step.val() == Step::Await) & (self.own_tokens.val() & self.way.val()).any());
                if self.gathers.val() & !self.root.val() {
                    self.token_valid.next = true;
                    if self.token_ready.val() {
                        self.taken_token.next = self.children.val();
                        self.steps.next = true;
                        self.next_state.next.step = Step::Await;
                    }
                }
                // The first child is released with the last token, and a leaf reports with it.
                if self.releases.val() {
                    self.token_valid.next = self.remaining.val().any();
                    if self.token_ready.val() | !self.remaining.val().any() {
                        if self.step.val() == Step::Gather {
                            self.taken_token.next = self.children.val();
                        }
                        if self.step.val() == Step::Await {
                            self.taken_token.next = self.way.val();
                        }
                        self.steps.next = true;
                        self.next_state.next.remaining = self.remaining.val() & !self.child.val();
                        self.next_state.next.step = Step::Release;
                        if self.is_last_child.val() {
                            self.next_state.next.step = Step::Report;
                        }
                    }
                }
                if (self.step.val() == Step::Compare)
                    & ((self.own_packets.val() & self.child.val()).any() | !self.remaining.val().any())
                    & !self.compares.val()
                {
                    self.steps.next = true;
                    self.next_state.next.remaining = self.remaining.val() & !self.child.val();
                    if self.is_last_child.val() {
                        self.next_state.next.remaining = self.children.val();
                        self.next_state.next.step = Step::Fold;
                    }
                    if self.remaining.val().any() & !self.fits.q.val() {
                        self.shuts.next = self.shuts.val() | self.own.val();
                        self.next_state.next.step = Step::Report;
                    }
                }
                if self.step.val() == Step::Fold {
                    self.job.from_memory.next = self.begins.val();
                    self.job.from_sum.next = !self.begins.val();
                    self.job.from_edge.next = self.remaining.val().any();
                    self.job.folds.next = self.remaining.val().any();
                    self.job.to_network.next = self.is_last_child.val() & !self.root.val();
                    self.job.to_memory.next = self.is_last_child.val() & self.root.val();
                    self.job.to_sum.next = !self.is_last_child.val();
                    self.job.valid.next = !self.begins.val()
                        | (!(self.children.val() & !self.own_packets.val()).any()
                            & (self.root.val() | (self.own_credits.val() & self.way.val()).any()));
                    if self.job.valid.val() & self.job.ready.val() {
                        self.steps.next = true;
                        self.taken_packet.next = self.child.val();
                        self.next_state.next.remaining = self.remaining.val() & !self.child.val();
                        if self.is_last_child.val() {
                            self.taken_credit.next = self.way.val();
                            self.advances.next = true;
                        }
                        self.holds.next = !self.is_last_child.val();
                    }
                }
                if self.step.val() == Step::Send {
                    if self.root.val() & !self.children.val().any() {
                        self.steps.next = true;
                        self.next_state.next.step = Step::Report;
                    }
                    if (self.root.val() | (self.own_packets.val() & self.way.val()).any()) & !self.compares.val() {
                        if self.first.val() & !self.root.val() & !self.fits.q.val() {
                            self.shuts.next = self.shuts.val() | self.own.val();
                            self.next_state.next.step = Step::Report;
                            self.steps.next = true;
                        } else {
                            self.job.from_memory.next = self.root.val();
                            self.job.from_edge.next = !self.root.val();
                            self.job.to_network.next = self.remaining.val().any();
                            self.job.to_memory.next = !self.root.val() & self.begins.val();
                            self.job.valid.next = (self.children.val().any() | !self.root.val())
                                & (!self.remaining.val().any() | (self.own_credits.val() & self.child.val()).any());
                            if self.job.valid.val() & self.job.ready.val() {
                                self.steps.next = true;
                                self.taken_credit.next = self.child.val();
                                self.next_state.next.remaining = self.remaining.val() & !self.child.val();
                                if self.is_last_child.val() {
                                    self.taken_packet.next = self.way.val();
                                    self.advances.next = true;
                                }
                            }
                        }
                    }
                }
                if (self.step.val() == Step::Drain) & (self.over.q.val() & self.own.val()).any() {
                    self.over.d.next = ((self.over.q.val() & !self.own.val()) | self.ended.val()) & !self.opened.val();
                    self.steps.next = true;
                    self.next_state.next.step = Step::Report;
                    if (self.kind.val() == bits::<KIND_WIDTH>(Kind::Allreduce as u64)) & !self.down.val() {
                        self.next_state.next.step = Step::Send;
                        self.next_state.next.remaining = self.children.val();
                        self.turns_down.next = true;
                    }
                }
                if self.step.val() == Step::Report {
                    self.event.valid.next =
                        !self.calls.read_data.val().quiet | self.shut.q.val().get_bit(self.current.q.val().index());
                    self.ends.next = !self.event.valid.val() | self.event.ready.val();
                }
            }
        }
        // After the last pass over a packet.
        if self.advances.val() {
            self.next_state.next.remaining = self.children.val();
            if self.is_last.val() {
                self.next_state.next.step = Step::Drain;
            }
        }
        if self.turns_down.val() {
            self.places.write_data.next.left = self
                .call_words
                .read_data
                .val()
                .get_bits::<LENGTH_WIDTH>(CALL_LENGTH_OFFSET);
            self.places.write_data.next.source = self.calls.read_data.val().base;
            self.places.write_data.next.result = self.calls.read_data.val().base;
            self.places.write_data.next.first = true;
            self.places.write_data.next.down = true;
        }
        self.moves.next = 0.into();
        if self.steps.val() {
            self.moves.next = self.own.val();
        }
        self.take_packet.next = bit_cast::<EDGES, NEIGHBOURS>(self.taken_packet.val()) << self.shift.val();
        self.take_credit.next = bit_cast::<EDGES, NEIGHBOURS>(self.taken_credit.val()) << self.shift.val();
        self.take_token.next = bit_cast::<EDGES, NEIGHBOURS>(self.taken_token.val()) << self.shift.val();
        self.next_slot.d.next = (self.next_slot.q.val() ^ self.take_packet.val()) & !self.open.val() & self.built.val();

        self.turned.next = (bit_cast::<TURN_WIDTH, CONTEXTS>(self.runs.q.val())
            | field::<TURN_WIDTH, CONTEXTS>(self.runs.q.val(), CONTEXTS))
            >> (bit_cast::<3, CONTEXT_WIDTH>(self.current.q.val()) + 1);
        // The next in turn, unless the passes over a packet have begun, or its first word is being compared.
        if self.loaded.q.val() & !self.holds.val() & !(self.compares.val() & self.active.val()) {
            if self.turned.val().get_bit(3) {
                self.current.d.next = self.current.q.val();
            }
            if self.turned.val().get_bit(2) {
                self.current.d.next = (self.current.q.val() + 3) & self.last_context.val();
            }
            if self.turned.val().get_bit(1) {
                self.current.d.next = (self.current.q.val() + 2) & self.last_context.val();
            }
            if self.turned.val().get_bit(0) {
                self.current.d.next = (self.current.q.val() + 1) & self.last_context.val();
            }
        }

        // A call that finds nothing running is in turn at once.
        self.jumps.next = self.call.valid.val() & !self.runs.q.val().any();
        self.loaded.d.next = self.jumps.val() | (self.current.d.val() == self.current.q.val());
        if self.jumps.val() {
            self.current.d.next = self.call.owner.val();
        }
        self.settled.d.next = self.loaded.q.val() & self.loaded.d.val() & !self.steps.val() & !self.call.valid.val();

        // A call begins.
        self.new_kind.next = self.call.word.val().get_bits::<KIND_WIDTH>(CALL_KIND_OFFSET);
        self.new_present.next = self.present.val() >> field::<6, CONTEXT_WIDTH>(self.call.owner.val(), PLACE_WIDTH);
        self.new_way.next = bits::<NEIGHBOURS>(1) << self.call.towards.val();
        if self.call.root.val() {
            self.new_way.next = 0.into();
        }
        self.new_children.next = self.new_present.val().get_bits::<NEIGHBOURS>(0) & !self.new_way.val();
        self.state.write_enable.next = self.steps.val();
        self.places.write_enable.next = self.advances.val() | self.turns_down.val();
        self.state.write_address.next = self.current.q.val();
        self.places.write_address.next = self.current.q.val();
        if self.call.valid.val() {
            self.state.write_enable.next = true;
            self.state.write_address.next = self.call.owner.val();
            self.places.write_enable.next = true;
            self.places.write_address.next = self.call.owner.val();
            self.next_state.next.remaining = self.new_children.val();
            self.places.write_data.next.left = self.call.word.val().get_bits::<LENGTH_WIDTH>(CALL_LENGTH_OFFSET);
            self.places.write_data.next.first = true;
            self.places.write_data.next.down = false;
            self.places.write_data.next.source = self.call.source.val();
            self.places.write_data.next.result = self.call.result.val();
            self.next_state.next.step = Step::Compare;
            if self.new_kind.val() == bits::<KIND_WIDTH>(Kind::Barrier as u64) {
                self.next_state.next.step = Step::Gather;
            }
            if self.new_kind.val() == bits::<KIND_WIDTH>(Kind::Broadcast as u64) {
                self.next_state.next.step = Step::Send;
            }
        }
        self.state.write_data.next = self.next_state.val();
        self.call_words.write_enable.next = self.call.valid.val();
        self.call_words.write_address.next = self.call.owner.val();
        self.call_words.write_data.next = self.call.word.val();
        self.calls.write_enable.next = self.call.valid.val();
        self.calls.write_address.next = self.call.owner.val();
        self.new_neighbourhood.next.way = self.new_way.val();
        self.new_neighbourhood.next.children = self.new_children.val();
        self.new_neighbourhood.next.towards = self.call.towards.val();
        self.calls.write_data.next.neighbourhood = self.new_neighbourhood.val();
        self.calls.write_data.next.event = self.call.event.val();
        self.calls.write_data.next.quiet = self.call.quiet.val();
        self.calls.write_data.next.base = self.call.result.val();

        // Load the step and the neighbours of the context in turn.
        self.enters.next = self.jumps.val() | (self.call.valid.val() & (self.call.owner.val() == self.current.q.val()));
        if !self.loaded.q.val() {
            self.now.d.next = self.state.read_data.val();
            self.neighbourhood.d.next = self.calls.read_data.val().neighbourhood;
        }
        if self.steps.val() | self.enters.val() {
            self.now.d.next = self.next_state.val();
        }
        if self.enters.val() {
            self.neighbourhood.d.next = self.new_neighbourhood.val();
        }

        if self.ends.val() {
            self.runs.d.next = self.runs.q.val() & !self.own.val();
        }
        if self.call.valid.val() {
            self.runs.d.next = self.runs.q.val() | (bits::<CONTEXTS>(1) << self.call.owner.val());
        }
        self.running.next = self.runs.q.val();
        self.closed.next = self.shut.q.val();
        self.shut.d.next = (self.shut.q.val() | self.shuts.val()) & !self.opened.val();
        if self.rst.val() {
            self.current.d.next = 0.into();
            self.runs.d.next = 0.into();
            self.shut.d.next = 0.into();
            self.overdue.d.next = 0.into();
            self.off.d.next = 0.into();
            self.settled.d.next = false;
            self.loaded.d.next = true;
            self.over.d.next = 0.into();
            self.faulty.d.next = 0.into();
            self.next_slot.d.next = 0.into();
        }
    }
}
