//! Every tile sends a block to every tile.

use crate::{Fabric, Transport};

use super::{check, pattern, Failure, Figures, TIMEOUT};

/// Words of a block, of the fabric's width.
const WORDS: u32 = 16;

/// Sends a block of 16 words from every tile to every tile, itself included, twice: the members have command lists, so the second
/// time costs one descriptor a tile.
///
/// # Errors
/// The driver's, or a wrong word.
pub fn alltoall<T: Transport>(fabric: &mut Fabric<T>) -> Result<Figures, Failure> {
    let tiles = fabric.config().tiles();
    let bytes = WORDS * fabric.word_bytes();
    let words = bytes as usize / 4;
    let (mut sources, mut results) = (vec![], vec![]);
    for tile in 0..tiles {
        let source = fabric.allocate(tile, bytes * tiles as u32)?;
        let own: Vec<u32> = (0..words * tiles).map(|place| pattern(tile, place)).collect();
        fabric.write(tile, source.base, &own)?;
        sources.push(source);
        results.push(fabric.allocate(tile, bytes * tiles as u32)?);
    }
    let all: Vec<usize> = (0..tiles).collect();
    let from: Vec<u32> = sources.iter().map(|region| region.base).collect();
    let to: Vec<u32> = results.iter().map(|region| region.base).collect();
    let mut peers = fabric.peers(&all)?;
    let mut exchange = peers.alltoall(fabric, from, to, bytes)?;
    let begun = fabric.transport().cycles();
    for _ in 0..2 {
        exchange.start(fabric)?;
        exchange.wait(fabric, TIMEOUT)?;
    }
    let cycles = fabric.transport().cycles() - begun;

    for (tile, result) in results.iter().enumerate() {
        let block = |sender: usize| (0..words).map(move |word| pattern(sender, tile * words + word));
        let expected: Vec<u32> = (0..tiles).flat_map(block).collect();
        check(fabric, tile, result.base, &expected)?;
    }
    exchange.release(fabric)?;
    peers.release(fabric)?;
    for region in sources.into_iter().chain(results) {
        fabric.free(region)?;
    }
    Ok(Figures {
        bytes: 2 * u64::from(bytes) * (tiles * tiles) as u64,
        cycles,
        parts: None,
    })
}
