use super::{ListField, ListSearchIn};
use portico_spec::portals::{
    engine::{self, PORTAL_WIDTH, RANK_WIDTH},
    list::{HANDLE_WIDTH, LENGTH_WIDTH, OPTIONS_WIDTH, POINTER_WIDTH, PORTAL_OFFSET, SOURCE_WIDTH},
};
use portico_verilog::prelude::*;

/// The fields of requests to the lists: of a command, and of the search for a message.
///
/// Messages have turns while a command waits for data, so both have registers: a search leaves the fields of the command alone.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one word of a command, or all fields of a search, a cycle |
/// | state | both sets of fields |
#[derive(LogicBlock, Default)]
pub struct ListFields {
    pub clk: Signal<In, Clock>,
    /// The user of commands has its turn, not that of messages.
    pub turn: Signal<In, Bit>,
    /// Fields of the search for a message.
    pub search: ListSearchIn,
    /// The user that has its turn writes a word.
    pub write: Signal<In, Bit>,
    /// To which field; valid with `write`.
    pub field: Signal<In, ListField>,
    /// The word; valid with `write`.
    pub word: Signal<In, Bits<32>>,
    /// Source with the portal index.
    pub source: Signal<Out, Bits<SOURCE_WIDTH>>,
    /// Options of an entry, 0 of a message.
    pub options: Signal<Out, Bits<OPTIONS_WIDTH>>,
    /// Start and user.
    pub pointer: Signal<Out, Bits<POINTER_WIDTH>>,
    /// Length, in bytes.
    pub length: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// Offset, in bytes.
    pub offset: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// Match bits.
    pub match_bits: Signal<Out, Bits<64>>,
    /// Ignore bits of an entry, header data of a message.
    pub ignore_bits: Signal<Out, Bits<64>>,
    /// The offset that a resolution gives.
    pub new_offset: Signal<Out, Bits<32>>,
    /// Handle of an entry.
    pub handle: Signal<Out, Bits<HANDLE_WIDTH>>,
    command_source: DFF<Bits<SOURCE_WIDTH>>,
    command_options: DFF<Bits<OPTIONS_WIDTH>>,
    command_pointer: DFF<Bits<POINTER_WIDTH>>,
    command_length: DFF<Bits<LENGTH_WIDTH>>,
    command_offset: DFF<Bits<LENGTH_WIDTH>>,
    match_low: DFF<Bits<32>>,
    match_high: DFF<Bits<32>>,
    ignore_low: DFF<Bits<32>>,
    ignore_high: DFF<Bits<32>>,
    message_source: DFF<Bits<SOURCE_WIDTH>>,
    message_pointer: DFF<Bits<POINTER_WIDTH>>,
    message_length: DFF<Bits<{ engine::LENGTH_WIDTH }>>,
    message_offset: DFF<Bits<32>>,
    message_bits: DFF<Bits<64>>,
    message_data: DFF<Bits<64>>,
    given_offset: DFF<Bits<32>>,
    given_handle: DFF<Bits<HANDLE_WIDTH>>,
}

#[kernel]
impl Logic for ListFields {
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            command_source,
            command_options,
            command_pointer,
            command_length,
            command_offset
        );
        dff_setup!(
            self,
            clk,
            match_low,
            match_high,
            ignore_low,
            ignore_high,
            given_offset,
            given_handle
        );
        dff_setup!(
            self,
            clk,
            message_source,
            message_pointer,
            message_length,
            message_offset,
            message_bits
        );
        dff_setup!(self, clk, message_data);
        if self.write.val() {
            match self.field.val() {
                ListField::Source => {
                    self.command_source.d.next = self.word.val().get_bits::<SOURCE_WIDTH>(0);
                    self.command_options.d.next = self.word.val().get_bits::<OPTIONS_WIDTH>(SOURCE_WIDTH);
                }
                ListField::Pointer => {
                    if self.turn.val() {
                        self.command_pointer.d.next = self.word.val();
                    } else {
                        self.message_pointer.d.next = self.word.val();
                    }
                }
                ListField::Length => {
                    self.command_length.d.next = self.word.val();
                }
                ListField::Offset => {
                    self.command_offset.d.next = self.word.val();
                }
                ListField::MatchLow => {
                    self.match_low.d.next = self.word.val();
                }
                ListField::MatchHigh => {
                    self.match_high.d.next = self.word.val();
                }
                ListField::IgnoreLow => {
                    self.ignore_low.d.next = self.word.val();
                }
                ListField::IgnoreHigh => {
                    self.ignore_high.d.next = self.word.val();
                }
                ListField::NewOffset => {
                    self.given_offset.d.next = self.word.val();
                }
                ListField::Handle => {
                    self.given_handle.d.next = self.word.val();
                }
            }
        }
        if self.search.load.val() {
            self.message_source.d.next = bit_cast::<SOURCE_WIDTH, RANK_WIDTH>(self.search.rank.val())
                | field::<SOURCE_WIDTH, PORTAL_WIDTH>(self.search.portal.val(), PORTAL_OFFSET);
            self.message_length.d.next = self.search.length.val();
            self.message_offset.d.next = self.search.offset.val();
            self.message_bits.d.next = self.search.match_bits.val();
        }
        if self.search.load.val() | self.search.load_data.val() {
            self.message_data.d.next = self.search.data.val();
        }

        self.source.next = self.message_source.q.val();
        self.options.next = 0.into();
        self.pointer.next = self.message_pointer.q.val();
        self.length.next = bit_cast::<LENGTH_WIDTH, { engine::LENGTH_WIDTH }>(self.message_length.q.val());
        self.offset.next = self.message_offset.q.val();
        self.match_bits.next = self.message_bits.q.val();
        self.ignore_bits.next = self.message_data.q.val();
        if self.turn.val() {
            self.source.next = self.command_source.q.val();
            self.options.next = self.command_options.q.val();
            self.pointer.next = self.command_pointer.q.val();
            self.length.next = self.command_length.q.val();
            self.offset.next = self.command_offset.q.val();
            self.match_bits.next =
                bit_cast::<64, 32>(self.match_low.q.val()) | field::<64, 32>(self.match_high.q.val(), 32);
            self.ignore_bits.next =
                bit_cast::<64, 32>(self.ignore_low.q.val()) | field::<64, 32>(self.ignore_high.q.val(), 32);
        }
        self.new_offset.next = self.given_offset.q.val();
        self.handle.next = self.given_handle.q.val();
    }
}
