//! What a request asks of the sequencer.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | state | none |

use super::{Request, PLACE_WIDTH, REPEAT_WIDTH};
use crate::ni::ports::StartOut;
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
use rust_hdl::prelude::*;

/// Starts the server.
#[derive(LogicBlock)]
pub struct RequestStart {
    pub offer: Signal<In, Bit>,
    pub request: Signal<In, Request>,
    /// The window, in words.
    pub base: Signal<In, Bits<OFFSET_WIDTH>>,
    pub size: Signal<In, Bits<OFFSET_WIDTH>>,
    pub start: StartOut,
    pub started: Signal<Out, Bit>,
    cubic_words: Constant<Bits<PLACE_WIDTH>>,
    once: Constant<Bits<REPEAT_WIDTH>>,
    server: Constant<Bits<CONTEXT_WIDTH>>,
    reply_kind: Constant<Bits<KIND_WIDTH>>,
    put: Constant<Bits<PC_WIDTH>>,
    put2d: Constant<Bits<PC_WIDTH>>,
    put3d: Constant<Bits<PC_WIDTH>>,
    empty: Constant<Bits<PC_WIDTH>>,
}

impl RequestStart {
    /// For programs at `entries`.
    pub fn new(entries: &Entries) -> Self {
        let entry = |place: u8| Constant::new(bits(u64::from(place)));
        Self {
            offer: Default::default(),
            request: Default::default(),
            base: Default::default(),
            size: Default::default(),
            start: Default::default(),
            started: Default::default(),
            cubic_words: Constant::new(bits(TRANSFER_WORDS[2] as u64)),
            once: Constant::new(bits(1)),
            server: Constant::new(bits(SERVER_CONTEXT as u64)),
            reply_kind: Constant::new(bits(DataKind::Reply as u64)),
            put: entry(entries.put),
            put2d: entry(entries.put2d),
            put3d: entry(entries.put3d),
            empty: entry(entries.empty),
        }
    }
}

impl Logic for RequestStart {
    #[hdl_gen]
    fn update(&mut self) {
        self.started.next = self.offer.val() & self.start.ready.val();
        self.start.valid.next = self.offer.val();
        self.start.context.next = self.server.val();
        self.start.pc.next = self.put2d.val();
        if !(self.request.val().row.any() & self.request.val().rows.any() & self.request.val().has_planes) {
            self.start.pc.next = self.empty.val();
        } else if self.request.val().count == self.cubic_words.val() {
            self.start.pc.next = self.put3d.val();
        } else if self.request.val().rows == self.once.val() {
            self.start.pc.next = self.put.val();
        }
        self.start.control.next = false;
        self.start.bare.next = false;
        self.start.destination.next = self.request.val().source;
        self.start.tag.next = bit_cast::<TAG_WIDTH, SLOT_WIDTH>(self.request.val().slot);
        self.start.kind.next = self.reply_kind.val();
        self.start.offset.next = self.request.val().offset;
        // The requester has made sure of its own memory.
        self.start.size.next = bits::<OFFSET_WIDTH>(0) - 1;
        self.start.row.next = self.request.val().row;
        self.start.stride.next = self.request.val().stride;
        if self.request.val().rows == self.once.val() {
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
