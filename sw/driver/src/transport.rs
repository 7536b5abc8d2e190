//! Transports: carriers of the driver's accesses to a fabric.

use portico_spec::{Config, Port};
use thiserror::Error;

use crate::serial::LineError;

/// An access that the carrier could not make.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TransportError {
    /// The address is not that of a word of the node's space.
    #[error("address = {address:#x} of the node: allowed are multiples of 4 below {limit:#x}")]
    Address {
        /// The byte address.
        address: u32,
        /// Bytes of the node's space.
        limit: u32,
    },
    /// The bus answered with an error.
    #[error("the bus answered {response} at address {address:#x}")]
    Bus {
        /// The byte address.
        address: u32,
        /// The response, for example `SLVERR`.
        response: String,
    },
    /// The bus did not answer.
    #[error("no answer at address {address:#x} within {cycles} cycles")]
    Silent {
        /// The byte address.
        address: u32,
        /// How long was waited.
        cycles: u64,
    },
    /// The serial line failed.
    #[error(transparent)]
    Line(#[from] LineError),
    /// No answer comes on the serial line.
    #[error(
        "no answer to {requests} requests at {baud} baud: check that the board has power and Portico's bitstream, that {baud} is \
         the baud rate of its bridge, and that this is its port"
    )]
    NoAnswer {
        /// How often the request was sent.
        requests: usize,
        /// Baud rate of the line.
        baud: u32,
    },
    /// The bridge does not know of the session that was begun.
    #[error("the board was reset during the session: all data in its fabric is lost; open a new session")]
    BoardReset,
    /// The carrier itself failed.
    #[error("{0}")]
    Failed(String),
}

impl TransportError {
    /// The bus answered SLVERR.
    pub(crate) fn slave_error(address: u32) -> TransportError {
        let response = "SLVERR".to_owned();
        TransportError::Bus { address, response }
    }
}

/// Flits on a link of the data plane that was watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// Cycles in which the first and the last flit passed, as [`Transport::cycles`] counts them; 0 without a flit.
    pub first: u64,
    /// See `first`.
    pub last: u64,
    /// How many have passed.
    pub flits: u64,
}

/// Accesses to the address space of a fabric's host node, or of a tile with a port, as its AXI4-Lite port gives them: 32 bits
/// at byte addresses, the node's memory from 0, its registers from [`BASE_BYTES`](portico_spec::ni::registers::BASE_BYTES).
///
/// Time must go on with every access: at least one cycle each, or a wait would never end.
pub trait Transport {
    /// The configuration of the fabric.
    fn config(&self) -> &Config;

    /// Reads 32 bits.
    ///
    /// # Errors
    /// The access could not be made.
    fn read(&mut self, address: u32) -> Result<u32, TransportError>;

    /// Writes 32 bits.
    ///
    /// # Errors
    /// The access could not be made.
    fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError>;

    /// Reads words that lie together, in the order of their addresses.
    ///
    /// # Errors
    /// The first access that could not be made.
    fn read_block(&mut self, address: u32, words: &mut [u32]) -> Result<(), TransportError> {
        for (at, word) in (address..).step_by(4).zip(words) {
            *word = self.read(at)?;
        }
        Ok(())
    }

    /// Writes words that lie together, in the order of their addresses.
    ///
    /// # Errors
    /// The first access that could not be made; words before it are written.
    fn write_block(&mut self, address: u32, words: &[u32]) -> Result<(), TransportError> {
        for (at, &word) in (address..).step_by(4).zip(words) {
            self.write(at, word)?;
        }
        Ok(())
    }

    /// Cycles since some moment in the past, by which the driver limits its waits.
    ///
    /// | carrier | counts |
    /// | --- | --- |
    /// | a Verilated fabric | cycles of its clock |
    /// | [`GoldenTransport`](crate::GoldenTransport) | accesses, and what each [`wait`](Self::wait) asks for: it has no time |
    /// | [`SerialTransport`](crate::SerialTransport), [`UioTransport`](crate::UioTransport) | the same, a word of the serial line as [`CYCLES_PER_ACCESS`](crate::serial::CYCLES_PER_ACCESS): the clock of a board is not seen |
    ///
    /// A rate is computed from the first alone.
    fn cycles(&self) -> u64;

    /// Lets so many cycles pass.
    fn wait(&mut self, cycles: u64);

    /// Watches a link of the data plane: from the router of this tile through this port. Does nothing where links are not counted.
    fn watch(&mut self, _tile: usize, _port: Port) {}

    /// Ends the watch. Gives what has passed on the link; none where links are not counted.
    fn watched(&mut self) -> Option<Watched> {
        None
    }

    /// Whether the node interrupts now.
    fn interrupt(&mut self) -> bool;
}

/// Methods of a [`Transport`] that has another one in a field: the named ones go there unchanged.
///
/// ```
/// use portico::{forward_transport, Config, GoldenTransport, Transport, TransportError};
///
/// /// A golden fabric that counts reads.
/// struct Counting {
///     golden: GoldenTransport,
///     reads: usize,
/// }
///
/// impl Transport for Counting {
///     forward_transport!(golden: config, write, cycles, wait, interrupt);
///
///     fn read(&mut self, address: u32) -> Result<u32, TransportError> {
///         self.reads += 1;
///         self.golden.read(address)
///     }
/// }
/// ```
#[macro_export]
macro_rules! forward_transport {
    (@method $inner:tt config) => {
        fn config(&self) -> &$crate::Config {
            $crate::Transport::config(&self.$inner)
        }
    };
    (@method $inner:tt read) => {
        fn read(&mut self, address: u32) -> Result<u32, $crate::TransportError> {
            $crate::Transport::read(&mut self.$inner, address)
        }
    };
    (@method $inner:tt write) => {
        fn write(&mut self, address: u32, value: u32) -> Result<(), $crate::TransportError> {
            $crate::Transport::write(&mut self.$inner, address, value)
        }
    };
    (@method $inner:tt cycles) => {
        fn cycles(&self) -> u64 {
            $crate::Transport::cycles(&self.$inner)
        }
    };
    (@method $inner:tt wait) => {
        fn wait(&mut self, cycles: u64) {
            $crate::Transport::wait(&mut self.$inner, cycles);
        }
    };
    (@method $inner:tt interrupt) => {
        fn interrupt(&mut self) -> bool {
            $crate::Transport::interrupt(&mut self.$inner)
        }
    };
    ($inner:tt: $($method:ident),+) => {
        $($crate::forward_transport!(@method $inner $method);)+
    };
}

impl<T: Transport + ?Sized> Transport for &mut T {
    fn config(&self) -> &Config {
        (**self).config()
    }

    fn read(&mut self, address: u32) -> Result<u32, TransportError> {
        (**self).read(address)
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError> {
        (**self).write(address, value)
    }

    fn read_block(&mut self, address: u32, words: &mut [u32]) -> Result<(), TransportError> {
        (**self).read_block(address, words)
    }

    fn write_block(&mut self, address: u32, words: &[u32]) -> Result<(), TransportError> {
        (**self).write_block(address, words)
    }

    fn cycles(&self) -> u64 {
        (**self).cycles()
    }

    fn wait(&mut self, cycles: u64) {
        (**self).wait(cycles);
    }

    fn interrupt(&mut self) -> bool {
        (**self).interrupt()
    }

    fn watch(&mut self, tile: usize, port: Port) {
        (**self).watch(tile, port);
    }

    fn watched(&mut self) -> Option<Watched> {
        (**self).watched()
    }
}
