use super::event_step::{CONTROL_AT, CONTROL_WIDTH, WORD_WIDTH};
use portico_spec::ni::{
    event::COUNTER_WIDTH,
    registers::{EventRegister, FIELD_WIDTH},
};
use portico_verilog::prelude::*;

/// The word that an operation works on: from the table, or from one of the two operations before, with the field of a
/// register write put into it.
///
/// Gives one word.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct EventWord {
    /// The word from the table.
    pub stored: Signal<In, Bits<WORD_WIDTH>>,
    /// The operation before has this word, and makes `after` of it.
    pub follows: Signal<In, Bit>,
    /// What the operation before makes of the word; valid with `follows`.
    pub after: Signal<In, Bits<WORD_WIDTH>>,
    /// The operation two before had this word, and has made `result` of it.
    pub follows_result: Signal<In, Bit>,
    /// What the operation two before has made of the word; valid with `follows_result`.
    pub result: Signal<In, Bits<WORD_WIDTH>>,
    /// A register is written.
    pub writes: Signal<In, Bit>,
    /// Register of the event that is written; valid with `writes`.
    pub field: Signal<In, Bits<FIELD_WIDTH>>,
    /// Word for the register; valid with `writes`.
    pub data: Signal<In, Bits<32>>,
    /// The word that the operation works on.
    pub word: Signal<Out, Bits<WORD_WIDTH>>,
    current: Signal<Local, Bits<WORD_WIDTH>>,
}

#[kernel]
impl Logic for EventWord {
    fn update(&mut self) {
        self.current.next = self.stored.val();
        if self.follows_result.val() {
            self.current.next = self.result.val();
        }
        if self.follows.val() {
            self.current.next = self.after.val();
        }
        self.word.next = self.current.val();
        if self.writes.val() {
            if self.field.val() == bits::<FIELD_WIDTH>(EventRegister::Count as u64) {
                self.word.next = (self.current.val() & !bits::<WORD_WIDTH>((1 << COUNTER_WIDTH) - 1))
                    | bit_cast::<WORD_WIDTH, COUNTER_WIDTH>(self.data.val().get_bits::<COUNTER_WIDTH>(0));
            }
            if self.field.val() == bits::<FIELD_WIDTH>(EventRegister::Control as u64) {
                self.word.next = (self.current.val() & bits::<WORD_WIDTH>((1 << COUNTER_WIDTH) - 1))
                    | field::<WORD_WIDTH, CONTROL_WIDTH>(self.data.val().get_bits::<CONTROL_WIDTH>(0), CONTROL_AT);
            }
            if self.field.val() == bits::<FIELD_WIDTH>(EventRegister::Status as u64) {
                self.word.next = 0.into();
            }
        }
    }
}
