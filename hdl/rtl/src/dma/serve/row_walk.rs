use crate::dma::ports::{
    ArgumentIn, GetRequest, PLANES_WORD, PLANE_STRIDES_WORD, POINTER_WORD, REPEAT_WIDTH, ROWS_WORD, STRIDES_WORD,
};
use portico_spec::ni::{
    instruction::COUNT_WIDTH,
    packet::{OFFSET_WIDTH, ROW_WIDTH, STRIDE_WIDTH},
};
use portico_verilog::prelude::*;

/// Width of the words from a place to the end of its window, in two's complement: a stride leads at most 2^16 words behind
/// that end.
const LEFT_WIDTH: usize = OFFSET_WIDTH + 2;
const SIGN: usize = LEFT_WIDTH - 1;
/// Width of the words from the end of a row to the next row, in two's complement.
const GAP_WIDTH: usize = STRIDE_WIDTH + 1;

/// Counts down the words of a row, the rows, the planes and the window of a get.
///
/// The counters of a get.
///
/// | | |
/// | --- | --- |
/// | latency | outputs follow the registers; what a cycle does is seen in the next |
/// | throughput | one chunk, one row or one plane a cycle |
/// | state | the shape of the rows, and where the walk is |
///
/// Every counter goes on by the words of a chunk, and at the end of a row by what is between this row and the next. A plane
/// goes on from the beginning of the plane before. The window is counted down, so that its sign says that a stride has left
/// it; nothing is served behind that, so it comes no further.
#[derive(LogicBlock, Default)]
pub struct RowWalk {
    pub clk: Signal<In, Clock>,
    /// The request that is served.
    pub request: Signal<In, GetRequest>,
    /// The words of a request, as it comes; those from the third on are looked at.
    pub argument: ArgumentIn,
    /// Address of the first word of its window, in words.
    pub base: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Words of its window.
    pub size: Signal<In, Bits<OFFSET_WIDTH>>,
    /// The request begins.
    pub entered: Signal<In, Bit>,
    /// A chunk of `words` words goes in this cycle.
    pub step: Signal<In, Bit>,
    /// Words of the chunk.
    pub words: Signal<In, Bits<COUNT_WIDTH>>,
    /// With `step`: the chunk is the last of its row.
    pub finishes: Signal<In, Bit>,
    /// The row is over, and another follows.
    pub row_over: Signal<In, Bit>,
    /// With `row_over`: on to the next row, which may be that of another plane.
    pub turn: Signal<In, Bit>,
    /// Words of the row that are left.
    pub left: Signal<Out, Bits<ROW_WIDTH>>,
    /// All words of the row are left.
    pub at_start: Signal<Out, Bit>,
    /// The row is the last of its plane.
    pub last_row: Signal<Out, Bit>,
    /// The plane is the last.
    pub last_plane: Signal<Out, Bit>,
    /// Address of the next word in the memory of this node, in words.
    pub address: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// Address of the next word in the memory of the requester, in words.
    pub remote: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// The window has less than `words` words from the next one on; right from the second cycle on after it has
    /// changed.
    pub beyond: Signal<Out, Bit>,
    rows: DFF<Bits<REPEAT_WIDTH>>,
    planes: DFF<Bits<REPEAT_WIDTH>>,
    local_stride: DFF<Bits<STRIDE_WIDTH>>,
    local_plane: DFF<Bits<STRIDE_WIDTH>>,
    remote_plane: DFF<Bits<STRIDE_WIDTH>>,
    /// From the end of a row to the next one.
    local_gap: DFF<Bits<GAP_WIDTH>>,
    remote_gap: DFF<Bits<GAP_WIDTH>>,
    row_left: DFF<Bits<ROW_WIDTH>>,
    midway: DFF<Bit>,
    rows_left: DFF<Bits<REPEAT_WIDTH>>,
    window_end: DFF<Bits<OFFSET_WIDTH>>,
    window_left: DFF<Bits<LEFT_WIDTH>>,
    plane_left: DFF<Bits<LEFT_WIDTH>>,
    offset: DFF<Bits<OFFSET_WIDTH>>,
    plane_offset: DFF<Bits<OFFSET_WIDTH>>,
    /// The window has more words left than any chunk; it is left already. Both a cycle late.
    spacious: DFF<Bit>,
    outside: DFF<Bit>,
    many: Signal<Local, Bits<LEFT_WIDTH>>,
    is_last_row: Signal<Local, Bit>,
    words_left: Signal<Local, Bits<ROW_WIDTH>>,
    left_before: Signal<Local, Bits<LEFT_WIDTH>>,
    less: Signal<Local, Bits<LEFT_WIDTH>>,
    left_after: Signal<Local, Bits<LEFT_WIDTH>>,
    offset_before: Signal<Local, Bits<OFFSET_WIDTH>>,
    more: Signal<Local, Bits<OFFSET_WIDTH>>,
    offset_after: Signal<Local, Bits<OFFSET_WIDTH>>,
}

