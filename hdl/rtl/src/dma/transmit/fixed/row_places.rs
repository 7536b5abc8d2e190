use crate::{dma::ports::REPEAT_WIDTH, prim::LutRam};
use portico_spec::ni::{
    instruction::COUNT_WIDTH,
    packet::{OFFSET_WIDTH, STRIDE_WIDTH},
};
use portico_verilog::prelude::*;

/// Width of a level, in bits.
pub const LEVEL_WIDTH: usize = 2;
/// Where the next word is, and the words that the row has left.
pub const WORD: u64 = 0;
/// Where the row begins, and the rows that the plane has left.
pub const ROW: u64 = 1;
/// Where the plane begins, and the planes that are left.
pub const PLANE: u64 = 2;
/// Width of a pointer: a stride leads at most 2^16 words behind the end of a memory.
pub const POINTER_WIDTH: usize = OFFSET_WIDTH + 1;

/// Level and lane.
const PLACE_WIDTH: usize = LEVEL_WIDTH + 1;

/// Where the walks of both lanes are: by level a local pointer, a remote offset, and a count of what is left.
///
/// Adds to one place a cycle.
///
/// | | |
/// | --- | --- |
/// | latency | outputs are combinational from `server` and `from`; what a cycle writes is read in the next |
/// | throughput | one place a cycle |
/// | state | three levels of two lanes, in LUT-RAM |
///
/// A cycle reads level `from` and writes level `to`: pointer and offset gain the words of a chunk, or a stride each, or
/// nothing. The count is loaded, or loses those words, or 1.
#[derive(LogicBlock, Default)]
pub struct RowPlaces {
    pub clk: Signal<In, Clock>,
    /// The walk is that of the server.
    pub server: Signal<In, Bit>,
    /// Level that is read; `pointer`, `offset` and `count` are those of its place.
    pub from: Signal<In, Bits<LEVEL_WIDTH>>,
    /// Level that is written.
    pub to: Signal<In, Bits<LEVEL_WIDTH>>,
    /// Level `to` becomes level `from` with its gain.
    pub write: Signal<In, Bit>,
    /// The gain is that of `strides`, and the count loses 1; else it is that of `words`.
    pub jumps: Signal<In, Bit>,
    /// Words from one row or plane to the next: the local stride in the low half, the remote one in the high half.
    pub strides: Signal<In, Bits<32>>,
    /// Words of the chunk: the gain of pointer and offset, which the count loses.
    pub words: Signal<In, Bits<COUNT_WIDTH>>,
    /// There is no gain, and `count` becomes `loaded`.
    pub load: Signal<In, Bit>,
    /// Count of level `to` that `load` sets: planes, rows, or words of a row.
    pub loaded: Signal<In, Bits<REPEAT_WIDTH>>,
    /// Never with `write`: level `WORD` of a lane is set up.
    pub start: Signal<In, Bit>,
    /// With `start`: the lane is that of the server.
    pub start_server: Signal<In, Bit>,
    /// Local pointer with which the lane starts, in words.
    pub start_pointer: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Remote offset with which the lane starts, in words.
    pub start_offset: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Local pointer of level `from`, in words.
    pub pointer: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// With its gain.
    pub pointer_after: Signal<Out, Bits<POINTER_WIDTH>>,
    /// Remote offset of level `from`, in words.
    pub offset: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// What is left at level `from`: words of the row, rows of the plane, or planes.
    pub count: Signal<Out, Bits<REPEAT_WIDTH>>,
    pointers: LutRam<Bits<POINTER_WIDTH>, PLACE_WIDTH>,
    offsets: LutRam<Bits<OFFSET_WIDTH>, PLACE_WIDTH>,
    counts: LutRam<Bits<REPEAT_WIDTH>, PLACE_WIDTH>,
    source: Signal<Local, Bits<PLACE_WIDTH>>,
    target: Signal<Local, Bits<PLACE_WIDTH>>,
    here: Signal<Local, Bits<STRIDE_WIDTH>>,
    there: Signal<Local, Bits<STRIDE_WIDTH>>,
    less: Signal<Local, Bits<COUNT_WIDTH>>,
}

#[kernel]
impl Logic for RowPlaces {
    fn update(&mut self) {
        wire!(self => pointers, offsets, counts: clk);
        self.source.next =
            bit_cast::<PLACE_WIDTH, LEVEL_WIDTH>(self.from.val()).replace_bit(LEVEL_WIDTH, self.server.val());
        self.target.next =
            bit_cast::<PLACE_WIDTH, LEVEL_WIDTH>(self.to.val()).replace_bit(LEVEL_WIDTH, self.server.val());
        self.less.next = self.words.val();
        self.here.next = bit_cast::<STRIDE_WIDTH, COUNT_WIDTH>(self.words.val());
        self.there.next = bit_cast::<STRIDE_WIDTH, COUNT_WIDTH>(self.words.val());
        if self.jumps.val() {
            self.less.next = 1.into();
            self.here.next = self.strides.val().get_bits::<STRIDE_WIDTH>(0);
            self.there.next = self.strides.val().get_bits::<STRIDE_WIDTH>(STRIDE_WIDTH);
        }
        if self.load.val() {
            self.here.next = 0.into();
            self.there.next = 0.into();
        }

        self.pointers.read_address.next = self.source.val();
        self.offsets.read_address.next = self.source.val();
        self.counts.read_address.next = self.source.val();
        self.pointer.next = self.pointers.read_data.val().get_bits::<OFFSET_WIDTH>(0);
        self.offset.next = self.offsets.read_data.val();
        self.count.next = self.counts.read_data.val();
        self.pointer_after.next =
            self.pointers.read_data.val() + bit_cast::<POINTER_WIDTH, STRIDE_WIDTH>(self.here.val());

        self.pointers.write_data.next = self.pointer_after.val();
        self.offsets.write_data.next =
            self.offsets.read_data.val() + bit_cast::<OFFSET_WIDTH, STRIDE_WIDTH>(self.there.val());
        self.counts.write_data.next =
            self.counts.read_data.val() - bit_cast::<REPEAT_WIDTH, COUNT_WIDTH>(self.less.val());
        if self.load.val() {
            self.counts.write_data.next = self.loaded.val();
        }
        if self.start.val() {
            self.target.next = bits::<PLACE_WIDTH>(WORD).replace_bit(LEVEL_WIDTH, self.start_server.val());
            self.pointers.write_data.next = bit_cast::<POINTER_WIDTH, OFFSET_WIDTH>(self.start_pointer.val());
            self.offsets.write_data.next = self.start_offset.val();
        }
        self.pointers.write_enable.next = self.write.val() | self.start.val();
        self.offsets.write_enable.next = self.write.val() | self.start.val();
        self.counts.write_enable.next = self.write.val();
        self.pointers.write_address.next = self.target.val();
        self.offsets.write_address.next = self.target.val();
        self.counts.write_address.next = self.target.val();
    }
}
