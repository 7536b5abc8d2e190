use super::RequestLoad;
use crate::{
    dma::ports::{ArgumentOut, GetRequest},
    prim::StreamIn,
};
use portico_spec::{
    flit::TAG_WIDTH,
    ni::{
        packet::{ERROR_WIDTH, OFFSET_WIDTH},
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
    /// The server may take it.
    Offer,
    /// It is refused.
    Refuse,
}

/// The path of requests: takes get requests of other nodes, and offers them to the server, one after the other.
///
/// One request at a time.
///
/// | | |
/// | --- | --- |
/// | latency | last word of a request to `offer`: 1 cycle |
/// | throughput | one request at a time, from its first word until it is taken |
/// | state | [`RequestLoad`], and how far the request is |
///
/// A request waits for nothing but the server. A packet without an ADDRESS word has no slot to refuse; it is forgotten.
#[derive(LogicBlock, Default)]
pub struct RequestIntake {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Get requests of other nodes, whole packets.
    pub s_axis: StreamIn<32>,
    /// The server runs.
    pub active: Signal<In, Bit>,
    /// Words of requests, for the registers of the server.
    pub argument: ArgumentOut,
    /// A word of `s_axis` may go to `argument`.
    pub grant: Signal<In, Bit>,
    /// Looks a window up; its fields below are there from the second cycle on.
    pub lookup: Signal<Out, Bit>,
    /// Tag of the window to look up; valid with `lookup`.
    pub window_tag: Signal<Out, Bits<TAG_WIDTH>>,
    /// A lookup may come in this cycle; no first word is taken without it.
    pub lookup_ready: Signal<In, Bit>,
    /// Words of the window.
    pub size: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Mode of the window.
    pub mode: Signal<In, Bits<MODE_WIDTH>>,
    /// The request in hand is right; it stays until it is taken.
    pub offer: Signal<Out, Bit>,
    /// The request that is offered is taken in this cycle.
    pub taken: Signal<In, Bit>,
    /// The request in hand is refused with `refuse_error`.
    pub refuse: Signal<Out, Bit>,
    /// Error code of the refusal; valid with `refuse`.
    pub refuse_error: Signal<Out, Bits<ERROR_WIDTH>>,
    /// The refusal is taken in this cycle if `refuse` is high.
    pub refuse_ready: Signal<In, Bit>,
    /// The request in hand, or the one before.
    pub request: Signal<Out, GetRequest>,
    load: RequestLoad,
    state: DFF<RequestState>,
    error: DFF<Bits<ERROR_WIDTH>>,
    right: Signal<Local, Bit>,
    finished: Signal<Local, Bit>,
}

#[kernel]
impl Logic for RequestIntake {
    fn update(&mut self) {
        wire!(self => load: clk, rst);
        dff_setup!(self, clk, state, error);
        wire!(self <=> load: s_axis, argument);
        self.load.open.next = (self.state.q.val() == RequestState::Take) & self.grant.val();
        self.load.open_first.next = !self.active.val() & self.lookup_ready.val();
        wire!(load => self: lookup, window_tag);
        self.request.next = self.load.request.val();
        self.load.size.next = self.size.val();
        self.refuse_error.next = self.error.q.val();

        self.right.next =
            self.load.request.val().right_count & (self.mode.val() == bits::<MODE_WIDTH>(Mode::Window as u64));
        self.offer.next = (self.state.q.val() == RequestState::Offer)
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
                    self.finished.next = self.taken.val();
                }
            }
            RequestState::Offer => {
                self.finished.next = self.taken.val();
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
