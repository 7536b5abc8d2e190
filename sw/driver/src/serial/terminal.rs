//! A pseudo-terminal behind which a board answers: hosts open its path as they open a serial port.

use std::{
    io::{ErrorKind, Read, Write},
    thread,
    time::Duration,
};

use portico_golden::bridge::{Bridge, Bus};
use serialport::{SerialPort, TTYPort};

use super::LineError;

/// How long a turn waits for bytes. A pseudo-terminal has no bit times; silence of one turn is a pause of the line.
const TURN: Duration = Duration::from_millis(10);
/// Where the operating system hands out pseudo-terminals.
const MULTIPLEXER: &str = "/dev/ptmx";

/// A device that answers the bytes of a host: a golden [`Bridge`], a simulated board.
pub trait Board {
    /// Takes the bytes that have come, or none if only time has passed. Returns the answer.
    fn exchange(&mut self, bytes: &[u8]) -> Vec<u8>;

    /// The line from the host was silent for a pause.
    fn pause(&mut self);
}

impl<B: Bus> Board for Bridge<B> {
    fn exchange(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.feed(bytes)
    }

    fn pause(&mut self) {
        Bridge::pause(self);
    }
}

/// A pseudo-terminal.
///
/// ```
/// use portico::serial::Terminal;
///
/// let terminal = Terminal::open()?;
/// assert!(terminal.path().starts_with("/dev/"));
/// # Ok::<(), portico::serial::LineError>(())
/// ```
#[derive(Debug)]
pub struct Terminal {
    port: TTYPort,
    path: String,
}

impl Terminal {
    /// Takes the next that is free.
    ///
    /// # Errors
    /// The operating system has none.
    pub fn open() -> Result<Terminal, LineError> {
        let unusable = |error: serialport::Error| LineError::Unusable {
            path: MULTIPLEXER.to_owned(),
            baud: 0,
            reason: error.description,
        };
        // The host's end is closed at once, so that a read of this one tells whether a host has it open.
        let (port, host) = TTYPort::pair().map_err(unusable)?;
        let path = host.name().expect("a pseudo-terminal has a path");
        Ok(Terminal { port, path })
    }

    /// The device that a host opens.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Serves what comes within a turn. Tells whether a host has the terminal open.
    ///
    /// # Errors
    /// The terminal fails.
    pub fn serve(&mut self, board: &mut dyn Board) -> Result<bool, LineError> {
        let mut bytes = [0; 512];
        let _ = self.port.set_timeout(TURN);
        let answer = match self.port.read(&mut bytes) {
            Ok(count) => board.exchange(&bytes[..count]),
            Err(error) => match error.kind() {
                ErrorKind::TimedOut | ErrorKind::Interrupted => {
                    board.pause();
                    board.exchange(&[])
                }
                ErrorKind::BrokenPipe => {
                    board.pause();
                    thread::sleep(TURN);
                    return Ok(false);
                }
                _ => return Err(self.gone(&error)),
            },
        };
        match self.port.write_all(&answer) {
            // A host that has gone, or does not read, loses bytes, as it does on a board.
            Err(error) if !matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::BrokenPipe) => {
                Err(self.gone(&error))
            }
            _ => Ok(true),
        }
    }

    fn gone(&self, error: &std::io::Error) -> LineError {
        LineError::Gone {
            path: self.path.clone(),
            reason: error.to_string(),
        }
    }
}
