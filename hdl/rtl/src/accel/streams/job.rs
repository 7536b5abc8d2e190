//! The interface between the intake and the two directions.

use super::{ADDRESS_WIDTH, LENGTH_WIDTH};
use portico_spec::ni::{
    event::EVENT_WIDTH,
    packet::{ROW_WIDTH, STRIDE_WIDTH},
};
use portico_verilog::prelude::*;

/// A checked descriptor that begins, as the intake gives it.
#[interface(mirror = MoveIn)]
pub struct MoveOut {
    /// Only while `ready`.
    pub valid: Signal<Out, Bit>,
    /// Of the first word.
    pub address: Signal<Out, Bits<ADDRESS_WIDTH>>,
    /// Words of a row of a send; most words of a receive.
    pub length: Signal<Out, Bits<LENGTH_WIDTH>>,
    /// Rows of a send.
    pub rows: Signal<Out, Bits<ROW_WIDTH>>,
    /// Words from row to row.
    pub stride: Signal<Out, Bits<STRIDE_WIDTH>>,
    /// The last word of each row has `tlast`.
    pub each_row: Signal<Out, Bit>,
    /// The descriptor's event.
    pub event: Signal<Out, Bits<EVENT_WIDTH>>,
    /// No event on success.
    pub quiet: Signal<Out, Bit>,
    /// No descriptor of this direction runs.
    pub ready: Signal<In, Bit>,
}
