//! Exchanges: every block reaches its member, and nothing else changes.

use super::SOON;
use portico::{
    exchange::{Block, Exchange, Order},
    onesided::Shaper,
    Error, Fabric, Region, Transport,
};
use rand::{rngs::StdRng, Rng, RngCore, SeedableRng};

/// Bytes of a tile that are compared, and the words in them.
const BYTES: u32 = 0x2000;

/// Memory of every tile, full of random words that the host knows.
pub(super) struct Memories {
    regions: Vec<Region>,
    /// By tile.
    pub words: Vec<Vec<u32>>,
}

impl Memories {
    pub fn new<T: Transport>(fabric: &mut Fabric<T>, random: &mut StdRng) -> Result<Memories, Error> {
        let (mut regions, mut words) = (vec![], vec![]);
        for tile in 0..fabric.config().tiles() {
            let region = fabric.allocate(tile, BYTES)?;
            let own: Vec<u32> = (0..BYTES / 4).map(|_| random.next_u32()).collect();
            fabric.write(tile, region.base, &own)?;
            regions.push(region);
            words.push(own);
        }
        Ok(Memories { regions, words })
    }

    /// The address of a byte of this memory at a tile.
    fn at(&self, tile: usize, byte: u32) -> u32 {
        self.regions[tile].base + byte
    }

    /// Addresses of a byte at all members.
    pub fn at_all(&self, tiles: &[usize], byte: u32) -> Vec<u32> {
        tiles.iter().map(|&tile| self.at(tile, byte)).collect()
    }

    /// Copies as a block should; its bytes count from the beginning of the memories.
    pub fn copy(&mut self, from: usize, to: usize, (source, result, bytes): (u32, u32, u32)) {
        let [source, result, count] = [source, result, bytes].map(|bytes| bytes as usize / 4);
        let moved = self.words[from][source..source + count].to_vec();
        self.words[to][result..result + count].copy_from_slice(&moved);
    }

    pub fn compare<T: Transport>(&self, fabric: &mut Fabric<T>, what: &str) -> Result<(), Error> {
        for (region, words) in self.regions.iter().zip(&self.words) {
            let found = fabric.read(region.node, region.base, words.len())?;
            let wrong = (0..words.len()).find(|&at| found[at] != words[at]);
            assert_eq!(wrong, None, "{what}: a word of tile {} differs", region.node);
        }
        Ok(())
    }

    pub fn free<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.regions.into_iter().try_for_each(|region| fabric.free(region))
    }
}

fn run<T: Transport>(fabric: &mut Fabric<T>, mut exchange: Exchange) -> Result<(), Error> {
    exchange.start(fabric)?;
    exchange.wait(fabric, SOON)?;
    exchange.release(fabric)
}

/// All tiles send a block to all, in every order, of lengths from a word to more than a packet.
pub fn every_block_reaches_its_member<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let mut random = StdRng::seed_from_u64(width as u64);
        let mut memories = Memories::new(&mut fabric, &mut random)?;
        // Ranks are not the numbers of the tiles.
        let tiles: Vec<usize> = (0..fabric.config().tiles()).rev().collect();
        let size = tiles.len() as u32;
        let mut peers = fabric.peers(&tiles)?;
        for order in Order::ALL {
            for words in [1, 3, 33] {
                let bytes = words * fabric.word_bytes();
                let (source, result) = (8, BYTES / 2);
                if size * bytes + source > BYTES / 2 {
                    continue;
                }
                let (sources, results) = (memories.at_all(&tiles, source), memories.at_all(&tiles, result));
                let exchange = peers.alltoall_in(&mut fabric, order, sources, results, bytes)?;
                run(&mut fabric, exchange)?;
                for (from, &sender) in (0..).zip(&tiles) {
                    for (to, &receiver) in (0..).zip(&tiles) {
                        memories.copy(sender, receiver, (source + to * bytes, result + from * bytes, bytes));
                    }
                }
                memories.compare(&mut fabric, &format!("{}, {words} words", order.name()))?;
            }
        }
        peers.release(&mut fabric)?;
        memories.free(&mut fabric)?;
        super::rest(&mut fabric);
    }
    Ok(())
}

