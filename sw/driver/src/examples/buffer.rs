//! A tile of 16 x 16 words into the middle of a buffer of 18 x 18, as for a stencil with a halo of one word.

use crate::{
    list::Steps,
    onesided::{Geometry, Strides, Window},
    Fabric, Transport,
};

use super::{check, pattern, timed, Failure, Figures, Flow};

const TILE: u32 = 16;
const BUFFER: u32 = TILE + 2;

/// Puts a dense tile of 16 x 16 words into the middle of an 18 x 18 buffer of the last tile, with one command in a list.
///
/// # Errors
/// The driver's, or a wrong word.
pub fn tile_in_buffer<T: Transport>(fabric: &mut Fabric<T>) -> Result<Figures, Failure> {
    let (from, to) = (0, fabric.config().tiles() - 1);
    let word = fabric.word_bytes();
    let lanes = word / 4;
    let tile = fabric.allocate(from, TILE * TILE * word)?;
    let buffer = fabric.allocate(to, BUFFER * BUFFER * word)?;
    let source: Vec<u32> = (0..TILE * TILE * lanes).map(|at| pattern(from, at as usize)).collect();
    let mut expected: Vec<u32> = (0..BUFFER * BUFFER * lanes).map(|at| !at).collect();
    fabric.write(from, tile.base, &source)?;
    fabric.write(to, buffer.base, &expected)?;
    let segment = fabric.publish(to, Window::new(buffer.base, BUFFER * BUFFER * word))?;
    let remote = fabric.tile(from)?.clone_segment(segment.id())?;

    let strides = Strides {
        remote: BUFFER * word,
        local: TILE * word,
    };
    let inner = Geometry::rows(TILE * word, TILE, strides);
    let mut steps = Steps::default();
    let put = fabric.tile(from)?.put(&remote, (BUFFER + 1) * word, tile.base, inner)?;
    put.add_to(&mut steps);
    let words = u64::from(TILE * TILE);
    let mut list = fabric.list(steps)?;
    let (cycles, parts) = timed(fabric, &mut list, &[Flow { from, to, words }], |_| Ok(()))?;
    list.release(fabric)?;

    for (row, words) in source.chunks((TILE * lanes) as usize).enumerate() {
        let at = (((row as u32 + 1) * BUFFER + 1) * lanes) as usize;
        expected[at..at + words.len()].copy_from_slice(words);
    }
    check(fabric, to, buffer.base, &expected)?;
    remote.release(fabric)?;
    segment.withdraw(fabric)?;
    fabric.free(tile)?;
    fabric.free(buffer)?;
    Ok(Figures {
        bytes: inner.bytes(),
        cycles,
        parts,
    })
}
