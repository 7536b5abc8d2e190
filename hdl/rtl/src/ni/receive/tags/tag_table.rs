use crate::{
    bus::GeometryDecoder,
    ni::receive::{
        ports::{StateOut, UpdateIn, WindowOut},
        PLACE_WIDTH,
    },
    prim::{LaneRam, Ram},
};
use portico_spec::{
    flit::TAG_WIDTH,
    ni::{
        build::Build,
        event::EVENT_WIDTH,
        packet::{ERROR_WIDTH, OFFSET_WIDTH, ROW_WIDTH, STRIDE_WIDTH},
        window::{
            Mode, ENDS_WIDTH, EVENT_ENABLE_OFFSET, EVENT_OFFSET, MESSAGES_WIDTH, MODE_OFFSET, MODE_WIDTH, SLOTS_OFFSET,
            SLOTS_WIDTH, SLOT_WORDS_OFFSET, SLOT_WORDS_WIDTH, SYSTEM_WINDOW,
        },
    },
};
use portico_verilog::prelude::*;

/// What a row holds, from its lowest bit on; every field in whole lanes of 8 bits.
const BASE_AT: usize = 0;
const SIZE_AT: usize = BASE_AT + PLACE_WIDTH;
const CONTROL_AT: usize = SIZE_AT + PLACE_WIDTH;
const ROW_LAST_AT: usize = CONTROL_AT + PLACE_WIDTH;
const GAP_AT: usize = ROW_LAST_AT + ROW_WIDTH;
const POSITION_AT: usize = GAP_AT + PLACE_WIDTH;
const DONE_AT: usize = POSITION_AT + PLACE_WIDTH;
const ENDS_AT: usize = DONE_AT + ROW_WIDTH;
const FAULT_AT: usize = ENDS_AT + ENDS_WIDTH;
const WORD_WIDTH: usize = FAULT_AT + ERROR_WIDTH.next_multiple_of(LANE_WIDTH);
const LANE_WIDTH: usize = 8;
const LANES: usize = WORD_WIDTH / LANE_WIDTH;

/// The lanes of the bits from one field to another.
const fn lanes(from: usize, to: usize) -> u64 {
    ((1 << (to / LANE_WIDTH)) - 1) & !((1 << (from / LANE_WIDTH)) - 1)
}

const BASE_LANES: u64 = lanes(BASE_AT, SIZE_AT);
const SIZE_LANES: u64 = lanes(SIZE_AT, CONTROL_AT);
const CONTROL_LANES: u64 = lanes(CONTROL_AT, ROW_LAST_AT);
const GEOMETRY_LANES: u64 = lanes(ROW_LAST_AT, POSITION_AT);
const POINTER_LANES: u64 = lanes(POSITION_AT, ENDS_AT);
const ENDS_LANES: u64 = lanes(ENDS_AT, WORD_WIDTH);

