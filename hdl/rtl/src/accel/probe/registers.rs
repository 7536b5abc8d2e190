use crate::bus::{AddressMatch, RegisterAccessIn};
use portico_spec::ni::registers::{Block as Registers, ProbeRegister};
use portico_verilog::prelude::*;

/// Bits that number the registers.
const PLACE_WIDTH: usize = 4;

/// The counts of the source/sink core, as registers.
///
/// The registers of block PROBE.
///
/// | | |
/// | --- | --- |
/// | latency | the answer stands 2 cycles after a read, until the next; `clear` follows a write by 1 |
/// | state | the answer of a register, and the packets sent |
#[derive(LogicBlock, Default)]
pub struct ProbeRegisters {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Accesses to registers; those to the block PROBE take effect here.
    pub register: RegisterAccessIn,
    /// The source has packets to send.
    pub running: Signal<In, Bit>,
    /// High for a cycle: a packet has gone.
    pub sent: Signal<In, Bit>,
    /// Packets that have come and count.
    pub received: Signal<In, Bits<32>>,
    /// Words of payload that have come and count.
    pub words: Signal<In, Bits<32>>,
    /// Packets that have come and were wrong.
    pub errors: Signal<In, Bits<32>>,
    /// Least cycles from the offer of a packet's head to its tail here, all ones if none has come.
    pub least: Signal<In, Bits<32>>,
    /// Most cycles from the offer of a packet's head to its tail here, 0 if none has come.
    pub greatest: Signal<In, Bits<32>>,
    /// Cycles from the offers of packets' heads to their tails here, all packets together.
    pub sum: Signal<In, Bits<64>>,
    /// Cycle since reset in which the first head came.
    pub first: Signal<In, Bits<32>>,
    /// Cycle since reset in which the last tail came.
    pub last: Signal<In, Bits<32>>,
    /// High for a cycle: sets all counts to their values after reset.
    pub clear: Signal<Out, Bit>,
    is_own: AddressMatch<{ Registers::Probe as usize }, PLACE_WIDTH>,
    asked: DFF<Bit>,
    clears: DFF<Bit>,
    gone: DFF<Bits<32>>,
    answer: DFF<Bits<32>>,
    place: Signal<Local, Bits<PLACE_WIDTH>>,
    value: Signal<Local, Bits<32>>,
    runs: Signal<Local, Bits<1>>,
}

#[kernel]
impl Logic for ProbeRegisters {
    fn update(&mut self) {
        dff_setup!(self, clk, asked, clears, gone, answer);
        self.is_own.index.next = self.register.index.val();
        self.place.next = self.register.index.val().get_bits::<PLACE_WIDTH>(0);
        self.asked.d.next = self.register.read.val() & self.is_own.hit.val();
        self.clears.d.next = self.register.write.val()
            & self.is_own.hit.val()
            & (self.place.val() == bits::<PLACE_WIDTH>(ProbeRegister::Clear as u64));
        self.clear.next = self.clears.q.val();

        self.runs.next = self.running.val().into();
        self.value.next = 0.into();
        if self.place.val() == bits::<PLACE_WIDTH>(ProbeRegister::Status as u64) {
            self.value.next = bit_cast::<32, 1>(self.runs.val());
        }
        if self.place.val() == bits::<PLACE_WIDTH>(ProbeRegister::Sent as u64) {
            self.value.next = self.gone.q.val();
        }
        if self.place.val() == bits::<PLACE_WIDTH>(ProbeRegister::Received as u64) {
            self.value.next = self.received.val();
        }
        if self.place.val() == bits::<PLACE_WIDTH>(ProbeRegister::Words as u64) {
            self.value.next = self.words.val();
        }
        if self.place.val() == bits::<PLACE_WIDTH>(ProbeRegister::Errors as u64) {
            self.value.next = self.errors.val();
        }
        if self.place.val() == bits::<PLACE_WIDTH>(ProbeRegister::LatencyLeast as u64) {
            self.value.next = self.least.val();
        }
        if self.place.val() == bits::<PLACE_WIDTH>(ProbeRegister::LatencyGreatest as u64) {
            self.value.next = self.greatest.val();
        }
        if self.place.val() == bits::<PLACE_WIDTH>(ProbeRegister::LatencySumLow as u64) {
            self.value.next = self.sum.val().get_bits::<32>(0);
        }
        if self.place.val() == bits::<PLACE_WIDTH>(ProbeRegister::LatencySumHigh as u64) {
            self.value.next = self.sum.val().get_bits::<32>(32);
        }
        if self.place.val() == bits::<PLACE_WIDTH>(ProbeRegister::First as u64) {
            self.value.next = self.first.val();
        }
        if self.place.val() == bits::<PLACE_WIDTH>(ProbeRegister::Last as u64) {
            self.value.next = self.last.val();
        }
        if self.register.read.val() {
            self.answer.d.next = 0.into();
        }
        if self.asked.q.val() {
            self.answer.d.next = self.value.val();
        }
        self.register.answer.next = self.answer.q.val();
        if self.sent.val() {
            self.gone.d.next = self.gone.q.val() + 1;
        }
        if self.clears.q.val() | self.rst.val() {
            self.gone.d.next = 0.into();
        }
        if self.rst.val() {
            self.asked.d.next = false;
            self.clears.d.next = false;
            self.answer.d.next = 0.into();
        }
    }
}
