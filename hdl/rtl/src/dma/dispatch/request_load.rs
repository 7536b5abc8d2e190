use crate::{
    bus::{AddressDecoder, HeadDecoder},
    dma::ports::{ArgumentOut, GetRequest, REPEAT_WIDTH, REQUEST_COUNT_WIDTH},
    prim::StreamIn,
};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::{
        command::TRANSFER_WORDS,
        packet::{OFFSET_WIDTH, ROW_WIDTH, SLOT_WIDTH, STRIDE_WIDTH},
        CONTEXT_WIDTH, SERVER_CONTEXT,
    },
};
use portico_verilog::prelude::*;

/// Takes the words of a request, and passes them on into the server's registers.
///
/// One request at a time.
///
/// | | |
/// | --- | --- |
/// | latency | 0 cycles to the register file, 1 to `request` |
/// | throughput | one word a cycle |
/// | state | the fields of a request and of its window |
///
/// A request is the packet as it came: head, ADDRESS, whose offset goes to register 1, and the words of the registers
/// from 2 on.
#[derive(LogicBlock, Default)]
pub struct RequestLoad {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Get requests of other nodes, whole packets.
    pub s_axis: StreamIn<32>,
    /// Words may be taken.
    pub open: Signal<In, Bit>,
    /// The first one too.
    pub open_first: Signal<In, Bit>,
    /// The next word is the first of another request; the fields stay until then.
    pub clear: Signal<In, Bit>,
    /// Words of requests, for the registers of the server.
    pub argument: ArgumentOut,
    /// Looks a window up.
    pub lookup: Signal<Out, Bit>,
    /// Tag of the window to look up; valid with `lookup`.
    pub window_tag: Signal<Out, Bits<TAG_WIDTH>>,
    /// Words of that window, from the second cycle after `lookup` on.
    pub size: Signal<In, Bits<OFFSET_WIDTH>>,
    /// The last word is taken in this cycle.
    pub complete: Signal<Out, Bit>,
    /// With `complete`: the last word is the first too.
    pub lone: Signal<Out, Bit>,
    /// What the words of the request say, from the cycle after each on.
    pub request: Signal<Out, GetRequest>,
    head: HeadDecoder,
    address: AddressDecoder,
    place: DFF<Bits<REQUEST_COUNT_WIDTH>>,
    row_any: DFF<Bit>,
    rows_any: DFF<Bit>,
    one_row: DFF<Bit>,
    source: DFF<Bits<NODE_WIDTH>>,
    slot: DFF<Bits<SLOT_WIDTH>>,
    offset: DFF<Bits<OFFSET_WIDTH>>,
    pointer: DFF<Bits<OFFSET_WIDTH>>,
    is_huge: DFF<Bit>,
    room: DFF<Bits<OFFSET_WIDTH>>,
    beyond: DFF<Bit>,
    row: DFF<Bits<ROW_WIDTH>>,
    stride: DFF<Bits<STRIDE_WIDTH>>,
    has_planes: DFF<Bit>,
    first: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    above: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for RequestLoad {
    fn update(&mut self) {
        dff_setup!(self, clk, place, row_any, rows_any, one_row, source, slot, offset, pointer, is_huge, room);
        dff_setup!(self, clk, beyond, row, stride, has_planes);
        self.above.next = self.s_axis.tdata.val() >> bits::<6>(OFFSET_WIDTH);
        self.head.word.next = self.s_axis.tdata.val();
        self.address.word.next = self.s_axis.tdata.val();
        self.first.next = !self.place.q.val().any();
        self.ready.next = self.open.val() & (!self.first.val() | self.open_first.val());
        self.s_axis.tready.next = self.ready.val();
        self.taken.next = self.ready.val() & self.s_axis.tvalid.val();
        self.complete.next = self.taken.val() & self.s_axis.tlast.val();
        self.lone.next = self.first.val();
        self.lookup.next = self.taken.val() & self.first.val();
        self.window_tag.next = self.head.tag.val();
        self.argument.enable.next = self.taken.val()
            & self.place.q.val().any()
            & (self.place.q.val() < bits::<REQUEST_COUNT_WIDTH>(TRANSFER_WORDS[2] as u64));
        self.argument.context.next = bits::<CONTEXT_WIDTH>(SERVER_CONTEXT);
        self.argument.register.next = self.place.q.val();
        self.argument.bank.next = 0.into();
        self.argument.data.next = self.s_axis.tdata.val();
        if self.place.q.val() == 1 {
            // Planes go on from where the requester wants the first; a slot above it would be an offset beyond all.
            self.argument.data.next = bit_cast::<32, OFFSET_WIDTH>(self.address.offset.val());
        }

        if self.taken.val() {
            if self.place.q.val() != bits::<REQUEST_COUNT_WIDTH>(8) {
                self.place.d.next = self.place.q.val() + 1;
            }
            if self.first.val() {
                self.source.d.next = self.head.source.val();
                self.has_planes.d.next = true;
                self.stride.d.next = 0.into();
            }
            if self.place.q.val() == 1 {
                self.slot.d.next = self.address.slot.val();
                self.offset.d.next = self.address.offset.val();
            }
            if self.place.q.val() == 2 {
                self.pointer.d.next = self.s_axis.tdata.val().get_bits::<OFFSET_WIDTH>(0);
                self.is_huge.d.next = self.above.val().any();
            }
            if self.place.q.val() == 3 {
                self.room.d.next = self.size.val() - self.pointer.q.val();
                self.beyond.d.next = self.is_huge.q.val() | (self.pointer.q.val() > self.size.val());
                self.row.d.next = self.s_axis.tdata.val().get_bits::<ROW_WIDTH>(0);
                self.row_any.d.next = self.s_axis.tdata.val().get_bits::<ROW_WIDTH>(0).any();
                self.rows_any.d.next = self.s_axis.tdata.val().get_bits::<REPEAT_WIDTH>(16).any();
                self.one_row.d.next = self.s_axis.tdata.val().get_bits::<REPEAT_WIDTH>(16) == 1;
            }
            if self.place.q.val() == 4 {
                self.stride.d.next = self.s_axis.tdata.val().get_bits::<STRIDE_WIDTH>(16);
            }
            if self.place.q.val() == 5 {
                self.has_planes.d.next = self.s_axis.tdata.val().get_bits::<REPEAT_WIDTH>(0).any();
            }
        }
        if self.clear.val() {
            self.place.d.next = 0.into();
        }
        if self.rst.val() {
            self.place.d.next = 0.into();
        }

        self.request.next.count = self.place.q.val();
        self.request.next.right_count = ((self.place.q.val() == bits::<REQUEST_COUNT_WIDTH>(TRANSFER_WORDS[0] as u64))
            & (self.one_row.q.val() | !self.rows_any.q.val()))
            | (self.place.q.val() == bits::<REQUEST_COUNT_WIDTH>(TRANSFER_WORDS[1] as u64))
            | (self.place.q.val() == bits::<REQUEST_COUNT_WIDTH>(TRANSFER_WORDS[2] as u64));
        self.request.next.nothing = !(self.row_any.q.val() & self.rows_any.q.val() & self.has_planes.q.val());
        self.request.next.one_row = self.one_row.q.val();
        self.request.next.source = self.source.q.val();
        self.request.next.slot = self.slot.q.val();
        self.request.next.offset = self.offset.q.val();
        self.request.next.pointer = self.pointer.q.val();
        self.request.next.room = self.room.q.val();
        self.request.next.beyond = self.beyond.q.val();
        self.request.next.row = self.row.q.val();
        self.request.next.stride = self.stride.q.val();
    }
}
