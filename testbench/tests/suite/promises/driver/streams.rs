//! Streams of words between a tile and an accelerator beside it.

use super::{rest, says, SOON};
use portico::{
    streams::{Beat, Receive, Send},
    Error, ErrorCode, Fabric, GoldenTransport, Transport,
};
use portico_sim::SimulatedFabric;
use portico_spec::ni::command::Opcode;

/// A transport of a fabric whose tiles have streams.
pub trait Streamed: Transport {
    /// Gives words to the stream into a tile.
    fn give(&mut self, tile: usize, beats: &[Beat]) -> Result<(), Error>;

    /// Takes up to `most` words from the stream out of a tile.
    fn take(&mut self, tile: usize, most: usize) -> Result<Vec<Beat>, Error>;
}

impl Streamed for GoldenTransport {
    fn give(&mut self, tile: usize, beats: &[Beat]) -> Result<(), Error> {
        GoldenTransport::give(self, tile, beats)
    }

    fn take(&mut self, tile: usize, most: usize) -> Result<Vec<Beat>, Error> {
        GoldenTransport::take(self, tile, most)
    }
}

impl Streamed for SimulatedFabric {
    fn give(&mut self, tile: usize, beats: &[Beat]) -> Result<(), Error> {
        SimulatedFabric::give(self, tile, beats)
    }

    fn take(&mut self, tile: usize, most: usize) -> Result<Vec<Beat>, Error> {
        SimulatedFabric::take(self, tile, most)
    }
}

/// Whether there are streams; if not, they are refused by name.
fn is_built<T: Transport>(fabric: &mut Fabric<T>) -> Result<bool, Error> {
    if fabric.config().streams {
        return Ok(true);
    }
    let word = Receive {
        address: 0,
        length: fabric.word_bytes(),
    };
    says(
        fabric.tile(0)?.receive(&word),
        "node 0 is built without streams: set the key streams",
    );
    says(
        fabric.streams(1),
        "node 1 is built without streams: set the key streams",
    );
    Ok(false)
}

/// A word of the stream from words of 32 bits that lie together.
fn beats(words: &[u32], lanes: usize, is_last: impl Fn(usize) -> bool) -> Vec<Beat> {
    let join = |lanes: &[u32]| lanes.iter().rev().fold(0, |word, &lane| word << 32 | u64::from(lane));
    let words = words.chunks(lanes).map(join).enumerate();
    words.map(|(at, word)| (word, is_last(at))).collect()
}

/// Rows of every tile leave it in order; `tlast` is with the last word, or with the last of each row.
pub fn rows_leave_in_order<T: Streamed>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        if !is_built(&mut fabric)? {
            continue;
        }
        let (word, lanes) = (fabric.word_bytes(), width / 32);
        for tile in 0..fabric.config().tiles() {
            for each_row in [false, true] {
                // Three rows of two words, four words apart.
                let data: Vec<u32> = (0..12 * lanes as u32).map(|at| (tile as u32) << 8 | at).collect();
                fabric.write(tile, 0x100, &data)?;
                let send = Send {
                    address: 0x100,
                    row: 2 * word,
                    rows: 3,
                    stride: 4 * word,
                    each_row,
                };
                let mut sent = fabric.tile(tile)?.send(&send)?.start()?;
                let rows: Vec<u32> = data
                    .chunks(4 * lanes)
                    .flat_map(|row| &row[..2 * lanes])
                    .copied()
                    .collect();
                let expected = beats(&rows, lanes, |at| at == 5 || each_row && at % 2 == 1);
                assert_eq!(fabric.transport().take(tile, 6)?, expected, "tile {tile}");
                sent.wait(&mut fabric, SOON)?;
                assert_eq!(fabric.streams(tile)?.sent, 6);
            }
        }
    }
    Ok(())
}

/// A receive ends with `tlast` or its length, and what follows waits for the next.
pub fn words_come_until_tlast_or_the_length<T: Streamed>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        if !is_built(&mut fabric)? {
            continue;
        }
        let (word, lanes, tile) = (fabric.word_bytes(), width / 32, 2);
        let data: Vec<u32> = (1..=9 * lanes as u32).collect();
        fabric.write(tile, 0x400, &vec![0; 12 * lanes])?;
        fabric.transport().give(tile, &beats(&data, lanes, |at| at == 2))?;
        let mut received = 0;
        for (most, words) in [(8, 3), (4, 4), (2, 2)] {
            let receive = Receive {
                address: 0x400 + received * word,
                length: most * word,
            };
            fabric.tile(tile)?.receive(&receive)?.wait(SOON)?;
            received += words;
            assert_eq!(fabric.streams(tile)?.received, words);
            let mut expected = data[..received as usize * lanes].to_vec();
            expected.resize(12 * lanes, 0);
            assert_eq!(
                fabric.read(tile, 0x400, 12 * lanes)?,
                expected,
                "{width} bits, after {most}"
            );
        }
    }
    Ok(())
}

