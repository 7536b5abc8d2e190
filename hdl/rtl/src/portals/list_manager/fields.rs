use super::ports::{BeatsIn, RecordOut, SideOut, LIST_BITS, WORD};
use portico_spec::portals::list::{
    ADVANCES, ANY_SOURCE, CODE_WIDTH, DETAIL_OPTIONS_OFFSET, DETAIL_SOURCE_OFFSET, HANDLE_OFFSET, HANDLE_WIDTH,
    LEAVES_HEADER, LENGTH_OFFSET, LENGTH_WIDTH, LIST_OFFSET, LIST_WIDTH, OFFSET_OFFSET, OPCODE_OFFSET, OPTIONS_OFFSET,
    OPTIONS_WIDTH, POINTER_WIDTH, SOURCE_OFFSET, SOURCE_WIDTH, USE_ONCE,
};
use portico_verilog::prelude::*;

/// Width of the flags of a resolution, in bits.
pub(crate) const RESOLUTION_WIDTH: usize = LEAVES_HEADER - ADVANCES + 1;

/// The fields of a command, at their positions in its beats.
///
/// Takes beats apart.
///
/// | | |
/// | --- | --- |
/// | latency | 0: wires alone |
#[derive(LogicBlock, Default)]
pub struct Fields {
    /// Beats of the command.
    pub beats: BeatsIn,
    /// Opcode of the command.
    pub opcode: Signal<Out, Bits<CODE_WIDTH>>,
    /// The list that the command names, which may not exist.
    pub list: Signal<Out, Bits<LIST_WIDTH>>,
    /// The same if there is such a list.
    pub short_list: Signal<Out, Bits<LIST_BITS>>,
    /// Handle of the command, if it takes one.
    pub handle: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// Option: the source is ANY.
    pub any: Signal<Out, Bit>,
    /// Option: the entry is used once.
    pub once: Signal<Out, Bit>,
    /// Resolution: offset of the hit, whether it is detached or removed, whether a header is left; bit 0 for the first.
    pub resolution: Signal<Out, Bits<RESOLUTION_WIDTH>>,
    /// The command's side of a match.
    pub request: SideOut,
    /// What is kept of an entry that the command appends.
    pub record: RecordOut,
    first: Signal<Local, Bits<WORD>>,
    source: Signal<Local, Bits<SOURCE_WIDTH>>,
    options: Signal<Local, Bits<OPTIONS_WIDTH>>,
}

#[kernel]
impl Logic for Fields {
    fn update(&mut self) {
        self.first.next = self.beats.first.val();
        self.opcode.next = self.first.val().get_bits::<CODE_WIDTH>(OPCODE_OFFSET);
        self.list.next = self.first.val().get_bits::<LIST_WIDTH>(LIST_OFFSET);
        self.short_list.next = self.first.val().get_bits::<LIST_BITS>(LIST_OFFSET);
        self.handle.next = self.first.val().get_bits::<HANDLE_WIDTH>(HANDLE_OFFSET);
        self.source.next = self.first.val().get_bits::<SOURCE_WIDTH>(SOURCE_OFFSET);
        self.options.next = self.first.val().get_bits::<OPTIONS_WIDTH>(OPTIONS_OFFSET);
        self.resolution.next = self.first.val().get_bits::<RESOLUTION_WIDTH>(ADVANCES);
        self.any.next = self.options.val().get_bit(ANY_SOURCE);
        self.once.next = self.options.val().get_bit(USE_ONCE);

        wire!(self => request: source, options);
        wire!(beats => request: match_bits, ignore_bits);
        self.request.length.next = self.beats.extent.val().get_bits::<LENGTH_WIDTH>(LENGTH_OFFSET);
        self.request.offset.next = self.beats.extent.val().get_bits::<LENGTH_WIDTH>(OFFSET_OFFSET);

        wire!(beats => record: match_bits, extent, ignore_bits);
        self.record.detail.next = bit_cast::<WORD, POINTER_WIDTH>(self.beats.pointer.val())
            | field::<WORD, SOURCE_WIDTH>(self.source.val(), DETAIL_SOURCE_OFFSET)
            | field::<WORD, OPTIONS_WIDTH>(self.options.val(), DETAIL_OPTIONS_OFFSET);
    }
}
