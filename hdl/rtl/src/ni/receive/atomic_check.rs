use portico_spec::ni::{
    packet::ERROR_WIDTH,
    window::{Mode, MODE_WIDTH},
    ErrorCode,
};
use portico_verilog::prelude::*;

/// Whether an atomic operation may be done.
///
/// Gives the first thing that speaks against an operation.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct AtomicCheck {
    pub mode: Signal<In, Bits<MODE_WIDTH>>,
    pub in_memory: Signal<In, Bit>,
    pub is_device: Signal<In, Bit>,
    /// It is one that registers take.
    pub suits_device: Signal<In, Bit>,
    pub well_formed: Signal<In, Bit>,
    /// 0 if nothing does.
    pub error: Signal<Out, Bits<ERROR_WIDTH>>,
}

#[kernel]
impl Logic for AtomicCheck {
    fn update(&mut self) {
        self.error.next = 0.into();
        if !self.well_formed.val() {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
        }
        if !self.in_memory.val() & !(self.is_device.val() & self.suits_device.val()) {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfWindow as u64);
        }
        if self.mode.val() != bits::<MODE_WIDTH>(Mode::Window as u64) {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::WrongWindow as u64);
        }
        if self.mode.val() == bits::<MODE_WIDTH>(Mode::Off as u64) {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownWindow as u64);
        }
    }
}
