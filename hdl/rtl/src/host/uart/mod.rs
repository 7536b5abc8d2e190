//! A host's way into a fabric over a serial line: frames and UARTBone (formats in `portico_spec::uart`) to AXI4-Lite.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`UartBridge`] | takes requests, makes their accesses, answers |
//! | [`UartReceiver`], [`UartTransmitter`] | bytes from and to the line |
//! | [`FrameCheck`] | the CRC of a frame |
//! | [`AxiLiteMaster`] | one read or write at a time on AXI4-Lite |

mod axi_lite_master;
mod bridge;
mod frame_check;
mod receiver;
#[cfg(test)]
mod tests;
mod transmitter;

pub use axi_lite_master::AxiLiteMaster;
pub use bridge::UartBridge;
pub use frame_check::FrameCheck;
pub use receiver::UartReceiver;
pub use transmitter::UartTransmitter;

/// Width of the clock cycles of a bit: 4 to 65,535.
pub const BIT_CYCLES_WIDTH: usize = 16;
