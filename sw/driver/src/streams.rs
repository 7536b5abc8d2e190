//! Streams of words between a tile and an accelerator beside it (key `streams`).
//!
//! A send moves rows of a tile's memory onto the stream out of the tile; a receive moves the stream into the tile to its memory.
//! Of each direction one runs and two wait; one that comes while two wait ends with [`ErrorCode::CommandFull`](crate::ErrorCode::CommandFull). A
//! send is complete when the accelerator has taken its last word, a receive when its last word is written. A time-out
//! before that means that the accelerator takes or gives no word.
//!
//! ```
//! use portico::{streams::{Receive, Send}, Config, Fabric, GoldenTransport};
//!
//! let config = Config { cols: 2, rows: 1, edge_nodes: 1, streams: true, ..Config::default() };
//! let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
//! fabric.write(1, 0x100, &[7, 8])?;
//! let mut sent = fabric.tile(1)?.send(&Send { address: 0x100, row: 8, rows: 1, stride: 0, each_row: false })?.start()?;
//! let mut received = fabric.tile(1)?.receive(&Receive { address: 0x200, length: 64 })?.start()?;
//!
//! // The accelerator doubles each word.
//! let words = fabric.transport().take(1, 2)?;
//! assert_eq!(words, [(7, false), (8, true)]);
//! let doubled: Vec<_> = words.into_iter().map(|(word, last)| (2 * word, last)).collect();
//! fabric.transport().give(1, &doubled)?;
//!
//! sent.wait(&mut fabric, 1000)?;
//! received.wait(&mut fabric, 1000)?;
//! assert_eq!(fabric.read(1, 0x200, 2)?, [14, 16]);
//! assert_eq!(fabric.streams(1)?.received, 2);
//! # Ok::<(), portico::Error>(())
//! ```

pub use portico_spec::streams::{Beat, Receive, Send};
use portico_spec::{
    ni::descriptor::Command,
    streams::{RUNNING_OFFSET, WAITING_OFFSET, WAITING_WIDTH},
};

use crate::{
    command,
    onesided::{Initiator, Operation},
    registers::{Registers, StreamRegister},
    resources::Feature,
    Error, Fabric, Transport,
};

/// Streams of words.
pub(crate) const STREAMS: Feature = Feature {
    what: "streams",
    is_built: |build| build.streams,
    tile_key: Some("streams"),
    host_key: None,
};

/// State of the streams of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    /// Sends that run, 0 or 1, and that wait.
    pub sends: [u32; 2],
    /// Words of the fabric that the last send that ended has moved.
    pub sent: u32,
    /// Receives that run, 0 or 1, and that wait.
    pub receives: [u32; 2],
    /// Words of the fabric that the last receive that ended has moved.
    pub received: u32,
}

/// How many run and wait, of a status register.
fn counts(status: u32) -> [u32; 2] {
    [
        status >> RUNNING_OFFSET & 1,
        status >> WAITING_OFFSET & ((1 << WAITING_WIDTH) - 1),
    ]
}

impl<'f, T: Transport> Initiator<'f, T> {
    /// Moves rows of this tile's memory onto the stream that leaves it. Complete when the accelerator has taken the last word.
    ///
    /// # Errors
    /// [`Error::NotBuilt`], [`Error::Descriptor`] of lengths, [`Error::Misaligned`], [`Error::OutOfMemory`]: nothing is moved.
    pub fn send(self, send: &Send) -> Result<Operation<'f, T, ()>, Error> {
        self.fabric.check_streams(self.node)?;
        let words = command::encode(self.fabric.config(), 0, Command::Send(*send))?;
        let bytes = u64::from(send.rows - 1) * u64::from(send.stride) + u64::from(send.row);
        self.fabric
            .check_local(self.node, "address", send.address, "length", bytes)?;
        Ok(self.operation("send", words))
    }

    /// Moves the stream that comes to this tile into its memory, until a word with `tlast` or the length. Complete when the last
    /// word is written.
    ///
    /// # Errors
    /// As for [`Initiator::send`].
    pub fn receive(self, receive: &Receive) -> Result<Operation<'f, T, ()>, Error> {
        self.fabric.check_streams(self.node)?;
        let words = command::encode(self.fabric.config(), 0, Command::Receive(*receive))?;
        self.fabric
            .check_local(self.node, "address", receive.address, "length", receive.length.into())?;
        Ok(self.operation("receive", words))
    }
}

impl<T: Transport> Fabric<T> {
    /// State of the streams of a tile.
    ///
    /// # Errors
    /// [`Error::NotBuilt`], [`Error::NoSuchNode`], or the fabric's.
    pub fn streams(&mut self, tile: usize) -> Result<Streams, Error> {
        self.check_node(tile)?;
        self.check_streams(tile)?;
        let registers: Registers<StreamRegister> = self.peek_item(tile, 0)?;
        Ok(Streams {
            sends: counts(registers[StreamRegister::SendStatus]),
            sent: registers[StreamRegister::SendWords],
            receives: counts(registers[StreamRegister::ReceiveStatus]),
            received: registers[StreamRegister::ReceiveWords],
        })
    }

    fn check_streams(&self, node: usize) -> Result<(), Error> {
        self.nodes[node].check_built(node, &STREAMS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GoldenTransport;
    use portico_spec::Config;

    fn fabric(streams: bool) -> Fabric<GoldenTransport> {
        let config = Config {
            cols: 2,
            rows: 1,
            edge_nodes: 1,
            streams,
            ..Config::default()
        };
        Fabric::open(GoldenTransport::new(&config).unwrap()).unwrap()
    }

    const SEND: Send = Send {
        address: 0,
        row: 8,
        rows: 2,
        stride: 16,
        each_row: false,
    };

    #[test]
    fn what_cannot_be_moved_is_refused_before_anything_is() {
        let mut two = fabric(true);
        let mut wrong = |send: Send| two.tile(0).unwrap().send(&send).unwrap_err().to_string();
        assert_eq!(
            wrong(Send { rows: 0, ..SEND }),
            "rows = 0 is not allowed: allowed is 1..=65535"
        );
        assert!(wrong(Send {
            address: 64 << 10,
            ..SEND
        })
        .contains("memory"));
        assert!(wrong(Send { stride: 2, ..SEND }).contains("stride = 2 bytes"));
        let empty = Receive { address: 0, length: 0 };
        assert!(two.tile(0).unwrap().receive(&empty).is_err());
        let host = two.host().send(&SEND).unwrap_err();
        assert_eq!(host.to_string(), "node 2 is built without streams");
        assert_eq!(two.streams(0).unwrap().sends, [0, 0]);
        let mut none = fabric(false);
        assert!(none.tile(0).unwrap().send(&SEND).is_err() && none.streams(0).is_err());
        assert!(none.transport().take(0, 1).is_err() && none.transport().give(0, &[]).is_err());
    }
}
