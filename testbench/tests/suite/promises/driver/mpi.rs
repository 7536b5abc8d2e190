//! MPI-like calls: what they leave, in whatever way.

use super::{exchange::Memories, SOON};
use portico::{
    collective::{Operation, Shape},
    mpi::{Comm, Request, Way},
    Error, Fabric, Transport,
};
use rand::{rngs::StdRng, SeedableRng};

/// Words of a block, and where blocks come from and go to.
const WORDS: u32 = 6;
const SOURCE: u32 = 0x40;
const RESULT: u32 = 0x1000;

/// The members and what their memories should have.
struct Bench<T: Transport> {
    fabric: Fabric<T>,
    comm: Comm,
    tiles: Vec<usize>,
    memories: Memories,
    done: usize,
}

impl<T: Transport> Bench<T> {
    /// Addresses of a byte of the members' memories.
    fn at(&self, byte: u32) -> Vec<u32> {
        self.memories.at_all(&self.tiles, byte)
    }

    /// Runs a call if it has this way; `expect` then changes the memories as the call should.
    fn run(
        &mut self,
        what: &str,
        prepare: impl Fn(&Comm, &mut Fabric<T>, Vec<u32>, Vec<u32>) -> Result<Request, Error>,
        expect: impl Fn(&mut Memories, &[usize]),
    ) -> Result<(), Error> {
        let (sources, results) = (self.at(SOURCE), self.at(RESULT));
        let request = match prepare(&self.comm, &mut self.fabric, sources, results) {
            Err(Error::WrongWay { .. } | Error::NotBuilt { .. }) => return Ok(()),
            request => request?,
        };
        let way = request.way();
        request.run(&mut self.fabric, SOON)?;
        expect(&mut self.memories, &self.tiles);
        self.memories
            .compare(&mut self.fabric, &format!("{what} by {}", way.name()))?;
        self.done += 1;
        Ok(())
    }
}

/// The sums of the members' words, from byte `from` of their memories on.
fn sums(memories: &Memories, tiles: &[usize], from: u32) -> Vec<u32> {
    let word = |at: usize| {
        tiles
            .iter()
            .fold(0u32, |sum, &tile| sum.wrapping_add(memories.words[tile][at]))
    };
    (0..WORDS as usize).map(|at| word(from as usize / 4 + at)).collect()
}

fn put(memories: &mut Memories, tile: usize, byte: u32, words: &[u32]) {
    let first = byte as usize / 4;
    memories.words[tile][first..first + words.len()].copy_from_slice(words);
}

/// Every call in every way that the fabric has, with a root in the middle.
pub fn every_way_leaves_what_mpi_says<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let mut random = StdRng::seed_from_u64(width as u64);
        let memories = Memories::new(&mut fabric, &mut random)?;
        let tiles: Vec<usize> = (0..fabric.config().tiles()).rev().collect();
        let comm = fabric.mpi(&tiles, &Shape::Centre)?;
        let have_engines = fabric.config().mpe > 0;
        assert_eq!(comm.engines().is_some(), have_engines);
        let mut bench = Bench {
            fabric,
            comm,
            tiles,
            memories,
            done: 0,
        };
        for way in Way::ALL {
            bench.comm.force(Some(way));
            calls(&mut bench)?;
        }
        // Engines have six of the ten calls; puts and the host have each once.
        assert_eq!(bench.done, if have_engines { 16 } else { 10 });
        bench.comm.release(&mut bench.fabric)?;
        bench.memories.free(&mut bench.fabric)?;
        super::rest(&mut bench.fabric);
    }
    Ok(())
}

fn calls<T: Transport>(bench: &mut Bench<T>) -> Result<(), Error> {
    let (root, bytes) = (bench.tiles.len() / 2, 4 * WORDS);
    let sum = Operation::IntegerSum;
    bench.run("barrier", |comm, fabric, _, _| comm.barrier(fabric), |_, _| ())?;
    bench.run(
        "bcast",
        |comm, fabric, _, results| comm.bcast(fabric, root, results, WORDS),
        |memories, tiles| {
            tiles
                .iter()
                .for_each(|&to| memories.copy(tiles[root], to, (RESULT, RESULT, bytes)))
        },
    )?;
    bench.run(
        "allgather",
        |comm, fabric, _, results| comm.allgather(fabric, results, WORDS),
        |memories, tiles| {
            for (&from, rank) in tiles.iter().zip(0..) {
                let block = RESULT + rank * bytes;
                tiles
                    .iter()
                    .for_each(|&to| memories.copy(from, to, (block, block, bytes)));
            }
        },
    )?;
    bench.run(
        "reduce",
        |comm, fabric, sources, results| comm.reduce(fabric, root, sources, results[root], WORDS, sum),
        |memories, tiles| {
            let sums = sums(memories, tiles, SOURCE);
            put(memories, tiles[root], RESULT, &sums);
        },
    )?;
    bench.run(
        "allreduce",
        |comm, fabric, sources, results| comm.allreduce(fabric, sources, results, WORDS, sum),
        |memories, tiles| {
            let sums = sums(memories, tiles, SOURCE);
            tiles.iter().for_each(|&tile| put(memories, tile, RESULT, &sums));
        },
    )?;
    bench.run(
        "reduce_scatter",
        |comm, fabric, sources, results| comm.reduce_scatter(fabric, sources, results, WORDS, sum),
        |memories, tiles| {
            for (&tile, rank) in tiles.iter().zip(0..) {
                let sums = sums(memories, tiles, SOURCE + rank * bytes);
                put(memories, tile, RESULT, &sums);
            }
        },
    )?;
    bench.run(
        "scatter",
        |comm, fabric, sources, results| comm.scatter(fabric, root, sources[root], results, WORDS),
        |memories, tiles| {
            for (&to, rank) in tiles.iter().zip(0..) {
                memories.copy(tiles[root], to, (SOURCE + rank * bytes, RESULT, bytes));
            }
        },
    )?;
    bench.run(
        "gather",
        |comm, fabric, sources, results| comm.gather(fabric, root, sources, results[root], WORDS),
        |memories, tiles| {
            for (&from, rank) in tiles.iter().zip(0..) {
                memories.copy(from, tiles[root], (SOURCE, RESULT + rank * bytes, bytes));
            }
        },
    )?;
    bench.run(
        "alltoall",
        |comm, fabric, sources, results| comm.alltoall(fabric, sources, results, WORDS),
        |memories, tiles| {
            for (&from, sender) in tiles.iter().zip(0..) {
                for (&to, receiver) in tiles.iter().zip(0..) {
                    memories.copy(from, to, (SOURCE + receiver * bytes, RESULT + sender * bytes, bytes));
                }
            }
        },
    )?;
    // Rank r sends r % 3 pairs of words to each.
    let size = bench.tiles.len();
    let lengths: Vec<Vec<u32>> = (0..size as u32).map(|rank| vec![2 * (rank % 3); size]).collect();
    bench.run(
        "alltoallv",
        |comm, fabric, sources, results| comm.alltoallv(fabric, sources, results, &lengths),
        |memories, tiles| {
            let mut result = RESULT;
            for (&from, lengths) in tiles.iter().zip(&lengths) {
                let block = 4 * lengths[0];
                for (&to, receiver) in tiles.iter().zip(0..) {
                    memories.copy(from, to, (SOURCE + receiver * block, result, block));
                }
                result += block;
            }
        },
    )
}
