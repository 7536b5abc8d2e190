//! A serial port of this computer.

use std::{
    io::{self, ErrorKind, Read, Write},
    thread,
    time::{Duration, Instant},
};

use serialport::{ClearBuffer, SerialPort};

use super::{Line, LineError};

/// How long the operating system may take to take bytes.
const WRITE_LIMIT: Duration = Duration::from_secs(2);

/// A line through a serial port, for example `/dev/ttyUSB0`.
pub struct PortLine {
    port: Box<dyn SerialPort>,
    path: String,
    baud: u32,
    opened: Instant,
}

impl std::fmt::Debug for PortLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let PortLine { path, baud, .. } = self;
        write!(f, "PortLine {{ path: {path:?}, baud: {baud} }}")
    }
}

impl PortLine {
    /// Opens a port: 8 bits, no parity, one stop bit, no flow control.
    ///
    /// # Errors
    /// There is no such device, the user may not open it, another program has it, or it is no serial port.
    pub fn open(path: &str, baud: u32) -> Result<PortLine, LineError> {
        let path = path.to_owned();
        let opened = serialport::new(&path, baud).timeout(WRITE_LIMIT).open();
        let port = opened.map_err(|error| match error.kind() {
            serialport::ErrorKind::Io(ErrorKind::NotFound) => LineError::NoDevice { path: path.clone() },
            serialport::ErrorKind::Io(ErrorKind::PermissionDenied) => LineError::NoPermission { path: path.clone() },
            serialport::ErrorKind::NoDevice => LineError::Busy { path: path.clone() },
            _ => LineError::Unusable {
                path: path.clone(),
                baud,
                reason: error.description,
            },
        })?;
        // Bytes of before are no answers.
        let _ = port.clear(ClearBuffer::All);
        Ok(PortLine {
            port,
            path,
            baud,
            opened: Instant::now(),
        })
    }

    fn gone(&self, error: &io::Error) -> LineError {
        LineError::Gone {
            path: self.path.clone(),
            reason: error.to_string(),
        }
    }
}

impl Line for PortLine {
    fn baud(&self) -> u32 {
        self.baud
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        let _ = self.port.set_timeout(WRITE_LIMIT);
        self.port.write_all(bytes).map_err(|error| match error.kind() {
            ErrorKind::TimedOut => LineError::Stuck {
                path: self.path.clone(),
            },
            _ => self.gone(&error),
        })
    }

    fn receive(&mut self, bytes: &mut [u8], limit: Duration) -> Result<usize, LineError> {
        let _ = self.port.set_timeout(limit);
        match self.port.read(bytes) {
            Ok(0) => Err(self.gone(&ErrorKind::UnexpectedEof.into())),
            Ok(count) => Ok(count),
            Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => Ok(0),
            Err(error) => Err(self.gone(&error)),
        }
    }

    fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    fn sleep(&mut self, time: Duration) {
        thread::sleep(time);
    }
}
