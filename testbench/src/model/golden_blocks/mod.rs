//! Golden models at the ports of the hardware, so that a block's suite runs on its golden model too.
//!
//! | device | its golden model |
//! | --- | --- |
//! | [`fp_adder`], [`reduce_alu`] | a [`Row`] of places behind a function of two operands |
//! | [`list_manager`], [`buddy`] | a [`Server`] of commands, one at a time |

mod device;
mod row;
mod server;

pub use device::{GoldenDevice, Inputs, Model};
pub use row::{fp_adder, reduce_alu, Row};
pub use server::{buddy, list_manager, Buddy, Lists, Server, Service};