/// A row for each tag: what software has set up, and how far the tag has come.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from `read` to `window` and `state`, which stay until the next read |
/// | throughput | one read and one write a cycle, never of the same row |
/// | state | up to 256 rows in two block RAMs: the messages released, and all other fields |
///
/// The pointer of a tag is two numbers: `position` is where the next word goes, counted from the base, and `done` how many
/// words of its row are in front of it. So a packet may end anywhere in a row. Register 3 shows the position, and a write
/// to it begins a row there. For a queue, the position is the number of messages ever written.
///
/// The count of released messages has a memory of its own: the release writes while a packet may write another row. Which
/// packet writes in a cycle is known late, and would else choose between two addresses.
#[derive(LogicBlock, Default)]
pub struct TagTable {
    pub clk: Signal<In, Clock>,
    /// Reads a row.
    pub read: Signal<In, Bit>,
    /// Row to read; taken with `read`.
    pub read_tag: Signal<In, Bits<TAG_WIDTH>>,
    /// What software has set up for the tag, from the row that was read last.
    pub window: WindowOut,
    /// How far the tag has come, from the row that was read last.
    pub state: StateOut,
    /// Of software; written while no packet writes, and no release.
    pub update: UpdateIn,
    /// The tag that the packet in hand writes to.
    pub packet_tag: Signal<In, Bits<TAG_WIDTH>>,
    /// Writes `next_position` and `next_done` to the row of `packet_tag`.
    pub write_pointer: Signal<In, Bit>,
    /// Place of the next word, from the base; in a queue the messages ever written.
    pub next_position: Signal<In, Bits<PLACE_WIDTH>>,
    /// Words of the row in front of `next_position`.
    pub next_done: Signal<In, Bits<ROW_WIDTH>>,
    /// Writes `next_ends` and `next_fault` to the row of `packet_tag`.
    pub write_ends: Signal<In, Bit>,
    /// Ends of transfers.
    pub next_ends: Signal<In, Bits<ENDS_WIDTH>>,
    /// Why a word of a stream was refused since its last end of transfer; 0 if none was.
    pub next_fault: Signal<In, Bits<ERROR_WIDTH>>,
    /// Writes `next_released` to the row of `released_tag`; only while `update` is not busy.
    pub write_released: Signal<In, Bit>,
    /// Tag of the queue whose messages are released; taken with `write_released`.
    pub released_tag: Signal<In, Bits<TAG_WIDTH>>,
    /// Messages ever released.
    pub next_released: Signal<In, Bits<MESSAGES_WIDTH>>,
    rows: LaneRam<WORD_WIDTH, TAG_WIDTH, LANES>,
    releases: Ram<Bits<MESSAGES_WIDTH>, TAG_WIDTH>,
    shape: RowGeometry,
    size: Signal<Local, Bits<PLACE_WIDTH>>,
    control: Signal<Local, Bits<PLACE_WIDTH>>,
    position: Signal<Local, Bits<PLACE_WIDTH>>,
    done: Signal<Local, Bits<ROW_WIDTH>>,
    ends: Signal<Local, Bits<ENDS_WIDTH>>,
    fault: Signal<Local, Bits<ERROR_WIDTH>>,
    written: Signal<Local, Bits<LANES>>,
    space_words: Constant<Bits<PLACE_WIDTH>>,
}

