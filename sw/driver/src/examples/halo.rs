//! A halo exchange: each tile has a block of a grid with a border of one word, and its neighbours' edges come into it.

use portico_spec::Port;

use crate::{
    list::Steps,
    onesided::{Geometry, Remote, Segment, Strides, Window},
    Error, Fabric, Region, Transport,
};

use super::{check, pattern, timed, Failure, Figures, Flow};

/// Words of a block's side, without and with its border.
const SIDE: u32 = 16;
const FULL: u32 = SIDE + 2;

/// One tile's part.
struct Block {
    region: Region,
    segment: Segment,
    /// Each neighbour and the side on which it is.
    neighbours: Vec<(Port, usize)>,
}

/// Exchanges the borders of 16 x 16 blocks, one a tile, with all neighbours at once: rows to the north and south, and
/// columns, one word a row, to the west and east. Every tile has its puts in a list, and the host starts one tile.
///
/// # Errors
/// The driver's, or a wrong word.
pub fn halo_exchange<T: Transport>(fabric: &mut Fabric<T>) -> Result<Figures, Failure> {
    let (word, tiles) = (fabric.word_bytes(), fabric.config().tiles());
    let lanes = (word / 4) as usize;
    let mut blocks = Vec::new();
    for tile in 0..tiles {
        let region = fabric.allocate(tile, FULL * FULL * word)?;
        fabric.write(tile, region.base, &grid(tile, lanes))?;
        blocks.push(Block {
            region,
            segment: fabric.publish(tile, Window::new(region.base, FULL * FULL * word))?,
            neighbours: neighbours(fabric, tile),
        });
    }
    let remotes = clone_all(fabric, &blocks)?;

    let (mut steps, mut flows, mut bytes) = (Steps::default(), vec![], 0);
    for (tile, remotes) in remotes.iter().enumerate() {
        let Block { region, neighbours, .. } = &blocks[tile];
        for ((side, to), remote) in neighbours.iter().zip(remotes) {
            let (first, border, geometry) = edge(*side, word);
            bytes += geometry.bytes();
            let put = fabric
                .tile(tile)?
                .put(remote, border * word, region.base + first * word, geometry)?;
            put.add_to(&mut steps);
            flows.push(Flow {
                from: tile,
                to: *to,
                words: u64::from(SIDE),
            });
        }
    }
    let mut list = fabric.list(steps)?;
    let (cycles, parts) = timed(fabric, &mut list, &flows, |_| Ok(()))?;
    list.release(fabric)?;

    for (tile, block) in blocks.iter().enumerate() {
        check(
            fabric,
            tile,
            block.region.base,
            &expected(tile, &block.neighbours, lanes),
        )?;
    }
    for remote in remotes.into_iter().flatten() {
        remote.release(fabric)?;
    }
    for Block { region, segment, .. } in blocks {
        segment.withdraw(fabric)?;
        fabric.free(region)?;
    }
    Ok(Figures { bytes, cycles, parts })
}

fn clone_all<T: Transport>(fabric: &mut Fabric<T>, blocks: &[Block]) -> Result<Vec<Vec<Remote>>, Error> {
    let mut remotes = Vec::new();
    for (tile, block) in blocks.iter().enumerate() {
        let mut of_tile = Vec::new();
        for &(_, neighbour) in &block.neighbours {
            of_tile.push(fabric.tile(tile)?.clone_segment(blocks[neighbour].segment.id())?);
        }
        remotes.push(of_tile);
    }
    Ok(remotes)
}

fn neighbours<T: Transport>(fabric: &Fabric<T>, tile: usize) -> Vec<(Port, usize)> {
    let config = fabric.config();
    let at = config.tile_node(tile);
    let beside = |side| config.neighbour(at, side).and_then(|node| config.node_id(node));
    let sides = [Port::North, Port::East, Port::South, Port::West];
    sides
        .into_iter()
        .filter_map(|side| Some((side, beside(side)?)))
        .collect()
}

/// The place of a word of the block with its border.
fn place(x: u32, y: u32) -> u32 {
    y * FULL + x
}

/// The edge of the block on a side: its start, its place in the neighbour's border, and its shape.
fn edge(side: Port, word: u32) -> (u32, u32, Geometry) {
    let row = Geometry::linear(SIDE * word);
    let strides = Strides {
        remote: FULL * word,
        local: FULL * word,
    };
    let column = Geometry::rows(word, SIDE, strides);
    match side {
        Port::North => (place(1, 1), place(1, SIDE + 1), row),
        Port::South => (place(1, SIDE), place(1, 0), row),
        Port::West => (place(1, 1), place(SIDE + 1, 1), column),
        _ => (place(SIDE, 1), place(0, 1), column),
    }
}

fn grid(tile: usize, lanes: usize) -> Vec<u32> {
    (0..(FULL * FULL) as usize * lanes)
        .map(|at| pattern(tile, at))
        .collect()
}

/// A tile's block after the exchange, word by word from the neighbours' blocks before it.
fn expected(tile: usize, neighbours: &[(Port, usize)], lanes: usize) -> Vec<u32> {
    let mut block = grid(tile, lanes);
    for &(side, neighbour) in neighbours {
        let theirs = grid(neighbour, lanes);
        for step in 1..=SIDE {
            let (mine, from) = match side {
                Port::North => (place(step, 0), place(step, SIDE)),
                Port::South => (place(step, SIDE + 1), place(step, 1)),
                Port::West => (place(0, step), place(SIDE, step)),
                _ => (place(SIDE + 1, step), place(1, step)),
            };
            for lane in 0..lanes {
                block[mine as usize * lanes + lane] = theirs[from as usize * lanes + lane];
            }
        }
    }
    block
}
