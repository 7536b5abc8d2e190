//! All tiles work on a matrix with MPI-like calls.

use crate::{
    collective::{Operation, Shape},
    Error, Fabric, Region, Transport,
};

use super::{check, pattern, Failure, Figures, TIMEOUT};

/// Words of a block.
const WORDS: u32 = 2;

/// Tile 0 has a matrix of blocks of two words, a row a tile. Scatter gives every tile its row, alltoall turns rows into columns,
/// allreduce adds the columns, gather brings the columns back to tile 0, where they are the rows of the transposed matrix, and
/// bcast gives the first one to all. Each call takes the way that the cost model says.
///
/// # Errors
/// The driver's, or a wrong word.
pub fn mpi<T: Transport>(fabric: &mut Fabric<T>) -> Result<Figures, Failure> {
    let tiles = fabric.config().tiles();
    let row = WORDS * tiles as u32;
    let block = |from: usize, to: usize| (0..WORDS as usize).map(move |word| pattern(from, WORDS as usize * to + word));
    let matrix: Vec<u32> = (0..tiles)
        .flat_map(|from| (0..tiles).flat_map(move |to| block(from, to)))
        .collect();
    let root = fabric.allocate(0, 4 * matrix.len() as u32)?;
    fabric.write(0, root.base, &matrix)?;
    let mut rows = || -> Result<Vec<Region>, Error> { (0..tiles).map(|tile| fabric.allocate(tile, 4 * row)).collect() };
    let (own, columns, sums) = (rows()?, rows()?, rows()?);
    let at = |regions: &[Region]| regions.iter().map(|region| region.base).collect::<Vec<u32>>();

    let all: Vec<usize> = (0..tiles).collect();
    let mut world = fabric.mpi(&all, &Shape::Centre)?;
    let begun = fabric.transport().cycles();
    world
        .scatter(fabric, 0, root.base, at(&own), row)?
        .run(fabric, TIMEOUT)?;
    world
        .alltoall(fabric, at(&own), at(&columns), WORDS)?
        .run(fabric, TIMEOUT)?;
    world
        .allreduce(fabric, at(&columns), at(&sums), row, Operation::IntegerSum)?
        .run(fabric, TIMEOUT)?;
    world
        .gather(fabric, 0, at(&columns), root.base, row)?
        .run(fabric, TIMEOUT)?;
    let mut first = at(&own);
    first[0] = root.base;
    world.bcast(fabric, 0, first, row)?.run(fabric, TIMEOUT)?;
    world.barrier(fabric)?.run(fabric, TIMEOUT)?;
    let cycles = fabric.transport().cycles() - begun;
    world.release(fabric)?;

    let column = |to: usize| (0..tiles).flat_map(move |from| block(from, to));
    let transposed: Vec<u32> = (0..tiles).flat_map(column).collect();
    let mut sum = vec![0u32; row as usize];
    for to in 0..tiles {
        sum.iter_mut()
            .zip(column(to))
            .for_each(|(sum, word)| *sum = sum.wrapping_add(word));
    }
    check(fabric, 0, root.base, &transposed)?;
    for tile in 0..tiles {
        check(fabric, tile, columns[tile].base, &column(tile).collect::<Vec<_>>())?;
        check(fabric, tile, sums[tile].base, &sum)?;
        if tile > 0 {
            check(fabric, tile, own[tile].base, &transposed[..row as usize])?;
        }
    }
    for region in own.into_iter().chain(columns).chain(sums).chain([root]) {
        fabric.free(region)?;
    }
    // Five calls, in each of which every tile receives or gives a row.
    Ok(Figures {
        bytes: 5 * 4 * u64::from(row) * tiles as u64,
        cycles,
        parts: None,
    })
}