#[kernel]
impl Logic for RowWalk {
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            rows,
            planes,
            local_stride,
            local_plane,
            remote_plane,
            local_gap,
            remote_gap
        );
        dff_setup!(
            self,
            clk,
            row_left,
            midway,
            rows_left,
            window_end,
            window_left,
            plane_left
        );
        dff_setup!(self, clk, offset, plane_offset, spacious, outside);
        if self.argument.enable.val() {
            if self.argument.register.val() == bits::<4>(POINTER_WORD) {
                self.planes.d.next = 1.into();
                self.midway.d.next = false;
            }
            if self.argument.register.val() == bits::<4>(ROWS_WORD) {
                self.rows.d.next = self.argument.data.val().get_bits::<REPEAT_WIDTH>(ROW_WIDTH);
                self.rows_left.d.next = self.argument.data.val().get_bits::<REPEAT_WIDTH>(ROW_WIDTH);
            }
            if self.argument.register.val() == bits::<4>(STRIDES_WORD) {
                self.local_stride.d.next = self.argument.data.val().get_bits::<STRIDE_WIDTH>(0);
            }
            if self.argument.register.val() == bits::<4>(PLANES_WORD) {
                self.planes.d.next = self.argument.data.val().get_bits::<REPEAT_WIDTH>(0);
            }
            if self.argument.register.val() == bits::<4>(PLANE_STRIDES_WORD) {
                self.local_plane.d.next = self.argument.data.val().get_bits::<STRIDE_WIDTH>(0);
                self.remote_plane.d.next = self.argument.data.val().get_bits::<STRIDE_WIDTH>(STRIDE_WIDTH);
            }
        }
        self.local_gap.d.next = bit_cast::<GAP_WIDTH, STRIDE_WIDTH>(self.local_stride.q.val())
            - bit_cast::<GAP_WIDTH, ROW_WIDTH>(self.request.val().row);
        self.remote_gap.d.next = bit_cast::<GAP_WIDTH, STRIDE_WIDTH>(self.request.val().stride)
            - bit_cast::<GAP_WIDTH, ROW_WIDTH>(self.request.val().row);

        self.words_left.next = self.request.val().row;
        if self.midway.q.val() {
            self.words_left.next = self.row_left.q.val();
        }
        self.left.next = self.words_left.val();
        self.at_start.next = !self.midway.q.val();
        self.is_last_row.next = self.rows_left.q.val() == 1;
        self.last_row.next = self.is_last_row.val();
        self.last_plane.next = self.planes.q.val() == 1;
        self.address.next = self.window_end.q.val() - bit_cast::<OFFSET_WIDTH, LEFT_WIDTH>(self.window_left.q.val());
        self.remote.next = self.offset.q.val();
        // A chunk is short: only the low bits need be compared with its words.
        self.many.next = self.window_left.q.val() >> bits::<5>(COUNT_WIDTH);
        self.outside.d.next = self.window_left.q.val().get_bit(SIGN);
        if self.entered.val() {
            self.many.next = bit_cast::<LEFT_WIDTH, OFFSET_WIDTH>(self.request.val().room) >> bits::<5>(COUNT_WIDTH);
            self.outside.d.next = self.request.val().beyond;
        }
        self.spacious.d.next = self.many.val().any();
        self.beyond.next = self.outside.q.val()
            | (!self.spacious.q.val() & (self.window_left.q.val().get_bits::<COUNT_WIDTH>(0) < self.words.val()));

        self.left_before.next = self.window_left.q.val();
        self.offset_before.next = self.offset.q.val();
        self.less.next = bit_cast::<LEFT_WIDTH, COUNT_WIDTH>(self.words.val());
        self.more.next = bit_cast::<OFFSET_WIDTH, COUNT_WIDTH>(self.words.val());
        if self.row_over.val() {
            self.less.next = bit_cast::<LEFT_WIDTH, GAP_WIDTH>(self.local_gap.q.val());
            if self.local_gap.q.val().get_bit(STRIDE_WIDTH) {
                self.less.next = bit_cast::<LEFT_WIDTH, GAP_WIDTH>(self.local_gap.q.val())
                    | (!bits::<LEFT_WIDTH>(0) << bits::<5>(GAP_WIDTH));
            }
            self.more.next = bit_cast::<OFFSET_WIDTH, GAP_WIDTH>(self.remote_gap.q.val());
            if self.remote_gap.q.val().get_bit(STRIDE_WIDTH) {
                self.more.next = bit_cast::<OFFSET_WIDTH, GAP_WIDTH>(self.remote_gap.q.val())
                    | (!bits::<OFFSET_WIDTH>(0) << bits::<5>(GAP_WIDTH));
            }
            if self.is_last_row.val() {
                self.left_before.next = self.plane_left.q.val();
                self.offset_before.next = self.plane_offset.q.val();
                self.less.next = bit_cast::<LEFT_WIDTH, STRIDE_WIDTH>(self.local_plane.q.val());
                self.more.next = bit_cast::<OFFSET_WIDTH, STRIDE_WIDTH>(self.remote_plane.q.val());
            }
        }
        self.left_after.next = self.left_before.val() - self.less.val();
        self.offset_after.next = self.offset_before.val() + self.more.val();
        if self.entered.val() {
            self.left_after.next = bit_cast::<LEFT_WIDTH, OFFSET_WIDTH>(self.request.val().room)
                .replace_bit(SIGN, self.request.val().beyond);
            self.offset_after.next = self.request.val().offset;
            self.window_end.d.next = self.base.val() + self.size.val();
        }
        if self.entered.val() | self.step.val() | self.turn.val() {
            self.window_left.d.next = self.left_after.val();
            self.offset.d.next = self.offset_after.val();
        }
        if self.entered.val() | (self.turn.val() & self.is_last_row.val()) {
            self.plane_left.d.next = self.left_after.val();
            self.plane_offset.d.next = self.offset_after.val();
        }

        if self.step.val() {
            self.row_left.d.next = self.words_left.val() - bit_cast::<ROW_WIDTH, COUNT_WIDTH>(self.words.val());
            self.midway.d.next = !self.finishes.val();
        }
        if self.turn.val() {
            self.rows_left.d.next = self.rows_left.q.val() - 1;
            if self.is_last_row.val() {
                self.rows_left.d.next = self.rows.q.val();
                self.planes.d.next = self.planes.q.val() - 1;
            }
        }
    }
}
