//! A matrix transpose: each tile has some rows of a square matrix, and ends with the same rows of its transpose.

use crate::{
    event::Event,
    onesided::{Geometry, Segment, Strides, Window},
    Fabric, Region, Transport,
};

use super::{check, pattern, Failure, Figures, TIMEOUT};

/// Rows of a tile.
const ROWS: u32 = 4;

struct Part {
    source: Region,
    result: Region,
    segment: Segment,
    sent: Event,
}

/// Transposes a matrix with four rows a tile. Every tile gets its columns from all tiles, itself included, with one command for
/// each: a square of four by four words, in which columns of the source are rows of the result.
///
/// # Errors
/// The driver's, or a wrong word.
pub fn transpose<T: Transport>(fabric: &mut Fabric<T>) -> Result<Figures, Failure> {
    let (word, tiles) = (fabric.word_bytes(), fabric.config().tiles());
    let lanes = (word / 4) as usize;
    let side = ROWS * tiles as u32;
    let element = |row: u32, column: u32, lane: usize| pattern(row as usize, column as usize * lanes + lane);
    let mut parts = Vec::new();
    for tile in 0..tiles {
        let source = fabric.allocate(tile, ROWS * side * word)?;
        let first = ROWS * tile as u32;
        let rows = (0..ROWS).flat_map(|row| (0..side).map(move |column| (first + row, column)));
        let words: Vec<u32> = rows
            .flat_map(|(row, column)| (0..lanes).map(move |lane| element(row, column, lane)))
            .collect();
        fabric.write(tile, source.base, &words)?;
        parts.push(Part {
            source,
            result: fabric.allocate(tile, ROWS * side * word)?,
            segment: fabric.publish(tile, Window::new(source.base, ROWS * side * word))?,
            sent: fabric.event(tile)?,
        });
    }
    let mut remotes = Vec::new();
    for tile in 0..tiles {
        for part in &parts {
            remotes.push(fabric.tile(tile)?.clone_segment(part.segment.id())?);
        }
    }

    // A plane is a column there and a row here.
    let strides = Strides {
        remote: side * word,
        local: word,
    };
    let plane_strides = Strides {
        remote: word,
        local: side * word,
    };
    let square = Geometry::planes(word, (ROWS, strides), (ROWS, plane_strides));
    let begun = fabric.transport().cycles();
    // All tiles begin before any of them has its last command.
    for other in 0..tiles {
        for (tile, Part { result, sent, .. }) in parts.iter().enumerate() {
            let remote = &remotes[tile * tiles + other];
            let from = ROWS * tile as u32 * word;
            let to = result.base + ROWS * other as u32 * word;
            fabric.tile(tile)?.get(remote, from, to, square)?.count_in(sent)?;
        }
    }
    for part in &parts {
        part.sent.drain(fabric, TIMEOUT)?;
    }
    let cycles = fabric.transport().cycles() - begun;

    for (tile, part) in parts.iter().enumerate() {
        let first = ROWS * tile as u32;
        let places = (0..ROWS).flat_map(|row| (0..side).map(move |column| (column, first + row)));
        let words: Vec<u32> = places
            .flat_map(|(row, column)| (0..lanes).map(move |lane| element(row, column, lane)))
            .collect();
        check(fabric, tile, part.result.base, &words)?;
    }
    for remote in remotes {
        remote.release(fabric)?;
    }
    for part in parts {
        part.segment.withdraw(fabric)?;
        part.sent.release(fabric)?;
        fabric.free(part.source)?;
        fabric.free(part.result)?;
    }
    Ok(Figures {
        bytes: u64::from(side * side * word),
        cycles,
    })
}
