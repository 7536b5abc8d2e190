//! The line that carries bytes between a host and a bridge.

use std::time::Duration;

use thiserror::Error;

/// Why a serial line cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineError {
    /// There is no such device.
    #[error("no device {path}: check that the board is connected, and list what there is with `ls /dev/tty*`")]
    NoDevice {
        /// The device.
        path: String,
    },
    /// The user lacks permission to open it.
    #[error("no permission to open {path}: add the user to the device's group, often `dialout`, and log in again")]
    NoPermission {
        /// The device.
        path: String,
    },
    /// Another program has it.
    #[error("{path} is in use: close the program that has opened it")]
    Busy {
        /// The device.
        path: String,
    },
    /// It cannot be set up as a serial port.
    #[error("cannot use {path} as a serial port at {baud} baud: {reason}")]
    Unusable {
        /// The device.
        path: String,
        /// The baud rate that was asked for.
        baud: u32,
        /// What the operating system says.
        reason: String,
    },
    /// The device has disappeared.
    #[error("{path} is gone ({reason}): check the cable and the power of the board")]
    Gone {
        /// The device.
        path: String,
        /// What the operating system says.
        reason: String,
    },
    /// It takes no bytes.
    #[error("{path} takes no bytes: check that nothing holds its flow control")]
    Stuck {
        /// The device.
        path: String,
    },
}

/// Carries bytes both ways, and gives the time. A line may lose, double and change bytes.
pub trait Line {
    /// Bits a second.
    fn baud(&self) -> u32;

    /// Sends all bytes.
    ///
    /// # Errors
    /// The line fails.
    fn send(&mut self, bytes: &[u8]) -> Result<(), LineError>;

    /// Takes the bytes that have come, as many as fit. Waits for the first of them, for at most `limit`. Returns their number, 0 if
    /// none came in time.
    ///
    /// # Errors
    /// The line fails.
    fn receive(&mut self, bytes: &mut [u8], limit: Duration) -> Result<usize, LineError>;

    /// Time since some moment in the past.
    fn now(&self) -> Duration;

    /// Lets time pass.
    fn sleep(&mut self, time: Duration);
}

impl<L: Line + ?Sized> Line for &mut L {
    fn baud(&self) -> u32 {
        (**self).baud()
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        (**self).send(bytes)
    }

    fn receive(&mut self, bytes: &mut [u8], limit: Duration) -> Result<usize, LineError> {
        (**self).receive(bytes, limit)
    }

    fn now(&self) -> Duration {
        (**self).now()
    }

    fn sleep(&mut self, time: Duration) {
        (**self).sleep(time);
    }
}
