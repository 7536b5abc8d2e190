//! What a context is about: the part of its start that does not change, and whether its transfer has ended.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational from `current`; a start is seen in the next cycle |
//! | throughput | one start a cycle |
//! | state | a transfer by context, in LUT-RAM |

use crate::{dma::ports::StartIn, prim::LutRam};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::{
        command::SHAPER_WIDTH,
        event::EVENT_WIDTH,
        packet::{OFFSET_WIDTH, OPERATION_WIDTH, SLOT_WIDTH},
        segment::HANDLE_WIDTH,
        CONTEXT_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Bits of a start: control, bare, has_slot, wide, half, quiet.
const FLAGS: usize = 6;

/// A transfer, as [`crate::dma::ports::StartIn`] describes it.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Transfer {
    pub control: Bit,
    pub bare: Bit,
    pub has_slot: Bit,
    pub wide: Bit,
    pub half: Bit,
    pub quiet: Bit,
    pub destination: Bits<NODE_WIDTH>,
    pub tag: Bits<TAG_WIDTH>,
    pub kind: Bits<KIND_WIDTH>,
    pub size: Bits<OFFSET_WIDTH>,
    pub slot: Bits<SLOT_WIDTH>,
    pub operation: Bits<OPERATION_WIDTH>,
    pub shaper: Bits<SHAPER_WIDTH>,
    pub segment: Bits<HANDLE_WIDTH>,
    pub own_event: Bits<EVENT_WIDTH>,
    pub base: Bits<OFFSET_WIDTH>,
    pub limit: Bits<OFFSET_WIDTH>,
    /// A packet has been sent that ends the transfer, or went to the control plane: the slot is in its hands.
    pub ended: Bit,
}

type Column<const D: usize> = LutRam<D, CONTEXT_WIDTH>;

/// The transfers of all contexts.
#[derive(LogicBlock, Default)]
pub struct TransferTable {
    pub clk: Signal<In, Clock>,
    /// No start is taken.
    pub initialising: Signal<In, Bit>,
    pub start: StartIn,
    /// A start is taken in this cycle.
    pub started: Signal<Out, Bit>,
    pub current: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The transfer of `current` ends.
    pub end_transfer: Signal<In, Bit>,
    pub transfer: Signal<Out, Transfer>,
    destination: Column<NODE_WIDTH>,
    tag: Column<TAG_WIDTH>,
    kind: Column<KIND_WIDTH>,
    size: Column<OFFSET_WIDTH>,
    slot: Column<SLOT_WIDTH>,
    operation: Column<OPERATION_WIDTH>,
    shaper: Column<SHAPER_WIDTH>,
    segment: Column<HANDLE_WIDTH>,
    own_event: Column<EVENT_WIDTH>,
    base: Column<OFFSET_WIDTH>,
    limit: Column<OFFSET_WIDTH>,
    flags: [Column<1>; FLAGS],
    ended: Column<1>,
    takes: Signal<Local, Bit>,
}

