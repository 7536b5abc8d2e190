//! A matrix transpose: each tile has some rows of a square matrix, and ends with the same rows of its transpose.

use crate::{
    list::Steps,
    onesided::{Geometry, Segment, Strides, Window},
    Fabric, Region, Transport,
};

use super::{check, pattern, timed, Failure, Figures, Flow};

/// Rows of a tile.
const ROWS: u32 = 4;

struct Part {
    source: Region,
    result: Region,
    segment: Segment,
}

/// Transposes a matrix with four rows a tile. Every tile puts its columns to all tiles, itself included, with one command for each: a
/// square of four by four words, in which rows of the source are columns of the result. The puts of a tile are a list, and begin with
/// the next tile, so that each tile receives from one other at a time. Gets would take longer: the micro-cores of both sides
/// would work for each.
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
        let result = fabric.allocate(tile, ROWS * side * word)?;
        parts.push(Part {
            source,
            result,
            segment: fabric.publish(tile, Window::new(result.base, ROWS * side * word))?,
        });
    }
    let mut remotes = Vec::new();
    for tile in 0..tiles {
        for part in &parts {
            remotes.push(fabric.tile(tile)?.clone_segment(part.segment.id())?);
        }
    }

    // A plane is a row here and a column there.
    let strides = Strides {
        remote: side * word,
        local: word,
    };
    let plane_strides = Strides {
        remote: word,
        local: side * word,
    };
    let square = Geometry::planes(word, (ROWS, strides), (ROWS, plane_strides));
    let (mut steps, mut flows) = (Steps::default(), vec![]);
    for step in 1..=tiles {
        for (tile, Part { source, .. }) in parts.iter().enumerate() {
            let other = (tile + step) % tiles;
            let remote = &remotes[tile * tiles + other];
            let from = source.base + ROWS * other as u32 * word;
            let to = ROWS * tile as u32 * word;
            fabric.tile(tile)?.put(remote, to, from, square)?.add_to(&mut steps);
            flows.push(Flow {
                from: tile,
                to: other,
                words: u64::from(ROWS * ROWS),
            });
        }
    }
    let mut list = fabric.list(steps)?;
    let (cycles, parts_of_list) = timed(fabric, &mut list, &flows, |_| Ok(()))?;
    list.release(fabric)?;

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
        fabric.free(part.source)?;
        fabric.free(part.result)?;
    }
    Ok(Figures {
        bytes: u64::from(side * side * word),
        cycles,
        parts: parts_of_list,
    })
}
