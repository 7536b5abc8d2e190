use crate::{
    bus::GeometryDecoder,
    ni::receive::{
        ports::{UpdateIn, WindowOut},
        PLACE_BYTES, PLACE_WIDTH,
    },
    prim::Ram,
};
use portico_spec::{
    flit::TAG_WIDTH,
    ni::{
        event::EVENT_WIDTH,
        packet::{OFFSET_WIDTH, ROW_WIDTH, STRIDE_WIDTH},
        window::{
            Mode, EVENT_ENABLE_OFFSET, EVENT_OFFSET, MODE_OFFSET, MODE_WIDTH, SLOTS_OFFSET, SLOTS_WIDTH,
            SLOT_WORDS_OFFSET, SLOT_WORDS_WIDTH, SYSTEM_WINDOW, WINDOWS,
        },
    },
};
use portico_verilog::prelude::*;

/// Row and gap in one entry.
const SHAPE_WIDTH: usize = ROW_WIDTH + PLACE_WIDTH;
const SHAPE_BYTES: usize = SHAPE_WIDTH / 8;

type Entries = Ram<PLACE_WIDTH, TAG_WIDTH, PLACE_BYTES>;

/// What software has set up for each tag.
///
/// Base, size, control and geometry of every tag.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from `read` to `window`, which then stays |
/// | throughput | one read and one change a cycle, never of the same tag |
/// | state | 256 tags of 24 + 24 + 24 + 40 bits, and a copy of base and control for the release, in block RAM |
#[derive(LogicBlock, Default)]
pub struct WindowTable {
    pub clk: Signal<In, Clock>,
    pub update: UpdateIn,
    /// Reads `tag`.
    pub read: Signal<In, Bit>,
    pub tag: Signal<In, Bits<TAG_WIDTH>>,
    pub window: WindowOut,
    /// The same for the release.
    pub release_read: Signal<In, Bit>,
    pub release_tag: Signal<In, Bits<TAG_WIDTH>>,
    pub release_base: Signal<Out, Bits<PLACE_WIDTH>>,
    pub release_mode: Signal<Out, Bits<MODE_WIDTH>>,
    pub release_slot_words: Signal<Out, Bits<SLOT_WORDS_WIDTH>>,
    pub release_slots: Signal<Out, Bits<SLOTS_WIDTH>>,
    base: Entries,
    size: Entries,
    control: Entries,
    geometry: Ram<SHAPE_WIDTH, TAG_WIDTH, SHAPE_BYTES>,
    base_copy: Entries,
    control_copy: Entries,
    shape: RowGeometry,
    new_base: Signal<Local, Bits<PLACE_WIDTH>>,
    new_size: Signal<Local, Bits<PLACE_WIDTH>>,
    new_control: Signal<Local, Bits<PLACE_WIDTH>>,
    space_words: Constant<Bits<PLACE_WIDTH>>,
}

