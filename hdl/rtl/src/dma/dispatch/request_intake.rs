//! The path of requests: takes get requests of other nodes, and starts the server for them, one after the other.
//!
//! | | |
//! | --- | --- |
//! | latency | last word of a request to start offered: 1 cycle |
//! | throughput | one request at a time, from its first word to the stop of the server |
//! | state | [`RequestLoad`], and 6 flip-flops |
//!
//! A request waits for nothing but the server. A packet without an ADDRESS word has no slot to refuse; it is forgotten.

use super::{RequestLoad, RequestStart, PLACE_WIDTH};
use crate::{
    ni::ports::{ArgumentOut, StartOut},
    prim::StreamIn,
};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::{
        command::TRANSFER_WORDS,
        firmware::Entries,
        packet::{ERROR_WIDTH, OFFSET_WIDTH, SLOT_WIDTH},
        window::{Mode, MODE_WIDTH},
        ErrorCode,
    },
};
use rust_hdl::prelude::*;

/// Where a request is.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum RequestState {
    /// Its words come.
    Take,
    /// All are there.
    Check,
    /// The server starts.
    Offer,
    /// It is refused.
    Refuse,
}

/// One request at a time.
#[derive(LogicBlock)]
pub struct RequestIntake {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub s_axis: StreamIn<32>,
    /// The server runs.
    pub active: Signal<In, Bit>,
    pub argument: ArgumentOut,
    /// A word of `s_axis` may go to `argument`.
    pub grant: Signal<In, Bit>,
    /// Looks a window up; its fields below are there from the next cycle on.
    pub lookup: Signal<Out, Bit>,
    pub window_tag: Signal<Out, Bits<TAG_WIDTH>>,
    pub lookup_ready: Signal<In, Bit>,
    pub base: Signal<In, Bits<OFFSET_WIDTH>>,
    pub size: Signal<In, Bits<OFFSET_WIDTH>>,
    pub mode: Signal<In, Bits<MODE_WIDTH>>,
    pub start: StartOut,
    /// The request in hand is refused with `refuse_error`.
    pub refuse: Signal<Out, Bit>,
    pub refuse_error: Signal<Out, Bits<ERROR_WIDTH>>,
    pub refuse_ready: Signal<In, Bit>,
    /// Of the request in hand, or in service.
    pub requester: Signal<Out, Bits<NODE_WIDTH>>,
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    load: RequestLoad,
    plan: RequestStart,
    state: DFF<RequestState>,
    error: DFF<Bits<ERROR_WIDTH>>,
    right_count: Signal<Local, Bit>,
    right: Signal<Local, Bit>,
    finished: Signal<Local, Bit>,
    linear_words: Constant<Bits<PLACE_WIDTH>>,
    square_words: Constant<Bits<PLACE_WIDTH>>,
    cubic_words: Constant<Bits<PLACE_WIDTH>>,
    off: Constant<Bits<MODE_WIDTH>>,
    window: Constant<Bits<MODE_WIDTH>>,
    malformed: Constant<Bits<ERROR_WIDTH>>,
    unknown_window: Constant<Bits<ERROR_WIDTH>>,
    wrong_window: Constant<Bits<ERROR_WIDTH>>,
}

impl RequestIntake {
    /// For programs at `entries`.
    pub fn new(entries: &Entries) -> Self {
        let words = |count: usize| Constant::new(bits(count as u64));
        let code = |error: ErrorCode| Constant::new(bits(error as u64));
        Self {
            clk: Default::default(),
            rst: Default::default(),
            s_axis: Default::default(),
            active: Default::default(),
            argument: Default::default(),
            grant: Default::default(),
            lookup: Default::default(),
            window_tag: Default::default(),
            lookup_ready: Default::default(),
            base: Default::default(),
            size: Default::default(),
            mode: Default::default(),
            start: Default::default(),
            refuse: Default::default(),
            refuse_error: Default::default(),
            refuse_ready: Default::default(),
            requester: Default::default(),
            slot: Default::default(),
            load: Default::default(),
            plan: RequestStart::new(entries),
            state: Default::default(),
            error: Default::default(),
            right_count: Default::default(),
            right: Default::default(),
            finished: Default::default(),
            linear_words: words(TRANSFER_WORDS[0]),
            square_words: words(TRANSFER_WORDS[1]),
            cubic_words: words(TRANSFER_WORDS[2]),
            off: Constant::new(bits(Mode::Off as u64)),
            window: Constant::new(bits(Mode::Window as u64)),
            malformed: code(ErrorCode::Malformed),
            unknown_window: code(ErrorCode::UnknownWindow),
            wrong_window: code(ErrorCode::WrongWindow),
        }
    }
}

impl Logic for RequestIntake {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, state, error);
        self.load.clk.next = self.clk.val();
        self.load.rst.next = self.rst.val();
        StreamIn::<32>::link(&mut self.s_axis, &mut self.load.s_axis);
        ArgumentOut::link(&mut self.argument, &mut self.load.argument);
        StartOut::link(&mut self.start, &mut self.plan.start);
        self.load.open.next = (self.state.q.val() == RequestState::Take) & self.grant.val();
        self.load.open_first.next = !self.active.val() & self.lookup_ready.val();
        self.lookup.next = self.load.lookup.val();
        self.window_tag.next = self.load.window_tag.val();
        self.plan.request.next = self.load.request.val();
        self.plan.base.next = self.base.val();
        self.plan.size.next = self.size.val();
        self.requester.next = self.load.request.val().source;
        self.slot.next = self.load.request.val().slot;
        self.refuse_error.next = self.error.q.val();

        // Rows without strides would be read at those of the request before.
        self.right_count.next = ((self.load.request.val().count == self.linear_words.val())
            & (self.load.request.val().rows <= 1))
            | (self.load.request.val().count == self.square_words.val())
            | (self.load.request.val().count == self.cubic_words.val());
        self.right.next = self.right_count.val() & (self.mode.val() == self.window.val());
        self.plan.offer.next = (self.state.q.val() == RequestState::Offer)
            | ((self.state.q.val() == RequestState::Check) & self.right.val());
        self.refuse.next = false;
        self.finished.next = false;
        match self.state.q.val() {
            RequestState::Take => {
                if self.load.complete.val() {
                    self.state.d.next = RequestState::Check;
                    self.finished.next = self.load.lone.val();
                }
            }
            RequestState::Check => {
                self.state.d.next = RequestState::Refuse;
                if !self.right_count.val() {
                    self.error.d.next = self.malformed.val();
                } else if self.mode.val() == self.off.val() {
                    self.error.d.next = self.unknown_window.val();
                } else if self.mode.val() != self.window.val() {
                    self.error.d.next = self.wrong_window.val();
                } else {
                    // Offered already; it may be taken at once.
                    self.state.d.next = RequestState::Offer;
                    self.finished.next = self.plan.started.val();
                }
            }
            RequestState::Offer => {
                self.finished.next = self.plan.started.val();
            }
            RequestState::Refuse => {
                self.refuse.next = true;
                self.finished.next = self.refuse_ready.val();
            }
        }
        if self.finished.val() {
            self.state.d.next = RequestState::Take;
        }
        self.load.clear.next = self.finished.val();
        if self.rst.val() {
            self.state.d.next = RequestState::Take;
        }
    }
}
