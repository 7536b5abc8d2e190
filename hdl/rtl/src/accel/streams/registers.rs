use super::LENGTH_WIDTH;
use crate::bus::{AddressMatch, RegisterAccessIn};
use portico_spec::{
    ni::registers::{Block as Registers, StreamRegister},
    streams::{RUNNING_OFFSET, WAITING_OFFSET, WAITING_WIDTH},
};
use portico_verilog::prelude::*;

/// Bits that number the registers.
const PLACE_WIDTH: usize = 2;

/// State of the two directions, as registers.
///
/// The registers of block STREAMS; all are read-only.
///
/// | | |
/// | --- | --- |
/// | latency | the answer stands 2 cycles after a read, until the next |
/// | state | 33 flip-flops |
#[derive(LogicBlock, Default)]
pub struct StreamRegisters {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Accesses to registers; reads of the block STREAMS are answered here.
    pub register: RegisterAccessIn,
    /// A send runs.
    pub sending: Signal<In, Bit>,
    /// Sends that wait for the one that runs, 0 to 2.
    pub send_waiting: Signal<In, Bits<WAITING_WIDTH>>,
    /// Words of the last send that ended.
    pub sent: Signal<In, Bits<32>>,
    /// A receive runs.
    pub receiving: Signal<In, Bit>,
    /// Receives that wait for the one that runs, 0 to 2.
    pub receive_waiting: Signal<In, Bits<WAITING_WIDTH>>,
    /// Words of the last receive that ended.
    pub received: Signal<In, Bits<LENGTH_WIDTH>>,
    is_own: AddressMatch<{ Registers::Streams as usize }, PLACE_WIDTH>,
    asked: DFF<Bit>,
    answer: DFF<Bits<32>>,
    place: Signal<Local, Bits<PLACE_WIDTH>>,
    value: Signal<Local, Bits<32>>,
    send_bit: Signal<Local, Bits<1>>,
    receive_bit: Signal<Local, Bits<1>>,
}

#[kernel]
impl Logic for StreamRegisters {
    fn update(&mut self) {
        dff_setup!(self, clk, asked, answer);
        self.is_own.index.next = self.register.index.val();
        self.place.next = self.register.index.val().get_bits::<PLACE_WIDTH>(0);
        self.asked.d.next = self.register.read.val() & self.is_own.hit.val();

        self.send_bit.next = self.sending.val().into();
        self.receive_bit.next = self.receiving.val().into();
        self.value.next = bit_cast::<32, LENGTH_WIDTH>(self.received.val());
        if self.place.val() == bits::<PLACE_WIDTH>(StreamRegister::SendStatus as u64) {
            self.value.next = field::<32, 1>(self.send_bit.val(), RUNNING_OFFSET)
                | field::<32, WAITING_WIDTH>(self.send_waiting.val(), WAITING_OFFSET);
        }
        if self.place.val() == bits::<PLACE_WIDTH>(StreamRegister::SendWords as u64) {
            self.value.next = self.sent.val();
        }
        if self.place.val() == bits::<PLACE_WIDTH>(StreamRegister::ReceiveStatus as u64) {
            self.value.next = field::<32, 1>(self.receive_bit.val(), RUNNING_OFFSET)
                | field::<32, WAITING_WIDTH>(self.receive_waiting.val(), WAITING_OFFSET);
        }
        if self.register.read.val() {
            self.answer.d.next = 0.into();
        }
        if self.asked.q.val() {
            self.answer.d.next = self.value.val();
        }
        self.register.answer.next = self.answer.q.val();
        if self.rst.val() {
            self.asked.d.next = false;
            self.answer.d.next = 0.into();
        }
    }
}
