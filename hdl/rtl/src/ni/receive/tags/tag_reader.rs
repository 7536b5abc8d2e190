use crate::ni::receive::PLACE_WIDTH;
use portico_spec::ni::{
    registers::{TagRegister, FIELD_WIDTH},
    window::{ENDS_WIDTH, MESSAGES_WIDTH},
};
use portico_verilog::prelude::*;

/// The answer to a read of a register of a tag.
///
/// Gives 0 for fields that cannot be read, and after a read of somebody else's register.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from `show` to `answer`, which then stays |
/// | throughput | a register a cycle |
/// | state | the answer |
#[derive(LogicBlock, Default)]
pub struct TagReader {
    pub clk: Signal<In, Clock>,
    /// A new read starts; the value shown belongs to the previous one.
    pub clear: Signal<In, Bit>,
    /// The row is read that is there in the next cycle.
    pub show: Signal<In, Bit>,
    /// Stays until the row is there.
    pub field: Signal<In, Bits<FIELD_WIDTH>>,
    /// Place of the next word of the row that is there; in a queue the messages ever written.
    pub position: Signal<In, Bits<PLACE_WIDTH>>,
    /// Ends of transfers, of the row that is there.
    pub ends: Signal<In, Bits<ENDS_WIDTH>>,
    /// Messages ever released, of the row that is there.
    pub released: Signal<In, Bits<MESSAGES_WIDTH>>,
    /// Value of the register, 0 where there is none to read.
    pub answer: Signal<Out, Bits<32>>,
    shows: DFF<Bit>,
    shown: DFF<Bits<32>>,
}

#[kernel]
impl Logic for TagReader {
    fn update(&mut self) {
        dff_setup!(self, clk, shows, shown);
        self.shows.d.next = self.show.val();
        if self.clear.val() {
            self.shown.d.next = 0.into();
        }
        if self.shows.q.val() {
            if self.field.val() == bits::<FIELD_WIDTH>(TagRegister::Pointer as u64) {
                self.shown.d.next = bit_cast::<32, PLACE_WIDTH>(self.position.val());
            }
            if self.field.val() == bits::<FIELD_WIDTH>(TagRegister::Ends as u64) {
                self.shown.d.next = bit_cast::<32, ENDS_WIDTH>(self.ends.val());
            }
            if self.field.val() == bits::<FIELD_WIDTH>(TagRegister::Released as u64) {
                self.shown.d.next = bit_cast::<32, MESSAGES_WIDTH>(self.released.val());
            }
        }
        self.answer.next = self.shown.q.val();
    }
}