impl TagTable {
    /// The windows of `build`, of which the system window has `space_words` words. The last row is that of the last tag as
    /// well, which the initialisation clears after all others of that row.
    pub fn new(build: &Build, space_words: u64) -> Self {
        Self {
            rows: LaneRam::new(build.windows),
            releases: Ram::new(build.windows),
            space_words: Constant::new(bits(space_words)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for TagTable {
    fn update(&mut self) {
        wire!(self => rows, releases: clk);
        // What is written: by a packet, else by an update.
        self.shape.word.next = self.update.data.val();
        self.size.next = bit_cast::<PLACE_WIDTH, 32>(self.update.data.val());
        self.control.next = bit_cast::<PLACE_WIDTH, 32>(self.update.data.val());
        if self.update.clearing.val() & (self.update.tag.val() == bits::<TAG_WIDTH>(SYSTEM_WINDOW)) {
            self.size.next = self.space_words.val();
            self.control.next = bits::<PLACE_WIDTH>((Mode::Window as u64) << MODE_OFFSET);
        }
        self.rows.write_address.next = self.update.tag.val();
        self.position.next = bit_cast::<PLACE_WIDTH, 32>(self.update.data.val());
        self.done.next = 0.into();
        self.ends.next = 0.into();
        self.fault.next = 0.into();
        if self.write_pointer.val() | self.write_ends.val() {
            self.rows.write_address.next = self.packet_tag.val();
            self.position.next = self.next_position.val();
            self.done.next = self.next_done.val();
            self.ends.next = self.next_ends.val();
            self.fault.next = self.next_fault.val();
        }
        self.rows.write_data.next =
            bit_cast::<WORD_WIDTH, OFFSET_WIDTH>(self.update.data.val().get_bits::<OFFSET_WIDTH>(0))
                | field::<WORD_WIDTH, PLACE_WIDTH>(self.size.val(), SIZE_AT)
                | field::<WORD_WIDTH, PLACE_WIDTH>(self.control.val(), CONTROL_AT)
                | field::<WORD_WIDTH, ROW_WIDTH>(self.shape.row_last.val(), ROW_LAST_AT)
                | field::<WORD_WIDTH, PLACE_WIDTH>(self.shape.gap.val(), GAP_AT)
                | field::<WORD_WIDTH, PLACE_WIDTH>(self.position.val(), POSITION_AT)
                | field::<WORD_WIDTH, ROW_WIDTH>(self.done.val(), DONE_AT)
                | field::<WORD_WIDTH, ENDS_WIDTH>(self.ends.val(), ENDS_AT)
                | field::<WORD_WIDTH, ERROR_WIDTH>(self.fault.val(), FAULT_AT);

        self.written.next = 0.into();
        if self.update.base.val() {
            self.written.next = self.written.val() | bits::<LANES>(BASE_LANES);
        }
        if self.update.size.val() {
            self.written.next = self.written.val() | bits::<LANES>(SIZE_LANES);
        }
        if self.update.control.val() {
            self.written.next = self.written.val() | bits::<LANES>(CONTROL_LANES);
        }
        if self.update.geometry.val() {
            self.written.next = self.written.val() | bits::<LANES>(GEOMETRY_LANES);
        }
        if self.update.pointer.val() | self.write_pointer.val() {
            self.written.next = self.written.val() | bits::<LANES>(POINTER_LANES);
        }
        if self.update.ends.val() | self.write_ends.val() {
            self.written.next = self.written.val() | bits::<LANES>(ENDS_LANES);
        }
        self.rows.write_lanes.next = self.written.val();
        // The count of released messages is written by the release, else by an update.
        self.releases.write_enable.next = self.update.released.val() | self.write_released.val();
        self.releases.write_address.next = self.update.tag.val();
        self.releases.write_data.next = bit_cast::<MESSAGES_WIDTH, 32>(self.update.data.val());
        if self.write_released.val() {
            self.releases.write_address.next = self.released_tag.val();
            self.releases.write_data.next = self.next_released.val();
        }

        self.rows.read_enable.next = self.read.val();
        self.rows.read_address.next = self.read_tag.val();
        self.releases.read_enable.next = self.read.val();
        self.releases.read_address.next = self.read_tag.val();
        self.window.base.next = self.rows.read_data.val().get_bits::<PLACE_WIDTH>(BASE_AT);
        self.window.size.next = self.rows.read_data.val().get_bits::<PLACE_WIDTH>(SIZE_AT);
        self.window.mode.next = self
            .rows
            .read_data
            .val()
            .get_bits::<MODE_WIDTH>(CONTROL_AT + MODE_OFFSET);
        self.window.event_enable.next = self.rows.read_data.val().get_bit(CONTROL_AT + EVENT_ENABLE_OFFSET);
        self.window.event_number.next = self
            .rows
            .read_data
            .val()
            .get_bits::<EVENT_WIDTH>(CONTROL_AT + EVENT_OFFSET);
        self.window.slot_words.next = self
            .rows
            .read_data
            .val()
            .get_bits::<SLOT_WORDS_WIDTH>(CONTROL_AT + SLOT_WORDS_OFFSET);
        self.window.slots.next = self
            .rows
            .read_data
            .val()
            .get_bits::<SLOTS_WIDTH>(CONTROL_AT + SLOTS_OFFSET);
        self.state.row_last.next = self.rows.read_data.val().get_bits::<ROW_WIDTH>(ROW_LAST_AT);
        self.state.gap.next = self.rows.read_data.val().get_bits::<PLACE_WIDTH>(GAP_AT);
        self.state.position.next = self.rows.read_data.val().get_bits::<PLACE_WIDTH>(POSITION_AT);
        self.state.done.next = self.rows.read_data.val().get_bits::<ROW_WIDTH>(DONE_AT);
        self.state.ends.next = self.rows.read_data.val().get_bits::<ENDS_WIDTH>(ENDS_AT);
        self.state.fault.next = self.rows.read_data.val().get_bits::<ERROR_WIDTH>(FAULT_AT);
        self.state.released.next = self.releases.read_data.val();
    }
}

/// How a walk goes through rows, from the word that describes them.
///
/// Turns row and stride into the terms of [`crate::ni::receive::Walk`].
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct RowGeometry {
    /// A GEOMETRY word; a row of 0 words means that there are no rows.
    pub word: Signal<In, Bits<32>>,
    /// Number of the last word of a row, from 0; without meaning where there are no rows.
    pub row_last: Signal<Out, Bits<ROW_WIDTH>>,
    /// Words from the last word of a row to the next row. Negative, in two's complement, where rows overlap.
    pub gap: Signal<Out, Bits<PLACE_WIDTH>>,
    geometry: GeometryDecoder,
}

#[kernel]
impl Logic for RowGeometry {
    fn update(&mut self) {
        self.geometry.word.next = self.word.val();
        self.row_last.next = self.geometry.row.val() - 1;
        self.gap.next = bit_cast::<PLACE_WIDTH, STRIDE_WIDTH>(self.geometry.stride.val())
            - bit_cast::<PLACE_WIDTH, ROW_WIDTH>(self.geometry.row.val())
            + 1;
        if !self.geometry.row.val().any() {
            self.gap.next = 1.into();
        }
    }
}
