use super::{GetRequest, PLACE_WIDTH, REPEAT_WIDTH};
use crate::dma::ports::StartOut;
use portico_spec::{
    flit::{KIND_WIDTH, TAG_WIDTH},
    ni::{
        command::TRANSFER_WORDS,
        firmware::Entries,
        instruction::PC_WIDTH,
        packet::{DataKind, OFFSET_WIDTH, SLOT_WIDTH},
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
    pub offer: Signal<In, Bit>,
    pub request: Signal<In, GetRequest>,
    /// The window, in words.
    pub base: Signal<In, Bits<OFFSET_WIDTH>>,
    pub size: Signal<In, Bits<OFFSET_WIDTH>>,
    pub start: StartOut,
    pub started: Signal<Out, Bit>,
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
        self.start.pc.next = self.put2d.val();
        if !(self.request.val().row.any() & self.request.val().rows.any() & self.request.val().has_planes) {
            self.start.pc.next = self.empty.val();
        } else if self.request.val().count == bits::<PLACE_WIDTH>(TRANSFER_WORDS[2] as u64) {
            self.start.pc.next = self.put3d.val();
        } else if self.request.val().rows == bits::<REPEAT_WIDTH>(1) {
            self.start.pc.next = self.put.val();
        }
        self.start.control.next = false;
        self.start.bare.next = false;
        self.start.destination.next = self.request.val().source;
        self.start.tag.next = bit_cast::<TAG_WIDTH, SLOT_WIDTH>(self.request.val().slot);
        self.start.kind.next = bits::<KIND_WIDTH>(DataKind::Reply as u64);
        self.start.offset.next = self.request.val().offset;
        // The requester has made sure of its own memory.
        self.start.size.next = bits::<OFFSET_WIDTH>(0) - 1;
        self.start.row.next = self.request.val().row;
        self.start.stride.next = self.request.val().stride;
        if self.request.val().rows == bits::<REPEAT_WIDTH>(1) {
            self.start.stride.next = self.request.val().row;
        }
        self.start.has_slot.next = false;
        self.start.slot.next = 0.into();
        self.start.operation.next = 0.into();
        self.start.wide.next = false;
        self.start.half.next = false;
        self.start.shaper.next = 0.into();
        self.start.segment.next = 0.into();
        self.start.event.next = 0.into();
        self.start.quiet.next = true;
        self.start.base.next = self.base.val();
        self.start.limit.next = self.size.val();
    }
}
