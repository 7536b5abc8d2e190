//! A tree of all tiles in the engines' first context: its calls timed, and their words compared.

use super::form::{centre, Form};
use crate::bench::onesided::{
    bench::{Bench, PERIOD},
    transfers::{Check, EVENT},
    words,
};
use anyhow::{ensure, Context};
use portico_spec::{
    mpe::{
        call::{Call, Kind, Row, Transfer},
        reduce::Operation,
        tree::{Tree, TreeError},
    },
    ni::{
        descriptor::Command,
        registers::{CounterRegister, MpeRegister, MPE_IDLE_OFFSET},
    },
    Config,
};

/// The context of all calls.
const CONTEXT: usize = 0;
/// Bytes of the pattern between the words of a tile and those of the next: no two tiles give the same words.
const APART: usize = 28;
/// Words of the pattern are integers below this, as floating-point numbers: their sums are exact.
const VALUES: u32 = 1000;

/// A word of the pattern.
pub fn word(random: u32) -> u32 {
    ((random % VALUES) as f32).to_bits()
}

/// The tree of a form over all tiles of a fabric.
///
/// # Errors
/// The engines have not room for as many neighbours.
pub fn tree(config: &Config, form: Form) -> Result<Tree, TreeError> {
    let all: Vec<usize> = (0..config.tiles()).collect();
    let tree = Tree::new(config, &all, &form.shape())?;
    tree.check(config.mpe_neighbours)?;
    Ok(tree)
}

/// What a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// From the cycle in which the last member's descriptor is accepted to that in which the last member's event shows.
    pub cycles: u64,
    /// Cycles in which engines had work and went on with it, of all tiles.
    pub running: u64,
    /// Cycles in which engines had work and waited, of all tiles.
    pub waiting: u64,
    /// What is left of the cycles of all tiles from the first beat to the last event.
    pub idle: u64,
}

/// A tree that the engines know.
pub struct Group {
    form: Form,
    tree: Tree,
    number: u8,
}

