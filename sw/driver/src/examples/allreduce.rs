//! All tiles add their vectors, and all get the sum.

use crate::{
    collective::{Operation, Shape},
    Fabric, Transport,
};

use super::{check, Failure, Figures, TIMEOUT};

/// Numbers of a tile's vector.
const WORDS: u32 = 1024;

/// Adds a vector of 1,024 binary32 numbers of every tile in the message-passing engines, along a tree from the centre of the
/// mesh. The numbers are integers, so that the sums are exact in any order.
///
/// # Errors
/// The driver's ([`Error::NotBuilt`](crate::Error::NotBuilt) without engines), or a wrong word.
pub fn allreduce<T: Transport>(fabric: &mut Fabric<T>) -> Result<Figures, Failure> {
    let tiles = fabric.config().tiles();
    let number = |tile: usize, word: u32| ((tile as u32 + 1) * (word % 61)) as f32;
    let group = fabric.world(&Shape::Centre)?;
    let (mut sources, mut results) = (vec![], vec![]);
    for tile in 0..tiles {
        let source = fabric.allocate(tile, 4 * WORDS)?;
        let words: Vec<u32> = (0..WORDS).map(|word| number(tile, word).to_bits()).collect();
        fabric.write(tile, source.base, &words)?;
        sources.push(source);
        results.push(fabric.allocate(tile, 4 * WORDS)?);
    }
    let own: Vec<u32> = sources.iter().map(|region| region.base).collect();
    let to: Vec<u32> = results.iter().map(|region| region.base).collect();
    let begun = fabric.transport().cycles();
    group
        .allreduce(fabric, own, to, WORDS, Operation::FloatSum)?
        .wait(TIMEOUT)?;
    let cycles = fabric.transport().cycles() - begun;

    let sum = |word: u32| (0..tiles).map(|tile| number(tile, word)).sum::<f32>().to_bits();
    let sums: Vec<u32> = (0..WORDS).map(sum).collect();
    for result in &results {
        check(fabric, result.node, result.base, &sums)?;
    }
    for region in sources.into_iter().chain(results) {
        fabric.free(region)?;
    }
    group.free();
    Ok(Figures {
        bytes: tiles as u64 * u64::from(4 * WORDS),
        cycles,
        parts: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GoldenTransport;
    use portico_spec::Config;

    #[test]
    fn sums_are_exact_on_every_mesh() -> Result<(), Failure> {
        for (cols, rows) in [(1, 1), (3, 2), (4, 4)] {
            let config = Config {
                cols,
                rows,
                mpe: 1,
                edge_nodes: 1,
                ..Config::default()
            };
            let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
            // Nothing is left taken, so it runs again.
            for _ in 0..2 {
                assert_eq!(allreduce(&mut fabric)?.bytes, 4096 * (cols * rows) as u64);
            }
        }
        Ok(())
    }
}