#[kernel]
impl Logic for TransferTable {
    fn update(&mut self) {
        wire!(
            self => destination, tag, kind, size, slot, operation, shaper, segment, own_event, base, limit, ended:
                clk
        );
        self.takes.next = self.start.valid.val() & !self.initialising.val();
        self.start.ready.next = !self.initialising.val();
        self.started.next = self.takes.val();

        self.destination.write_enable.next = self.takes.val();
        self.destination.write_address.next = self.start.context.val();
        self.destination.write_data.next = self.start.job.val().destination;
        self.destination.read_address.next = self.current.val();
        self.transfer.next.destination = self.destination.read_data.val();
        self.tag.write_enable.next = self.takes.val();
        self.tag.write_address.next = self.start.context.val();
        self.tag.write_data.next = self.start.job.val().tag;
        self.tag.read_address.next = self.current.val();
        self.transfer.next.tag = self.tag.read_data.val();
        self.kind.write_enable.next = self.takes.val();
        self.kind.write_address.next = self.start.context.val();
        self.kind.write_data.next = self.start.job.val().kind;
        self.kind.read_address.next = self.current.val();
        self.transfer.next.kind = self.kind.read_data.val();
        self.size.write_enable.next = self.takes.val();
        self.size.write_address.next = self.start.context.val();
        self.size.write_data.next = self.start.job.val().size;
        self.size.read_address.next = self.current.val();
        self.transfer.next.size = self.size.read_data.val();
        self.slot.write_enable.next = self.takes.val();
        self.slot.write_address.next = self.start.context.val();
        self.slot.write_data.next = self.start.job.val().slot;
        self.slot.read_address.next = self.current.val();
        self.transfer.next.slot = self.slot.read_data.val();
        self.operation.write_enable.next = self.takes.val();
        self.operation.write_address.next = self.start.context.val();
        self.operation.write_data.next = self.start.job.val().operation;
        self.operation.read_address.next = self.current.val();
        self.transfer.next.operation = self.operation.read_data.val();
        self.shaper.write_enable.next = self.takes.val();
        self.shaper.write_address.next = self.start.context.val();
        self.shaper.write_data.next = self.start.job.val().shaper;
        self.shaper.read_address.next = self.current.val();
        self.transfer.next.shaper = self.shaper.read_data.val();
        self.segment.write_enable.next = self.takes.val();
        self.segment.write_address.next = self.start.context.val();
        self.segment.write_data.next = self.start.job.val().segment;
        self.segment.read_address.next = self.current.val();
        self.transfer.next.segment = self.segment.read_data.val();
        self.own_event.write_enable.next = self.takes.val();
        self.own_event.write_address.next = self.start.context.val();
        self.own_event.write_data.next = self.start.job.val().event;
        self.own_event.read_address.next = self.current.val();
        self.transfer.next.own_event = self.own_event.read_data.val();
        self.base.write_enable.next = self.takes.val();
        self.base.write_address.next = self.start.context.val();
        self.base.write_data.next = self.start.job.val().base;
        self.base.read_address.next = self.current.val();
        self.transfer.next.base = self.base.read_data.val();
        self.limit.write_enable.next = self.takes.val();
        self.limit.write_address.next = self.start.context.val();
        self.limit.write_data.next = self.start.job.val().limit;
        self.limit.read_address.next = self.current.val();
        self.transfer.next.limit = self.limit.read_data.val();

        self.flags[0].write_data.next = self.start.job.val().control.into();
        self.flags[1].write_data.next = self.start.job.val().bare.into();
        self.flags[2].write_data.next = self.start.job.val().has_slot.into();
        self.flags[3].write_data.next = self.start.job.val().wide.into();
        self.flags[4].write_data.next = self.start.job.val().half.into();
        self.flags[5].write_data.next = self.start.job.val().quiet.into();
        for i in 0..FLAGS {
            self.flags[i].clk.next = self.clk.val();
            self.flags[i].write_enable.next = self.takes.val();
            self.flags[i].write_address.next = self.start.context.val();
            self.flags[i].read_address.next = self.current.val();
        }
        self.transfer.next.control = self.flags[0].read_data.val().any();
        self.transfer.next.bare = self.flags[1].read_data.val().any();
        self.transfer.next.has_slot = self.flags[2].read_data.val().any();
        self.transfer.next.wide = self.flags[3].read_data.val().any();
        self.transfer.next.half = self.flags[4].read_data.val().any();
        self.transfer.next.quiet = self.flags[5].read_data.val().any();

        self.ended.write_enable.next = self.takes.val() | self.end_transfer.val();
        self.ended.write_address.next = self.current.val();
        self.ended.write_data.next = 1.into();
        if self.takes.val() {
            self.ended.write_address.next = self.start.context.val();
            self.ended.write_data.next = 0.into();
        }
        self.ended.read_address.next = self.current.val();
        self.transfer.next.ended = self.ended.read_data.val().any();
    }
}
