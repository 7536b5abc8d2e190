//! The fields of a command, at their positions in its beats.
//!
//! | | |
//! | --- | --- |
//! | latency | 0: wires alone |

use super::ports::{BeatsIn, RecordOut, SideOut, LIST_BITS, WORD};
use portico_spec::portals::list::{
    ANY_SOURCE, CODE_WIDTH, DETAIL_OPTIONS_OFFSET, DETAIL_SOURCE_OFFSET, HANDLE_OFFSET, HANDLE_WIDTH, LENGTH_OFFSET,
    LENGTH_WIDTH, LIST_OFFSET, LIST_WIDTH, OFFSET_OFFSET, OPCODE_OFFSET, OPTIONS_OFFSET, OPTIONS_WIDTH, POINTER_WIDTH,
    SOURCE_OFFSET, SOURCE_WIDTH, USE_ONCE,
};
use rust_hdl::prelude::*;

/// Takes beats apart.
#[derive(LogicBlock)]
pub struct Fields {
    pub beats: BeatsIn,
    pub opcode: Signal<Out, Bits<CODE_WIDTH>>,
    pub list: Signal<Out, Bits<LIST_WIDTH>>,
    /// The same if there is such a list.
    pub short_list: Signal<Out, Bits<LIST_BITS>>,
    pub handle: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// Options: the source is ANY, the entry is used once.
    pub any: Signal<Out, Bit>,
    pub once: Signal<Out, Bit>,
    /// The command's side of a match.
    pub request: SideOut,
    /// What is kept of an entry that the command appends.
    pub record: RecordOut,
    first: Signal<Local, Bits<WORD>>,
    source: Signal<Local, Bits<SOURCE_WIDTH>>,
    options: Signal<Local, Bits<OPTIONS_WIDTH>>,
    opcode_at: Constant<Bits<6>>,
    list_at: Constant<Bits<6>>,
    source_at: Constant<Bits<6>>,
    options_at: Constant<Bits<6>>,
    handle_at: Constant<Bits<6>>,
    any_at: Constant<Bits<6>>,
    once_at: Constant<Bits<6>>,
    length_at: Constant<Bits<6>>,
    offset_at: Constant<Bits<6>>,
    detail_source_at: Constant<Bits<6>>,
    detail_options_at: Constant<Bits<6>>,
}

impl Default for Fields {
    fn default() -> Self {
        let at = |offset: usize| Constant::new(bits(offset as u64));
        Self {
            beats: Default::default(),
            opcode: Default::default(),
            list: Default::default(),
            short_list: Default::default(),
            handle: Default::default(),
            any: Default::default(),
            once: Default::default(),
            request: Default::default(),
            record: Default::default(),
            first: Default::default(),
            source: Default::default(),
            options: Default::default(),
            opcode_at: at(OPCODE_OFFSET),
            list_at: at(LIST_OFFSET),
            source_at: at(SOURCE_OFFSET),
            options_at: at(OPTIONS_OFFSET),
            handle_at: at(HANDLE_OFFSET),
            any_at: at(ANY_SOURCE),
            once_at: at(USE_ONCE),
            length_at: at(LENGTH_OFFSET),
            offset_at: at(OFFSET_OFFSET),
            detail_source_at: at(DETAIL_SOURCE_OFFSET),
            detail_options_at: at(DETAIL_OPTIONS_OFFSET),
        }
    }
}

impl Logic for Fields {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.next = self.beats.first.val();
        self.opcode.next = self.first.val().get_bits::<CODE_WIDTH>(self.opcode_at.val().index());
        self.list.next = self.first.val().get_bits::<LIST_WIDTH>(self.list_at.val().index());
        self.short_list.next = self.first.val().get_bits::<LIST_BITS>(self.list_at.val().index());
        self.handle.next = self.first.val().get_bits::<HANDLE_WIDTH>(self.handle_at.val().index());
        self.source.next = self.first.val().get_bits::<SOURCE_WIDTH>(self.source_at.val().index());
        self.options.next = self
            .first
            .val()
            .get_bits::<OPTIONS_WIDTH>(self.options_at.val().index());
        self.any.next = self.options.val().get_bit(self.any_at.val().index());
        self.once.next = self.options.val().get_bit(self.once_at.val().index());

        self.request.source.next = self.source.val();
        self.request.options.next = self.options.val();
        self.request.match_bits.next = self.beats.match_bits.val();
        self.request.ignore_bits.next = self.beats.ignore_bits.val();
        self.request.length.next = self
            .beats
            .extent
            .val()
            .get_bits::<LENGTH_WIDTH>(self.length_at.val().index());
        self.request.offset.next = self
            .beats
            .extent
            .val()
            .get_bits::<LENGTH_WIDTH>(self.offset_at.val().index());

        self.record.match_bits.next = self.beats.match_bits.val();
        self.record.extent.next = self.beats.extent.val();
        self.record.ignore_bits.next = self.beats.ignore_bits.val();
        self.record.detail.next = bit_cast::<WORD, POINTER_WIDTH>(self.beats.pointer.val())
            | (bit_cast::<WORD, SOURCE_WIDTH>(self.source.val()) << self.detail_source_at.val())
            | (bit_cast::<WORD, OPTIONS_WIDTH>(self.options.val()) << self.detail_options_at.val());
    }
}
