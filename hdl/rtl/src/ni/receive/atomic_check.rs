//! Whether an atomic operation may be done.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | state | none |

use portico_spec::ni::{
    packet::ERROR_WIDTH,
    window::{Mode, MODE_WIDTH},
    ErrorCode,
};
use rust_hdl::prelude::*;

/// Gives the first thing that speaks against an operation.
#[derive(LogicBlock)]
pub struct AtomicCheck {
    pub mode: Signal<In, Bits<MODE_WIDTH>>,
    pub in_memory: Signal<In, Bit>,
    pub is_device: Signal<In, Bit>,
    /// It is one that registers take.
    pub suits_device: Signal<In, Bit>,
    pub well_formed: Signal<In, Bit>,
    /// 0 if nothing does.
    pub error: Signal<Out, Bits<ERROR_WIDTH>>,
    off: Constant<Bits<MODE_WIDTH>>,
    window: Constant<Bits<MODE_WIDTH>>,
    unknown_window: Constant<Bits<ERROR_WIDTH>>,
    wrong_window: Constant<Bits<ERROR_WIDTH>>,
    out_of_window: Constant<Bits<ERROR_WIDTH>>,
    malformed: Constant<Bits<ERROR_WIDTH>>,
}

impl Default for AtomicCheck {
    fn default() -> Self {
        let error = |error: ErrorCode| Constant::new(bits(error as u64));
        Self {
            mode: Default::default(),
            in_memory: Default::default(),
            is_device: Default::default(),
            suits_device: Default::default(),
            well_formed: Default::default(),
            error: Default::default(),
            off: Constant::new(bits(Mode::Off as u64)),
            window: Constant::new(bits(Mode::Window as u64)),
            unknown_window: error(ErrorCode::UnknownWindow),
            wrong_window: error(ErrorCode::WrongWindow),
            out_of_window: error(ErrorCode::OutOfWindow),
            malformed: error(ErrorCode::Malformed),
        }
    }
}

impl Logic for AtomicCheck {
    #[hdl_gen]
    fn update(&mut self) {
        self.error.next = 0.into();
        if !self.well_formed.val() {
            self.error.next = self.malformed.val();
        }
        if !self.in_memory.val() & !(self.is_device.val() & self.suits_device.val()) {
            self.error.next = self.out_of_window.val();
        }
        if self.mode.val() != self.window.val() {
            self.error.next = self.wrong_window.val();
        }
        if self.mode.val() == self.off.val() {
            self.error.next = self.unknown_window.val();
        }
    }
}