/// One put, a list of as many as the queue of a member holds, and of one more.
pub fn lists_at_the_borders_run<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    lists_run(open(32), 1, &[1, 16, 17])?;
    lists_run(open(64), 64, &[1, 16, 17])
}

/// Lists of further lengths, up to several queues.
pub fn lists_of_every_length_run<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        // Rows that the shaper cuts into packets of their own, or of a word each.
        for maximum in [64, 4, 1] {
            lists_run(open(width), maximum, &[1, 2, 16, 17, 40])?;
        }
    }
    Ok(())
}

fn lists_run<T: Transport>(mut fabric: Fabric<T>, maximum: u32, lengths: &[usize]) -> Result<(), Error> {
    let unit = fabric.word_bytes();
    for tile in 0..fabric.config().tiles() {
        let shaper = Shaper {
            maximum,
            ..Shaper::default()
        };
        fabric.tile(tile)?.set_shaper(0, shaper)?;
    }
    let mut random = StdRng::seed_from_u64(7);
    let mut memories = Memories::new(&mut fabric, &mut random)?;
    let tiles: Vec<usize> = (0..fabric.config().tiles()).collect();
    let mut peers = fabric.peers(&tiles)?;
    for &puts in lengths {
        let mut blocks = vec![vec![]; tiles.len()];
        let mut free = vec![BYTES / 2; tiles.len()];
        for (from, blocks) in blocks.iter_mut().enumerate() {
            for _ in 0..puts {
                let to = random.gen_range(0..tiles.len());
                let bytes = unit * random.gen_range(1..4u32);
                let source = unit * random.gen_range(0..(BYTES / 2 - bytes) / unit);
                if free[to] + bytes > BYTES {
                    continue;
                }
                blocks.push(Block {
                    to,
                    source: memories.at(from, source),
                    result: memories.at(to, free[to]),
                    bytes,
                });
                memories.copy(from, to, (source, free[to], bytes));
                free[to] += bytes;
            }
        }
        let mut exchange = peers.exchange(&mut fabric, &blocks)?;
        exchange.start(&mut fabric)?;
        run(&mut fabric, exchange)?;
        memories.compare(&mut fabric, &format!("{puts} puts"))?;
    }
    peers.release(&mut fabric)?;
    memories.free(&mut fabric)?;
    super::rest(&mut fabric);
    Ok(())
}

/// Scatter, gather and broadcast with every root, and allgather.
pub fn roots_scatter_and_gather<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let mut random = StdRng::seed_from_u64(3);
    let mut memories = Memories::new(&mut fabric, &mut random)?;
    let tiles: Vec<usize> = (0..fabric.config().tiles()).collect();
    let ranks = || (0..).zip(&tiles);
    let (source, result, bytes) = (0x40, BYTES / 2, 20);
    let (sources, results) = (memories.at_all(&tiles, source), memories.at_all(&tiles, result));
    let mut peers = fabric.peers(&tiles)?;
    for (root, &tile) in tiles.iter().enumerate() {
        let scatter = peers.scatter(&mut fabric, root, sources[root], results.clone(), bytes)?;
        run(&mut fabric, scatter)?;
        for (rank, &to) in ranks() {
            memories.copy(tile, to, (source + rank * bytes, result, bytes));
        }
        memories.compare(&mut fabric, "scatter")?;
        let gather = peers.gather(&mut fabric, root, sources.clone(), results[root], bytes)?;
        run(&mut fabric, gather)?;
        for (rank, &from) in ranks() {
            memories.copy(from, tile, (source, result + rank * bytes, bytes));
        }
        memories.compare(&mut fabric, "gather")?;
        let broadcast = peers.broadcast(&mut fabric, root, sources.clone(), bytes)?;
        run(&mut fabric, broadcast)?;
        for &to in &tiles {
            memories.copy(tile, to, (source, source, bytes));
        }
        memories.compare(&mut fabric, "broadcast")?;
    }
    let allgather = peers.allgather(&mut fabric, sources, results, bytes)?;
    run(&mut fabric, allgather)?;
    for (rank, &from) in ranks() {
        for &to in &tiles {
            memories.copy(from, to, (source, result + rank * bytes, bytes));
        }
    }
    memories.compare(&mut fabric, "allgather")?;
    peers.release(&mut fabric)?;
    memories.free(&mut fabric)?;
    super::rest(&mut fabric);
    Ok(())
}