impl Group {
    /// Tells every tile its neighbours.
    ///
    /// # Errors
    /// The engines have not room for the tree, or the host's transfers fail.
    pub fn new(bench: &mut Bench, form: Form) -> anyhow::Result<Self> {
        let config = bench.config().clone();
        let tree = tree(&config, form)?;
        let register = bench.register(MpeRegister::Neighbour0, CONTEXT);
        for rank in 0..config.tiles() {
            let neighbours = tree.neighbours(rank).iter().enumerate();
            let rows = neighbours.map(|(place, &neighbour)| {
                Row::encode(Some(Row {
                    node: config.terminal_node(neighbour),
                    place: tree.place_at(rank, place) as u8,
                }))
            });
            let mut rows = rows.collect::<Result<Vec<u32>, _>>()?;
            rows.resize(config.mpe_neighbours, 0);
            bench.write_registers(&[rank], register, &rows)?;
        }
        Ok(Self { form, tree, number: 0 })
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Posts a call at all tiles at once, and compares what it leaves with what it should. Then all engines are idle.
    ///
    /// # Errors
    /// The call does not end, ends with an error or with wrong words, or an engine is not idle after it.
    pub fn measure(&mut self, bench: &mut Bench, kind: Kind, length: usize, check: Check) -> anyhow::Result<Cost> {
        let call = self.number;
        self.call(bench, kind, length, check).with_context(|| {
            let Config { cols, rows, .. } = bench.config();
            let form = self.form.name();
            format!("{kind:?} of {length} words on {cols}x{rows}, {form} tree, call {call}")
        })
    }

    fn call(&mut self, bench: &mut Bench, kind: Kind, length: usize, check: Check) -> anyhow::Result<Cost> {
        bench.shift();
        let tiles: Vec<usize> = self.tree.tiles().to_vec();
        let root = match kind {
            Kind::Barrier | Kind::Allreduce => centre(&self.tree),
            Kind::Broadcast | Kind::Reduce => self.form.root(&self.tree),
        };
        let calls = self.descriptors(bench, kind, length, root);
        let before = counted(bench)?;
        let timing = bench.batch(&tiles, 1, |_, tile, _| calls[tile].clone())?;
        self.number = self.number.wrapping_add(1);
        for &tile in &tiles {
            bench.succeeded(tile)?;
        }
        let after = counted(bench)?;
        idle(bench)?;
        verify(bench, kind, length, root, check)?;
        let [work, waiting] = [0, 1].map(|at| u64::from(after[at].wrapping_sub(before[at])));
        let first = timing.accepted.iter().max().expect("a tile");
        let last = timing.fired.iter().max().expect("a tile");
        Ok(Cost {
            cycles: last - first,
            running: work.saturating_sub(waiting),
            waiting,
            idle: (tiles.len() as u64 * timing.whole()).saturating_sub(work),
        })
    }

    /// A descriptor for each tile.
    fn descriptors(&self, bench: &Bench, kind: Kind, length: usize, root: usize) -> Vec<Vec<u32>> {
        let towards = self.tree.towards(root).into_iter().enumerate();
        let calls = towards.map(|(rank, towards)| {
            let transfer = Transfer {
                length: length as u32,
                source: source(bench, rank) as u32,
                result: bench.room() as u32,
                operation: if kind.folds() {
                    Operation::FloatSum
                } else {
                    Operation::IntegerSum
                },
            };
            let call = Call {
                kind,
                number: self.number,
                context: CONTEXT as u8,
                towards: towards.map(|place| place as u8),
                transfer: if kind == Kind::Barrier {
                    Transfer::NONE
                } else {
                    transfer
                },
            };
            words::descriptor(bench.config(), EVENT, 0, Command::Call(call))
        });
        calls.collect()
    }
}

/// Byte address of a tile's own words in the present measure.
fn source(bench: &Bench, tile: usize) -> usize {
    (bench.source() + APART * tile) % PERIOD
}

/// Sums over all tiles of the cycles in which engines had work, and in which they waited. They count modulo 2^32.
fn counted(bench: &mut Bench) -> anyhow::Result<[u32; 2]> {
    let register = bench.register(CounterRegister::EnginesRun, 0);
    let mut sums = [0u32; 2];
    for tile in 0..bench.config().tiles() {
        let counters = bench.read(tile, register, 2)?;
        sums.iter_mut()
            .zip(counters)
            .for_each(|(sum, counter)| *sum = sum.wrapping_add(counter));
    }
    Ok(sums)
}

/// Checks that all contexts of all engines are idle.
fn idle(bench: &mut Bench) -> anyhow::Result<()> {
    for tile in 0..bench.config().tiles() {
        for context in 0..bench.config().mpe {
            let status = bench.read_register(tile, MpeRegister::Status, context)?;
            ensure!(
                status >> MPE_IDLE_OFFSET & 1 == 1,
                "context {context} of tile {tile} is not idle after the call: its status is {status:#x}"
            );
        }
    }
    Ok(())
}

/// Compares what a call has left with the words that it should leave.
fn verify(bench: &mut Bench, kind: Kind, length: usize, root: usize, check: Check) -> anyhow::Result<()> {
    let tiles = bench.config().tiles();
    let written: Vec<usize> = match kind {
        Kind::Barrier => vec![],
        Kind::Broadcast => (0..tiles).filter(|&tile| tile != root).collect(),
        Kind::Reduce => vec![root],
        Kind::Allreduce => (0..tiles).collect(),
    };
    let room = bench.room();
    for tile in written {
        for (offset, found) in bench.sample(tile, room, 4 * length, check)? {
            for (at, &word) in found.iter().enumerate() {
                let byte = offset + 4 * at;
                let of = |tile: usize| bench.expected(APART * tile + byte);
                let expected = match kind.folds() {
                    true => (0..tiles).map(|tile| f32::from_bits(of(tile))).sum::<f32>().to_bits(),
                    false => of(root),
                };
                ensure!(
                    word == expected,
                    "word {} at tile {tile} is {word:#010x}, not {expected:#010x}",
                    byte / 4
                );
            }
        }
    }
    Ok(())
}
