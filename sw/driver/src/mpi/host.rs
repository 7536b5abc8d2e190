//! Calls that the host carries out itself.

use portico_golden::mpe::reduce::reduce;
use portico_spec::{
    fp::Format,
    mpe::{
        reduce::Operation,
        tree::{Shape, Tree},
    },
};

use crate::{Error, Fabric, Transport};

/// A call without engines: the members' earlier commands, then folds.
#[derive(Debug)]
pub(super) struct HostWork {
    pub tree: Tree,
    pub shape: Shape,
    pub folds: Vec<Fold>,
}

/// A fold of the words of all members.
#[derive(Debug)]
pub(super) struct Fold {
    pub root: usize,
    /// By rank.
    pub sources: Vec<u32>,
    /// Ranks that get the result, and where.
    pub results: Vec<(usize, u32)>,
    pub words: u32,
    pub operation: Operation,
}

impl HostWork {
    /// Checks what the folds read and write: a result is the source of its fold at that member, or apart from the sources of all.
    pub fn check<T: Transport>(&self, fabric: &Fabric<T>) -> Result<(), Error> {
        let tiles = self.tree.tiles();
        for fold in &self.folds {
            let bytes = 4 * u64::from(fold.words);
            for (&tile, &source) in tiles.iter().zip(&fold.sources) {
                fabric.check_local(tile, "source", source, "words", bytes)?;
            }
            for &(rank, result) in &fold.results {
                let node = tiles[rank];
                fabric.check_local(node, "result", result, "words", bytes)?;
                for other in &self.folds {
                    let source = other.sources[rank];
                    let in_place = source == fold.sources[rank] && source == result;
                    if !in_place && u64::from(source.abs_diff(result)) < bytes {
                        return Err(Error::Overlap { node, address: result });
                    }
                }
            }
        }
        Ok(())
    }

    /// Waits until the members' commands are complete, then folds.
    pub fn run<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        let tiles = self.tree.tiles();
        fabric.finish_commands(tiles)?;
        for fold in &self.folds {
            let sources = tiles.iter().zip(&fold.sources);
            let words = sources.map(|(&tile, &source)| fabric.read(tile, source, fold.words as usize));
            let words = words.collect::<Result<Vec<_>, _>>()?;
            let folded = self.fold(fold.operation, &words, fold.root, None);
            for &(rank, result) in &fold.results {
                fabric.write(tiles[rank], result, &folded)?;
            }
        }
        Ok(())
    }

    /// The words of a rank and of all that it reaches but through `from`, in the order of the engines: its own first, then those of
    /// each neighbour.
    fn fold(&self, operation: Operation, words: &[Vec<u32>], rank: usize, from: Option<usize>) -> Vec<u32> {
        let mut folded = words[rank].clone();
        for &next in self.tree.neighbours(rank) {
            if Some(next) != from {
                let contribution = self.fold(operation, words, next, Some(rank));
                for (word, contribution) in folded.iter_mut().zip(contribution) {
                    let (sum, _) = reduce(Format::BINARY32, operation as u32, (*word).into(), contribution.into());
                    *word = sum as u32;
                }
            }
        }
        folded
    }
}