impl WindowTable {
    /// A table whose system window has `space_words` words.
    pub fn new(space_words: u64) -> Self {
        let entries = || Ram::new(WINDOWS);
        Self {
            base: entries(),
            size: entries(),
            control: entries(),
            geometry: Ram::new(WINDOWS),
            base_copy: entries(),
            control_copy: entries(),
            space_words: Constant::new(bits(space_words)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for WindowTable {
    fn update(&mut self) {
        wire!(self => base, base_copy, size, control, control_copy, geometry: clk);
        self.shape.word.next = self.update.data.val();
        self.new_base.next = bit_cast::<PLACE_WIDTH, OFFSET_WIDTH>(self.update.data.val().get_bits::<OFFSET_WIDTH>(0));
        self.new_size.next = bit_cast::<PLACE_WIDTH, 32>(self.update.data.val());
        self.new_control.next = bit_cast::<PLACE_WIDTH, 32>(self.update.data.val());
        if self.update.clearing.val() & (self.update.tag.val() == bits::<TAG_WIDTH>(SYSTEM_WINDOW)) {
            self.new_size.next = self.space_words.val();
            self.new_control.next = bits::<PLACE_WIDTH>((Mode::Window as u64) << MODE_OFFSET);
        }

        self.base.write_lanes.next = 0.into();
        self.base.write_address.next = self.update.tag.val();
        self.base.write_data.next = self.new_base.val();
        self.base.read_enable.next = self.read.val();
        self.base.read_address.next = self.tag.val();
        self.base_copy.write_lanes.next = 0.into();
        self.base_copy.write_address.next = self.update.tag.val();
        self.base_copy.write_data.next = self.new_base.val();
        self.base_copy.read_enable.next = self.release_read.val();
        self.base_copy.read_address.next = self.release_tag.val();
        if self.update.base.val() {
            self.base.write_lanes.next = !bits::<PLACE_BYTES>(0);
            self.base_copy.write_lanes.next = !bits::<PLACE_BYTES>(0);
        }

        self.size.write_lanes.next = 0.into();
        self.size.write_address.next = self.update.tag.val();
        self.size.write_data.next = self.new_size.val();
        self.size.read_enable.next = self.read.val();
        self.size.read_address.next = self.tag.val();
        if self.update.size.val() {
            self.size.write_lanes.next = !bits::<PLACE_BYTES>(0);
        }

        self.control.write_lanes.next = 0.into();
        self.control.write_address.next = self.update.tag.val();
        self.control.write_data.next = self.new_control.val();
        self.control.read_enable.next = self.read.val();
        self.control.read_address.next = self.tag.val();
        self.control_copy.write_lanes.next = 0.into();
        self.control_copy.write_address.next = self.update.tag.val();
        self.control_copy.write_data.next = self.new_control.val();
        self.control_copy.read_enable.next = self.release_read.val();
        self.control_copy.read_address.next = self.release_tag.val();
        if self.update.control.val() {
            self.control.write_lanes.next = !bits::<PLACE_BYTES>(0);
            self.control_copy.write_lanes.next = !bits::<PLACE_BYTES>(0);
        }

        self.geometry.write_lanes.next = 0.into();
        self.geometry.write_address.next = self.update.tag.val();
        self.geometry.write_data.next = bit_cast::<SHAPE_WIDTH, ROW_WIDTH>(self.shape.row_last.val())
            | (bit_cast::<SHAPE_WIDTH, PLACE_WIDTH>(self.shape.gap.val()) << bits::<6>(ROW_WIDTH));
        self.geometry.read_enable.next = self.read.val();
        self.geometry.read_address.next = self.tag.val();
        if self.update.geometry.val() {
            self.geometry.write_lanes.next = !bits::<SHAPE_BYTES>(0);
        }

        self.window.base.next = self.base.read_data.val();
        self.window.size.next = self.size.read_data.val();
        self.window.mode.next = self.control.read_data.val().get_bits::<MODE_WIDTH>(MODE_OFFSET);
        self.window.event_enable.next = self.control.read_data.val().get_bit(EVENT_ENABLE_OFFSET);
        self.window.event_number.next = self.control.read_data.val().get_bits::<EVENT_WIDTH>(EVENT_OFFSET);
        self.window.slot_words.next = self
            .control
            .read_data
            .val()
            .get_bits::<SLOT_WORDS_WIDTH>(SLOT_WORDS_OFFSET);
        self.window.slots.next = self.control.read_data.val().get_bits::<SLOTS_WIDTH>(SLOTS_OFFSET);
        self.window.row_last.next = self.geometry.read_data.val().get_bits::<ROW_WIDTH>(0);
        self.window.gap.next = self.geometry.read_data.val().get_bits::<PLACE_WIDTH>(ROW_WIDTH);
        self.release_base.next = self.base_copy.read_data.val();
        self.release_mode.next = self.control_copy.read_data.val().get_bits::<MODE_WIDTH>(MODE_OFFSET);
        self.release_slot_words.next = self
            .control_copy
            .read_data
            .val()
            .get_bits::<SLOT_WORDS_WIDTH>(SLOT_WORDS_OFFSET);
        self.release_slots.next = self.control_copy.read_data.val().get_bits::<SLOTS_WIDTH>(SLOTS_OFFSET);
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
    pub row_last: Signal<Out, Bits<ROW_WIDTH>>,
    /// Negative, in two's complement, where rows overlap.
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