/// Of each direction one runs and two wait; a further one is refused, and the other direction goes on.
pub fn one_runs_two_wait_and_a_third_is_refused<T: Streamed>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        if !is_built(&mut fabric)? {
            continue;
        }
        let (word, tile) = (fabric.word_bytes(), 3);
        let send = |at: u32| Send {
            address: at * word,
            row: word,
            rows: 1,
            stride: 0,
            each_row: false,
        };
        let receive = |at: u32| Receive {
            address: (100 + at) * word,
            length: word,
        };
        let mut sends = vec![];
        let mut receives = vec![];
        for at in 0..3 {
            sends.push(fabric.tile(tile)?.send(&send(at))?.start()?);
            receives.push(fabric.tile(tile)?.receive(&receive(at))?.start()?);
        }
        rest(&mut fabric);
        let refused = [
            fabric.tile(tile)?.send(&send(3))?.wait(SOON),
            fabric.tile(tile)?.receive(&receive(3))?.wait(SOON),
        ];
        for refused in refused {
            let is_full = matches!(&refused, Err(Error::Refused { code, .. }) if *code == ErrorCode::CommandFull);
            assert!(is_full, "{refused:?}");
        }
        let streams = fabric.streams(tile)?;
        assert_eq!((streams.sends, streams.receives), ([1, 2], [1, 2]));
        fabric.transport().give(tile, &[(7, true), (8, true), (9, true)])?;
        for ticket in &mut receives {
            ticket.wait(&mut fabric, SOON)?;
        }
        let streams = fabric.streams(tile)?;
        assert_eq!((streams.sends, streams.receives), ([1, 2], [0, 0]));
        assert_eq!(fabric.transport().take(tile, 3)?.len(), 3);
        for ticket in &mut sends {
            ticket.wait(&mut fabric, SOON)?;
        }
        assert_eq!(fabric.streams(tile)?.sends, [0, 0]);
    }
    Ok(())
}

/// What is wrong with a descriptor is told, and nothing is moved.
pub fn wrong_streams_are_refused<T: Streamed>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let (send, receive) = (Opcode::Send as u32, Opcode::Receive as u32);
        let built = fabric.config().streams;
        let (bytes, word) = (fabric.memory_bytes(1)?, fabric.word_bytes());
        for (words, expected) in [
            (vec![send, 0, 1 << 16 | 1], ErrorCode::Malformed),
            (vec![send, 2, 1 << 16 | 1, 0], ErrorCode::Malformed),
            (vec![send, 0, 1 << 16, 0], ErrorCode::Malformed),
            (vec![send, 0, 1, 0], ErrorCode::Malformed),
            (vec![receive, 0, 0], ErrorCode::Malformed),
            (vec![receive, word / 2, 1], ErrorCode::Malformed),
            (vec![send, bytes, 1 << 16 | 1, 0], ErrorCode::OutOfMemory),
            // The stride of the largest memory would not fit its field.
            (vec![send, word, 2 << 16 | 1, bytes / word - 1], ErrorCode::OutOfMemory),
            (vec![receive, bytes - word, 2], ErrorCode::OutOfMemory),
        ] {
            let answer = fabric.tile(1)?.descriptor::<()>(&words)?.wait(SOON);
            let expected = if built { expected } else { ErrorCode::NotBuilt };
            let is_told = matches!(&answer, Err(Error::Refused { code, .. }) if *code == expected);
            assert!(is_told, "{width} bits, {words:x?}: {answer:?}");
        }
        let unknown = fabric.tile(1)?.descriptor::<()>(&[30, 0, 1])?.wait(SOON);
        let is_told = matches!(&unknown, Err(Error::Refused { code, .. }) if *code == ErrorCode::UnknownOpcode);
        assert!(is_told, "{unknown:?}");
        if built {
            assert_eq!(fabric.streams(1)?.sends, [0, 0]);
            assert!(fabric.transport().take(1, 1)?.is_empty());
        }
    }
    Ok(())
}
