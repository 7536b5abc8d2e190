use crate::dma::ports::{GetRequest, StartOut, REQUEST_COUNT_WIDTH};
use portico_spec::{
    flit::{KIND_WIDTH, MAX_PAYLOAD_FLITS, TAG_WIDTH},
    ni::{
        command::TRANSFER_WORDS,
        firmware::Entries,
        instruction::{COUNT_WIDTH, PC_WIDTH},
        packet::{DataKind, OFFSET_WIDTH, ROW_WIDTH, SLOT_WIDTH},
        CONTEXT_WIDTH, SERVER_CONTEXT,
    },
};
use portico_verilog::prelude::*;

/// What a request asks of the sequencer.
///
/// Starts the server.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct RequestStart {
    /// A request is right and may be served; it stays until it is started.
    pub offer: Signal<In, Bit>,
    /// The request that is offered; valid with `offer`.
    pub request: Signal<In, GetRequest>,
    /// Address of the first word of its window, in words.
    pub base: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Words of its window.
    pub size: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Starts of the server, for gets of other nodes.
    pub start: StartOut,
    /// The server takes the request in this cycle.
    pub started: Signal<Out, Bit>,
    in_window: Signal<Local, Bit>,
    put: Constant<Bits<PC_WIDTH>>,
    put2d: Constant<Bits<PC_WIDTH>>,
    put3d: Constant<Bits<PC_WIDTH>>,
    empty: Constant<Bits<PC_WIDTH>>,
}

impl RequestStart {
    /// For programs at `entries`.
    pub fn new(entries: &Entries) -> Self {
        let entry = |place: u8| Constant::new(bits(place.into()));
        Self {
            put: entry(entries.put),
            put2d: entry(entries.put2d),
            put3d: entry(entries.put3d),
            empty: entry(entries.empty),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for RequestStart {
    fn update(&mut self) {
        self.started.next = self.offer.val() & self.start.ready.val();
        self.start.valid.next = self.offer.val();
        self.start.context.next = bits::<CONTEXT_WIDTH>(SERVER_CONTEXT);
        self.start.job.next.pc = self.put2d.val();
        if self.request.val().nothing {
            self.start.job.next.pc = self.empty.val();
        } else if self.request.val().count == bits::<REQUEST_COUNT_WIDTH>(TRANSFER_WORDS[2] as u64) {
            self.start.job.next.pc = self.put3d.val();
        } else if self.request.val().one_row {
            self.start.job.next.pc = self.put.val();
        }
        self.start.job.next.control = false;
        self.start.job.next.bare = false;
        self.start.job.next.destination = self.request.val().source;
        self.start.job.next.tag = bit_cast::<TAG_WIDTH, SLOT_WIDTH>(self.request.val().slot);
        self.start.job.next.kind = bits::<KIND_WIDTH>(DataKind::Reply as u64);
        self.start.job.next.offset = self.request.val().offset;
        // The requester has made sure of its own memory.
        self.start.job.next.size = bits::<OFFSET_WIDTH>(0) - 1;
        self.start.job.next.row = self.request.val().row;
        self.start.job.next.stride = self.request.val().stride;
        if self.request.val().one_row {
            self.start.job.next.stride = self.request.val().row;
        }
        self.start.job.next.has_slot = false;
        self.start.job.next.slot = 0.into();
        self.start.job.next.behind = false;
        self.start.job.next.operation = 0.into();
        self.start.job.next.wide = false;
        self.start.job.next.half = false;
        self.start.job.next.shaper = 0.into();
        self.start.job.next.segment = 0.into();
        self.start.job.next.event = 0.into();
        self.start.job.next.quiet = true;
        self.in_window.next = !self.request.val().beyond
            & (bit_cast::<OFFSET_WIDTH, ROW_WIDTH>(self.request.val().row) <= self.request.val().room);
        self.start.job.next.single = self.request.val().nothing
            | (self.request.val().one_row
                & (self.request.val().count != bits::<REQUEST_COUNT_WIDTH>(TRANSFER_WORDS[2] as u64))
                & (self.request.val().row <= bits::<ROW_WIDTH>(MAX_PAYLOAD_FLITS))
                & self.in_window.val());
        self.start.job.next.literals = 0.into();
        self.start.job.next.bank = 0.into();
        self.start.job.next.words = 0.into();
        if !self.request.val().nothing {
            self.start.job.next.words = self.request.val().row.get_bits::<COUNT_WIDTH>(0);
        }
        self.start.job.next.pointer = self.request.val().pointer;
        self.start.job.next.base = self.base.val();
        self.start.job.next.limit = self.size.val();
    }
}
