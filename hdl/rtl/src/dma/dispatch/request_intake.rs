use super::{RequestLoad, RequestStart};
use crate::{
    dma::ports::{ArgumentOut, StartOut},
    prim::StreamIn,
};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::{
        firmware::Entries,
        packet::{ERROR_WIDTH, OFFSET_WIDTH, SLOT_WIDTH},
        window::{Mode, MODE_WIDTH},
        ErrorCode,
    },
};
use portico_verilog::prelude::*;

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

/// The path of requests: takes get requests of other nodes, and starts the server for them, one after the other.
///
/// One request at a time.
///
/// | | |
/// | --- | --- |
/// | latency | last word of a request to start offered: 1 cycle |
/// | throughput | one request at a time, from its first word to the stop of the server |
/// | state | [`RequestLoad`], and 6 flip-flops |
///
/// A request waits for nothing but the server. A packet without an ADDRESS word has no slot to refuse; it is forgotten.
#[derive(LogicBlock, Default)]
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
    /// Looks a window up; its fields below are there from the second cycle on.
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
    right: Signal<Local, Bit>,
    finished: Signal<Local, Bit>,
}

impl RequestIntake {
    /// For programs at `entries`.
    pub fn new(entries: &Entries) -> Self {
        Self {
            plan: RequestStart::new(entries),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for RequestIntake {
    fn update(&mut self) {
        wire!(self => load: clk, rst);
        dff_setup!(self, clk, state, error);
        StreamIn::<32>::link(&mut self.s_axis, &mut self.load.s_axis);
        ArgumentOut::link(&mut self.argument, &mut self.load.argument);
        StartOut::link(&mut self.start, &mut self.plan.start);
        self.load.open.next = (self.state.q.val() == RequestState::Take) & self.grant.val();
        self.load.open_first.next = !self.active.val() & self.lookup_ready.val();
        wire!(load => self: lookup, window_tag);
        self.plan.request.next = self.load.request.val();
        wire!(self => plan: base, size);
        self.load.size.next = self.size.val();
        self.requester.next = self.load.request.val().source;
        self.slot.next = self.load.request.val().slot;
        self.refuse_error.next = self.error.q.val();

        self.right.next =
            self.load.request.val().right_count & (self.mode.val() == bits::<MODE_WIDTH>(Mode::Window as u64));
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
                if !self.load.request.val().right_count {
                    self.error.d.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
                } else if self.mode.val() == bits::<MODE_WIDTH>(Mode::Off as u64) {
                    self.error.d.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownWindow as u64);
                } else if self.mode.val() != bits::<MODE_WIDTH>(Mode::Window as u64) {
                    self.error.d.next = bits::<ERROR_WIDTH>(ErrorCode::WrongWindow as u64);
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
